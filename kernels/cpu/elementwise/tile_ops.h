// tile_ops.h - the loops of the tile machine, for the instruction set that this is compiled for. One macro a
// shape of operator, one line an operator and kind. What a loop computes equals the operator's reference,
// rounded once to the kind, but for the functions of vector_math.h.
#include <math.h>

#include "cpu/elementwise/tile.h"
#include "cpu/rows/half_rows.h"
#include "cpu/simd/vector_math.h"
#include "cpu/simd/vector_math_arc.h"
#ifdef __AVX2__
#include "cpu/simd/vector_math_wide.h"
#endif
#include "elementwise/divide.rule.h"

static void round_half(const float *x, float *y, size_t n) {
  uint16_t h[64];
  for (size_t i = 0; i < n; i += 64) {
    const size_t m = n - i < 64 ? n - i : 64;
    narrow_half(x + i, h, m);
    widen_half(h, y + i, m);
  }
}

#define ARGS const weft__tile_ins *t, size_t n, void *y_, const void *a_, const void *b_, const void *c_

#define UNARY(T, R, name, e)                                   \
  static void name(ARGS) {                                     \
    R *y = y_;                                                 \
    const T *a = a_;                                           \
    const T p0 = (T)t->p[0], p1 = (T)t->p[1], p2 = (T)t->p[2]; \
    (void)b_, (void)c_, (void)p0, (void)p1, (void)p2;          \
    WEFT_LOOP(size_t i = 0; i < n; i++) {                      \
      const T x = a[i];                                        \
      y[i] = (R)(e);                                           \
    }                                                          \
  }

#define BINARY(T, R, name, e)               \
  static void name(ARGS) {                  \
    R *y = y_;                              \
    const T *a = a_, *b = b_;               \
    const double p0 = t->p[0];              \
    (void)c_, (void)p0;                     \
    if (t->scalar == 2) {                   \
      const T z = b[0];                     \
      WEFT_LOOP(size_t i = 0; i < n; i++) { \
        const T x = a[i];                   \
        y[i] = (R)(e);                      \
      }                                     \
    } else if (t->scalar == 1) {            \
      const T x = a[0];                     \
      WEFT_LOOP(size_t i = 0; i < n; i++) { \
        const T z = b[i];                   \
        y[i] = (R)(e);                      \
      }                                     \
    } else {                                \
      WEFT_LOOP(size_t i = 0; i < n; i++) { \
        const T x = a[i], z = b[i];         \
        y[i] = (R)(e);                      \
      }                                     \
    }                                       \
  }

// Three operands: numbers are spread over a piece first.
enum { PIECE = 256 };
#define TERNARY(A, T, name, e)                                                                          \
  static void name(ARGS) {                                                                              \
    T *y = y_, spread_b[PIECE], spread_c[PIECE];                                                        \
    A spread_a[PIECE];                                                                                  \
    const size_t step_a = t->scalar & 1 ? 0 : 1, step_b = t->scalar & 2 ? 0 : 1;                        \
    const size_t step_c = t->scalar & 4 ? 0 : 1, most = n < PIECE ? n : PIECE;                          \
    for (size_t i = 0; i < most && !step_a; i++)                                                        \
      spread_a[i] = *(const A *)a_;                                                                     \
    for (size_t i = 0; i < most && !step_b; i++)                                                        \
      spread_b[i] = *(const T *)b_;                                                                     \
    for (size_t i = 0; i < most && !step_c; i++)                                                        \
      spread_c[i] = *(const T *)c_;                                                                     \
    for (size_t at = 0; at < n; at += PIECE) {                                                          \
      const A *a = step_a ? (const A *)a_ + at : spread_a;                                              \
      const T *b = step_b ? (const T *)b_ + at : spread_b, *c = step_c ? (const T *)c_ + at : spread_c; \
      const size_t m = n - at < PIECE ? n - at : PIECE;                                                 \
      WEFT_LOOP(size_t i = 0; i < m; i++) {                                                             \
        const A x = a[i];                                                                               \
        const T z = b[i], w = c[i];                                                                     \
        y[at + i] = (e);                                                                                \
      }                                                                                                 \
    }                                                                                                   \
  }

