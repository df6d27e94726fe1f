// aten_stats.c - statistics: quantiles and modes, sums that pass over what is no number, covariances,
// distances, areas under curves.
#include <math.h>

#include "frontend/torch/tables.h"

// What is reduced: along `axis`, or all of it laid out as one axis.
typedef struct stats {
  weft_value *v;
  int rank;      // of self
  int64_t axis;  // of v
  bool all, keep;
} stats;

static stats stats_of(pt_op *o) {
  front_op *b = &o->b;
  stats s = {.v = pt_tensor(o, "self")};
  s.rank = front_rank_of(b, s.v);
  s.all = !pt_find(o, "dim");
  s.keep = pt_bool(o, "keepdim", false);
  s.axis = s.all ? 0 : pt_axis(o, "dim", -1, s.rank);
  if (s.all || !s.rank)
    s.v = front_flat(b, s.v);
  return s;
}

// v, reduced along the axis but with its size 1 still there, as the operator gives it.
static weft_value *stats_give(pt_op *o, const stats *s, weft_value *v) {
  int64_t ones[WEFT_MAX_RANK];
  for (int i = 0; i < s->rank && i < WEFT_MAX_RANK; i++)
    ones[i] = 1;
  if (o->b.failed)
    return NULL;
  if (!s->rank || (s->all && !s->keep))
    return front_reshaped(&o->b, v, NULL, 0);
  if (s->all)
    return front_reshaped(&o->b, v, ones, (size_t)s->rank);
  return s->keep ? v : front_squeezed(&o->b, v, s->axis);
}

static weft_value *stats_sorted(front_op *b, weft_value *v, int64_t axis) {
  weft_value *n = front_dim_list(b, v, axis);
  front_set_bool(b, "sorted", true);
  front_set_int(b, "dim", axis);
  front_set_bool(b, "largest", false);
  front_set_int(b, "indices_dtype", WEFT_INT64);
  return front_do(b, "TopKV2", v, n, NULL);
}

static weft_value *stats_nan_somewhere(front_op *b, weft_value *v, int64_t axis) {
  return front_reduced(b, "ReduceAny", front_do(b, "IsNan", v, NULL, NULL), &axis, 1, true);
}

// ---- quantiles ----
// The elements of the sorted axis at these places; each lane's own ones, or the same in all of them.
static weft_value *stats_at(front_op *b, weft_value *sorted, int64_t axis, weft_value *places, bool each) {
  places = front_as(b, places, WEFT_INT64);
  if (!each)
    return front_picked(b, sorted, axis, places);
  front_set_int(b, "dim", axis);
  return front_do(b, "GatherElements", sorted, places, NULL);
}

// A vector along an axis of a tensor of that rank.
static weft_value *stats_along(front_op *b, weft_value *v, int64_t axis, int rank) {
  int64_t dims[WEFT_MAX_RANK];
  for (int i = 0; i < rank; i++)
    dims[i] = i == axis ? -1 : 1;
  return b->failed ? NULL : front_reshaped(b, v, dims, (size_t)rank);
}

// The elements at `places`, floats in the sorted axis, between neighbours as `interpolation` says.
static weft_value *stats_between(pt_op *o, weft_value *sorted, int64_t axis, weft_value *places, bool each) {
  front_op *b = &o->b;
  if (b->failed)
    return NULL;
  weft_dtype t = sorted->fact.dtype;
  weft_value *low = front_do(b, "Floor", places, NULL, NULL);
  weft_value *high = front_do(b, "Ceil", places, NULL, NULL);
  if (pt_is(o, "interpolation", "linear", "lower"))
    high = low;
  if (pt_is(o, "interpolation", "linear", "higher"))
    low = high;
  if (pt_is(o, "interpolation", "linear", "nearest"))
    low = high = front_do(b, "Round", places, NULL, NULL);
  weft_value *x = stats_at(b, sorted, axis, low, each);
  if (b->failed || low == high)
    return x;
  weft_value *y = stats_at(b, sorted, axis, high, each);
  weft_value *part = front_do(b, "Sub", places, low, NULL);
  if (pt_is(o, "interpolation", "linear", "midpoint")) {
    part = front_as(b, front_do(b, "NotEqual", low, high, NULL), t);
    part = front_do(b, "Mul", part, front_num(b, t, 0.5), NULL);
  }
  if (!each)
    part = stats_along(b, part, axis, front_rank_of(b, sorted));
  return front_do(b, "Add", x, front_do(b, "Mul", part, front_do(b, "Sub", y, x, NULL), NULL), NULL);
}

