// made.c - operators that several frameworks have and AscendIR has not, of its primitives: special functions,
// places of triangles, losses, pools undone, histograms, windows as columns.
#include <math.h>

#include "base/allocated.h"
#include "emit/emit.h"

weft_value *front_zeta(front_op *o, weft_value *x, weft_value *q) {
  if (o->failed)
    return NULL;
  const weft_dtype t = q->fact.dtype;
  weft_value *pole = front_do(o, "Equal", q, front_do(o, "Floor", q, NULL, NULL), NULL);
  pole = front_do(o, "LogicalAnd", pole, front_do(o, "LessEqual", q, front_num(o, t, 0), NULL), NULL);
  pole = front_do(o, "LogicalAnd", pole, front_do(o, "IsFinite", q, NULL, NULL), NULL);
  pole = front_do(o, "LogicalAnd", pole, front_do(o, "Greater", x, front_num(o, t, 1), NULL), NULL);
  return front_where(o, pole, front_num(o, t, HUGE_VAL), front_do(o, "Zeta", x, q, NULL));
}

// (-1)^(n+1) n! zeta(n + 1, x), and digamma for n = 0.
weft_value *front_polygamma(front_op *o, int64_t n, weft_value *x) {
  double sign = n % 2 ? 1 : -1;
  if (!o->failed && (n < 0 || n > 20))
    front_fail(o, WEFT_E_RANGE, "the order %lld is outside 0 to 20", (long long)n);
  if (o->failed)
    return NULL;
  if (!n)
    return front_do(o, "Digamma", x, NULL, NULL);
  for (int64_t i = 2; i <= n; i++)
    sign *= (double)i;
  weft_dtype t = x->fact.dtype;
  weft_value *zeta = front_zeta(o, front_num(o, t, (double)n + 1), x);
  return front_do(o, "Mul", zeta, front_num(o, t, sign), NULL);
}

// The sum of lgamma(x - i / 2) for i below p, and p (p - 1) / 4 log pi.
weft_value *front_multigammaln(front_op *o, int64_t p, weft_value *x) {
  if (!o->failed && (p < 1 || p > 64))
    front_fail(o, WEFT_E_RANGE, "%lld dimensions are outside 1 to 64", (long long)p);
  if (o->failed)
    return NULL;
  weft_dtype t = x->fact.dtype;
  weft_value *sum = front_num(o, t, (double)p * (double)(p - 1) / 4 * 1.1447298858494002);
  for (int64_t i = 0; i < p; i++) {
    weft_value *one = front_do(o, "Sub", x, front_num(o, t, (double)i / 2), NULL);
    sum = front_do(o, "Add", front_do(o, "Lgamma", one, NULL, NULL), sum, NULL);
  }
  return sum;
}

weft_value *front_triangle(front_op *o, weft_value *rows, weft_value *columns, int64_t offset, bool upper) {
  weft_value *r = front_unsqueezed(o, front_counting(o, rows), 1);
  weft_value *c = front_counting(o, columns);
  weft_value *shifted = front_do(o, "Add", r, front_index(o, offset), NULL);
  weft_value *in = front_do(o, upper ? "LessEqual" : "GreaterEqual", shifted, c, NULL);
  front_set_bool(o, "transpose", true);
  return front_do(o, "NonZero", in, NULL, NULL);
}

// What stands at `at`, a list of one, and behind it, then what stands before it.
static weft_value *made_turned(front_op *o, weft_value *v, int64_t axis, weft_value *at) {
  int64_t known;
  size_t n;
  if (o->failed)
    return NULL;
  if (front_known_ints(at, &known, 1, &n) && (!known || known == front_dim(v, (int)axis)))
    return v;
  weft_value *parts[2] = {front_sliced(o, v, axis, at, front_list(o, &(int64_t){INT64_MAX}, 1), NULL),
                          front_sliced(o, v, axis, front_list(o, &(int64_t){0}, 1), at, NULL)};
  weft_value *y = o->failed ? NULL : front_joined(o, parts, 2, axis);
  if (o->failed || front_same_dim(y, (int)axis, v, (int)axis))
    return y;
  return front_reshape(o, y, front_shape(o, v));  // two parts of an unknown size: inference cannot add them
}

