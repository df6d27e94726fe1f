// adaptive.c - pools whose windows cut the input most evenly: from floor(i * in / out) to
// ceil((i + 1) * in / out). Where the windows are of one size they are an ordinary pool; these are not, or
// their sizes are known only when the model runs.
#include "base/allocated.h"
#include "emit/emit.h"

enum { ADAPTIVE_OUT = 1 << 16, ADAPTIVE_PLACES = 1 << 24 };

// One axis: how long it is and how many windows there are; -1: known when the model runs.
typedef struct adaptive {
  int axis;
  int64_t in, out;
  weft_value *length, *windows;  // the same as INT64 [], where one of them is -1
} adaptive;

static int64_t adaptive_from(int64_t i, int64_t in, int64_t out) {
  return i * in / out;
}
static int64_t adaptive_to(int64_t i, int64_t in, int64_t out) {
  return ((i + 1) * in + out - 1) / out;
}

static bool adaptive_known(const adaptive *a) {
  return a->in >= 0 && a->out >= 0;
}

static bool adaptive_of(front_op *o, weft_value *v, int axis, const front_pooled *p, adaptive *a) {
  const size_t i = (size_t)(axis - (front_rank(v) - (int)p->n));
  const weft_dim in = front_dim(v, axis);
  *a = (adaptive){.axis = axis, .in = in < 0 ? -1 : in, .out = p->want[i] < 0 ? -1 : p->want[i]};
  bool wrong = a->out == 0 || a->in == 0 || a->out > ADAPTIVE_OUT;
  if (wrong || (adaptive_known(a) && a->in > ADAPTIVE_PLACES / a->out))
    front_fail(o, WEFT_E_LIMIT,
               "an adaptive pool of %lld elements to %lld: at least 1, at most %d and %d in all",
               (long long)a->in, (long long)a->out, ADAPTIVE_OUT, ADAPTIVE_PLACES);
  if (o->failed || adaptive_known(a))
    return !o->failed;
  a->length = front_dim_index(o, v, axis);
  weft_value *size = p->sizes && p->sizes[i] ? front_as(o, p->sizes[i], WEFT_INT64) : a->length;
  a->windows = a->out >= 0 ? front_index(o, a->out) : size;
  return !o->failed;
}

// Where the windows begin and where they end, INT64 [out] each.
static void adaptive_bounds(front_op *o, const adaptive *a, weft_value **from, weft_value **to) {
  weft_value *one = front_index(o, 1);
  weft_value *i = front_counting(o, a->windows);
  weft_value *next = front_do(o, "Mul", front_do(o, "Add", i, one, NULL), a->length, NULL);
  next = front_do(o, "Add", next, front_do(o, "Sub", a->windows, one, NULL), NULL);
  *from = front_do(o, "FloorDiv", front_do(o, "Mul", i, a->length, NULL), a->windows, NULL);
  *to = front_do(o, "FloorDiv", next, a->windows, NULL);
}

// ---- places ----
static weft_value *adaptive_known_places(front_op *o, const adaptive *a) {
  int64_t longest = 0;
  for (int64_t i = 0; i < a->out; i++)
    longest = WEFT_MAX(longest, adaptive_to(i, a->in, a->out) - adaptive_from(i, a->in, a->out));
  int64_t *places = WEFT_NEW_N(&o->f->arena, int64_t, (size_t)(a->out * longest) + 1);
  if (!o->failed)
    o->failed = weft__allocated(places, o->f->d);
  if (o->failed)
    return NULL;
  for (int64_t i = 0; i < a->out; i++) {
    for (int64_t k = 0; k < longest; k++)
      places[i * longest + k] =
          WEFT_MIN(adaptive_from(i, a->in, a->out) + k, adaptive_to(i, a->in, a->out) - 1);
  }
  const int64_t shape[2] = {a->out, longest};
  return front_reshaped(o, front_list(o, places, (size_t)(a->out * longest)), shape, 2);
}

// The places of all windows along an axis, [windows, places]; shorter windows repeat their last place.
static weft_value *adaptive_places(front_op *o, const adaptive *a) {
  weft_value *from;
  weft_value *to;
  if (adaptive_known(a))
    return adaptive_known_places(o, a);
  adaptive_bounds(o, a, &from, &to);
  weft_value *longest = front_do(o, "FloorDiv", a->length, a->windows, NULL);
  weft_value *steps = front_counting(o, front_do(o, "Add", longest, front_index(o, 2), NULL));
  weft_value *last = front_unsqueezed(o, front_do(o, "Sub", to, front_index(o, 1), NULL), 1);
  return front_do(o, "Minimum", front_do(o, "Add", front_unsqueezed(o, from, 1), steps, NULL), last, NULL);
}

