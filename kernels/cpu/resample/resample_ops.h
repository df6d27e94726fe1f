// Room resample: Resize, GridSample and RoiAlign: numbers made of others around them.
// Uses: gemm, move, rows, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// resample_ops.h - the inner loops of kernels that make numbers of others around them, one table an
// instruction set: the same source compiled once for each. Pointers need the alignment of their elements
// only; output may lie over an input where it begins at the same element.
#pragma once
#include "cpu/simd/isa.h"

// Rows that are sums of others: output o is the sum over t < taps[o], which is at least 1, of w[k] times row
// at[k], k = o * taps_max + t. Rows of n numbers lie `row` numbers apart.
typedef struct weft__resampled {
  const uint32_t *taps, *at;
  const float *w;
  size_t taps_max, n, row;
} weft__resampled;

// Numbers that are made of others: number i of products w[t][i] * x[at[t][i]], t < taps. Where the weight is
// 0 the product is, whatever the number that is read.
enum { WEFT__GATHERED = 64, WEFT__GATHERED_TAPS = 32 };
typedef struct weft__gathered {
  size_t taps;
  uint32_t at[WEFT__GATHERED_TAPS][WEFT__GATHERED];
  float w[WEFT__GATHERED_TAPS][WEFT__GATHERED];
} weft__gathered;

// The same where what is read lies in pairs: number i of products w[t][2 i] * x[at[t][i]] and w[t][2 i + 1] *
// x[at[t][i] + 1], t < rows. They are read by eights: what follows the numbers of a piece are pairs, too.
enum { WEFT__PAIR_ROWS = 16 };
typedef struct weft__paired {
  size_t rows;
  uint32_t at[WEFT__PAIR_ROWS][WEFT__GATHERED];
  float w[WEFT__PAIR_ROWS][2 * WEFT__GATHERED];
} weft__paired;
// An axis of n elements on which coordinate v is place ((v + 1) * by - less) / 2, brought to [low, high],
// which lies within [-1, n].
typedef struct weft__linear_axis {
  double n, by, less, low, high;
} weft__linear_axis;

typedef struct weft__resample_ops {
  // y = a * wa + b * wb
  void (*mix)(const float *a, const float *b, float *y, size_t n, float wa, float wb);
  // Outputs [first, last), of which y is the first.
  void (*resample)(const weft__resampled *r, size_t first, size_t last, const float *x, float *y);
  // n sums, or of pairs the largest products (NaN wins); more: together with what is in y.
  void (*gathered)(const float *x, const weft__gathered *g, float *y, size_t n, bool more);
  void (*paired)(const float *x, const weft__paired *g, float *y, size_t n, bool more);
  void (*paired_most)(const float *x, const weft__paired *g, float *y, size_t n, bool more);
  // The pairs of n places in a plane of `axes` axes, whose coordinates lie together, those of the last axis
  // first: linear between elements, zero outside. The last axis has 2 elements or more.
  void (*linear)(const weft__linear_axis *a, size_t axes, const float *grid, size_t n, weft__paired *out);
} weft__resample_ops;
extern const weft__resample_ops weft__resample_ops_plain, weft__resample_ops_avx2, weft__resample_ops_avx512;
const weft__resample_ops *weft__resample_find(const weft_host *host);  // of weft__cpu_isa
// SPDX-License-Identifier: Apache-2.0
