// windows.h - windows that slide with whole rows of taps over a copied strip of a plane (conv_strips.h),
// compiled for each instruction set: blocks of up to seven rows of outputs by a vector. A column of taps
// stays in registers while the lines of the strip go by, each read once for all rows of the block. The
// including file includes block_vec.h.
#pragma once

// Rows of a kernel that lie in neighbouring lines of the strip: w and at are of the first of them, `step`
// taps from row to row.
typedef struct phase {
  const float *x, *w;
  const uint32_t *at;
  size_t step;
} phase;

// Adds the taps of `high` rows of a kernel to the sums of a block.
WEFT_INLINE void add_window(size_t rows, size_t high, const weft__windows *q, const phase *p, float *sums) {
  const float *w = p->w;
  const uint32_t *at = p->at;
  const size_t step = p->step;
  vec s[WEFT__WINDOW_ROWS_MOST];
  vec f[WEFT__WINDOW_HIGH];
  UNROLL
  for (size_t r = 0; r < rows; r++)
    s[r] = load(sums + r * VEC);
  for (size_t t = 0; t < q->wide; t++) {
    const float *line = p->x + at[t];
    UNROLL
    for (size_t k = 0; k < high; k++)
      f[k] = spread(w[k * step + t]);
    UNROLL
    for (size_t i = 0; i < rows + high - 1; i++, line += q->pitch) {
      const vec v = load(line);
      UNROLL
      for (size_t k = 0; k < high; k++) {
        if (i >= k && i - k < rows)
          s[i - k] += v * f[k];
      }
    }
  }
  UNROLL
  for (size_t r = 0; r < rows; r++)
    store(sums + r * VEC, s[r]);
}

#define WINDOW(rows, high)                                                                 \
  static void window##rows##_##high(const weft__windows *q, const phase *p, float *sums) { \
    add_window(rows, high, q, p, sums);                                                    \
  }
#define WINDOWS(rows) \
  WINDOW(rows, 1)     \
  WINDOW(rows, 2) WINDOW(rows, 3) WINDOW(rows, 4) WINDOW(rows, 5) WINDOW(rows, 6) WINDOW(rows, 7)
#define WINDOW_ENTRIES(rows)                                                                        \
  {                                                                                                 \
    NULL, window##rows##_1, window##rows##_2, window##rows##_3, window##rows##_4, window##rows##_5, \
        window##rows##_6, window##rows##_7                                                          \
  }
WINDOWS(4)
WINDOWS(5)
WINDOWS(6)
WINDOWS(7)

// `rows` rows of n <= VEC columns. Up to `room` numbers from y on may be written: rows are in order, each may
// reach over the beginning of the next.
static void window_block(const weft__windows *q, const float *x, size_t rows, size_t n, float *y,
                         size_t y_row, size_t room) {
  static void (*const add[][WEFT__WINDOW_HIGH + 1])(const weft__windows *q, const phase *p, float *sums) = {
      WINDOW_ENTRIES(4), WINDOW_ENTRIES(5), WINDOW_ENTRIES(6), WINDOW_ENTRIES(7)};
  _Alignas(64) float sums[WEFT__WINDOW_ROWS_MOST * VEC];
  const vec bias = spread(q->bias);
  const vec least = spread(q->least);
  const vec most = spread(q->most);
  for (size_t r = 0; r < rows; r++)
    store(sums + r * VEC, bias);
  for (size_t i = 0; i < q->stride && i < q->high; i++) {
    const phase p = {x, q->w + i * q->wide, q->at + i * q->wide, q->stride * q->wide};
    add[rows - WEFT__WINDOW_ROWS][(q->high - i + q->stride - 1) / q->stride](q, &p, sums);
  }
  for (size_t r = 0; r < rows; r++, y += y_row, room -= room < y_row ? room : y_row)
    store_n(y, vector_min(most, vector_max(least, load(sums + r * VEC))), room < VEC ? n : VEC);
}

// The last block of rows, and of columns, may overlap the one before.
static void windows(const weft__windows *q, size_t rows, size_t cols, float *y, size_t y_row) {
  const size_t blocks = (rows + WEFT__WINDOW_ROWS_MOST - 1) / WEFT__WINDOW_ROWS_MOST;
  const size_t high = (rows + blocks - 1) / blocks;
  for (size_t j = 0; j < cols; j += VEC) {
    const size_t col = cols < VEC ? 0 : j + VEC > cols ? cols - VEC : j;
    const size_t n = cols < VEC ? cols : VEC;
    for (size_t i = 0; i < rows; i += high) {
      const size_t at = i + high > rows ? rows - high : i;
      window_block(q, q->x + at * q->pitch + col, high, n, y + at * y_row + col, y_row,
                   n == VEC || y_row > cols ? 0 : (rows - at) * cols);
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
