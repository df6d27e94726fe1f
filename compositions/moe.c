// compositions/moe.c - mixtures of experts: choosing experts for rows, rows in the order of their experts,
// and back. Places of rows: [rows, k] one row after the other, or with the k choices outermost, as the
// operators of old number them (choice * rows + row). Capacities, ranges of experts and exchange between
// devices are refused.
#include "air_slots.h"
#include "compose/compose.h"

enum { MOE_MOST = 1 << 20 };  // experts

static weft_status moe_count(weft__composing *c, const char *what, int64_t n) {
  return n < 1 || n > MOE_MOST ? front_fail(c->o, WEFT_E_RANGE, "attribute '%s': %lld is outside [1, %d]",
                                            what, (long long)n, MOE_MOST)
                               : WEFT_OK;
}
static void moe_index(weft__composing *c, const char *name, int64_t v) {
  weft__compose_name(c, name, front_index(c->o, v));
}

// ---- choosing ----
// "row_idx" of "expert_idx" [.., k]: choice * rows + row.
static weft_status moe_row_idx(weft__composing *c, int64_t k) {
  weft_value *shape = front_shape(c->o, weft__composed(c, "expert_idx"));
  weft__compose_name(c, "shape", shape);
  moe_index(c, "kk", k);
  WEFT_TRY(weft__compose_text(c, "total = ReduceProd(shape, [0])"));
  weft__compose_name(c, "p", front_counting(c->o, weft__composed(c, "total")));
  return weft__compose_text(
      c,
      "row = FloorDiv(p, kk); choice = Sub(p, Mul(row, kk)); rows = FloorDiv(total, kk); "
      "row_idx = Reshape(i32(Add(Mul(choice, rows), row)), shape, allowzero=true)");
}
// Rows that are finished go to the expert behind the last one.
static weft_status moe_finished(weft__composing *c) {
  weft_value *x = weft__composed(c, "x");
  int rank = front_rank_of(c->o, x);
  if (!weft__composed(c, "finished") || c->o->failed)
    return c->o->failed;
  weft__compose_name(c, "nobody", front_as(c->o, front_dim_index(c->o, x, rank - 1), WEFT_INT32));
  return weft__compose_text(c, "expert_idx = SelectV2(Unsqueeze(finished, axes=[-1]), nobody, expert_idx)");
}
static weft_status moe_gating_softmax_build(weft__composing *c) {
  int64_t k = weft_node_int(c->desc, WEFT_SLOT_MOE_GATING_TOP_K_SOFTMAX_K);
  WEFT_TRY(moe_count(c, "k", k));
  moe_index(c, "kk", k);
  WEFT_TRY(weft__compose_text(c, "y, expert_idx = TopKV2(SoftmaxV2(x, axes=[-1]), kk, indices_dtype=3)"));
  WEFT_TRY(moe_row_idx(c, k));
  return moe_finished(c);
}
static weft_status moe_gating_softmax_v2_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  int64_t k = weft_node_int(n, WEFT_SLOT_MOE_GATING_TOP_K_SOFTMAX_V2_K);
  bool after = weft_node_int(n, WEFT_SLOT_MOE_GATING_TOP_K_SOFTMAX_V2_RENORM) != 0;
  bool shown = weft_node_bool(n, WEFT_SLOT_MOE_GATING_TOP_K_SOFTMAX_V2_OUTPUT_SOFTMAX_RESULT_FLAG);
  WEFT_TRY(moe_count(c, "k", k));
  moe_index(c, "kk", k);
  WEFT_TRY(weft__compose_text(c, "all = SoftmaxV2(x, axes=[-1])"));
  WEFT_TRY(weft__compose_text(c, after ? "best, expert_idx = TopKV2(x, kk, indices_dtype=3); "
                                         "y = SoftmaxV2(best, axes=[-1])"
                                       : "y, expert_idx = TopKV2(all, kk, indices_dtype=3)"));
  WEFT_TRY(weft__compose_text(
      c, shown && !after ? "softmax_result = f32(all)" : "softmax_result = Fill([0], f32(0))"));
  return moe_finished(c);
}
// Only experts of the best groups stay in "s": a group is as good as its best expert, or as its two best.
static weft_status moe_groups(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  int64_t groups = weft_node_int(n, WEFT_SLOT_MOE_GATING_TOP_K_GROUP_COUNT);
  int64_t keep = weft_node_int(n, WEFT_SLOT_MOE_GATING_TOP_K_K_GROUP);
  bool pairs = weft_node_int(n, WEFT_SLOT_MOE_GATING_TOP_K_GROUP_SELECT_MODE) == 1;
  WEFT_TRY(moe_count(c, "group_count", groups));
  WEFT_TRY(moe_count(c, "k_group", keep));
  if (groups == 1 || keep == groups)
    return WEFT_OK;
  weft_value *s = weft__composed(c, "s");
  weft_dim experts = front_dim(s, front_rank(s) - 1);
  if (experts < 0)
    return front_fail(c->o, WEFT_E_UNKNOWN, "the number of experts is not known");
  if (experts % groups)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'x': %lld experts, which %lld groups do not divide",
                      (long long)experts, (long long)groups);
  weft__compose_name(c, "parts", front_list(c->o, (const int64_t[]){0, groups, experts / groups}, 3));
  weft__compose_name(c, "shape", front_shape(c->o, s));
  weft__compose_name(c, "least", front_num(c->o, WEFT_FLOAT, -3.4028234663852886e38));
  moe_index(c, "two", 2);
  moe_index(c, "keep", keep);
  moe_index(c, "many", groups);
  WEFT_TRY(weft__compose_text(c, "g = Reshape(s, parts, allowzero=false)"));
  WEFT_TRY(weft__compose_text(
      c, pairs ? "b = TopKV2(g, two); good = ReduceSum(b, [-1])" : "good = ReduceMax(g, [-1])"));
  return weft__compose_text(c,
                            "b, which = TopKV2(good, keep, indices_dtype=3); "
                            "in = ReduceMax(OneHot(which, many, 1, 0), [1]); "
                            "s = Reshape(SelectV2(Unsqueeze(Greater(in, 0), axes=[-1]), g, least), shape, "
                            "allowzero=true)");
}
static weft_status moe_gating_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  int64_t k = weft_node_int(n, WEFT_SLOT_MOE_GATING_TOP_K_K);
  bool sigmoid = weft_node_int(n, WEFT_SLOT_MOE_GATING_TOP_K_NORM_TYPE) == 1;
  bool norm = sigmoid || weft_node_int(n, WEFT_SLOT_MOE_GATING_TOP_K_RENORM) == 1;
  int rank = front_rank_of(c->o, weft__composed(c, "x"));
  WEFT_TRY(moe_count(c, "k", k));
  if (!c->o->failed && rank != 2)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'x': rank %d, expected 2", rank);
  moe_index(c, "kk", k);
  WEFT_TRY(weft__compose_text(c, sigmoid ? "out = f32(Sigmoid(x))" : "out = f32(SoftmaxV2(x, axes=[-1]))"));
  WEFT_TRY(
      weft__compose_text(c, weft__composed(c, "bias") ? "s = Add(out, f32(bias))" : "s = Identity(out)"));
  WEFT_TRY(moe_groups(c));
  WEFT_TRY(weft__compose_text(c,
                              "b, expert_idx = TopKV2(s, kk, indices_dtype=3); "
                              "y = GatherElements(out, expert_idx, dim=-1)"));
  if (norm)
    WEFT_TRY(weft__compose_text(c, "y = RealDiv(y, Add(ReduceSum(y, [-1], keep_dims=true), eps))"));
  return weft__compose_text(c, "y = Mul(y, routed_scaling_factor)");
}

