// float_loops.h - loops over floats, compiled once for each instruction set: the file that includes it says
// which in ASC_LOOPS.
#include <math.h>

#include "cpu/simd/vector_math.h"
#include "cpu/simd/vector_math_arc.h"
#include "loops.h"

#define LOOP_VECTOR(name, expression)                                            \
  static void name##_vector(void *dst, const void *a, const void *b, size_t n) { \
    float *out = dst;                                                            \
    const float *first = a;                                                      \
    const float *second = b;                                                     \
    WEFT_LOOP(size_t i = 0; i < n; i++) {                                        \
      const float x = first[i];                                                  \
      const float y = second[i];                                                 \
      const float d = out[i];                                                    \
      (void)d;                                                                   \
      out[i] = (expression);                                                     \
    }                                                                            \
  }
#define LOOP_SCALAR(name, expression)                                            \
  static void name##_scalar(void *dst, const void *a, const void *b, size_t n) { \
    float *out = dst;                                                            \
    const float *first = a;                                                      \
    const float y = *(const float *)b;                                           \
    WEFT_LOOP(size_t i = 0; i < n; i++) {                                        \
      const float x = first[i];                                                  \
      const float d = out[i];                                                    \
      (void)d;                                                                   \
      out[i] = (expression);                                                     \
    }                                                                            \
  }
#define LOOP_UNARY(name, expression)                                             \
  static void name##_vector(void *dst, const void *a, const void *b, size_t n) { \
    float *out = dst;                                                            \
    const float *first = a;                                                      \
    (void)b;                                                                     \
    WEFT_LOOP(size_t i = 0; i < n; i++) {                                        \
      const float x = first[i];                                                  \
      out[i] = (expression);                                                     \
    }                                                                            \
  }
#define LOOP_BINARY(name, expression) \
  LOOP_VECTOR(name, expression)       \
  LOOP_SCALAR(name, expression)

// NaN of either side is the result, as on the chip.
WEFT_INLINE float larger(float x, float y) {
  return x != x ? x : (x < y || y != y) ? y : x;
}
WEFT_INLINE float smaller(float x, float y) {
  return x != x ? x : (x > y || y != y) ? y : x;
}
WEFT_INLINE float positive(float x) {
  return x < 0.0f ? 0.0f : x;
}
WEFT_INLINE float truncated(float x) {
  return x < 0.0f ? weft__ceilf(x) : weft__floorf(x);
}
// Halves away from zero.
WEFT_INLINE float rounded_away(float x) {
  const float whole = truncated(x);
  return weft__absf(x - whole) >= 0.5f ? whole + (x < 0.0f ? -1.0f : 1.0f) : whole;
}
WEFT_INLINE float sign_of(float x) {
  return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x;
}

