// pieces.c - steps that most mappings are made of. What is known while reading becomes a constant; the
// rest is read from the value's Shape, so that inference keeps symbols.
#include "emit/emit.h"

#include "window.rule.h"

int front_rank(const weft_value *v) {
  return v && weft__fact_ranked(&v->fact) ? v->fact.rank : -1;
}

int front_rank_of(front_op *o, const weft_value *v) {
  if (o->failed)
    return 0;
  int rank = front_rank(v);
  if (rank < 0)
    front_fail(o, WEFT_E_UNKNOWN, "the rank of value '%s' is not known", v ? v->name : "?");
  return rank < 0 ? 0 : rank;
}

weft_dim front_dim(const weft_value *v, int axis) {
  return axis >= 0 && front_rank(v) > axis ? v->fact.dims[axis] : -1;
}

bool front_same_dim(const weft_value *a, int i, const weft_value *b, int k) {
  const weft_dim dim = front_dim(a, i);
  return dim != -1 && dim == front_dim(b, k);
}

int64_t front_axis(front_op *o, int64_t axis, int rank) {
  if (o->failed)
    return 0;
  int64_t least = rank ? rank : 1;  // a number counts as one element along axis 0
  if (axis < -least || axis >= least) {
    front_fail(o, WEFT_E_RANGE, "axis %lld is outside [%lld, %lld]", (long long)axis, (long long)-least,
               (long long)least - 1);
    return 0;
  }
  return axis < 0 ? axis + least : axis;
}

bool front_known_number(const weft_value *v, double *out) {
  const weft_tensor *t = v ? v->fact.value : NULL;
  if (!t || t->kind != WEFT_KIND_TENSOR || !t->data || weft_tensor_elems(t) != 1)
    return false;
  if (t->dtype == WEFT_STRING || weft_dtype_is_complex(t->dtype))
    return false;
  *out = weft_load_f64(t->dtype, t->data, 0);
  return true;
}

bool front_known_ints(const weft_value *v, int64_t *out, size_t most, size_t *n) {
  const weft_tensor *t = v ? v->fact.value : NULL;
  if (!t || t->kind != WEFT_KIND_TENSOR || !t->data || !weft_dtype_is_integer(t->dtype))
    return false;
  *n = (size_t)weft_tensor_elems(t);
  if (*n > most)
    return false;
  for (size_t i = 0; i < *n; i++)
    out[i] = weft_load_i64(t->dtype, t->data, i);
  return true;
}

weft_value *front_as(front_op *o, weft_value *v, weft_dtype t) {
  if (o->failed || !v || v->fact.dtype == t || t == WEFT_UNDEFINED)
    return o->failed ? NULL : v;
  front_set_int(o, "dst_type", t);
  return front_do(o, "Cast", v, NULL, NULL);
}

// ---- shapes ----
weft_value *front_shape(front_op *o, weft_value *v) {
  front_set_int(o, "dtype", WEFT_INT64);
  return front_do(o, "Shape", v, NULL, NULL);
}

weft_value *front_dim_list(front_op *o, weft_value *v, int64_t axis) {
  weft_dim dim = o->failed ? -1 : front_dim(v, (int)axis);
  if (dim >= 0)
    return front_list(o, &dim, 1);
  front_set_int(o, "dtype", WEFT_INT64);
  front_set_int(o, "start", axis);
  front_set_int(o, "end", axis + 1);
  return front_do(o, "Shape", v, NULL, NULL);
}

weft_value *front_dim_index(front_op *o, weft_value *v, int64_t axis) {
  weft_dim dim = o->failed ? -1 : front_dim(v, (int)axis);
  if (dim >= 0)
    return front_index(o, dim);
  return front_reshaped(o, front_dim_list(o, v, axis), NULL, 0);
}