// ---- rows in the order of their experts ----
// "from": for each sorted place the flat one of "expert_idx" that it comes from; "sorted": the experts.
static weft_status moe_sorted(weft__composing *c) {
  return weft__compose_text(c, "flat = Reshape(expert_idx, [-1]); sorted, at = Sort(flat, stable=true)");
}
// The first `most` rows; most below 1: all.
static weft_status moe_first(weft__composing *c, const char *name, int64_t most, int64_t each) {
  weft_value *v = weft__composed(c, name);
  if (most < 1 || most > INT64_MAX / (each < 1 ? 1 : each))
    return WEFT_OK;
  most *= each;
  weft_dim there = front_dim(v, 0);
  weft__compose_name(c, name, front_part(c->o, v, 0, 0, there >= 0 && there < most ? there : most));
  return c->o->failed;
}
static weft_status moe_init_build(weft__composing *c) {
  weft_value *idx = weft__composed(c, "expert_idx");
  int rank = front_rank_of(c->o, idx);
  weft_dim k = front_dim(idx, 1);
  if (c->o->failed)
    return c->o->failed;
  if (rank != 2)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'expert_idx': rank %d, expected 2", rank);
  if (k < 0)
    return front_fail(c->o, WEFT_E_UNKNOWN, "the number of experts of a row is not known");
  WEFT_TRY(moe_sorted(c));
  moe_index(c, "axis_0", 0);
  weft__compose_name(c, "rows", front_as(c->o, front_dim_index(c->o, weft__composed(c, "x"), 0), WEFT_INT32));
  WEFT_TRY(weft__compose_text(c,
                              "expanded_expert_idx = Identity(sorted); "
                              "from = GatherV2(Reshape(row_idx, [-1]), at, axis_0); "
                              "places, expanded_row_idx = Sort(from)"));
  WEFT_TRY(moe_first(c, "from", weft_node_int(c->desc, WEFT_SLOT_MOE_INIT_ROUTING_ACTIVE_NUM), k));
  return weft__compose_text(c,
                            "row = Sub(from, Mul(FloorDiv(from, rows), rows)); "
                            "expanded_x = GatherV2(x, row, axis_0)");
}
static weft_status moe_init_quant_build(weft__composing *c) {
  WEFT_TRY(moe_init_build(c));
  c->main = WEFT_FLOAT;
  WEFT_TRY(weft__compose_text(
      c, "v = Maximum(Minimum(Rint(Add(Mul(f32(expanded_x), scale), offset)), 127), -128)"));
  weft__compose_name(c, "expanded_x", front_as(c->o, weft__composed(c, "v"), WEFT_INT8));
  return c->o->failed;
}
// How many rows each expert has, or has with those before it. INT64 [experts]
static weft_status moe_totals(weft__composing *c, const char *name, int64_t experts, bool counts) {
  char text[128];
  weft__compose_name(c, "numbers",
                     front_as(c->o, front_counting(c->o, front_index(c->o, experts)), WEFT_INT32));
  WEFT_TRY(weft__compose_text(c, "ends = i64(SearchSorted(sorted, numbers, right=true))"));
  if (counts)
    WEFT_TRY(weft__compose_text(c, "ends = Sub(ends, i64(SearchSorted(sorted, numbers, right=false)))"));
  snprintf(text, sizeof text, "%s = Identity(ends)", name);
  return weft__compose_text(c, text);
}
static weft_status moe_init_v3_refuse(weft__composing *c, int64_t experts) {
  const weft_op_desc *n = c->desc;
  const weft_attr *range =
      weft_attr_at(n, WEFT_SLOT_MOE_INIT_ROUTING_V3_ACTIVE_EXPERT_RANGE, WEFT_VT_LIST_INT);
  bool part = range && range->n == 2 && (range->u.ints[0] != 0 || range->u.ints[1] != experts);
  int64_t type = weft_node_int(n, WEFT_SLOT_MOE_INIT_ROUTING_V3_EXPERT_TOKENS_NUM_TYPE);
  if (weft_node_int(n, WEFT_SLOT_MOE_INIT_ROUTING_V3_DROP_PAD_MODE) || part)
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "capacities ('drop_pad_mode') and a part of the experts "
                      "('active_expert_range') are not computed");
  if (weft_node_int(n, WEFT_SLOT_MOE_INIT_ROUTING_V3_QUANT_MODE) != -1 || type < 0 || type > 1)
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "attributes 'quant_mode' and 'expert_tokens_num_type': only -1, "
                      "and 0 and 1, are computed");
  return WEFT_OK;
}
static weft_status moe_init_v3_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  int64_t experts = weft_node_int(n, WEFT_SLOT_MOE_INIT_ROUTING_V3_EXPERT_NUM);
  weft_value *idx = weft__composed(c, "expert_idx");
  int rank = front_rank_of(c->o, idx);
  WEFT_TRY(moe_count(c, "expert_num", experts));
  WEFT_TRY(moe_init_v3_refuse(c, experts));
  if (!c->o->failed && (rank != 2 || front_dim(idx, 1) < 0))
    return front_fail(c->o, rank == 2 ? WEFT_E_UNKNOWN : WEFT_E_SHAPE,
                      "input 'expert_idx': expected [rows, k] with a known k, got rank %d", rank);
  WEFT_TRY(moe_sorted(c));
  moe_index(c, "axis_0", 0);
  moe_index(c, "kk", front_dim(idx, 1));
  WEFT_TRY(weft__compose_text(c, "from = i64(at); row = FloorDiv(from, kk)"));
  WEFT_TRY(moe_first(c, "row", weft_node_int(n, WEFT_SLOT_MOE_INIT_ROUTING_V3_ACTIVE_NUM), 1));
  WEFT_TRY(weft__compose_text(c, "expanded_x = GatherV2(x, row, axis_0)"));
  WEFT_TRY(weft__compose_text(c, weft_node_int(n, WEFT_SLOT_MOE_INIT_ROUTING_V3_ROW_IDX_TYPE)
                                     ? "expanded_row_idx = i32(at)"
                                     : "places, expanded_row_idx = Sort(i32(at))"));
  WEFT_TRY(weft__compose_text(c, weft__composed(c, "scale")
                                     ? "expanded_scale = GatherV2(scale, row, axis_0)"
                                     : "expanded_scale = Fill(Shape(row, dtype=9), f32(0))"));
  return moe_totals(c, "expert_tokens_count_or_cumsum", experts,
                    weft_node_int(n, WEFT_SLOT_MOE_INIT_ROUTING_V3_EXPERT_TOKENS_NUM_TYPE) == 1);
}
static weft_status moe_tokens_build(weft__composing *c) {
  int64_t n = weft_node_int(c->desc, WEFT_SLOT_MOE_COMPUTE_EXPERT_TOKENS_NUM_EXPERTS);
  WEFT_TRY(moe_count(c, "num_experts", n));
  WEFT_TRY(weft__compose_text(c, "sorted = Identity(sorted_experts)"));
  WEFT_TRY(moe_totals(c, "totals", n, false));
  return weft__compose_text(c, "total_rows_before_expert = i32(totals)");
}
// Tokens of ranks, and of experts in each, become those of experts, and of ranks in each.
static weft_status moe_re_routing_build(weft__composing *c) {
  weft_value *counts = weft__composed(c, "expert_token_num_per_rank");
  int rank = front_rank_of(c->o, counts);
  if (c->o->failed)
    return c->o->failed;
  if (rank != 2)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'expert_token_num_per_rank': rank %d, expected 2", rank);
  if (weft_node_int(c->desc, WEFT_SLOT_MOE_RE_ROUTING_IDX_TYPE))
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'idx_type': only 0 is computed");
  moe_index(c, "axis_0", 0);
  weft__compose_name(c, "ranks", front_dim_index(c->o, counts, 0));
  weft__compose_name(c, "experts", front_dim_index(c->o, counts, 1));
  weft__compose_name(c, "p", front_counting(c->o, front_dim_index(c->o, weft__composed(c, "tokens"), 0)));
  WEFT_TRY(weft__compose_text(c,
                              "ends = Cumsum(Reshape(i64(expert_token_num_per_rank), [-1]), axis_0); "
                              "of = i64(SearchSorted(ends, p, right=true)); rank = FloorDiv(of, experts); "
                              "key = Add(Mul(Sub(of, Mul(rank, experts)), ranks), rank); "
                              "sorted, permute_token_idx = Sort(key, stable=true); "
                              "permute_tokens = GatherV2(tokens, permute_token_idx, axis_0); "
                              "expert_token_num = ReduceSum(expert_token_num_per_rank, [0])"));
  if (!weft_node_int(c->desc, WEFT_SLOT_MOE_RE_ROUTING_EXPERT_TOKEN_NUM_TYPE))
    WEFT_TRY(weft__compose_text(c, "expert_token_num = Cumsum(expert_token_num, axis_0)"));
  if (weft__composed(c, "per_token_scales"))
    return weft__compose_text(
        c, "permute_per_token_scales = GatherV2(per_token_scales, permute_token_idx, axis_0)");
  return weft__compose_text(c, "permute_per_token_scales = Fill([0], f32(0))");
}
static weft_status moe_re_routing_dtype(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0];
  it->out_dtype[1] = it->n_in > 2 ? it->in_dtype[2] : WEFT_FLOAT;
  it->out_dtype[2] = WEFT_INT32;
  it->out_dtype[3] = it->in_dtype[1];
  return WEFT_OK;
}

