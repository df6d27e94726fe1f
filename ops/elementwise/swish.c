// ops/elementwise/swish.c - y = x / (1 + e^(-scale * x)).   AscendIR Swish, ONNX Swish-24.
// NaN stays; -inf gives NaN with a positive scale (-inf / inf), as the formula does.
#include "numeric.h"

enum { SCALE };

static double swish_f64(double x, const double *p) {
  return x / (1 + exp(-p[0] * x));
}
static weft_status swish_ref(const weft_call *c) {
  const double p[1] = {(double)weft_node_float(c->desc, SCALE)};
  return weft__unary_with(c, &(weft_unary_with){.f = swish_f64, .p = p});
}

WEFT_OP(swish) = {
    WEFT_UNARY_PROTO("Swish", WEFT_FLOATS),
    .summary = "y = x / (1 + e^(-scale * x))",
    .attrs = ATTRS({"scale", "Float", "1.0"}),
    .ref = swish_ref,
    .examples =
        WEFT_EXAMPLES("f32[6]{0,1,-2,100,inf,nan} -> f32[6]{0,0.731058579,-0.238405844,100,inf,nan} ~1e-6",
                      "f32[2]{1,-2} scale=0.5 -> f32[2]{0.622459331,-0.537882843} ~1e-6",
                      "f16[1]{1} -> f16[1]{0.73095703125}", "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]",
                      "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
