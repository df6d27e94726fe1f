// map_reduce.c - operators over axes: sums, extremes, moments, norms, softmax, sorting, running sums.
#include <math.h>

#include "frontend/mindspore/tables.h"

typedef struct reduction {
  weft_value *v;
  int64_t axes[MS_MAX_NUMBERS];
  size_t n;
  bool keep;
} reduction;

// What is reduced and over which axes: none are all.
static reduction reduce_of(ms_op *o, weft_dtype t) {
  reduction r = {.v = ms_operand(o, "x", t)};
  int rank = front_rank_of(&o->b, r.v);
  r.n = ms_axes(o, "axis", rank, r.axes);
  r.keep = ms_bool(o, "keep_dims", false);
  return r;
}

static weft_value *reduce_do(front_op *b, const char *type, const reduction *r, weft_value *v) {
  return front_rank(v) == 0 ? v : front_reduced(b, type, v, r->axes, r->n, r->keep);
}

static void reduce_with(ms_op *o, const char *type) {
  weft_dtype t = ms_type(o, "dtype", ms_out_type(o, 0));
  reduction r = reduce_of(o, t);
  bool stays = !r.n && ms_bool(o, "skip_mode", false);
  ms_give(o, stays ? r.v : reduce_do(&o->b, type, &r, r.v));
}
static void reduce_sum(ms_op *o) {
  reduce_with(o, "ReduceSum");
}
static void reduce_mean(ms_op *o) {
  reduce_with(o, "ReduceMean");
}
static void reduce_prod(ms_op *o) {
  reduce_with(o, "ReduceProd");
}
static void reduce_max(ms_op *o) {
  reduce_with(o, "ReduceMax");
}
static void reduce_min(ms_op *o) {
  reduce_with(o, "ReduceMin");
}
static void reduce_log_sum_exp(ms_op *o) {
  reduce_with(o, "ReduceLogSumExp");
}

static void reduce_truth(ms_op *o, const char *type) {
  reduction r = reduce_of(o, WEFT_BOOL);
  ms_give(o, reduce_do(&o->b, type, &r, r.v));
}
static void reduce_any(ms_op *o) {
  reduce_truth(o, "ReduceAny");
}
static void reduce_all(ms_op *o) {
  reduce_truth(o, "ReduceAll");
}

static void reduce_count(ms_op *o) {
  reduction r = reduce_of(o, WEFT_UNDEFINED);
  weft_value *zero = r.v ? front_num(&o->b, r.v->fact.dtype, 0) : NULL;
  weft_dtype t = ms_out_type(o, 0);
  weft_value *some = front_do(&o->b, "NotEqual", r.v, zero, NULL);
  weft_value *v = front_as(&o->b, some, t == WEFT_UNDEFINED ? (weft_dtype)WEFT_INT64 : t);
  ms_give(o, reduce_do(&o->b, "ReduceSum", &r, v));
}

// ---- places of extremes ----
static weft_value *reduce_place(ms_op *o, const char *type, weft_value *v, int64_t axis, bool keep,
                                weft_dtype t) {
  front_op *b = &o->b;
  front_set_bool(b, "keep_dims", keep);
  front_set(b, "dtype", weft_attr_dtype(t == WEFT_INT32 ? WEFT_INT32 : WEFT_INT64));
  return front_do(b, type, v, front_index(b, axis), NULL);
}

// The place of an extreme; without an axis among all elements.
static void reduce_arg(ms_op *o, const char *type) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  int rank = front_rank_of(b, v);
  bool all = !ms_has(o, "axis");
  int64_t axis = all ? 0 : front_axis(b, ms_int(o, "axis", -1), rank);
  weft_dtype t = ms_out_type(o, 0);
  if (v && v->fact.dtype == WEFT_BOOL)
    v = front_as(b, v, WEFT_UINT8);
  if (all || !rank)
    v = front_flat(b, v);
  ms_give(o, reduce_place(o, type, v, rank ? axis : 0, rank && ms_bool(o, "keep_dims", false), t));
}
static void reduce_arg_max(ms_op *o) {
  reduce_arg(o, "ArgMaxV2");
}
static void reduce_arg_min(ms_op *o) {
  reduce_arg(o, "ArgMin");
}

