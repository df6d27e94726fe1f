// ops/special/bessel.c - Bessel's functions of orders 0 and 1: those of the first and second kind (libm), and
// the modified ones of the second kind.   weft's own; TensorFlow BesselJ0 and the like.
// kind: j0 j1 y0 y1 k0 k1; k0e and k1e are k0 and k1 times e^x. Below 0 y and k are NaN.
#include "numeric.h"
#include "op.h"

// e^x K_n(x), the integral of e^(-x (cosh t - 1)) cosh(n t) from 0 to infinity: the trapezoidal rule, whose
// error falls as e^(-pi^2 / h) for what decays like this.
static double bessel_ke(double x, int n) {
  const double h = 0.1;
  double sum = 0.5;
  if (isnan(x) || x < 0)
    return NAN;
  if (x == 0)
    return INFINITY;
  if (isinf(x))
    return 0;
  for (int i = 1; i < 8000; i++) {
    const double s = sinh(i * h / 2);
    const double term = exp(-2 * x * s * s) * (n ? cosh(i * h) : 1);
    sum += term;
    if (2 * x * s * s > 60)
      break;
  }
  return sum * h;
}
static double bessel_k0e(double x) {
  return bessel_ke(x, 0);
}
static double bessel_k1e(double x) {
  return bessel_ke(x, 1);
}
static double bessel_k0(double x) {
  return bessel_ke(x, 0) * exp(-x);
}
static double bessel_k1(double x) {
  return bessel_ke(x, 1) * exp(-x);
}
static double bessel_y0(double x) {
  return x < 0 ? NAN : y0(x);
}
static double bessel_y1(double x) {
  return x < 0 ? NAN : y1(x);
}

enum { KIND };  // attribute slots

static weft_status bessel_ref(const weft_call *c) {
  static const struct {
    const char *kind;
    weft_unary of;
  } functions[] = {{"j0", {.f = j0}},          {"j1", {.f = j1}},         {"y0", {.f = bessel_y0}},
                   {"y1", {.f = bessel_y1}},   {"k0", {.f = bessel_k0}},  {"k1", {.f = bessel_k1}},
                   {"k0e", {.f = bessel_k0e}}, {"k1e", {.f = bessel_k1e}}};
  const char *kind = weft_node_str(c->desc, KIND);
  for (size_t i = 0; i < WEFT_COUNT(functions); i++) {
    if (!strcmp(functions[i].kind, kind))
      return weft__unary(c, &functions[i].of);
  }
  return weft_fail(c->d, WEFT_E_INVALID, "attribute 'kind': '%.20s' is none of Bessel's functions", kind);
}

WEFT_OP(bessel) = {
    WEFT_UNARY_PROTO("Bessel", WEFT_FLOATS),
    .attrs = ATTRS({"kind", "String", NULL, "one of j0|j1|y0|y1|k0|k1|k0e|k1e"}),
    .summary = "Bessel's functions of orders 0 and 1",
    .ref = bessel_ref,
    .examples = WEFT_EXAMPLES(
        "f32[3]{0,1,-2} kind=\"j0\" -> f32[3]{1,0.7651977,0.2238908} ~1e-6",
        "f32[2]{1,-2} kind=\"j1\" -> f32[2]{0.4400506,-0.5767248} ~1e-6",
        "f32[3]{1,0,-1} kind=\"y0\" -> f32[3]{0.08825696,-inf,nan} ~1e-6",
        "f32[1]{2} kind=\"y1\" -> f32[1]{-0.1070324} ~1e-6",
        "f32[4]{0.001,1,0,-1} kind=\"k0\" -> f32[4]{7.023689,0.4210244,inf,nan} ~1e-6",
        "f64[2]{0.001,5} kind=\"k1\" -> f64[2]{999.9962381560855,0.004044613445452164} ~1e-12",
        "f32[2]{1,100} kind=\"k0e\" -> f32[2]{1.144463,0.1251756} ~1e-6",
        "f32[N] kind=\"k1e\" -> f32[N]", "f32[1]{1} kind=\"j2\" !! E_RANGE Invalid kind"),
};
// SPDX-License-Identifier: Apache-2.0