// ---- 32-bit floats ----
// The quotient is taken in any case: a choice of two numbers goes into vectors, a jump around a division does
// not.
WEFT_INLINE float f32_div_no_nan(float x, float z) {
  const float y = x / z;
  return z == 0.0f ? 0.0f : y;
}
WEFT_INLINE double f64_div_no_nan(double x, double z) {
  const double y = x / z;
  return z == 0.0 ? 0.0 : y;
}
WEFT_INLINE float f32_max(float x, float z) {
  float r = x > z ? x : z;
  r = x == z ? weft__float(weft__bits(x) & weft__bits(z)) : r;  // -0 is below 0
  r = z != z ? z : r;
  return x != x ? x : r;
}
WEFT_INLINE float f32_min(float x, float z) {
  float r = x < z ? x : z;
  r = x == z ? weft__float(weft__bits(x) | weft__bits(z)) : r;
  r = z != z ? z : r;
  return x != x ? x : r;
}
WEFT_INLINE double f64_of_bits(uint64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}
WEFT_INLINE uint64_t f64_bits(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
WEFT_INLINE double f64_max(double x, double z) {
  double r = x > z ? x : z;
  r = x == z ? f64_of_bits(f64_bits(x) & f64_bits(z)) : r;
  r = z != z ? z : r;
  return x != x ? x : r;
}
WEFT_INLINE double f64_min(double x, double z) {
  double r = x < z ? x : z;
  r = x == z ? f64_of_bits(f64_bits(x) | f64_bits(z)) : r;
  r = z != z ? z : r;
  return x != x ? x : r;
}
WEFT_INLINE float f32_clip(float x, float z, float w) {
  float r = x < z ? z : x;
  r = r > w ? w : r;
  r = w != w ? w : r;
  r = z != z ? z : r;
  return x != x ? x : r;
}
WEFT_INLINE double f64_clip(double x, double z, double w) {
  double r = x < z ? z : x;
  r = r > w ? w : r;
  r = w != w ? w : r;
  r = z != z ? z : r;
  return x != x ? x : r;
}
WEFT_INLINE float f32_elu(float x, float alpha, float scale, float input_scale) {
  float m = weft__expm1f(input_scale * x);
  return scale * (x > 0.0f ? x : alpha * m);
}
WEFT_INLINE float f32_pow3(float x) {
  double d = (double)x;
  return (float)(d * d * d);
}
WEFT_INLINE float f32_pow_half(float x) {
  float r = __builtin_sqrtf(x);
  r = x == 0.0f ? 0.0f : r;
  return x < -3.4028235e38f ? __builtin_inff() : r;
}
// clang-format off
#define F32_UNARY(X)                                                                                    \
  X(NEG, -x) X(ABS, weft__absf(x)) X(RELU, x < 0.0f ? 0.0f : x)                                          \
  X(RELU6, x < 0.0f ? 0.0f : x > 6.0f ? 6.0f : x) X(SQUARE, x * x) X(SQRT, __builtin_sqrtf(x))            \
  X(RSQRT, 1.0f / __builtin_sqrtf(x)) X(RECIP, 1.0f / x) X(FLOOR, weft__floorf(x)) X(CEIL, weft__ceilf(x)) \
  X(RINT, weft__rintf(x)) X(SIGN, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x == 0.0f ? 0.0f : x)               \
  X(LEAKY, x < 0.0f ? p0 * x : x)                                                                        \
  X(HARD_SIGMOID, f32_hard_sigmoid(x, p0, p1))                                                           \
  X(HARD_SWISH, (float)hard_swish((double)x))                                                            \
  X(SOFTSIGN, x / (1.0f + weft__absf(x))) X(ADDS, x + p0) X(MULS, x * p0)                                \
  X(THRESHOLDED, x > p0 ? x : 0.0f) X(SHRINK, x < -p0 ? x + p1 : x > p0 ? x - p1 : 0.0f)                  \
  X(LOG, weft__logf(x)) X(EXPM1, weft__expm1f(x)) X(LOG1P, weft__log1pf(x))         \
      \
  X(SOFTPLUS, weft__softplusf(x)) X(MISH, weft__mishf(x))               \
  X(ELU, f32_elu(x, p0, p1, p2)) X(SELU, f32_elu(x, p0, p1, 1.0f))                                        \
  X(SWISH, x < -3.4028235e38f && p0 > 0.0f ? __builtin_nanf("") : x * weft__sigmoidf(p0 * x))             \
  X(ASIN, weft__asinf(x)) X(ACOS, weft__acosf(x)) X(ATAN, weft__atanf(x)) X(SINH, weft__sinhf(x))          \
  X(COSH, weft__coshf(x)) X(ASINH, weft__asinhf(x)) X(ACOSH, weft__acoshf(x)) X(ATANH, weft__atanhf(x))    \
  X(COPY, x)                                                                                             \
  X(ROUND_BF16, weft__of_bf16(weft__to_bf16(x)))
#define F32_DEAR(X)                                                                                     \
  X(EXP, exp) X(SIGMOID, sigmoid) X(TANH, tanh) X(ERF, erf) X(GELU, gelu) X(GELU_TANH, gelu_tanh)
#define F32_BINARY(X)                                                                                   \
  X(DIV_NO_NAN, f32_div_no_nan(x, z))                                                                 \
  X(ADD, x + z) X(SUB, x - z) X(MUL, x * z) X(DIV, x / z) X(MAX, f32_max(x, z)) X(MIN, f32_min(x, z))     \
  X(SQDIFF, (float)(((double)x - (double)z) * ((double)x - (double)z)))                                  \
  X(PRELU, x < 0.0f ? x * z : x)                                                                         \
  X(AXPY, (float)((double)x + p0 * (double)z))
#define F64_UNARY(X)                                                                                    \
  X(NEG, -x) X(ABS, fabs(x)) X(RELU, x < 0 ? 0 : x) X(RELU6, x < 0 ? 0 : x > 6 ? 6 : x) X(SQUARE, x * x)    \
  X(SQRT, sqrt(x)) X(RSQRT, 1 / sqrt(x)) X(RECIP, 1 / x) X(FLOOR, floor(x)) X(CEIL, ceil(x))              \
  X(RINT, rint(x)) X(SIGN, x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x) X(LEAKY, x < 0 ? p0 * x : x)           \
  X(HARD_SIGMOID, hard_sigmoid(x, p0, p1)) X(HARD_SWISH, hard_swish(x)) X(SOFTSIGN, x / (1 + fabs(x)))    \
  X(ADDS, x + p0) X(MULS, x * p0) X(THRESHOLDED, x > p0 ? x : 0)                                         \
  X(SHRINK, x < -p0 ? x + p1 : x > p0 ? x - p1 : 0) X(EXP, exp(x)) X(LOG, log(x)) X(EXPM1, expm1(x))      \
  X(LOG1P, log1p(x)) X(SIGMOID, 1 / (1 + exp(-x))) X(TANH, tanh(x)) X(ERF, erf(x))                        \
  X(GELU, 0.5 * x * erfc(-x * 0.70710678118654752440))                                                   \
  X(GELU_TANH, 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))))                \
  X(SOFTPLUS, x != x ? x : fmax(x, 0) + log1p(exp(-fabs(x))))                                            \
  X(MISH, x != x ? x : x * tanh(fmax(x, 0) + log1p(exp(-fabs(x)))))                                      \
  X(ELU, p1 * (x > 0 ? x : p0 * expm1(p2 * x))) X(SELU, p1 * (x > 0 ? x : p0 * expm1(x)))                 \
  X(SWISH, x / (1 + exp(-p0 * x))) X(SIN, sin(x)) X(COS, cos(x)) X(TAN, tan(x)) X(ASIN, asin(x))          \
  X(ACOS, acos(x)) X(ATAN, atan(x)) X(SINH, sinh(x)) X(COSH, cosh(x)) X(ASINH, asinh(x))                  \
  X(ACOSH, acosh(x)) X(ATANH, atanh(x)) X(COPY, x)
