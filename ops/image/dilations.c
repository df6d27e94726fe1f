// ops/image/dilations.c - y = the largest of x + filter over each window, grey dilation, and its gradients.
// AscendIR Dilation2D, Dilation2DBackpropInput, Dilation2DBackpropFilter. x is [batch, height, width,
// channels], the filter [height, width, channels]; with NCHW channels stand before height and width in both.
// Elements outside x do not count; a gradient goes to the first tap that gave the largest sum.
#include "cells.h"
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

typedef enum { DILATE, DILATE_INPUT, DILATE_FILTER } dilate_what;
typedef struct dilate_plan {
  bool last;
  weft_pad_mode mode;
  weft_window w[2];
} dilate_plan;

static weft_status dilate_pair(weft_diag *d, const weft_op_desc *n, const char *name, bool last,
                               int64_t out[2]) {
  weft_ints v = weft__ints_named(n, name);
  if (v.n != 4)
    return weft_fail(d, WEFT_E_SHAPE, "attribute '%s' has %zu elements, expected 4", name, v.n);
  out[0] = v.v[last ? 1 : 2];
  out[1] = v.v[last ? 2 : 3];
  return WEFT_OK;
}
static weft_status dilate_read(weft_diag *d, const weft_op_desc *n, const weft_shape *filter,
                               dilate_plan *p) {
  int64_t stride[2];
  int64_t rate[2];
  weft_ints pads = weft__ints_named(n, "pads");
  p->last = weft__channels_last(weft__text_named(n, "data_format"));
  p->mode = weft__pad_mode(weft__text_named(n, "padding_mode"));
  WEFT_TRY(dilate_pair(d, n, "strides", p->last, stride));
  WEFT_TRY(dilate_pair(d, n, "rates", p->last, rate));
  if (p->mode == WEFT_PAD_EXPLICIT && pads.n != 4)
    return weft_fail(d, WEFT_E_SHAPE, "attribute 'pads' has %zu elements, expected 4", pads.n);
  for (int i = 0; i < 2; i++) {
    weft_window *w = &p->w[i];
    *w = (weft_window){filter->dim[i + !p->last], stride[i], rate[i], 0, 0};
    if (p->mode == WEFT_PAD_EXPLICIT) {
      w->begin = pads.v[2 * i];
      w->end = pads.v[2 * i + 1];
    }
    if (w->kernel == 0 || w->stride < 1 || w->dilation < 1 || w->begin < 0 || w->end < 0)
      return weft_fail(d, WEFT_E_RANGE,
                       "windows along axis %d: a filter of %lld, a stride of %lld, a rate of %lld, pads %lld "
                       "and %lld: the first three are at least 1, pads at least 0",
                       i, (long long)w->kernel, (long long)w->stride, (long long)w->dilation,
                       (long long)w->begin, (long long)w->end);
  }
  return WEFT_OK;
}

static weft_status dilate_spots(weft_symbols *symbols, weft_diag *d, const weft_op_desc *n,
                                const weft_shape *x, const dilate_plan *p, weft_shape *y) {
  weft_shape_copy(y, x);
  for (size_t i = 0; i < 2; i++) {
    size_t axis = i + (p->last ? 1 : 2);
    const weft_window_axis over = {.what = "input 'x'",
                                   .in = x->dim[axis],
                                   .window = p->w[i],
                                   .mode = p->mode,
                                   .ceil = weft__flag_named(n, "ceil_mode")};
    WEFT_TRY(weft__window_out(symbols, d, &over, &y->dim[axis]));
  }
  return WEFT_OK;
}

static weft_status dilate_infer(weft_infer *it) {
  const dilate_what what = *(const dilate_what *)it->desc->op->user;
  const weft_shape *x = it->in[0];
  const weft_shape *f = it->in[1];
  dilate_plan p;
  weft_shape y;
  weft_dim ignored;
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  WEFT_TRY(weft__expect_rank(it, 1, 3, 3));
  if (what != DILATE)
    WEFT_TRY(weft__expect_rank(it, 2, 4, 4));
  if (what != DILATE)
    weft_shape_copy(it->out[0], what == DILATE_INPUT ? x : f);
  if (weft_shape_is_unknown_rank(x) || weft_shape_is_unknown_rank(f))
    return what == DILATE ? weft__unknown_dims(it, 0, 4) : WEFT_OK;
  WEFT_TRY(dilate_read(it->d, it->desc, f, &p));
  WEFT_TRY(weft__merge_dim(it, x->dim[p.last ? 3 : 1], f->dim[p.last ? 2 : 0], "channels of 'x' and 'filter'",
                           &ignored));
  WEFT_TRY(dilate_spots(it->symbols, it->d, it->desc, x, &p, &y));
  if (what == DILATE)
    weft_shape_copy(it->out[0], &y);
  for (size_t i = 0; i < 4 && what != DILATE && !weft_shape_is_unknown_rank(it->in[2]); i++)
    WEFT_TRY(weft__merge_dim(it, y.dim[i], it->in[2]->dim[i], "the dilation and 'out_backprop'", &ignored));
  return WEFT_OK;
}

typedef struct dilate_run {
  const weft_call *c;
  dilate_what what;
  dilate_plan p;
  int64_t in[2], out[2];
  size_t channels;
  weft_sums sums;
  size_t work;
} dilate_run;

