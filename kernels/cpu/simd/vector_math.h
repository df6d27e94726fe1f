// vector_math.h - functions of one float that a loop over them vectorises: no branches, no calls, integers
// only where no value can leave their range. Included by files compiled for one instruction set each. Largest
// errors against the exact value, in ulp, with fused multiply-add and without (tile_math_test.c holds
// them): exp 1.1, log 0.8, expm1 1.8, log1p 1.5, tanh 2.5, sigmoid 2.1, erf 1.6, softplus 1.9, mish 3.5; gelu
// 3e-7 of |x|, and relative to its value 14 ulp down to -3, 200 ulp at -12. NaN stays NaN, infinities give
// the limits, subnormal results are kept.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define WEFT_FMA(a, b, c)  __builtin_fmaf((a), (b), (c))
#define WEFT_REST(n, a, b) __builtin_fmaf(-(a), (b), (n))  // n - a b, where a b is n but for its rounding
#else
#define WEFT_FMA(a, b, c)  ((a) * (b) + (c))
#define WEFT_REST(n, a, b) 0.0f
#endif
#if defined(__clang__)
#define WEFT_LOOP _Pragma("clang loop vectorize(assume_safety)") for
#else
#define WEFT_LOOP _Pragma("GCC ivdep") for
#endif
#define WEFT_INLINE static inline __attribute__((always_inline, unused))

WEFT_INLINE uint32_t weft__bits(float x) {
  uint32_t u;
  memcpy(&u, &x, 4);
  return u;
}
WEFT_INLINE float weft__float(uint32_t u) {
  float x;
  memcpy(&x, &u, 4);
  return x;
}
WEFT_INLINE float weft__absf(float x) {
  return weft__float(weft__bits(x) & 0x7FFFFFFFu);
}
WEFT_INLINE float weft__signed(float magnitude, float sign) {
  return weft__float(weft__bits(magnitude) | (weft__bits(sign) & 0x80000000u));
}
// To the nearest integer, halves to even.
WEFT_INLINE float weft__rintf(float x) {
  float a = weft__absf(x);
  float r = (a + 8388608.0f) - 8388608.0f;
  return weft__signed(a < 8388608.0f ? r : a, x);
}
WEFT_INLINE float weft__floorf(float x) {
  float r = weft__rintf(x);
  return weft__signed(weft__absf(r > x ? r - 1.0f : r), x < 0.0f || x == 0.0f ? x : r);
}
WEFT_INLINE float weft__ceilf(float x) {
  return -weft__floorf(-x);
}

// x = n ln 2 + r: 2^n in two factors, so that subnormal results and 2^128 come out right, and e^r - 1.
typedef struct weft__exp_parts {
  float r, m, a, b;  // m = e^r - 1; a * b = 2^n
} weft__exp_parts;
WEFT_INLINE weft__exp_parts weft__exp_split(float x) {
  weft__exp_parts e;
  x = x < -104.0f ? -104.0f : x;
  x = x > 89.0f ? 89.0f : x;
  float t = WEFT_FMA(x, 1.44269504f, 12582912.0f);
  float n = t - 12582912.0f;
  int32_t k = (int32_t)(weft__bits(t) - 0x4B400000u);
  int32_t half = k >> 1;
  float r = WEFT_FMA(n, -0.693145751953125f, x);
  r = WEFT_FMA(n, -1.428606765330187e-06f, r);
  float p = WEFT_FMA(0.0013926250831f, r, 0.0083632328837f);
  p = WEFT_FMA(p, r, 0.041666554213f);
  p = WEFT_FMA(p, r, 0.166665766661f);
  p = WEFT_FMA(p, r, 0.5f);
  e.r = r;
  e.m = WEFT_FMA(p * r, r, r);
  e.a = weft__float((uint32_t)(half + 127) << 23);
  e.b = weft__float((uint32_t)(k - half + 127) << 23);
  return e;
}
WEFT_INLINE float weft__expf(float x) {
  weft__exp_parts e = weft__exp_split(x);
  return (e.m + 1.0f) * e.a * e.b;
}
// The same for x <= 0 or so, one factor: results below 2^-126 are 0. For sums in which they do not count.
WEFT_INLINE float weft__exp_flush(float x) {
  x = x < -87.0f ? -87.0f : x;
  float t = WEFT_FMA(x, 1.44269504f, 12582912.0f);
  float n = t - 12582912.0f;
  float r = WEFT_FMA(n, -0.693145751953125f, x);
  r = WEFT_FMA(n, -1.428606765330187e-06f, r);
  float p = WEFT_FMA(0.0013926250831f, r, 0.0083632328837f);
  p = WEFT_FMA(p, r, 0.041666554213f);
  p = WEFT_FMA(p, r, 0.166665766661f);
  p = WEFT_FMA(p, r, 0.5f);
  p = WEFT_FMA(p * r, r, r) + 1.0f;
  return p * weft__float((weft__bits(t) - 0x4B400000u + 127u) << 23);
}
WEFT_INLINE float weft__expm1f(float x) {
  weft__exp_parts e = weft__exp_split(x < -20.0f ? -20.0f : x);
  float s = e.a * e.b;  // 2^128 is inf, and so is the result
  float y = WEFT_FMA(s, e.m, s - 1.0f);
  y = s > 3e38f ? (e.m + 1.0f) * e.a * e.b : y;
  return x == 0.0f ? x : y;
}