// ---- and back ----
// "idx" [k, rows] or [rows, k]: where the rows of a token stand, -1: nowhere. "part": what they hold.
static weft_status moe_parts(weft__composing *c) {
  weft_value *x = weft__composed(c, "expanded_x");
  if (front_rank_of(c->o, x) == 3) {  // [experts, capacity, H]
    weft_dim h = front_dim(x, 2);
    if (h < 0)
      return front_fail(c->o, WEFT_E_UNKNOWN, "how wide rows are is not known");
    weft__compose_name(c, "expanded_x", front_reshaped(c->o, x, (const int64_t[]){-1, h}, 2));
  }
  moe_index(c, "axis_0", 0);
  weft__compose_name(c, "none", front_int(c->o, WEFT_INT32, 0));
  return weft__compose_text(c,
                            "there = Unsqueeze(GreaterEqual(idx, none), axes=[-1]); "
                            "part = GatherV2(expanded_x, Maximum(idx, none), axis_0); "
                            "part = SelectV2(there, part, 0)");
}
// Rows k-major become "idx" [rows, k]; `k` 1 without scales.
static weft_status moe_places(weft__composing *c, bool by_row) {
  front_op *o = c->o;
  weft_value *idx = weft__composed(c, "expanded_row_idx");
  weft_value *scales = weft__composed(c, "scales");
  weft_value *k = scales ? front_dim_list(o, scales, 1) : front_list(o, (const int64_t[]){1}, 1);
  weft_value *rest = front_list(o, (const int64_t[]){-1}, 1);
  weft_value *const dims[2] = {by_row ? rest : k, by_row ? k : rest};
  idx = front_do(o, "Reshape", idx, front_joined(o, dims, 2, 0), NULL);
  weft__compose_name(c, "idx", by_row ? idx : front_swapped(o, idx, 0, 1));
  return o->failed;
}
static weft_status moe_finalize(weft__composing *c, bool by_row, const char *experts) {
  char text[96];
  WEFT_TRY(moe_places(c, by_row));
  WEFT_TRY(moe_parts(c));
  if (weft__composed(c, "bias") && weft__composed(c, experts)) {
    snprintf(text, sizeof text, "part = Add(part, GatherV2(bias, %s, axis_0))", experts);
    WEFT_TRY(weft__compose_text(c, text));
  }
  if (weft__composed(c, "scales"))
    WEFT_TRY(weft__compose_text(c, "part = Mul(part, Unsqueeze(scales, axes=[-1]))"));
  WEFT_TRY(weft__compose_text(c, "y = ReduceSum(part, [1])"));
  if (weft__composed(c, "x1"))
    WEFT_TRY(weft__compose_text(c, "y = Add(y, x1)"));
  return weft__composed(c, "x2") ? weft__compose_text(c, "y = Add(y, x2)") : WEFT_OK;
}
static weft_status moe_finalize_build(weft__composing *c) {
  return moe_finalize(c, false, "expanded_expert_idx");
}
static weft_status moe_finalize_v2_build(weft__composing *c) {
  return moe_finalize(c, weft_node_int(c->desc, WEFT_SLOT_MOE_FINALIZE_ROUTING_V2_DROP_PAD_MODE) >= 2,
                      "expert_idx");
}
static weft_status moe_init_grad_build(weft__composing *c) {
  int64_t k = weft_node_int(c->desc, WEFT_SLOT_MOE_INIT_ROUTING_V2_GRAD_TOP_K);
  WEFT_TRY(moe_count(c, "top_k", k));
  weft__compose_name(c, "expanded_x", weft__composed(c, "grad_expanded_x"));
  weft__compose_name(
      c, "idx", front_reshaped(c->o, weft__composed(c, "expanded_row_idx"), (const int64_t[]){-1, k}, 2));
  // Rows that were not made hand nothing back.
  if (weft_node_int(c->desc, WEFT_SLOT_MOE_INIT_ROUTING_V2_GRAD_ACTIVE_NUM) > 0) {
    weft__compose_name(c, "made",
                       front_as(c->o, front_dim_index(c->o, weft__composed(c, "expanded_x"), 0), WEFT_INT32));
    weft__compose_name(c, "gone", front_int(c->o, WEFT_INT32, -1));
    WEFT_TRY(weft__compose_text(c, "idx = SelectV2(Less(idx, made), idx, gone)"));
  }
  WEFT_TRY(moe_parts(c));
  return weft__compose_text(c, "grad_x = ReduceSum(part, [1])");
}

