// conv_transpose_shape.c - see conv_transpose.h.
#include "cpu/conv/conv_shape.h"
#include "cpu/conv/conv_transpose.h"
#include "conv.rule.h"

enum { X, W };
enum { MOST_PHASES = 4096 };

static int64_t value_of(const weft_op_desc *n, uint32_t slot, size_t i, int64_t dflt) {
  return weft__conv_value(weft_node_ints(n, slot), i, dflt);
}

// Padding in front of an axis.
static int64_t begin_of(const weft_op_desc *n, size_t i, const weft_transposed_axis *a) {
  const weft_pad_mode mode = weft__pad_mode(weft_node_str(n, WEFT_CONV_AUTO_PAD));
  const bool wanted = value_of(n, WEFT_CONV_OUTPUT_SHAPE, i, 0) != 0;
  if (mode == WEFT_PAD_EXPLICIT && !wanted)
    return value_of(n, WEFT_CONV_PADS, i, 0);
  if (mode == WEFT_PAD_VALID && !wanted)
    return 0;
  return weft__transposed_begin(mode, weft__transposed_padding(a));
}

enum { LONGEST = 1 << 30 };
static bool is_count(int64_t n) {
  return n >= 1 && n <= LONGEST;
}

static const char *read_axis(const weft__product *p, size_t i, weft__transposed *g) {
  const weft_op_desc *n = p->desc;
  const size_t lead = 5 - p->shape[X]->rank;
  const size_t k = i - lead;
  const bool there = i >= lead;
  const int64_t in = weft__conv_dim(p->shape[X], i);
  const int64_t out = weft__conv_dim(p->y, i);
  const int64_t kernel = weft__conv_dim(p->shape[W], i);
  const int64_t stride = there ? value_of(n, WEFT_CONV_STRIDES, k, 1) : 1;
  const int64_t dilation = there ? value_of(n, WEFT_CONV_DILATIONS, k, 1) : 1;
  const bool windows = is_count(kernel) && is_count(stride) && is_count(dilation);
  if (!windows || WEFT_MAX(in, out) > LONGEST)
    return "has an axis that is too long";
  const weft_transposed_axis axis = {in, out, stride, weft__window_reach(kernel, dilation),
                                     there ? value_of(n, WEFT_CONV_OUTPUT_PADDING, k, 0) : 0};
  g->begin[i] = there ? begin_of(n, k, &axis) : 0;
  g->in[i] = (size_t)in;
  g->out[i] = (size_t)out;
  g->f.kernel[i] = (size_t)kernel;
  g->f.stride[i] = (size_t)stride;
  g->f.dilation[i] = (size_t)dilation;
  return NULL;
}

static const char *conv_transpose_shape_read_axes(const weft__product *p, weft__transposed *g) {
  g->in_size = g->out_size = g->f.taps = g->f.phases = 1;
  for (size_t i = 0; i < 3; i++) {
    const char *no = read_axis(p, i, g);
    if (no)
      return no;
    g->in_size *= g->in[i];
    g->out_size *= g->out[i];
    g->f.taps *= g->f.kernel[i];
    if (!weft_mul_size(g->f.phases, g->f.stride[i], &g->f.phases) || g->f.phases > MOST_PHASES)
      return "has strides that are too long";
  }
  return NULL;
}

const char *weft__transposed_read(const weft_tiling *t, weft__transposed *g) {
  weft__product p;
  const char *no = weft__product_find(t, WEFT__TRANSPOSED, &p);
  if (no || !weft__product_known(t))
    return no;
  const weft_shape *x = p.shape[X];
  const weft_shape *w = p.shape[W];
  int64_t groups = weft_node_int(p.desc, WEFT_CONV_GROUP);
  if (x->rank < 3 || x->rank > 5 || w->rank != x->rank || groups < 1)
    return "needs rank 3 to 5";
  g->x_arg = (uint32_t)p.arg[X];
  g->w_arg = (uint32_t)p.arg[W];
  g->y_arg = t->n_in;
  g->images = (size_t)x->dim[0];
  g->f.groups = (size_t)groups;
  g->f.inputs = (size_t)(x->dim[1] / groups);
  g->f.outputs = (size_t)w->dim[1];
  if (p.y->rank != x->rank || p.y->dim[0] != x->dim[0] || p.y->dim[1] != groups * w->dim[1])
    return "an operator after it changes the shape";
  no = conv_transpose_shape_read_axes(&p, g);
  if (!no)
    no = weft__product_epilogue(t, &p, (weft__view){1, 1}, &g->e);
  for (uint32_t i = 0; i < g->e.n && !no; i++) {
    if (g->e.step[i].by_col)
      no = "adds a tensor place by place";
  }
  return no;
}

double weft__transposed_macs(const weft__transposed *g) {
  return (double)g->images * (double)g->f.groups * (double)g->f.inputs * (double)g->f.outputs *
         (double)g->in_size * (double)g->f.taps;
}
// SPDX-License-Identifier: Apache-2.0
