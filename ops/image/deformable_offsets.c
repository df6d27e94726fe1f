// ops/image/deformable_offsets.c - what the taps of a deformable convolution read, laid out as a picture
// whose windows lie side by side, and the gradients.   AscendIR DeformableOffsets, DeformableOffsetsGrad.
// offsets are [batch, 3 or 2 * groups * kernel, height, width]: those along x of all taps, those along y,
// factors (modulated). y is [batch, channels, height * kernel, width * kernel]. NHWC has channels last in all
// of them. Between elements it is linear; outside is 0.
#include "arrays.h"
#include "cells.h"
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

typedef struct offsets_plan {
  bool last, modulated;
  int64_t groups, kernel[2];
  weft_window w[2];
} offsets_plan;

static weft_status offsets_read(weft_diag *d, const weft_op_desc *n, offsets_plan *p) {
  weft_ints kernel = weft__ints_named(n, "ksize");
  weft_ints stride = weft__ints_named(n, "strides");
  weft_ints rate = weft__ints_named(n, "dilations");
  weft_ints pads = weft__ints_named(n, "pads");
  *p = (offsets_plan){.last = weft__channels_last(weft__text_named(n, "data_format"))};
  p->groups = weft__int_named(n, "deformable_groups");
  p->modulated = weft__flag_named(n, "modulated");
  if (kernel.n != 2 || stride.n != 4 || rate.n != 4 || pads.n != 4)
    return weft_fail(
        d, WEFT_E_SHAPE,
        "attributes 'ksize', 'strides', 'dilations' and 'pads' have %zu, %zu, %zu and %zu elements, "
        "expected 2, 4, 4 and 4",
        kernel.n, stride.n, rate.n, pads.n);
  for (int i = 0; i < 2; i++) {
    weft_window *w = &p->w[i];
    int at = i + (p->last ? 1 : 2);
    *w = (weft_window){kernel.v[i], stride.v[at], rate.v[at], pads.v[2 * i], pads.v[2 * i + 1]};
    if (w->kernel < 1 || w->kernel > 4096 || w->stride < 1 || w->dilation < 1 || w->begin < 0 || w->end < 0)
      return weft_fail(
          d, WEFT_E_RANGE,
          "windows along axis %d: a kernel of %lld, a stride of %lld, a dilation of %lld, pads %lld "
          "and %lld: the first three are at least 1, pads at least 0",
          i, (long long)w->kernel, (long long)w->stride, (long long)w->dilation, (long long)w->begin,
          (long long)w->end);
    p->kernel[i] = w->kernel;
  }
  if (p->groups < 1 || p->groups > INT32_MAX)
    return weft_fail(d, WEFT_E_RANGE, "attribute 'deformable_groups' is %lld", (long long)p->groups);
  return WEFT_OK;
}

static weft_status offsets_check(weft_infer *it, const offsets_plan *p, const weft_shape *x,
                                 const weft_shape *o, weft_shape *y) {
  const size_t first = p->last ? 1 : 2;
  const size_t channels = p->last ? 3 : 1;
  weft_dim same;
  int64_t planes = (p->modulated ? 3 : 2) * p->groups * p->kernel[0] * p->kernel[1];
  WEFT_TRY(weft__merge_dim(it, x->dim[0], o->dim[0], "axis 0 of 'x' and 'offsets'", &same));
  WEFT_TRY(weft__merge_dim(it, planes, o->dim[channels], "channels of input 'offsets'", &same));
  if (x->dim[channels] >= 0 && x->dim[channels] % p->groups)
    return weft_fail(it->d, WEFT_E_SHAPE, "%lld channels are no multiple of %lld groups",
                     (long long)x->dim[channels], (long long)p->groups);
  weft_shape_copy(y, x);
  for (size_t i = 0; i < 2; i++) {
    weft_dim n;
    const weft_window_axis over = {.what = "input 'x'", .in = x->dim[first + i], .window = p->w[i]};
    WEFT_TRY(weft__window_out(it->symbols, it->d, &over, &n));
    WEFT_TRY(weft__merge_dim(it, n, o->dim[first + i], "windows and 'offsets'", &n));
    y->dim[first + i] = weft_dims_mul(it, n, p->kernel[i]);
  }
  return WEFT_OK;
}
static bool offsets_back(const weft_op_desc *n) {
  return n->op->user != NULL;
}
static weft_status offsets_infer(weft_infer *it) {
  const bool back = offsets_back(it->desc);
  const weft_shape *x = it->in[back];
  const weft_shape *o = it->in[back + 1];
  const weft_shape *g = it->in[0];
  offsets_plan p;
  weft_shape y;
  WEFT_TRY(offsets_read(it->d, it->desc, &p));
  for (uint32_t i = 0; i < it->n_in; i++)
    WEFT_TRY(weft__expect_rank(it, i, 4, 4));
  weft_shape_copy(it->out[0], x);
  if (back)
    weft_shape_copy(it->out[1], o);
  if (weft_shape_is_unknown_rank(x) || weft_shape_is_unknown_rank(o))
    return back ? WEFT_OK : weft__unknown_dims(it, 0, 4);
  WEFT_TRY(offsets_check(it, &p, x, o, &y));
  if (!back)
    weft_shape_copy(it->out[0], &y);
  for (size_t i = 0; i < 4 && back && !weft_shape_is_unknown_rank(g); i++) {
    weft_dim same;
    WEFT_TRY(weft__merge_dim(it, y.dim[i], g->dim[i], "what is read and 'grad'", &same));
  }
  return WEFT_OK;
}