// Of all elements of a lane, or of those that are numbers, which stand first in the sorted axis.
static weft_value *stats_quantiles(pt_op *o, const stats *s, weft_value *q, bool numbers) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *sorted = stats_sorted(b, s->v, s->axis);
  if (b->failed)
    return NULL;
  if (numbers) {
    weft_value *is = front_do(b, "LogicalNot", front_do(b, "IsNan", s->v, NULL, NULL), NULL, NULL);
    weft_value *n = front_reduced(b, "ReduceSum", front_as(b, is, t), &s->axis, 1, true);
    weft_value *last = front_do(b, "Sub", n, front_num(b, t, 1), NULL);
    last = front_do(b, "Maximum", last, front_num(b, t, 0), NULL);
    q = stats_along(b, q, s->axis, front_rank(s->v));
    return stats_between(o, sorted, s->axis, front_do(b, "Mul", last, q, NULL), true);
  }
  weft_value *last = front_do(b, "Sub", front_dim_index(b, s->v, s->axis), front_index(b, 1), NULL);
  weft_value *places = front_do(b, "Mul", q, front_as(b, last, t), NULL);
  weft_value *y = stats_between(o, sorted, s->axis, places, false);
  weft_value *none = stats_nan_somewhere(b, s->v, s->axis);
  return b->failed ? NULL : front_where(b, none, front_num(b, t, NAN), y);
}

static void stats_quantile_of(pt_op *o, bool numbers) {
  front_op *b = &o->b;
  stats s = stats_of(o);
  weft_value *q = pt_operand(o, "q", pt_out_type(o, 0));
  int q_rank = front_rank_of(b, q);
  weft_value *y = b->failed ? NULL : stats_quantiles(o, &s, front_flat(b, q), numbers);
  if (b->failed)
    return;
  if (!q_rank) {
    pt_result(o, 0, stats_give(o, &s, y));
    return;
  }
  y = front_unsqueezed(b, y, 0);  // quantiles become the first axis
  y = front_swapped(b, y, 0, s.axis + 1);
  if (!s.keep || !s.rank) {
    y = s.all ? front_reshaped(b, y, &(int64_t){-1}, 1) : front_squeezed(b, y, s.axis + 1);
  } else if (s.all) {
    int64_t dims[WEFT_MAX_RANK + 1] = {-1};
    for (int i = 0; i < s.rank; i++)
      dims[i + 1] = 1;
    y = front_reshaped(b, y, dims, (size_t)s.rank + 1);
  }
  pt_result(o, 0, y);
}
static void stats_quantile(pt_op *o) {
  stats_quantile_of(o, false);
}
static void stats_nanquantile(pt_op *o) {
  stats_quantile_of(o, true);
}

// ---- the most frequent element, the smallest of them, and its last place ----
static void stats_mode(pt_op *o) {
  front_op *b = &o->b;
  stats s = stats_of(o);
  s.all = false;
  s.axis = s.rank ? pt_axis(o, "dim", -1, s.rank) : 0;
  s.v = s.rank ? pt_tensor(o, "self") : s.v;
  if (b->failed)
    return;
  weft_value *v = s.v->fact.dtype == WEFT_BOOL ? front_as(b, s.v, WEFT_UINT8) : s.v;
  int rank = front_rank_of(b, v);
  int64_t end = rank - 1;
  weft_value *x = front_swapped(b, v, s.axis, end);
  weft_value *same = front_do(b, "Equal", front_unsqueezed(b, x, rank), front_unsqueezed(b, x, end), NULL);
  weft_value *n = front_reduced(b, "ReduceSum", front_as(b, same, WEFT_INT64), &(int64_t){rank}, 1, false);
  weft_value *often = front_do(b, "Equal", n, front_reduced(b, "ReduceMax", n, &end, 1, true), NULL);
  weft_value *largest = front_reduced(b, "ReduceMax", x, &end, 1, true);
  weft_value *value = front_reduced(b, "ReduceMin", front_where(b, often, x, largest), &end, 1, true);
  weft_value *places = front_counting(b, front_dim_index(b, x, end));
  weft_value *here = front_do(b, "Equal", x, value, NULL);
  weft_value *at = front_where(b, here, places, front_index(b, -1));
  at = front_reduced(b, "ReduceMax", at, &end, 1, true);
  at = front_do(b, "Maximum", at, front_index(b, 0), NULL);  // of what is no number the first place
  if (b->failed)
    return;
  pt_result(o, 0, stats_give(o, &s, front_as(b, front_swapped(b, value, s.axis, end), s.v->fact.dtype)));
  pt_result(o, 1, stats_give(o, &s, front_swapped(b, at, s.axis, end)));
}