// The place and the extreme, or the other way round.
static void reduce_both(ms_op *o, const char *type, const char *place, bool place_first) {
  front_op *b = &o->b;
  reduction r = reduce_of(o, WEFT_UNDEFINED);
  if (!b->failed && r.n > 1)
    front_fail(b, WEFT_E_INVALID, "%zu axes, expected 1", r.n);
  if (!r.n)
    r.axes[r.n++] = 0;
  weft_value *best = reduce_do(b, type, &r, r.v);
  weft_dtype t = ms_out_type(o, place_first ? 0 : 1);
  weft_value *at =
      front_rank(r.v) == 0 ? front_int(b, t, 0) : reduce_place(o, place, r.v, r.axes[0], r.keep, t);
  ms_give_many(o, (weft_value *const[]){place_first ? at : best, place_first ? best : at}, 2);
}
static void reduce_max_with(ms_op *o) {
  reduce_both(o, "ReduceMax", "ArgMaxV2", true);
}
static void reduce_min_with(ms_op *o) {
  reduce_both(o, "ReduceMin", "ArgMin", true);
}
static void reduce_max_dim(ms_op *o) {
  reduce_both(o, "ReduceMax", "ArgMaxV2", false);
}
static void reduce_min_dim(ms_op *o) {
  reduce_both(o, "ReduceMin", "ArgMin", false);
}

// ---- moments ----
// How many elements one result is made of, less the correction, as a number of v's dtype.
static weft_value *reduce_degrees(front_op *b, const reduction *r, double correction) {
  int rank = front_rank(r->v);
  if (b->failed)
    return NULL;
  weft_dtype t = r->v->fact.dtype;
  weft_value *all = front_num(b, t, 1);
  for (size_t i = 0; i < (r->n ? r->n : (size_t)rank); i++) {
    int64_t axis = r->n ? r->axes[i] : (int64_t)i;
    all = front_do(b, "Mul", all, front_as(b, front_dim_index(b, r->v, axis), t), NULL);
  }
  weft_value *left = front_do(b, "Sub", all, front_num(b, t, correction), NULL);
  return front_do(b, "Maximum", left, front_num(b, t, 0), NULL);
}

static weft_value *reduce_variance(ms_op *o, const reduction *r, weft_value **mean) {
  front_op *b = &o->b;
  double correction = ms_has(o, "correction") ? ms_float(o, "correction", 1) : ms_float(o, "unbiased", 1);
  reduction wide = *r;
  wide.keep = true;
  weft_value *centre = reduce_do(b, "ReduceMean", &wide, r->v);
  weft_value *squares = front_do(b, "Square", front_do(b, "Sub", r->v, centre, NULL), NULL, NULL);
  *mean = r->keep ? centre : reduce_do(b, "ReduceMean", r, r->v);
  return front_do(b, "RealDiv", reduce_do(b, "ReduceSum", r, squares), reduce_degrees(b, r, correction),
                  NULL);
}

static void reduce_moment(ms_op *o, bool root, bool with_mean) {
  weft_value *mean;
  reduction r = reduce_of(o, ms_out_type(o, 0));
  weft_value *v = reduce_variance(o, &r, &mean);
  if (root)
    v = front_do(&o->b, "Sqrt", v, NULL, NULL);
  if (with_mean)
    ms_give_many(o, (weft_value *const[]){v, mean}, 2);
  else
    ms_give(o, v);
}
static void reduce_var(ms_op *o) {
  reduce_moment(o, false, false);
}
static void reduce_std(ms_op *o) {
  reduce_moment(o, true, false);
}
static void reduce_var_mean(ms_op *o) {
  reduce_moment(o, false, true);
}
static void reduce_std_mean(ms_op *o) {
  reduce_moment(o, true, true);
}

// ---- norms ----
static void reduce_norm(ms_op *o) {
  front_op *b = &o->b;
  reduction r = reduce_of(o, ms_out_type(o, 0));
  weft_value *size = front_do(b, "Abs", r.v, NULL, NULL);
  double p = ms_float(o, "p", 2);
  if (b->failed)
    return;
  weft_dtype t = size->fact.dtype;
  weft_value *y;
  if (isinf(p))
    y = reduce_do(b, p > 0 ? "ReduceMax" : "ReduceMin", &r, size);
  else if (p == 2)
    y = reduce_do(b, "EuclideanNorm", &r, size);
  else if (p == 1)
    y = reduce_do(b, "ReduceSum", &r, size);
  else if (p == 0)
    y = reduce_do(b, "ReduceSum", &r,
                  front_as(b, front_do(b, "NotEqual", size, front_num(b, t, 0), NULL), t));
  else {
    weft_value *powers = front_do(b, "Pow", size, front_num(b, t, p), NULL);
    y = front_do(b, "Pow", reduce_do(b, "ReduceSum", &r, powers), front_num(b, t, 1 / p), NULL);
  }
  ms_give(o, y);
}