#define F64_BINARY(X)                                                                                   \
  X(DIV_NO_NAN, f64_div_no_nan(x, z))                                                                 \
  X(ADD, x + z) X(SUB, x - z) X(MUL, x * z) X(DIV, x / z) X(MAX, f64_max(x, z)) X(MIN, f64_min(x, z))     \
  X(SQDIFF, (x - z) * (x - z)) X(FMOD, weft__remainder_f64(x, z)) X(PRELU, x < 0 ? x * z : x)             \
  X(AXPY, x + p0 * z) X(POW, pow(x, z))
#define COMPARE(X) X(EQ, x == z) X(NE, x != z) X(LT, x < z) X(LE, x <= z) X(GT, x > z) X(GE, x >= z)
// clang-format on

WEFT_INLINE double hard_sigmoid(double x, double alpha, double beta) {
  double v = alpha * x + beta;
  v = v < 0 ? 0 : v;
  return v > 1 ? 1 : v;
}
// Rounded once, as in double.
WEFT_INLINE float f32_hard_sigmoid(float x, float alpha, float beta) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  float v = __builtin_fmaf(alpha, x, beta);
  v = v < 0.0f ? 0.0f : v;
  return v > 1.0f ? 1.0f : v;
#else
  return (float)hard_sigmoid((double)x, (double)alpha, (double)beta);
