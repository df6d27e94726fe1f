// float_loops.h - loops over floats, compiled once for each instruction set: the file that includes it says
// which in ASC_LOOPS.
#include <math.h>

#include "cpu/rows/half_rows.h"
#include "cpu/simd/vector_math.h"
#include "cpu/simd/vector_math_arc.h"
#ifdef __AVX2__
#include "cpu/simd/vector_math_wide.h"
#endif
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
// A function of a vector where the instruction set has the instructions for it.
#ifdef __AVX2__
#define LOOP_WIDE(name, function, expression)                                    \
  static void name##_vector(void *dst, const void *a, const void *b, size_t n) { \
    float *out = dst;                                                            \
    const float *first = a;                                                      \
    (void)b;                                                                     \
    ROW_WIDE(out, first, n, function);                                           \
  }
#else
#define LOOP_WIDE(name, function, expression) LOOP_UNARY(name, expression)
#endif
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
LOOP_WIDE(exponential, exp_wide, weft__expf(x))
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
LOOP_WIDE(hyperbolic_tangent, tanh_wide, weft__tanhf(x))
LOOP_UNARY(area_sine, weft__asinhf(x))
LOOP_UNARY(area_cosine, weft__acoshf(x))
LOOP_UNARY(area_tangent, weft__atanhf(x))
LOOP_WIDE(error, erf_wide, weft__erff(x))
LOOP_UNARY(error_rest, x < 0.0f ? 2.0f - weft__erfcf(-x) : weft__erfcf(x))
LOOP_UNARY(log_gamma, lgammaf(x))
LOOP_WIDE(sigmoid, sigmoid_wide, weft__sigmoidf(x))
LOOP_UNARY(silu, x *weft__sigmoidf(x))
LOOP_WIDE(gelu, gelu_tanh_wide, weft__gelu_tanhf(x))
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
  widen_half(src, dst, n);
}
static void to_half(uint16_t *dst, const float *src, size_t n) {
  narrow_half(src, dst, n);
}
static void of_bf16(float *dst, const uint16_t *src, size_t n) {
  widen_bf16(src, dst, n);
}
static void to_bf16(uint16_t *dst, const float *src, size_t n) {
  narrow_bf16(src, dst, n);
}

// Vectors at a time: the C library's own copy of a few kilobytes is slow where both sides lie alike in their
// pages, as they do here often.
typedef uint8_t move_vector __attribute__((vector_size(64), aligned(1), may_alias));
static void move(void *to, const void *from, size_t bytes) {
  uint8_t *out = to;
  const uint8_t *in = from;
  size_t i = 0;
  for (; i + 4 * sizeof(move_vector) <= bytes; i += 4 * sizeof(move_vector)) {
    const move_vector *v = (const move_vector *)(const void *)(in + i);
    move_vector *w = (move_vector *)(void *)(out + i);
    const move_vector a = v[0];
    const move_vector b = v[1];
    const move_vector c = v[2];
    const move_vector d = v[3];
    w[0] = a;
    w[1] = b;
    w[2] = c;
    w[3] = d;
  }
  for (; i + sizeof(move_vector) <= bytes; i += sizeof(move_vector))
    *(move_vector *)(void *)(out + i) = *(const move_vector *)(const void *)(in + i);
  if (i < bytes)
    memcpy(out + i, in + i, bytes - i);
}

#ifdef __AVX2__
// Past the caches: what is written is not read from memory first. Vectors of the target lie at their
// multiples.
static void move_far(void *to, const void *from, size_t bytes) {
  uint8_t *out = to;
  const uint8_t *in = from;
  size_t i = 0;
  for (; i + 64 <= bytes; i += 64) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(in + i));
    const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(in + i + 32));
    _mm256_stream_si256((__m256i *)(void *)(out + i), a);
    _mm256_stream_si256((__m256i *)(void *)(out + i + 32), b);
  }
  move(out + i, in + i, bytes - i);
}
static void arrive(void) {
  _mm_sfence();
}
#else
static void move_far(void *to, const void *from, size_t bytes) {
  move(to, from, bytes);
}
static void arrive(void) {}
#endif

enum { LANES = 64 };  // some vectors, so that one need not wait for another

// What `lanes` hold becomes one: the upper half is added to the lower one, and so on. Halves of known sizes
// stay in vectors.
#define LANES_HALVE(lane, half)            \
  WEFT_LOOP(size_t j = 0; j < (half); j++) \
  (lane)[j] += (lane)[j + (half)]
WEFT_INLINE float lanes_total(float *lane) {
  LANES_HALVE(lane, 32);
  LANES_HALVE(lane, 16);
  LANES_HALVE(lane, 8);
  LANES_HALVE(lane, 4);
  LANES_HALVE(lane, 2);
  return lane[0] + lane[1];
}
static float sum(const float *src, size_t n) {
  float lane[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    WEFT_LOOP(size_t j = 0; j < LANES; j++)
      lane[j] += src[i + j];
  }
  for (size_t j = 0; i + j < n; j++)
    lane[j] += src[i + j];
  return lanes_total(lane);
}
static float squares(const float *src, float mean, size_t n) {
  float lane[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    WEFT_LOOP(size_t j = 0; j < LANES; j++)
      lane[j] += (src[i + j] - mean) * (src[i + j] - mean);
  }
  for (size_t j = 0; i + j < n; j++)
    lane[j] += (src[i + j] - mean) * (src[i + j] - mean);
  return lanes_total(lane);
}
static void normalise(const float *src, float *dst, size_t n, const asc_norm_by *by) {
  const float mean = by->mean;
  const float factor = by->factor;
  const float *gamma = by->gamma;
  const float *beta = by->beta;
  if (gamma && beta) {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      dst[i] = (src[i] - mean) * factor * gamma[i] + beta[i];
    return;
  }
  WEFT_LOOP(size_t i = 0; i < n; i++)
    dst[i] = (src[i] - mean) * factor;
  if (gamma)
    mul_vector(dst, dst, gamma, n);
  if (beta)
    add_vector(dst, dst, beta, n);
}
#ifdef __AVX2__
#define POWER_BELOW(x) exp_wide((x)-less)
static void power_below(const float *src, float most, float *dst, size_t n) {
  const wvec less = SETW(most);
  ROW_WIDE(dst, src, n, POWER_BELOW);
}
#else
static void power_below(const float *src, float most, float *dst, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    dst[i] = weft__expf(src[i] - most);
}
#endif

