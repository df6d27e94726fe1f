// conv_kernel.c - the reference kernel of convolutions. For each image and output channel it adds, tap by tap
// of the filter, whole rows into a plane of sums; taps are clipped to where they touch the input, so padding
// costs nothing. A position p and a tap k meet at q = p * stride - begin + k * dilation: forward, p is in the
// output and q in the input; transposed, p is in the input and q in the output.
#include "arrays.h"
#include "conv.h"

typedef struct plan {
  bool real;
  size_t batch, groups, inputs, outputs;  // channels of one group
  weft_window w[3];
  size_t p[3], q[3], sum_p[3], sum_q[3];  // sizes; strides of the plane of sums as seen from p and from q
  size_t x_stride[3], x_channel, x_image;
  size_t f_stride[3], f_input, f_output, f_group;
  size_t y_channel, y_image, y_spot, spots;
  const void *x, *f;  // arrays of double or uint64_t
  void *sums;
  bool transposed;
} plan;

static void add_row(const plan *k, size_t sum, size_t sum_step, size_t x, size_t x_step, size_t f, size_t n) {
  if (k->real) {
    double *s = (double *)k->sums;
    const double *v = (const double *)k->x;
    double w = ((const double *)k->f)[f];
    for (size_t i = 0; i < n; i++)
      s[sum + i * sum_step] += v[x + i * x_step] * w;
  } else {
    uint64_t *s = (uint64_t *)k->sums;
    const uint64_t *v = (const uint64_t *)k->x;
    uint64_t w = ((const uint64_t *)k->f)[f];
    for (size_t i = 0; i < n; i++)
      s[sum + i * sum_step] += v[x + i * x_step] * w;
  }
}

// Positions p for which tap `tap` of axis `a` lies inside q: first and count, and q of the first.
static size_t conv_kernel_touch(const plan *k, size_t a, size_t tap, size_t *out_p, size_t *out_q) {
  const weft_window *w = &k->w[a];
  int64_t shift = (int64_t)tap * w->dilation - w->begin;
  int64_t size = (int64_t)k->q[a];
  int64_t s = w->stride;
  int64_t from = shift < 0 ? -shift / s + (-shift % s > 0) : 0;
  int64_t to = shift < size ? (size - 1 - shift) / s + 1 : 0;
  to = WEFT_MIN(to, (int64_t)k->p[a]);
  if (to <= from)
    return 0;
  *out_p = (size_t)from;
  *out_q = (size_t)(from * s + shift);
  return (size_t)(to - from);
}

static void add_tap(const plan *k, const size_t tap[3], size_t x, size_t f) {
  size_t n[3];
  size_t p[3];
  size_t q[3];
  size_t at[3];
  size_t sum_step[3];
  size_t x_step[3];
  size_t sum = 0;
  for (size_t a = 0; a < 3; a++) {
    if (!(n[a] = conv_kernel_touch(k, a, tap[a], &p[a], &q[a])))
      return;
    size_t stride = (size_t)k->w[a].stride;
    at[a] = k->transposed ? p[a] : q[a];
    sum_step[a] = k->transposed ? k->sum_q[a] * stride : k->sum_p[a];
    x_step[a] = k->transposed ? k->x_stride[a] : k->x_stride[a] * stride;
    sum += k->transposed ? q[a] * k->sum_q[a] : p[a] * k->sum_p[a];
    x += at[a] * k->x_stride[a];
  }
  for (size_t d = 0; d < n[0]; d++) {
    for (size_t h = 0; h < n[1]; h++) {
      add_row(k, sum + d * sum_step[0] + h * sum_step[1], sum_step[2], x + d * x_step[0] + h * x_step[1],
              x_step[2], f, n[2]);
    }
  }
}

// The sums of one output channel of one image.
static weft_status add_plane(const weft_call *c, const plan *k, size_t image, size_t group, size_t output) {
  size_t taps = (size_t)(k->w[0].kernel * k->w[1].kernel * k->w[2].kernel);
  size_t kh = (size_t)k->w[1].kernel;
  size_t kw = (size_t)k->w[2].kernel;
  memset(k->sums, 0, k->spots * 8);
  for (size_t i = 0; i < k->inputs; i++) {
    size_t x = image * k->x_image + (group * k->inputs + i) * k->x_channel;
    size_t f = group * k->f_group + output * k->f_output + i * k->f_input;
    for (size_t t = 0; t < taps; t++) {
      size_t tap[3] = {t / kw / kh, t / kw % kh, t % kw};
      WEFT_TRY(weft__call_poll(c));
      add_tap(k, tap, x, f + tap[0] * k->f_stride[0] + tap[1] * k->f_stride[1] + tap[2] * k->f_stride[2]);
    }
  }
  return WEFT_OK;
}

static void store_plane(const weft_call *c, const plan *k, size_t image, size_t channel) {
  weft_tensor *y = c->out[0];
  uint32_t in;
  const weft_tensor *bias = weft__has_in(c->desc, 2, &in) ? c->in[in] : NULL;
  size_t at = image * k->y_image + channel * k->y_channel;
  if (k->real) {
    double b = bias ? weft_load_f64(bias->dtype, bias->data, channel) : 0;
    const double *s = k->sums;
    for (size_t i = 0; i < k->spots; i++)
      weft_store_f64(y->dtype, y->data, at + i * k->y_spot, bias ? s[i] + b : s[i]);
  } else {
    uint64_t b = bias ? (uint64_t)weft_load_i64(bias->dtype, bias->data, channel) : 0;
    const uint64_t *s = k->sums;
    for (size_t i = 0; i < k->spots; i++)
      weft_store_u64(y->dtype, y->data, at + i * k->y_spot, s[i] + b);
  }
}