#endif
}
WEFT_INLINE double hard_swish(double x) {
  double v = x + 3;
  v = x < -3 ? 0 : v;
  v = x > 3 ? 6 : v;
  return x * v / 6;
}

#define X(c, e) UNARY(float, float, f32_##c, e)
F32_UNARY(X)
#undef X
#ifdef __AVX2__
#define X(c, e)                                            \
  static void f32_##c(ARGS) {                              \
    (void)t, (void)b_, (void)c_;                           \
    ROW_WIDE((float *)y_, (const float *)a_, n, e##_wide); \
  }
#else
#define X(c, e) UNARY(float, float, f32_##c, weft__##e##f(x))
#endif
F32_DEAR(X)
#undef X
UNARY(float, float, far_sin, (float)sin((double)x))
UNARY(float, float, far_cos, (float)cos((double)x))
UNARY(float, float, near_sin, weft__sin_quarter(x, 0))
UNARY(float, float, near_cos, weft__sin_quarter(x, 1))
static bool all_near(const float *x, size_t n) {
  uint32_t most = 0;
  WEFT_LOOP(size_t i = 0; i < n; i++) {
    const uint32_t u = weft__bits(x[i]) & 0x7FFFFFFFu;
    most = u > most ? u : most;
  }
  return most <= 0x49742400u;  // 1e6
}
static void f32_SIN(ARGS) {
  (all_near(a_, n) ? near_sin : far_sin)(t, n, y_, a_, b_, c_);
}
static void f32_COS(ARGS) {
  (all_near(a_, n) ? near_cos : far_cos)(t, n, y_, a_, b_, c_);
}
UNARY(float, float, far_tan, (float)tan((double)x))
UNARY(float, float, near_tan, weft__tan_near(x))
static void f32_TAN(ARGS) {
  (all_near(a_, n) ? near_tan : far_tan)(t, n, y_, a_, b_, c_);
}
// A piece at a time, numbers spread over it; what the vectors cannot do is done one by one.
static void f32_FMOD(ARGS) {
  float x[PIECE];
  float z[PIECE];
  float *y = y_;
  const float *a = a_;
  const float *b = b_;
  (void)c_;
  for (size_t at = 0; at < n; at += PIECE) {
    const size_t m = n - at < PIECE ? n - at : PIECE;
    uint32_t any = 0;
    for (size_t i = 0; i < m; i++)
      x[i] = t->scalar & 1 ? a[0] : a[at + i];
    for (size_t i = 0; i < m; i++)
      z[i] = t->scalar & 2 ? b[0] : b[at + i];
    WEFT_LOOP(size_t i = 0; i < m; i++) {
      uint32_t far;
      y[at + i] = weft__remainder_near(x[i], z[i], &far);
      any |= far;
    }
    for (size_t i = 0; any && i < m; i++)
      y[at + i] = (float)weft__remainder_f64((double)x[i], (double)z[i]);
  }
}
#define X(c, e) BINARY(float, float, f32_##c, e)
F32_BINARY(X)
#undef X
#define X(c, e) BINARY(float, uint8_t, f32_##c, e)
COMPARE(X)
#undef X
#define INFINITE(T, f, inf)                                  \
  UNARY(T, uint8_t, f##_ISNAN, x != x)                       \
  UNARY(T, uint8_t, f##_ISINF, (x == (inf)) | (x == -(inf))) \
  UNARY(T, uint8_t, f##_ISINF_POSITIVE, x == (inf))          \
  UNARY(T, uint8_t, f##_ISINF_NEGATIVE, x == -(inf))
INFINITE(float, f32, __builtin_inff())
INFINITE(double, f64, __builtin_inf())
#define X(c, e) UNARY(double, double, f64_##c, e)
F64_UNARY(X)
#undef X
#define X(c, e) BINARY(double, double, f64_##c, e)
F64_BINARY(X)
#undef X
#define X(c, e) BINARY(double, uint8_t, f64_##c, e)
COMPARE(X)
#undef X
#include "cpu/elementwise/tile_integers.h"

UNARY(float, double, f32_TO_F64, x)
UNARY(double, float, f64_TO_F32, x)
#define CONVERT(name, f)         \
  static void name(ARGS) {       \
    (void)t, (void)b_, (void)c_; \
    f(a_, y_, n);                \
  }
CONVERT(load_half, widen_half)
CONVERT(load_bf16, widen_bf16)
CONVERT(store_half, narrow_half)
CONVERT(store_bf16, narrow_bf16)
CONVERT(f32_ROUND_HALF, round_half)

TERNARY(uint8_t, float, f32_SELECT, x != 0 ? z : w)
TERNARY(uint8_t, double, f64_SELECT, x != 0 ? z : w)
TERNARY(float, float, f32_CLIP, f32_clip(x, z, w))
TERNARY(double, double, f64_CLIP, f64_clip(x, z, w))

// A power: the exponents that networks have are products and roots.
BINARY(float, float, power, (float)pow((double)x, (double)z))
UNARY(float, float, pow3, f32_pow3(x))
UNARY(float, float, pow_half, f32_pow_half(x))
static void f32_POW(ARGS) {
  const float e = t->scalar == 2 ? *(const float *)b_ : 0.0f;
  weft__tile_fn f = e == 2.0f    ? f32_SQUARE
                    : e == 3.0f  ? pow3
                    : e == 0.5f  ? pow_half
                    : e == -1.0f ? f32_RECIP
                    : e == 1.0f  ? f32_COPY
                                 : power;
  f(t, n, y_, a_, b_, c_);
}

// The table's entries.
#define K32(c, e) [WEFT__T_##c] = f32_##c,
#define K64(c, e) [WEFT__T_##c] = f64_##c,
#define INFINITE_OF(f)                                                                                     \
  [WEFT__T_ISNAN] = f##_ISNAN, [WEFT__T_ISINF] = f##_ISINF, [WEFT__T_ISINF_POSITIVE] = f##_ISINF_POSITIVE, \
  [WEFT__T_ISINF_NEGATIVE] = f##_ISINF_NEGATIVE,
// clang-format off
#define TILE_TABLES                                                                                       \
  {[WEFT__TILE_F32] = {F32_UNARY(K32) F32_DEAR(K32) F32_BINARY(K32) COMPARE(K32) K32(POW, ) K32(SELECT, )  \
       K32(CLIP, ) K32(SIN, ) K32(COS, ) K32(TAN, ) K32(FMOD, ) INFINITE_OF(f32) K32(TO_F64, )             \
       REAL_CASTS(ENTRY, f32, ) [WEFT__T_LOAD_HALF] = load_half,                                           \
       [WEFT__T_LOAD_BF16] = load_bf16, [WEFT__T_STORE_HALF] = store_half,                                 \
       [WEFT__T_STORE_BF16] = store_bf16, K32(ROUND_HALF, ) [WEFT__T_TO_F32] = f32_COPY},                  \
   [WEFT__TILE_F64] = {F64_UNARY(K64) F64_BINARY(K64) COMPARE(K64) INFINITE_OF(f64) K64(SELECT, )          \
       K64(CLIP, ) K64(TO_F32, ) REAL_CASTS(ENTRY, f64, ) [WEFT__T_TO_F64] = f64_COPY},                    \
   [WEFT__TILE_BOOL] = {BOOL_ENTRIES},                                                                     \
   [WEFT__TILE_I8] = {SIGNED_ENTRIES(b8, i8)},                                                             \
   [WEFT__TILE_U8] = {UNSIGNED_ENTRIES(b8, u8)},                                                           \
   [WEFT__TILE_I16] = {SIGNED_ENTRIES(b16, i16)},                                                          \
   [WEFT__TILE_U16] = {UNSIGNED_ENTRIES(b16, u16)},                                                        \
   [WEFT__TILE_I32] = {SIGNED_ENTRIES(b32, i32)},                                                          \
   [WEFT__TILE_U32] = {UNSIGNED_ENTRIES(b32, u32)},                                                        \
   [WEFT__TILE_I64] = {SIGNED_ENTRIES(b64, i64)},                                                          \
   [WEFT__TILE_U64] = {UNSIGNED_ENTRIES(b64, u64)}}
// clang-format on
// SPDX-License-Identifier: Apache-2.0
