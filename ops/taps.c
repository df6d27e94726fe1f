// taps.c - maps along axes, one axis after the other. Each output's elements and weights are made once, used
// for the whole tensor and forgotten, so that an axis costs the memory of one of its outputs.
#include "taps.h"

#include "arrays.h"

typedef struct taps_step {
  const weft_call *c;
  const weft_taps *t;
  size_t outer, inner;
  const double *from;
  double *to;
  bool back;
  size_t *index;
  double *weight;
  size_t work;
} taps_step;

static weft_status taps_one(taps_step *s, size_t at, size_t n) {
  for (size_t o = 0; o < s->outer; o++) {
    const size_t whole = o * s->t->in;
    const size_t part = (o * s->t->out + at) * s->inner;
    WEFT_TRY(weft__poll_work(s->c, &s->work, n * s->inner));
    for (size_t k = 0; k < n; k++) {
      const size_t element = (whole + s->index[k]) * s->inner;
      const double w = s->weight[k];
      for (size_t i = 0; i < s->inner && !s->back; i++)
        s->to[part + i] += w * s->from[element + i];
      for (size_t i = 0; i < s->inner && s->back; i++)
        s->to[element + i] += w * s->from[part + i];
    }
  }
  return WEFT_OK;
}

static weft_status taps_axis(taps_step *s, size_t elems) {
  const weft_taps *t = s->t;
  void *space;
  WEFT_TRY(weft__scratch(s->c, elems, &space));
  s->to = space;
  memset(s->to, 0, elems * sizeof(double));
  WEFT_TRY(weft__scratch(s->c, t->most, &space));
  s->index = space;
  WEFT_TRY(weft__scratch(s->c, t->most, &space));
  s->weight = space;
  for (size_t at = 0; at < t->out; at++) {
    WEFT_TRY(weft__poll_work(s->c, &s->work, t->most));
    WEFT_TRY(taps_one(s, at, t->fill(t, at, s->index, s->weight)));
  }
  s->from = s->to;
  return WEFT_OK;
}

weft_status weft__taps_run(const weft_call *c, const weft_tensor *x, weft_tensor *y, const weft_taps *taps,
                           size_t n, bool back) {
  weft_shape now = x->layout.origin;
  taps_step s = {.c = c, .back = back};
  double *from;
  if (!weft__elems(&now)) {  // sums of nothing, with no tensor in between
    memset(y->data, 0, y->bytes);
    return WEFT_OK;
  }
  WEFT_TRY(weft__load_f64s(c, x, &from));
  s.from = from;
  for (size_t k = 0; k < n; k++) {
    size_t elems = 1;
    s.t = &taps[k];
    s.outer = weft__prod(&now, 0, s.t->axis);
    s.inner = weft__prod(&now, s.t->axis + 1, now.rank);
    now.dim[s.t->axis] = (weft_dim)(back ? s.t->in : s.t->out);
    for (size_t i = 0; i < now.rank; i++) {
      if (!weft_mul_size(elems, (size_t)now.dim[i], &elems))
        return weft_fail(c->d, WEFT_E_OVERFLOW, "an intermediate tensor passes the address space");
    }
    WEFT_TRY(taps_axis(&s, elems));
  }
  bool whole = weft_dtype_is_integer(y->dtype);
  for (size_t i = 0, all = weft__elems(&y->layout.origin); i < all; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(y->dtype, y->data, i, whole ? floor(s.from[i] + 0.5) : s.from[i]);
  }
  return WEFT_OK;
}

static size_t taps_resize_fill(const weft_taps *t, size_t at, size_t *index, double *weight) {
  double x = weft__resize_place(&t->rule, &t->along, at);
  if (t->stepped)
    x = floor(x) + nearbyint((x - floor(x)) * 1024) / 1024;
  if (t->rule.mode == WEFT_RESIZE_NEAREST) {
    index[0] = weft__resize_nearest(&t->rule, &t->along, x);
    weight[0] = 1;
    return 1;
  }
  const size_t reach = t->most / 2;
  const double by = weft__resize_weigh(&t->rule, &t->along, x, reach, weight);
  for (size_t k = 0; k < t->most; k++) {
    index[k] = weft__resize_clamped(weft__resize_tap(x, reach, k), t->in);
    weight[k] /= by;
  }
  return t->most;
}

weft_taps weft__taps_resize(const weft_resize_rule *r, size_t axis, size_t in, size_t out, double scale) {
  const weft_resize_axis by_size = weft__resize_by_size(in, out);
  weft_taps t = {.axis = axis, .in = in, .out = out, .fill = taps_resize_fill, .rule = *r, .along = by_size};
  if (scale > 0) {
    t.along.scale = scale;
    t.along.length = scale * (double)in;
  }
  t.most = r->mode == WEFT_RESIZE_NEAREST ? 1 : r->mode == WEFT_RESIZE_LINEAR ? 2 : 4;
  return t;
}
// SPDX-License-Identifier: Apache-2.0
