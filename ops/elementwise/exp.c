// ops/elementwise/exp.c - y = base^(shift + scale * x); base -1 is e.   AscendIR Exp, ONNX Exp-13.
// inf gives inf, -inf gives 0, NaN stays.
#include "numeric.h"

enum { BASE, SCALE, SHIFT };

static double exp_f64(double x, const double *p) {
  return exp((p[2] + p[1] * x) * p[0]);
}
static void exp_c128(double z[2], const double *p) {
  z[0] = (p[2] + p[1] * z[0]) * p[0];
  z[1] *= p[1] * p[0];
  weft__apply_complex(z, cexp);
}
static weft_status exp_ref(const weft_call *c) {
  double base = (double)weft_node_float(c->desc, BASE);
  const double p[3] = {base == -1 ? 1 : log(base), (double)weft_node_float(c->desc, SCALE),
                       (double)weft_node_float(c->desc, SHIFT)};
  return weft__unary_with(c, &(weft_unary_with){exp_f64, exp_c128, p});
}
static weft_status exp_infer(weft_infer *it) {
  double base = (double)weft_node_float(it->desc, BASE);
  if (base != -1 && !(base > 0))
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'base': expected -1 (e) or a number > 0, got %g", base);
  return weft__infer_same(it);
}

WEFT_OP(exp) = {
    WEFT_OP_HEAD,
    .name = "Exp",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_SET_UNARY}),
    .summary = "y = base^(shift + scale * x); base -1 is e",
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE | WEFT_INPLACE,
    .attrs = ATTRS({"base", "Float", "-1.0"}, {"scale", "Float", "1.0"}, {"shift", "Float", "0.0"}),
    .infer = exp_infer,
    .ref = exp_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{0,1,-2.5,1000,-inf,nan} -> f32[6]{1,2.71828183,0.0820849986,inf,0,nan} ~1e-6",
        "f32[3]{0,3,-1} base=2 scale=1 shift=1 -> f32[3]{2,16,1} ~1e-6",
        "f32[1]{4} scale=0.5 -> f32[1]{7.3890561} ~1e-6", "f16[1]{1} -> f16[1]{2.71875}",
        "c64[1]{(0,3.1415927)} -> c64[1]{(-1,0)} ~1e-6", "f32[1]{1} base=0 !! E_RANGE attribute 'base'",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
