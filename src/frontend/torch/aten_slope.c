// aten_slope.c - gradients of what was sampled along axes: torch.gradient, by differences of second order.
#include "frontend/torch/tables.h"

typedef struct slope {
  weft_value *v;
  int64_t axis;
  weft_value *step;  // from each place to the next: a vector; NULL: they are `even` apart
  double even;
} slope;

// A vector along the axis.
static weft_value *slope_along(front_op *b, const slope *s, weft_value *v) {
  int64_t dims[WEFT_MAX_RANK];
  const int rank = front_rank_of(b, s->v);
  for (int i = 0; i < rank; i++)
    dims[i] = i == s->axis ? -1 : 1;
  return b->failed ? NULL : front_reshaped(b, v, dims, (size_t)rank);
}
// Steps [from, to), or the one that all are.
static weft_value *slope_steps(front_op *b, const slope *s, int64_t from, int64_t to) {
  if (!s->step)
    return front_num(b, s->v->fact.dtype, s->even);
  return slope_along(b, s, front_part(b, s->step, 0, from, to));
}

// Differences of neighbours by their steps: (v[i + 1] - v[i]) / step[i].
static weft_value *slope_differences(front_op *b, const slope *s) {
  weft_value *later = front_part(b, s->v, s->axis, 1, INT64_MAX);
  weft_value *d = front_do(b, "Sub", later, front_part(b, s->v, s->axis, 0, -1), NULL);
  return b->failed ? NULL : front_do(b, "RealDiv", d, slope_steps(b, s, 0, INT64_MAX), NULL);
}

// The slope at an end of three places goes on as that between the first two changes on the way to the next.
static weft_value *slope_end(front_op *b, weft_value *own, weft_value *next, weft_value *step,
                             weft_value *other) {
  weft_value *change = front_do(b, "RealDiv", front_do(b, "Sub", own, next, NULL),
                                front_do(b, "Add", step, other, NULL), NULL);
  return front_do(b, "Add", own, front_do(b, "Mul", change, step, NULL), NULL);
}

// Within, the slope of the parabola through three places: both neighbours' differences, each weighed by the
// other's step.
static weft_value *slope_of(pt_op *o, const slope *s, int64_t order) {
  front_op *b = &o->b;
  weft_value *d = slope_differences(b, s);
  const int64_t axis = s->axis;
  if (b->failed)
    return NULL;
  weft_value *left = front_part(b, d, axis, 0, -1);
  weft_value *right = front_part(b, d, axis, 1, INT64_MAX);
  weft_value *h = slope_steps(b, s, 0, -1);
  weft_value *k = slope_steps(b, s, 1, INT64_MAX);
  weft_value *sum =
      front_do(b, "Add", front_do(b, "Mul", left, k, NULL), front_do(b, "Mul", right, h, NULL), NULL);
  weft_value *parts[3] = {front_part(b, d, axis, 0, 1),
                          front_do(b, "RealDiv", sum, front_do(b, "Add", h, k, NULL), NULL),
                          front_part(b, d, axis, -1, INT64_MAX)};
  if (order == 2) {
    parts[0] = slope_end(b, parts[0], front_part(b, d, axis, 1, 2), slope_steps(b, s, 0, 1),
                         slope_steps(b, s, 1, 2));
    parts[2] = slope_end(b, parts[2], front_part(b, d, axis, -2, -1), slope_steps(b, s, -1, INT64_MAX),
                         slope_steps(b, s, -2, -1));
  }
  return b->failed ? NULL : front_joined(b, parts, 3, axis);
}

// How far places are apart: one number for all axes, one for each, or coordinates for each.
static void slope_spacing(pt_op *o, slope *s, size_t i, size_t n) {
  front_op *b = &o->b;
  const char *key = "";
  const weft_json *list = pt_only(pt_find(o, "spacing"), &key);
  s->even = 1;
  if (!list)
    return;
  if (list->kind != WEFT_JSON_ARRAY) {
    s->even = pt_float(o, "spacing", 1);
    return;
  }
  if (list->n != n) {
    front_fail(b, WEFT_E_INVALID, "%zu spacings for %zu axes", list->n, n);
    return;
  }
  if (strcmp(key, "as_tensors")) {
    const weft_json *inner = pt_only(&list->items[i], &key);
    s->even = (inner ? inner : &list->items[i])->f;
    return;
  }
  weft_value **v;
  (void)pt_tensors(o, "spacing", &v);
  weft_value *x = b->failed ? NULL : front_as(b, front_flat(b, v[i]), s->v->fact.dtype);
  s->step = front_do(b, "Sub", front_part(b, x, 0, 1, INT64_MAX), front_part(b, x, 0, 0, -1), NULL);
}

static void slope_gradient(pt_op *o) {
  front_op *b = &o->b;
  int64_t axes[PT_MAX_NUMBERS];
  weft_value *v = front_as(b, pt_tensor(o, "self"), pt_out_type(o, 0));
  const int rank = front_rank_of(b, v);
  const int64_t order = pt_int(o, "edge_order", 1);
  size_t n = pt_axes(o, "dim", rank, axes);
  if (!b->failed && (order < 1 || order > 2 || n != o->n_out))
    front_fail(b, WEFT_E_INVALID, "gradients of edge order %lld along %zu axes, of which the node names %zu",
               (long long)order, n, o->n_out);
  for (size_t i = 0; i < n && !b->failed; i++) {
    slope s = {.v = v, .axis = axes[i]};
    slope_spacing(o, &s, i, n);
    if (!b->failed)
      pt_result(o, i, slope_of(o, &s, order));
  }
}

static const pt_row slope_rows[] = {
    {"gradient", NULL, 0, slope_gradient, 0},
};
const pt_rows pt_slope = PT_ROWS(slope_rows);
// SPDX-License-Identifier: Apache-2.0
