// aten_scatter.c - what is written at places along an axis: scatter and its like, rows by their index, parts
// that are replaced, elements of the flat tensor. A number is written to as a vector of one element.
#include <math.h>

#include "frontend/torch/tables.h"

typedef enum scatter_how {
  SCATTER_COPY,
  SCATTER_ADD,
  SCATTER_MUL,
  SCATTER_MAX,
  SCATTER_MIN,
  SCATTER_MEAN
} scatter_how;

typedef struct scatter_to {
  weft_value *self;
  int64_t axis;
  bool number;    // self was one
  bool and_self;  // what stands there takes part in the reduction
} scatter_to;

static weft_value *scatter_vector(front_op *b, weft_value *v) {
  return front_rank_of(b, v) == 0 ? front_flat(b, v) : v;
}
static scatter_to scatter_begin(pt_op *o) {
  scatter_to to = {.self = pt_tensor(o, "self")};
  to.number = front_rank_of(&o->b, to.self) == 0;
  to.self = scatter_vector(&o->b, to.self);
  to.axis = pt_axis(o, "dim", 0, front_rank(to.self));
  to.and_self = pt_bool(o, "include_self", true);
  return to;
}
static void scatter_end(pt_op *o, const scatter_to *to, weft_value *y) {
  pt_result(o, 0, to->number ? front_reshaped(&o->b, y, NULL, 0) : y);
}

static weft_value *scatter_elements(front_op *b, weft_value *self, weft_value *at, weft_value *v,
                                    int64_t axis, scatter_how how) {
  static const char *const names[] = {"none", "add", "mul", "max", "min", "add"};
  front_set_int(b, "axis", axis);
  front_set_text(b, "reduction", names[how]);
  return front_do(b, "ScatterElements", self, at, v);
}

static scatter_how scatter_reduction(pt_op *o) {
  static const struct {
    const char *name;
    scatter_how how;
  } names[] = {{"add", SCATTER_ADD},  {"sum", SCATTER_ADD},  {"multiply", SCATTER_MUL}, {"prod", SCATTER_MUL},
               {"amax", SCATTER_MAX}, {"amin", SCATTER_MIN}, {"mean", SCATTER_MEAN}};
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (pt_is(o, "reduce", "", names[i].name))
      return names[i].how;
  }
  if (pt_find(o, "reduce"))
    front_fail(&o->b, WEFT_E_UNSUPPORTED,
               "argument 'reduce' is none of sum, prod, mean, amax, amin, add, multiply");
  return SCATTER_COPY;
}

// Where something is written, self starts with what the reduction leaves as it is.
static weft_value *scatter_neutral(front_op *b, const scatter_to *to, weft_value *at, weft_value *v,
                                   scatter_how how) {
  if (how != SCATTER_MAX && how != SCATTER_MIN && !b->failed) {
    weft_value *neutral = front_num(b, to->self->fact.dtype, how == SCATTER_MUL);
    v = front_expanded(b, neutral, front_shape(b, at));
  }
  return scatter_elements(b, to->self, at, v, to->axis, SCATTER_COPY);
}

// A sum divided by how many numbers it has; of integers, rounded down.
static weft_value *scatter_mean(front_op *b, const scatter_to *to, weft_value *at, weft_value *sum) {
  if (b->failed)
    return NULL;
  weft_dtype t = to->self->fact.dtype;
  weft_value *one = front_num(b, t, 1);
  weft_value *ones = front_expanded(b, one, front_shape(b, at));
  weft_value *n = front_do(b, to->and_self ? "OnesLike" : "ZerosLike", to->self, NULL, NULL);
  n = front_do(b, "Maximum", scatter_elements(b, n, at, ones, to->axis, SCATTER_ADD), one, NULL);
  return front_do(b, weft_dtype_is_integer(t) ? "FloorDiv" : "RealDiv", sum, n, NULL);
}

// Elements of v, each at the place along the axis that `at`, of the same shape, says.
static void scatter_each(pt_op *o, scatter_to to, weft_value *at, weft_value *v, scatter_how how) {
  front_op *b = &o->b;
  if (!to.and_self)
    to.self = scatter_neutral(b, &to, at, v, how);
  weft_value *y = scatter_elements(b, to.self, at, v, to.axis, how);
  scatter_end(o, &to, how == SCATTER_MEAN ? scatter_mean(b, &to, at, y) : y);
}

