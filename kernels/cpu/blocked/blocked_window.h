// blocked_window.h - Winograd's F(2x2, 3x3): windows of 4 x 4 places of one block of channels into 16 points,
// compiled for each instruction set, and for points of float and of pairs of bf16. The including file says
//   elem                what a point is made of
//   UNIT                elements of a block of channels
//   leave_point(p, v)   VEC channels of a point
#pragma once

// Column j of a window, combined down its rows.
WEFT_INLINE void window_column(const float *p, size_t row, vec (*t)[4], size_t j) {
  vec d0 = load(p);
  vec d1 = load(p + row);
  vec d2 = load(p + 2 * row);
  vec d3 = load(p + 3 * row);
  t[0][j] = d0 - d2;
  t[1][j] = d1 + d2;
  t[2][j] = d2 - d1;
  t[3][j] = d1 - d3;
}

static void window(const float *x, size_t row, size_t n, elem *to, size_t point) {
  for (size_t c = 0; c < WEFT__C0; c += VEC) {
    const float *p = x + c;
    elem *q = to + c * UNIT / WEFT__C0;
    vec t[4][4];
    window_column(p, row, t, 2);
    window_column(p + WEFT__C0, row, t, 3);
    for (size_t k = 0; k < n; k++, q += UNIT) {
      p += (size_t)2 * WEFT__C0;
      UNROLL
      for (size_t i = 0; i < 4; i++) {
        t[i][0] = t[i][2];
        t[i][1] = t[i][3];
      }
      window_column(p, row, t, 2);
      window_column(p + WEFT__C0, row, t, 3);
      UNROLL
      for (size_t i = 0; i < 4; i++) {
        elem *r = q + 4 * i * point;
        leave_point(r, t[i][0] - t[i][2]);
        leave_point(r + point, t[i][1] + t[i][2]);
        leave_point(r + 2 * point, t[i][2] - t[i][1]);
        leave_point(r + 3 * point, t[i][1] - t[i][3]);
      }
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
