// cube_loops.c - the inner loops of products. Every element of c is one chain in the order of k, whatever the
// vector width: the loop goes over columns.
#include <string.h>

#include "cube.h"

enum { ROWS = 4 };

// Four rows at a time read each row of b once.
#define CUBE_LOOPS(suffix, T, C)                                                                          \
  static void cube_rows_##suffix(C *restrict c, const T *restrict a, const T *restrict b, uint32_t n,     \
                                 uint32_t k) {                                                            \
    for (uint32_t p = 0; p < k; p++) {                                                                    \
      const C x0 = (C)a[p], x1 = (C)a[k + p], x2 = (C)a[2 * (size_t)k + p], x3 = (C)a[3 * (size_t)k + p]; \
      const T *restrict row = b + (size_t)p * n;                                                          \
      for (uint32_t j = 0; j < n; j++) {                                                                  \
        const C y = (C)row[j];                                                                            \
        c[j] += x0 * y;                                                                                   \
        c[n + j] += x1 * y;                                                                               \
        c[2 * (size_t)n + j] += x2 * y;                                                                   \
        c[3 * (size_t)n + j] += x3 * y;                                                                   \
      }                                                                                                   \
    }                                                                                                     \
  }                                                                                                       \
  static void cube_row_##suffix(C *restrict c, const T *restrict a, const T *restrict b, uint32_t n,      \
                                uint32_t k) {                                                             \
    for (uint32_t p = 0; p < k; p++) {                                                                    \
      const C x = (C)a[p];                                                                                \
      const T *restrict row = b + (size_t)p * n;                                                          \
      for (uint32_t j = 0; j < n; j++)                                                                    \
        c[j] += x * (C)row[j];                                                                            \
    }                                                                                                     \
  }
CUBE_LOOPS(float, float, float)
CUBE_LOOPS(integer, int32_t, uint32_t)

void asc_cube_floats(float *c, const float *a, const float *b, uint32_t m, uint32_t n, uint32_t k) {
  uint32_t i = 0;
  for (; i + ROWS <= m; i += ROWS)
    cube_rows_float(c + (size_t)i * n, a + (size_t)i * k, b, n, k);
  for (; i < m; i++)
    cube_row_float(c + (size_t)i * n, a + (size_t)i * k, b, n, k);
}

void asc_cube_integers(uint32_t *c, const int32_t *a, const int32_t *b, uint32_t m, uint32_t n, uint32_t k) {
  uint32_t i = 0;
  for (; i + ROWS <= m; i += ROWS)
    cube_rows_integer(c + (size_t)i * n, a + (size_t)i * k, b, n, k);
  for (; i < m; i++)
    cube_row_integer(c + (size_t)i * n, a + (size_t)i * k, b, n, k);
}

void asc_cube_hf32(const weft_asc_cube *mode, float *x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, x + i, sizeof bits);
    if ((bits & 0x7f800000) == 0x7f800000)
      continue;
    bits += mode->hf32_to_even ? 0x7ff + (bits >> 12 & 1) : 0x7ff;
    bits &= 0xfffff000;
    memcpy(x + i, &bits, sizeof bits);
  }
}