WEFT_INLINE float weft__logf(float x) {
  float scaled = x < 1.17549435e-38f ? x * 8388608.0f : x;
  float shift = x < 1.17549435e-38f ? -23.0f : 0.0f;
  // sqrt(1/2) <= m < sqrt 2
  uint32_t u = weft__bits(scaled);
  uint32_t at = u - 0x3F3504F3u;
  int32_t k = (int32_t)at >> 23;
  float f = weft__float(u - ((uint32_t)k << 23)) - 1.0f;
  float n = (float)k + shift;
  float p = WEFT_FMA(0.0697161151f, f, -0.114797338f);
  p = WEFT_FMA(p, f, 0.116854199f);
  p = WEFT_FMA(p, f, -0.124256873f);
  p = WEFT_FMA(p, f, 0.142490576f);
  p = WEFT_FMA(p, f, -0.166678023f);
  p = WEFT_FMA(p, f, 0.200007157f);
  p = WEFT_FMA(p, f, -0.24999997f);
  p = WEFT_FMA(p, f, 0.333333312f);
  float f2 = f * f;
  float y = p * f2 * f;
  y = WEFT_FMA(n, 1.428606765330187e-06f, y);
  y = WEFT_FMA(-0.5f, f2, y) + f;
  y = WEFT_FMA(n, 0.693145751953125f, y);
  y = x > 3.4028235e38f ? x : y;  // inf
  y = x == 0.0f ? -__builtin_inff() : y;
  return x < 0.0f ? __builtin_nanf("") : x != x ? x : y;
}
WEFT_INLINE float weft__log1pf(float x) {
  // log u + e / u
  float u = 1.0f + x;
  float d = u - 1.0f;
  float e = x - d;
  float lost = e / u;
  lost = e == 0.0f ? 0.0f : lost;  // -1: 0 / 0
  float y = weft__logf(u) + (u < 1e30f ? lost : 0.0f);
  return d == 0.0f ? x : y;
}