// The arithmetic of two known sizes; false: too large, or divided by nothing.
static bool front_size_known(const char *type, int64_t a, int64_t b, int64_t *out) {
  if (!strcmp(type, "Mul"))
    return weft__mul_i64(a, b, out);
  if (!strcmp(type, "Add"))
    return weft__add_i64(a, b, out);
  if (!strcmp(type, "Sub"))
    return weft__add_i64(a, -b, out);
  *out = b < 1 ? 0 : !strcmp(type, "FloorDiv") ? a / b : a % b;
  return a >= 0 && b >= 1;
}

weft_value *front_size_of(front_op *o, const char *type, weft_value *a, weft_value *b) {
  int64_t x, y, z;
  size_t n, m;
  if (o->failed)
    return NULL;
  const bool known = front_known_ints(a, &x, 1, &n) && front_known_ints(b, &y, 1, &m);
  if (!known || !n || !m || y == INT64_MIN || !front_size_known(type, x, y, &z))
    return front_do(o, type, a, b, NULL);
  return front_rank(a) || front_rank(b) ? front_list(o, &z, 1) : front_index(o, z);
}

weft_value *front_size_by(front_op *o, const char *type, weft_value *a, int64_t n) {
  return front_size_of(o, type, a, front_list(o, &n, 1));
}

weft_value *front_elems(front_op *o, weft_value *v, int64_t from, int64_t to) {
  weft_value *n = from < to ? front_dim_list(o, v, from) : front_list(o, &(int64_t){1}, 1);
  for (int64_t i = from + 1; i < to; i++)
    n = front_size_of(o, "Mul", n, front_dim_list(o, v, i));
  return n;
}

weft_value *front_span(front_op *o, weft_value *v, int64_t from, int64_t to) {
  bool known = true;
  bool left = true;
  for (int i = 0; i < front_rank_of(o, v); i++) {
    const weft_dim dim = front_dim(v, i);
    const bool inside = i >= from && i < to;
    known &= !inside || dim >= 0;
    left &= inside || dim > 0;
  }
  return left && !known ? front_list(o, &(int64_t){-1}, 1) : front_elems(o, v, from, to);
}

weft_value *front_size_list(front_op *o, weft_value *const *parts, size_t n) {
  int64_t all[2 * WEFT_MAX_RANK];
  size_t at = 0;
  size_t more = 0;
  for (size_t i = 0; i < n && !o->failed; i++, at += more) {
    if (!front_known_ints(parts[i], all + at, WEFT_COUNT(all) - at, &more))
      return front_joined(o, parts, n, 0);
  }
  return o->failed ? NULL : front_list(o, all, at);
}

// Sizes that are known are written out, with the one that -1 stands for; 0 means 0.
static bool front_sizes(const weft_value *v, const weft_value *shape, int64_t out[WEFT_MAX_RANK], size_t *n) {
  int64_t all = 1;
  int64_t given = 1;
  size_t rest = WEFT_MAX_RANK;
  if (front_rank(v) < 0 || !front_known_ints(shape, out, WEFT_MAX_RANK, n))
    return false;
  for (int i = 0; i < front_rank(v); i++) {
    if (front_dim(v, i) < 1 || !weft__mul_i64(all, front_dim(v, i), &all))
      return false;
  }
  for (size_t i = 0; i < *n; i++) {
    if (out[i] == -1 && rest == WEFT_MAX_RANK)
      rest = i;
    else if (out[i] < 1 || !weft__mul_i64(given, out[i], &given))
      return false;
  }
  if (rest < WEFT_MAX_RANK)
    out[rest] = all / given;
  return rest < WEFT_MAX_RANK ? all % given == 0 : all == given;
}

weft_value *front_reshape(front_op *o, weft_value *v, weft_value *shape) {
  int64_t sizes[WEFT_MAX_RANK];
  size_t n;
  if (!o->failed && front_sizes(v, shape, sizes, &n))
    return front_do(o, "Reshape", v, front_list(o, sizes, n), NULL);
  front_set_bool(o, "allowzero", true);
  return front_do(o, "Reshape", v, shape, NULL);
}

weft_value *front_reshaped(front_op *o, weft_value *v, const int64_t *dims, size_t n) {
  weft_value *shape = front_list(o, dims, n);
  return front_reshape(o, v, shape);
}

