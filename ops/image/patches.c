// ops/image/patches.c - windows of pictures and volumes laid out as channels.   AscendIR ExtractImagePatches,
// ExtractVolumePatches (channels last, each window row by row, its channels innermost), Im2col (channels
// first: [batch, channels * window, windows]). What a window has beyond the picture is 0.
#include "cells.h"
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

typedef struct patches {
  weft_window w[3];
  weft_pad_mode mode;
  size_t spatial;
} patches;

static weft_status patches_list(weft_diag *d, const weft_op_desc *n, const char *name, const patches *p,
                                bool first, int64_t out[3]) {
  weft_ints v = weft__ints_named(n, name);
  for (size_t i = 0; i < p->spatial; i++)
    out[i] = v.n == 1 ? v.v[0] : 1;
  if (!v.n || v.n == 1)
    return WEFT_OK;
  if (v.n != p->spatial && v.n != p->spatial + 2)
    return weft_fail(d, WEFT_E_SHAPE, "attribute '%s' has %zu elements, expected %zu", name, v.n,
                     first ? p->spatial : p->spatial + 2);
  for (size_t i = 0; i < p->spatial; i++)
    out[i] = v.v[v.n == p->spatial ? i : i + 1];
  return WEFT_OK;
}

static weft_status patches_read(weft_diag *d, const weft_op_desc *n, size_t spatial, bool first, patches *p) {
  int64_t kernel[3];
  int64_t stride[3];
  int64_t rate[3];
  weft_ints pads = weft__ints_named(n, "pads");
  *p = (patches){.spatial = spatial};
  p->mode = weft__pad_mode(weft__text_named(n, first ? "padding_mode" : "padding"));
  WEFT_TRY(patches_list(d, n, "ksizes", p, first, kernel));
  WEFT_TRY(patches_list(d, n, "strides", p, first, stride));
  WEFT_TRY(patches_list(d, n, first ? "dilations" : "rates", p, first, rate));
  if (pads.n > 1 && pads.n != 2 * spatial && pads.n != spatial)
    return weft_fail(d, WEFT_E_SHAPE, "attribute 'pads' has %zu elements, expected %zu", pads.n, 2 * spatial);
  for (size_t i = 0; i < spatial; i++) {
    weft_window *w = &p->w[i];
    bool pairs = pads.n == 2 * spatial;
    *w = (weft_window){kernel[i], stride[i], rate[i], 0, 0};
    if (pads.n && p->mode == WEFT_PAD_EXPLICIT) {
      w->begin = pads.v[pairs ? 2 * i : pads.n == 1 ? 0 : i];
      w->end = pads.v[pairs ? 2 * i + 1 : pads.n == 1 ? 0 : i];
    }
    if (w->kernel < 1 || w->stride < 1 || w->dilation < 1 || w->begin < 0 || w->end < 0)
      return weft_fail(
          d, WEFT_E_RANGE,
          "windows along axis %zu: a kernel of %lld, a stride of %lld, a rate of %lld, pads %lld "
          "and %lld: the first three are at least 1, pads at least 0",
          i, (long long)w->kernel, (long long)w->stride, (long long)w->dilation, (long long)w->begin,
          (long long)w->end);
  }
  return WEFT_OK;
}

static bool patches_first(const weft_op_desc *n) {
  return n->op->user != NULL;
}

static weft_status patches_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_shape *y = it->out[0];
  bool first = patches_first(it->desc);
  patches p;
  weft_dim taps = 1;
  weft_dim spots = 1;
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__expect_rank(it, 0, 4, first ? 4 : 5));
  WEFT_TRY(patches_read(it->d, it->desc, x->rank - 2u, first, &p));
  weft_shape_copy(y, x);
  for (size_t i = 0; i < p.spatial; i++) {
    size_t axis = i + (first ? 2 : 1);
    char what[64];
    snprintf(what, sizeof what, "axis %zu of input 'x'", axis);
    const weft_window_axis over = {.what = what, .in = x->dim[axis], .window = p.w[i], .mode = p.mode};
    WEFT_TRY(weft__window_out(it->symbols, it->d, &over, &y->dim[axis]));
    spots = weft_dims_mul(it, spots, y->dim[axis]);
    taps = weft_dims_mul(it, taps, p.w[i].kernel);
  }
  if (!first) {
    y->dim[x->rank - 1] = weft_dims_mul(it, x->dim[x->rank - 1], taps);
    return WEFT_OK;
  }
  weft_dim dims[3] = {x->dim[0], weft_dims_mul(it, x->dim[1], taps), spots};
  return weft_set_out_shape(it, 0, dims, 3);
}

typedef struct patches_map {
  patches p;
  bool first;
  size_t channels, taps, spots;
  int64_t in[3], out[3];
} patches_map;

