// Room move: elements that change their place: transpose, slices, concat, gather, scatter, pad, one-hot.
// Uses: rows, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// move_ops.h - the inner loops of kernels that move elements, one table an
// instruction set: the same source compiled once for each. Pointers need the alignment of their elements
// only; output may lie over an input where it begins at the same element.
#pragma once
#include "cpu/simd/isa.h"

typedef struct weft__place_row {  // a row of places that indices name
  int64_t dim;                    // an index is below it, and not below 0, or with `negative` -dim
  size_t every;                   // from one index to the next, in indices
  // place i is base + i * stride + index * step; every > 1: stride is 0
  size_t base;
  size_t stride;
  size_t step;
  bool negative;
} weft__place_row;

typedef struct weft__move_ops {
  void (*transpose)(const uint32_t *x, size_t x_line, uint32_t *y, size_t y_line, size_t rows, size_t cols);
  // The same of elements of 1, 2, 4 and 8 bytes.
  void (*turn[4])(const void *x, size_t x_line, void *y, size_t y_line, size_t rows, size_t cols);
  // y[i * lines + r] = x[r * line + i] for i < n: lines side by side become one.
  void (*weave)(const float *x, size_t line, float *y, size_t lines, size_t n);
  // A copy past the caches, where there are stores for that.
  void (*stream)(void *to, const void *from, size_t bytes);
  // n lines of so many bytes; steps are bytes modulo 2^64: backwards works out.
  void (*lines)(void *to, size_t to_step, const void *from, size_t from_step, size_t bytes, size_t n);
  // Rows of n elements of 4 bytes, wherever they lie, each twice: in rows of 2 n, which are written `times`
  // times, 1 or 2, each.
  void (*twice)(const void *x, void *y, size_t n, size_t rows, size_t times);
  // n places by indices of 32 ([0]) and 64 bits; with `more` index * step is added to those that are there.
  // False: an index is outside, and nothing that was written means anything.
  bool (*places[2])(const weft__place_row *r, const void *indices, size_t n, bool more, size_t *out);
} weft__move_ops;
extern const weft__move_ops weft__move_ops_plain, weft__move_ops_avx2, weft__move_ops_avx512;
const weft__move_ops *weft__move_find(const weft_host *host);  // of weft__cpu_isa
// SPDX-License-Identifier: Apache-2.0
