// ops/special/airy_ai.c - Airy's function Ai: the solution of y'' = x y that goes to 0.   weft's own.
// Near 0 its power series. Elsewhere Ai(z) = e^(-2/3 z^1.5) / pi times the integral of
// e^(-sqrt(z) t^2) cos(t^3 / 3) over t from 0 on (DLMF 9.5.6), summed at equal steps; at a negative x by
// Ai(-x) = 2 Re(e^(-i pi/3) Ai(x e^(-i pi/3))). NaN stays; infinite numbers give NaN, as PyTorch has it.
#include "numeric.h"

static double airy_near(double x) {
  double f = 1;
  double g = x;
  double a = 1;
  double b = x;
  double cube = x * x * x;
  for (int k = 1; k < 60; k++) {
    a *= cube / ((3.0 * k - 1) * (3.0 * k));
    b *= cube / ((3.0 * k) * (3.0 * k + 1));
    f += a;
    g += b;
  }
  return 0.35502805388781723926 * f - 0.25881940379280679840 * g;
}

static double complex airy_far(double complex z) {
  double complex root = csqrt(z);
  double a = creal(root);
  double step = fmin(0.1 * a, 0.35 / sqrt(a));
  double complex sum = 0.5;
  for (int i = 1; i < 4096; i++) {
    double t = i * step;
    double complex decay = cexp(-root * t * t);
    sum += decay * cos(t * t * t / 3);
    if (a * t * t > 45)
      break;
  }
  return cexp(-2.0 / 3 * z * root) * sum * step / 3.14159265358979323846;
}

static double airy_ai(double x) {
  if (isnan(x) || isinf(x))
    return NAN;
  if (fabs(x) < 2.5)
    return airy_near(x);
  if (x > 0)
    return creal(airy_far(x));
  double complex turn = 0.5 - 0.86602540378443864676 * I;
  return 2 * creal(turn * airy_far(-x * turn));
}

static weft_status airy_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = airy_ai});
}

WEFT_OP(airy_ai) = {
    WEFT_UNARY_PROTO("AiryAi", WEFT_FLOATS),
    .summary = "Airy's function Ai",
    .ref = airy_ref,
    .examples =
        WEFT_EXAMPLES("f32[4]{0,1,-1,nan} -> f32[4]{0.35502805,0.13529242,0.53556088,nan} ~1e-6",
                      "f64[4]{3,-3,10,-10} -> f64[4]{0.006591139357460719,-0.3788142936776581,"
                      "1.1047532552898687e-10,0.04024123848644319} ~1e-12",
                      "f32[2]{inf,-inf} -> f32[2]{nan,nan}", "f16[N] -> f16[N]",
                      "i32[1]{1} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
