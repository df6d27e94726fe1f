// conv.c - shapes of convolutions. Dims are sorted into batch, channels and space first, so that layouts and
// the transposed form share every rule; unknown ranks become unknown dims.
#include "conv.h"

typedef struct sizes {
  weft_dim batch, channels, space[3];
} sizes;
typedef struct filter_sizes {
  weft_dim inputs, outputs,
      kernel[3];  // inputs of one group (forward) or in all (transposed); outputs the other way
} filter_sizes;

static sizes sort_x(const weft_conv *cfg, const weft_shape *s) {
  sizes r = {-1, -1, {-1, -1, -1}};
  if (weft_shape_is_unknown_rank(s))
    return r;
  r.batch = s->dim[0];
  r.channels = s->dim[cfg->last ? s->rank - 1 : 1];
  for (size_t i = 0; i < cfg->spatial; i++)
    r.space[i] = s->dim[(cfg->last ? 1 : 2) + i];
  return r;
}

static filter_sizes sort_filter(const weft_conv *cfg, const weft_shape *s) {
  filter_sizes r = {-1, -1, {-1, -1, -1}};
  if (weft_shape_is_unknown_rank(s))
    return r;
  size_t first = cfg->last ? s->rank - 2 : 0;
  bool inputs_first = cfg->last != cfg->transposed;
  r.inputs = s->dim[first + (inputs_first ? 0 : 1)];
  r.outputs = s->dim[first + (inputs_first ? 1 : 0)];
  for (size_t i = 0; i < cfg->spatial; i++)
    r.kernel[i] = s->dim[(cfg->last ? 0 : 2) + i];
  return r;
}

static void put_y(const weft_conv *cfg, const sizes *v, weft_shape *y) {
  y->rank = cfg->spatial + 2;
  y->dim[0] = v->batch;
  y->dim[cfg->last ? y->rank - 1 : 1] = v->channels;
  for (size_t i = 0; i < cfg->spatial; i++)
    y->dim[(cfg->last ? 1 : 2) + i] = v->space[i];
}

weft_status weft__conv_values(weft_diag *d, const weft_op_desc *n, uint32_t slot, size_t count, int64_t dflt,
                              int64_t *out) {
  weft_ints v = weft_node_ints(n, slot);
  if (v.n && v.n != count) {
    return weft_fail(d, WEFT_E_INVALID, "attribute '%s': expected %zu values, got %zu",
                     weft__attr_name(n, slot), count, v.n);
  }
  for (size_t i = 0; i < count; i++)
    out[i] = v.n ? v.v[i] : dflt;
  return WEFT_OK;
}

weft_status weft__conv_onnx(weft_diag *d, const weft_op_desc *n, const weft_shape *x,
                            const weft_shape *filter, bool transposed, weft_conv *out, bool *out_known) {
  const weft_shape *s = weft_shape_is_unknown_rank(x) ? filter : x;
  memset(out, 0, sizeof *out);
  *out_known = !weft_shape_is_unknown_rank(s);
  if (!*out_known)
    return WEFT_OK;
  if (s->rank < 3 || s->rank > 5) {
    return weft_fail(d, WEFT_E_SHAPE, "input '%s': expected rank 3 to 5, got %zu", s == x ? "x" : "w",
                     s->rank);
  }
  out->spatial = s->rank - 2;
  out->transposed = transposed;
  out->mode = weft__pad_mode(weft_node_str(n, WEFT_CONV_AUTO_PAD));
  out->groups = weft_node_int(n, WEFT_CONV_GROUP);
  int64_t stride[3];
  int64_t dilation[3];
  int64_t kernel[3];
  int64_t pads[6];
  WEFT_TRY(weft__conv_values(d, n, WEFT_CONV_STRIDES, out->spatial, 1, stride));
  WEFT_TRY(weft__conv_values(d, n, WEFT_CONV_DILATIONS, out->spatial, 1, dilation));
  WEFT_TRY(weft__conv_values(d, n, WEFT_CONV_KERNEL_SHAPE, out->spatial, -1, kernel));
  WEFT_TRY(weft__conv_values(d, n, WEFT_CONV_PADS, 2 * out->spatial, 0, pads));
  if (transposed) {
    WEFT_TRY(weft__conv_values(d, n, WEFT_CONV_OUTPUT_PADDING, out->spatial, 0, out->more));
    WEFT_TRY(weft__conv_values(d, n, WEFT_CONV_OUTPUT_SHAPE, out->spatial, 0, out->wanted));
  }
  for (size_t i = 0; i < out->spatial; i++)
    out->w[i] = (weft_window){kernel[i], stride[i], dilation[i], pads[i], pads[out->spatial + i]};
  return WEFT_OK;
}

static weft_status check_rank(const weft_infer *it, const weft_conv *cfg, uint32_t in) {
  return weft__expect_rank(it, in, cfg->spatial + 2, cfg->spatial + 2);
}

