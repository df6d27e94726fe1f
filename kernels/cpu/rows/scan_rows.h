// scan_rows.h - running sums of floats, doubles and integers, which wrap, for the instruction set that this
// is compiled for. Floats are summed in double, each sum rounded once.
#include "cpu/simd/vector_math.h"

enum { SCAN_PIECE = WEFT__SCAN_PIECE };

#define SCAN(name, T, ACC)                                                                                   \
  /* Lanes side by side: n columns, `rows` deep with `step` between. */                                      \
  static void name##_columns(const void *x_, void *y_, ptrdiff_t step, size_t rows, size_t n,                \
                             bool exclusive) {                                                               \
    const T *x = x_;                                                                                         \
    T *y = y_;                                                                                               \
    ACC acc[SCAN_PIECE];                                                                                     \
    for (size_t i = 0; i < n; i++)                                                                           \
      acc[i] = 0;                                                                                            \
    for (size_t k = 0; k < rows; k++, x += step, y += step) {                                                \
      if (exclusive) {                                                                                       \
        WEFT_LOOP(size_t i = 0; i < n; i++) {                                                                \
          const ACC s = acc[i];                                                                              \
          acc[i] = s + (ACC)x[i];                                                                            \
          y[i] = (T)s;                                                                                       \
        }                                                                                                    \
      } else {                                                                                               \
        WEFT_LOOP(size_t i = 0; i < n; i++) {                                                                \
          const ACC s = acc[i] + (ACC)x[i];                                                                  \
          acc[i] = s;                                                                                        \
          y[i] = (T)s;                                                                                       \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  /* Four lanes of n numbers, `line` apart, that are gone through together: no sum waits for another lane's. \
   */                                                                                                        \
  static void name##_lanes(const void *x_, void *y_, size_t line, ptrdiff_t step, size_t n,                  \
                           bool exclusive) {                                                                 \
    const T *x = x_;                                                                                         \
    T *y = y_;                                                                                               \
    ACC a = 0, b = 0, c = 0, d = 0;                                                                          \
    for (size_t k = 0; k < n; k++, x += step, y += step) {                                                   \
      const ACC p = x[0], q = x[line], r = x[2 * line], s = x[3 * line];                                     \
      if (exclusive)                                                                                         \
        y[0] = (T)a, y[line] = (T)b, y[2 * line] = (T)c, y[3 * line] = (T)d;                                 \
      a += p, b += q, c += r, d += s;                                                                        \
      if (!exclusive)                                                                                        \
        y[0] = (T)a, y[line] = (T)b, y[2 * line] = (T)c, y[3 * line] = (T)d;                                 \
    }                                                                                                        \
  }
SCAN(scan_f32, float, double)
SCAN(scan_f64, double, double)
SCAN(scan_u32, uint32_t, uint32_t)
SCAN(scan_u64, uint64_t, uint64_t)

#define SCAN_TABLE                                         \
  {                                                        \
    [WEFT__SCAN_F32] = {scan_f32_columns, scan_f32_lanes}, \
    [WEFT__SCAN_F64] = {scan_f64_columns, scan_f64_lanes}, \
    [WEFT__SCAN_U32] = {scan_u32_columns, scan_u32_lanes}, \
    [WEFT__SCAN_U64] = {scan_u64_columns, scan_u64_lanes}, \
  }
// SPDX-License-Identifier: Apache-2.0