#define W COMPOSED_WIDE_BY
#define P COMPOSED_BY
// clang-format off
WEFT_ROWS(moe) = {
  W("MoeGatingTopKSoftmax", "the k likeliest experts of each row", moe_gating_softmax_build,
    "f32[2,3]{0,0,0,-inf,0,0} k=2 -> f32[2,2]{0.3333333,0.3333333,0.5,0.5}, i32[2,2]{0,1,1,2}, "
    "i32[2,2]{0,2,1,3} ~1e-6",
    "f32[2,2]{1,0,0,1}, bool[2]{false,true} k=1 -> f32[2,1]{0.7310586,0.7310586}, i32[2,1]{0,2}, "
    "i32[2,1]{0,1} ~1e-6",
    "f16[B,4,8] k=2 -> f16[B,4,2], i32[B,4,2], i32[B,4,2]",
    "f32[2,3] k=0 -> _, _, _ !! E_RANGE attribute 'k'"),
  W("MoeGatingTopKSoftmaxV2", "the k likeliest experts of each row", moe_gating_softmax_v2_build,
    "f32[1,3]{0,1,1} k=2 renorm=1 -> f32[1,2]{0.5,0.5}, i32[1,2]{1,2}, f32[0]",
    "f16[N,8] k=2 output_softmax_result_flag=true -> f16[N,2], i32[N,2], f32[N,8]"),
  W("MoeGatingTopK", "the k best experts of the best groups, and their weights", moe_gating_build,
    // groups {0, 1} and {2, 3}: the second has the best expert; its two share the weight
    "f32[1,4]{0,0,0,1}, _ k=2 k_group=1 group_count=2 norm_type=1 -> f32[1,2]{0.5938455,0.4061545}, "
    "i32[1,2]{3,2}, f32[1,4]{0.5,0.5,0.5,0.7310586} ~1e-6",
    "f32[1,2]{0,0}, f32[2]{0,1} k=1 routed_scaling_factor=3 -> f32[1,1]{1.5}, i32[1,1]{1}, f32[1,2]{0.5,0.5}",
    "f16[N,8], f16[8] k=2 group_select_mode=1 k_group=1 group_count=2 norm_type=1 -> f16[N,2], "
    "i32[N,2], f32[N,8]",
    "f32[1,4] k=2 k_group=1 group_count=3 -> _, _, _ !! E_SHAPE groups do not divide"),
  P("MoeInitRouting", "rows once for each of their experts, in the order of experts", moe_init_build,
    // row 0 goes to experts 1 and 0, row 1 to 0 and 2
    "f32[2,1]{5,6}, i32[2,2]{0,2,1,3}, i32[2,2]{1,0,0,2} active_num=2 -> f32[4,1]{5,6,5,6}, i32[4]{2,1,0,3}, "
    "i32[4]{0,0,1,2}",
    "f16[3,N], i32[3,2], i32[3,2] active_num=2 -> f16[4,N], i32[6], i32[6]"),
  P("MoeInitRoutingQuant", "rows once for each of their experts, as small integers", moe_init_quant_build,
    "f32[2,1]{5,6}, i32[2,1]{0,1}, i32[2,1]{1,0} active_num=2 scale=2 offset=1 -> i8[2,1]{13,11}, "
    "i32[2]{1,0}, i32[2]{0,1}"),
  P("MoeInitRoutingV3", "rows once for each of their experts, in the order of experts", moe_init_v3_build,
    "f32[2,1]{5,6}, i32[2,2]{1,0,0,2} expert_num=3 expert_tokens_num_type=1 -> f32[4,1]{5,6,5,6}, "
    "i32[4]{2,0,1,3}, i64[3]{2,1,1}, f32[4]{0,0,0,0}",
    "f32[2,1]{5,6}, i32[2,1]{1,0}, f32[2]{7,8} expert_num=2 row_idx_type=1 active_num=1 -> f32[1,1]{6}, "
    "i32[2]{1,0}, i64[2]{1,2}, f32[1]{8}",
    "f16[4,8], i32[4,2] expert_num=3 drop_pad_mode=1 -> _, _, _, _ !! E_UNSUPPORTED capacities"),
  P("MoeComputeExpertTokens", "how many rows experts have, with those before them", moe_tokens_build,
    "i32[4]{0,0,2,2} num_experts=4 -> i32[4]{2,2,4,4}", "i32[N] num_experts=3 -> i32[3]"),
  {.name = "MoeReRouting", .summary = "tokens by rank and expert become tokens by expert and rank",
   .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer, .infer_dtype = moe_re_routing_dtype,
   .ref = weft__composed_ref, .user = &(const weft__composition){.build = moe_re_routing_build},
   .examples = WEFT_EXAMPLES(
       // rank 0 has one token for expert 0 and two for expert 1, rank 1 has one for expert 0
       "f16[4,1]{1,2,3,4}, i32[2,2]{1,2,1,0} -> f16[4,1]{1,4,2,3}, f32[0], i32[4]{0,3,1,2}, i32[2]{2,2}",
       "i8[N,8], i64[R,4], f32[N] -> i8[N,8], f32[N], i32[N], i64[4]")},
  W("MoeFinalizeRouting", "what the experts of a row made, weighted, and the row", moe_finalize_build,
    "f32[4,1]{1,2,3,4}, f32[2,1]{10,20}, f32[2,1]{0,0}, f32[3,1]{0,0,0}, f32[2,2]{1,1,1,2}, "
    "i32[4]{2,1,0,3}, i32[2,2]{1,0,0,2} -> f32[2,1]{14,30}",
    "f16[N,8], f16[4,8], _, f16[3,8], f16[4,2], i32[8], i32[4,2] -> f16[4,8]"),
  W("MoeFinalizeRoutingV2", "what the experts of a row made, weighted, and more", moe_finalize_v2_build,
    "f32[4,1]{1,2,3,4}, i32[4]{2,-1,0,3}, _, _, _, f32[2,2]{1,1,1,2} drop_pad_mode=2 -> f32[2,1]{3,9}",
    "f32[2,2,1]{1,2,3,4}, i32[4]{2,1,0,3}, _, _, _, f32[2,2]{1,1,1,2} drop_pad_mode=1 -> f32[2,1]{4,10}",
    "f16[N,8], i32[8], f16[4,8], _, _, f16[4,2] -> f16[4,8]"),
  W("MoeInitRoutingV2Grad", "what rows that were copied to experts hand back", moe_init_grad_build,
    "f32[4,1]{1,2,3,4}, i32[4]{2,0,1,3} top_k=2 -> f32[2,1]{4,6}",
    "f16[N,8], i32[6] top_k=2 active_num=4 -> f16[3,8]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
