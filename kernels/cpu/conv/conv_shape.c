// conv_shape.c - reads Conv and Conv2D and checks that what follows keeps their shape.
#include "cpu/conv/conv_shape.h"
#include "conv.rule.h"

typedef struct lists {
  int64_t stride[3], dilation[3], begin[3], end[3];
  weft_pad_mode mode;
  int64_t groups;
} lists;

static int64_t conv_shape_value(weft_ints v, size_t i, int64_t dflt) {
  return i < (size_t)v.n ? v.v[i] : dflt;
}

static const char *read_lists(const weft__product *p, size_t spatial, lists *l) {
  const weft_op_desc *n = p->desc;
  bool onnx = p->kind == WEFT__PRODUCT_CONV;
  const char *format = onnx ? "NCHW" : weft_node_str(n, WEFT_SLOT_CONV2D_DATA_FORMAT);
  if (!format || strcmp(format, "NCHW"))
    return "needs NCHW";
  weft_ints s = weft_node_ints(n, onnx ? WEFT_CONV_STRIDES : WEFT_SLOT_CONV2D_STRIDES);
  weft_ints d = weft_node_ints(n, onnx ? WEFT_CONV_DILATIONS : WEFT_SLOT_CONV2D_DILATIONS);
  weft_ints pads = weft_node_ints(n, onnx ? WEFT_CONV_PADS : WEFT_SLOT_CONV2D_PADS);
  l->mode = weft__pad_mode(weft_node_str(n, onnx ? WEFT_CONV_AUTO_PAD : WEFT_SLOT_CONV2D_PAD_MODE));
  l->groups = weft_node_int(n, onnx ? WEFT_CONV_GROUP : WEFT_SLOT_CONV2D_GROUPS);
  for (size_t i = 0; i < 3; i++) {
    size_t lead = 3 - spatial;
    size_t k = i - lead;
    bool there = i >= lead;
    l->stride[i] = there ? conv_shape_value(s, onnx ? k : k + 2, 1) : 1;
    l->dilation[i] = there ? conv_shape_value(d, onnx ? k : k + 2, 1) : 1;
    l->begin[i] = there ? conv_shape_value(pads, onnx ? k : 2 * k, 0) : 0;
    l->end[i] = there ? conv_shape_value(pads, onnx ? spatial + k : 2 * k + 1, 0) : 0;
    if (l->stride[i] < 1 || l->dilation[i] < 1)
      return "has strides or dilations below 1";
  }
  return l->groups < 1 ? "has no groups" : NULL;
}

// One axis: padding by the mode, and does it give `out`?
static bool axis(const lists *l, size_t i, int64_t in, int64_t kernel, int64_t out, weft__conv_shape *c) {
  int64_t span;
  int64_t reach;
  int64_t begin = l->begin[i];
  int64_t end = l->end[i];
  if (in < 0 || out < 1 || kernel < 1 || !weft__mul_i64(kernel - 1, l->dilation[i], &span) ||
      !weft__mul_i64(out - 1, l->stride[i], &reach) || !weft__add_i64(reach, span, &reach) ||
      !weft__add_i64(reach, 1, &reach))
    return false;
  if (l->mode != WEFT_PAD_EXPLICIT)
    begin = end = 0;
  if (weft__pads_same(l->mode)) {
    begin = weft__same_begin(l->mode, WEFT_MAX(reach - in, 0));
    if (out != (in - 1) / l->stride[i] + 1)
      return false;
  } else {
    int64_t room;
    if (!weft__add_i64(in, begin, &room) || !weft__add_i64(room, end, &room) || room <= span ||
        (room - span - 1) / l->stride[i] + 1 != out)
      return false;
  }
  c->in[i] = (size_t)in;
  c->out[i] = (size_t)out;
  c->kernel[i] = (size_t)kernel;
  c->stride[i] = (size_t)l->stride[i];
  c->dilation[i] = (size_t)l->dilation[i];
  c->begin[i] = begin;
  return true;
}

