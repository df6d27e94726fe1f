// ops/nn/deform_conv.c - convolution whose taps are read beside their places.   ONNX DeformConv-22, two
// spatial axes. X [N, C, H, W], W [M, C/group, kH, kW], offset [N, G*kH*kW*2, oH, oW] with the shift of each
// tap as y, x for each of the G = offset_group groups of channels, B [M], mask [N, G*kH*kW, oH, oW] that
// scales the taps. Taps are bilinear; what lies outside X is 0. Sums are in double. AscendIR's
// DeformableConv2D has offsets and mask in one input.
#include "window.h"

enum { DILATIONS, GROUP, KERNEL, OFFSET_GROUP, PADS, STRIDES };
enum { X, W, OFFSET, B, MASK };

static weft_status deform_conv_read(weft_diag *d, const weft_op_desc *n, const weft_shape *filter,
                                    weft_window w[2]) {
  weft_ints kernel = weft_node_ints(n, KERNEL);
  weft_ints pads = weft_node_ints(n, PADS);
  weft_ints strides = weft_node_ints(n, STRIDES);
  weft_ints dilations = weft_node_ints(n, DILATIONS);
  for (size_t k = 0; k < 2; k++) {
    w[k] = (weft_window){weft_shape_is_unknown_rank(filter) ? -1 : filter->dim[k + 2], 1, 1, 0, 0};
    if (kernel.n && w[k].kernel >= 0 && w[k].kernel != kernel.v[k]) {
      return weft_fail(d, WEFT_E_SHAPE, "attribute 'kernel_shape': %lld, the filter has %lld along axis %zu",
                       (long long)kernel.v[k], (long long)w[k].kernel, k + 2);
    }
    if (kernel.n)
      w[k].kernel = kernel.v[k];
    if (strides.n)
      w[k].stride = strides.v[k];
    if (dilations.n)
      w[k].dilation = dilations.v[k];
    if (pads.n) {
      w[k].begin = pads.v[k];
      w[k].end = pads.v[k + 2];
    }
  }
  return WEFT_OK;
}

static weft_dim dim_of(const weft_shape *s, size_t k) {
  return weft_shape_is_unknown_rank(s) ? -1 : s->dim[k];
}

// Offset (2 values for each tap) or mask (1) belongs to y.
static weft_status check_places(const weft_infer *it, uint32_t in, int64_t each, const weft_window w[2],
                                weft_shape *y) {
  weft_symbols *p = it->symbols;
  const weft_shape *s = it->in[in];
  weft_dim taps = weft_dim_mul(p, weft_dim_mul(p, w[0].kernel, w[1].kernel),
                               each * weft_node_int(it->desc, OFFSET_GROUP));
  WEFT_TRY(weft__expect_rank(it, in, 4, 4));
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  weft_dim want[4] = {y->dim[0], taps, y->dim[2], y->dim[3]};
  for (size_t k = 0; k < 4; k++) {
    char what[64];
    snprintf(what, sizeof what, "axis %zu of input '%s', wanted and given", k, weft__in_name(it->desc, in));
    WEFT_TRY(weft__merge_dim(it, want[k], s->dim[k], what, &want[k]));
    if (k != 1)
      y->dim[k] = want[k];
  }
  return WEFT_OK;
}

