// ops/sequence/seq_insert.c - the sequence with a tensor inserted before `position`, by default at the end.
// ONNX SequenceInsert-11. Positions are in [-n, n]; AscendIR's SequenceInsert changes a RESOURCE handle
// instead.
#include "items.h"

enum { SEQUENCE, TENSOR, POSITION };

static weft_status seq_insert_infer(weft_infer *it) {
  const weft_tensor *seq = it->value[SEQUENCE];
  bool empty = it->data_state[SEQUENCE] == WEFT_DATA_KNOWN && !seq->n_items;
  weft_shape_copy(it->out[0], it->in[empty ? TENSOR : SEQUENCE]);
  if (!empty)
    weft__merge_shape(it->out[0], it->in[TENSOR]);
  return WEFT_OK;
}

static weft_status seq_insert_ref(const weft_call *c) {
  const weft_tensor *seq = c->in[SEQUENCE];
  size_t n = seq->n_items;
  size_t at = n;
  if (c->n_in > POSITION)
    WEFT_TRY(weft__item_position(c, POSITION, n, true, &at));
  weft_tensor *out = c->out[0];
  if (!out)
    return WEFT_OK;
  WEFT_TRY(weft__items_make(c, out, WEFT_KIND_SEQUENCE, c->in[TENSOR]->dtype, n + 1));
  for (size_t i = 0; i <= n; i++)
    WEFT_TRY(weft_tensor_copy(out->items[i], i == at ? c->in[TENSOR] : seq->items[i - (i > at)], c->d));
  return WEFT_OK;
}

WEFT_OP(seq_insert) = {
    WEFT_OP_HEAD,
    .name = "SeqInsert",
    .summary = "a sequence with one more tensor",
    .in = PORTS({"input_sequence", "T", .kinds = WEFT_KINDS_SEQUENCE, .value = WEFT_VALUE_INFER},
                {"tensor", "T"}, {"position", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL}),
    .out = PORTS({"output_sequence", "T", .kinds = WEFT_KINDS_SEQUENCE}),
    .types = TYPES({"T", WEFT_ANY}),
    .traits = WEFT_SYMBOLIC,
    .infer = seq_insert_infer,
    .ref = seq_insert_ref,
    .examples = WEFT_EXAMPLES(
        "seq(f32[1]{1}), f32[1]{2} -> seq(f32[1]{1},f32[1]{2})",
        "seq(f32[1]{1},f32[1]{2}), f32[2]{8,9}, i64[]{0} -> seq(f32[2]{8,9},f32[1]{1},f32[1]{2})",
        "seq(i32[]{1},i32[]{2}), i32[]{3}, i32[]{-1} -> seq(i32[]{1},i32[]{3},i32[]{2})",
        "seq(str), str[1]{\"a\"} -> seq(str[1]{\"a\"})", "seq(f32), f32[-1] -> seq(f32)",
        "seq(f32), f32[0] -> seq(f32[0])",
        "seq(f32), f32[1]{1}, i64[]{1} !! E_RANGE input 'position': 1 is outside [0, 0]",
        "f32[1]{1}, f32[1]{1} !! E_TYPE input 'input_sequence'",
        "seq(f32), i32[1]{1} !! E_DTYPE input 'tensor'"),
};
// SPDX-License-Identifier: Apache-2.0