// The median of what are numbers: the place in the sorted axis follows from how many there are.
static void stats_nanmedian(pt_op *o) {
  front_op *b = &o->b;
  stats s = stats_of(o);
  if (b->failed)
    return;
  weft_dtype t = s.v->fact.dtype;
  bool fraction = (WEFT_BIT(t) & WEFT_FLOATS) != 0;
  weft_value *sorted = stats_sorted(b, s.v, s.axis);
  weft_value *is = fraction ? front_do(b, "LogicalNot", front_do(b, "IsNan", s.v, NULL, NULL), NULL, NULL)
                            : front_do(b, "Equal", s.v, s.v, NULL);
  weft_value *n = front_reduced(b, "ReduceSum", front_as(b, is, WEFT_INT64), &s.axis, 1, true);
  weft_value *at =
      front_do(b, "FloorDiv", front_do(b, "Sub", n, front_index(b, 1), NULL), front_index(b, 2), NULL);
  at = front_do(b, "Maximum", at, front_index(b, 0), NULL);
  for (size_t i = 0; i < 2 && i < o->n_out && !b->failed; i++) {
    front_set_int(b, "dim", s.axis);
    pt_result(o, i, stats_give(o, &s, front_do(b, "GatherElements", sorted + i, at, NULL)));
  }
}

// ---- sums that pass over what is no number ----
static weft_value *stats_numbers(front_op *b, weft_value *v, weft_value **is) {
  if (!v || !(WEFT_BIT(v->fact.dtype) & WEFT_FLOATS)) {
    *is = v ? front_do(b, "Equal", v, v, NULL) : NULL;
    return v;
  }
  weft_value *none = front_do(b, "IsNan", v, NULL, NULL);
  *is = front_do(b, "LogicalNot", none, NULL, NULL);
  return b->failed ? NULL : front_where(b, none, front_num(b, v->fact.dtype, 0), v);
}
static void stats_nan_reduced(pt_op *o, bool mean) {
  front_op *b = &o->b;
  int64_t axes[PT_MAX_NUMBERS];
  weft_dtype t = pt_type(o, "dtype", pt_out_type(o, 0));
  weft_value *is;
  weft_value *v = stats_numbers(b, front_as(b, pt_tensor(o, "self"), t), &is);
  int rank = front_rank_of(b, v);
  size_t n = pt_axes(o, "dim", rank, axes);
  bool keep = pt_bool(o, "keepdim", false);
  if (b->failed)
    return;
  weft_value *sum = rank ? front_reduced(b, "ReduceSum", v, axes, n, keep) : v;
  weft_value *count = front_as(b, is, t);
  if (mean)
    sum =
        front_do(b, "RealDiv", sum, rank ? front_reduced(b, "ReduceSum", count, axes, n, keep) : count, NULL);
  pt_result(o, 0, sum);
}
static void stats_nansum(pt_op *o) {
  stats_nan_reduced(o, false);
}
static void stats_nanmean(pt_op *o) {
  stats_nan_reduced(o, true);
}

