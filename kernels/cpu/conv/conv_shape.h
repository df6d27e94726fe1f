// Room conv: convolutions of float with channels first, transposed ones, Col2Im.
// Uses: bf16, gemm, move, rows, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// conv_shape.h - a convolution, channels first, over three spatial axes (leading ones where there are fewer),
// as conv.c and depthwise.c see it.
#pragma once
#include "cpu/gemm/product.h"

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
// Strips whose copy takes at most in_max numbers and whose output at most out_max; at[t]: where tap t begins.
// False: none, or more than taps_max taps.
bool weft__strips_of(const weft__conv_shape *c, size_t in_max, size_t out_max, size_t taps_max, uint32_t *at,
                     weft__strips *out);
// SPDX-License-Identifier: Apache-2.0
