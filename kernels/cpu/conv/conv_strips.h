// conv_strips.h - strips of a plane of a convolution's input, copied with their padding into the first cache
// and sorted by the phases of the strides (weft__strips): each tap of the outputs of a row is one run of
// numbers.
#pragma once
#include "cpu/conv/conv_ops.h"
#include "cpu/conv/conv_shape.h"

enum { WEFT__STRIP_TAPS = 256 };
typedef struct weft__conv_strips {
  weft__strips p;
  size_t wide, slot;              // columns of outputs of a strip; numbers of its copy
  uint32_t at[WEFT__STRIP_TAPS];  // of a plane's taps
} weft__conv_strips;
// Where a strip lies: its first row and column of outputs, and how many.
typedef struct weft__strip_place {
  size_t row, col, rows, cols;
} weft__strip_place;

// Strips of at most in_max numbers, whose outputs are at most out_max, of whole rows if they may be a few
// rows high. False: there are none.
bool weft__conv_strips_cut(const weft__conv_shape *c, size_t in_max, size_t out_max, weft__conv_strips *out);
// The strip of plane x to `to`, which is zero where nothing is copied, before and afterwards.
void weft__conv_strip_copy(const weft__conv_ops *ops, const weft__conv_shape *c, const weft__conv_strips *s,
                           const float *x, const weft__strip_place *o, float *to);
// SPDX-License-Identifier: Apache-2.0