// x / sqrt(max(sum of squares, epsilon))
static void reduce_l2_normalize(ms_op *o) {
  front_op *b = &o->b;
  reduction r = reduce_of(o, WEFT_UNDEFINED);
  double eps = ms_float(o, "epsilon", 1e-4);
  r.keep = true;
  if (b->failed)
    return;
  weft_value *sum = reduce_do(b, "ReduceSum", &r, front_do(b, "Square", r.v, NULL, NULL));
  sum = front_do(b, "Maximum", sum, front_num(b, r.v->fact.dtype, eps), NULL);
  ms_give(o, front_do(b, "Mul", r.v, front_do(b, "Rsqrt", sum, NULL, NULL), NULL));
}

// ---- softmax ----
static void reduce_soft(ms_op *o, const char *type) {
  front_op *b = &o->b;
  reduction r = reduce_of(o, ms_type(o, "dtype", ms_out_type(o, 0)));
  if (!r.n)
    r.axes[r.n++] = WEFT_MAX(front_rank(r.v), 1) - 1;
  if (!b->failed && !front_rank(r.v)) {
    ms_give(o, front_do(b, strcmp(type, "SoftmaxV2") ? "ZerosLike" : "OnesLike", r.v, NULL, NULL));
    return;
  }
  if (r.n == 1 && r.axes[0] == front_rank(r.v) - 1)
    r.axes[0] = -1;  // as most models write it
  front_set_ints(b, "axes", r.axes, r.n);
  ms_give(o, front_do(b, type, r.v, NULL, NULL));
}
static void reduce_softmax(ms_op *o) {
  reduce_soft(o, "SoftmaxV2");
}
static void reduce_log_softmax(ms_op *o) {
  reduce_soft(o, "LogSoftmaxV2");
}

// ---- running sums ----
static void reduce_running(ms_op *o, const char *type) {
  front_op *b = &o->b;
  weft_value *v = ms_operand(o, "x", ms_type(o, "dtype", ms_out_type(o, 0)));
  int rank = front_rank_of(b, v);
  int64_t axis = front_axis(b, ms_int(o, "axis", 0), rank);
  front_set_bool(b, "exclusive", ms_bool(o, "exclusive", false));
  front_set_bool(b, "reverse", ms_bool(o, "reverse", false));
  ms_give(o, front_do(b, type, v, front_index(b, axis), NULL));
}
static void reduce_cumsum(ms_op *o) {
  reduce_running(o, "Cumsum");
}
static void reduce_cumprod(ms_op *o) {
  reduce_running(o, "Cumprod");
}

static void reduce_so_far(ms_op *o, bool largest) {
  front_op *b = &o->b;
  weft_value *at = NULL;
  weft_value *v = ms_tensor(o, "x");
  int rank = front_rank_of(b, v);
  int64_t axis = front_axis(b, ms_int(o, "axis", ms_int(o, "dim", 0)), rank);
  weft_dtype t = ms_out_type(o, 1);
  if (!b->failed && !rank)
    front_fail(b, WEFT_E_SHAPE, "a number has no axis to go along");
  weft_value *y = b->failed ? NULL : front_running(b, v, axis, largest, &at);
  ms_give_many(o, (weft_value *const[]){y, front_as(b, at, t)}, 2);
}
static void reduce_cummax(ms_op *o) {
  reduce_so_far(o, true);
}
static void reduce_cummin(ms_op *o) {
  reduce_so_far(o, false);
}

// The sum of the main diagonal.
static void reduce_trace(ms_op *o) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  weft_value *rows = front_unsqueezed(b, front_counting(b, front_dim_index(b, v, 0)), 1);
  weft_value *on = front_do(b, "Equal", rows, front_counting(b, front_dim_index(b, v, 1)), NULL);
  weft_value *kept = front_where(b, on, v, front_do(b, "ZerosLike", v, NULL, NULL));
  ms_give(o, front_reduced(b, "ReduceSum", kept, NULL, 0, false));
}

// ---- order ----
static weft_value *reduce_top(ms_op *o, weft_value *v, weft_value *k, int64_t axis, bool largest) {
  front_op *b = &o->b;
  weft_dtype t = ms_out_type(o, 1);
  front_set_bool(b, "sorted", true);
  front_set_int(b, "dim", axis);
  front_set_bool(b, "largest", largest);
  front_set_int(b, "indices_dtype", t == WEFT_INT32 ? WEFT_INT32 : WEFT_INT64);
  return front_do(b, "TopKV2", v, k, NULL);
}

