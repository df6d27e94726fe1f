// aten_index.c - elements by their places: index.Tensor and its like, gather and scatter, masks.
//
// Several index tensors broadcast against each other; the axes that they make stand where the first of them
// stood if they stood side by side, otherwise in front. So self is turned to have the indexed axes first.
#include "base/allocated.h"
#include "frontend/torch/tables.h"

typedef struct indices {
  weft_value *v[WEFT_MAX_RANK];  // by axis of self; NULL: the whole axis
  int64_t axis[WEFT_MAX_RANK];   // of those that are given
  size_t n;                      // how many are given
  int rank, wide;                // of self; of the broadcast indices
  bool together;
} indices;

// A mask stands for the places where it is true: one index for each of its axes.
static void index_mask(front_op *b, indices *x, int *axis, weft_value *mask) {
  int rank = front_rank_of(b, mask);
  mask = front_as(b, mask, WEFT_BOOL);
  front_set_bool(b, "transpose", true);
  weft_value *places = front_do(b, "NonZero", mask, NULL, NULL);
  for (int i = 0; i < rank && !b->failed; i++) {
    if (*axis >= x->rank) {
      front_fail(b, WEFT_E_SHAPE, "more indices than the %d axes", x->rank);
      return;
    }
    x->axis[x->n++] = *axis;
    x->v[(*axis)++] = front_picked(b, places, 0, front_index(b, i));
  }
}

static indices index_read(pt_op *o, weft_value *self) {
  front_op *b = &o->b;
  indices x = {.rank = front_rank_of(b, self), .together = true};
  weft_value **v;
  size_t n = pt_tensors(o, "indices", &v);
  int axis = 0;
  for (size_t i = 0; i < n && !b->failed; i++) {
    bool mask = v[i] && (v[i]->fact.dtype == WEFT_BOOL || v[i]->fact.dtype == WEFT_UINT8);
    if (mask) {
      index_mask(b, &x, &axis, v[i]);
      continue;
    }
    if (axis >= x.rank) {
      front_fail(b, WEFT_E_SHAPE, "more indices than the %d axes", x.rank);
      break;
    }
    if (v[i]) {
      x.axis[x.n++] = axis;
      x.v[axis] = front_as(b, v[i], WEFT_INT64);
    }
    axis++;
  }
  for (size_t i = 0; i < x.n && !b->failed; i++) {
    x.wide = WEFT_MAX(x.wide, front_rank_of(b, x.v[x.axis[i]]));
    x.together &= i == 0 || x.axis[i] == x.axis[i - 1] + 1;
  }
  return x;
}

// The indices as tuples: [broadcast shape, n].
static weft_value *index_tuples(front_op *b, const indices *x) {
  weft_value *parts[WEFT_MAX_RANK];
  weft_value *sum = NULL;
  bool alike = true;
  for (size_t i = 1; i < x->n; i++)
    alike &= front_alike(x->v[x->axis[0]], x->v[x->axis[i]]);
  for (size_t i = 0; i < x->n && !alike && !b->failed; i++) {
    weft_value *v = x->v[x->axis[i]];
    sum = sum ? front_do(b, "Add", sum, v, NULL) : v;
  }
  weft_value *shape = alike || b->failed ? NULL : front_shape(b, sum);
  for (size_t i = 0; i < x->n && !b->failed; i++) {
    weft_value *v = x->v[x->axis[i]];
    if (!alike)
      v = front_expanded(b, v, shape);
    parts[i] = front_unsqueezed(b, v, x->wide);
  }
  return b->failed ? NULL : front_joined(b, parts, x->n, x->wide);
}

// The axes of self with the indexed ones in front.
static void index_front(const indices *x, int64_t order[WEFT_MAX_RANK]) {
  size_t at = 0;
  for (size_t i = 0; i < x->n; i++)
    order[at++] = x->axis[i];
  for (int i = 0; i < x->rank; i++) {
    if (!x->v[i])
      order[at++] = i;
  }
}

// From [wide axes, the others] to where they belong.
static size_t index_home(const indices *x, int64_t order[2 * WEFT_MAX_RANK]) {
  size_t before = x->together ? (size_t)x->axis[0] : 0;
  size_t rest = (size_t)x->rank - x->n;
  size_t at = 0;
  for (size_t i = 0; i < before; i++)
    order[at++] = x->wide + (int64_t)i;
  for (int i = 0; i < x->wide; i++)
    order[at++] = i;
  for (size_t i = before; i < rest; i++)
    order[at++] = x->wide + (int64_t)i;
  return at;
}

static weft_value *index_gather_nd(front_op *b, weft_value *v, weft_value *at) {
  front_set_bool(b, "negative_index_support", true);
  return front_do(b, "GatherNd", v, at, NULL);
}