// The part of src that has the shape of the index.
static weft_value *scatter_cut(front_op *b, weft_value *src, weft_value *at) {
  int rank = front_rank_of(b, at);
  for (int i = 0; i < rank && !b->failed; i++) {
    if (front_same_dim(at, i, src, i))
      continue;
    src = front_sliced(b, src, i, front_list(b, &(int64_t){0}, 1), front_dim_list(b, at, i), NULL);
  }
  return src;
}

static void scatter_with(pt_op *o, scatter_how how) {
  front_op *b = &o->b;
  scatter_to to = scatter_begin(o);
  weft_value *at = scatter_vector(b, front_as(b, pt_tensor(o, "index"), WEFT_INT64));
  if (b->failed)
    return;
  weft_dtype t = to.self->fact.dtype;
  weft_value *v = pt_find(o, "src")
                      ? scatter_cut(b, scatter_vector(b, front_as(b, pt_tensor(o, "src"), t)), at)
                      : front_expanded(b, pt_operand(o, "value", t), front_shape(b, at));
  scatter_each(o, to, at, v, how);
}
static void scatter_scatter(pt_op *o) {
  scatter_with(o, scatter_reduction(o));
}
static void scatter_add(pt_op *o) {
  scatter_with(o, SCATTER_ADD);
}

// ---- rows ----
// A vector of places along an axis as an index for every element of v.
static weft_value *scatter_spread(front_op *b, weft_value *at, weft_value *v, int64_t axis) {
  int64_t dims[WEFT_MAX_RANK];
  int rank = front_rank_of(b, v);
  for (int i = 0; i < rank; i++)
    dims[i] = i == axis ? -1 : 1;
  at = front_as(b, at, WEFT_INT64);
  return b->failed ? NULL : front_expanded(b, front_reshaped(b, at, dims, (size_t)rank), front_shape(b, v));
}

static void scatter_rows_of(pt_op *o, scatter_how how) {
  front_op *b = &o->b;
  scatter_to to = scatter_begin(o);
  weft_value *v = scatter_vector(b, pt_tensor(o, "source"));
  if (b->failed)
    return;
  weft_dtype t = to.self->fact.dtype;
  v = front_as(b, v, t);
  if (pt_find(o, "alpha")) {  // of natural numbers a negative one wraps around
    weft_value *alpha = pt_operand(o, "alpha", weft_dtype_is_integer(t) ? (weft_dtype)WEFT_INT64 : t);
    v = front_do(b, "Mul", v, front_as(b, alpha, t), NULL);
  }
  scatter_each(o, to, scatter_spread(b, pt_tensor(o, "index"), v, to.axis), v, how);
}
static void scatter_index_add(pt_op *o) {
  scatter_rows_of(o, SCATTER_ADD);
}
static void scatter_index_copy(pt_op *o) {
  scatter_rows_of(o, SCATTER_COPY);
}
static void scatter_index_reduce(pt_op *o) {
  scatter_rows_of(o, scatter_reduction(o));
}

static void scatter_index_fill(pt_op *o) {
  front_op *b = &o->b;
  scatter_to to = scatter_begin(o);
  weft_value *at = front_flat(b, pt_tensor(o, "index"));
  if (b->failed)
    return;
  weft_value *number = pt_operand(o, "value", to.self->fact.dtype);
  weft_value *rows = front_picked(b, to.self, to.axis, at);
  weft_value *v = front_expanded(b, number, front_shape(b, rows));
  scatter_each(o, to, scatter_spread(b, at, rows, to.axis), v, SCATTER_COPY);
}

// ---- parts that are replaced ----
static void scatter_select(pt_op *o) {
  front_op *b = &o->b;
  scatter_to to = scatter_begin(o);
  weft_value *part = front_unsqueezed(b, pt_tensor(o, "src"), to.axis);
  weft_value *at = scatter_spread(b, pt_size_list(o, "index", 0), part, to.axis);
  if (!b->failed)
    scatter_each(o, to, at, front_as(b, part, to.self->fact.dtype), SCATTER_COPY);
}

static void scatter_slice(pt_op *o) {
  front_op *b = &o->b;
  scatter_to to = scatter_begin(o);
  int64_t step = pt_int(o, "step", 1);
  weft_value *part = pt_tensor(o, "src");
  weft_value *all = front_counting(b, front_dim_index(b, to.self, to.axis));
  weft_value *first = pt_size_list(o, "start", 0);
  weft_value *end = pt_size_list(o, "end", INT64_MAX);
  weft_value *places = front_sliced(b, all, 0, first, end, step == 1 ? NULL : front_list(b, &step, 1));
  weft_value *at = scatter_spread(b, places, part, to.axis);
  if (!b->failed)
    scatter_each(o, to, at, front_as(b, part, to.self->fact.dtype), SCATTER_COPY);
}

