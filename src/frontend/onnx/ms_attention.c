// ms_attention.c - attention of com.microsoft with a head of keys and values for each of the query:
// Attention, whose projection is part of it, MultiHeadAttention, and DecoderMaskedMultiHeadAttention, which
// is the same for one query. Keys and values of the past come in and go out with the heads in front.
#include "frontend/onnx/ms_attend.h"

// ---- pieces ----
// `all` [batch, sequence, heads, n, size]: its part i, [batch, sequence, heads * size].
static weft_value *unpacked(onnx_op *o, weft_value *all, int64_t i) {
  weft_value *v = onnx_picked(o, all, 3, onnx_index(o, i));
  if (o->failed)
    return NULL;
  weft_dim heads = onnx_dim_at(v, 2);
  weft_dim size = onnx_dim_at(v, 3);
  const onnx_piece p[3] = {{v, 0}, {v, 1}, {NULL, heads >= 0 && size >= 0 ? heads * size : -1}};
  return onnx_reshaped_to(o, v, p, 3);
}

// ---- what these operators share ----
typedef struct multi {
  ms_attend a;
  weft_value *mask, *bias;               // for keys; added to the scores
  weft_value *past_k, *past_v, *length;  // the past, and how much of it holds keys; NULL: all
  bool keeps;                            // the present is asked for
  weft_value *present_k, *present_v;
} multi;

// Joins the past and this step, in the layout of the present.
static void join_past(onnx_op *o, multi *m) {
  if (!m->past_k && !m->keeps)
    return;
  weft_value *k = onnx_ms_by_head(o, &m->a.k, m->a.heads);
  weft_value *v = onnx_ms_by_head(o, &m->a.v, m->a.heads);
  if (m->past_k) {
    k = onnx_ms_extended(o, m->past_k, m->length, k);
    v = onnx_ms_extended(o, m->past_v, m->length, v);
  }
  m->present_k = m->length ? onnx_ms_overwritten(o, m->past_k, k) : k;
  m->present_v = m->length ? onnx_ms_overwritten(o, m->past_v, v) : v;
  m->a.k = (ms_side){k, "BNSD"};
  m->a.v = (ms_side){v, "BNSD"};
}

static weft_value *key_count(onnx_op *o, const multi *m) {  // INT64 []
  return onnx_dim_index(o, m->a.k.v, strcmp(m->a.k.layout, "BNSD") ? 1 : 2);
}

// Reads the attributes, and makes output 0.
static weft_status attend(onnx_op *o, multi *m) {
  bool causal = onnx_int(o, "unidirectional", 0) != 0;
  m->a.heads = m->a.kv_heads = onnx_ms_heads(o, "num_heads");
  m->a.scale = onnx_float(o, "scale", 0);
  WEFT_TRY(o->failed);
  if (!m->past_k != !m->past_v)
    return onnx_fail(o, WEFT_E_MISSING, "past keys and past values are given both or not at all");
  join_past(o, m);
  m->a.band = !causal ? MS_ALL : m->past_k ? MS_CAUSAL_FROM_THE_END : MS_CAUSAL;
  m->a.shift = m->mask ? onnx_ms_mask(o, m->mask, key_count(o, m), &m->a.q) : NULL;
  m->a.shift = onnx_ms_plus(o, m->a.shift, m->bias);
  return onnx_result(o, 0, onnx_ms_attend(o, &m->a));
}

// ---- Attention ----
// Keys and values of the past stand in one tensor, [2, ...].
static weft_value *stacked(onnx_op *o, weft_value *k, weft_value *v) {
  weft_value *both[2] = {onnx_unsqueezed(o, k, 0), onnx_unsqueezed(o, v, 0)};
  return onnx_joined(o, both, 2, 0);
}

// Query, key and value are there; m has the masks, and input `past` both halves of it.
static weft_status of_parts(onnx_op *o, multi *m, weft_value *const part[3], size_t at) {
  weft_value *past = onnx_in(o, at);
  m->keeps = onnx_wants(o, 1);
  if (onnx_int(o, "do_rotary", 0))
    (void)onnx_unsupported(o, "attribute 'do_rotary' is not imported");
  m->a.q = (ms_side){part[0], "BSH"};
  m->a.k = (ms_side){part[1], "BSH"};
  m->a.v = (ms_side){part[2], "BSH"};
  if (past) {
    m->past_k = onnx_picked(o, past, 0, onnx_index(o, 0));
    m->past_v = onnx_picked(o, past, 0, onnx_index(o, 1));
  }
  WEFT_TRY(attend(o, m));
  return m->keeps ? onnx_result(o, 1, stacked(o, m->present_k, m->present_v)) : WEFT_OK;
}

static weft_status attention(onnx_op *o) {
  multi m = {.mask = onnx_in(o, 3), .bias = onnx_in(o, 5)};
  bool shares = onnx_int(o, "past_present_share_buffer", 0) != 0;
  if (shares && onnx_in(o, 4))
    m.length = onnx_arg(o, 6);
  weft_value *x = onnx_arg(o, 0);
  weft_value *w = onnx_arg(o, 1);
  weft_value *part[3];
  onnx_ms_project(o, x, w, onnx_in(o, 2), part);
  return of_parts(o, &m, part, 4);
}