static void index_tensor(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  int64_t order[2 * WEFT_MAX_RANK];
  indices x = index_read(o, self);
  if (b->failed)
    return;
  if (!x.n) {
    pt_result(o, 0, self);
    return;
  }
  if (x.n == 1) {
    pt_result(o, 0, front_picked(b, self, x.axis[0], x.v[x.axis[0]]));
    return;
  }
  weft_value *at = index_tuples(b, &x);
  index_front(&x, order);
  weft_value *y = index_gather_nd(b, front_permuted(b, self, order, (size_t)x.rank), at);
  size_t n = index_home(&x, order);
  pt_result(o, 0, front_permuted(b, y, order, n));
}

// ---- writing by indices ----
static weft_value *index_mask_of(pt_op *o, size_t *n) {
  weft_value **v;
  *n = pt_tensors(o, "indices", &v);
  return *n == 1 && v[0] && v[0]->fact.dtype == WEFT_BOOL ? v[0] : NULL;
}

// One number where the mask is true.
static weft_value *index_fill_mask(front_op *b, weft_value *self, weft_value *mask, weft_value *number) {
  int rank = front_rank_of(b, self);
  for (int i = front_rank_of(b, mask); i < rank && !b->failed; i++)
    mask = front_unsqueezed(b, mask, i);
  return front_where(b, mask, number, self);
}

static void index_put(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *values = pt_tensor(o, "values");
  bool add = pt_bool(o, "accumulate", false);
  size_t n_given;
  weft_value *mask = index_mask_of(o, &n_given);
  int64_t order[2 * WEFT_MAX_RANK];
  int64_t back[2 * WEFT_MAX_RANK];
  if (b->failed)
    return;
  values = front_as(b, values, self->fact.dtype);
  if (mask && !add && front_rank(values) == 0) {
    pt_result(o, 0, index_fill_mask(b, self, mask, values));
    return;
  }
  indices x = index_read(o, self);
  if (b->failed)
    return;
  weft_value *at = index_tuples(b, &x);
  index_front(&x, order);
  weft_value *turned = front_permuted(b, self, order, (size_t)x.rank);
  weft_value *like = index_gather_nd(b, turned, at);  // for its shape alone
  size_t n = index_home(&x, back);
  weft_value *home = front_permuted(b, like, back, n);
  values = front_expanded(b, values, front_shape(b, home));
  int64_t away[2 * WEFT_MAX_RANK];
  for (size_t i = 0; i < n; i++)
    away[back[i]] = (int64_t)i;
  values = front_permuted(b, values, away, n);
  // TensorScatterUpdate counts from 0
  weft_value *sizes = front_shape(b, turned);
  weft_value *first = front_part(b, sizes, 0, 0, (int64_t)x.n);
  weft_value *zero = front_index(b, 0);
  weft_value *below = front_do(b, "Less", at, zero, NULL);
  at = front_where(b, below, front_do(b, "Add", at, first, NULL), at);
  if (add)
    front_set_text(b, "reduction", "add");
  weft_value *y = front_do(b, "TensorScatterUpdate", turned, at, values);
  for (int i = 0; i < x.rank; i++)
    back[order[i]] = i;
  pt_result(o, 0, front_permuted(b, y, back, (size_t)x.rank));
}

// ---- one axis ----
static int64_t index_axis(pt_op *o, weft_value *self) {
  return pt_axis(o, "dim", 0, front_rank_of(&o->b, self));
}

static void index_select(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *at = front_flat(b, pt_tensor(o, "index"));
  int64_t axis = index_axis(o, self);
  if (front_rank(self) == 0) {
    pt_result(o, 0, self);
    return;
  }
  pt_result(o, 0, front_picked(b, self, axis, at));
}

static void index_gather(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *at = pt_tensor(o, pt_has(o, "index") ? "index" : "indices");
  if (!b->failed && front_rank(self) == 0) {
    pt_result(o, 0, front_expanded(b, self, front_shape(b, at)));
    return;
  }
  if (!pt_has(o, "index") && !pt_find(o, "dim")) {  // take_along_dim of all elements
    self = front_flat(b, self);
    at = front_flat(b, at);
  }
  int64_t axis = index_axis(o, self);
  at = front_as(b, at, WEFT_INT64);
  front_set_int(b, "dim", axis);
  pt_result(o, 0, front_do(b, "GatherElements", self, at, NULL));
}

static void index_take(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = front_flat(b, pt_tensor(o, "self"));
  pt_result(o, 0, front_picked(b, self, 0, pt_tensor(o, "index")));
}

static weft_value *index_scattered(front_op *b, weft_value *self, weft_value *at, weft_value *v, int64_t axis,
                                   const char *reduction) {
  front_set_int(b, "axis", axis);
  front_set_text(b, "reduction", reduction);
  return front_do(b, "ScatterElements", self, at, v);
}

