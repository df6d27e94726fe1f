// reduce_rows.h - sums and extremes of rows of floats, for the instruction set that this is compiled for. The
// order of additions depends on the length alone: 32 sums in double, element i in sum i % 32, then pairs.
#include "cpu/simd/vector_eight.h"
#include "cpu/simd/vector_math.h"

WEFT_INLINE vf load8(const float *x) {
  vf v;
  memcpy(&v, x, sizeof v);
  return v;
}
#ifdef __AVX512F__
#include <immintrin.h>
typedef double vd __attribute__((vector_size(64)));
WEFT_INLINE vd widen8(const float *x) {  // compilers make two halves and join them
  return _mm512_cvtps_pd(_mm256_loadu_ps(x));
}
WEFT_INLINE vd add8(vd a, vd b) {
  return a + b;
}
WEFT_INLINE vd add8_square(vd a, vd x, double mean) {
  x -= mean;
  return a + x * x;
}
WEFT_INLINE double total(vd a, vd b, vd c, vd d) {
  vd s = (a + b) + (c + d);
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}
#else  // vectors that the processor does not have go through memory: two halves
typedef float v4f __attribute__((vector_size(16)));
typedef double v4d __attribute__((vector_size(32)));
typedef struct vd {
  v4d low, high;
} vd;
WEFT_INLINE vd widen8(const float *x) {
  v4f a;
  v4f b;
  memcpy(&a, x, sizeof a);
  memcpy(&b, x + 4, sizeof b);
  return (vd){__builtin_convertvector(a, v4d), __builtin_convertvector(b, v4d)};
}
WEFT_INLINE vd add8(vd a, vd b) {
  return (vd){a.low + b.low, a.high + b.high};
}
WEFT_INLINE vd add8_square(vd a, vd x, double mean) {
  x.low -= mean;
  x.high -= mean;
  return (vd){a.low + x.low * x.low, a.high + x.high * x.high};
}
WEFT_INLINE double total(vd a, vd b, vd c, vd d) {
  const vd s = add8(add8(a, b), add8(c, d));
  const v4d h = s.low + s.high;
  return (h[0] + h[2]) + (h[1] + h[3]);
}
#endif

// As integers magnitudes are in the same order; above all lies NaN.
static bool below(const float *x, size_t n, float bound) {
  // negative: one is not
  int32_t most;
  int32_t bits;
  int32_t odd = 0;
  memcpy(&most, &bound, sizeof most);
  for (size_t i = 0; i < n; i++) {
    memcpy(&bits, x + i, sizeof bits);
    odd |= most - 1 - (bits & 0x7FFFFFFF);
  }
  return odd >= 0;
}

// x, or the square of what it is above `mean`.
WEFT_INLINE vd add_eight(bool squares, vd a, const float *x, double mean) {
  return squares ? add8_square(a, widen8(x), mean) : add8(a, widen8(x));
}
WEFT_INLINE double sum_of(bool squares, const float *x, size_t n, double mean) {
  vd a = {0};
  vd b = {0};
  vd c = {0};
  vd d = {0};
  double rest = 0;
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    a = add_eight(squares, a, x + i, mean);
    b = add_eight(squares, b, x + i + 8, mean);
    c = add_eight(squares, c, x + i + 16, mean);
    d = add_eight(squares, d, x + i + 24, mean);
  }
  for (; i + 8 <= n; i += 8)
    a = add_eight(squares, a, x + i, mean);
  for (; i < n; i++) {
    const double above = (double)x[i] - mean;
    rest += squares ? above * above : (double)x[i];
  }
  return total(a, b, c, d) + rest;
}

static double sum(const float *x, size_t n) {
  return sum_of(false, x, n, 0);
}
// Of (x - mean)^2.
static double sum_squares(const float *x, size_t n, double mean) {
  return sum_of(true, x, n, mean);
}

// NaN wins: what is kept is replaced by what is beyond it, and by NaN.
#define EXTREME_TWO(name, less)                                   \
  WEFT_INLINE float name##_two(float r, float x) {                \
    return x less r || x != x ? x : r;                            \
  }                                                               \
  static void name##_into(const float *x, float *acc, size_t n) { \
    WEFT_LOOP(size_t i = 0; i < n; i++) {                         \
      const float v = x[i], r = acc[i];                           \
      acc[i] = v != v ? v : v less r ? v : r;                     \
    }                                                             \
  }
EXTREME_TWO(max, >)
EXTREME_TWO(min, <)