static bool read_shapes(const weft__product *p, const lists *l, size_t spatial, weft__conv_shape *c) {
  const weft_shape *x = p->shape[0];
  const weft_shape *w = p->shape[1];
  const weft_shape *y = p->y;
  if (w->rank != x->rank || y->rank != x->rank)
    return false;
  c->images = (size_t)x->dim[0];
  c->groups = (size_t)l->groups;
  c->inputs = (size_t)w->dim[1];
  c->outputs = (size_t)w->dim[0] / c->groups;
  c->in_size = c->out_size = c->taps = 1;
  for (size_t i = 0; i < 3; i++) {
    bool there = i >= 3 - spatial;
    size_t k = i + spatial - 1;  // of dims: 2 for the first spatial axis
    if (!axis(l, i, there ? x->dim[k] : 1, there ? w->dim[k] : 1, there ? y->dim[k] : 1, c))
      return false;
    c->in_size *= c->in[i];
    c->out_size *= c->out[i];
    c->taps *= c->kernel[i];
  }
  return y->dim[0] == x->dim[0] && y->dim[1] == w->dim[0] && (size_t)w->dim[0] == c->outputs * c->groups &&
         (size_t)x->dim[1] == c->inputs * c->groups;
}

// 1 x 1 at every place: one long row.
static void flatten(weft__conv_shape *c) {
  for (size_t i = 0; i < 3; i++) {
    if (c->kernel[i] != 1 || c->stride[i] != 1 || c->begin[i] || c->in[i] != c->out[i])
      return;
  }
  c->in[0] = c->in[1] = c->out[0] = c->out[1] = 1;
  c->in[2] = c->out[2] = c->in_size;
}

const char *weft__conv_sizes(const weft__product *p, weft__conv_shape *c) {
  lists l;
  size_t rank = p->shape[0]->rank;
  if (rank < 3 || rank > 5)
    return "needs rank 3 to 5";
  const char *no = read_lists(p, rank - 2, &l);
  if (no)
    return no;
  if (!read_shapes(p, &l, rank - 2, c))
    return "an operator after the convolution changes the shape";
  flatten(c);
  return NULL;
}

const char *weft__conv_read(const weft_tiling *t, weft__product *p, weft__conv_shape *c, weft__epilogue *e) {
  lists l;
  const char *no = weft__product_find(t, WEFT__CONVOLUTIONS, p);
  if (no)
    return no;
  if (!weft__product_known(t))
    return read_lists(p, 2, &l);
  if (p->kind == WEFT__PRODUCT_CONV2D && p->shape[0]->rank != 4)
    return "needs rank 4";
  no = weft__conv_sizes(p, c);
  return no ? no : weft__product_epilogue(t, p, (weft__view){1, 1}, e);
}

bool weft__strips_of(const weft__conv_shape *c, size_t in_max, size_t out_max, size_t taps_max, uint32_t *at,
                     weft__strips *out) {
  size_t phases = c->stride[1] * c->stride[2];
  size_t reach_h;
  size_t reach_w;
  if (c->taps > taps_max || c->stride[1] > 64 || c->stride[2] > 64)
    return false;
  if (!weft_mul_size(c->kernel[1] - 1, c->dilation[1], &reach_h) ||
      !weft_mul_size(c->kernel[2] - 1, c->dilation[2], &reach_w))
    return false;
  out->more_rows = reach_h / c->stride[1];
  if (c->out[2] > out_max || reach_w / c->stride[2] > out_max || out->more_rows > in_max)
    return false;
  out->pitch = c->out[2] + reach_w / c->stride[2];
  size_t fit = in_max / phases / out->pitch;
  size_t most = out_max / out->pitch;
  if (fit <= out->more_rows || !most)
    return false;
  out->strip = WEFT_MIN(most, fit - out->more_rows);
  size_t strips = (c->out[1] + out->strip - 1) / out->strip;
  out->strip = (c->out[1] + strips - 1) / strips;
  for (size_t t = 0; t < c->taps; t++) {
    size_t h = t / c->kernel[2] * c->dilation[1];
    size_t w = t % c->kernel[2] * c->dilation[2];
    size_t plane = h % c->stride[1] * c->stride[2] + w % c->stride[2];
    size_t line = plane * (out->strip + out->more_rows) + h / c->stride[1];
    at[t] = (uint32_t)(line * out->pitch + w / c->stride[2]);
  }
  return true;
}
// SPDX-License-Identifier: Apache-2.0