// ---- covariances: rows are variables ----
static weft_value *stats_covariance(pt_op *o, double correction) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *v = pt_operand(o, "self", t);
  int rank = front_rank_of(b, v);
  if (pt_find(o, "fweights") || pt_find(o, "aweights"))
    front_fail(b, WEFT_E_UNSUPPORTED, "a covariance with weights: multiply the observations instead");
  if (b->failed)
    return NULL;
  if (rank < 2)
    v = front_reshaped(b, v, (int64_t[]){1, -1}, 2);
  v = front_do(b, "Sub", v, front_reduced(b, "ReduceMean", v, &(int64_t){1}, 1, true), NULL);
  weft_value *n = front_as(b, front_dim_index(b, v, 1), t);
  n = front_do(b, "Sub", n, b->failed ? NULL : front_num(b, t, correction), NULL);
  n = front_do(b, "Maximum", n, b->failed ? NULL : front_num(b, t, 0), NULL);
  return front_do(b, "RealDiv", front_matmul(b, v, v, true), n, NULL);
}
static void stats_cov(pt_op *o) {
  weft_value *c = stats_covariance(o, (double)pt_int(o, "correction", 1));
  bool one = front_rank(pt_tensor(o, "self")) < 2;
  pt_result(o, 0, one ? front_reshaped(&o->b, c, NULL, 0) : c);
}
static void stats_corrcoef(pt_op *o) {
  front_op *b = &o->b;
  weft_value *c = stats_covariance(o, 1);
  bool one = front_rank(pt_tensor(o, "self")) < 2;
  if (b->failed)
    return;
  weft_dtype t = c->fact.dtype;
  weft_value *n = front_counting(b, front_dim_index(b, c, 0));
  weft_value *on = front_do(b, "Equal", front_unsqueezed(b, n, 1), n, NULL);
  weft_value *diagonal = b->failed ? NULL : front_where(b, on, c, front_num(b, t, 0));
  weft_value *dev =
      front_do(b, "Sqrt", front_reduced(b, "ReduceSum", diagonal, &(int64_t){1}, 1, true), NULL, NULL);
  c = front_do(b, "RealDiv", front_do(b, "RealDiv", c, dev, NULL), front_swapped(b, dev, 0, 1), NULL);
  if (!b->failed)
    c = front_do(b, "ClipByValueV2", c, front_num(b, t, -1), front_num(b, t, 1));
  pt_result(o, 0, one ? front_reshaped(b, c, NULL, 0) : c);
}

// ---- areas ----
// Integers are added, subtracted and multiplied as they are, so that bytes wrap around. With even widths the
// whole area is a sum of numbers, which do not.
static weft_value *stats_strips(pt_op *o, int64_t *axis, bool whole) {
  front_op *b = &o->b;
  const weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_has(o, "x") && pt_find(o, "x") ? pt_tensor(o, "x") : NULL;
  weft_value *y = whole && !x ? pt_operand(o, "y", t) : pt_tensor(o, "y");
  *axis = pt_axis(o, "dim", -1, front_rank_of(b, y));
  if (b->failed)
    return NULL;
  weft_value *sum =
      front_do(b, "Add", front_part(b, y, *axis, 1, INT64_MAX), front_part(b, y, *axis, 0, -1), NULL);
  if (!x)
    return front_do(b, "Mul", front_as(b, sum, t), front_num(b, t, pt_float(o, "dx", 1) / 2), NULL);
  const weft_dtype both = pt_promote(x->fact.dtype, y->fact.dtype);
  int64_t at = front_rank(x) == 1 ? 0 : *axis;
  int64_t dims[WEFT_MAX_RANK];
  weft_value *wide =
      front_do(b, "Sub", front_part(b, x, at, 1, INT64_MAX), front_part(b, x, at, 0, -1), NULL);
  for (int i = 0; i < front_rank(y); i++)
    dims[i] = i == *axis ? -1 : 1;
  if (front_rank(x) == 1 && !b->failed)
    wide = front_reshaped(b, wide, dims, (size_t)front_rank(y));
  sum = front_do(b, "Mul", front_as(b, sum, both), front_as(b, wide, both), NULL);
  return b->failed ? NULL : front_do(b, "Mul", front_as(b, sum, t), front_num(b, t, 0.5), NULL);
}
static void stats_trapezoid(pt_op *o) {
  int64_t axis;
  weft_value *v = stats_strips(o, &axis, true);
  pt_result(o, 0, front_reduced(&o->b, "ReduceSum", v, &axis, 1, false));
}
static void stats_cumulative_trapezoid(pt_op *o) {
  int64_t axis;
  weft_value *v = stats_strips(o, &axis, false);
  pt_result(o, 0, front_do(&o->b, "Cumsum", v, front_index(&o->b, axis), NULL));
}