LOOP_BINARY(add, x + y)
LOOP_BINARY(sub, x - y)
LOOP_BINARY(mul, x *y)
LOOP_BINARY(divide, x / y)
LOOP_BINARY(max, larger(x, y))
LOOP_BINARY(min, smaller(x, y))
LOOP_BINARY(add_relu, positive(x + y))
LOOP_BINARY(sub_relu, positive(x - y))
LOOP_VECTOR(mul_add, d + x * y)
LOOP_VECTOR(fused_mul_add, x *d + y)
LOOP_VECTOR(fused_mul_add_relu, positive(x *d + y))
LOOP_VECTOR(abs_sub, weft__absf(x - y))
LOOP_VECTOR(exp_sub, weft__expf(x - y))
LOOP_VECTOR(prelu, x < 0.0f ? x * y : x)
LOOP_SCALAR(leaky_relu, x < 0.0f ? x * y : x)
LOOP_SCALAR(axpy, d + x * y)
LOOP_BINARY(power, powf(x, y))
LOOP_BINARY(modulo, fmodf(x, y))
LOOP_BINARY(atan_of_two, atan2f(x, y))
LOOP_UNARY(copy, x)
LOOP_UNARY(absolute, weft__absf(x))
LOOP_UNARY(exponential, weft__expf(x))
LOOP_UNARY(logarithm, weft__logf(x))
LOOP_UNARY(logarithm2, log2f(x))
LOOP_UNARY(logarithm10, log10f(x))
LOOP_UNARY(square_root, sqrtf(x))
LOOP_UNARY(inverse_root, 1.0f / sqrtf(x))
LOOP_UNARY(reciprocal, 1.0f / x)
LOOP_UNARY(relu, positive(x))
LOOP_UNARY(negate, -x)
LOOP_UNARY(sign, sign_of(x))
LOOP_UNARY(floor_of, weft__floorf(x))
LOOP_UNARY(ceil_of, weft__ceilf(x))
LOOP_UNARY(round_away, rounded_away(x))
LOOP_UNARY(round_even, weft__rintf(x))
LOOP_UNARY(truncate, truncated(x))
LOOP_UNARY(fraction, x - truncated(x))
LOOP_UNARY(sine, sinf(x))
LOOP_UNARY(cosine, cosf(x))
LOOP_UNARY(tangent, tanf(x))
LOOP_UNARY(arc_sine, weft__asinf(x))
LOOP_UNARY(arc_cosine, weft__acosf(x))
LOOP_UNARY(arc_tangent, weft__atanf(x))
LOOP_UNARY(hyperbolic_sine, weft__sinhf(x))
LOOP_UNARY(hyperbolic_cosine, weft__coshf(x))
LOOP_UNARY(hyperbolic_tangent, weft__tanhf(x))
LOOP_UNARY(area_sine, weft__asinhf(x))
LOOP_UNARY(area_cosine, weft__acoshf(x))
LOOP_UNARY(area_tangent, weft__atanhf(x))
LOOP_UNARY(error, weft__erff(x))
LOOP_UNARY(error_rest, x < 0.0f ? 2.0f - weft__erfcf(-x) : weft__erfcf(x))
LOOP_UNARY(log_gamma, lgammaf(x))
LOOP_UNARY(sigmoid, weft__sigmoidf(x))
LOOP_UNARY(silu, x *weft__sigmoidf(x))
LOOP_UNARY(gelu, weft__gelu_tanhf(x))
LOOP_UNARY(gelu_fast, x *weft__sigmoidf(1.702f * x))
LOOP_SCALAR(swish, x *weft__sigmoidf(y *x))

static void duplicate_scalar(void *dst, const void *a, const void *b, size_t n) {
  float *out = dst;
  const float y = *(const float *)b;
  (void)a;
  WEFT_LOOP(size_t i = 0; i < n; i++)
    out[i] = y;
}

static void of_half(float *dst, const uint16_t *src, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    dst[i] = weft__of_half(src[i]);
}
static void to_half(uint16_t *dst, const float *src, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    dst[i] = weft__to_half(src[i]);
}
static void of_bf16(float *dst, const uint16_t *src, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    dst[i] = weft__of_bf16(src[i]);
}
static void to_bf16(uint16_t *dst, const float *src, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    dst[i] = weft__to_bf16(src[i]);
}

enum { LANES = 64 };  // some vectors, so that one need not wait for another

static float sum(const float *src, size_t n) {
  float lane[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    WEFT_LOOP(size_t j = 0; j < LANES; j++)
      lane[j] += src[i + j];
  }
  for (size_t j = 0; i + j < n; j++)
    lane[j] += src[i + j];
  for (size_t half = LANES / 2; half; half /= 2) {
    for (size_t j = 0; j < half; j++)
      lane[j] += lane[j + half];
  }
  return lane[0];
}

// Where `best` is first, NaN: where the first NaN is. It is there.
static size_t place_of(const float *src, size_t n, float best) {
  size_t i = 0;
  const bool nan = best != best;
  for (; i + LANES <= n; i += LANES) {
    int found = 0;
    WEFT_LOOP(size_t j = 0; j < LANES; j++)
      found |= nan ? src[i + j] != src[i + j] : src[i + j] == best;
    if (found)
      break;
  }
  while (i < n && (nan ? src[i] == src[i] : src[i] != best))
    i++;
  return i;
}
// Lanes find the value, NaN is counted beside; then the place is looked for.
static size_t extreme(const float *src, size_t n, bool larger) {
  float lane[LANES];
  int nan[LANES] = {0};
  const float sign = larger ? 1.0f : -1.0f;
  for (size_t j = 0; j < LANES; j++)
    lane[j] = sign * src[0];
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    WEFT_LOOP(size_t j = 0; j < LANES; j++) {
      const float x = sign * src[i + j];
      lane[j] = x > lane[j] ? x : lane[j];
      nan[j] |= x != x;
    }
  }
  for (size_t j = 0; i + j < n; j++) {
    const float x = sign * src[i + j];
    lane[j] = x > lane[j] ? x : lane[j];
    nan[j] |= x != x;
  }
  for (size_t j = 1; j < LANES; j++) {
    lane[0] = lane[j] > lane[0] ? lane[j] : lane[0];
    nan[0] |= nan[j];
  }
  return place_of(src, n, nan[0] || src[0] != src[0] ? NAN : sign * lane[0]);
}