// The same of bytes: the projection is a product of integers.
static weft_status q_attention(onnx_op *o) {
  multi m = {.mask = onnx_in(o, 5)};
  weft_value *scale[2] = {onnx_arg(o, 3), onnx_arg(o, 4)};
  weft_value *zero[2] = {onnx_in(o, 6), onnx_in(o, 7)};
  weft_value *part[3];
  weft_value *all = onnx_ms_integers(o, onnx_arg(o, 0), onnx_arg(o, 1), scale, zero, onnx_arg(o, 2));
  if (onnx_int(o, "past_present_share_buffer", 0))
    (void)onnx_unsupported(o, "attribute 'past_present_share_buffer' is not imported");
  onnx_ms_thirds(o, all, NULL, part);
  return of_parts(o, &m, part, 8);
}

// ---- MultiHeadAttention ----
// Query, key and value: three inputs [batch, sequence, heads * size], or packed ones of rank 5, or keys and
// values with the heads in front, which have no bias.
static void ms_attention_read_sides(onnx_op *o, ms_attend *a, weft_value *bias) {
  weft_value *q = onnx_arg(o, 0);
  weft_value *k = onnx_in(o, 1);
  weft_value *v = onnx_in(o, 2);
  weft_value *end = NULL;
  int rank = onnx_rank_needed(o, q);
  int k_rank = k ? onnx_rank_needed(o, k) : 0;
  bool by_head = k_rank == 4;
  if (o->failed)
    return;
  if (rank == 5 || (rank == 3 && !k)) {
    weft_value *part[3];
    weft_value *all = q;
    if (rank == 3)
      onnx_ms_thirds(o, q, NULL, part);
    for (int i = 0; i < 3 && rank == 5; i++)
      part[i] = unpacked(o, all, i);
    q = part[0];
    k = part[1];
    v = part[2];
  } else if (k_rank == 5) {
    weft_value *both = k;
    k = unpacked(o, both, 0);
    v = unpacked(o, both, 1);
  } else if (rank != 3 || !v || (k_rank != 3 && !by_head)) {
    o->failed =
        onnx_fail(o, WEFT_E_SHAPE,
                  "query of rank %d, key of rank %d%s: expected 3 and 3 or 4, or packed ones of rank 5", rank,
                  k_rank, v ? "" : " and no value");
    return;
  }
  if (bias)
    q = onnx_ms_with_bias(o, q, bias, NULL, &end);
  if (bias && !by_head) {
    k = onnx_ms_with_bias(o, k, bias, end, &end);
    v = onnx_ms_with_bias(o, v, bias, end, &end);
  }
  a->q = (ms_side){q, "BSH"};
  a->k = (ms_side){k, by_head ? "BNSD" : "BSH"};
  a->v = (ms_side){v, by_head ? "BNSD" : "BSH"};
}

// Where the two operators have their inputs.
typedef struct slots {
  size_t bias, mask, shift, past_k, past_v, length, beams;
} slots;

static weft_status multi_head(onnx_op *o, const slots *s, bool shares) {
  multi m = {.mask = onnx_in(o, s->mask), .bias = onnx_in(o, s->shift)};
  m.past_k = onnx_in(o, s->past_k);
  m.past_v = onnx_in(o, s->past_v);
  m.keeps = onnx_wants(o, 1) || onnx_wants(o, 2);
  m.length = shares && m.past_k ? onnx_in(o, s->length) : NULL;
  if (onnx_in(o, s->beams))
    (void)onnx_unsupported(o, "input cache_indirection is not imported");
  ms_attention_read_sides(o, &m.a, onnx_in(o, s->bias));
  WEFT_TRY(attend(o, &m));
  if (onnx_wants(o, 1))
    WEFT_TRY(onnx_result(o, 1, m.present_k));
  if (onnx_wants(o, 2))
    WEFT_TRY(onnx_result(o, 2, m.present_v));
  return onnx_wants(o, 3) ? onnx_result(o, 3, onnx_ms_scores(o, &m.a)) : WEFT_OK;
}

static weft_status multi_head_attention(onnx_op *o) {
  static const slots of_all = {3, 4, 5, 6, 7, 8, 9};
  return multi_head(o, &of_all, true);
}

static weft_status decoder_attention(onnx_op *o) {
  static const slots of_one = {10, 3, 4, 5, 6, 7, 9};
  return multi_head(o, &of_one, onnx_int(o, "past_present_share_buffer", 0) != 0);
}

static const onnx_mapping attention_rows[] = {
    {"Attention", 1, 0, "PromptFlashAttention, BatchMatMulV2, ...", attention, ONNX_MS},
    {"DecoderMaskedMultiHeadAttention", 1, 0, "PromptFlashAttention, ...", decoder_attention, ONNX_MS},
    {"MultiHeadAttention", 1, 0, "PromptFlashAttention, ...", multi_head_attention, ONNX_MS},
    {"QAttention", 1, 0, "MatMulInteger, PromptFlashAttention, ...", q_attention, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_attention = ONNX_MAPPINGS(attention_rows);
// SPDX-License-Identifier: Apache-2.0
