// Room conv: convolutions of float with channels first, transposed ones, Col2Im.
// Uses: bf16, gemm, move, rows, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// conv_shape.h - a convolution, channels first, over three spatial axes (leading ones where there are fewer),
// as conv.c and depthwise.c see it.
#pragma once
#include "cpu/gemm/product.h"

// Spatial axis i of three of a shape of rank 3 to 5; an axis that is not there has one place.
static inline int64_t weft__conv_dim(const weft_shape *s, size_t i) {
  const size_t lead = 5 - s->rank;
  return i < lead ? 1 : s->dim[2 + i - lead];
}
// Number i of a list, or what counts where it ends before.
static inline int64_t weft__conv_value(weft_ints v, size_t i, int64_t dflt) {
  return i < (size_t)v.n ? v.v[i] : dflt;
}

typedef struct weft__conv_shape {
  size_t images, groups, inputs, outputs;  // channels of one group
  size_t in[3], out[3], kernel[3], stride[3], dilation[3];
  int64_t begin[3];                // padding
  size_t in_size, out_size, taps;  // numbers of one channel; of a kernel
} weft__conv_shape;
// Why not; NULL: found, and filled when all shapes are known.
const char *weft__conv_read(const weft_tiling *t, weft__product *p, weft__conv_shape *c, weft__epilogue *e);
// The same from p's descriptor, kind (Conv or Conv2D) and shapes, which are all known; dtypes are not looked
// at.
const char *weft__conv_sizes(const weft__product *p, weft__conv_shape *c);
static inline double weft__conv_macs(const weft__conv_shape *c) {
  return (double)c->images * (double)c->groups * (double)c->outputs * (double)c->out_size *
         (double)c->inputs * (double)c->taps;
}
static inline bool weft__conv_is_empty(const weft__conv_shape *c) {
  const bool no_filters = !c->inputs || !c->outputs;
  return no_filters || !c->images || !c->out_size;
}
// Has an image of the input or of the output more than 2^26 numbers?
static inline bool weft__conv_is_large(const weft__conv_shape *c) {
  const size_t in = WEFT_MAX(c->inputs * c->groups, 1);
  const size_t out = WEFT_MAX(c->outputs * c->groups, 1);
  return c->in_size > UINT32_MAX / 64 / in || c->out_size > UINT32_MAX / 64 / out;
}
// Is it one plane into one plane, seen by all taps? With padding in front of the first axis none may see it.
static inline bool weft__conv_is_flat(const weft__conv_shape *c) {
  const bool one_plane = c->in[0] == 1 && c->out[0] == 1;
  return one_plane && c->kernel[0] == 1 && !c->begin[0];
}
// Are they windows of 3 x 3 neighbours, one at each place?
static inline bool weft__winograd_takes(const weft__conv_shape *c) {
  for (size_t i = 1; i < 3; i++) {
    const bool beside = c->stride[i] == 1 && c->dilation[i] == 1;
    if (c->kernel[i] != 3 || !beside)
      return false;
  }
  return true;
}
// Where along an axis of the input tap `tap` of output `out` lies. False: in the padding.
static inline bool weft__conv_tap_place(const weft__conv_shape *c, size_t axis, size_t out, size_t tap,
                                        size_t *to) {
  const int64_t at = (int64_t)(out * c->stride[axis] + tap * c->dilation[axis]) - c->begin[axis];
  *to = (size_t)at;
  return at >= 0 && at < (int64_t)c->in[axis];
}
// The same of tap t of all, of the output at these places; *to: in a channel of the input.
static inline bool weft__conv_tap_at(const weft__conv_shape *c, const size_t out[3], size_t t, size_t *to) {
  const size_t row = t / c->kernel[2];
  const size_t tap[3] = {row / c->kernel[1], row % c->kernel[1], t % c->kernel[2]};
  *to = 0;
  for (size_t i = 0; i < 3; i++) {
    size_t at;
    if (!weft__conv_tap_place(c, i, out[i], tap[i], &at))
      return false;
    *to = *to * c->in[i] + at;
  }
  return true;
}
// Numbers of the filters and of the output.
static inline double weft__conv_moved(const weft__conv_shape *c) {
  double filters = (double)c->groups * (double)c->outputs * (double)c->inputs * (double)c->taps;
  return filters + (double)c->images * (double)c->groups * (double)c->outputs * (double)c->out_size;
}

// How a channel's plane is copied, strip by strip, for sums over taps that are runs of numbers: padded, and
// sorted by the phases of the strides. Phase (p, q) of stride[1] x stride[2] lies behind the one before, each
// `strip + more_rows` lines of `pitch` numbers.
typedef struct weft__strips {
  size_t pitch, more_rows, strip;  // strip: rows of output at a time
} weft__strips;
// Along an axis, of outputs from `first` on: how many numbers of padding phase `p` has, and where in the
// input the first other one lies.
static inline size_t weft__strip_skipped(const weft__conv_shape *c, size_t axis, size_t first, size_t p,
                                         size_t *out_from) {
  const int64_t at = (int64_t)(first * c->stride[axis] + p) - c->begin[axis];
  const int64_t s = (int64_t)c->stride[axis];
  const size_t skip = at < 0 ? (size_t)((-at + s - 1) / s) : 0;
  *out_from = (size_t)(at + (int64_t)skip * s);
  return skip;
}
// Strips whose copy takes at most in_max numbers and whose output at most out_max; at[t]: where tap t begins.
// False: none, or more than taps_max taps.
bool weft__strips_of(const weft__conv_shape *c, size_t in_max, size_t out_max, size_t taps_max, uint32_t *at,
                     weft__strips *out);
// SPDX-License-Identifier: Apache-2.0
