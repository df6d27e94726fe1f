// compositions/grouped.c - products of which each group of rows has a weight of its own. Where the groups are
// known when compiling, each is a product of its own. Where they are not, rows are spread over as many places
// as there are groups, zeros elsewhere, and one product has all weights below each other: as fast as products
// are, with as many times the work as there are groups. Integers and their scales are refused.
#include "air_slots.h"
#include "compose/compose.h"

enum { GROUPED_MOST = 1 << 16 };

static weft_status grouped_refuse(weft__composing *c, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++) {
    size_t given;
    weft__composed_all(c, names[i], &given);
    if (given)
      return front_fail(c->o, WEFT_E_UNSUPPORTED, "input '%s': products of integers are not computed",
                        names[i]);
  }
  return WEFT_OK;
}

// ---- groups of rows ----
// "of": the group of each of `n` rows, from totals or counts ("list"). Groups of more rows than there are end
// the run: their number is then no place in "room", whose elements, none above 0, change nothing.
static weft_status grouped_of(weft__composing *c, weft_value *n, bool counts) {
  const int64_t zero = 0;
  weft__compose_name(c, "axis_0", front_index(c->o, 0));
  weft__compose_name(c, "p", front_counting(c->o, n));
  weft_value *both[] = {front_list(c->o, &zero, 1), weft__composed(c, "p")};
  weft__compose_name(c, "room", front_joined(c->o, both, 2, 0));
  if (counts)
    WEFT_TRY(weft__compose_text(c, "list = Cumsum(list, axis_0)"));
  return weft__compose_text(
      c,
      "most = ReduceMax(i64(list), axis_0, keep_dims=true); "
      "of = Maximum(i64(SearchSorted(list, p, right=true)), GatherV2(Neg(room), most, axis_0))");
}
// "in": BOOL [rows, groups], which group each row is of; rows behind the last group are of none.
static weft_status grouped_in(weft__composing *c, weft_value *n, int64_t groups, bool counts) {
  WEFT_TRY(grouped_of(c, n, counts));
  weft__compose_name(c, "numbers",
                     front_unsqueezed(c->o, front_counting(c->o, front_index(c->o, groups)), 0));
  return weft__compose_text(c, "in = Equal(Unsqueeze(of, axes=[1]), numbers)");
}
// Totals of known groups; false: they are not known.
static bool grouped_known(const weft__composing *c, bool counts, int64_t *ends, size_t *n) {
  int64_t at = 0;
  weft_value *list = weft__composed(c, "list");
  if (!front_known_ints(list, ends, 64, n))
    return false;
  for (size_t i = 0; i < *n; i++) {
    if (ends[i] < 0 || (counts && ends[i] > INT64_MAX - at) || (!counts && ends[i] < at))
      return false;
    at = counts ? at + ends[i] : ends[i];
    ends[i] = at;
  }
  return true;
}

// A list of groups is a vector. A rank that only the run knows is looked at there.
static weft_status grouped_listed(weft__composing *c, const weft_value *list, const char *port) {
  if (!weft__fact_ranked(&list->fact) || list->fact.rank == 1)
    return WEFT_OK;
  return front_fail(c->o, WEFT_E_SHAPE, "input '%s': rank %d, expected 1", port, (int)list->fact.rank);
}