weft_value *front_flat(front_op *o, weft_value *v) {
  static const int64_t all = -1;
  return !o->failed && front_rank(v) == 1 ? v : front_reshaped(o, v, &all, 1);
}

weft_value *front_permuted(front_op *o, weft_value *v, const int64_t *order, size_t n) {
  size_t i = 0;
  while (i < n && order[i] == (int64_t)i)
    i++;
  if (i == n)
    return o->failed ? NULL : v;
  return front_do(o, "Transpose", v, front_list(o, order, n), NULL);
}

weft_value *front_swapped(front_op *o, weft_value *v, int64_t a, int64_t b) {
  int64_t order[WEFT_MAX_RANK];
  int rank = front_rank_of(o, v);
  for (int i = 0; i < rank; i++)
    order[i] = i == a ? b : i == b ? a : i;
  return front_permuted(o, v, order, (size_t)rank);
}

weft_value *front_unsqueezed(front_op *o, weft_value *v, int64_t axis) {
  front_set_ints(o, "axes", &axis, 1);
  return front_do(o, "Unsqueeze", v, NULL, NULL);
}

weft_value *front_squeezed(front_op *o, weft_value *v, int64_t axis) {
  front_set_ints(o, "axis", &axis, 1);
  return front_do(o, "Squeeze", v, NULL, NULL);
}

// ---- parts ----
weft_value *front_sliced(front_op *o, weft_value *v, int64_t axis, weft_value *from, weft_value *to,
                         weft_value *step) {
  weft_value *in[5] = {v, from, to, front_list(o, &axis, 1), step};
  return front_emit(o, "StridedSliceV2", in, step ? 5 : 4, NULL);
}

weft_value *front_part(front_op *o, weft_value *v, int64_t axis, int64_t from, int64_t to) {
  if (!o->failed && from == 0 && (to == INT64_MAX || (to >= 0 && front_dim(v, (int)axis) == to)))
    return v;
  weft_value *begin = front_list(o, &from, 1);
  return front_sliced(o, v, axis, begin, front_list(o, &to, 1), NULL);
}

weft_value *front_picked(front_op *o, weft_value *v, int64_t axis, weft_value *index) {
  weft_value *at = front_index(o, axis);
  front_set_bool(o, "negative_index_support", true);
  return front_do(o, "GatherV2", v, index, at);
}

weft_value *front_reduced(front_op *o, const char *type, weft_value *v, const int64_t *axes, size_t n,
                          bool keep) {
  weft_value *list = front_list(o, axes, n);
  front_set_bool(o, "keep_dims", keep);
  front_set_bool(o, "noop_with_empty_axes", false);
  return front_do(o, type, v, list, NULL);
}

weft_value *front_summed_onto(front_op *o, weft_value *v, const weft_value *like) {
  int64_t gone[WEFT_MAX_RANK];
  int64_t flat[WEFT_MAX_RANK];
  size_t n_gone = 0;
  size_t n_flat = 0;
  int rank = front_rank_of(o, v);
  int of = front_rank_of(o, like);
  if (o->failed)
    return NULL;
  if (of > rank)
    return front_none(o, WEFT_E_SHAPE, "rank %d cannot be summed to rank %d", rank, of);
  for (int i = 0; i < rank - of; i++)
    gone[n_gone++] = i;
  for (int i = 0; i < of; i++) {
    weft_dim to = front_dim(like, i);
    weft_dim from = front_dim(v, rank - of + i);
    if (to < 0 && (to != from || to == -1))  // it may be 1, or not
      return front_none(o, WEFT_E_UNKNOWN, "whether axis %d was broadcast is not known", i);
    if (to == 1 && from != 1)
      flat[n_flat++] = i;
  }
  if (n_gone)
    v = front_reduced(o, "ReduceSum", v, gone, n_gone, false);
  return n_flat ? front_reduced(o, "ReduceSum", v, flat, n_flat, true) : v;
}

