// reduce_rows.h - sums and extremes of rows of floats, for the instruction set that this is compiled for. The
// order of additions depends on the length alone: 32 sums in double, element i in sum i % 32, then pairs.
#include "cpu/vector_math.h"

typedef float vf __attribute__((vector_size(32)));
typedef double vd __attribute__((vector_size(64)));
typedef int32_t vi __attribute__((vector_size(32)));

WEFT_INLINE vf load8(const float *x) {
  vf v;
  memcpy(&v, x, sizeof v);
  return v;
}
WEFT_INLINE double total(vd a, vd b, vd c, vd d) {
  vd s = (a + b) + (c + d);
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static double sum(const float *x, size_t n) {
  vd a = {0}, b = {0}, c = {0}, d = {0};
  double rest = 0;
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    a += __builtin_convertvector(load8(x + i), vd);
    b += __builtin_convertvector(load8(x + i + 8), vd);
    c += __builtin_convertvector(load8(x + i + 16), vd);
    d += __builtin_convertvector(load8(x + i + 24), vd);
  }
  for (; i + 8 <= n; i += 8) a += __builtin_convertvector(load8(x + i), vd);
  for (; i < n; i++) rest += (double)x[i];
  return total(a, b, c, d) + rest;
}

// Of (x - mean)^2.
static double sum_squares(const float *x, size_t n, double mean) {
  vd a = {0}, b = {0}, c = {0}, d = {0}, m = {mean, mean, mean, mean, mean, mean, mean, mean};
  double rest = 0;
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    vd p = __builtin_convertvector(load8(x + i), vd) - m,
       q = __builtin_convertvector(load8(x + i + 8), vd) - m;
    vd r = __builtin_convertvector(load8(x + i + 16), vd) - m;
    vd s = __builtin_convertvector(load8(x + i + 24), vd) - m;
    a += p * p, b += q * q, c += r * r, d += s * s;
  }
  for (; i + 8 <= n; i += 8) {
    vd p = __builtin_convertvector(load8(x + i), vd) - m;
    a += p * p;
  }
  for (; i < n; i++) rest += ((double)x[i] - mean) * ((double)x[i] - mean);
  return total(a, b, c, d) + rest;
}

// NaN wins: what is kept is replaced by what is beyond it, and by NaN.
#define MERGE(less, v, r)                 \
  do {                                    \
    const vi m = (v less r) | (v != v);   \
    r = (vf)(((vi)v & m) | ((vi)r & ~m)); \
  } while (0)
#define EXTREME(name, less)                                       \
  WEFT_INLINE float name##_two(float r, float x) {                \
    return x less r || x != x ? x : r;                            \
  }                                                               \
  static float name##_row(const float *x, size_t n) {             \
    float r = x[0];                                               \
    size_t i = 0;                                                 \
    if (n >= 8) {                                                 \
      vf a = load8(x), b = a, c = a, d = a;                       \
      for (i = 8; i + 32 <= n; i += 32) {                         \
        const vf p = load8(x + i), q = load8(x + i + 8);          \
        const vf s = load8(x + i + 16), t = load8(x + i + 24);    \
        MERGE(less, p, a);                                        \
        MERGE(less, q, b);                                        \
        MERGE(less, s, c);                                        \
        MERGE(less, t, d);                                        \
      }                                                           \
      for (; i + 8 <= n; i += 8) {                                \
        const vf p = load8(x + i);                                \
        MERGE(less, p, a);                                        \
      }                                                           \
      MERGE(less, b, a);                                          \
      MERGE(less, d, c);                                          \
      MERGE(less, c, a);                                          \
      r = a[0];                                                   \
      for (int k = 1; k < 8; k++) r = name##_two(r, a[k]);        \
    }                                                             \
    for (; i < n; i++) r = name##_two(r, x[i]);                   \
    return r;                                                     \
  }                                                               \
  static void name##_into(const float *x, float *acc, size_t n) { \
    WEFT_LOOP(size_t i = 0; i < n; i++) {                         \
      const float v = x[i], r = acc[i];                           \
      acc[i] = v != v ? v : v less r ? v : r;                     \
    }                                                             \
  }
EXTREME(max, >)
EXTREME(min, <)

static void add_into(const float *x, double *acc, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++) acc[i] += (double)x[i];
}
