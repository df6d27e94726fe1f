// conv_shape.c - reads Conv and Conv2D and checks that what follows keeps their shape.
#include "cpu/conv/conv_shape.h"
#include "conv.rule.h"

typedef struct lists {
  int64_t stride[3], dilation[3], begin[3], end[3];
  weft_pad_mode mode;
  int64_t groups;
} lists;

// Attributes of Conv, and of Conv2D, whose lists have N and C in front.
typedef struct attributes {
  uint32_t strides, dilations, pads, pad_mode, groups;
  size_t lead;
} attributes;
static const attributes of_conv = {.strides = WEFT_CONV_STRIDES,
                                   .dilations = WEFT_CONV_DILATIONS,
                                   .pads = WEFT_CONV_PADS,
                                   .pad_mode = WEFT_CONV_AUTO_PAD,
                                   .groups = WEFT_CONV_GROUP};
static const attributes of_conv2d = {.strides = WEFT_SLOT_CONV2D_STRIDES,
                                     .dilations = WEFT_SLOT_CONV2D_DILATIONS,
                                     .pads = WEFT_SLOT_CONV2D_PADS,
                                     .pad_mode = WEFT_SLOT_CONV2D_PAD_MODE,
                                     .groups = WEFT_SLOT_CONV2D_GROUPS,
                                     .lead = 2};

// Padding in front of and behind spatial axis k: Conv has all in front first, Conv2D both of an axis.
static void read_pads(const weft__product *p, weft_ints pads, size_t spatial, lists *l) {
  const bool onnx = p->kind == WEFT__PRODUCT_CONV;
  for (size_t k = 0; k < spatial; k++) {
    const size_t i = 3 - spatial + k;
    l->begin[i] = weft__conv_value(pads, onnx ? k : 2 * k, 0);
    l->end[i] = weft__conv_value(pads, onnx ? spatial + k : 2 * k + 1, 0);
  }
}

static bool is_channels_first(const weft__product *p) {
  if (p->kind == WEFT__PRODUCT_CONV)
    return true;
  const char *format = weft_node_str(p->desc, WEFT_SLOT_CONV2D_DATA_FORMAT);
  return format && !strcmp(format, "NCHW");
}

static const char *read_lists(const weft__product *p, size_t spatial, lists *l) {
  const weft_op_desc *n = p->desc;
  const attributes *a = p->kind == WEFT__PRODUCT_CONV ? &of_conv : &of_conv2d;
  const weft_ints strides = weft_node_ints(n, a->strides);
  const weft_ints dilations = weft_node_ints(n, a->dilations);
  if (!is_channels_first(p))
    return "needs NCHW";
  *l = (lists){.stride = {1, 1, 1},
               .dilation = {1, 1, 1},
               .mode = weft__pad_mode(weft_node_str(n, a->pad_mode)),
               .groups = weft_node_int(n, a->groups)};
  for (size_t k = 0; k < spatial; k++) {
    const size_t i = 3 - spatial + k;
    l->stride[i] = weft__conv_value(strides, a->lead + k, 1);
    l->dilation[i] = weft__conv_value(dilations, a->lead + k, 1);
    if (l->stride[i] < 1 || l->dilation[i] < 1)
      return "has strides or dilations below 1";
  }
  read_pads(p, weft_node_ints(n, a->pads), spatial, l);
  return l->groups < 1 ? "has no groups" : NULL;
}

// Places from a window's first to its last, and to the last of all windows. False: too many.
static bool spans(const lists *l, size_t i, int64_t kernel, int64_t out, int64_t *span, int64_t *reach) {
  if (!weft__mul_i64(kernel - 1, l->dilation[i], span) || !weft__mul_i64(out - 1, l->stride[i], reach))
    return false;
  return weft__add_i64(*reach, *span, reach) && weft__add_i64(*reach, 1, reach);
}

// Outputs of an axis that is padded so. False: there are none.
static bool padded_outputs(int64_t in, int64_t begin, int64_t end, int64_t span, int64_t stride,
                           int64_t *out) {
  int64_t room;
  if (!weft__add_i64(in, begin, &room) || !weft__add_i64(room, end, &room))
    return false;
  *out = (room - span - 1) / stride + 1;
  return room > span;
}

// One axis: padding by the mode, and does it give `out`?
static bool axis(const lists *l, size_t i, int64_t in, int64_t kernel, int64_t out, weft__conv_shape *c) {
  const bool given = l->mode == WEFT_PAD_EXPLICIT;
  int64_t begin = given ? l->begin[i] : 0;
  int64_t end = given ? l->end[i] : 0;
  int64_t span;
  int64_t reach;
  int64_t outputs;
  const bool sizes = in >= 0 && out >= 1 && kernel >= 1;
  if (!sizes || !spans(l, i, kernel, out, &span, &reach))
    return false;
  if (weft__pads_same(l->mode)) {
    begin = weft__same_begin(l->mode, WEFT_MAX(reach - in, 0));
    outputs = (in - 1) / l->stride[i] + 1;
  } else if (!padded_outputs(in, begin, end, span, l->stride[i], &outputs)) {
    return false;
  }
  if (outputs != out)
    return false;
  c->in[i] = (size_t)in;
  c->out[i] = (size_t)out;
  c->kernel[i] = (size_t)kernel;
  c->stride[i] = (size_t)l->stride[i];
  c->dilation[i] = (size_t)l->dilation[i];
  c->begin[i] = begin;
  return true;
}

static bool read_shapes(const weft__product *p, const lists *l, weft__conv_shape *c) {
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
    if (!axis(l, i, weft__conv_dim(x, i), weft__conv_dim(w, i), weft__conv_dim(y, i), c))
      return false;
    c->in_size *= c->in[i];
    c->out_size *= c->out[i];
    c->taps *= c->kernel[i];
  }
  const bool whole_groups =
      (size_t)w->dim[0] == c->outputs * c->groups && (size_t)x->dim[1] == c->inputs * c->groups;
  return whole_groups && y->dim[0] == x->dim[0] && y->dim[1] == w->dim[0];
}

// 1 x 1 at every place: one long row.
static void flatten(weft__conv_shape *c) {
  for (size_t i = 0; i < 3; i++) {
    const bool one_tap = c->kernel[i] == 1 && c->stride[i] == 1;
    const bool own_place = c->in[i] == c->out[i] && !c->begin[i];
    if (!one_tap || !own_place)
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
  if (!read_shapes(p, &l, c))
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