// n / (1 + e) for e = exp(-|x|): what the rounding of 1 + e and of the division lost is added back.
WEFT_INLINE float weft__sigmoidf(float x) {
  float e = weft__expf(-weft__absf(x));
  float n = x < 0.0f ? e : 1.0f;
  float s = 1.0f + e;
  float lost = e - (s - 1.0f);
  float by = 1.0f / s;
  float y = n * by;
  return WEFT_FMA(WEFT_REST(n, s, y) - lost * y, by, y);
}
// m / (m + 2) for m = e^(2 |x|) - 1. What n ln 2 loses as one product does not matter: where n is large, the
// quotient is nearly 1.
WEFT_INLINE float weft__tanhf(float x) {
  float a = weft__absf(x);
  a = a > 10.0f ? 10.0f : a;
  float v = a + a;
  float t = WEFT_FMA(v, 1.44269504f, 12582912.0f);
  float n = t - 12582912.0f;
  float r = WEFT_FMA(n, -0.693147182464599609f, v);
  float p = WEFT_FMA(0.0013926250831f, r, 0.0083632328837f);
  p = WEFT_FMA(p, r, 0.041666554213f);
  p = WEFT_FMA(p, r, 0.166665766661f);
  p = WEFT_FMA(p, r, 0.5f);
  p = WEFT_FMA(p, r * r, r);
  float s = weft__float((weft__bits(t) - 0x4B400000u + 127u) << 23);
  float m = WEFT_FMA(s, p, s - 1.0f);
  return weft__signed(m / (m + 2.0f), x);
}

// e^-(a^2), with what the square loses.
WEFT_INLINE float weft__exp_square(float a) {
  float s = a * a;
  float lost = WEFT_FMA(a, a, -s);
  float e = weft__expf(-s);
  return WEFT_FMA(e, -lost, e);
}
// erfc(a) for a >= 0: e^-(a^2) times a polynomial in t = 1 / (1 + 0.3275911 a).
WEFT_INLINE float weft__erfcf(float a) {
  float t = 1.0f / WEFT_FMA(a, 0.3275911f, 1.0f);
  float p = WEFT_FMA(0.0592738048f, t, -0.331088912f);
  p = WEFT_FMA(p, t, 0.659813274f);
  p = WEFT_FMA(p, t, -0.602813584f);
  p = WEFT_FMA(p, t, 0.536468402f);
  p = WEFT_FMA(p, t, -0.0689523491f);
  p = WEFT_FMA(p, t, 0.212272864f);
  p = WEFT_FMA(p, t, 0.164303464f);
  p = WEFT_FMA(p, t, 0.185951958f);
  p = WEFT_FMA(p, t, 0.184771077f);
  return p * t * weft__exp_square(a);
}
WEFT_INLINE float weft__erff(float x) {
  float a = weft__absf(x);
  float s = a * a;
  float p = WEFT_FMA(8.38707456e-05f, s, -0.000814708112f);
  p = WEFT_FMA(p, s, 0.00520145633f);
  p = WEFT_FMA(p, s, -0.0268595881f);
  p = WEFT_FMA(p, s, 0.112836994f);
  p = WEFT_FMA(p, s, -0.37612634f);
  p = WEFT_FMA(p, s, 0.128379166f);
  float small = WEFT_FMA(p, a, a);  // 2/sqrt(pi) = 1 + 0.128...
  float c = a > 4.5f ? 4.5f : a;
  float y = a < 0.9f ? small : 1.0f - weft__erfcf(c);
  return weft__signed(x != x ? x : y, x);
}
// x Phi(x), Phi from erfc of |x|: as exact for negative x as for positive ones.
WEFT_INLINE float weft__geluf(float x) {
  float a = weft__absf(x) * 0.707106781f;
  float h = 0.5f * weft__erfcf(a > 20.0f ? 20.0f : a);
  float y = x * (x < 0.0f ? h : 1.0f - h);
  y = x < -15.0f ? -0.0f : y;
  return x < -3.4028235e38f ? __builtin_nanf("") : y;  // -inf times 0
}
WEFT_INLINE float weft__gelu_tanhf(float x) {
  float u = 0.7978845608f * WEFT_FMA(0.044715f * x * x, x, x);  // 0.5 (1 + tanh u) is sigmoid(2 u)
  float y = x * weft__sigmoidf(2.0f * u);
  return x < -3.4028235e38f ? __builtin_nanf("") : y;
}
WEFT_INLINE float weft__softplusf(float x) {
  float e = weft__expf(-weft__absf(x));
  return (x > 0.0f ? x : 0.0f) + (x != x ? x : weft__log1pf(e));
}
WEFT_INLINE float weft__mishf(float x) {
  float e = weft__expf(x > 20.0f ? 20.0f : x);
  float n = e * (e + 2.0f);
  float y = x * (n / (n + 2.0f));
  y = x > 20.0f ? x : y;
  return x != x ? x : y;
}

