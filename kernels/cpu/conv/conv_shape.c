// conv_shape.c - reads Conv and Conv2D and checks that what follows keeps their shape.
#include "cpu/conv/conv_shape.h"

// Attribute slots.
enum {
  CONV2D_STRIDES,
  CONV2D_PADS,
  CONV2D_DILATIONS,
  CONV2D_GROUPS,
  CONV2D_FORMAT,
  CONV2D_OFFSET_X,
  CONV2D_MODE
};
enum { CONV_AUTO_PAD, CONV_DILATIONS, CONV_GROUP, CONV_KERNEL, CONV_PADS, CONV_STRIDES };

enum { AXES = 3 };  // spatial ones; leading ones are of length 1 where the operator has fewer

typedef struct lists {
  int64_t stride[AXES];
  int64_t dilation[AXES];
  int64_t begin[AXES];
  int64_t end[AXES];
  const char *mode;
  int64_t groups;
} lists;

static int64_t value(weft_ints v, size_t i, int64_t dflt) {
  return i < (size_t)v.n ? v.v[i] : dflt;
}

// Conv: lists of the spatial axes; pads of all beginnings, then of all ends.
static void read_conv(const weft_op_desc *n, size_t spatial, lists *l) {
  const weft_ints strides = weft_node_ints(n, CONV_STRIDES);
  const weft_ints dilations = weft_node_ints(n, CONV_DILATIONS);
  const weft_ints pads = weft_node_ints(n, CONV_PADS);
  const size_t lead = AXES - spatial;
  for (size_t k = 0; k < spatial; k++) {
    l->stride[lead + k] = value(strides, k, 1);
    l->dilation[lead + k] = value(dilations, k, 1);
    l->begin[lead + k] = value(pads, k, 0);
    l->end[lead + k] = value(pads, spatial + k, 0);
  }
  l->mode = weft_node_str(n, CONV_AUTO_PAD);
  l->groups = weft_node_int(n, CONV_GROUP);
}

// Conv2D: strides and dilations of all four axes; pads axis by axis.
static void read_conv2d(const weft_op_desc *n, size_t spatial, lists *l) {
  const weft_ints strides = weft_node_ints(n, CONV2D_STRIDES);
  const weft_ints dilations = weft_node_ints(n, CONV2D_DILATIONS);
  const weft_ints pads = weft_node_ints(n, CONV2D_PADS);
  const size_t lead = AXES - spatial;
  for (size_t k = 0; k < spatial; k++) {
    l->stride[lead + k] = value(strides, k + 2, 1);
    l->dilation[lead + k] = value(dilations, k + 2, 1);
    l->begin[lead + k] = value(pads, 2 * k, 0);
    l->end[lead + k] = value(pads, 2 * k + 1, 0);
  }
  l->mode = weft_node_str(n, CONV2D_MODE);
  l->groups = weft_node_int(n, CONV2D_GROUPS);
}

static bool is_nchw(const weft__product *p) {
  if (p->kind == WEFT__PRODUCT_CONV)
    return true;
  const char *format = weft_node_str(p->desc, CONV2D_FORMAT);
  return format && !strcmp(format, "NCHW");
}

static const char *read_lists(const weft__product *p, size_t spatial, lists *l) {
  if (!is_nchw(p))
    return "needs NCHW";
  *l = (lists){.stride = {1, 1, 1}, .dilation = {1, 1, 1}};
  if (p->kind == WEFT__PRODUCT_CONV)
    read_conv(p->desc, spatial, l);
  else
    read_conv2d(p->desc, spatial, l);
  for (size_t i = 0; i < AXES; i++) {
    if (l->stride[i] < 1 || l->dilation[i] < 1)
      return "has strides or dilations below 1";
  }
  return l->groups < 1 ? "has no groups" : NULL;
}

// What a kernel of `size` taps covers, less 1, and what all `out` of its places do. False: it overflows.
static bool reach_of(int64_t size, int64_t dilation, int64_t out, int64_t stride, int64_t *out_span,
                     int64_t *out_reach) {
  int64_t steps;
  const bool fits = weft__mul_i64(size - 1, dilation, out_span) && weft__mul_i64(out - 1, stride, &steps);
  return fits && weft__add_i64(steps, *out_span, out_reach) && weft__add_i64(*out_reach, 1, out_reach);
}

// Places of a kernel in a padded axis of `in`; 0: none, or it overflows.
static int64_t places_of(int64_t in, int64_t begin, int64_t end, int64_t span, int64_t stride) {
  int64_t room;
  const bool fits = weft__add_i64(in, begin, &room) && weft__add_i64(room, end, &room);
  if (!fits || room <= span)
    return 0;
  return (room - span - 1) / stride + 1;
}

// Lengths of one axis.
typedef struct lengths {
  int64_t in;
  int64_t kernel;
  int64_t out;
} lengths;