weft_value *front_rolled(front_op *o, weft_value *v, int64_t axis, weft_value *by) {
  int64_t known = 1;
  size_t n;
  const weft_dim size = front_dim(v, (int)axis);
  const bool is_known = !o->failed && front_known_ints(by, &known, 1, &n);
  if (o->failed || !size || !known)
    return o->failed ? NULL : v;
  if (size > 0 && is_known) {
    const int64_t at = known % size > 0 ? size - known % size : -(known % size);
    return made_turned(o, v, axis, front_list(o, &at, 1));
  }
  weft_value *all = front_dim_list(o, v, axis);
  if (size < 0)
    all = front_do(o, "Maximum", all, front_list(o, &(int64_t){1}, 1), NULL);
  weft_value *back = front_size_of(o, "Sub", front_list(o, &(int64_t){0}, 1), by);
  return made_turned(o, v, axis, front_do(o, "FloorMod", back, all, NULL));
}

weft_value *front_half_rolled(front_op *o, weft_value *v, int64_t axis, bool back) {
  weft_value *n = front_dim_list(o, v, axis);
  if (!back)
    n = front_size_by(o, "Add", n, 1);
  return made_turned(o, v, axis, front_size_by(o, "FloorDiv", n, 2));
}

// n for n x n matrices along the last axes; ones on the diagonal, of v's dtype.
static weft_value *made_identity(front_op *o, weft_value *v) {
  weft_value *at = front_counting(o, front_dim_index(o, v, front_rank_of(o, v) - 1));
  weft_value *on = front_do(o, "Equal", front_unsqueezed(o, at, 1), at, NULL);
  return o->failed ? NULL : front_as(o, on, v->fact.dtype);
}

weft_value *front_matrix_power(front_op *o, weft_value *v, int64_t n) {
  if (!o->failed && (n < -4096 || n > 4096))
    front_fail(o, WEFT_E_RANGE, "the power %lld is outside -4096 to 4096", (long long)n);
  if (o->failed)
    return NULL;
  if (n < 0) {
    v = front_do(o, "MatrixInverse", v, NULL, NULL);
    n = -n;
  }
  weft_value *y = NULL;
  if (!n)
    y = front_do(o, "Add", front_do(o, "ZerosLike", v, NULL, NULL), made_identity(o, v), NULL);
  for (weft_value *square = v; n && !o->failed; n /= 2) {
    if (n % 2)
      y = y ? front_matmul(o, y, square, false) : square;
    if (n > 1)
      square = front_matmul(o, square, square, false);
  }
  return y;
}

// Each row of the result is of a row and its neighbours: those below, the row, those above. What of a
// diagonal has no neighbour is not looked at: it may be anything, NaN included.
weft_value *front_tridiagonal(front_op *o, weft_value *const diagonals[3], weft_value *x) {
  static const int64_t from[3] = {1, 0, 0};
  static const int64_t to[3] = {INT64_MAX, INT64_MAX, -1};
  const int rank = front_rank_of(o, x);
  if (!o->failed && rank < 2)
    front_fail(o, WEFT_E_SHAPE, "expected rank 2 or more, got %d", rank);
  if (o->failed)
    return NULL;
  const int64_t rows = rank - 2;
  weft_value *y = NULL;
  for (int i = 0; i < 3 && !o->failed; i++) {
    int64_t pads[2 * WEFT_MAX_RANK] = {0};
    weft_value *by = front_swapped(o, diagonals[i], rows, rows + 1);
    by = i == 1 ? by : front_part(o, by, rows, from[i], to[i]);
    weft_value *part = i == 1 ? x : front_part(o, x, rows, from[2 - i], to[2 - i]);
    weft_value *one = front_do(o, "Mul", by, part, NULL);
    pads[2 * rows] = from[i];
    pads[2 * rows + 1] = from[2 - i];
    if (i != 1)
      one = front_do(o, "PadV3", one, front_list(o, pads, 2 * (size_t)rank), NULL);
    y = y ? front_do(o, "Add", y, one, NULL) : one;
  }
  return y;
}

