// recurrent_math.h - tanh for gates: fewer instructions than that of vector_math.h, a bit or two less exact.
// A quotient of polynomials of x^2, within 3.5e-7 of its value, never outside [-1, 1]. NaN stays NaN.
#pragma once
#include "cpu/simd/vector_math.h"

// Coefficients from the highest power of x^2 down; F(c) makes a constant, M(a, b, c) is a * b + c.
#define WEFT_GATE_TANH_P(F, M, s) \
  M(M(M(M(F(1.3354351e-08f), s, F(2.0608852e-05f)), s, F(0.003495574f)), s, F(0.13381013f)), s, F(1.0f))
#define WEFT_GATE_TANH_Q(F, M, s) \
  M(M(M(M(F(7.776429e-07f), s, F(0.00032856117f)), s, F(0.025876928f)), s, F(0.4671433f)), s, F(1.0f))
#define WEFT_SAME(x) (x)

WEFT_INLINE float weft__gate_tanhf(float x) {
  float v = x < -9.0f ? -9.0f : x;
  v = v > 9.0f ? 9.0f : v;
  const float s = v * v;
  float y = v * WEFT_GATE_TANH_P(WEFT_SAME, WEFT_FMA, s) / WEFT_GATE_TANH_Q(WEFT_SAME, WEFT_FMA, s);
  y = y < -1.0f ? -1.0f : y;
  return y > 1.0f ? 1.0f : y;
}
// SPDX-License-Identifier: Apache-2.0