// Elements of the flat tensor.
static void scatter_put(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *at = front_as(b, front_flat(b, pt_tensor(o, "index")), WEFT_INT64);
  weft_value *v = front_flat(b, pt_tensor(o, "source"));
  scatter_how how = pt_bool(o, "accumulate", false) ? SCATTER_ADD : SCATTER_COPY;
  if (b->failed)
    return;
  weft_value *y = scatter_elements(b, front_flat(b, self), at, front_as(b, v, self->fact.dtype), 0, how);
  pt_result(o, 0, front_reshape(b, y, front_shape(b, self)));
}

// ---- segments ----
// Which segment each row belongs to: how many segments end at it or in front of it.
static weft_value *scatter_segments(front_op *b, weft_value *ends, weft_value *rows) {
  weft_value *past = front_do(b, "LessEqual", ends, front_unsqueezed(b, front_counting(b, rows), 1), NULL);
  return front_reduced(b, "ReduceSum", front_as(b, past, WEFT_INT64), &(int64_t){1}, 1, false);
}

// Rows one after the other, as many in each segment as its length or the distance of its offsets says.
static void scatter_segment_reduce(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "data");
  scatter_how how = pt_is(o, "reduce", "", "max")   ? SCATTER_MAX
                    : pt_is(o, "reduce", "", "min") ? SCATTER_MIN
                                                    : scatter_reduction(o);
  weft_value *lengths = pt_optional(o, "lengths");
  weft_value *offsets = pt_optional(o, "offsets");
  if (!b->failed && (pt_int(o, "axis", 0) || front_rank_of(b, lengths ? lengths : offsets) != 1))
    front_fail(b, WEFT_E_UNSUPPORTED, "segments along another axis than the first are not read");
  if (b->failed)
    return;
  weft_value *ends = offsets ? front_part(b, offsets, 0, 1, INT64_MAX)
                             : front_do(b, "Cumsum", lengths, front_index(b, 0), NULL);
  if (offsets)
    lengths = front_do(b, "Sub", ends, front_part(b, offsets, 0, 0, -1), NULL);
  const weft_dtype t = v->fact.dtype;
  const double neutral = how == SCATTER_MAX ? -HUGE_VAL : how == SCATTER_MIN ? HUGE_VAL : how == SCATTER_MUL;
  const bool given = pt_find(o, "initial") != NULL;
  weft_value *first = given ? pt_operand(o, "initial", t) : front_num(b, t, neutral);
  weft_value *parts[2] = {front_dim_list(b, ends, 0), front_part(b, front_shape(b, v), 0, 1, INT64_MAX)};
  weft_value *base = front_filled(b, b->failed ? NULL : front_joined(b, parts, 2, 0), first);
  weft_value *at = scatter_segments(b, front_as(b, ends, WEFT_INT64), front_dim_index(b, v, 0));
  weft_value *y = scatter_elements(b, base, scatter_spread(b, at, v, 0), v, 0, how);
  if (how == SCATTER_MEAN && !b->failed) {
    int64_t dims[WEFT_MAX_RANK];
    for (int i = 0; i < front_rank(v); i++)
      dims[i] = i ? 1 : -1;
    weft_value *n = front_reshaped(b, front_as(b, lengths, t), dims, (size_t)front_rank(v));
    if (given)  // stays where a segment has no rows
      n = front_do(b, "Maximum", n, front_num(b, t, 1), NULL);
    y = front_do(b, "RealDiv", y, n, NULL);
  }
  pt_result(o, 0, y);
}

static const pt_row scatter_rows[] = {
    {"segment_reduce", NULL, 0, scatter_segment_reduce, 0},
    {"scatter", NULL, 0, scatter_scatter, 0},
    {"scatter_add", NULL, 0, scatter_add, 0},
    {"scatter_reduce", NULL, 0, scatter_scatter, 0},
    {"index_add", NULL, 0, scatter_index_add, 0},
    {"index_copy", NULL, 0, scatter_index_copy, 0},
    {"index_reduce", NULL, 0, scatter_index_reduce, 0},
    {"index_fill", NULL, 0, scatter_index_fill, 0},
    {"select_scatter", NULL, 0, scatter_select, 0},
    {"slice_scatter", NULL, 0, scatter_slice, 0},
    {"put", NULL, 0, scatter_put, 0},
};
const pt_rows pt_scatter = PT_ROWS(scatter_rows);
// SPDX-License-Identifier: Apache-2.0