// ---- means ----
// How many places each window has, INT64 [windows].
static weft_value *adaptive_sizes(front_op *o, const adaptive *a) {
  weft_value *from;
  weft_value *to;
  if (!adaptive_known(a)) {
    adaptive_bounds(o, a, &from, &to);
    return front_do(o, "Sub", to, from, NULL);
  }
  int64_t *sizes = WEFT_NEW_N(&o->f->arena, int64_t, (size_t)a->out);
  if (!o->failed)
    o->failed = weft__allocated(sizes, o->f->d);
  for (int64_t i = 0; i < a->out && !o->failed; i++)
    sizes[i] = adaptive_to(i, a->in, a->out) - adaptive_from(i, a->in, a->out);
  return front_list(o, sizes, (size_t)a->out);
}

// v as the axes from `axis` on of a tensor of the given rank.
static weft_value *adaptive_lead(front_op *o, weft_value *v, int axis, int rank) {
  while (!o->failed && front_rank(v) < rank - axis)
    v = front_unsqueezed(o, v, front_rank(v));
  return v;
}

// The mean along one axis in windows of different sizes: what stands outside of a window, be it NaN, is no
// part of it.
static weft_value *adaptive_mean(front_op *o, weft_value *v, const adaptive *a) {
  const int rank = front_rank(v);
  const weft_dtype t = v->fact.dtype;
  int64_t along = a->axis + 1;
  weft_value *places = adaptive_places(o, a);
  weft_value *sizes = adaptive_sizes(o, a);
  weft_value *wide = front_picked(o, v, a->axis, places);
  if (o->failed)
    return NULL;
  weft_value *steps = front_counting(o, front_dim_index(o, places, 1));
  weft_value *in = front_do(o, "Less", steps, front_unsqueezed(o, sizes, 1), NULL);
  wide = front_where(o, adaptive_lead(o, in, a->axis, rank + 1), wide, front_num(o, t, 0));
  weft_value *sum = front_reduced(o, "ReduceSum", wide, &along, 1, false);
  return front_do(o, "RealDiv", sum, adaptive_lead(o, front_as(o, sizes, t), a->axis, rank), NULL);
}

// ---- the largest ----
// at: the places of windows. *where: of what is largest so far in the axes behind this one, whose sizes are
// multiplied in *step; NULL: nobody asks.
static weft_value *adaptive_max(front_op *o, weft_value *v, const adaptive *a, weft_value **where,
                                weft_value **step) {
  int64_t last = a->axis + 1;
  int rank = front_rank(v);
  weft_value *places = adaptive_places(o, a);
  weft_value *wide = front_picked(o, v, a->axis, places);
  if (where && !o->failed) {
    weft_value *at = places;
    for (int i = last + 1; i < rank + 1; i++)
      at = front_unsqueezed(o, at, front_rank(at));
    front_set_bool(o, "keep_dims", true);
    front_set(o, "dtype", weft_attr_dtype(WEFT_INT64));
    weft_value *arg = front_do(o, "ArgMaxV2", wide, front_index(o, last), NULL);
    weft_value *all = front_do(o, "Mul", front_expanded(o, at, front_shape(o, wide)), *step, NULL);
    if (*where)
      all = front_do(o, "Add", all, front_picked(o, *where, a->axis, places), NULL);
    front_set_int(o, "dim", last);
    *where = front_squeezed(o, front_do(o, "GatherElements", all, arg, NULL), last);
    *step = front_do(o, "Mul", *step, front_dim_index(o, v, a->axis), NULL);
  }
  return front_reduced(o, "ReduceMax", wide, &last, 1, false);
}

weft_value *front_adaptive(front_op *o, weft_value *v, const front_pooled *p) {
  int rank = front_rank_of(o, v);
  if (o->failed)
    return NULL;
  const weft_dtype t = v->fact.dtype;
  const bool half = t == WEFT_FLOAT16 || t == WEFT_BF16;
  v = half && !p->largest ? front_as(o, v, WEFT_FLOAT) : v;  // sums of halves pass the largest one soon
  for (size_t i = 0; i < p->n && !o->failed; i++) {
    int axis = rank - (int)p->n + (int)i;
    adaptive a;
    const bool said = p->want[i] >= 0 || (p->sizes && p->sizes[i]);
    if (!said || (p->want[i] >= 0 && front_dim(v, axis) == p->want[i]))
      continue;
    if (p->want[i] == 1) {
      int64_t one = axis;
      v = front_reduced(o, p->largest ? "ReduceMax" : "ReduceMean", v, &one, 1, true);
    } else if (adaptive_of(o, v, axis, p, &a))
      v = p->largest ? adaptive_max(o, v, &a, NULL, NULL) : adaptive_mean(o, v, &a);
  }
  return front_as(o, v, t);
}

// From the last axis on: the first of equal ones lies in the first row that has one.
weft_value *front_adaptive_places(front_op *o, weft_value *v, const front_pooled *p, weft_value **where) {
  int rank = front_rank_of(o, v);
  weft_value *step = front_index(o, 1);
  *where = NULL;
  for (size_t i = p->n; i-- > 0 && !o->failed;) {
    adaptive a;
    if (adaptive_of(o, v, rank - (int)p->n + (int)i, p, &a))
      v = adaptive_max(o, v, &a, where, &step);
  }
  return v;
}
// SPDX-License-Identifier: Apache-2.0