#define BOTH(OP, name) [WEFT_ASC_##OP] = name##_vector
const asc_float_loops ASC_LOOPS = {
    .vector =
        {
            BOTH(ADD, add),
            BOTH(SUB, sub),
            BOTH(MUL, mul),
            BOTH(DIV, divide),
            BOTH(MAX, max),
            BOTH(MIN, min),
            BOTH(ADD_RELU, add_relu),
            BOTH(SUB_RELU, sub_relu),
            BOTH(MUL_ADD, mul_add),
            BOTH(FUSED_MUL_ADD, fused_mul_add),
            BOTH(FUSED_MUL_ADD_RELU, fused_mul_add_relu),
            BOTH(ABS_SUB, abs_sub),
            BOTH(EXP_SUB, exp_sub),
            BOTH(PRELU, prelu),
            BOTH(POW, power),
            BOTH(MOD, modulo),
            BOTH(ATAN2, atan_of_two),
            BOTH(COPY, copy),
            BOTH(ABS, absolute),
            BOTH(EXP, exponential),
            BOTH(LN, logarithm),
            BOTH(LOG2, logarithm2),
            BOTH(LOG10, logarithm10),
            BOTH(SQRT, square_root),
            BOTH(RSQRT, inverse_root),
            BOTH(RECIPROCAL, reciprocal),
            BOTH(RELU, relu),
            BOTH(NEG, negate),
            BOTH(SIGN, sign),
            BOTH(FLOOR, floor_of),
            BOTH(CEIL, ceil_of),
            BOTH(ROUND, round_away),
            BOTH(RINT, round_even),
            BOTH(TRUNC, truncate),
            BOTH(FRAC, fraction),
            BOTH(SIN, sine),
            BOTH(COS, cosine),
            BOTH(TAN, tangent),
            BOTH(ASIN, arc_sine),
            BOTH(ACOS, arc_cosine),
            BOTH(ATAN, arc_tangent),
            BOTH(SINH, hyperbolic_sine),
            BOTH(COSH, hyperbolic_cosine),
            BOTH(TANH, hyperbolic_tangent),
            BOTH(ASINH, area_sine),
            BOTH(ACOSH, area_cosine),
            BOTH(ATANH, area_tangent),
            BOTH(ERF, error),
            BOTH(ERFC, error_rest),
            BOTH(LGAMMA, log_gamma),
            BOTH(SIGMOID, sigmoid),
            BOTH(SILU, silu),
            BOTH(GELU, gelu),
            BOTH(GELU_FAST, gelu_fast),
        },
    .scalar =
        {
            [WEFT_ASC_ADD] = add_scalar,
            [WEFT_ASC_SUB] = sub_scalar,
            [WEFT_ASC_MUL] = mul_scalar,
            [WEFT_ASC_DIV] = divide_scalar,
            [WEFT_ASC_MAX] = max_scalar,
            [WEFT_ASC_MIN] = min_scalar,
            [WEFT_ASC_ADD_RELU] = add_relu_scalar,
            [WEFT_ASC_SUB_RELU] = sub_relu_scalar,
            [WEFT_ASC_LEAKY_RELU] = leaky_relu_scalar,
            [WEFT_ASC_AXPY] = axpy_scalar,
            [WEFT_ASC_POW] = power_scalar,
            [WEFT_ASC_MOD] = modulo_scalar,
            [WEFT_ASC_ATAN2] = atan_of_two_scalar,
            [WEFT_ASC_SWISH] = swish_scalar,
            [WEFT_ASC_DUPLICATE] = duplicate_scalar,
        },
    .of_half = of_half,
    .to_half = to_half,
    .of_bf16 = of_bf16,
    .to_bf16 = to_bf16,
    .sum = sum,
    .extreme = extreme,
};
// SPDX-License-Identifier: Apache-2.0
