// compositions/attention_infer.c - attention over a cache of keys and values, which may lie in the
// blocks of a table, and parts of one attention joined. The forms with integers are refused.
#include "attention.h"

// ---- inference: keys and values in a cache ----
// Blocks of a cache in the order of a table: [blocks, size, H] or [blocks, N, size, D] as BSH.
static weft_value *attention_paged(attention *a, const char *port, weft_value *v) {
  front_op *o = a->c->o;
  int64_t size = attention_int(a, "block_size");
  int rank = front_rank_of(o, v);
  if (o->failed)
    return NULL;
  if (rank != 3 && rank != 4)
    return front_none(o, WEFT_E_SHAPE, "input '%s': rank %d, blocks have 3 or 4", port, rank);
  if (size < 1 || (front_dim(v, rank - 2) >= 0 && front_dim(v, rank - 2) != size))
    return front_none(o, WEFT_E_SHAPE, "input '%s': blocks of %lld rows, attribute 'block_size' says %lld",
                      port, front_shown(front_dim(v, rank - 2)), (long long)size);
  weft_value *table = weft__composed(a->c, "block_table");
  table = front_do(o, "Maximum", table, front_int(o, table->fact.dtype, 0), NULL);
  v = front_do(o, "GatherV2", v, table, front_index(o, 0));
  if (rank == 4)
    v = front_permuted(o, v, (const int64_t[]){0, 1, 3, 2, 4}, 5);
  weft_dim blocks = front_dim(v, 1);
  weft_dim n = front_dim(v, 3);
  weft_dim h = rank == 3 ? n : weft_dim_mul(NULL, n, front_dim(v, 4));
  if (h < 0)
    return front_none(o, WEFT_E_UNKNOWN, "how wide the cache is is not known");
  const int64_t dims[3] = {0, weft_dim_mul(NULL, blocks, size), h};
  return attention_shaped(a, v, dims, 3);
}
// Keys and values in BSH beside a query of another layout: all become BSND.
static weft_status attention_paged_read(attention *a) {
  const attention own = *a;
  attention rows = own;
  rows.layout = "BSH";
  rows.packed = false;
  static const char *const names[] = {"key", "value"};
  for (size_t i = 0; i < 2; i++) {
    weft_value *v = attention_paged(a, names[i], weft__composed(a->c, names[i]));
    v = v ? attention_rows(&rows, names[i], v, true) : NULL;
    weft__compose_name(a->c, attention_sides[i + 1], v);
  }
  weft__compose_name(a->c, "q", attention_rows(a, "query", weft__composed(a->c, "query"), false));
  return a->c->o->failed;
}
// One batch a tensor: joined along the batch where they are of one length.
static weft_value *attention_one(attention *a, const char *port) {
  size_t n;
  weft_value *const *v = weft__composed_all(a->c, port, &n);
  if (n == 1)
    return v[0];
  if (!n)
    return front_none(a->c->o, WEFT_E_INVALID, "input '%s': nothing is given", port);
  return front_joined(a->c->o, v, n, 0);
}
static weft_status attention_cached(attention *a, const char *scale, const char *q_lens, const char *k_lens) {
  weft_value *in[3] = {weft__composed(a->c, "query"), attention_one(a, "key"), attention_one(a, "value")};
  bool paged = weft__composed(a->c, "block_table");
  if (a->c->o->failed)
    return a->c->o->failed;
  if (in[0]->fact.dtype == WEFT_INT8 || in[1]->fact.dtype == WEFT_INT8)
    return front_fail(a->c->o, WEFT_E_UNSUPPORTED, "attention of integers is not computed");
  if (paged && !a->kv_heads)
    a->kv_heads = a->heads;
  if (a->kv_heads && a->heads % a->kv_heads)
    return front_fail(a->c->o, WEFT_E_INVALID,
                      "attribute 'num_heads': %lld is not a multiple of num_key_value_heads %lld",
                      (long long)a->heads, (long long)a->kv_heads);
  WEFT_TRY(paged ? attention_paged_read(a) : attention_read(a, in[0], in[1], in[2]));
  WEFT_TRY(attention_prepare(a, q_lens, k_lens));
  bool moved = a->packed || (a->mode > 2 && (weft__composed(a->c, q_lens) || weft__composed(a->c, k_lens)));
  weft_value *const rows[3] = {weft__composed(a->c, "q"), weft__composed(a->c, "k"),
                               weft__composed(a->c, "v")};
  attention use = *a;
  if (moved)
    WEFT_TRY(attention_hide_band(a));
  if (paged && !a->packed)
    use.layout = "BSND";
  WEFT_TRY(attention_fast(&use, paged ? rows : in, attention_float(a, scale), !moved));
  if (paged && !a->packed)
    weft__compose_name(a->c, "o", attention_laid(a, weft__composed(a->c, "o"), true));
  for (size_t i = 0; i < 3; i++)
    weft__compose_name(a->c, attention_sides[i], rows[i]);
  return a->c->o->failed;
}
static weft_status incre_flash_attention_build(weft__composing *c) {
  static const char *const never[] = {"dequant_scale1",   "quant_scale1",   "dequant_scale2",
                                      "quant_scale2",     "quant_offset2",  "antiquant_scale",
                                      "antiquant_offset", "kv_padding_size"};
  attention a = {.c = c};
  WEFT_TRY(attention_without(c, never, WEFT_COUNT(never)));
  WEFT_TRY(attention_begin(&a, "num_heads", "num_key_value_heads"));
  WEFT_TRY(attention_band(&a, NULL, NULL));
  WEFT_TRY(attention_shift(&a, "pse_shift", false));
  WEFT_TRY(attention_cached(&a, "scale_value", "", "actual_seq_lengths"));
  return weft__compose_text(c, "attention_out = Identity(o)");
}
static weft_status fused_infer_attention_build(weft__composing *c) {
  static const char *const never[] = {
      "dequant_scale1",    "quant_scale1",        "dequant_scale2",           "quant_scale2",
      "quant_offset2",     "antiquant_scale",     "antiquant_offset",         "query_padding_size",
      "kv_padding_size",   "key_antiquant_scale", "key_antiquant_offset",     "value_antiquant_scale",
      "key_shared_prefix", "value_shared_prefix", "actual_shared_prefix_len", "value_antiquant_offset"};
  attention a = {.c = c};
  WEFT_TRY(attention_without(c, never, WEFT_COUNT(never)));
  WEFT_TRY(attention_begin(&a, "num_heads", "num_key_value_heads"));
  WEFT_TRY(attention_band(&a, "pre_tokens", "next_tokens"));
  WEFT_TRY(attention_shift(&a, "pse_shift", false));
  WEFT_TRY(attention_cached(&a, "scale", "actual_seq_lengths", "actual_seq_lengths_kv"));
  WEFT_TRY(weft__compose_text(c, "attention_out = Identity(o)"));
  if (!weft_node_bool(c->desc, WEFT_SLOT_FUSED_INFER_ATTENTION_SCORE_SOFTMAX_LSE_FLAG)) {
    weft_value *one = front_list(c->o, (const int64_t[]){1}, 1);
    weft__compose_name(c, "softmax_lse", front_filled(c->o, one, front_num(c->o, WEFT_FLOAT, 0)));
    return c->o->failed;
  }
  WEFT_TRY(attention_scores(&a, attention_float(&a, "scale")));
  WEFT_TRY(weft__compose_text(c, "softmax_lse = Add(most, Log(all))"));
  if (!a.packed)
    return WEFT_OK;
  weft_value *lse = front_swapped(c->o, weft__composed(c, "softmax_lse"), 1, 2);
  weft__compose_name(c, "softmax_lse", front_squeezed(c->o, lse, 0));
  return c->o->failed;
}