weft_value *front_joined(front_op *o, weft_value *const *v, size_t n, int64_t axis) {
  if (o->failed || n == 1)
    return o->failed ? NULL : v[0];
  weft_value **in = WEFT_NEW_N(&o->f->arena, weft_value *, n + 1);
  if (!in)
    return front_none(o, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < n; i++)
    in[i] = v[i];
  in[n] = front_index(o, axis);
  front_set_int(o, "N", (int64_t)n);
  uint32_t counts[2] = {(uint32_t)n, 1};
  return front_emit(o, "ConcatV2", in, n + 1, &(weft_use){.in_counts = counts});
}

weft_value *front_padded(front_op *o, weft_value *v, int64_t axis, weft_value *before, weft_value *behind) {
  static const int64_t none[WEFT_MAX_RANK] = {0};
  const int rank = front_rank_of(o, v);
  weft_value *parts[5];
  size_t n = 0;
  if (o->failed)
    return NULL;
  if (axis)
    parts[n++] = front_list(o, none, (size_t)axis);
  parts[n++] = before ? before : front_list(o, none, 1);
  if (rank > 1)
    parts[n++] = front_list(o, none, (size_t)rank - 1);
  parts[n++] = behind ? behind : front_list(o, none, 1);
  if (axis + 1 < rank)
    parts[n++] = front_list(o, none, (size_t)(rank - axis) - 1);
  weft_value *pads = front_size_list(o, parts, n);
  weft_value *zero = front_num(o, v->fact.dtype, 0);
  front_set_bool(o, "paddings_contiguous", false);
  return front_do(o, "PadV3", v, pads, zero);
}

weft_value *front_cut(front_op *o, weft_value *v, int64_t axis, const int64_t *sizes, size_t n) {
  weft_value *in[3] = {v, front_list(o, sizes, n), front_index(o, axis)};
  uint32_t counts[1] = {(uint32_t)n};
  front_set_int(o, "num_split", (int64_t)n);
  return front_emit(o, "SplitV", in, 3, &(weft_use){.out_counts = counts});
}

weft_value *front_equal_parts(front_op *o, weft_value *v, int64_t axis, size_t n) {
  weft_value *in[2] = {front_index(o, axis), v};
  uint32_t counts[1] = {(uint32_t)n};
  front_set_int(o, "num_split", (int64_t)n);
  return front_emit(o, "Split", in, 2, &(weft_use){.out_counts = counts});
}

// ---- windows ----
int64_t front_bounded(front_op *o, int64_t n) {
  if (n >= -INT32_MAX && n <= INT32_MAX)
    return n;
  if (!o->failed)
    front_fail(o, WEFT_E_RANGE, "a size of %lld, at most 2^31 - 1 are read", (long long)n);
  return 0;
}

int64_t front_dim_bounded(front_op *o, const weft_value *v, int axis) {
  const weft_dim n = front_dim(v, axis);
  return n < 0 ? -1 : front_bounded(o, n);
}

bool front_same_pads(const front_axis_window *w, int64_t *begin, int64_t *end) {
  const int64_t most = INT32_MAX;
  const bool known = w->in >= 0 && w->kernel >= 1 && w->stride >= 1 && w->dilation >= 1;
  if (!known || w->in > most || w->kernel > most || w->stride > most || w->dilation > most)
    return false;
  int64_t out = (w->in + w->stride - 1) / w->stride;
  int64_t all = weft__same_padding(w->in, out, w->stride, weft__window_reach(w->kernel, w->dilation));
  *begin = weft__same_begin(WEFT_PAD_SAME_UPPER, all);
  *end = all - *begin;
  return true;
}

