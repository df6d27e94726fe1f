// conv_ops.h - what convolutions, beside products, do with rows and planes, one table an instruction set:
// columns are gathered, strips copied, windows slide.
#pragma once
#include "cpu/gemm/gemm_block.h"

// Rows of columns: column j of a row is src[(j - first) * stride] of the piece with low <= j < high, and 0
// where there is none; only what is used is read. From row to row sources and destinations move by these
// steps.
typedef struct weft__piece {
  const float *src;
  uint32_t first, low, high;
} weft__piece;
typedef struct weft__gather {
  const weft__piece *piece;
  size_t n, stride;
  size_t outer, inner, src_outer, src_inner, dst_outer, dst_inner;
} weft__gather;

// Planes of outputs whose windows slide over planes of the input; all are lists of rows, one after the other.
// Windows have at most WEFT__PLANE_TAPS columns, and rows of outputs at most WEFT__PLANE_OUTPUTS.
enum { WEFT__PLANE_TAPS = 8, WEFT__PLANE_OUTPUTS = 512, WEFT__PLANE_COLUMNS = 256 };
typedef struct weft__plane {
  const float *x;
  float *y;
  size_t planes, in[2], out[2];  // rows, columns
  size_t stride;                 // 1 or 2, along both axes
  int64_t begin[2];              // padding
} weft__plane;
typedef struct weft__nine {
  const float *w, *bias;  // 9 a plane; NULL: none
  size_t by;              // numbers from a plane's bias to the next one's
  float scale, low, high;
} weft__nine;

// Windows of high x wide taps that slide over a strip (conv_strips.h): tap t of row r of the outputs is at
// x + at[t] + r * pitch, which rows of taps `stride` apart share. At most WEFT__WINDOW_HIGH rows of taps are
// of one phase of the stride.
enum { WEFT__WINDOW_ROWS = 4, WEFT__WINDOW_ROWS_MOST = 7, WEFT__WINDOW_HIGH = 7 };
typedef struct weft__windows {
  const float *x, *w;
  const uint32_t *at;
  size_t pitch, high, wide, stride;
  float bias, least, most;
} weft__windows;

// Rows of n numbers that are copied: `stride` apart in the source, side by side in the destination, which may
// be written behind the end of each row, by less than a vector, but not at `end` or behind.
typedef struct weft__row_copy {
  float *dst;
  size_t dst_row;
  const float *end;
  const float *src;
  size_t src_row, stride;
  size_t n, rows;
} weft__row_copy;

// A line of outputs: y[i] = bias + sum over t < taps of w[t] * x[i + at[t]], at least low, then at most high,
// for i < n, a multiple of vec.
typedef struct weft__line {
  const float *x;
  const uint32_t *at;
  const float *w;
  size_t taps;
  float *y;
  size_t n;
  float bias, low, high;
} weft__line;

typedef struct weft__conv_ops {
  uint32_t vec, cols;  // those of weft__gemm_ops
  // Writes outer x inner rows of `cols` numbers.
  void (*gather)(float *dst, const weft__gather *g);
  void (*copy_rows)(const weft__row_copy *c);
  void (*taps)(const weft__line *l);
  // y = bias + the sum of taps, at least `least`, then at most `most`, of `cols` columns and
  // WEFT__WINDOW_ROWS rows or more.
  void (*windows)(const weft__windows *q, size_t rows, size_t cols, float *y, size_t y_row);
  // Windows of 3 x 3: scale * bias + the sum of taps, at least low, then at most high; padding is zeros.
  void (*nine)(const weft__plane *p, const weft__nine *q);
} weft__conv_ops;
extern const weft__conv_ops weft__conv_ops_plain, weft__conv_ops_avx2, weft__conv_ops_avx512;
const weft__conv_ops *weft__conv_ops_find(const weft_host *host);  // of weft__cpu_isa
// Of n outputs along an axis of the input those, [*low, *high), whose tap lies inside: that of the first lies
// at `at`, those of the others `step` further each.
static inline void weft__conv_inside(int64_t at, int64_t step, int64_t size, int64_t n, int64_t *low,
                                     int64_t *high) {
  const int64_t left = size - at;
  *low = *high = 0;
  if (at < 0)
    *low = step == 1 ? -at : (step - 1 - at) / step;
  if (left > 0)
    *high = step == 1 ? left : (left - 1) / step + 1;
  *high = *high < n ? *high : n;
  if (*low > *high)
    *low = *high = 0;
}
// Do windows of so many columns fit, for rows of `out` outputs?
static inline bool weft__plane_fits(const weft__conv_ops *ops, size_t taps, size_t out) {
  return taps <= WEFT__PLANE_TAPS && out <= WEFT__PLANE_OUTPUTS &&
         (out + ops->vec - 1) / ops->vec * taps <= WEFT__PLANE_COLUMNS;
}
// SPDX-License-Identifier: Apache-2.0