// How far each other class comes within the margin of the target's, to the power p, over the classes.
weft_value *front_multi_margin(front_op *o, weft_value *v, weft_value *target, const front_margin *m) {
  int rank = front_rank_of(o, v);
  if (!o->failed && rank > 2)
    front_fail(o, WEFT_E_SHAPE, "classes of rank %d, at most 2", rank);
  if (o->failed)
    return NULL;
  if (rank < 2)
    v = front_reshaped(o, v, (int64_t[]){1, -1}, 2);
  target = front_as(o, front_reshaped(o, target, (int64_t[]){-1, 1}, 2), WEFT_INT64);
  front_set_int(o, "dim", 1);
  weft_value *own = front_do(o, "GatherElements", v, target, NULL);
  weft_value *d = front_do(o, "Sub", v, own, NULL);
  if (o->failed)
    return NULL;

  weft_dtype t = d->fact.dtype;
  d = front_do(o, "Add", d, front_num(o, t, m->margin), NULL);
  weft_value *none = front_num(o, t, 0);  // also where d is no number
  d = front_where(o, front_do(o, "Greater", d, none, NULL), d, none);
  if (m->p == 2)
    d = front_do(o, "Square", d, NULL, NULL);
  if (m->weight)
    d = front_do(o, "Mul", d, front_picked(o, m->weight, 0, target), NULL);
  weft_value *places = front_counting(o, front_dim_index(o, v, 1));
  weft_value *other = front_do(o, "NotEqual", places, target, NULL);
  d = front_where(o, other, d, none);
  d = front_reduced(o, "ReduceMean", d, &(int64_t){1}, 1, false);
  return rank < 2 ? front_reshaped(o, d, NULL, 0) : d;
}

// The product of n sizes.
static weft_value *made_places(front_op *o, weft_value *const *size, size_t n) {
  weft_value *places = size[0];
  int64_t all = 1;
  int64_t known;
  size_t one;
  for (size_t i = 0; i < n && !o->failed; i++) {
    if (front_known_ints(size[i], &known, 1, &one) && (known < 0 || !weft__mul_i64(all, known, &all)))
      front_fail(o, WEFT_E_RANGE, "the output has a size of %lld, or more than 2^63 places",
                 (long long)known);
    places = i ? front_size_of(o, "Mul", places, size[i]) : places;
  }
  return places;
}

weft_value *front_unpooled(front_op *o, weft_value *v, weft_value *at, weft_value *const *size, size_t n) {
  weft_value *places = made_places(o, size, n);
  weft_value *lead[2] = {front_dim_list(o, v, 0), front_dim_list(o, v, 1)};
  if (o->failed)
    return NULL;
  weft_value *flat[3] = {lead[0], lead[1], front_span(o, v, 2, front_rank_of(o, v))};
  weft_value *all[3] = {lead[0], lead[1], places};
  weft_value *sizes[3] = {lead[0], lead[1], front_size_list(o, size, n)};
  weft_value *shape = front_size_list(o, flat, 3);
  weft_value *zeros = front_filled(o, front_size_list(o, all, 3), front_num(o, v->fact.dtype, 0));
  weft_value *in[3] = {zeros, front_reshape(o, at, shape), front_reshape(o, v, shape)};
  front_set_int(o, "axis", 2);
  weft_value *y = front_do(o, "ScatterElements", in[0], in[1], in[2]);
  return o->failed ? NULL : front_reshape(o, y, front_size_list(o, sizes, 3));
}

weft_value *front_scaled_sizes(front_op *o, weft_value *v, const float *by, size_t n) {
  weft_value *sizes[3];
  if (!o->failed && (n < 1 || n > 3))
    front_fail(o, WEFT_E_SHAPE, "%zu factors, expected 1 to 3", n);
  for (size_t i = 0; i < n && !o->failed; i++) {
    weft_value *size = front_as(o, front_dim_list(o, v, 2 + (int64_t)i), WEFT_FLOAT);
    size = front_do(o, "Mul", size, front_num(o, WEFT_FLOAT, (double)by[i]), NULL);
    sizes[i] = front_as(o, front_do(o, "Floor", size, NULL, NULL), WEFT_INT64);
  }
  return o->failed ? NULL : front_joined(o, sizes, n, 0);
}