#ifdef __AVX2__
enum { EXTREME_STEP = 4 * WIDE_FLOATS };
WEFT_INLINE wvec extreme_of(wvec x, wvec best, bool larger) {
  return larger ? max_wide(x, best) : min_wide(x, best);
}
// The value: NaN where there is one.
WEFT_INLINE float extreme_value(const float *src, size_t n, bool larger) {
  wvec best[4] = {SETW(src[0]), SETW(src[0]), SETW(src[0]), SETW(src[0])};
  wide_mask nan = nan_wide(best[0], best[0]);
  size_t i = 0;
  for (; i + EXTREME_STEP <= n; i += EXTREME_STEP) {
    const wvec a = load_wide(src + i);
    const wvec b = load_wide(src + i + WIDE_FLOATS);
    const wvec c = load_wide(src + i + 2 * WIDE_FLOATS);
    const wvec d = load_wide(src + i + 3 * WIDE_FLOATS);
    best[0] = extreme_of(a, best[0], larger);
    best[1] = extreme_of(b, best[1], larger);
    best[2] = extreme_of(c, best[2], larger);
    best[3] = extreme_of(d, best[3], larger);
    nan = either_wide(nan, either_wide(nan_wide(a, b), nan_wide(c, d)));
  }
  for (; i < n; i += WIDE_FLOATS) {
    const wvec a = load_first_or(SETW(src[0]), src + i, n - i);
    best[0] = extreme_of(a, best[0], larger);
    nan = either_wide(nan, nan_wide(a, a));
  }
  if (any_wide(nan))
    return NAN;
  const wvec all =
      extreme_of(extreme_of(best[0], best[1], larger), extreme_of(best[2], best[3], larger), larger);
  return larger ? largest_wide(all) : -largest_wide(SETW(0.0f) - all);
}
// Of `best`, which is there; for NaN of the first one.
WEFT_INLINE wide_mask place_in(const float *src, wvec best, bool nan) {
  const wvec x = load_wide(src);
  return nan ? nan_wide(x, x) : equal_wide(x, best);
}
WEFT_INLINE size_t place_among(const float *src, size_t n, float value, bool nan) {
  const wvec best = SETW(value);
  size_t i = 0;
  for (; i + EXTREME_STEP <= n; i += EXTREME_STEP) {
    const wide_mask a = place_in(src + i, best, nan);
    const wide_mask b = place_in(src + i + WIDE_FLOATS, best, nan);
    const wide_mask c = place_in(src + i + 2 * WIDE_FLOATS, best, nan);
    const wide_mask d = place_in(src + i + 3 * WIDE_FLOATS, best, nan);
    if (any_wide(either_wide(either_wide(a, b), either_wide(c, d))))
      break;
  }
  for (; i + WIDE_FLOATS <= n; i += WIDE_FLOATS) {
    const wide_mask found = place_in(src + i, best, nan);
    if (any_wide(found))
      return i + first_place_wide(found);
  }
  while (nan ? src[i] == src[i] : src[i] != value)
    i++;
  return i;
}
static size_t place_of(const float *src, size_t n, float best) {
  return best != best ? place_among(src, n, best, true) : place_among(src, n, best, false);
}
#else
WEFT_INLINE float extreme_value(const float *src, size_t n, bool larger) {
  float lane[LANES];
  int nan[LANES] = {0};
  for (size_t j = 0; j < LANES; j++)
    lane[j] = src[0];
  for (size_t i = 0; i < n; i += LANES) {
    const size_t m = n - i < LANES ? n - i : LANES;
    WEFT_LOOP(size_t j = 0; j < m; j++) {
      const float x = src[i + j];
      lane[j] = (larger ? x > lane[j] : x < lane[j]) ? x : lane[j];
      nan[j] |= x != x;
    }
  }
  for (size_t j = 1; j < LANES; j++) {
    lane[0] = (larger ? lane[j] > lane[0] : lane[j] < lane[0]) ? lane[j] : lane[0];
    nan[0] |= nan[j];
  }
  return nan[0] ? NAN : lane[0];
}
// Where the first NaN is, or the first number that is `best`, which is there.
static size_t place_of(const float *src, size_t n, float best) {
  size_t i = 0;
  if (best != best) {
    while (src[i] == src[i])
      i++;
    return i;
  }
  for (; i + LANES <= n; i += LANES) {
    int found = 0;
    WEFT_LOOP(size_t j = 0; j < LANES; j++)
      found |= src[i + j] == best;
    if (found)
      break;
  }
  while (src[i] != best)
    i++;
  return i;
}
#endif
// The value, then its place.
static size_t extreme(const float *src, size_t n, bool larger) {
  return place_of(src, n, larger ? extreme_value(src, n, true) : extreme_value(src, n, false));
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
    .move = move,
    .move_far = move_far,
    .arrive = arrive,
    .power_below = power_below,
    .normalise = normalise,
    .squares = squares,
    .sum = sum,
    .extreme = extreme,
};
// SPDX-License-Identifier: Apache-2.0