static const char *index_reduction(pt_op *o, const char *dflt) {
  static const char *const names[][2] = {{"add", "add"},  {"sum", "add"},  {"multiply", "mul"},
                                         {"prod", "mul"}, {"amax", "max"}, {"amin", "min"}};
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (pt_is(o, "reduce", "", names[i][0]))
      return names[i][1];
  }
  if (pt_is(o, "reduce", "", "mean"))
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "reduce 'mean' is not read");
  return dflt;
}

// The part of src that has the shape of the index.
static weft_value *index_cut(front_op *b, weft_value *src, weft_value *at) {
  int rank = front_rank_of(b, at);
  for (int i = 0; i < rank && !b->failed; i++) {
    weft_dim want = front_dim(at, i);
    weft_dim have = front_dim(src, i);
    if (want == have)
      continue;
    src = front_sliced(b, src, i, front_list(b, &(int64_t){0}, 1), front_dim_list(b, at, i), NULL);
  }
  return src;
}

static void index_scatter_with(pt_op *o, const char *reduction) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *at = front_as(b, pt_tensor(o, "index"), WEFT_INT64);
  if (b->failed)
    return;
  int64_t axis = index_axis(o, self);
  weft_value *v = pt_find(o, "src")
                      ? index_cut(b, front_as(b, pt_tensor(o, "src"), self->fact.dtype), at)
                      : front_expanded(b, pt_operand(o, "value", self->fact.dtype), front_shape(b, at));
  if (!pt_bool(o, "include_self", true)) {
    // what is written over starts with the neutral element
    double neutral = !strcmp(reduction, "add") ? 0 : !strcmp(reduction, "mul") ? 1 : 0;
    if (!strcmp(reduction, "max") || !strcmp(reduction, "min")) {
      self = index_scattered(b, self, at, v, axis, "none");
    } else {
      weft_value *plain = front_expanded(b, front_num(b, self->fact.dtype, neutral), front_shape(b, at));
      self = index_scattered(b, self, at, plain, axis, "none");
    }
  }
  pt_result(o, 0, index_scattered(b, self, at, v, axis, reduction));
}
static void index_scatter(pt_op *o) {
  index_scatter_with(o, index_reduction(o, "none"));
}
static void index_scatter_add(pt_op *o) {
  index_scatter_with(o, "add");
}

// A vector of places along an axis as an index for every element of v.
static weft_value *index_spread(front_op *b, weft_value *at, weft_value *v, int64_t axis) {
  int64_t dims[WEFT_MAX_RANK];
  int rank = front_rank_of(b, v);
  for (int i = 0; i < rank; i++)
    dims[i] = i == axis ? -1 : 1;
  at = front_as(b, at, WEFT_INT64);
  return b->failed ? NULL : front_expanded(b, front_reshaped(b, at, dims, (size_t)rank), front_shape(b, v));
}

static void index_rows(pt_op *o, const char *source, const char *reduction) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *v = pt_tensor(o, source);
  if (b->failed)
    return;
  weft_dtype t = self->fact.dtype;
  int64_t axis = index_axis(o, self);
  v = front_as(b, v, t);
  double alpha = pt_float(o, "alpha", 1);
  if (alpha != 1)
    v = front_do(b, "Mul", v, front_num(b, t, alpha), NULL);
  weft_value *at = index_spread(b, pt_tensor(o, "index"), v, axis);
  pt_result(o, 0, index_scattered(b, self, at, v, axis, reduction));
}
static void index_add(pt_op *o) {
  index_rows(o, "source", "add");
}
static void index_copy(pt_op *o) {
  index_rows(o, "source", "none");
}
static void index_reduce(pt_op *o) {
  index_rows(o, "source", index_reduction(o, "none"));
}

static void index_fill(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *at = front_flat(b, pt_tensor(o, "index"));
  if (b->failed)
    return;
  int64_t axis = index_axis(o, self);
  weft_value *number = pt_operand(o, "value", self->fact.dtype);
  weft_value *rows = front_picked(b, self, axis, at);
  weft_value *v = front_expanded(b, number, front_shape(b, rows));
  pt_result(o, 0, index_scattered(b, self, index_spread(b, at, rows, axis), v, axis, "none"));
}

// ---- parts that are replaced ----
// All places along an axis of the part: the number that stands first and what comes between.
static void index_put_part(pt_op *o, weft_value *part, int64_t axis, weft_value *places) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *at = index_spread(b, places, part, axis);
  pt_result(o, 0, index_scattered(b, self, at, part, axis, "none"));
}

static void index_select_scatter(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  int64_t axis = index_axis(o, self);
  weft_value *src = front_as(b, pt_tensor(o, "src"), self ? self->fact.dtype : (weft_dtype)WEFT_UNDEFINED);
  weft_value *at = pt_size_list(o, "index", 0);
  index_put_part(o, front_unsqueezed(b, src, axis), axis, at);
}

