// vector_math_wide.h - the dearer functions of vector_math.h for a whole vector at once, where the processor
// has instructions for what takes several otherwise: sixteen floats with AVX-512, eight with AVX2. The same
// formulas and errors, but Gelu, which is nearer and takes one division and one exponential.
#pragma once
#include <immintrin.h>

#include "cpu/simd/vector_math.h"

#ifdef __AVX512F__
enum { WIDE_FLOATS = 16 };
typedef __m512 wvec;
typedef __mmask16 wide_mask;
#define SETW(v)        _mm512_set1_ps(v)
#define FMAW(a, b, c)  _mm512_fmadd_ps((a), (b), (c))
#define FNMAW(a, b, c) _mm512_fnmadd_ps((a), (b), (c))
#define FMSW(a, b, c)  _mm512_fmsub_ps((a), (b), (c))
WEFT_INLINE wide_mask first_of(size_t n) {
  return n >= 16 ? (wide_mask)0xFFFF : (wide_mask)((1u << n) - 1);
}
WEFT_INLINE wvec load_wide(const float *x) {
  return _mm512_loadu_ps(x);
}
WEFT_INLINE void store_wide(float *y, wvec v) {
  _mm512_storeu_ps(y, v);
}
WEFT_INLINE wvec load_first(const float *x, size_t n) {
  return _mm512_maskz_loadu_ps(first_of(n), x);
}
WEFT_INLINE wvec load_first_or(wvec rest, const float *x, size_t n) {
  return _mm512_mask_loadu_ps(rest, first_of(n), x);
}
WEFT_INLINE void store_first(float *y, wvec v, size_t n) {
  _mm512_mask_storeu_ps(y, first_of(n), v);
}
WEFT_INLINE wvec keep_first(wvec v, size_t n) {
  return _mm512_maskz_mov_ps(first_of(n), v);
}
WEFT_INLINE float total_wide(wvec v) {
  return _mm512_reduce_add_ps(v);
}
WEFT_INLINE float largest_wide(wvec v) {
  return _mm512_reduce_max_ps(v);
}
WEFT_INLINE wvec min_wide(wvec a, wvec b) {  // NaN comes from the second one
  return _mm512_min_ps(a, b);
}
WEFT_INLINE wvec max_wide(wvec a, wvec b) {
  return _mm512_max_ps(a, b);
}
WEFT_INLINE wvec round_wide(wvec x) {
  return _mm512_roundscale_ps(x, 8);
}
WEFT_INLINE wvec scale_wide(wvec x, wvec n) {  // x 2^n for integers n from -200 to 200
  return _mm512_scalef_ps(x, n);
}
WEFT_INLINE wvec power_wide(wvec k) {  // of two: its exponent's bits are the last ones of k
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(k), 23));
}
WEFT_INLINE wvec abs_wide(wvec x) {
  return _mm512_abs_ps(x);
}
WEFT_INLINE wvec sign_wide(wvec y, wvec x) {  // y >= 0 with the sign of x
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(x), _mm512_castps_si512(y),
                                                       _mm512_set1_epi32(INT32_MIN), 0xEC));
}
WEFT_INLINE wide_mask below_wide(wvec a, wvec b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
WEFT_INLINE wide_mask negative_wide(wvec x) {  // by the sign: -0 too
  return _mm512_movepi32_mask(_mm512_castps_si512(x));
}
WEFT_INLINE wide_mask nan_wide(wvec a, wvec b) {  // in either
  return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q);
}
WEFT_INLINE wide_mask either_wide(wide_mask a, wide_mask b) {
  return a | b;
}
WEFT_INLINE bool any_wide(wide_mask m) {
  return m != 0;
}
WEFT_INLINE wide_mask equal_wide(wvec a, wvec b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}
WEFT_INLINE size_t first_place_wide(wide_mask m) {  // of one that is set
  return (size_t)__builtin_ctz(m);
}
WEFT_INLINE wvec choose_wide(wide_mask m, wvec yes, wvec no) {
  return _mm512_mask_mov_ps(no, m, yes);
}
WEFT_INLINE wvec reciprocal_wide(wvec d) {
  wvec t = _mm512_rcp14_ps(d);
  return FMAW(t, FNMAW(d, t, SETW(1.0f)), t);
}
#else
enum { WIDE_FLOATS = 8 };
typedef __m256 wvec;
typedef __m256 wide_mask;  // the sign of each number tells
#define SETW(v)        _mm256_set1_ps(v)
#define FMAW(a, b, c)  _mm256_fmadd_ps((a), (b), (c))
#define FNMAW(a, b, c) _mm256_fnmadd_ps((a), (b), (c))
#define FMSW(a, b, c)  _mm256_fmsub_ps((a), (b), (c))
WEFT_INLINE __m256i first_of(size_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n >= 8 ? 8 : (int)n), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}
WEFT_INLINE wvec load_wide(const float *x) {
  return _mm256_loadu_ps(x);
}
WEFT_INLINE void store_wide(float *y, wvec v) {
  _mm256_storeu_ps(y, v);
}
WEFT_INLINE wvec load_first(const float *x, size_t n) {
  return _mm256_maskload_ps(x, first_of(n));
}
WEFT_INLINE wvec load_first_or(wvec rest, const float *x, size_t n) {
  return _mm256_blendv_ps(rest, load_first(x, n), _mm256_castsi256_ps(first_of(n)));
}
WEFT_INLINE void store_first(float *y, wvec v, size_t n) {
  _mm256_maskstore_ps(y, first_of(n), v);
}
WEFT_INLINE wvec keep_first(wvec v, size_t n) {
  return _mm256_and_ps(v, _mm256_castsi256_ps(first_of(n)));
}
WEFT_INLINE float total_wide(wvec v) {
  const __m128 a = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  const __m128 b = _mm_add_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_add_ss(b, _mm_shuffle_ps(b, b, 1)));
}
WEFT_INLINE float largest_wide(wvec v) {
  const __m128 a = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  const __m128 b = _mm_max_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_max_ss(b, _mm_shuffle_ps(b, b, 1)));
}
WEFT_INLINE wvec min_wide(wvec a, wvec b) {  // NaN comes from the second one
  return _mm256_min_ps(a, b);
}
WEFT_INLINE wvec max_wide(wvec a, wvec b) {
  return _mm256_max_ps(a, b);
}
WEFT_INLINE wvec round_wide(wvec x) {
  return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
WEFT_INLINE wvec scale_wide(wvec x, wvec n) {  // x 2^n for integers n from -200 to 200, in two steps
  const __m256i k = _mm256_cvtps_epi32(n);
  const __m256i half = _mm256_srai_epi32(k, 1);
  const __m256i bias = _mm256_set1_epi32(127);
  const __m256i a = _mm256_slli_epi32(_mm256_add_epi32(half, bias), 23);
  const __m256i b = _mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(k, half), bias), 23);
  return x * _mm256_castsi256_ps(a) * _mm256_castsi256_ps(b);
}
WEFT_INLINE wvec power_wide(wvec k) {  // of two: its exponent's bits are the last ones of k
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(k), 23));
}
WEFT_INLINE wvec abs_wide(wvec x) {
  return _mm256_andnot_ps(SETW(-0.0f), x);
}
WEFT_INLINE wvec sign_wide(wvec y, wvec x) {  // y >= 0 with the sign of x
  return _mm256_or_ps(y, _mm256_and_ps(SETW(-0.0f), x));
}
WEFT_INLINE wide_mask below_wide(wvec a, wvec b) {
  return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
WEFT_INLINE wide_mask negative_wide(wvec x) {  // by the sign: -0 too
  return x;
}
WEFT_INLINE wide_mask nan_wide(wvec a, wvec b) {  // in either
  return _mm256_cmp_ps(a, b, _CMP_UNORD_Q);
}
WEFT_INLINE wide_mask either_wide(wide_mask a, wide_mask b) {
  return _mm256_or_ps(a, b);
}
WEFT_INLINE bool any_wide(wide_mask m) {
  return _mm256_movemask_ps(m) != 0;
}
WEFT_INLINE wide_mask equal_wide(wvec a, wvec b) {
  return _mm256_cmp_ps(a, b, _CMP_EQ_OQ);
}
WEFT_INLINE size_t first_place_wide(wide_mask m) {  // of one that is set
  return (size_t)__builtin_ctz((unsigned)_mm256_movemask_ps(m));
}
WEFT_INLINE wvec choose_wide(wide_mask m, wvec yes, wvec no) {
  return _mm256_blendv_ps(no, yes, m);
}
WEFT_INLINE wvec reciprocal_wide(wvec d) {
  return SETW(1.0f) / d;
}
#endif

// Rounding by addition: t = x c + (HALF_WAY + b) is HALF_WAY + b + n with n the integer next to x c, and
// power_wide(t) is 2^(n + b - 127) for n + b from 1 to 254, 0 where n + b is 0. One instruction each.
#define HALF_WAY 12582912.0f

WEFT_INLINE wvec exp_m1_part(wvec x, wvec n) {  // e^r - 1 of x = n ln 2 + r
  wvec r = FNMAW(n, SETW(0.693145751953125f), x);
  r = FNMAW(n, SETW(1.428606765330187e-06f), r);
  wvec p = FMAW(SETW(0.0013926250831f), r, SETW(0.0083632328837f));
  p = FMAW(p, r, SETW(0.041666554213f));
  p = FMAW(p, r, SETW(0.166665766661f));
  p = FMAW(p, r, SETW(0.5f));
  return FMAW(p * r, r, r);
}
// e^r for |r| <= ln 2 / 2.
WEFT_INLINE wvec exp_near(wvec r) {
  wvec p = FMAW(SETW(0.0013926250831f), r, SETW(0.0083632328837f));
  p = FMAW(p, r, SETW(0.041666554213f));
  p = FMAW(p, r, SETW(0.166665766661f));
  p = FMAW(p, r, SETW(0.5f));
  p = FMAW(p, r, SETW(1.0f));
  return FMAW(p, r, SETW(1.0f));
}
WEFT_INLINE wvec exp_wide(wvec x) {
  x = min_wide(SETW(89.0f), max_wide(SETW(-104.0f), x));
  const wvec n = FMAW(x, SETW(1.44269504f), SETW(HALF_WAY)) - SETW(HALF_WAY);
  const wvec r = FNMAW(n, SETW(1.428606765330187e-06f), FNMAW(n, SETW(0.693145751953125f), x));
  return scale_wide(exp_near(r), n);
}
// e^x for x <= 0, 0 below -87.7.
WEFT_INLINE wvec exp_flush_wide(wvec x) {
  x = max_wide(SETW(-88.0f), x);
  const wvec t = FMAW(x, SETW(1.44269504f), SETW(HALF_WAY + 127.0f));
  const wvec n = t - SETW(HALF_WAY + 127.0f);
  const wvec r = FNMAW(n, SETW(1.428606765330187e-06f), FNMAW(n, SETW(0.693145751953125f), x));
  return exp_near(r) * power_wide(t);
}
// e^-x times 2^-64 for x from -104 to 40, beyond which 1 / (1 + e^-x) does not change: with 1 times 2^-64
// beside it nothing overflows where the quotient is subnormal.
#define SIGMOID_ONE SETW(5.421010862427522e-20f)
WEFT_INLINE wvec sigmoid_exp(wvec x) {
  const wvec v = min_wide(SETW(40.0f), max_wide(SETW(-104.0f), x));  // NaN stays
  const wvec t = FMAW(v, SETW(-1.44269504f), SETW(HALF_WAY + 63.0f));
  const wvec n = t - SETW(HALF_WAY + 63.0f);
  const wvec r = FNMAW(n, SETW(1.428606765330187e-06f), FNMAW(n, SETW(0.693145751953125f), SETW(0.0f) - v));
  return exp_near(r) * power_wide(t);
}
// What the rounding of the sum and of the division lost is added back.
WEFT_INLINE wvec sigmoid_wide(wvec x) {
  const wvec one = SIGMOID_ONE;
  const wvec e = sigmoid_exp(x);
  const wvec s = one + e;
  const wvec lost = min_wide(one, e) - (s - max_wide(one, e));
  const wvec by = SETW(1.0f) / s;
  const wvec y = one * by;
  return FMAW(FNMAW(lost, y, FNMAW(s, y, one)), by, y);
}
WEFT_INLINE wvec tanh_wide(wvec x) {
  // NaN stays
  const wvec a = min_wide(SETW(10.0f), abs_wide(x));
  const wvec v = a + a;
  const wvec t = FMAW(v, SETW(1.44269504f), SETW(HALF_WAY + 127.0f));
  const wvec n = t - SETW(HALF_WAY + 127.0f);
  const wvec r = FNMAW(n, SETW(0.693147182464599609f), v);
  const wvec s = power_wide(t);
  wvec p = FMAW(SETW(0.0013926250831f), r, SETW(0.0083632328837f));
  p = FMAW(p, r, SETW(0.041666554213f));
  p = FMAW(p, r, SETW(0.166665766661f));
  p = FMAW(p, r, SETW(0.5f));
  p = FMAW(p, r * r, r);
  const wvec m = FMAW(s, p, s - SETW(1.0f));
  return sign_wide(m / (m + SETW(2.0f)), x);
}
WEFT_INLINE wvec erfc_wide(wvec a) {  // a >= 0
  const wvec t = SETW(1.0f) / FMAW(a, SETW(0.3275911f), SETW(1.0f));
  wvec p = FMAW(SETW(0.0592738048f), t, SETW(-0.331088912f));
  p = FMAW(p, t, SETW(0.659813274f));
  p = FMAW(p, t, SETW(-0.602813584f));
  p = FMAW(p, t, SETW(0.536468402f));
  p = FMAW(p, t, SETW(-0.0689523491f));
  p = FMAW(p, t, SETW(0.212272864f));
  p = FMAW(p, t, SETW(0.164303464f));
  p = FMAW(p, t, SETW(0.185951958f));
  p = FMAW(p, t, SETW(0.184771077f));
  const wvec s = a * a;
  const wvec lost = FMSW(a, a, s);
  wvec e = exp_wide(SETW(0.0f) - s);
  e = FNMAW(e, lost, e);
  return p * t * e;
}
WEFT_INLINE wvec erf_wide(wvec x) {
  const wvec a = abs_wide(x);
  const wvec s = a * a;
  wvec p = FMAW(SETW(8.38707456e-05f), s, SETW(-0.000814708112f));
  p = FMAW(p, s, SETW(0.00520145633f));
  p = FMAW(p, s, SETW(-0.0268595881f));
  p = FMAW(p, s, SETW(0.112836994f));
  p = FMAW(p, s, SETW(-0.37612634f));
  p = FMAW(p, s, SETW(0.128379166f));
  const wvec small = FMAW(p, a, a);
  const wvec large = SETW(1.0f) - erfc_wide(min_wide(SETW(4.5f), a));
  return sign_wide(choose_wide(below_wide(a, SETW(0.9f)), small, large), x);
}
// x Phi(x). Phi(-z) = e^(-z^2/2) t P(t) with t = 1 / (1 + 0.2316419 z); P within 1.4e-7 of what it stands
// for, the exponential, whose argument is -g/2 with z^2 = g - n 2 ln 2 and what z^2 lost in rounding,
// within 1.1e-7. k's last bits are those of n + 127; they are 0 from 13.25 on, where Phi is below 3e-40.
WEFT_INLINE wvec gelu_wide(wvec x) {
  const wvec z = min_wide(SETW(13.27f), abs_wide(x));  // NaN stays
  const wvec t = reciprocal_wide(FMAW(z, SETW(0.2316419f), SETW(1.0f)));
  wvec p = FMAW(SETW(-0.07028234f), t, SETW(0.247077912f));
  p = FMAW(p, t, SETW(-0.200573385f));
  p = FMAW(p, t, SETW(0.224209368f));
  p = FMAW(p, t, SETW(0.0141329318f));
  p = FMAW(p, t, SETW(0.10246335f));
  p = FMAW(p, t, SETW(0.0904522762f));
  p = FMAW(p, t, SETW(0.0925199687f));
  const wvec s = z * z;
  const wvec lost = FMSW(z, z, s);
  const wvec k = FMAW(s, SETW(-0.721347520f), SETW(HALF_WAY + 127.0f));
  const wvec n = k - SETW(HALF_WAY + 127.0f);
  wvec g = FMAW(n, SETW(1.38629150390625f), s);
  g = FMAW(n, SETW(2.857213530660374e-06f), g) + lost;
  wvec e = FMAW(SETW(-0.000259766297f), g, SETW(0.00261813425f));
  e = FMAW(e, g, SETW(-0.0208338927f));
  e = FMAW(e, g, SETW(0.124998078f));
  e = FMAW(e, g, SETW(-0.5f));
  e = FMAW(e, g, SETW(1.0f));
  const wvec h = p * t * (e * power_wide(k));
  return x * choose_wide(negative_wide(x), h, SETW(1.0f) - h);
}
WEFT_INLINE wvec gelu_tanh_wide(wvec x) {
  const wvec u = SETW(1.5957691216f) * FMAW(SETW(0.044715f) * x * x, x, x);
  const wvec y = x * sigmoid_wide(u);
  return choose_wide(below_wide(x, SETW(-3.4028235e38f)), SETW(__builtin_nanf("")), y);
}
WEFT_INLINE wvec swish_wide(wvec x, float p) {
  const wvec y = x * sigmoid_wide(SETW(p) * x);
  if (!(p > 0.0f))
    return y;
  return choose_wide(below_wide(x, SETW(-3.4028235e38f)), SETW(__builtin_nanf("")), y);
}
// A loop over a row, two vectors at a time so that their chains run beside each other.
#define ROW_WIDE(y, x, n, f)                                                             \
  do {                                                                                   \
    size_t row_i = 0;                                                                    \
    for (; row_i + 2 * WIDE_FLOATS <= (n); row_i += 2 * WIDE_FLOATS) {                   \
      wvec row_a = load_wide((x) + row_i), row_b = load_wide((x) + row_i + WIDE_FLOATS); \
      row_a = f(row_a), row_b = f(row_b);                                                \
      store_wide((y) + row_i, row_a), store_wide((y) + row_i + WIDE_FLOATS, row_b);      \
    }                                                                                    \
    for (; row_i < (n); row_i += WIDE_FLOATS)                                            \
      store_first((y) + row_i, f(load_first((x) + row_i, (n)-row_i)), (n)-row_i);        \
  } while (0)
// SPDX-License-Identifier: Apache-2.0