// x [M, K] by w [E, K, N] (bias [E, N]), by groups of rows: "y" [M, N].
static weft_status grouped_sliced(weft__composing *c, const int64_t *ends, size_t n) {
  front_op *o = c->o;
  weft_value *bias = weft__composed(c, "b");
  weft_value **part = WEFT_NEW_N(&o->f->arena, weft_value *, n + 2);
  weft_dim rows = front_dim(weft__composed(c, "xx"), 0);
  int64_t at = 0;
  if (!part)
    return front_fail(o, WEFT_E_NOMEM, "out of memory");
  if (rows >= 0 && n && ends[n - 1] > rows)
    return front_fail(o, WEFT_E_RANGE, "input 'group_list': the groups have %lld rows, x has %lld",
                      (long long)ends[n - 1], (long long)rows);
  for (size_t i = 0; i < n; i++) {
    weft_value *x = front_part(o, weft__composed(c, "xx"), 0, at, ends[i]);
    weft_value *w =
        front_squeezed(o, front_part(o, weft__composed(c, "w"), 0, (int64_t)i, (int64_t)i + 1), 0);
    part[i] = front_matmul(o, x, w, false);
    if (bias)
      part[i] = front_do(o, "Add", part[i], front_part(o, bias, 0, (int64_t)i, (int64_t)i + 1), NULL);
    at = ends[i];
  }
  weft__compose_name(c, "rest", front_part(o, weft__composed(c, "xx"), 0, at, INT64_MAX));
  weft__compose_name(c, "w_0", front_squeezed(o, front_part(o, weft__composed(c, "w"), 0, 0, 1), 0));
  WEFT_TRY(weft__compose_text(c, "none = ZerosLike(BatchMatMulV2(rest, w_0))"));
  part[n] = weft__composed(c, "none");
  weft__compose_name(c, "y", front_joined(o, part, n + (rows != at), 0));
  return o->failed;
}
static weft_status grouped_spread(weft__composing *c, int64_t groups, bool counts) {
  front_op *o = c->o;
  weft_value *x = weft__composed(c, "xx");
  weft_value *w = weft__composed(c, "w");
  weft_dim k = front_dim(w, 1);
  weft_dim n = front_dim(w, 2);
  if (k < 0 || n < 0)
    return front_fail(o, WEFT_E_UNKNOWN, "the sizes of the weights are not known");
  if (k > INT64_MAX / groups)
    return front_fail(o, WEFT_E_RANGE, "input 'weight': %lld groups of %lld rows are too many",
                      (long long)groups, (long long)k);
  WEFT_TRY(grouped_in(c, front_dim_index(o, x, 0), groups, counts));
  const int64_t wide[2] = {0, groups * k};
  weft__compose_name(c, "wide", front_list(o, wide, 2));
  weft__compose_name(c, "high", front_list(o, (const int64_t[]){groups * k, n}, 2));
  weft__compose_name(c, "none", front_as(o, front_num(o, WEFT_FLOAT, 0), x->fact.dtype));
  WEFT_TRY(weft__compose_text(
      c,
      "s = SelectV2(Unsqueeze(in, axes=[2]), Unsqueeze(xx, axes=[1]), none); "
      "y = BatchMatMulV2(Reshape(s, wide, allowzero=false), Reshape(w, high, allowzero=true))"));
  return weft__composed(c, "b") ? weft__compose_text(c, "y = Add(y, as(y, BatchMatMulV2(as(b, in), b)))")
                                : WEFT_OK;
}
static weft_status grouped_rows(weft__composing *c, bool counts) {
  int64_t ends[64];
  size_t n;
  weft_dim groups = front_dim(weft__composed(c, "w"), 0);
  if (groups < 0)
    return front_fail(c->o, WEFT_E_UNKNOWN, "the number of weights is not known");
  if (groups < 1 || groups > GROUPED_MOST)
    return front_fail(c->o, WEFT_E_RANGE, "input 'weight': %lld weights, expected 1 to %d", (long long)groups,
                      GROUPED_MOST);
  if (grouped_known(c, counts, ends, &n) && (weft_dim)n == groups)
    return grouped_sliced(c, ends, n);
  return grouped_spread(c, groups, counts);
}

// ---- GroupedMatmul ----
typedef struct grouped {
  size_t n_x, n_w, n_b;
  weft_value *const *x, *const *w, *const *b;
  bool counts, turn_x, turn_w;
  int64_t type;
} grouped;