// Each element's interval is a segment, and segments' ones are summed; an element outside, or one that is no
// number, is in none.
weft_value *front_histogram(front_op *o, weft_value *v, int64_t bins, double low, double high) {
  v = front_flat(o, v);
  if (!o->failed && (bins < 1 || bins > 1 << 24))
    front_fail(o, WEFT_E_RANGE, "%lld bins, expected 1 to 2^24", (long long)bins);
  if (o->failed)
    return NULL;
  const weft_dtype given = v->fact.dtype;
  const bool wide = given == WEFT_DOUBLE || weft_dtype_is_integer(given);
  const weft_dtype t = wide ? WEFT_DOUBLE : WEFT_FLOAT;
  v = front_as(o, v, t);
  weft_value *from = front_num(o, t, low);
  weft_value *to = front_num(o, t, high);
  if (low == high) {
    from = front_reduced(o, "ReduceMin", v, NULL, 0, false);
    to = front_reduced(o, "ReduceMax", v, NULL, 0, false);
    weft_value *one = front_as(o, front_do(o, "Equal", from, to, NULL), t);  // around a single number
    from = front_do(o, "Sub", from, one, NULL);
    to = front_do(o, "Add", to, one, NULL);
  }

  weft_value *width = front_do(o, "Sub", to, from, NULL);
  weft_value *bin =
      front_do(o, "Mul", front_do(o, "Sub", v, from, NULL), front_num(o, t, (double)bins), NULL);
  bin = front_do(o, "Floor", front_do(o, "RealDiv", bin, width, NULL), NULL, NULL);
  bin = front_do(o, "Minimum", bin, front_num(o, t, (double)bins - 1), NULL);
  weft_value *in = front_do(o, "LogicalAnd", front_do(o, "GreaterEqual", v, from, NULL),
                            front_do(o, "LessEqual", v, to, NULL), NULL);
  bin = front_as(o, front_where(o, in, bin, front_num(o, t, -1)), WEFT_INT64);
  weft_value *ones = front_do(o, "OnesLike", bin, NULL, NULL);
  return front_as(o, front_do(o, "UnsortedSegmentSum", ones, bin, front_index(o, bins)), given);
}

weft_value *front_slice_updated(front_op *o, weft_value *x, weft_value *update, weft_value *from) {
  weft_value *places[WEFT_MAX_RANK];
  const int rank = front_rank_of(o, x);
  if (!o->failed && (front_rank_of(o, update) != rank || rank > WEFT_MAX_RANK - 1))
    front_fail(o, WEFT_E_SHAPE, "elements of rank %d in a tensor of rank %d", front_rank(update), rank);
  if (o->failed || !rank)
    return o->failed ? NULL : update;
  weft_value *size = front_shape(o, update);
  weft_value *most = front_do(o, "Sub", front_shape(o, x), size, NULL);
  from = front_do(o, "Minimum", front_as(o, front_flat(o, from), WEFT_INT64), most, NULL);
  from = front_do(o, "Maximum", from, front_index(o, 0), NULL);
  for (int i = 0; i < rank && !o->failed; i++) {
    int64_t dims[WEFT_MAX_RANK];
    for (int k = 0; k < rank; k++)
      dims[k] = k == i ? -1 : 1;
    weft_value *at = front_counting(o, front_dim_index(o, update, i));
    at = front_do(o, "Add", at, front_part(o, from, 0, i, i + 1), NULL);
    at = front_expanded(o, front_reshaped(o, at, dims, (size_t)rank), size);
    places[i] = front_unsqueezed(o, at, rank);
  }
  weft_value *all = o->failed ? NULL : front_joined(o, places, (size_t)rank, rank);
  front_set_text(o, "reduction", "none");
  return front_do(o, "TensorScatterUpdate", x, all, update);
}

// [N, groups, C / groups, ..], turned
weft_value *front_channel_shuffle(front_op *o, weft_value *v, int64_t groups) {
  const int rank = front_rank_of(o, v);
  const weft_dim channels = front_dim_bounded(o, v, 1);
  if (!o->failed && (rank < 3 || rank >= WEFT_MAX_RANK || groups < 1 || (channels >= 0 && channels % groups)))
    front_fail(o, WEFT_E_SHAPE, "%lld channels are not shuffled in groups of %lld", front_shown(channels),
               (long long)groups);
  if (o->failed)
    return NULL;
  weft_value *shape = front_shape(o, v);
  weft_value *each = front_size_by(o, "FloorDiv", front_dim_list(o, v, 1), groups);
  weft_value *parts[4] = {front_dim_list(o, v, 0), front_list(o, &groups, 1), each,
                          front_span(o, v, 2, rank)};
  weft_value *y = front_reshape(o, v, front_size_list(o, parts, 4));
  return front_reshape(o, front_swapped(o, y, 1, 2), shape);
}

