// fold_rows.h - sums, products and extremes of rows of doubles and integers, and what of that reductions of
// floats need beside reduce_rows.h, for the instruction set that this is compiled for. The order depends on
// the lengths alone: of doubles in lanes of vectors, of integers, which wrap, in any.
#include "cpu/simd/vector_math.h"

// ---- doubles ----
#ifdef __AVX512F__
typedef double fold_vec __attribute__((vector_size(64)));
typedef int64_t fold_mask __attribute__((vector_size(64)));
#else
typedef double fold_vec __attribute__((vector_size(32)));
typedef int64_t fold_mask __attribute__((vector_size(32)));
#endif
enum { FOLD_LANES = sizeof(fold_vec) / sizeof(double), FOLD_STEP = 4 * FOLD_LANES };

WEFT_INLINE fold_vec fold_load(const double *x) {
  fold_vec v;
  memcpy(&v, x, sizeof v);
  return v;
}
#define DOUBLES(name, none, vector, number)                                                        \
  static void name##_doubles(const void *x_, size_t n, void *acc_) {                               \
    const double *x = x_;                                                                          \
    double r = *(double *)acc_;                                                                    \
    size_t i = 0;                                                                                  \
    if (n >= FOLD_STEP) {                                                                          \
      fold_vec s[4];                                                                               \
      for (size_t k = 0; k < 4; k++)                                                               \
        s[k] = (fold_vec){0} + (none);                                                             \
      for (; i + FOLD_STEP <= n; i += FOLD_STEP)                                                   \
        for (size_t k = 0; k < 4; k++) {                                                           \
          const fold_vec v = fold_load(x + i + k * FOLD_LANES), t = s[k];                          \
          s[k] = vector;                                                                           \
        }                                                                                          \
      for (size_t k = 0; k < 4; k++)                                                               \
        for (size_t j = 0; j < FOLD_LANES; j++) {                                                  \
          const double v = s[k][j];                                                                \
          r = name##_join(r, v);                                                                   \
        }                                                                                          \
    }                                                                                              \
    for (; i < n; i++) {                                                                           \
      const double v = x[i];                                                                       \
      r = number;                                                                                  \
    }                                                                                              \
    *(double *)acc_ = r;                                                                           \
  }                                                                                                \
  static void name##_double_rows(const void *x_, size_t step, size_t rows, void *acc_, size_t n) { \
    const double *x = x_;                                                                          \
    double *acc = acc_;                                                                            \
    for (size_t k = 0; k < rows; k++, x += step)                                                   \
      WEFT_LOOP(size_t i = 0; i < n; i++) {                                                        \
        const double v = x[i], r = acc[i];                                                         \
        acc[i] = number;                                                                           \
      }                                                                                            \
  }
WEFT_INLINE double sum_join(double r, double v) {
  return r + v;
}
#define squares_join sum_join
WEFT_INLINE double product_join(double r, double v) {
  return r * v;
}
WEFT_INLINE double greatest_join(double r, double v) {
  return v != v ? v : v > r ? v : r;
}
WEFT_INLINE double least_join(double r, double v) {
  return v != v ? v : v < r ? v : r;
}
#define CHOOSE(m) (fold_vec)(((fold_mask)v & (m)) | ((fold_mask)t & ~(m)))
DOUBLES(sum, 0.0, t + v, r + v)
DOUBLES(squares, 0.0, t + v * v, r + v * v)
DOUBLES(product, 1.0, t *v, r *v)
DOUBLES(greatest, -__builtin_inf(), CHOOSE((v > t) | (v != v)), v != v ? v : v > r ? v : r)
DOUBLES(least, __builtin_inf(), CHOOSE((v < t) | (v != v)), v != v ? v : v < r ? v : r)

// ---- integers ----
#define INTEGERS(name, T, ACC, expression)                                                  \
  WEFT_INLINE ACC name##_two(ACC r, ACC v) {                                                \
    return expression;                                                                      \
  }                                                                                         \
  static void name##_rows(const void *x_, size_t step, size_t rows, void *acc_, size_t n) { \
    const T *x = x_;                                                                        \
    ACC *acc = acc_;                                                                        \
    for (size_t k = 0; k < rows; k++, x += step)                                            \
      WEFT_LOOP(size_t i = 0; i < n; i++)                                                   \
        acc[i] = name##_two(acc[i], (ACC)x[i]);                                             \
  }
#define ONE_STREAM(name, T, ACC, expression)               \
  INTEGERS(name, T, ACC, expression)                       \
  static void name(const void *x_, size_t n, void *acc_) { \
    const T *x = x_;                                       \
    ACC r = *(ACC *)acc_;                                  \
    WEFT_LOOP(size_t i = 0; i < n; i++)                    \
      r = name##_two(r, (ACC)x[i]);                        \
    *(ACC *)acc_ = r;                                      \
  }