static weft_status grouped_act(weft__composing *c, int64_t act) {
  static const char *const of[] = {"", "Relu(y)", "Gelu(y)", "", "FastGelu(y)", "Swish(y)"};
  char text[48];
  if (act == 0)
    return WEFT_OK;
  if (act < 0 || act > 5 || !*of[act])
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'act_type': %lld is not computed", (long long)act);
  snprintf(text, sizeof text, "y = %s", of[act]);
  return weft__compose_text(c, text);
}
// One weight of [E, K, N], or a list of [K, N] that becomes one.
static weft_value *grouped_weights(weft__composing *c, const grouped *g) {
  weft_value *w = g->w[0];
  if (g->n_w > 1) {
    front_set_int(c->o, "axis", 0);
    front_set_int(c->o, "N", (int64_t)g->n_w);
    w = front_emit(c->o, "Pack", g->w, g->n_w,
                   &(const weft_use){.in_counts = (const uint32_t[]){(uint32_t)g->n_w}});
  } else if (front_rank_of(c->o, w) == 2)
    w = front_unsqueezed(c->o, w, 0);
  return g->turn_w ? front_swapped(c->o, w, 1, 2) : w;
}
static weft_value *grouped_biases(weft__composing *c, const grouped *g) {
  if (g->n_b < 2)
    return !g->n_b ? NULL : front_rank_of(c->o, g->b[0]) == 1 ? front_unsqueezed(c->o, g->b[0], 0) : g->b[0];
  front_set_int(c->o, "axis", 0);
  front_set_int(c->o, "N", (int64_t)g->n_b);
  return front_emit(c->o, "Pack", g->b, g->n_b,
                    &(const weft_use){.in_counts = (const uint32_t[]){(uint32_t)g->n_b}});
}
// Each its own product.
static weft_status grouped_each(weft__composing *c, const grouped *g, bool joined) {
  front_op *o = c->o;
  weft_value **y = WEFT_NEW_N(&o->f->arena, weft_value *, g->n_x + 1);
  if (!y)
    return front_fail(o, WEFT_E_NOMEM, "out of memory");
  if (g->n_w != g->n_x || (g->n_b && g->n_b != g->n_x))
    return front_fail(o, WEFT_E_INVALID,
                      "%zu tensors of x, %zu of weight and %zu of bias: expected equal numbers", g->n_x,
                      g->n_w, g->n_b);
  for (size_t i = 0; i < g->n_x && !o->failed; i++) {
    front_set_bool(o, "adj_x1", g->turn_x);
    front_set_bool(o, "adj_x2", g->turn_w);
    weft__compose_name(c, "y", front_do(o, "BatchMatMulV2", g->x[i], g->w[i], NULL));
    if (g->n_b) {
      weft__compose_name(c, "bias_i", g->b[i]);
      WEFT_TRY(weft__compose_text(c, "y = Add(y, as(y, bias_i))"));
    }
    WEFT_TRY(grouped_act(c, weft_node_int(c->desc, WEFT_SLOT_GROUPED_MATMUL_ACT_TYPE)));
    y[i] = weft__composed(c, "y");
  }
  if (!joined)
    return weft__compose_names(c, "y", y, g->n_x);
  weft__compose_name(c, "y", front_joined(o, y, g->n_x, 0));
  return o->failed;
}
// Groups of the summed axis: y [groups, M, N] of x [K, M] or [M, K] and w [K, N].
static weft_status grouped_sums(weft__composing *c, const grouped *g) {
  front_op *o = c->o;
  weft_value *list = weft__composed(c, "list");
  weft_dim groups = list ? front_dim(list, 0) : -1;
  weft__compose_name(c, "xx", g->turn_x ? front_swapped(o, g->x[0], 0, 1) : g->x[0]);  // [M, K]
  if (groups < 1 || groups > GROUPED_MOST)
    return front_fail(o, groups < 0 ? WEFT_E_UNKNOWN : WEFT_E_RANGE,
                      "input 'group_list': %lld groups, expected 1 to %d", (long long)groups, GROUPED_MOST);
  weft__compose_name(c, "w", g->turn_w ? front_swapped(o, g->w[0], 0, 1) : g->w[0]);
  WEFT_TRY(grouped_in(c, front_dim_index(o, weft__composed(c, "xx"), 1), groups, g->counts));
  weft__compose_name(c, "in", front_unsqueezed(o, front_swapped(o, weft__composed(c, "in"), 0, 1), 1));
  weft__compose_name(c, "none", front_as(o, front_num(o, WEFT_FLOAT, 0), g->x[0]->fact.dtype));
  return weft__compose_text(c, "y = BatchMatMulV2(SelectV2(in, Unsqueeze(xx, axes=[0]), none), w)");
}
static weft_status grouped_matmul_build(weft__composing *c) {
  static const char *const never[] = {"scale", "offset", "antiquant_scale", "antiquant_offset",
                                      "per_token_scale"};
  const weft_op_desc *n = c->desc;
  int64_t item = weft_node_int(n, WEFT_SLOT_GROUPED_MATMUL_SPLIT_ITEM);
  grouped g = {.counts = weft_node_int(n, WEFT_SLOT_GROUPED_MATMUL_GROUP_LIST_TYPE) == 1,
               .turn_x = weft_node_bool(n, WEFT_SLOT_GROUPED_MATMUL_TRANSPOSE_X),
               .turn_w = weft_node_bool(n, WEFT_SLOT_GROUPED_MATMUL_TRANSPOSE_WEIGHT),
               .type = weft_node_int(n, WEFT_SLOT_GROUPED_MATMUL_GROUP_TYPE)};
  g.x = weft__composed_all(c, "x", &g.n_x);
  g.w = weft__composed_all(c, "weight", &g.n_w);
  g.b = weft__composed_all(c, "bias", &g.n_b);
  WEFT_TRY(grouped_refuse(c, never, WEFT_COUNT(never)));
  if (!g.n_x || !g.n_w || !weft_dtype_is_float(g.x[0]->fact.dtype) ||
      !weft_dtype_is_float(g.w[0]->fact.dtype))
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "inputs 'x' and 'weight': products of floats are computed");
  weft_value *list = weft__composed(c, "group_list");
  if (!list)
    return grouped_each(c, &g, item >= 2);
  if (g.n_x != 1 || item < 2)
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "with 'group_list' one x and one y (split_item 2 or 3) are computed, "
                      "not %zu and split_item %lld",
                      g.n_x, (long long)item);
  WEFT_TRY(grouped_listed(c, list, "group_list"));
  weft__compose_name(c, "list", list);
  if (g.type == 2)
    return g.n_w == 1 ? grouped_sums(c, &g)
                      : front_fail(c->o, WEFT_E_UNSUPPORTED, "groups of the summed axis have one weight");
  weft__compose_name(c, "xx", g.turn_x ? front_swapped(c->o, g.x[0], 0, 1) : g.x[0]);
  weft__compose_name(c, "w", grouped_weights(c, &g));
  weft__compose_name(c, "b", grouped_biases(c, &g));
  if (weft__composed(c, "b"))
    WEFT_TRY(weft__compose_text(c, "b = as(xx, b)"));
  WEFT_TRY(grouped_rows(c, g.counts));
  return grouped_act(c, weft_node_int(n, WEFT_SLOT_GROUPED_MATMUL_ACT_TYPE));
}
static weft_status grouped_matmul_dtype(weft_infer *it) {
  uint32_t n = it->desc->in_port[0].count;
  for (uint32_t i = 0; i < it->n_out; i++)
    it->out_dtype[i] = it->in_dtype[i < n ? i : 0];
  return WEFT_OK;
}