typedef struct offsets_run {
  const weft_call *c;
  offsets_plan p;
  bool back;
  size_t images, channels;
  int64_t in[2], out[2], wide[2];  // x, windows, y
  const double *x, *o, *g;
  double *dx, *d_o;
  size_t work;
} offsets_run;

static size_t offsets_at(const offsets_run *r, size_t image, size_t channel, size_t channels, int64_t y,
                         int64_t x, const int64_t size[2]) {
  size_t spot = (size_t)(y * size[1] + x);
  size_t plane = (size_t)size[0] * (size_t)size[1];
  return r->p.last ? (image * plane + spot) * channels + channel
                   : (image * channels + channel) * plane + spot;
}

// The four elements around a place: -1 outside.
typedef struct offsets_spot {
  int64_t y[2], x[2];
  double ly, lx;
} offsets_spot;
static offsets_spot offsets_spot_of(const offsets_run *r, double y, double x) {
  offsets_spot s = {.y = {-1, -1}, .x = {-1, -1}};
  if (!(y > -1 && y < (double)r->in[0] && x > -1 && x < (double)r->in[1]))
    return s;
  s.ly = y - floor(y);
  s.lx = x - floor(x);
  for (int i = 0; i < 2; i++) {
    int64_t row = (int64_t)floor(y) + i;
    int64_t column = (int64_t)floor(x) + i;
    s.y[i] = row >= 0 && row < r->in[0] ? row : -1;
    s.x[i] = column >= 0 && column < r->in[1] ? column : -1;
  }
  return s;
}

// One tap of one window of one channel; at: where its offsets and factor lie, by y.
static void offsets_channel(offsets_run *r, const offsets_spot *s, size_t image, size_t channel,
                            const size_t at[3], size_t out) {
  double factor = r->p.modulated ? r->o[at[2]] : 1;
  double g = r->back ? r->g[out] : 0;
  double v = 0;
  double dy = 0;
  double dx = 0;
  for (int i = 0; i < 4; i++) {
    if (s->y[i / 2] < 0 || s->x[i % 2] < 0)
      continue;
    size_t from = offsets_at(r, image, channel, r->channels, s->y[i / 2], s->x[i % 2], r->in);
    double wy = i / 2 ? s->ly : 1 - s->ly;
    double wx = i % 2 ? s->lx : 1 - s->lx;
    v += wy * wx * r->x[from];
    dy += (i / 2 ? 1 : -1) * wx * r->x[from];
    dx += (i % 2 ? 1 : -1) * wy * r->x[from];
    if (r->back)
      r->dx[from] += g * factor * wy * wx;
  }
  if (!r->back) {
    weft_store_f64(r->c->out[0]->dtype, r->c->out[0]->data, out, v * factor);
    return;
  }
  r->d_o[at[0]] += g * factor * dx;
  r->d_o[at[1]] += g * factor * dy;
  if (r->p.modulated)
    r->d_o[at[2]] += g * v;
}

static weft_status offsets_tap(offsets_run *r, size_t image, int64_t y, int64_t x, size_t tap) {
  const int64_t i = (int64_t)tap / r->p.kernel[1];
  const int64_t k = (int64_t)tap % r->p.kernel[1];
  const size_t taps = (size_t)(r->p.kernel[0] * r->p.kernel[1]);
  const size_t groups = (size_t)r->p.groups;
  const size_t planes = (r->p.modulated ? 3 : 2) * groups * taps;
  WEFT_TRY(weft__poll_work(r->c, &r->work, 4 * r->channels + 1));
  for (size_t group = 0; group < groups; group++) {
    size_t at[3] = {0, 0, 0};
    for (size_t j = 0; j < (r->p.modulated ? 3u : 2u); j++)
      at[j] = offsets_at(r, image, (j * groups + group) * taps + tap, planes, y, x, r->out);
    double py = (double)(y * r->p.w[0].stride - r->p.w[0].begin + i * r->p.w[0].dilation) + r->o[at[1]];
    double px = (double)(x * r->p.w[1].stride - r->p.w[1].begin + k * r->p.w[1].dilation) + r->o[at[0]];
    const offsets_spot s = offsets_spot_of(r, py, px);
    for (size_t j = 0; j < r->channels / groups; j++) {
      size_t channel = group * (r->channels / groups) + j;
      size_t out =
          offsets_at(r, image, channel, r->channels, y * r->p.kernel[0] + i, x * r->p.kernel[1] + k, r->wide);
      offsets_channel(r, &s, image, channel, at, out);
    }
  }
  return WEFT_OK;
}