#ifdef __AVX2__
#include "cpu/simd/vector_math_wide.h"
// NaN is looked for beside, so that a vector waits for one instruction of the one before.
#define EXTREME(name)                                                                             \
  static float name##_row(const float *x, size_t n) {                                             \
    float r = x[0], lane[WIDE_FLOATS];                                                            \
    size_t i = WIDE_FLOATS;                                                                       \
    for (size_t k = 1; n < WIDE_FLOATS && k < n; k++)                                             \
      r = name##_two(r, x[k]);                                                                    \
    if (n < WIDE_FLOATS)                                                                          \
      return r;                                                                                   \
    wvec a = load_wide(x), b = a, c = a, d = load_wide(x + n - WIDE_FLOATS);                      \
    wide_mask odd = nan_wide(a, d), odd_too = odd;                                                \
    for (; i + 4 * WIDE_FLOATS <= n; i += 4 * WIDE_FLOATS) {                                      \
      const wvec p = load_wide(x + i), q = load_wide(x + i + WIDE_FLOATS);                        \
      const wvec s = load_wide(x + i + 2 * WIDE_FLOATS), t = load_wide(x + i + 3 * WIDE_FLOATS);  \
      odd = either_wide(odd, nan_wide(p, q)), odd_too = either_wide(odd_too, nan_wide(s, t));     \
      a = name##_wide(p, a), b = name##_wide(q, b), c = name##_wide(s, c), d = name##_wide(t, d); \
    }                                                                                             \
    for (; i + WIDE_FLOATS <= n; i += WIDE_FLOATS) {                                              \
      const wvec p = load_wide(x + i);                                                            \
      odd = either_wide(odd, nan_wide(p, p)), a = name##_wide(p, a);                              \
    }                                                                                             \
    if (any_wide(either_wide(odd, odd_too)))                                                      \
      return __builtin_nanf("");                                                                  \
    store_wide(lane, name##_wide(name##_wide(a, b), name##_wide(c, d)));                          \
    r = lane[0];                                                                                  \
    for (int k = 1; k < WIDE_FLOATS; k++)                                                         \
      r = name##_two(r, lane[k]);                                                                 \
    return r;                                                                                     \
  }
EXTREME(max)
EXTREME(min)
#else
#define MERGE(less, v, r)                 \
  do {                                    \
    const vi m = (v less r) | (v != v);   \
    r = (vf)(((vi)v & m) | ((vi)r & ~m)); \
  } while (0)
#define EXTREME(name, less)                                    \
  static float name##_row(const float *x, size_t n) {          \
    float r = x[0];                                            \
    size_t i = 0;                                              \
    if (n >= 8) {                                              \
      vf a = load8(x), b = a, c = a, d = a;                    \
      for (i = 8; i + 32 <= n; i += 32) {                      \
        const vf p = load8(x + i), q = load8(x + i + 8);       \
        const vf s = load8(x + i + 16), t = load8(x + i + 24); \
        MERGE(less, p, a);                                     \
        MERGE(less, q, b);                                     \
        MERGE(less, s, c);                                     \
        MERGE(less, t, d);                                     \
      }                                                        \
      for (; i + 8 <= n; i += 8) {                             \
        const vf p = load8(x + i);                             \
        MERGE(less, p, a);                                     \
      }                                                        \
      MERGE(less, b, a);                                       \
      MERGE(less, d, c);                                       \
      MERGE(less, c, a);                                       \
      r = a[0];                                                \
      for (int k = 1; k < 8; k++)                              \
        r = name##_two(r, a[k]);                               \
    }                                                          \
    for (; i < n; i++)                                         \
      r = name##_two(r, x[i]);                                 \
    return r;                                                  \
  }
EXTREME(max, >)
EXTREME(min, <)
#endif

// 32 columns at a time, so that their sums stay in registers while all rows pass.
static void add_rows(const float *x, size_t step, size_t rows, double *acc, size_t n) {
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    vd s[4];
    memcpy(s, acc + i, sizeof s);
    for (size_t k = 0; k < rows; k++) {
      for (int j = 0; j < 4; j++)
        s[j] = add8(s[j], widen8(x + k * step + i + 8 * j));
    }
    memcpy(acc + i, s, sizeof s);
  }
  for (size_t k = 0; k < rows && i < n; k++) {
    WEFT_LOOP(size_t j = i; j < n; j++)
      acc[j] += (double)x[k * step + j];
  }
}
// SPDX-License-Identifier: Apache-2.0