// One axis: padding by the mode, and does it give `out`?
static bool axis(const lists *l, size_t i, lengths n, weft__conv_shape *c) {
  const int64_t stride = l->stride[i];
  const char *mode = l->mode ? l->mode : "";
  const bool same = !strncmp(mode, "SAME", 4);
  const bool listed = !same && strcmp(mode, "VALID") != 0;
  int64_t begin = listed ? l->begin[i] : 0;
  int64_t span;
  int64_t reach;
  const bool lengths_fit = n.in >= 0 && n.out >= 1 && n.kernel >= 1;
  if (!lengths_fit || !reach_of(n.kernel, l->dilation[i], n.out, stride, &span, &reach))
    return false;

  int64_t places;
  if (same) {
    const int64_t total = WEFT_MAX(reach - n.in, 0);
    begin = strcmp(mode, "SAME_LOWER") ? total / 2 : total - total / 2;
    places = (n.in - 1) / stride + 1;
  } else {
    places = places_of(n.in, begin, listed ? l->end[i] : 0, span, stride);
  }
  if (n.out != places)
    return false;
  c->in[i] = (size_t)n.in;
  c->out[i] = (size_t)n.out;
  c->kernel[i] = (size_t)n.kernel;
  c->stride[i] = (size_t)stride;
  c->dilation[i] = (size_t)l->dilation[i];
  c->begin[i] = begin;
  return true;
}

static bool channels_fit(const weft__product *p, const weft__conv_shape *c) {
  const weft_shape *x = p->shape[0];
  const weft_shape *w = p->shape[1];
  const weft_shape *y = p->y;
  const bool same_outputs = y->dim[1] == w->dim[0] && (size_t)w->dim[0] == c->outputs * c->groups;
  const bool same_inputs = (size_t)x->dim[1] == c->inputs * c->groups;
  return y->dim[0] == x->dim[0] && same_outputs && same_inputs;
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
  for (size_t i = 0; i < AXES; i++) {
    const bool there = i >= AXES - spatial;
    const size_t k = i + spatial - 1;  // of dims: 2 for the first spatial axis
    const lengths n = there ? (lengths){x->dim[k], w->dim[k], y->dim[k]} : (lengths){1, 1, 1};
    if (!axis(l, i, n, c))
      return false;
    c->in_size *= c->in[i];
    c->out_size *= c->out[i];
    c->taps *= c->kernel[i];
  }
  return channels_fit(p, c);
}

// 1 x 1 at every place: one long row.
static void flatten(weft__conv_shape *c) {
  for (size_t i = 0; i < AXES; i++) {
    const bool point = c->kernel[i] == 1 && c->stride[i] == 1;
    const bool all_places = !c->begin[i] && c->in[i] == c->out[i];
    if (!point || !all_places)
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

// By how many rows and columns of a phase the taps of a plane are apart. False: too many.
static bool reach_of_taps(const weft__conv_shape *c, size_t *out_rows, size_t *out_cols) {
  size_t rows;
  size_t cols;
  const bool fits = weft_mul_size(c->kernel[1] - 1, c->dilation[1], &rows) &&
                    weft_mul_size(c->kernel[2] - 1, c->dilation[2], &cols);
  if (!fits)
    return false;
  *out_rows = rows / c->stride[1];
  *out_cols = cols / c->stride[2];
  return true;
}

static void place_taps(const weft__conv_shape *c, const weft__strips *s, uint32_t *at) {
  for (size_t t = 0; t < c->taps; t++) {
    const size_t h = t / c->kernel[2] * c->dilation[1];
    const size_t w = t % c->kernel[2] * c->dilation[2];
    const size_t plane = h % c->stride[1] * c->stride[2] + w % c->stride[2];
    const size_t line = plane * (s->strip + s->more_rows) + h / c->stride[1];
    at[t] = (uint32_t)(line * s->pitch + w / c->stride[2]);
  }
}

bool weft__strips_of(const weft__conv_shape *c, size_t in_max, size_t out_max, size_t taps_max, uint32_t *at,
                     weft__strips *out) {
  enum { STRIDE_MAX = 64 };
  const size_t phases = c->stride[1] * c->stride[2];
  const bool short_strides = c->stride[1] <= STRIDE_MAX && c->stride[2] <= STRIDE_MAX;
  size_t more_cols;
  if (c->taps > taps_max || !short_strides)
    return false;
  if (!reach_of_taps(c, &out->more_rows, &more_cols))
    return false;
  const bool row_fits = c->out[2] <= out_max && more_cols <= out_max;
  if (!row_fits || out->more_rows > in_max)
    return false;

  out->pitch = c->out[2] + more_cols;
  const size_t fit = in_max / phases / out->pitch;
  const size_t most = out_max / out->pitch;
  if (fit <= out->more_rows || !most)
    return false;
  out->strip = WEFT_MIN(most, fit - out->more_rows);
  const size_t strips = (c->out[1] + out->strip - 1) / out->strip;
  out->strip = (c->out[1] + strips - 1) / strips;
  place_taps(c, out, at);
  return true;
}
// SPDX-License-Identifier: Apache-2.0