static weft_status deform_conv_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  const weft_shape *f = it->in[W];
  weft_symbols *p = it->symbols;
  weft_window w[2];
  weft_dim ignored;
  weft_dim outputs = dim_of(f, 0);
  int64_t group = weft_node_int(it->desc, GROUP);
  int64_t shift = weft_node_int(it->desc, OFFSET_GROUP);
  weft_dim channels = dim_of(x, 1);
  uint32_t in;
  WEFT_TRY(weft__expect_rank(it, X, 4, 4));
  WEFT_TRY(weft__expect_rank(it, W, 4, 4));
  channels = dim_of(x, 1);
  outputs = dim_of(f, 0);
  WEFT_TRY(deform_conv_read(it->d, it->desc, f, w));
  if ((channels >= 0 && channels % shift) || (outputs >= 0 && outputs % group) || shift > INT32_MAX) {
    return weft_fail(it->d, WEFT_E_SHAPE,
                     "%lld channels and %lld outputs do not divide into %lld offset groups and %lld groups",
                     (long long)channels, (long long)outputs, (long long)shift, (long long)group);
  }
  if (channels >= 0 && dim_of(f, 1) >= 0) {
    WEFT_TRY(weft__merge_dim(it, channels, weft_dim_mul(p, dim_of(f, 1), group),
                             "channels of 'X' and of 'W' times groups", &ignored));
  }
  if (weft__has_in(it->desc, B, &in)) {
    WEFT_TRY(weft__expect_rank(it, in, 1, 1));
    WEFT_TRY(
        weft__merge_dim(it, outputs, dim_of(it->in[in], 0), "outputs of 'W' and elements of 'B'", &outputs));
  }
  WEFT_TRY(weft_set_out_shape(it, 0, (weft_dim[4]){dim_of(x, 0), outputs, -1, -1}, 4));
  for (size_t k = 0; k < 2; k++) {
    char what[64];
    snprintf(what, sizeof what, "axis %zu of input 'X'", k + 2);
    const weft_window_axis over = {.what = what, .in = dim_of(x, k + 2), .window = w[k]};
    WEFT_TRY(weft__window_out(p, it->d, &over, &it->out[0]->dim[k + 2]));
  }
  WEFT_TRY(check_places(it, OFFSET, 2, w, it->out[0]));
  return weft__has_in(it->desc, MASK, &in) ? check_places(it, in, 1, w, it->out[0]) : WEFT_OK;
}

static double bilinear(const weft_tensor *x, size_t plane, int64_t h, int64_t w, double row, double column) {
  if (!(row > -1 && row < (double)h && column > -1 && column < (double)w))
    return 0;
  int64_t r = (int64_t)floor(row);
  int64_t e = (int64_t)floor(column);
  double part[2] = {row - (double)r, column - (double)e}, sum = 0;
  for (int k = 0; k < 4; k++) {
    int64_t i = r + k / 2;
    int64_t j = e + k % 2;
    double weight = (k / 2 ? part[0] : 1 - part[0]) * (k % 2 ? part[1] : 1 - part[1]);
    if (weight != 0 && i >= 0 && i < h && j >= 0 && j < w)
      sum += weight * weft_load_f64(x->dtype, x->data, plane + (size_t)(i * w + j));
  }
  return sum;
}

// Output [n, m, row, column] without the bias.
static double element(const weft_call *c, const weft_window w[2], const size_t at[4]) {
  const weft_tensor *x = c->in[X];
  const weft_tensor *f = c->in[W];
  const weft_tensor *offset = c->in[OFFSET];
  const weft_shape *xs = &x->layout.origin;
  const weft_shape *fs = &f->layout.origin;
  const weft_shape *ys = &c->out[0]->layout.origin;
  uint32_t mask;
  bool masked = weft__has_in(c->desc, MASK, &mask);
  size_t taps = (size_t)fs->dim[2] * (size_t)fs->dim[3];
  size_t wide = (size_t)fs->dim[3];
  size_t each = (size_t)fs->dim[1];
  size_t shifts = (size_t)weft_node_int(c->desc, OFFSET_GROUP);
  size_t channels = (size_t)xs->dim[1];
  size_t first = at[1] / ((size_t)ys->dim[1] / (size_t)weft_node_int(c->desc, GROUP)) * each;
  size_t spots = (size_t)ys->dim[2] * (size_t)ys->dim[3];
  size_t spot = at[2] * (size_t)ys->dim[3] + at[3];
  double sum = 0;
  for (size_t i = 0; i < each * taps; i++) {
    size_t channel = first + i / taps;
    size_t tap = i % taps;
    size_t place = (at[0] * shifts + channel / (channels / shifts)) * taps + tap;
    double dy = weft_load_f64(offset->dtype, offset->data, 2 * place * spots + spot);
    double dx = weft_load_f64(offset->dtype, offset->data, (2 * place + 1) * spots + spot);
    double row =
        (double)((int64_t)at[2] * w[0].stride - w[0].begin + (int64_t)(tap / wide) * w[0].dilation) + dy;
    double column =
        (double)((int64_t)at[3] * w[1].stride - w[1].begin + (int64_t)(tap % wide) * w[1].dilation) + dx;
    double v = bilinear(x, (at[0] * channels + channel) * (size_t)xs->dim[2] * (size_t)xs->dim[3], xs->dim[2],
                        xs->dim[3], row, column);
    if (masked)
      v *= weft_load_f64(x->dtype, c->in[mask]->data, place * spots + spot);
    sum += v * weft_load_f64(f->dtype, f->data, at[1] * each * taps + i);
  }
  return sum;
}