// Pads of a transposed axis whose output size is given, or follows from a SAME mode.
static void resolve_transposed(const weft_conv *cfg, size_t i, weft_window *w, int64_t in, int64_t out) {
  if (cfg->mode == WEFT_PAD_EXPLICIT && !cfg->wanted[i])
    return;
  w->begin = w->end = 0;
  if (cfg->mode == WEFT_PAD_VALID && !cfg->wanted[i])
    return;
  const weft_transposed_axis axis = {in, out, w->stride, weft__window_span(w), cfg->more[i]};
  const int64_t total = weft__transposed_padding(&axis);
  w->begin = weft__transposed_begin(cfg->mode, total);
  w->end = total - w->begin;
}

// Spatial axes become the last of three.
static void plan_axes(plan *k, const weft_conv *cfg, const weft_shape *x, const weft_shape *f,
                      const weft_shape *y) {
  size_t first = cfg->last ? 1 : 2;
  size_t f_first = cfg->last ? 0 : 2;
  size_t x_at = cfg->last ? (size_t)x->dim[x->rank - 1] : 1;
  size_t sum_at = 1;
  size_t f_at = cfg->last ? (size_t)f->dim[f->rank - 1] * (size_t)f->dim[f->rank - 2] : 1;
  for (size_t a = 3; a-- > 0;) {
    k->p[a] = k->q[a] = 1;
    k->x_stride[a] = k->f_stride[a] = k->sum_p[a] = k->sum_q[a] = 0;
    k->w[a] = (weft_window){1, 1, 1, 0, 0};
    if (a < 3 - cfg->spatial)
      continue;
    size_t i = a - (3 - cfg->spatial);
    int64_t in = x->dim[first + i];
    int64_t out = y->dim[first + i];
    k->w[a] = cfg->w[i];
    k->w[a].kernel = f->dim[f_first + i];
    if (cfg->transposed)
      resolve_transposed(cfg, i, &k->w[a], in, out);
    else
      weft__window_resolve(&k->w[a], cfg->mode, in, out);
    k->p[a] = (size_t)(cfg->transposed ? in : out);
    k->q[a] = (size_t)(cfg->transposed ? out : in);
    k->x_stride[a] = x_at;
    k->f_stride[a] = f_at;
    k->sum_p[a] = k->sum_q[a] = sum_at;
    x_at *= (size_t)in;
    f_at *= (size_t)k->w[a].kernel;
    sum_at *= (size_t)out;
  }
  k->spots = sum_at;
}

static void plan_channels(plan *k, const weft_conv *cfg, const weft_shape *x, const weft_shape *f,
                          const weft_shape *y) {
  size_t channel = cfg->last ? x->rank - 1 : 1;
  size_t c = (size_t)x->dim[channel];
  size_t o = (size_t)y->dim[channel];
  k->batch = (size_t)x->dim[0];
  k->groups = (size_t)cfg->groups;
  k->inputs = c / k->groups;
  k->outputs = o / k->groups;
  size_t in_space = weft__prod(x, 1, x->rank) / WEFT_MAX(c, 1);
  size_t taps = cfg->last ? weft__prod(f, 0, f->rank - 2) : weft__prod(f, 2, f->rank);
  k->x_channel = cfg->last ? 1 : in_space;
  k->x_image = in_space * c;
  k->y_channel = cfg->last ? 1 : k->spots;
  k->y_image = k->spots * o;
  k->y_spot = cfg->last ? o : 1;
  if (cfg->last) {
    k->f_input = o;
    k->f_output = 1;
    k->f_group = k->outputs;
  } else if (cfg->transposed) {
    k->f_input = k->outputs * taps;
    k->f_output = taps;
    k->f_group = k->inputs * k->outputs * taps;
  } else {
    k->f_input = taps;
    k->f_output = k->inputs * taps;
    k->f_group = k->outputs * k->inputs * taps;
  }
}

weft_status weft__conv_run(const weft_call *c, const weft_conv *cfg) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *f = c->in[1];
  const weft_tensor *y = c->out[0];
  if (!y)
    return WEFT_OK;
  if (x->dtype == WEFT_HIFLOAT8)
    return weft__no_kernel(c, x->dtype);
  plan k;
  memset(&k, 0, sizeof k);
  k.transposed = cfg->transposed;
  k.real = weft_dtype_is_float(y->dtype);
  plan_axes(&k, cfg, &x->layout.origin, &f->layout.origin, &y->layout.origin);
  plan_channels(&k, cfg, &x->layout.origin, &f->layout.origin, &y->layout.origin);
  if (!weft__elems(&y->layout.origin))
    return WEFT_OK;
  double *xr, *fr;
  uint64_t *xi;
  uint64_t *fi;
  if (k.real) {
    WEFT_TRY(weft__load_f64s(c, x, &xr));
    WEFT_TRY(weft__load_f64s(c, f, &fr));
    k.x = xr;
    k.f = fr;
  } else {
    WEFT_TRY(weft__load_u64s(c, x, &xi));
    WEFT_TRY(weft__load_u64s(c, f, &fi));
    k.x = xi;
    k.f = fi;
  }
  WEFT_TRY(weft__scratch(c, k.spots, &k.sums));
  for (size_t image = 0; image < k.batch; image++) {
    for (size_t o = 0; o < k.groups * k.outputs; o++) {
      WEFT_TRY(add_plane(c, &k, image, o / k.outputs, o % k.outputs));
      store_plane(c, &k, image, o);
    }
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
