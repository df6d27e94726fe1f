// compositions/attention.c - attention in training, as CANN describes it, and its gradients. What no page
// describes (packed dropout, prefixes, masks made inside) is refused.
#include "attention.h"

// A number of each row, [B, N, S, 1], eight times; TND: [T, N, 8].
static weft_status attention_eight(attention *a, const char *from, const char *to) {
  front_op *o = a->c->o;
  weft_value *v = weft__composed(a->c, from);
  if (a->packed)
    v = front_squeezed(o, front_swapped(o, v, 1, 2), 0);
  const int64_t four[4] = {1, 1, 1, 8};
  v = front_do(o, "Tile", v, a->packed ? front_list(o, four + 1, 3) : front_list(o, four, 4), NULL);
  weft__compose_name(a->c, to, v);
  return o->failed;
}
static weft_value *attention_nothing(attention *a, weft_dtype t) {
  return front_filled(a->c->o, front_list(a->c->o, (const int64_t[]){0}, 1), front_num(a->c->o, t, 0));
}

// ---- FlashAttentionScore ----
static weft_status attention_training(attention *a, const char *shift) {
  static const char *const never[] = {"drop_mask", "padding_mask", "prefix", "q_start_idx", "kv_start_idx"};
  int64_t pse = attention_int(a, "pse_type");
  WEFT_TRY(attention_without(a->c, never, WEFT_COUNT(never)));
  WEFT_TRY(attention_begin(a, "head_num", NULL));
  WEFT_TRY(attention_band(a, "pre_tockens", "next_tockens"));
  if (pse != 0 && pse != 1)
    return front_fail(a->c->o, WEFT_E_UNSUPPORTED, "attribute 'pse_type': %lld is not computed, 0 and 1 are",
                      (long long)pse);
  WEFT_TRY(attention_shift(a, shift, pse == 1));
  WEFT_TRY(attention_read(a, weft__composed(a->c, "query"), weft__composed(a->c, "key"),
                          weft__composed(a->c, "value")));
  return attention_prepare(a, a->packed ? "actual_seq_qlen" : NULL, a->packed ? "actual_seq_kvlen" : NULL);
}
static weft_status flash_attention_score_build(weft__composing *c) {
  attention a = {.c = c};
  WEFT_TRY(attention_training(&a, "real_shift"));
  double scale = attention_float(&a, "scale_value");
  weft_value *const in[3] = {weft__composed(c, "query"), weft__composed(c, "key"),
                             weft__composed(c, "value")};
  weft_value *const rows[3] = {weft__composed(c, "q"), weft__composed(c, "k"), weft__composed(c, "v")};
  if (a.packed)
    WEFT_TRY(attention_hide_band(&a));
  WEFT_TRY(attention_fast(&a, in, scale, !a.packed));
  WEFT_TRY(weft__compose_text(c, "attention_out = Identity(o)"));
  for (size_t i = 0; i < 3; i++)
    weft__compose_name(c, attention_sides[i], rows[i]);
  WEFT_TRY(attention_scores(&a, scale));
  WEFT_TRY(attention_eight(&a, "most", "softmax_max"));
  WEFT_TRY(attention_eight(&a, "all", "softmax_sum"));
  weft__compose_name(c, "softmax_out", attention_nothing(&a, c->given[0].dtype));
  return c->o->failed;
}