// |x| <= 1e6 as k quarters of a turn and the sine and cosine of the rest, in double.
typedef struct weft__quarter {
  double sin, cos;
  uint64_t k;
} weft__quarter;
WEFT_INLINE weft__quarter weft__quarter_of(float x) {
  double v = (double)x, t = v * 0.63661977236758134308 + 6755399441055744.0, n = t - 6755399441055744.0;
  double r = v - n * 1.57079632673412561417;  // 33 bits of pi / 2: exact
  r -= n * 6.07710050650619224932e-11;
  weft__quarter y;
  memcpy(&y.k, &t, 8);
  double r2 = r * r, p = 1.0 / 362880, q = -1.0 / 3628800;
  p = p * r2 - 1.0 / 5040;
  q = q * r2 + 1.0 / 40320;
  p = p * r2 + 1.0 / 120;
  q = q * r2 - 1.0 / 720;
  p = p * r2 - 1.0 / 6;
  q = q * r2 + 1.0 / 24;
  p = p * r2 + 1;
  q = q * r2 - 0.5;
  y.sin = p * r;
  y.cos = q * r2 + 1;
  return y;
}
// sin (quarter 0) or cos (1) of |x| <= 1e6: right to the last bit but for ties.
WEFT_INLINE float weft__sin_quarter(float x, uint64_t quarter) {
  const weft__quarter v = weft__quarter_of(x);
  const uint64_t k = v.k + quarter;
  double y = k & 1 ? v.cos : v.sin;
  return (float)(k & 2 ? -y : y);
}

// ---- half precision, rounded to nearest even ----
WEFT_INLINE float weft__of_half(uint16_t h) {
  uint32_t em = (uint32_t)(h & 0x7FFFu) << 13;
  uint32_t u = weft__bits(weft__float(em) * 5.192296858534828e+33f);  // 2^112
  u = em >= 0x0F800000u ? u | 0x7F800000u : u;
  return weft__float(u | (uint32_t)(h & 0x8000u) << 16);
}
WEFT_INLINE uint16_t weft__to_half(float x) {
  uint32_t u = weft__bits(x);
  uint32_t sign = u & 0x80000000u;
  u ^= sign;
  uint32_t special = u > 0x7F800000u ? 0x7E00u : 0x7C00u;
  uint32_t low = weft__bits(weft__float(u) + 0.5f) - 0x3F000000u;
  uint32_t normal = (u + 0xC8000FFFu + (u >> 13 & 1u)) >> 13;
  uint32_t r = u >= 0x47800000u ? special : u < 0x38800000u ? low : normal;
  return (uint16_t)(r | sign >> 16);
}
WEFT_INLINE float weft__of_bf16(uint16_t h) {
  return weft__float((uint32_t)h << 16);
}
WEFT_INLINE uint16_t weft__to_bf16(float x) {
  uint32_t u = weft__bits(x);
  uint32_t r = (u + 0x7FFFu + (u >> 16 & 1u)) >> 16;
  return (uint16_t)(x != x ? (u >> 16 | 0x40u) : r);
}
// The float next to x from which a half is rounded as from x itself: where it is not x, the one whose last
// bit is set.
WEFT_INLINE float weft__odd_float(double x) {
  const float f = (float)x;
  const uint32_t u = weft__bits(f);
  const double d = (double)f;
  const double beyond = x < 0 ? x - d : d - x;
  const uint32_t odd = beyond > 0 ? u - 1 : u + 1;
  return d == x || x != x || (u & 1) ? f : weft__float(odd);
}
// SPDX-License-Identifier: Apache-2.0
