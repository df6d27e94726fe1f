// aten_index.c - elements by their places: index.Tensor and its like, gather, masks. aten_scatter.c writes
// along an axis.
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

static weft_value *index_taken(front_op *b, weft_value *self, const indices *x) {
  int64_t order[2 * WEFT_MAX_RANK];
  if (b->failed || !x->n)
    return self;
  if (x->n == 1)
    return front_picked(b, self, x->axis[0], x->v[x->axis[0]]);
  weft_value *at = index_tuples(b, x);
  index_front(x, order);
  weft_value *y = index_gather_nd(b, front_permuted(b, self, order, (size_t)x->rank), at);
  size_t n = index_home(x, order);
  return front_permuted(b, y, order, n);
}
static void index_tensor(pt_op *o) {
  weft_value *self = pt_tensor(o, "self");
  indices x = index_read(o, self);
  pt_result(o, 0, index_taken(&o->b, self, &x));
}

// Indices that are outside where the mask is false count as the last ones.
static void index_clamp(front_op *b, weft_value *self, indices *x) {
  for (size_t i = 0; i < x->n && !b->failed; i++) {
    weft_value *size = front_dim_index(b, self, x->axis[i]);
    weft_value *last = front_do(b, "Sub", size, front_index(b, 1), NULL);
    weft_value *low = front_do(b, "Neg", size, NULL, NULL);
    weft_value **v = &x->v[x->axis[i]];
    *v = front_do(b, "Maximum", front_do(b, "Minimum", *v, last, NULL), low, NULL);
  }
}
static void index_masked(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *mask = front_as(b, pt_tensor(o, "mask"), WEFT_BOOL);
  indices x = index_read(o, self);
  index_clamp(b, self, &x);
  weft_value *y = index_taken(b, self, &x);
  weft_value *fill = b->failed ? NULL : pt_operand(o, "fill", self->fact.dtype);
  pt_result(o, 0, front_where(b, mask, y, fill));
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

// TensorScatterUpdate counts from 0.
static weft_value *index_natural(front_op *b, weft_value *at, weft_value *turned, size_t n) {
  weft_value *first = front_part(b, front_shape(b, turned), 0, 0, (int64_t)n);
  weft_value *below = front_do(b, "Less", at, front_index(b, 0), NULL);
  return front_where(b, below, front_do(b, "Add", at, first, NULL), at);
}

static weft_value *index_written(front_op *b, weft_value *self, const indices *x, weft_value *values,
                                 bool add) {
  int64_t order[2 * WEFT_MAX_RANK];
  int64_t back[2 * WEFT_MAX_RANK];
  int64_t away[2 * WEFT_MAX_RANK];
  if (b->failed)
    return NULL;
  weft_value *at = index_tuples(b, x);
  index_front(x, order);
  weft_value *turned = front_permuted(b, self, order, (size_t)x->rank);
  weft_value *like = index_gather_nd(b, turned, at);  // for its shape alone
  size_t n = index_home(x, back);
  weft_value *home = front_permuted(b, like, back, n);
  values = front_expanded(b, values, front_shape(b, home));
  for (size_t i = 0; i < n; i++)
    away[back[i]] = (int64_t)i;
  values = front_permuted(b, values, away, n);
  at = index_natural(b, at, turned, x->n);
  if (add)
    front_set_text(b, "reduction", "add");
  weft_value *y = front_do(b, "TensorScatterUpdate", turned, at, values);
  for (int i = 0; i < x->rank; i++)
    back[order[i]] = i;
  return front_permuted(b, y, back, (size_t)x->rank);
}

static void index_put(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *values = pt_tensor(o, "values");
  bool add = pt_bool(o, "accumulate", false);
  size_t n_given;
  weft_value *mask = index_mask_of(o, &n_given);
  if (b->failed)
    return;
  values = front_as(b, values, self->fact.dtype);
  if (mask && !add && front_rank(values) == 0) {
    pt_result(o, 0, index_fill_mask(b, self, mask, values));
    return;
  }
  indices x = index_read(o, self);
  pt_result(o, 0, index_written(b, self, &x, values, add));
}

// Values are added where the mask is true.
static void index_put_masked(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *mask = front_as(b, pt_tensor(o, "mask"), WEFT_BOOL);
  weft_value *values = pt_tensor(o, "values");
  indices x = index_read(o, self);
  index_clamp(b, self, &x);
  values = b->failed ? NULL : front_as(b, values, self->fact.dtype);
  values = b->failed ? NULL : front_where(b, mask, values, front_num(b, self->fact.dtype, 0));
  pt_result(o, 0, index_written(b, self, &x, values, true));
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

static bool index_is_empty(const weft_value *v) {
  for (int i = 0; i < front_rank(v); i++) {
    if (front_dim(v, i) == 0)
      return true;
  }
  return false;
}

static void index_gather(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *at = front_as(b, pt_tensor(o, "index"), WEFT_INT64);
  int64_t axis = index_axis(o, self);
  if (b->failed)
    return;
  weft_value *y;
  if (front_rank(self) == 0) {
    y = front_expanded(b, self, front_shape(b, at));
  } else if (front_rank(at) == 0 && front_rank(self) == 1) {
    y = front_picked(b, self, 0, at);
  } else if (front_rank(at) != front_rank(self) && index_is_empty(at)) {
    y = front_filled(b, front_shape(b, at), front_num(b, self->fact.dtype, 0));
  } else {
    front_set_int(b, "dim", axis);
    y = front_do(b, "GatherElements", self, at, NULL);
  }
  pt_result(o, 0, y);
}

// Both with the other axes that they broadcast to.
static void index_matched(front_op *b, weft_value **v, weft_value **at, int64_t axis) {
  int rank = front_rank_of(b, *v);
  if (b->failed || front_rank(*at) != rank)
    return;
  weft_value *own[2] = {front_dim_list(b, *v, axis), front_dim_list(b, *at, axis)};
  weft_value *one = front_list(b, &(int64_t){1}, 1);
  weft_value *sizes[2];
  weft_value *both[2] = {*v, *at};
  for (int i = 0; i < 2; i++) {
    weft_value *shape = front_shape(b, both[i]);
    weft_value *parts[3] = {front_part(b, shape, 0, 0, axis), one, front_part(b, shape, 0, axis + 1, rank)};
    sizes[i] = b->failed ? NULL : front_joined(b, parts, 3, 0);
  }
  weft_value *wide = front_common_sizes(b, sizes[0], sizes[1]);
  for (int i = 0; i < 2 && !b->failed; i++) {
    weft_value *parts[3] = {front_part(b, wide, 0, 0, axis), own[i], front_part(b, wide, 0, axis + 1, rank)};
    both[i] = front_expanded(b, both[i], b->failed ? NULL : front_joined(b, parts, 3, 0));
  }
  *v = both[0];
  *at = both[1];
}

static void index_take_along(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *at = front_as(b, pt_tensor(o, "indices"), WEFT_INT64);
  const bool along = pt_find(o, "dim") != NULL;
  if (!along || front_rank_of(b, self) == 0) {  // of all elements
    self = front_flat(b, self);
    at = along ? at : front_flat(b, at);
  }
  int64_t axis = index_axis(o, self);
  const bool number = front_rank_of(b, at) == 0;
  at = number ? front_flat(b, at) : at;
  if (!front_alike(self, at))
    index_matched(b, &self, &at, axis);
  front_set_int(b, "dim", axis);
  weft_value *y = front_do(b, "GatherElements", self, at, NULL);
  pt_result(o, 0, number ? front_reshaped(b, y, NULL, 0) : y);
}

static void index_take(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = front_flat(b, pt_tensor(o, "self"));
  pt_result(o, 0, front_picked(b, self, 0, pt_tensor(o, "index")));
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
// As many places as size says: the first ones, and behind the last of them the number fill_value.
static void index_nonzero_static(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  v = rank ? v : front_flat(b, v);
  weft_value *size = pt_size_list(o, "size", 0);
  int64_t fill = pt_int(o, "fill_value", -1);
  weft_value *shape[2] = {size, front_list(b, &(int64_t){rank}, 1)};
  weft_value *parts[2] = {front_do(b, "NonZero", v, NULL, NULL), NULL};
  if (b->failed)
    return;
  if (!rank)  // a place in a number has no coordinates
    parts[0] = front_part(b, parts[0], 1, 0, 0);
  parts[1] = front_filled(b, front_joined(b, shape, 2, 0), front_index(b, fill));
  weft_value *y = front_joined(b, parts, 2, 0);
  pt_result(o, 0, front_sliced(b, y, 0, front_list(b, &(int64_t){0}, 1), size, NULL));
}
static void index_nonzero_each(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, pt_has(o, "condition") ? "condition" : "self");
  v = front_rank_of(b, v) == 0 ? front_flat(b, v) : v;
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
    {"_unsafe_masked_index", NULL, 0, index_masked, 0},
    {"_unsafe_masked_index_put_accumulate", NULL, 0, index_put_masked, 0},
    {"index_select", NULL, 0, index_select, 0},
    {"gather", NULL, 0, index_gather, 0},
    {"take_along_dim", NULL, 0, index_take_along, 0},
    {"take", NULL, 0, index_take, 0},
    {"masked_fill", NULL, 0, index_masked_fill, 0},
    {"masked_select", NULL, 0, index_masked_select, 0},
    {"masked_scatter", NULL, 0, index_masked_scatter, 0},
    {"nonzero", NULL, 0, index_nonzero, 0},
    {"nonzero_static", NULL, 0, index_nonzero_static, 0},
    {"nonzero_numpy", NULL, 0, index_nonzero_each, 0},
    {"where.default", NULL, 0, index_nonzero_each, 0},
};
const pt_rows pt_index = PT_ROWS(index_rows_table);
// SPDX-License-Identifier: Apache-2.0