// ---- parts of one attention joined: each is scaled by what the largest score of both leaves of its sum ----
static weft_status ring_attention_build(weft__composing *c) {
  const char *layout = weft_node_str(c->desc, WEFT_SLOT_RING_ATTENTION_UPDATE_INPUT_LAYOUT);
  if (strcmp(layout, "SBH") != 0 || weft__composed(c, "actual_seq_qlen"))
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'input_layout': only SBH is computed, not '%s'",
                      layout);
  WEFT_TRY(weft__compose_text(
      c,
      "softmax_max = Maximum(prev_softmax_max, cur_softmax_max); "
      "ps = Mul(prev_softmax_sum, Exp(Sub(prev_softmax_max, softmax_max))); "
      "cs = Mul(cur_softmax_sum, Exp(Sub(cur_softmax_max, softmax_max))); softmax_sum = Add(ps, cs); "
      "pw = RealDiv(ps, softmax_sum); cw = RealDiv(cs, softmax_sum)"));
  weft_value *sum = weft__composed(c, "softmax_sum");
  int rank = front_rank_of(c->o, sum);
  weft_dim heads = front_dim(sum, 1);
  if (c->o->failed)
    return c->o->failed;
  if (rank != 4 || heads < 1)
    return front_fail(c->o, rank != 4 ? WEFT_E_SHAPE : WEFT_E_UNKNOWN,
                      "input 'prev_softmax_sum': expected [B, N, S, 8] with a known number of heads");
  attention a = {.c = c, .layout = "SBH", .heads = heads};
  static const char *const weights[] = {"pw", "cw"};
  static const char *const outs[] = {"prev_attn_out", "cur_attn_out"};
  for (size_t i = 0; i < 2; i++) {
    weft_value *w = front_part(c->o, weft__composed(c, weights[i]), 3, 0, 1);
    weft__compose_name(c, weights[i], front_swapped(c->o, w, 1, 2));
    weft_value *v = attention_rows(&a, outs[i], weft__composed(c, outs[i]), false);
    weft__compose_name(c, i ? "cv" : "pv", front_as(c->o, v, WEFT_FLOAT));
  }
  WEFT_TRY(weft__compose_text(c, "r = Add(Mul(pv, pw), Mul(cv, cw))"));
  weft_value *r = attention_laid(&a, weft__composed(c, "r"), true);
  weft__compose_name(c, "attn_out", front_as(c->o, r, c->given[0].dtype));
  return c->o->failed;
}