// ---- windows as columns ----
// Windows of an axis whose size the run finds: their places as [kernel, windows].
static weft_value *made_window_places(front_op *o, weft_value *v, int axis, const front_axis_columns *c) {
  const int64_t reach = c->dilation * (c->kernel - 1) + 1;
  weft_value *n = front_do(o, "Sub", front_dim_index(o, v, axis), front_index(o, reach), NULL);
  n = front_do(o, "FloorDiv", n, front_index(o, c->stride), NULL);
  weft_value *first = front_counting(o, front_do(o, "Add", n, front_index(o, 1), NULL));
  if (c->stride != 1)
    first = front_do(o, "Mul", first, front_index(o, c->stride), NULL);
  weft_value *in = front_counting(o, front_index(o, c->kernel));
  if (c->dilation != 1)
    in = front_do(o, "Mul", in, front_index(o, c->dilation), NULL);
  return front_do(o, "Add", front_unsqueezed(o, in, 1), first, NULL);
}

// One axis as two: places in the window, and windows, *out of them, INT64 [1].
static weft_value *made_windows(front_op *o, weft_value *v, int axis, const front_axis_columns *c,
                                weft_value **out) {
  enum { MOST = 1 << 22 };
  weft_dim in = front_dim_bounded(o, v, axis);
  if (o->failed)
    return NULL;
  if (c->kernel < 1 || c->kernel > MOST || c->dilation < 1 || c->dilation > MOST || c->stride < 1)
    return front_none(o, WEFT_E_RANGE, "a window of %lld places, %lld apart, every %lld",
                      (long long)c->kernel, (long long)c->dilation, (long long)c->stride);
  if (in < 0) {
    v = front_picked(o, v, axis, made_window_places(o, v, axis, c));
    *out = front_dim_list(o, v, axis + 1);
    return v;
  }
  const int64_t left = in - c->dilation * (c->kernel - 1) - 1;
  const int64_t windows = left / c->stride + 1;
  if (left < 0 || windows > MOST / c->kernel)
    return front_none(o, WEFT_E_RANGE, "windows of %lld places, %lld apart, in %lld: none, or more than 2^22",
                      (long long)c->kernel, (long long)c->dilation, (long long)in);
  const size_t n = (size_t)(windows * c->kernel);
  int64_t *places = WEFT_NEW_N(&o->f->arena, int64_t, n);
  o->failed = weft__allocated(places, o->f->d);
  for (size_t i = 0; places && i < n; i++)
    places[i] = (int64_t)i / windows * c->dilation + (int64_t)i % windows * c->stride;
  const int64_t shape[2] = {c->kernel, windows};
  *out = front_list(o, &windows, 1);
  return o->failed ? NULL : front_picked(o, v, axis, front_reshaped(o, front_list(o, places, n), shape, 2));
}

weft_value *front_columns(front_op *o, weft_value *v, const front_axis_columns c[2]) {
  static const int64_t order[] = {0, 1, 2, 4, 3, 5};
  const int64_t pads[8] = {0, 0, c[0].pad, c[1].pad, 0, 0, c[0].pad, c[1].pad};
  weft_value *out[2];
  front_set_bool(o, "paddings_contiguous", false);
  v = front_do(o, "PadV3", v, front_list(o, pads, 8), NULL);
  for (int k = 0; k < 2 && !o->failed; k++)
    v = made_windows(o, v, k ? 4 : 2, &c[k], &out[k]);
  if (o->failed)
    return NULL;
  const weft_dim channels = front_dim(v, 1);
  if (channels > 1 << 18)
    return front_none(o, WEFT_E_UNSUPPORTED, "%lld channels", front_shown(channels));
  weft_value *y = front_permuted(o, v, order, 6);
  weft_value *rows = front_size_by(o, "Mul", front_dim_list(o, v, 1), c[0].kernel * c[1].kernel);
  weft_value *parts[3] = {front_dim_list(o, v, 0), rows, front_size_of(o, "Mul", out[0], out[1])};
  return o->failed ? NULL : front_reshape(o, y, front_size_list(o, parts, 3));
}
// SPDX-License-Identifier: Apache-2.0