// ---- FFN ----
static weft_status ffn_layer(weft__composing *c, const char *weight, const char *bias, bool grouped_by) {
  weft_value *w = weft__composed(c, weight);
  weft_value *b = weft__composed(c, bias);
  weft__compose_name(c, "w", w);
  weft__compose_name(c, "b", b ? front_as(c->o, b, w->fact.dtype) : NULL);
  if (grouped_by)
    return grouped_rows(c, !weft_node_bool(c->desc, WEFT_SLOT_FFN_TOKENS_INDEX_FLAG));
  WEFT_TRY(weft__compose_text(c, "y = BatchMatMulV2(xx, w)"));
  return b ? weft__compose_text(c, "y = Add(y, b)") : WEFT_OK;
}
static weft_status ffn_build(weft__composing *c) {
  static const char *const never[] = {"scale",
                                      "offset",
                                      "deq_scale1",
                                      "deq_scale2",
                                      "antiquant_scale1",
                                      "antiquant_scale2",
                                      "antiquant_offset1",
                                      "antiquant_offset2"};
  static const struct {
    const char *name, *text;
  } acts[] = {{"relu", "xx = Relu(y)"},
              {"gelu", "xx = Gelu(y, approximate='none')"},
              {"fastgelu", "xx = FastGelu(y)"},
              {"silu", "xx = Swish(y)"}};
  const char *act = weft_node_str(c->desc, WEFT_SLOT_FFN_ACTIVATION);
  weft_value *tokens = weft__composed(c, "expert_tokens");
  size_t i = 0;
  WEFT_TRY(grouped_refuse(c, never, WEFT_COUNT(never)));
  if (c->given[0].dtype == WEFT_INT8 || c->given[1].dtype == WEFT_INT8 || c->given[1].dtype == WEFT_INT4)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "products of integers are not computed");
  while (i < WEFT_COUNT(acts) && strcmp(acts[i].name, act) != 0)
    i++;
  if (i == WEFT_COUNT(acts))
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "attribute 'activation': '%s' is not computed; relu, gelu, fastgelu and silu are", act);
  weft__compose_name(c, "xx", weft__composed(c, "x"));
  if (tokens) {
    WEFT_TRY(grouped_listed(c, tokens, "expert_tokens"));
    weft__compose_name(c, "list", tokens);
  }
  WEFT_TRY(ffn_layer(c, "weight1", "bias1", tokens));
  WEFT_TRY(weft__compose_text(c, acts[i].text));
  if (tokens)  // totals were made of counts already
    weft__compose_name(c, "list", tokens);
  return ffn_layer(c, "weight2", "bias2", tokens);
}
static weft_status ffn_dtype(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0];
  return WEFT_OK;
}

