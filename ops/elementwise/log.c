// ops/elementwise/log.c - y = log to `base` of (shift + scale * x); base -1 is e.
// AscendIR Log, ONNX Log-13.
// 0 gives -inf, negative numbers NaN. Integers and bool give FLOAT.
#include "numeric.h"

enum { BASE, SCALE, SHIFT };

static double log_f64(double x, const double *p) {
  return log(p[2] + p[1] * x) / p[0];
}
static void log_c128(double z[2], const double *p) {
  z[0] = p[2] + p[1] * z[0];
  z[1] *= p[1];
  weft__apply_complex(z, clog);
  z[0] /= p[0];
  z[1] /= p[0];
}
static weft_status log_ref(const weft_call *c) {
  double base = (double)weft_node_float(c->desc, BASE);
  const double p[3] = {base == -1 ? 1 : log(base), (double)weft_node_float(c->desc, SCALE),
                       (double)weft_node_float(c->desc, SHIFT)};
  return weft__unary_with(c, &(weft_unary_with){log_f64, log_c128, p});
}
static weft_status log_infer(weft_infer *it) {
  double base = (double)weft_node_float(it->desc, BASE);
  if (base != -1 && !(base > 0))
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'base': expected -1 (e) or a number > 0, got %g", base);
  it->out_dtype[0] = WEFT_SET_UNARY & WEFT_BIT(it->in_dtype[0]) ? it->in_dtype[0] : (weft_dtype)WEFT_FLOAT;
  return weft__infer_same(it);
}

WEFT_OP(log) = {
    WEFT_OP_HEAD,
    .name = "Log",
    .in = PORTS({"x", NULL, WEFT_SET_UNARY | WEFT_SET_INTEGER | WEFT_DT(BOOL)}),
    .out = PORTS({"y", NULL, WEFT_SET_UNARY}),
    .summary = "y = log to `base` of (shift + scale * x); base -1 is e",
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .attrs = ATTRS({"base", "Float", "-1.0"}, {"scale", "Float", "1.0"}, {"shift", "Float", "0.0"}),
    .infer = log_infer,
    .ref = log_ref,
    .examples = WEFT_EXAMPLES("f32[6]{1,2.5,0,-1,inf,nan} -> f32[6]{0,0.916290732,-inf,nan,inf,nan} ~1e-6",
                              "f32[2]{8,0.5} base=2 -> f32[2]{3,-1} ~1e-6",
                              "f32[1]{3} scale=2 shift=1 -> f32[1]{1.94591015} ~1e-6",
                              "i32[2]{1,2} -> f32[2]{0,0.693147181} ~1e-6", "f16[1]{2} -> f16[1]{0.6933594}",
                              "c64[1]{(0,1)} -> c64[1]{(0,1.57079633)} ~1e-6",
                              "f32[1]{1} base=-2 !! E_RANGE attribute 'base'", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