// The element that tap `tap` of window `spot` has; false: none.
static bool patches_place(const patches_map *m, size_t spot, size_t tap, size_t *out) {
  size_t at = 0;
  size_t stride = 1;
  for (size_t i = m->p.spatial; i-- > 0;) {
    const weft_window *w = &m->p.w[i];
    int64_t place = (int64_t)(spot % (size_t)m->out[i]) * w->stride - w->begin +
                    (int64_t)(tap % (size_t)w->kernel) * w->dilation;
    if (place < 0 || place >= m->in[i])
      return false;
    at += (size_t)place * stride;
    stride *= (size_t)m->in[i];
    spot /= (size_t)m->out[i];
    tap /= (size_t)w->kernel;
  }
  *out = at;
  return true;
}

static int64_t patches_source(void *ctx, size_t i) {
  const patches_map *m = ctx;
  size_t image = (size_t)(m->in[0] * m->in[1] * m->in[2]);
  size_t channel;
  size_t tap;
  size_t spot;
  size_t batch;
  size_t at;
  if (m->first) {
    spot = i % m->spots;
    tap = i / m->spots % m->taps;
    channel = i / m->spots / m->taps % m->channels;
  } else {
    channel = i % m->channels;
    tap = i / m->channels % m->taps;
    spot = i / m->channels / m->taps % m->spots;
  }
  batch = i / m->channels / m->taps / m->spots;
  if (!patches_place(m, spot, tap, &at))
    return -1;
  return (int64_t)(m->first ? (batch * m->channels + channel) * image + at
                            : (batch * image + at) * m->channels + channel);
}

static weft_status patches_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  patches_map m = {.first = patches_first(c->desc), .taps = 1, .spots = 1, .in = {1, 1, 1}};
  if (!c->out[0] || !weft__elems(&c->out[0]->layout.origin))
    return WEFT_OK;
  WEFT_TRY(patches_read(c->d, c->desc, x->rank - 2u, m.first, &m.p));
  m.channels = (size_t)x->dim[m.first ? 1 : x->rank - 1];
  for (size_t i = 0; i < m.p.spatial; i++) {
    weft_window *w = &m.p.w[i];
    weft_dim out;
    m.in[i] = x->dim[i + (m.first ? 2 : 1)];
    const weft_window_axis over = {.what = "x", .in = m.in[i], .window = *w, .mode = m.p.mode};
    WEFT_TRY(weft__window_out(NULL, c->d, &over, &out));
    m.out[i] = out;
    weft__window_resolve(w, m.p.mode, m.in[i], out);
    m.taps *= (size_t)w->kernel;
    m.spots *= (size_t)out;
  }
  return weft__move(c, c->in[0], c->out[0], patches_source, &m, NULL);
}

#define PATCHES(op_name, says, columns, ...)                                           \
  {                                                                                    \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = patches_infer, \
    .ref = patches_ref, .user = columns, .examples = WEFT_EXAMPLES(__VA_ARGS__)        \
  }
WEFT_ROWS(patches) = {
    PATCHES("ExtractImagePatches", "windows of pictures as channels", NULL,
            "f32[1,1,3,1]{1,2,3} ksizes=[1,1,2,1] strides=[1,1,1,1] rates=[1,1,1,1] padding=\"VALID\" -> "
            "f32[1,1,2,2]{1,2,2,3}",
            "f32[1,1,3,1]{1,2,3} ksizes=[1,1,2,1] strides=[1,1,2,1] rates=[1,1,1,1] padding=\"SAME\" -> "
            "f32[1,1,2,2]{1,2,3,0}",
            "f32[N,4,4,C] ksizes=[1,2,2,1] strides=[1,2,2,1] rates=[1,1,1,1] padding=\"VALID\" -> "
            "f32[N,2,2,-1]",
            "f32[1,1,3,1] ksizes=[1,0,2,1] strides=[1,1,1,1] rates=[1,1,1,1] padding=\"VALID\" !! E_RANGE "
            "at least 1"),
    PATCHES("ExtractVolumePatches", "windows of volumes as channels", NULL,
            "f32[1,1,1,3,1]{1,2,3} ksizes=[1,1,1,2,1] strides=[1,1,1,1,1] padding=\"VALID\" -> "
            "f32[1,1,1,2,2]{1,2,2,3}"),
    PATCHES("Im2col", "windows of pictures as columns", "columns",
            "f32[1,1,1,3]{1,2,3} ksizes=[1,2] -> f32[1,2,2]{1,2,2,3}",
            "f32[1,1,1,3]{1,2,3} ksizes=[1,2] pads=[0,0,1,0] -> f32[1,2,3]{0,1,2,1,2,3}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
