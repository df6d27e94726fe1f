// vector_math_arc.h - inverse and hyperbolic functions of one float and the remainder of two, as
// vector_math.h has the others: loops over them become vectors. Largest errors in ulp (tile_math_test.c
// holds them): asin 1.9, acos 1.4, atan 1.6, asinh 2.1, acosh 2, atanh 2.3, sinh 2.3, cosh 2.2; tan is right
// to the last bit but for ties, the remainder is exact.
#pragma once
#include "cpu/simd/vector_math.h"

// asin s of s <= 1/2, z = s^2.
WEFT_INLINE float weft__asin_near(float s, float z) {
  float p = WEFT_FMA(0.0422185697f, z, 0.0241475999f);
  p = WEFT_FMA(p, z, 0.0454770997f);
  p = WEFT_FMA(p, z, 0.0749524161f);
  p = WEFT_FMA(p, z, 0.166667536f);
  return WEFT_FMA(p * z, s, s);
}
// Of larger ones asin a = pi / 2 - 2 asin sqrt((1 - a) / 2).
WEFT_INLINE float weft__asinf(float x) {
  const float a = weft__absf(x);
  const float rest = 0.5f * (1.0f - a);
  const float z = a > 0.5f ? rest : a * a;
  const float s = __builtin_sqrtf(z);
  const float r = weft__asin_near(a > 0.5f ? s : a, z);
  const float y = a > 0.5f ? (1.57079637f - 2.0f * r) - 4.37113883e-8f : r;
  return weft__signed(y, x);
}
WEFT_INLINE float weft__acosf(float x) {
  const float a = weft__absf(x);
  const float rest = 0.5f * (1.0f - a);
  const float z = a > 0.5f ? rest : a * a;
  const float s = __builtin_sqrtf(z);
  const float r = weft__asin_near(a > 0.5f ? s : a, z);
  const float far = x < 0.0f ? (3.14159274f - 2.0f * r) - 8.74227766e-8f : 2.0f * r;
  return a > 0.5f ? far : (1.57079637f - weft__signed(r, x)) - 4.37113883e-8f;
}
WEFT_INLINE float weft__atanf(float x) {
  const float a = weft__absf(x);
  const float t = a > 1.0f ? 1.0f / a : a;
  const float s = t * t;
  float p = WEFT_FMA(0.00292069255f, s, -0.0163679291f);
  p = WEFT_FMA(p, s, 0.0432118624f);
  p = WEFT_FMA(p, s, -0.0755221471f);
  p = WEFT_FMA(p, s, 0.106660046f);
  p = WEFT_FMA(p, s, -0.142110556f);
  p = WEFT_FMA(p, s, 0.199937731f);
  p = WEFT_FMA(p, s, -0.333331525f);
  const float r = WEFT_FMA(p * s, t, t);
  return weft__signed(a > 1.0f ? (1.57079637f - r) - 4.37113883e-8f : r, x);
}

// log(1 + u) for u >= 0; where x is large, log 2x, which u may be too large for.
WEFT_INLINE float weft__log_either(float u, float x) {
  const float w = 1.0f + u;
  const float d = w - 1.0f;
  const float lost = (u - d) / w;
  const float y = weft__logf(x < 4096.0f ? w : x) + (x < 4096.0f ? lost : 0.693147181f);
  return x < 4096.0f && d == 0.0f ? u : y;
}
WEFT_INLINE float weft__asinhf(float x) {
  const float a = weft__absf(x);
  const float s = a * a;
  return weft__signed(weft__log_either(a + s / (1.0f + __builtin_sqrtf(1.0f + s)), a), x);
}
WEFT_INLINE float weft__acoshf(float x) {
  const float t = x - 1.0f;
  const float y = weft__log_either(t + __builtin_sqrtf(WEFT_FMA(t, t, 2.0f * t)), x);
  return x < 1.0f ? __builtin_nanf("") : y;
}
WEFT_INLINE float weft__atanhf(float x) {
  const float a = weft__absf(x);
  return weft__signed(0.5f * weft__log1pf(2.0f * a / (1.0f - a)), x);
}
WEFT_INLINE float weft__sinhf(float x) {
  const float a = weft__absf(x);
  const float m = weft__expm1f(a);
  const float h = weft__expf(0.5f * a);
  const float y = a > 88.0f ? 0.5f * h * h : 0.5f * (m + m / (m + 1.0f));
  return weft__signed(y, x);
}
WEFT_INLINE float weft__coshf(float x) {
  const float a = weft__absf(x);
  const float e = weft__expf(a);
  const float h = weft__expf(0.5f * a);
  return a > 88.0f ? 0.5f * h * h : WEFT_FMA(0.5f, e, 0.5f / e);
}
// Of |x| <= 1e6.
WEFT_INLINE float weft__tan_near(float x) {
  const weft__quarter v = weft__quarter_of(x);
  return (float)(v.k & 1 ? -v.cos / v.sin : v.sin / v.cos);
}

// The remainder of |x| by |z|: exact where the quotient is below 2^29 and z is finite, so that their product
// fits a double. The quotient is rounded to an integer, one too much at most.
WEFT_INLINE float weft__remainder_near(float x, float z, uint32_t *out_far) {
  const double a = (double)weft__absf(x);
  const double b = (double)weft__absf(z);
  const double q = a / b;
  const double whole = (q + 4503599627370496.0) - 4503599627370496.0;
  const double r = a - whole * b;
  *out_far = !(q < 536870912.0) || !(b < 3.5e38);
  return weft__signed((float)(r < 0 ? r + b : r), x);
}
// SPDX-License-Identifier: Apache-2.0
