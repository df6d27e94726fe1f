// conv_transpose_shape.c - see conv_transpose.h.
#include "cpu/conv/conv_transpose.h"

enum { AUTO_PAD, DILATIONS, GROUP, KERNEL_SHAPE, PADS, STRIDES, OUTPUT_PADDING, OUTPUT_SHAPE };
enum { X, W };
enum { MOST_PHASES = 4096 };

static int64_t value(const weft_op_desc *n, uint32_t slot, size_t i, int64_t dflt) {
  weft_ints v = weft_node_ints(n, slot);
  return i < (size_t)v.n ? v.v[i] : dflt;
}

// Padding in front of an axis, as ops/conv_kernel.c has it.
static int64_t begin_of(const weft_op_desc *n, size_t i, int64_t in, int64_t span, int64_t stride,
                        int64_t out) {
  const char *set = weft_node_str(n, AUTO_PAD);
  const char *mode = set ? set : "NOTSET";
  const bool wanted = value(n, OUTPUT_SHAPE, i, 0) != 0;
  if (!wanted && !strcmp(mode, "NOTSET"))
    return value(n, PADS, i, 0);
  if (!wanted && !strcmp(mode, "VALID"))
    return 0;
  const int64_t total = WEFT_MAX((in - 1) * stride + span + value(n, OUTPUT_PADDING, i, 0) - out, 0);
  return strcmp(mode, "SAME_UPPER") ? total - total / 2 : total / 2;
}

// One axis, of length 1 where it is not there.
typedef struct axis {
  int64_t in;
  int64_t out;
  int64_t kernel;
  int64_t stride;
  int64_t dilation;
  int64_t begin;
} axis;

enum { LONGEST = 1 << 30 };

static bool has_length(int64_t n) {
  return n >= 1 && n <= LONGEST;
}

// Spatial axis k. False: it is too long.
static bool read_axis(const weft__product *p, size_t k, axis *a) {
  const weft_op_desc *n = p->desc;
  *a = (axis){.in = p->shape[X]->dim[2 + k],
              .out = p->y->dim[2 + k],
              .kernel = p->shape[W]->dim[2 + k],
              .stride = value(n, STRIDES, k, 1),
              .dilation = value(n, DILATIONS, k, 1)};
  const bool short_sides = a->in <= LONGEST && a->out <= LONGEST;
  const bool short_steps = has_length(a->stride) && has_length(a->dilation);
  if (!short_sides || !short_steps)
    return false;
  if (!has_length(a->kernel))
    return false;
  a->begin = begin_of(n, k, a->in, (a->kernel - 1) * a->dilation + 1, a->stride, a->out);
  return true;
}

static const char *read_axes(const weft__product *p, weft__transposed *g) {
  const size_t lead = 5 - p->shape[X]->rank;
  g->in_size = g->out_size = g->f.taps = g->f.phases = 1;
  for (size_t i = 0; i < 3; i++) {
    axis a = {1, 1, 1, 1, 1, 0};
    if (i >= lead && !read_axis(p, i - lead, &a))
      return "has an axis that is too long";
    g->begin[i] = a.begin;
    g->in[i] = (size_t)a.in;
    g->out[i] = (size_t)a.out;
    g->f.kernel[i] = (size_t)a.kernel;
    g->f.stride[i] = (size_t)a.stride;
    g->f.dilation[i] = (size_t)a.dilation;
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
  int64_t groups = weft_node_int(p.desc, GROUP);
  const bool right_rank = x->rank >= 3 && x->rank <= 5 && w->rank == x->rank;
  if (!right_rank || groups < 1)
    return "needs rank 3 to 5";
  g->x_arg = (uint32_t)p.arg[X];
  g->w_arg = (uint32_t)p.arg[W];
  g->y_arg = t->n_in;
  g->images = (size_t)x->dim[0];
  g->f.groups = (size_t)groups;
  g->f.inputs = (size_t)(x->dim[1] / groups);
  g->f.outputs = (size_t)w->dim[1];
  if (p.y->rank != x->rank)
    return "an operator after it changes the shape";
  const bool same_images = p.y->dim[0] == x->dim[0];
  if (!same_images || p.y->dim[1] != groups * w->dim[1])
    return "an operator after it changes the shape";
  no = read_axes(&p, g);
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