// ---- distances ----
static void stats_dist(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  double p = pt_float(o, "p", 2);
  weft_value *v = front_do(b, "Sub", pt_operand(o, "self", t), pt_operand(o, "other", t), NULL);
  pt_result(o, 0, pt_norm_of(b, front_flat(b, v), p, &(int64_t){0}, 1, false));
}

// What makes slices smaller whose norm over these axes is above `most`.
static weft_value *stats_shrink(front_op *b, weft_value *v, const int64_t *axes, size_t n,
                                const double p_most[2]) {
  if (b->failed)
    return NULL;
  weft_dtype t = v->fact.dtype;
  weft_value *norm = pt_norm_of(b, v, p_most[0], axes, n, true);
  weft_value *most = front_num(b, t, p_most[1]);
  weft_value *above = front_do(b, "Greater", norm, most, NULL);
  weft_value *factor =
      front_do(b, "RealDiv", most, front_do(b, "Add", norm, front_num(b, t, 1e-7), NULL), NULL);
  return front_where(b, above, factor, front_num(b, t, 1));
}

// Slices along an axis whose norm is above maxnorm are made smaller.
static void stats_renorm(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  const double p_most[2] = {pt_float(o, "p", 2), pt_float(o, "maxnorm", 1)};
  int rank = front_rank_of(b, v);
  int64_t keep = pt_axis(o, "dim", 0, rank);
  int64_t axes[WEFT_MAX_RANK];
  size_t n = 0;
  for (int i = 0; i < rank; i++) {
    if (i != keep)
      axes[n++] = i;
  }
  pt_result(o, 0, front_do(b, "Mul", v, stats_shrink(b, v, axes, n, p_most), NULL));
}

// The same of those rows of a table that are asked for.
static void stats_embedding_renorm(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  const double p_most[2] = {pt_float(o, "norm_type", 2), pt_float(o, "max_norm", 1)};
  weft_value *at = front_as(b, front_flat(b, pt_tensor(o, "indices")), WEFT_INT64);
  weft_value *none = front_filled(b, front_dim_list(b, v, 0), front_index(b, 0));
  weft_value *ones = front_filled(b, front_shape(b, at), front_index(b, 1));
  front_set_int(b, "axis", 0);
  front_set_text(b, "reduction", "none");
  weft_value *asked = front_do(b, "ScatterElements", none, at, ones);
  asked = front_unsqueezed(b, front_as(b, asked, WEFT_BOOL), 1);
  weft_value *factor = stats_shrink(b, v, &(int64_t){1}, 1, p_most);
  factor = b->failed ? NULL : front_where(b, asked, factor, front_num(b, v->fact.dtype, 1));
  pt_result(o, 0, front_do(b, "Mul", v, factor, NULL));
}

static const pt_row stats_rows[] = {
    {"quantile", NULL, 0, stats_quantile, 0},
    {"nanquantile", NULL, 0, stats_nanquantile, 0},
    {"mode", NULL, 0, stats_mode, 0},
    {"nanmedian", NULL, 0, stats_nanmedian, 0},
    {"nansum", NULL, 0, stats_nansum, 0},
    {"nanmean", NULL, 0, stats_nanmean, 0},
    {"cov", NULL, 0, stats_cov, 0},
    {"corrcoef", NULL, 0, stats_corrcoef, 0},
    {"trapezoid", NULL, 0, stats_trapezoid, 0},
    {"trapz", NULL, 0, stats_trapezoid, 0},
    {"cumulative_trapezoid", NULL, 0, stats_cumulative_trapezoid, 0},
    {"dist", NULL, 0, stats_dist, 0},
    {"renorm", NULL, 0, stats_renorm, 0},
    {"embedding_renorm", NULL, 0, stats_embedding_renorm, 0},
};
const pt_rows pt_stats = PT_ROWS(stats_rows);
// SPDX-License-Identifier: Apache-2.0
