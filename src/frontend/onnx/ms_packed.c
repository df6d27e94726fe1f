// ms_packed.c - attention of com.microsoft without padding: PackedAttention and PackedMultiHeadAttention. The
// tokens of all sequences stand behind one another, [tokens, size]; cumulative_sequence_length says where
// each sequence begins, token_offset where each token stands among [batch, sequence]. Here they are laid out
// with the padding, which no query sees, and gathered again.
#include "frontend/onnx/ms_attend.h"

typedef struct packing {
  weft_value *tokens;   // INT64 [batch, sequence]: the token at each place; any one where there is none
  weft_value *missing;  // BOOL [batch, 1, 1, sequence]
  weft_value *places;   // INT64 [tokens]: where each token stands among all places
} packing;

static packing packing_of(onnx_op *o, weft_value *x, weft_value *offsets, weft_value *cumulative) {
  packing p = {NULL, NULL, NULL};
  weft_value *zero = onnx_list(o, &(int64_t){0}, 1);
  weft_value *one = onnx_list(o, &(int64_t){1}, 1);
  weft_value *batch = onnx_dim_list(o, offsets, 0);
  weft_value *end = onnx_do(o, "Add", batch, one, NULL);
  weft_value *sums = onnx_as(o, cumulative, WEFT_INT64);
  weft_value *begins = onnx_unsqueezed(o, onnx_sliced(o, sums, 0, zero, batch), 1);
  weft_value *ends = onnx_unsqueezed(o, onnx_sliced(o, sums, 0, one, end), 1);
  weft_value *step = onnx_unsqueezed(o, onnx_counting(o, onnx_dim_index(o, offsets, 1)), 0);
  weft_value *at = onnx_do(o, "Add", begins, step, NULL);
  weft_value *outside = onnx_do(o, "GreaterEqual", at, ends, NULL);
  p.tokens = onnx_do(o, "SelectV2", outside, onnx_index(o, 0), at);
  p.missing = onnx_unsqueezed(o, onnx_unsqueezed(o, outside, 1), 1);
  weft_value *all = onnx_reshaped(o, onnx_as(o, offsets, WEFT_INT64), (const int64_t[]){-1}, 1);
  p.places = onnx_sliced(o, all, 0, zero, onnx_dim_list(o, x, 0));
  return p;
}

// [tokens, size] with its padding: [batch, sequence, size].
static ms_side padded(onnx_op *o, weft_value *x, const packing *p) {
  return (ms_side){onnx_picked(o, x, 0, p->tokens), "BSH"};
}

static weft_status ms_packed_packed(onnx_op *o, weft_value *const x[3], const packing *p, weft_value *shift) {
  ms_attend a = {.shift = shift, .hidden = p->missing, .scale = onnx_float(o, "scale", 0)};
  a.heads = a.kv_heads = onnx_ms_heads(o, "num_heads");
  a.q = padded(o, x[0], p);
  a.k = padded(o, x[1], p);
  a.v = padded(o, x[2], p);
  weft_value *y = onnx_ms_attend(o, &a);
  WEFT_TRY(o->failed);
  weft_dim size = onnx_dim_at(y, 2);
  weft_value *parts[2] = {onnx_list(o, &(int64_t){-1}, 1), onnx_dim_list(o, y, 2)};
  if (size == 0)
    return onnx_fail(o, WEFT_E_SHAPE, "the heads of the values have no elements");
  y = onnx_do(o, "Reshape", y, onnx_joined(o, parts, 2, 0), NULL);
  return onnx_result(o, 0, onnx_picked(o, y, 0, p->places));
}

static weft_status packed_attention(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *w = onnx_arg(o, 1);
  weft_value *bias = onnx_arg(o, 2);
  weft_value *part[3];
  weft_value *offsets = onnx_arg(o, 3);
  weft_value *cumulative = onnx_arg(o, 4);
  const packing p = packing_of(o, x, offsets, cumulative);
  onnx_ms_project(o, x, w, bias, part);
  return ms_packed_packed(o, part, &p, onnx_in(o, 5));
}

// The query may hold query, key and value, [tokens, heads, 3, size].
static weft_status packed_multi_head_attention(onnx_op *o) {
  weft_value *x[3] = {onnx_arg(o, 0), onnx_in(o, 1), onnx_in(o, 2)};
  weft_value *bias = onnx_in(o, 3);
  weft_value *all = x[0];
  weft_value *offsets = onnx_arg(o, 4);
  weft_value *cumulative = onnx_arg(o, 5);
  int rank = onnx_rank_needed(o, all);
  const packing p = packing_of(o, all, offsets, cumulative);
  if (rank != 4 && (rank != 2 || !x[1] || !x[2])) {
    return onnx_fail(o, WEFT_E_SHAPE, "query of rank %d: expected rank 2 with key and value, or rank 4",
                     rank);
  }
  for (int i = 0; rank == 4 && i < 3; i++) {
    weft_value *one = onnx_picked(o, all, 2, onnx_index(o, i));
    WEFT_TRY(o->failed);
    weft_dim heads = onnx_dim_at(one, 1);
    weft_dim size = onnx_dim_at(one, 2);
    const onnx_piece dims[2] = {{one, 0}, {NULL, heads >= 0 && size >= 0 ? heads * size : -1}};
    x[i] = onnx_reshaped_to(o, one, dims, 2);
  }
  weft_value *end = NULL;
  for (int i = 0; bias && i < 3; i++)
    x[i] = onnx_ms_with_bias(o, x[i], bias, end, &end);
  return ms_packed_packed(o, x, &p, onnx_in(o, 6));
}

static const onnx_mapping packed_rows[] = {
    {"PackedAttention", 1, 0, "PromptFlashAttention, GatherV2, ...", packed_attention, ONNX_MS},
    {"PackedMultiHeadAttention", 1, 0, "PromptFlashAttention, GatherV2, ...", packed_multi_head_attention,
     ONNX_MS},
};
const onnx_mappings weft__onnx_ms_packed = ONNX_MAPPINGS(packed_rows);
// SPDX-License-Identifier: Apache-2.0