static weft_status deform_conv_ref(const weft_call *c) {
  weft_window w[2];
  weft_walk walk;
  uint32_t bias;
  weft_tensor *y = c->out[0];
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  WEFT_TRY(deform_conv_read(c->d, c->desc, &c->in[W]->layout.origin, w));
  bool biased = weft__has_in(c->desc, B, &bias);
  for (weft__walk_init(&walk, &y->layout.origin); walk.i < walk.n; weft__walk_next(&walk)) {
    WEFT_TRY(weft__poll_at(c, walk.i << 6));
    double v = element(c, w, walk.index);
    if (biased)
      v += weft_load_f64(y->dtype, c->in[bias]->data, walk.index[1]);
    weft_store_f64(y->dtype, y->data, walk.i, v);
  }
  return WEFT_OK;
}

WEFT_OP(deform_conv) = {
    WEFT_OP_HEAD,
    .name = "DeformConv",
    .summary = "convolution whose taps are read beside their places",
    .in = PORTS({"X", "T"}, {"W", "T"}, {"offset", "T"}, {"B", "T", .kind = WEFT_OPTIONAL},
                {"mask", "T", .kind = WEFT_OPTIONAL}),
    .out = PORTS({"Y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"dilations", "ListInt", "{}", "count 0,2;each min 1"}, {"group", "Int", "1", "min 1"},
                   {"kernel_shape", "ListInt", "{}", "count 0,2;each min 1"},
                   {"offset_group", "Int", "1", "min 1"}, {"pads", "ListInt", "{}", "count 0,4;each min 0"},
                   {"strides", "ListInt", "{}", "count 0,2;each min 1"}),
    .traits = WEFT_SYMBOLIC,
    .infer = deform_conv_infer,
    .ref = deform_conv_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,1,1,3]{1,2,4}, f32[1,1,1,2]{1,10}, f32[1,4,1,2]{0,0,0.5,0,0,0,0,0} -> f32[1,1,1,2]{21.5,42}",
        "f32[1,1,1,2]{2,4}, f32[1,1,1,1]{3}, f32[1,2,1,2]{0,0,0.5,9}, f32[1]{1}, f32[1,1,1,2]{0.5,1}"
        " -> f32[1,1,1,2]{5.5,1}",
        "f32[1,2,1,1]{2,4}, f32[1,2,1,1]{1,1}, f32[1,4,1,1]{0,0,0.25,0} offset_group=2 -> f32[1,1,1,1]{5}",
        "f32[1,1,1,1]{2}, f32[1,1,1,1]{1}, f32[1,2,1,3]{0,0,0,1,nan,-1} pads=[0,1,0,1] -> "
        "f32[1,1,1,3]{2,0,2}",
        "f16[0,2,4,4], f16[3,2,2,2], f16[0,8,3,3] -> f16[0,3,3,3]",
        "f32[N,2,-1,8], f32[4,2,3,3], f32[N,18,-1,6] -> f32[N,4,-1,6]",
        "f32[1,2,4,4], f32[4,1,2,2], f32[1,8,3,3] group=2 -> f32[1,4,3,3]",
        "f32[?], f32[?], f32[?] -> f32[-1,-1,-1,-1]",
        "f32[1,2,4,4], f32[4,2,2,2], f32[1,4,3,3] !! E_SHAPE 8 and 4 differ",
        "f32[1,2,4,4], f32[4,1,2,2], f32[1,8,3,3] !! E_SHAPE 2 and 1 differ",
        "f32[1,3,4,4], f32[4,3,2,2], f32[1,16,3,3] offset_group=2 !! E_SHAPE do not divide",
        "f32[2,4], f32[1,1,1,1], f32[1,2,1,1] !! E_SHAPE expected rank 4"),
};
// SPDX-License-Identifier: Apache-2.0