// Channels of x and the filter, the bias: *out_channels of y.
static weft_status channels(const weft_infer *it, const weft_conv *cfg, const sizes *x, const filter_sizes *f,
                            weft_dim *out_channels) {
  const char *name = weft__in_name(it->desc, 1);
  weft_dim inputs = cfg->transposed ? f->inputs : weft_dim_mul(it->symbols, f->inputs, cfg->groups);
  if (inputs >= 0 && x->channels >= 0 && inputs != x->channels) {
    return weft_fail(
        it->d, WEFT_E_SHAPE, "input '%s': %lld input channels in %lld groups, input '%s' has %lld channels",
        name, (long long)inputs, (long long)cfg->groups, weft__in_name(it->desc, 0), (long long)x->channels);
  }
  weft_dim split = cfg->transposed ? (f->inputs >= 0 ? f->inputs : x->channels) : f->outputs;
  if (split >= 0 && split % cfg->groups) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': %lld channels cannot be split into %lld groups", name,
                     (long long)split, (long long)cfg->groups);
  }
  if (!cfg->transposed && x->channels >= 0 && x->channels % cfg->groups) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': %lld channels cannot be split into %lld groups",
                     weft__in_name(it->desc, 0), (long long)x->channels, (long long)cfg->groups);
  }
  *out_channels = cfg->transposed ? weft_dim_mul(it->symbols, f->outputs, cfg->groups) : f->outputs;
  if (cfg->transposed && f->outputs >= 0 && *out_channels < 0) {
    return weft_fail(it->d, WEFT_E_OVERFLOW, "input '%s': %lld output channels in each of %lld groups", name,
                     (long long)f->outputs, (long long)cfg->groups);
  }
  uint32_t bias;
  if (!weft__has_in(it->desc, 2, &bias) || weft_shape_is_unknown_rank(it->in[bias]))
    return WEFT_OK;
  WEFT_TRY(weft__expect_rank(it, bias, 1, 1));
  return weft__merge_dim(it, *out_channels, it->in[bias]->dim[0],
                         "output channels of the filter and the bias", out_channels);
}

// One spatial axis of y. d NULL: quiet.
static weft_status one_axis(weft_symbols *p, weft_diag *d, const weft_conv *cfg, size_t i, weft_dim in,
                            weft_dim kernel, weft_dim *out) {
  static const char *const names[] = {"spatial axis 0 of input 'x'", "spatial axis 1 of input 'x'",
                                      "spatial axis 2 of input 'x'"};
  weft_window_axis over = {
      .what = names[i], .in = in, .window = cfg->w[i], .mode = cfg->mode, .more = cfg->more[i]};
  over.window.kernel = kernel;
  if (!cfg->transposed)
    return weft__window_out(p, d, &over, out);
  if (cfg->wanted[i]) {
    over.window.begin = over.window.end = 0;
    over.mode = WEFT_PAD_EXPLICIT;
  }
  weft_dim by_rule;
  WEFT_TRY(weft__window_in(p, d, &over, &by_rule));
  *out = cfg->wanted[i] ? cfg->wanted[i] : by_rule;
  return WEFT_OK;
}

weft_status weft__conv_infer(weft_infer *it, const weft_conv *cfg) {
  WEFT_TRY(check_rank(it, cfg, 0));
  WEFT_TRY(check_rank(it, cfg, 1));
  sizes x = sort_x(cfg, it->in[0]);
  sizes y = x;
  filter_sizes f = sort_filter(cfg, it->in[1]);
  WEFT_TRY(channels(it, cfg, &x, &f, &y.channels));
  for (size_t i = 0; i < cfg->spatial; i++) {
    weft_dim kernel;
    WEFT_TRY(weft__merge_dim(it, cfg->w[i].kernel, f.kernel[i], "attribute 'kernel_shape' and the filter",
                             &kernel));
    WEFT_TRY(one_axis(it->symbols, it->d, cfg, i, x.space[i], kernel, &y.space[i]));
  }
  put_y(cfg, &y, it->out[0]);
  return WEFT_OK;
}

// Sizes grow with x; they shrink with the kernel, or grow with it when transposed.
weft_status weft__conv_range(weft_infer *it, const weft_conv *cfg) {
  if (weft_shape_is_unknown_rank(it->in[0]) || weft_shape_is_unknown_rank(it->in[1])) {  // says nothing
    for (int k = 0; k < 2; k++) {
      weft_shape *s = k ? it->out_max[0] : it->out_min[0];
      s->rank = it->out[0]->rank;
      for (size_t i = 0; i < s->rank; i++)
        s->dim[i] = k ? -1 : 0;
    }
    return WEFT_OK;
  }
  for (int upper = 0; upper < 2; upper++) {
    sizes x = sort_x(cfg, upper ? it->in_max[0] : it->in_min[0]);
    sizes y = x;
    filter_sizes f = sort_filter(cfg, upper ? it->in_max[1] : it->in_min[1]);
    bool opposite = upper != cfg->transposed;
    filter_sizes k = sort_filter(cfg, opposite ? it->in_min[1] : it->in_max[1]);
    y.channels = cfg->transposed ? weft_dim_mul(NULL, f.outputs, cfg->groups) : f.outputs;
    for (size_t i = 0; i < cfg->spatial; i++) {
      weft_dim kernel = cfg->w[i].kernel > 0 ? cfg->w[i].kernel : k.kernel[i] ? k.kernel[i] : 1;
      weft_status s = one_axis(NULL, NULL, cfg, i, x.space[i], kernel, &y.space[i]);
      if (s || y.space[i] < 0)
        y.space[i] = upper ? -1 : 1;
    }
    if (!upper && y.channels < 0)
      y.channels = 0;
    put_y(cfg, &y, upper ? it->out_max[0] : it->out_min[0]);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
