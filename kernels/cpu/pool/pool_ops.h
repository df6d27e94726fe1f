// pool_ops.h - what pools do with planes, one table an instruction set.
#pragma once
#include "cpu/conv/conv_ops.h"

struct weft__pooling;             // pool.h
enum { WEFT__POOL_WIDE = 1024 };  // places of an input's row, with padding, that a window may reach over
// Windows of a row of n outputs, all inside the input, `stride` numbers apart: taps at x + tap[t], whose
// places are place[t], `step` further on from output to output. All places are below 2^31.
typedef struct weft__pool_places {
  const float *x;
  const size_t *tap;
  const uint32_t *place;
  size_t taps, stride, n, step;
} weft__pool_places;
typedef struct weft__pool_ops {
  // The largest number of each window, NaN wins, -infinity where nothing is inside; or the average. Rows
  // [first, last) of all rows of outputs, of all planes; x and y begin with the first plane's.
  void (*pool)(const struct weft__pooling *p, const float *x, float *y, size_t first, size_t last);
  // The largest number of each window, the first of equal ones or of NaN, and its place.
  void (*places)(const weft__pool_places *p, float *y, uint32_t *out_at);
} weft__pool_ops;
extern const weft__pool_ops weft__pool_ops_plain, weft__pool_ops_avx2, weft__pool_ops_avx512;
const weft__pool_ops *weft__pool_ops_find(const weft_host *host);  // of weft__cpu_isa
// SPDX-License-Identifier: Apache-2.0
