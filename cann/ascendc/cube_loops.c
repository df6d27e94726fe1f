// cube_loops.c - the inner loops of products. Every element of c is one chain in the order of k, whatever the
// vector width: the loop goes over columns.
#include <string.h>

#include "cube.h"

enum { ROWS = 4, COLUMNS = 8 };
typedef float cube_floats __attribute__((vector_size(32), aligned(4)));
typedef uint32_t cube_integers __attribute__((vector_size(32), aligned(4)));

// Sums of ROWS x COLUMNS elements stay in registers while k goes by; what is left over goes one by one.
#define CUBE_LOOPS(suffix, T, C, V)                                                                     \
  static void cube_tile_##suffix(C *c, const T *a, const T *b, uint32_t n, uint32_t k) {                \
    V sum[ROWS];                                                                                        \
    for (uint32_t i = 0; i < ROWS; i++)                                                                 \
      memcpy(&sum[i], c + (size_t)i * n, sizeof sum[i]);                                                \
    for (uint32_t p = 0; p < k; p++) {                                                                  \
      V y;                                                                                              \
      memcpy(&y, b + (size_t)p * n, sizeof y);                                                          \
      sum[0] += (C)a[p] * y;                                                                            \
      sum[1] += (C)a[(size_t)k + p] * y;                                                                \
      sum[2] += (C)a[2 * (size_t)k + p] * y;                                                            \
      sum[3] += (C)a[3 * (size_t)k + p] * y;                                                            \
    }                                                                                                   \
    for (uint32_t i = 0; i < ROWS; i++)                                                                 \
      memcpy(c + (size_t)i * n, &sum[i], sizeof sum[i]);                                                \
  }                                                                                                     \
  static void cube_row_##suffix(C *restrict c, const T *restrict a, const T *restrict b, uint32_t from, \
                                uint32_t n, uint32_t k) {                                               \
    for (uint32_t p = 0; p < k; p++) {                                                                  \
      const C x = (C)a[p];                                                                              \
      const T *restrict row = b + (size_t)p * n;                                                        \
      for (uint32_t j = from; j < n; j++)                                                               \
        c[j] += x * (C)row[j];                                                                          \
    }                                                                                                   \
  }                                                                                                     \
  static void cube_all_##suffix(C *c, const T *a, const T *b, uint32_t m, uint32_t n, uint32_t k) {     \
    const uint32_t tiled = n / COLUMNS * COLUMNS, rows = m / ROWS * ROWS;                               \
    for (uint32_t j = 0; j < tiled; j += COLUMNS) {                                                     \
      for (uint32_t i = 0; i < rows; i += ROWS)                                                         \
        cube_tile_##suffix(c + (size_t)i * n + j, a + (size_t)i * k, b + j, n, k);                      \
    }                                                                                                   \
    for (uint32_t i = 0; i < m; i++)                                                                    \
      cube_row_##suffix(c + (size_t)i * n, a + (size_t)i * k, b, i < rows ? tiled : 0, n, k);           \
  }
CUBE_LOOPS(float, float, float, cube_floats)
CUBE_LOOPS(integer, int32_t, uint32_t, cube_integers)

void asc_cube_floats(float *c, const float *a, const float *b, uint32_t m, uint32_t n, uint32_t k) {
  cube_all_float(c, a, b, m, n, k);
}

void asc_cube_integers(uint32_t *c, const int32_t *a, const int32_t *b, uint32_t m, uint32_t n, uint32_t k) {
  cube_all_integer(c, a, b, m, n, k);
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
// SPDX-License-Identifier: Apache-2.0