static weft_status offsets_begin(const weft_call *c, offsets_run *r) {
  const bool back = offsets_back(c->desc);
  const weft_shape *x = &c->in[back]->layout.origin;
  const weft_shape *o = &c->in[back + 1]->layout.origin;
  double *v;
  void *space;
  *r = (offsets_run){.c = c, .back = back, .images = (size_t)x->dim[0]};
  WEFT_TRY(offsets_read(c->d, c->desc, &r->p));
  r->channels = (size_t)x->dim[r->p.last ? 3 : 1];
  for (int i = 0; i < 2; i++) {
    r->in[i] = x->dim[i + (r->p.last ? 1 : 2)];
    r->out[i] = o->dim[i + (r->p.last ? 1 : 2)];
    r->wide[i] = r->out[i] * r->p.kernel[i];
  }
  WEFT_TRY(weft__load_f64s(c, c->in[back], &v));
  r->x = v;
  WEFT_TRY(weft__load_f64s(c, c->in[back + 1], &v));
  r->o = v;
  if (!back)
    return WEFT_OK;
  WEFT_TRY(weft__load_f64s(c, c->in[0], &v));
  r->g = v;
  WEFT_TRY(weft__scratch(c, weft__elems(x), &space));
  r->dx = memset(space, 0, weft__elems(x) * sizeof(double));
  WEFT_TRY(weft__scratch(c, weft__elems(o), &space));
  r->d_o = memset(space, 0, weft__elems(o) * sizeof(double));
  return WEFT_OK;
}

static weft_status offsets_ref(const weft_call *c) {
  offsets_run r;
  if (!offsets_back(c->desc) && (!c->out[0] || !weft__elems(&c->out[0]->layout.origin)))
    return WEFT_OK;
  WEFT_TRY(offsets_begin(c, &r));
  const size_t taps = (size_t)(r.p.kernel[0] * r.p.kernel[1]);
  const size_t spots = (size_t)(r.out[0] * r.out[1]);
  for (size_t i = 0; i < r.images * spots; i++) {
    for (size_t t = 0; t < taps; t++)
      WEFT_TRY(
          offsets_tap(&r, i / spots, (int64_t)(i % spots) / r.out[1], (int64_t)(i % spots) % r.out[1], t));
  }
  for (int k = 0; r.back && k < 2; k++) {
    weft_tensor *y = c->out[k];
    for (size_t i = 0, n = y ? weft__elems(&y->layout.origin) : 0; i < n; i++) {
      WEFT_TRY(weft__poll_at(c, i));
      weft_store_f64(y->dtype, y->data, i, (k ? r.d_o : r.dx)[i]);
    }
  }
  return WEFT_OK;
}

#define OFFSETS(op_name, says, back, ...)                                                \
  {                                                                                      \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = offsets_infer,   \
    .ref = offsets_ref, .user = back, .like = "x", .examples = WEFT_EXAMPLES(__VA_ARGS__)             \
  }
#define ONE_TAP "strides=[1,1,1,1] pads=[0,0,0,0] ksize=[1,1] data_format=\"NCHW\""

WEFT_ROWS(deformable_offsets) = {
    OFFSETS("DeformableOffsets", "what the taps of a deformable convolution read", NULL,
            "f32[1,1,1,2]{2,4}, f32[1,3,1,2]{0.5,0,0,0,1,0.5} " ONE_TAP " -> f32[1,1,1,2]{3,2}",
            "f32[1,1,1,2], f32[1,2,1,2] " ONE_TAP " !! E_SHAPE 3 and 2 differ"),
    OFFSETS("DeformableOffsetsGrad", "gradients of what the taps of a deformable convolution read", "back",
            "f32[1,1,1,2]{1,1}, f32[1,1,1,2]{2,4}, f32[1,3,1,2]{0.5,0,0,0,1,0.5} " ONE_TAP " -> "
            "f32[1,1,1,2]{0.5,1}, f32[1,3,1,2]{2,-2,-3,-2,3,4}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