static void reduce_top_k(ms_op *o) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  int64_t axis = front_axis(b, ms_int(o, "axis", -1), front_rank_of(b, v));
  ms_give_outputs(o, reduce_top(o, v, ms_numbers(o, "k"), axis, ms_bool(o, "largest", true)), 2);
}

static weft_value *reduce_sorted(ms_op *o) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  int64_t axis = front_axis(b, ms_int(o, "axis", -1), front_rank_of(b, v));
  bool down = ms_bool(o, "descending", false);
  if (v && v->fact.dtype == WEFT_BOOL)
    v = front_as(b, v, WEFT_UINT8);
  return b->failed ? NULL : reduce_top(o, v, front_dim_list(b, v, axis), axis, down);
}
static void reduce_sort(ms_op *o) {
  ms_give_outputs(o, reduce_sorted(o), 2);
}
static void reduce_argsort(ms_op *o) {
  weft_value *y = reduce_sorted(o);
  weft_dtype t = ms_out_type(o, 0);
  ms_give(o, front_as(&o->b, y ? y + 1 : NULL, t));
}

// ---- in the middle ----
// Of an axis; ignore_nan: of what are numbers, otherwise NaN where one is none. Two outputs: the lower one of
// the middle, and its place.
static void reduce_middle(ms_op *o, int64_t axis, weft_value *v, bool keep) {
  front_op *b = &o->b;
  const bool ignore = ms_bool(o, "ignore_nan", false);
  const bool fraction = v && (WEFT_BIT(v->fact.dtype) & WEFT_FLOATS);
  weft_value *sorted = reduce_top(o, v, front_dim_list(b, v, axis), axis, false);
  weft_value *all = front_dim_index(b, v, axis);
  weft_value *n = all;
  if (fraction) {
    weft_value *is = front_do(b, "LogicalNot", front_do(b, "IsNan", v, NULL, NULL), NULL, NULL);
    n = front_reduced(b, "ReduceSum", front_as(b, is, WEFT_INT64), &axis, 1, true);
  }
  weft_value *at = front_do(b, "Sub", ignore ? n : all, front_index(b, 1), NULL);
  at = front_do(b, "Maximum", front_do(b, "FloorDiv", at, front_index(b, 2), NULL), front_index(b, 0), NULL);
  if (fraction && !ignore)  // NaN are sorted last, in their order: the first one
    at = front_where(b, front_do(b, "Less", n, all, NULL), n, at);
  weft_value *one = front_reduced(b, "ReduceMin", v, &axis, 1, true);
  at = front_expanded(b, at, front_shape(b, one));
  weft_value *out[2] = {NULL, NULL};
  for (int i = 0; i < 2 && !b->failed; i++) {
    front_set_int(b, "dim", axis);
    out[i] = front_do(b, "GatherElements", sorted + i, at, NULL);
    out[i] = keep ? out[i] : front_squeezed(b, out[i], axis);
  }
  ms_give_many(o, out, 2);
}
static void reduce_median(ms_op *o) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  const int rank = front_rank_of(b, v);
  const bool all = rank < 1 || ms_bool(o, "global_median", false);
  if (b->failed)
    return;
  if (all)
    reduce_middle(o, 0, front_flat(b, v), false);
  else
    reduce_middle(o, front_axis(b, ms_int(o, "axis", 0), rank), v, ms_bool(o, "keep_dims", false));
}
static void reduce_median_ext(ms_op *o) {
  reduce_middle(o, 0, front_flat(&o->b, ms_tensor(o, "x")), false);
  if (!o->b.failed)
    o->out = o->out.items[0];
}

// NaN counts as 0.
static void reduce_nansum(ms_op *o) {
  front_op *b = &o->b;
  const weft_dtype t = ms_type(o, "dtype", ms_out_type(o, 0));
  reduction r = reduce_of(o, WEFT_UNDEFINED);
  if (r.v && (WEFT_BIT(r.v->fact.dtype) & WEFT_FLOATS)) {
    weft_value *nan = front_do(b, "IsNan", r.v, NULL, NULL);
    r.v = b->failed ? NULL : front_where(b, nan, front_num(b, r.v->fact.dtype, 0), r.v);
  }
  r.v = front_as(b, r.v, t);
  ms_give(o, reduce_do(b, "ReduceSum", &r, r.v));
}