// Four parts of a row at once, so that no product waits for the one before it.
#define FOUR_STREAMS(name, T, ACC, expression)                                      \
  INTEGERS(name, T, ACC, expression)                                                \
  static void name(const void *x_, size_t n, void *acc_) {                          \
    const T *x = x_;                                                                \
    const size_t q = n / 4;                                                         \
    ACC r = *(ACC *)acc_;                                                           \
    if (q) {                                                                        \
      ACC a = x[0], b = x[q], c = x[2 * q], d = x[3 * q];                           \
      WEFT_LOOP(size_t i = 1; i < q; i++) {                                         \
        a = name##_two(a, (ACC)x[i]), b = name##_two(b, (ACC)x[q + i]);             \
        c = name##_two(c, (ACC)x[2 * q + i]), d = name##_two(d, (ACC)x[3 * q + i]); \
      }                                                                             \
      r = name##_two(r, name##_two(name##_two(a, b), name##_two(c, d)));            \
    }                                                                               \
    for (size_t i = 4 * q; i < n; i++)                                              \
      r = name##_two(r, (ACC)x[i]);                                                 \
    *(ACC *)acc_ = r;                                                               \
  }
#define EXTREMES(name, T)                          \
  ONE_STREAM(greatest_##name, T, T, v > r ? v : r) \
  ONE_STREAM(least_##name, T, T, v < r ? v : r)
#define SUMS(name, T)                      \
  ONE_STREAM(sum_##name, T, T, (T)(r + v)) \
  FOUR_STREAMS(product_##name, T, T, (T)(r * v))
EXTREMES(i8, int8_t)
EXTREMES(u8, uint8_t)
EXTREMES(i32, int32_t)
EXTREMES(u32, uint32_t)
EXTREMES(i64, int64_t)
EXTREMES(u64, uint64_t)
SUMS(u32, uint32_t)
SUMS(u64, uint64_t)
ONE_STREAM(wide_i32, int32_t, int64_t, r + v)
ONE_STREAM(wide_u32, uint32_t, uint64_t, r + v)

// ---- what reductions of floats need ----
// acc[i] *= x[i], acc[i] += x[i]^2, acc[i] += e^(x[i] - most[i]) of `rows` rows, one after the other.
static void multiply_rows(const float *x, size_t step, size_t rows, double *acc, size_t n) {
  for (size_t k = 0; k < rows; k++, x += step) {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      acc[i] *= (double)x[i];
  }
}
static void add_squares(const float *x, size_t step, size_t rows, double *acc, size_t n) {
  for (size_t k = 0; k < rows; k++, x += step) {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      acc[i] += (double)x[i] * (double)x[i];
  }
}
static void add_exps(const float *x, const float *most, double *acc, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    acc[i] += (double)exp_below(x[i] - most[i]);
}
static double sum_exps(const float *x, size_t n, float most) {
  double s = 0;
  for (size_t at = 0; at < n; at += 256) {
    float e[256];
    const size_t m = n - at < 256 ? n - at : 256;
    s += exp_row(x + at, e, m, most);
  }
  return s;
}
// In lanes; one after the other where a lane leaves what is sure to be exact.
static double product(const float *x, size_t n) {
  double lane[16], r = 1;
  size_t i = 0;
  bool sure = n >= 32;
  if (sure) {
    for (size_t k = 0; k < 16; k++)
      lane[k] = 1;
    for (; i + 16 <= n; i += 16) {
      WEFT_LOOP(size_t k = 0; k < 16; k++)
        lane[k] *= (double)x[i + k];
    }
    for (size_t k = 0; k < 16; k++) {
      const double size = __builtin_fabs(lane[k]);
      sure &= size == 0 || (size > 1e-290 && size < 1e290);
    }
    for (size_t k = 0; k < 16 && sure; k++)
      r *= lane[k];
    if (!sure) {
      i = 0;
      r = 1;
    }
  }
  for (; i < n; i++)
    r *= (double)x[i];
  return r;
}

#define FOLD(name) \
  { name, name##_rows }
#define FOLD_F64(name) \
  { name##_doubles, name##_double_rows }
#define FOLD_TABLE                                                                             \
  {                                                                                            \
    [WEFT__FOLD_F64] = {FOLD_F64(sum),   FOLD_F64(product), FOLD_F64(greatest),                \
                        FOLD_F64(least), FOLD_F64(sum),     FOLD_F64(squares)},                \
    [WEFT__FOLD_I32] = {FOLD(sum_u32), FOLD(product_u32), FOLD(greatest_i32), FOLD(least_i32), \
                        FOLD(wide_i32)},                                                       \
    [WEFT__FOLD_U32] = {FOLD(sum_u32), FOLD(product_u32), FOLD(greatest_u32), FOLD(least_u32), \
                        FOLD(wide_u32)},                                                       \
    [WEFT__FOLD_I64] = {FOLD(sum_u64), FOLD(product_u64), FOLD(greatest_i64), FOLD(least_i64), \
                        FOLD(sum_u64)},                                                        \
    [WEFT__FOLD_U64] = {FOLD(sum_u64), FOLD(product_u64), FOLD(greatest_u64), FOLD(least_u64), \
                        FOLD(sum_u64)},                                                        \
    [WEFT__FOLD_I8] = {{0}, {0}, FOLD(greatest_i8), FOLD(least_i8)},                           \
    [WEFT__FOLD_U8] = {{0}, {0}, FOLD(greatest_u8), FOLD(least_u8)},                           \
  }
// SPDX-License-Identifier: Apache-2.0