// Of keys and values that a group of query heads shares: summed over it. v: [B, N, T, D].
static weft_value *attention_gathered(attention *a, weft_value *v) {
  front_op *o = a->c->o;
  int64_t kv = attention_heads_of(a, true);
  v = front_swapped(o, v, 1, 2);
  weft_dim d = front_dim(v, 3);
  if (kv == a->heads)
    return v;
  const int64_t dims[5] = {0, 0, kv, a->heads / kv, d >= 0 ? d : -1};
  return front_reduced(o, "ReduceSum", attention_shaped(a, v, dims, 5), (const int64_t[]){3}, 1, false);
}
static weft_status attention_give(attention *a, const char *from, const char *to, bool shared) {
  weft_value *v = weft__composed(a->c, from);
  v = shared ? attention_gathered(a, v) : front_swapped(a->c->o, v, 1, 2);
  weft__compose_name(a->c, to, front_as(a->c->o, attention_laid(a, v, false), a->c->given[0].dtype));
  return a->c->o->failed;
}
static weft_status attention_score_grad_build(weft__composing *c) {
  attention a = {.c = c};
  WEFT_TRY(attention_training(&a, "pse_shift"));
  WEFT_TRY(attention_scores(&a, attention_float(&a, "scale_value")));
  weft_value *dy = attention_rows(&a, "dy", weft__composed(c, "dy"), false);
  weft__compose_name(c, "g", front_swapped(c->o, front_as(c->o, dy, WEFT_FLOAT), 1, 2));
  WEFT_TRY(
      weft__compose_text(c,
                         "p = RealDiv(Exp(Sub(s, most)), all); dp = BatchMatMulV2(g, v4, adj_x2=true); "
                         "ds = Mul(p, Sub(dp, ReduceSum(Mul(p, dp), [-1], keep_dims=true))); "
                         "gv = BatchMatMulV2(p, g, adj_x1=true); gq = Mul(BatchMatMulV2(ds, k4), scale_by); "
                         "gk = Mul(BatchMatMulV2(ds, q4, adj_x1=true), scale_by)"));
  WEFT_TRY(attention_give(&a, "gq", "dq", false));
  WEFT_TRY(attention_give(&a, "gk", "dk", true));
  WEFT_TRY(attention_give(&a, "gv", "dv", true));
  weft_value *pse = weft__composed(c, "pse_shift");
  if (!pse) {
    weft__compose_name(c, "dpse", attention_nothing(&a, c->given[0].dtype));
    return c->o->failed;
  }
  weft_value *ds = weft__composed(c, "ds");
  if (attention_int(&a, "pse_type") == 1)
    ds = front_do(c->o, "Mul", ds, weft__composed(c, "scale_by"), NULL);
  weft__compose_name(c, "dpse", front_as(c->o, front_summed_onto(c->o, ds, pse), pse->fact.dtype));
  return c->o->failed;
}

// clang-format off
WEFT_ROWS(attention) = {
  COMPOSED_BY("FlashAttentionScore", "attention, with what its gradient needs", flash_attention_score_build,
      "f32[1,1,2]{1,0}, f32[1,2,2]{1,0,1,0}, f32[1,2,2]{1,2,3,4} head_num=1 input_layout=\"BSH\" -> "
      "f32[1,1,1,8], f32[1,1,1,8], f32[0], f32[1,1,2]{2,3}",
      "f32[2,1,1]{0,0}, f32[2,1,1]{0,0}, f32[2,1,1]{5,7} head_num=1 input_layout=\"SBH\" sparse_mode=2 -> "
      "f32[1,1,2,8]{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}, f32[1,1,2,8]{1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2}, "
      "f32[0], f32[2,1,1]{5,6}",
      "f32[3,1,1]{0,0,0}, f32[3,1,1]{0,0,0}, f32[3,1,1]{2,4,7}, _, _, _, _, _, i64[2]{2,3}, i64[2]{2,3} "
      "head_num=1 input_layout=\"TND\" -> f32[3,1,8], f32[3,1,8], f32[0], f32[3,1,1]{3,3,7}",
      "f32[1,1,2], f32[1,2,2], f32[1,3,2] head_num=1 input_layout=\"BSH\" -> _, _, _, _ !! E_SHAPE "
      "there are 2 keys and 3 values",
      "f16[B,4,2,8], f16[B,6,2,8], f16[B,6,2,8] head_num=2 input_layout=\"BSND\" -> "
      "f32[B,2,4,8], f32[B,2,4,8], f16[0], f16[B,4,2,8]",
      "f32[1,1,3], f32[1,2,3], f32[1,2,3] head_num=2 input_layout=\"BSH\" -> _, _, _, _ "
      "!! E_SHAPE heads do not divide",
      "f32[1,1,2], f32[1,2,2], f32[1,2,2] head_num=2 input_layout=\"HSB\" -> _, _, _, _ !! E_UNSUPPORTED "
      "none of BSH"),
  COMPOSED_BY("FlashAttentionScoreGrad", "gradients of FlashAttentionScore", attention_score_grad_build,
      // scores 0 and 0, weights of a half: dv = dy / 2, ds = p (dp - mean dp)
      "f32[1,1,1]{2}, f32[1,2,1]{0,0}, f32[1,2,1]{1,3}, f32[1,1,1]{4} head_num=1 input_layout=\"BSH\" -> "
      "f32[1,1,1]{0}, f32[1,2,1]{-4,4}, f32[1,2,1]{2,2}, f32[0]",
      "f32[1,2,1,1]{1,1}, f32[1,1,1,1]{1}, f32[1,1,1,1]{1}, f32[1,2,1,1]{3,5} head_num=2 "
      "input_layout=\"BNSD\" -> f32[1,2,1,1]{0,0}, f32[1,1,1,1]{0}, f32[1,1,1,1]{8}, f32[0]",
      "f16[B,4,16], f16[B,6,16], f16[B,6,16], f16[B,4,16], f16[B,2,4,6] head_num=2 input_layout=\"BSH\" -> "
      "f16[B,4,16], f16[B,6,16], f16[B,6,16], f16[B,2,4,6]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