#define OVER_AXES "x axis keep_dims"
static const ms_row reduce_rows[] = {
    {"Cummax", "x axis", NULL, 0, reduce_cummax},
    {"CummaxExt", "x axis", NULL, 0, reduce_cummax},
    {"Cummin", "x axis", NULL, 0, reduce_cummin},
    {"CumminExt", "x axis", NULL, 0, reduce_cummin},
    {"Trace", "x", NULL, 0, reduce_trace},
    {"TraceExt", "x", NULL, 0, reduce_trace},
    {"ArgMaxExt", OVER_AXES, NULL, 0, reduce_arg_max},
    {"ArgMaxWithValue", OVER_AXES, NULL, 0, reduce_max_with},
    {"ArgMinExt", OVER_AXES, NULL, 0, reduce_arg_min},
    {"ArgMinWithValue", OVER_AXES, NULL, 0, reduce_min_with},
    {"ArgSort", "x axis descending", NULL, 0, reduce_argsort},
    {"Argmax", "x axis output_type", NULL, 0, reduce_arg_max},
    {"Argmin", "x axis output_type", NULL, 0, reduce_arg_min},
    {"CountNonZero", "x axis", NULL, 0, reduce_count},
    {"CumProd", "x axis exclusive reverse", NULL, 0, reduce_cumprod},
    {"CumSum", "x axis exclusive reverse", NULL, 0, reduce_cumsum},
    {"CumsumExt", "x axis dtype", NULL, 0, reduce_cumsum},
    {"EuclideanNorm", OVER_AXES, NULL, 0, reduce_norm},
    {"L2Normalize", "x", NULL, 0, reduce_l2_normalize},
    {"LinalgVectorNorm", "x p axis keep_dims dtype", NULL, 0, reduce_norm},
    {"LogSoftmax", "x axis", NULL, 0, reduce_log_softmax},
    {"LogSoftmaxExt", "x axis dtype", NULL, 0, reduce_log_softmax},
    {"LogSumExp", OVER_AXES, NULL, 0, reduce_log_sum_exp},
    {"Max", "x", NULL, 0, reduce_max},
    {"MaxDim", OVER_AXES, NULL, 0, reduce_max_dim},
    {"MeanExt", "x axis keep_dims dtype", NULL, 0, reduce_mean},
    {"Median", "x axis keep_dims", NULL, 0, reduce_median},
    {"MedianDim", "x axis keep_dims", NULL, 0, reduce_median},
    {"MedianExt", "x", NULL, 0, reduce_median_ext},
    {"Min", "x", NULL, 0, reduce_min},
    {"MinDim", OVER_AXES, NULL, 0, reduce_min_dim},
    {"Nansum", "x axis keep_dims dtype", NULL, 0, reduce_nansum},
    {"Norm", "x p axis keep_dims dtype", NULL, 0, reduce_norm},
    {"ProdExt", "x axis keep_dims dtype", NULL, 0, reduce_prod},
    {"ReduceAll", OVER_AXES, NULL, 0, reduce_all},
    {"ReduceAny", OVER_AXES, NULL, 0, reduce_any},
    {"ReduceMax", OVER_AXES, NULL, 0, reduce_max},
    {"ReduceMean", OVER_AXES, NULL, 0, reduce_mean},
    {"ReduceMin", OVER_AXES, NULL, 0, reduce_min},
    {"ReduceProd", OVER_AXES, NULL, 0, reduce_prod},
    {"ReduceStd", "x axis unbiased keep_dims", NULL, 0, reduce_std_mean},
    {"ReduceSum", "x axis keep_dims skip_mode", NULL, 0, reduce_sum},
    {"Softmax", "x axis", NULL, 0, reduce_softmax},
    {"Sort", "x", NULL, 0, reduce_sort},
    {"SortExt", "x axis descending stable", NULL, 0, reduce_sort},
    {"Std", "x axis correction keep_dims", NULL, 0, reduce_std},
    {"StdMean", "x axis correction keep_dims", NULL, 0, reduce_std_mean},
    {"SumExt", "x axis keep_dims dtype", NULL, 0, reduce_sum},
    {"TopK", "x k", NULL, 0, reduce_top_k},
    {"TopkExt", "x k axis largest sorted", NULL, 0, reduce_top_k},
    {"Var", "x axis correction keep_dims", NULL, 0, reduce_var},
    {"VarMean", "x axis correction keep_dims", NULL, 0, reduce_var_mean},
};
const ms_rows ms_reduce = MS_ROWS(reduce_rows);
// SPDX-License-Identifier: Apache-2.0