// clang-format off
WEFT_ROWS(attention_infer) = {
  COMPOSED_BY("IncreFlashAttention", "attention of one token over a cache", incre_flash_attention_build,
      "f16[1,1,2]{0,0}, [f16[1,2,1]{0,0}], [f16[1,2,1]{1,3}] num_heads=2 -> f16[1,1,2]{2,2}",
      "f16[1,1,1], [f16[1,2,1], f16[1,2,1]], [f16[1,2,1]] num_heads=1 -> _ !! E_SHAPE input 'query' has 1 "
      "batches, input 'key' 2",
      "f16[2,1,1]{0,0}, [f16[2,2,1]{0,0,0,0}], [f16[2,2,1]{1,3,5,7}], _, _, i64[2]{1,2} num_heads=1 -> "
      "f16[2,1,1]{1,6}",
      // a cache of blocks of two rows: the batch has the rows of block 1, then of block 0
      "f16[1,1,1]{0}, [f16[2,2,1]{0,0,0,0}], [f16[2,2,1]{1,3,5,7}], _, _, i64[1]{3}, _, _, _, _, _, _, _, "
      "i32[1,2]{1,0} num_heads=1 block_size=2 -> f16[1,1,1]{4.332} ~1e-3",
      "f16[B,1,16], [f16[B,S,16]], [f16[B,S,16]] num_heads=2 num_key_value_heads=2 -> f16[B,1,16]",
      "f16[1,1,1], [f16[2,2,1]], [f16[2,2,1]], _, _, i64[1], _, _, _, _, _, _, _, i32[1,2] num_heads=1 "
      "block_size=4 -> _ !! E_SHAPE block_size"),
  COMPOSED_LIKE_BY("FusedInferAttentionScore", "attention of many tokens or one over a cache", "query",
      fused_infer_attention_build,
      "f16[1,2,1]{0,0}, [f16[1,2,1]{0,0}], [f16[1,2,1]{1,3}] num_heads=1 sparse_mode=3 "
      "softmax_lse_flag=true -> f16[1,2,1]{1,2}, f32[1,1,2,1]{0,0.6931472} ~1e-6",
      "f16[1,1,1]{0}, [f16[1,2,1]{0,0}], [f16[1,2,1]{1,3}], _, _, _, i64[1]{1} num_heads=1 -> "
      "f16[1,1,1]{1}, f32[1]{0}",
      "f16[B,2,4,8], [f16[B,1,6,8]], [f16[B,1,6,8]] num_heads=2 num_key_value_heads=1 "
      "input_layout=\"BNSD_BSND\" -> f16[B,4,2,8], f32[1]"),
  COMPOSED_BY("RingAttentionUpdate", "two parts of one attention joined", ring_attention_build,
      "f32[1,1,1]{2}, f32[1,1,1,8]{0,0,0,0,0,0,0,0}, f32[1,1,1,8]{1,1,1,1,1,1,1,1}, f32[1,1,1]{6}, "
      "f32[1,1,1,8]{0,0,0,0,0,0,0,0}, f32[1,1,1,8]{3,3,3,3,3,3,3,3} -> f32[1,1,1]{5}, "
      "f32[1,1,1,8]{0,0,0,0,0,0,0,0}, f32[1,1,1,8]{4,4,4,4,4,4,4,4}",
      "f16[4,B,16], f32[B,2,4,8], f32[B,2,4,8], f16[4,B,16], f32[B,2,4,8], f32[B,2,4,8] -> "
      "f16[4,B,16], f32[B,2,4,8], f32[B,2,4,8]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
