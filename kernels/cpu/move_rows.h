// move_rows.h - a matrix of 32-bit elements turned over, eight by eight, for the instruction set that this is
// compiled for.
#include "cpu/vector_math.h"

typedef uint32_t vu __attribute__((vector_size(32)));

static void eight(const uint32_t *x, size_t x_line, uint32_t *y, size_t y_line) {
  vu a[8], b[8];
  for (int k = 0; k < 8; k++) memcpy(&a[k], x + (size_t)k * x_line, sizeof a[k]);
  for (int k = 0; k < 8; k += 2) {
    b[k] = PICK(a[k], a[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    b[k + 1] = PICK(a[k], a[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int k = 0; k < 8; k += 4) {
    a[k] = PICK(b[k], b[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    a[k + 1] = PICK(b[k], b[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    a[k + 2] = PICK(b[k + 1], b[k + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    a[k + 3] = PICK(b[k + 1], b[k + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int k = 0; k < 4; k++) {
    b[k] = PICK(a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    b[k + 4] = PICK(a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int k = 0; k < 8; k++) memcpy(y + (size_t)k * y_line, &b[k], sizeof b[k]);
}

static void transpose(const uint32_t *x, size_t x_line, uint32_t *y, size_t y_line, size_t rows,
                      size_t cols) {
  size_t r = 0;
  for (; r + 8 <= rows; r += 8) {
    size_t c = 0;
    for (; c + 8 <= cols; c += 8) eight(x + r * x_line + c, x_line, y + c * y_line + r, y_line);
    for (; c < cols; c++)
      for (size_t k = r; k < r + 8; k++) y[c * y_line + k] = x[k * x_line + c];
  }
  for (; r < rows; r++)
    for (size_t c = 0; c < cols; c++) y[c * y_line + r] = x[r * x_line + c];
}