// Element y, x of a channel; `high` rows of `wide`; image 0 of a filter.
static size_t dilate_at(const dilate_run *r, size_t image, const int64_t at[2], const int64_t size[2],
                        size_t channel) {
  size_t spot = (size_t)(at[0] * size[1] + at[1]);
  size_t plane = (size_t)size[0] * (size_t)size[1];
  return r->p.last ? (image * plane + spot) * r->channels + channel
                   : (image * r->channels + channel) * plane + spot;
}

static weft_status dilate_one(dilate_run *r, size_t image, const int64_t spot[2], size_t channel) {
  const weft_tensor *x = r->c->in[0];
  const weft_tensor *f = r->c->in[1];
  const weft_window *w = r->p.w;
  const int64_t taps[2] = {w[0].kernel, w[1].kernel};
  int64_t from[2];
  int64_t start[2];
  int64_t n[2];
  double most = -INFINITY;
  size_t best[2] = {0, 0};
  bool any = false;
  for (int i = 0; i < 2; i++) {
    start[i] = spot[i] * w[i].stride - w[i].begin;
    n[i] = weft__window_clip(&w[i], start[i], r->in[i], &from[i]);
  }
  WEFT_TRY(weft__poll_work(r->c, &r->work, (size_t)n[0] * (size_t)n[1] + 1));
  for (int64_t a = from[0]; a < from[0] + n[0]; a++) {
    for (int64_t b = from[1]; b < from[1] + n[1]; b++) {
      const int64_t place[2] = {start[0] + a * w[0].dilation, start[1] + b * w[1].dilation};
      size_t in = dilate_at(r, image, place, r->in, channel);
      size_t tap = dilate_at(r, 0, (const int64_t[2]){a, b}, taps, channel);
      double v = weft_load_f64(x->dtype, x->data, in) + weft_load_f64(f->dtype, f->data, tap);
      if (!any || v > most) {
        most = v;
        best[0] = in;
        best[1] = tap;
      }
      any = true;
    }
  }
  size_t out = dilate_at(r, image, spot, r->out, channel);
  if (r->what == DILATE)
    weft_store_f64(r->c->out[0]->dtype, r->c->out[0]->data, out, most);
  else if (any)
    weft__sums_add(&r->sums, best[r->what == DILATE_FILTER], r->c->in[2], out);
  return WEFT_OK;
}

static weft_status dilate_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  dilate_run r = {.c = c, .what = *(const dilate_what *)c->desc->op->user};
  weft_shape y;
  if (!c->out[0] || !weft__elems(&c->out[0]->layout.origin))
    return WEFT_OK;
  WEFT_TRY(dilate_read(c->d, c->desc, &c->in[1]->layout.origin, &r.p));
  WEFT_TRY(dilate_spots(NULL, c->d, c->desc, x, &r.p, &y));
  r.channels = (size_t)x->dim[r.p.last ? 3 : 1];
  for (size_t i = 0; i < 2; i++) {
    r.in[i] = x->dim[i + (r.p.last ? 1 : 2)];
    r.out[i] = y.dim[i + (r.p.last ? 1 : 2)];
    weft__window_resolve(&r.p.w[i], r.p.mode, r.in[i], r.out[i]);
  }
  if (r.what != DILATE)
    WEFT_TRY(weft__sums_begin(c, c->out[0]->dtype, weft__elems(&c->out[0]->layout.origin), &r.sums));
  size_t all = (size_t)x->dim[0] * r.channels * (size_t)(r.out[0] * r.out[1]);
  for (size_t i = 0; i < all; i++) {
    size_t spot = i / r.channels % (size_t)(r.out[0] * r.out[1]);
    size_t image = i / r.channels / (size_t)(r.out[0] * r.out[1]);
    const int64_t at[2] = {(int64_t)(spot / (size_t)r.out[1]), (int64_t)(spot % (size_t)r.out[1])};
    WEFT_TRY(dilate_one(&r, image, at, i % r.channels));
  }
  return r.what == DILATE ? WEFT_OK : weft__sums_store(c, &r.sums, c->out[0]);
}

#define DILATION(op_name, says, what, ...)                                                    \
  {                                                                                           \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = dilate_infer,         \
    .ref = dilate_ref, .user = (&(const dilate_what){what}), .examples = WEFT_EXAMPLES(__VA_ARGS__) \
  }
#define ONES "strides=[1,1,1,1] rates=[1,1,1,1] padding_mode=\"VALID\""

WEFT_ROWS(dilations) = {
    DILATION("Dilation2D", "the largest of each window after adding a filter", DILATE,
             "f32[1,1,3,1]{1,2,4}, f32[1,2,1]{3,0} " ONES " -> f32[1,1,2,1]{4,5}",
             "f32[1,1,3,1]{1,2,4}, f32[1,2,1]{3,0} strides=[1,1,1,1] rates=[1,1,1,1] -> f32[1,1,3,1]{4,5,7}",
             "f32[N,4,4,2], f32[2,2,2] " ONES " -> f32[N,3,3,2]",
             "f32[1,1,3,1], f32[1,2,2] " ONES " !! E_SHAPE 1 and 2 differ"),
    DILATION("Dilation2DBackpropInput", "the gradient of Dilation2D with respect to x", DILATE_INPUT,
             "f32[1,1,3,1]{1,2,4}, f32[1,2,1]{3,0}, f32[1,1,2,1]{5,6} " ONES " -> f32[1,1,3,1]{5,6,0}"),
    DILATION("Dilation2DBackpropFilter", "the gradient of Dilation2D with respect to the filter",
             DILATE_FILTER,
             "f32[1,1,3,1]{1,2,4}, f32[1,2,1]{3,0}, f32[1,1,2,1]{5,6} " ONES " -> f32[1,2,1]{11,0}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