static void index_slice_scatter(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  int64_t axis = index_axis(o, self);
  int64_t step = pt_int(o, "step", 1);
  weft_value *src = front_as(b, pt_tensor(o, "src"), self ? self->fact.dtype : (weft_dtype)WEFT_UNDEFINED);
  weft_value *all = front_counting(b, front_dim_index(b, self, axis));
  weft_value *from = pt_size_list(o, "start", 0);
  weft_value *to = pt_size_list(o, "end", INT64_MAX);
  weft_value *places = front_sliced(b, all, 0, from, to, step == 1 ? NULL : front_list(b, &step, 1));
  index_put_part(o, src, axis, places);
}

// ---- masks ----
static void index_masked_fill(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *mask = front_as(b, pt_tensor(o, "mask"), WEFT_BOOL);
  if (b->failed)
    return;
  pt_result(o, 0, front_where(b, mask, pt_operand(o, "value", self->fact.dtype), self));
}

// Both with the shape that they broadcast to, flat.
static void index_flat_pair(front_op *b, weft_value **self, weft_value **mask) {
  front_matched(b, self, mask);
  *mask = front_flat(b, *mask);
  *self = front_flat(b, *self);
}

static weft_value *index_places(front_op *b, weft_value *mask) {
  front_set_bool(b, "transpose", true);
  return front_picked(b, front_do(b, "NonZero", mask, NULL, NULL), 0, front_index(b, 0));
}

static void index_masked_select(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *mask = front_as(b, pt_tensor(o, "mask"), WEFT_BOOL);
  index_flat_pair(b, &self, &mask);
  pt_result(o, 0, front_picked(b, self, 0, index_places(b, mask)));
}

// The i-th true place gets the i-th element of source.
static void index_masked_scatter(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *mask = front_as(b, pt_tensor(o, "mask"), WEFT_BOOL);
  weft_value *from = front_flat(b, pt_tensor(o, "source"));
  front_matched(b, &self, &mask);
  weft_value *shape = front_shape(b, self);
  mask = front_flat(b, mask);
  weft_value *rank = front_do(b, "Cumsum", front_as(b, mask, WEFT_INT64), front_index(b, 0), NULL);
  rank = front_do(b, "Maximum", front_do(b, "Sub", rank, front_index(b, 1), NULL), front_index(b, 0), NULL);
  weft_value *y = front_where(b, mask, front_picked(b, from, 0, rank), front_flat(b, self));
  pt_result(o, 0, front_reshape(b, y, shape));
}

static void index_nonzero(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  pt_result(o, 0, front_do(&o->b, "NonZero", v, NULL, NULL));
}
static void index_nonzero_each(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, pt_has(o, "condition") ? "condition" : "self");
  front_set_bool(b, "transpose", true);
  weft_value *places = front_do(b, "NonZero", v, NULL, NULL);
  for (size_t i = 0; i < o->n_out && !b->failed; i++)
    pt_result(o, i, front_picked(b, places, 0, front_index(b, (int64_t)i)));
}

static const pt_row index_rows_table[] = {
    {"index", NULL, 0, index_tensor, 0},
    {"_unsafe_index", NULL, 0, index_tensor, 0},
    {"index_put", NULL, 0, index_put, 0},
    {"_unsafe_index_put", NULL, 0, index_put, 0},
    {"_index_put_impl", NULL, 0, index_put, 0},
    {"index_select", NULL, 0, index_select, 0},
    {"gather", NULL, 0, index_gather, 0},
    {"take_along_dim", NULL, 0, index_gather, 0},
    {"take", NULL, 0, index_take, 0},
    {"scatter", NULL, 0, index_scatter, 0},
    {"scatter_add", NULL, 0, index_scatter_add, 0},
    {"scatter_reduce", NULL, 0, index_scatter, 0},
    {"index_add", NULL, 0, index_add, 0},
    {"index_copy", NULL, 0, index_copy, 0},
    {"index_reduce", NULL, 0, index_reduce, 0},
    {"index_fill", NULL, 0, index_fill, 0},
    {"select_scatter", NULL, 0, index_select_scatter, 0},
    {"slice_scatter", NULL, 0, index_slice_scatter, 0},
    {"masked_fill", NULL, 0, index_masked_fill, 0},
    {"masked_select", NULL, 0, index_masked_select, 0},
    {"masked_scatter", NULL, 0, index_masked_scatter, 0},
    {"nonzero", NULL, 0, index_nonzero, 0},
    {"nonzero_numpy", NULL, 0, index_nonzero_each, 0},
    {"where.default", NULL, 0, index_nonzero_each, 0},
};
const pt_rows pt_index = PT_ROWS(index_rows_table);
// SPDX-License-Identifier: Apache-2.0