static weft_status grouped_bias_grad_build(weft__composing *c) {
  weft_value *list = weft__composed(c, "group_idx");
  if (!list)
    return weft__compose_text(c, "grad_bias = ReduceSum(grad_y, [1])");
  weft_dim groups = front_dim(list, 0);
  if (groups < 1 || groups > GROUPED_MOST)
    return front_fail(c->o, groups < 0 ? WEFT_E_UNKNOWN : WEFT_E_RANGE,
                      "input 'group_idx': %lld groups, expected 1 to %d", (long long)groups, GROUPED_MOST);
  weft__compose_name(c, "list", front_as(c->o, list, WEFT_INT64));
  WEFT_TRY(grouped_in(c, front_dim_index(c->o, weft__composed(c, "grad_y"), 0), groups,
                      weft_node_int(c->desc, WEFT_SLOT_GROUPED_BIAS_ADD_GRAD_GROUP_IDX_TYPE) == 1));
  return weft__compose_text(c, "grad_bias = BatchMatMulV2(as(grad_y, in), grad_y, adj_x1=true)");
}

// clang-format off
WEFT_ROWS(grouped) = {
  {.name = "GroupedMatmul", .summary = "products of lists, or of groups of rows", .traits = WEFT_SYMBOLIC,
   .infer = weft__composed_infer, .infer_dtype = grouped_matmul_dtype, .ref = weft__composed_ref,
   .values = "group_list", .user = &(const weft__composition){.build = grouped_matmul_build},
   .examples = WEFT_EXAMPLES(
    "[f32[1,2]{1,2}, f32[2,1]{3,4}], [f32[2,1]{1,1}, f32[1,1]{2}], [], [], [], [], [] -> "
    "[f32[1,1]{3}, f32[2,1]{6,8}]",
    "[f32[3,1]{1,2,3}], [f32[2,1,1]{10,100}], [], [], [], [], [], i64[2]{1,3} split_item=3 group_type=0 -> "
    "[f32[3,1]{10,200,300}]",
    "[f32[3,1]{1,2,3}], [f32[1,1]{10}, f32[1,1]{100}], [f32[1]{1}, f32[1]{2}], [], [], [], [], i64[2]{2,1} "
    "split_item=3 group_type=0 group_list_type=1 -> [f32[3,1]{11,21,302}]",
    "[f32[1,3]{1,2,3}], [f32[3,1]{1,10,100}], [], [], [], [], [], i64[2]{1,3} split_item=3 group_type=2 -> "
    "[f32[2,1,1]{1,320}]",
    "[f16[N,8]], [f16[4,8,16]], [], [], [], [], [], i64[4] split_item=3 group_type=0 -> [f16[N,16]]",
    "[f32[3,1]], [f32[1,1]], [], [], [], [], [], i64[2] -> [f32[3,1]] !! E_UNSUPPORTED one x and one y",
    "[f32[3,1]], [f32[2,1,1]], [], [], [], [], [], i64[2,1] split_item=3 group_type=0 -> [f32[3,1]] "
    "!! E_SHAPE rank 2, expected 1")},
  {.name = "FFN", .summary = "two products and an activation between them, by experts",
    .traits = WEFT_SYMBOLIC,
   .infer = weft__composed_infer, .infer_dtype = ffn_dtype, .ref = weft__composed_ref,
    .values = "expert_tokens",
   .user = &(const weft__composition){.build = ffn_build},
   .examples = WEFT_EXAMPLES(
    "f16[1,1]{2}, f16[1,2]{1,-1}, f16[2,1]{3,5} activation=\"relu\" -> f16[1,1]{6}",
    "f16[2,1]{1,2}, f16[2,1,1]{1,2}, f16[2,1,1]{1,10}, i64[2]{1,1}, f16[2,1]{0,1} activation=\"relu\" -> "
    "f16[2,1]{1,50}",
    "f16[N,8], f16[8,16], f16[16,8] activation=\"silu\" -> f16[N,8]",
    "f16[N,8], f16[8,16], f16[8,8] activation=\"geglu\" -> _ !! E_UNSUPPORTED attribute 'activation'")},
  COMPOSED_READS_BY("GroupedBiasAddGrad", "sums of groups of rows", "group_idx", grouped_bias_grad_build,
    "f32[3,1]{1,2,4}, i32[2]{1,3} -> f32[2,1]{1,6}", "f32[2,2,1]{1,2,3,4} -> f32[2,1]{3,7}",
    "f16[N,8], i64[4] group_idx_type=1 -> f16[4,8]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
