// ops/special/bessel.c - Bessel functions that AscendIR does not have: J, Y and K of order 0 and 1, e^x K.
//   weft's own; the names are TensorFlow's.
// J and Y are libm's. K_n(x) is the integral of e^(-x cosh t) cosh(n t) over t from 0 on (DLMF 10.32.9),
// summed at equal steps, which errs by e^-40 where a step is short for the width of the integrand. Y and K
// have a pole at 0 and are NaN below. In double, NaN stays. At infinity J and Y are NaN, as TensorFlow,
// PyTorch and MindSpore have them, though their limit is 0.
#define _DEFAULT_SOURCE 1  // j0, j1, y0, y1
#include "numeric.h"

static double bessel_j0(double x) {
  return isinf(x) ? NAN : j0(x);
}
static double bessel_j1(double x) {
  return isinf(x) ? NAN : j1(x);
}
static double bessel_y0(double x) {
  return x < 0 || isinf(x) ? NAN : x == 0 ? -INFINITY : y0(x);
}
static double bessel_y1(double x) {
  return x < 0 || isinf(x) ? NAN : x == 0 ? -INFINITY : y1(x);
}

// e^x K_n(x) of positive numbers.
static double bessel_ke_sum(double x, int n) {
  double step = fmin(0.22, 0.6 / sqrt(x));
  double sum = 0.5;
  for (int i = 1; i < 4096; i++) {
    double half = sinh(i * step / 2);
    double decay = 2 * x * half * half;  // x (cosh t - 1)
    double term = exp(-decay) * (n ? cosh(i * step) : 1);
    sum += term;
    if (decay > 1 && term < 1e-18 * sum)
      break;
  }
  return sum * step;
}
static double bessel_ke(double x, int n) {
  if (isnan(x) || x < 0)
    return NAN;
  if (x == 0 || isinf(x))
    return x == 0 ? INFINITY : 0;
  if (x < 1e-8)  // the first terms of the power series
    return exp(x) * (n ? 1 / x : -log(x / 2) - 0.57721566490153286061);
  return bessel_ke_sum(x, n);
}
static double bessel_k0e(double x) {
  return bessel_ke(x, 0);
}
static double bessel_k1e(double x) {
  return bessel_ke(x, 1);
}
static double bessel_k0(double x) {
  return isinf(x) && x > 0 ? 0 : exp(-x) * bessel_ke(x, 0);
}
static double bessel_k1(double x) {
  return isinf(x) && x > 0 ? 0 : exp(-x) * bessel_ke(x, 1);
}

static weft_status bessel_ref(const weft_call *c) {
  return weft__unary(c, c->desc->op->user);
}

#define BESSEL_PROTO(op_name, says, function)                                     \
  WEFT_UNARY_PROTO(op_name, WEFT_FLOATS), .summary = says, .ref = bessel_ref, \
      .user = &(const weft_unary){.f = function}

WEFT_OP(bessel_j0) = {
    BESSEL_PROTO("BesselJ0", "Bessel's function of the first kind, of order 0", bessel_j0),
    .examples = WEFT_EXAMPLES("f32[4]{0,1,-2.5,nan} -> f32[4]{1,0.76519769,-0.04838378,nan} ~1e-6",
                              "f32[2]{inf,-inf} -> f32[2]{nan,nan}",
                              "f64[2]{10,inf} -> f64[2]{-0.24593576445134835,nan} ~1e-12", "f16[N] -> f16[N]",
                              "i32[1]{1} !! E_DTYPE input 'x'"),
};
WEFT_OP(bessel_j1) = {
    BESSEL_PROTO("BesselJ1", "Bessel's function of the first kind, of order 1", bessel_j1),
    .examples = WEFT_EXAMPLES("f32[4]{0,1,-1,nan} -> f32[4]{0,0.44005059,-0.44005059,nan} ~1e-6",
                              "f32[2]{inf,-inf} -> f32[2]{nan,nan}",
                              "f64[1]{10} -> f64[1]{0.04347274616886144} ~1e-12", "bf16[N] -> bf16[N]",
                              "i32[1]{1} !! E_DTYPE input 'x'"),
};
WEFT_OP(bessel_y0) = {
    BESSEL_PROTO("BesselY0", "Bessel's function of the second kind, of order 0", bessel_y0),
    .examples = WEFT_EXAMPLES("f32[2]{inf,-inf} -> f32[2]{nan,nan}",
                              "f32[4]{0,1,-1,nan} -> f32[4]{-inf,0.08825696,nan,nan} ~1e-6",
                              "f64[1]{10} -> f64[1]{0.05567116728359939} ~1e-12", "f32[0,3] -> f32[0,3]",
                              "i32[1]{1} !! E_DTYPE input 'x'"),
};
WEFT_OP(bessel_y1) = {
    BESSEL_PROTO("BesselY1", "Bessel's function of the second kind, of order 1", bessel_y1),
    .examples = WEFT_EXAMPLES("f32[2]{inf,-inf} -> f32[2]{nan,nan}",
                              "f32[4]{0,1,-1,nan} -> f32[4]{-inf,-0.78121282,nan,nan} ~1e-6",
                              "f64[1]{10} -> f64[1]{0.24901542420695388} ~1e-12", "f32[N] -> f32[N]",
                              "i32[1]{1} !! E_DTYPE input 'x'"),
};
WEFT_OP(bessel_k0) = {
    BESSEL_PROTO("BesselK0", "the modified Bessel function of the second kind, of order 0", bessel_k0),
    .examples = WEFT_EXAMPLES("f32[5]{0,1,-1,inf,nan} -> f32[5]{inf,0.42102444,nan,0,nan} ~1e-6",
                              "f64[3]{1e-10,0.1,3} -> f64[3]{23.141782445598870,2.4270690247020166,"
                              "0.03473950438627925} ~1e-12",
                              "f32[N] -> f32[N]",
                              "i32[1]{1} !! E_DTYPE input 'x'"),
};
WEFT_OP(bessel_k1) = {
    BESSEL_PROTO("BesselK1", "the modified Bessel function of the second kind, of order 1", bessel_k1),
    .examples = WEFT_EXAMPLES("f32[5]{0,1,-1,inf,nan} -> f32[5]{inf,0.60190723,nan,0,nan} ~1e-6",
                              "f64[2]{0.1,3} -> f64[2]{9.853844780870606,0.04015643112819418} ~1e-12",
                              "f32[N] -> f32[N]",
                              "i32[1]{1} !! E_DTYPE input 'x'"),
};
WEFT_OP(bessel_k0e) = {
    BESSEL_PROTO("BesselK0e", "e^x K0(x)", bessel_k0e),
    .examples = WEFT_EXAMPLES("f32[5]{0,1,-1,inf,nan} -> f32[5]{inf,1.1444631,nan,0,nan} ~1e-6",
                              "f64[1]{1000} -> f64[1]{0.03962832160075422} ~1e-12", "f32[N] -> f32[N]",
                              "i32[1]{1} !! E_DTYPE input 'x'"),
};
WEFT_OP(bessel_k1e) = {
    BESSEL_PROTO("BesselK1e", "e^x K1(x)", bessel_k1e),
    .examples = WEFT_EXAMPLES("f32[5]{0,1,-1,inf,nan} -> f32[5]{inf,1.6361535,nan,0,nan} ~1e-6",
                              "f64[1]{1000} -> f64[1]{0.03964813081296021} ~1e-12", "f32[N] -> f32[N]",
                              "i32[1]{1} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
