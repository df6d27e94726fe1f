// ops/elementwise/selu.c - y = gamma * x for x > 0, otherwise gamma * alpha * (e^x - 1).
// AscendIR Selu, ONNX Selu-22.
// NaN stays; -inf gives -gamma * alpha. Integers are truncated. ONNX's attributes are ext.
#include "numeric.h"

enum { ALPHA, GAMMA };

static double selu_f64(double x, const double *p) {
  return p[1] * (x > 0 ? x : p[0] * expm1(x));
}
static weft_status selu_ref(const weft_call *c) {
  const double p[2] = {(double)weft_node_float(c->desc, ALPHA), (double)weft_node_float(c->desc, GAMMA)};
  return weft__unary_with(c, &(weft_unary_with){.f = selu_f64, .p = p});
}

WEFT_OP(selu) = {
    WEFT_UNARY_PROTO("Selu", WEFT_FLOATS | WEFT_DT(INT8) | WEFT_DT(INT32)),
    .summary = "y = gamma * x for x > 0, otherwise gamma * alpha * (e^x - 1)",
    .attrs = ATTRS({"alpha", "Float", "1.67326324", .ext = 1}, {"gamma", "Float", "1.05070102", .ext = 1}),
    .ref = selu_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{1,0,-1,-20,inf,nan} -> f32[6]{1.05070102,0,-1.11133074,-1.75809934,inf,nan} ~1e-6",
        "f32[2]{2,-1} alpha=2 gamma=3 -> f32[2]{6,-3.79272335} ~1e-6", "i32[3]{-5,0,10} -> i32[3]{-1,0,10}",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
