// windows.h - windows that slide with whole rows of taps over a copied strip of a plane (conv_strips.h),
// compiled for each instruction set: blocks of four rows of outputs by two vectors, each number of the strip
// read once for all four. The including file includes block_vec.h.
#pragma once

// Adds the taps of `high` rows of a kernel, which lie in neighbouring lines of the strip, to the sums of a
// block: w and at are of the first of them, `step` taps from row to row.
WEFT_INLINE void add_window(size_t high, size_t vecs, const weft__windows *q, const float *x, const float *w,
                            const uint32_t *at, size_t step, float *sums) {
  vec s[WEFT__WINDOW_ROWS][2];
  UNROLL for (size_t r = 0; r < WEFT__WINDOW_ROWS; r++) UNROLL for (size_t v = 0; v < vecs; v++) s[r][v] =
      load(sums + r * TILE + v * VEC);
  UNROLL for (size_t i = 0; i < WEFT__WINDOW_ROWS + high - 1; i++) {
    const float *line = x + i * q->pitch;
    for (size_t t = 0; t < q->wide; t++) {
      const vec a = load(line + at[t]), b = vecs > 1 ? load(line + at[t] + VEC) : a;
      UNROLL for (size_t r = 0; r < WEFT__WINDOW_ROWS; r++) if (i >= r && i - r < high) {
        const float f = w[(i - r) * step + t];
        s[r][0] += a * f;
        if (vecs > 1) s[r][1] += b * f;
      }
    }
  }
  UNROLL for (size_t r = 0; r < WEFT__WINDOW_ROWS; r++) UNROLL for (size_t v = 0; v < vecs; v++)
      store(sums + r * TILE + v * VEC, s[r][v]);
}

#define WINDOW_ARGS \
  const weft__windows *q, const float *x, const float *w, const uint32_t *at, size_t step, float *sums
#define WINDOW(n)                              \
  static void window1_##n(WINDOW_ARGS) {       \
    add_window(n, 1, q, x, w, at, step, sums); \
  }                                            \
  static void window2_##n(WINDOW_ARGS) {       \
    add_window(n, 2, q, x, w, at, step, sums); \
  }
WINDOW(1)
WINDOW(2)
WINDOW(3)
WINDOW(4)
WINDOW(5)
WINDOW(6)
WINDOW(7)

// A block of outputs, n <= 2 VEC columns of them.
static void window_block(const weft__windows *q, const float *x, size_t n, float *y, size_t y_row) {
  static void (*const add[2][WEFT__WINDOW_HIGH + 1])(WINDOW_ARGS) = {
      {NULL, window1_1, window1_2, window1_3, window1_4, window1_5, window1_6, window1_7},
      {NULL, window2_1, window2_2, window2_3, window2_4, window2_5, window2_6, window2_7}};
  _Alignas(64) float sums[WEFT__WINDOW_ROWS * TILE];
  const size_t n0 = n < VEC ? n : VEC, n1 = n - n0;
  for (size_t r = 0; r < WEFT__WINDOW_ROWS; r++)
    store(sums + r * TILE, spread(q->bias)), store(sums + r * TILE + VEC, spread(q->bias));
  for (size_t p = 0; p < q->stride && p < q->high; p++)
    add[n > VEC][(q->high - p + q->stride - 1) / q->stride](q, x, q->w + p * q->wide, q->at + p * q->wide,
                                                            q->stride * q->wide, sums);
  for (size_t r = 0; r < WEFT__WINDOW_ROWS; r++, y += y_row) {
    const vec a = load(sums + r * TILE), b = load(sums + r * TILE + VEC);
    store_n(y, vector_min(spread(q->most), vector_max(spread(q->least), a)), n0);
    store_n(y + VEC, vector_min(spread(q->most), vector_max(spread(q->least), b)), n1);
  }
}

// The last block of rows may overlap the one before.
static void windows(const weft__windows *q, size_t rows, size_t cols, float *y, size_t y_row) {
  for (size_t j = 0; j < cols; j += COLS)
    for (size_t i = 0; i < rows; i += WEFT__WINDOW_ROWS) {
      const size_t at = i + WEFT__WINDOW_ROWS > rows ? rows - WEFT__WINDOW_ROWS : i;
      window_block(q, q->x + at * q->pitch + j, cols - j < COLS ? cols - j : COLS, y + at * y_row + j, y_row);
    }
}
