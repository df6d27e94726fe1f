// conv_transpose.h - a ConvTranspose as its kernels see it: of float, channels first, one to three axes
// (those that are missing stand in front, of one place), with what follows it.
#pragma once
#include "cpu/conv/conv_ops.h"
#include "cpu/gemm/product.h"
#include "cpu/rows/rows_ops.h"

// How filters lie: as they come, [inputs, outputs, taps] of each group; the rest is of those that
// conv_transpose.c packs: a mark and then phase after phase.
typedef struct weft__transposed_layout {
  size_t groups, inputs, outputs;  // channels of one group
  size_t kernel[3], stride[3], dilation[3], taps, phases;
  size_t rows, tiles, height, group_size;
} weft__transposed_layout;

typedef struct weft__transposed {
  const weft__rows_ops *vec;
  const weft__gemm_ops *ops;
  const weft__conv_ops *rows;
  weft__transposed_layout f;
  uint32_t x_arg, w_arg, y_arg;
  size_t images, in[3], out[3], in_size, out_size;
  int64_t begin[3];
  size_t parts, units;  // of conv_transpose.c; parts: of a phase's panels
  bool packed;
  weft__epilogue e;
} weft__transposed;

// NULL, or why not.
const char *weft__transposed_read(const weft_tiling *t, weft__transposed *g);
double weft__transposed_macs(const weft__transposed *g);
// SPDX-License-Identifier: Apache-2.0
