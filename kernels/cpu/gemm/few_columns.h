// few_columns.h - tiles of sums with at most WEFT__GEMM_FEW columns, compiled for each instruction set: the
// last columns of a product whose width is no multiple of a tile's. Here the rows of a tile are the vectors,
// several tiles at once, and each number of b is spread: no lane is lost to columns that are not there.
#pragma once
#include "cpu/gemm/block_vec.h"

enum { DOWN = (ROWS + VEC - 1) / VEC };  // vectors of a tile's rows

// The sums of some tiles, one below the other.
typedef struct few_sums {
  size_t tiles;
  size_t rows;  // of a tile
  weft__tile_in of;
} few_sums;

// One step of n tiles, at a[t] + at. `guarded`: of a no more is read than `rows` numbers.
WEFT_INLINE void few_step(size_t n, size_t cols, const float *const *a, size_t at, const few_sums *f,
                          bool guarded, vec (*s)[DOWN][WEFT__GEMM_FEW]) {
  const float *b = f->of.b;
  UNROLL
  for (size_t v = 0; v < DOWN; v++) {
    if (guarded && f->rows <= v * VEC)
      continue;
    UNROLL
    for (size_t t = 0; t < n; t++) {
      const float *p = a[t] + at + v * VEC;
      vec x = guarded ? load_n(p, f->rows - v * VEC) : load(p);
      UNROLL
      for (size_t j = 0; j < cols; j++)
        s[t][v][j] += x * b[j];
    }
  }
}

WEFT_INLINE void few_zero(size_t n, size_t cols, vec (*s)[DOWN][WEFT__GEMM_FEW]) {
  UNROLL
  for (size_t t = 0; t < n; t++)
    UNROLL
  for (size_t v = 0; v < DOWN; v++)
    UNROLL
  for (size_t j = 0; j < cols; j++)
    s[t][v][j] = (vec){0};
}

WEFT_INLINE void leave_few(size_t cols, size_t rows, const vec (*s)[WEFT__GEMM_FEW],
                           const weft__rows_out *o) {
  _Alignas(64) float sum[WEFT__GEMM_FEW][DOWN * VEC];
  UNROLL
  for (size_t v = 0; v < DOWN; v++)
    UNROLL
  for (size_t j = 0; j < cols; j++)
    store(sum[j] + v * VEC, s[v][j]);
  for (size_t i = 0; i < rows; i++)
    UNROLL
  for (size_t j = 0; j < cols; j++) {
    float x = sum[j][i] + o->one[i * o->one_row];
    if (o->all)
      x += o->all[i * o->all_row + j];
    x = x < o->low ? o->low : x;
    o->y[i * o->y_row + j] = x > o->high ? o->high : x;
  }
}

// n tiles, the last ones the same where there are fewer. Vectors reach beyond a tile's rows, into later
// steps: the last ones read no more than there is.
WEFT_INLINE void few_tiles(size_t n, size_t cols, const few_sums *all, weft__rows_out *o) {
  few_sums f = *all;
  const size_t k = f.of.k;
  const size_t a_k = f.of.a_k;
  vec sum[8][DOWN][WEFT__GEMM_FEW];
  vec s[8][DOWN][WEFT__GEMM_FEW];
  const float *base[8];
  size_t last = (DOWN * VEC + a_k - 1) / a_k;
  size_t safe = k > last ? k - last : 0;
  UNROLL
  for (size_t t = 0; t < n; t++)
    base[t] = f.of.a + WEFT_MIN(t, f.tiles - 1) * k * a_k;
  few_zero(n, cols, sum);
  for (size_t i = 0, at = 0; i < k;) {
    size_t end = k - i < SUM_STEPS ? k : i + SUM_STEPS;
    few_zero(n, cols, s);
    for (; i < end && i < safe; i++, at += a_k, f.of.b += f.of.b_k)
      few_step(n, cols, base, at, &f, false, s);
    for (; i < end; i++, at += a_k, f.of.b += f.of.b_k)
      few_step(n, cols, base, at, &f, true, s);
    UNROLL
    for (size_t t = 0; t < n; t++)
      UNROLL
    for (size_t v = 0; v < DOWN; v++)
      UNROLL
    for (size_t j = 0; j < cols; j++)
      sum[t][v][j] += s[t][v][j];
  }
  for (size_t t = 0; t < n && t < f.tiles; t++) {
    leave_few(cols, f.rows, sum[t], o);
    o->y += f.rows * o->y_row;
    o->one += f.rows * o->one_row;
    if (o->all)
      o->all += f.rows * o->all_row;
  }
}

#define FEW(n, cols)                                                                                   \
  static void few_##cols(size_t tiles, size_t rows, const weft__tile_in *f, const weft__rows_out *o) { \
    weft__rows_out at = *o;                                                                            \
    few_sums some = {.rows = rows, .of = *f};                                                          \
    for (size_t i = 0; i < tiles; i += n, some.of.a += n * f->k * f->a_k) {                            \
      some.tiles = tiles - i;                                                                          \
      few_tiles(n, cols, &some, &at);                                                                  \
    }                                                                                                  \
  }
FEW(WEFT_MAX(1, 8 / DOWN), 1)
FEW(WEFT_MAX(1, 4 / DOWN), 2)
FEW(WEFT_MAX(1, 3 / DOWN), 3)
FEW(WEFT_MAX(1, 2 / DOWN), 4)
// SPDX-License-Identifier: Apache-2.0
