// ops/elementwise/leaky_relu.c - y = x for x >= 0, otherwise negative_slope * x.
// AscendIR LeakyRelu, ONNX LeakyRelu-16.
// NaN stays. The slope is 0 by default; ONNX's is 0.01.
#include "numeric.h"

enum { SLOPE };

static double leaky_relu_f64(double x, const double *p) {
  return x < 0 ? p[0] * x : x;
}
static weft_status leaky_relu_ref(const weft_call *c) {
  const double p[1] = {(double)weft_node_float(c->desc, SLOPE)};
  return weft__unary_with(c, &(weft_unary_with){.f = leaky_relu_f64, .p = p});
}

WEFT_OP(leaky_relu) = {
    WEFT_UNARY_PROTO("LeakyRelu", WEFT_FLOATS),
    .summary = "y = x for x >= 0, otherwise negative_slope * x",
    .attrs = ATTRS({"negative_slope", "Float", "0.0"}),
    .ref = leaky_relu_ref,
    .examples = WEFT_EXAMPLES("f32[5]{1,-2,0,-inf,nan} negative_slope=0.5 -> f32[5]{1,-1,0,-inf,nan}",
                              "f32[2]{-2,3} -> f32[2]{-0.0,3}",
                              "f16[1]{-3} negative_slope=0.25 -> f16[1]{-0.75}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