// All pairs of places along the axis are compared; rank at least 1.
weft_value *front_running(front_op *o, weft_value *v, int64_t axis, bool largest, weft_value **at) {
  int rank = front_rank_of(o, v);
  int64_t last = rank;
  v = front_swapped(o, v, axis, rank - 1);
  weft_value *places = front_counting(o, front_dim_index(o, v, rank - 1));
  weft_value *seen = front_do(o, "LessEqual", places, front_unsqueezed(o, places, 1), NULL);
  weft_value *first = front_unsqueezed(o, front_part(o, v, rank - 1, 0, 1), rank - 1);
  weft_value *wide = front_unsqueezed(o, v, rank - 1);
  weft_value *shown = front_where(o, seen, wide, first);  // the first stands where nothing was seen
  weft_value *y = front_reduced(o, largest ? "ReduceMax" : "ReduceMin", shown, &last, 1, false);
  weft_value *most = front_unsqueezed(o, y, rank);
  weft_value *equal = front_do(o, "Equal", wide, most, NULL);
  if (!o->failed && WEFT_BIT(v->fact.dtype) & WEFT_FLOATS) {  // what is no number is the last of its like
    weft_value *none = front_do(o, "IsNan", wide, NULL, NULL);
    none = front_do(o, "LogicalAnd", none, front_do(o, "IsNan", most, NULL, NULL), NULL);
    equal = front_do(o, "LogicalOr", equal, none, NULL);
  }
  weft_value *found =
      front_where(o, front_do(o, "LogicalAnd", equal, seen, NULL), places, front_index(o, -1));
  *at = front_swapped(o, front_reduced(o, "ReduceMax", found, &last, 1, false), axis, rank - 1);
  return front_swapped(o, y, axis, rank - 1);
}

weft_value *front_cross(front_op *o, weft_value *x, weft_value *y, int64_t axis) {
  static const int64_t next[] = {1, 2, 0};
  static const int64_t after[] = {2, 0, 1};
  weft_value *one = front_list(o, next, 3);
  weft_value *two = front_list(o, after, 3);
  weft_value *plus = front_do(o, "Mul", front_picked(o, x, axis, one), front_picked(o, y, axis, two), NULL);
  weft_value *minus = front_do(o, "Mul", front_picked(o, x, axis, two), front_picked(o, y, axis, one), NULL);
  return front_do(o, "Sub", plus, minus, NULL);
}

// ---- others ----
weft_value *front_expanded(front_op *o, weft_value *v, weft_value *shape) {
  return front_do(o, "BroadcastTo", v, shape, NULL);
}

weft_value *front_filled(front_op *o, weft_value *shape, weft_value *number) {
  return front_do(o, "Fill", shape, number, NULL);
}

bool front_alike(const weft_value *a, const weft_value *b) {
  const int rank = front_rank(a);
  bool same = rank >= 0 && rank == front_rank(b);
  for (int i = 0; same && i < rank; i++)
    same = front_same_dim(a, i, b, i);
  return same;
}

// The rule of broadcasting is Add's: zeros of both shapes are added.
weft_value *front_common_sizes(front_op *o, weft_value *a, weft_value *b) {
  weft_value *zero = front_num(o, WEFT_FLOAT, 0);
  a = front_filled(o, a, zero);
  b = front_filled(o, b, zero);
  return front_shape(o, front_do(o, "Add", a, b, NULL));
}

void front_matched(front_op *o, weft_value **a, weft_value **b) {
  if (o->failed || front_alike(*a, *b))
    return;
  weft_value *shape = front_shape(o, *a);
  shape = front_common_sizes(o, shape, front_shape(o, *b));
  *a = front_expanded(o, *a, shape);
  *b = front_expanded(o, *b, shape);
}

weft_value *front_counting(front_op *o, weft_value *limit) {
  weft_value *zero = front_index(o, 0);
  return front_do(o, "Range", zero, limit, front_index(o, 1));
}

weft_value *front_matmul(front_op *o, weft_value *a, weft_value *b, bool transpose_b) {
  front_set_bool(o, "adj_x2", transpose_b);
  return front_do(o, "BatchMatMulV2", a, b, NULL);
}

weft_value *front_where(front_op *o, weft_value *condition, weft_value *a, weft_value *b) {
  return front_do(o, "SelectV2", condition, a, b);
}
// SPDX-License-Identifier: Apache-2.0
