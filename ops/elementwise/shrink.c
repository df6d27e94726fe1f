// ops/elementwise/shrink.c - y = x + bias for x < -lambd, x - bias for x > lambd, otherwise 0.
// AscendIR Shrink, ONNX Shrink-9.
// NaN gives 0: neither comparison holds. Integers are computed in double and truncated.
#include "numeric.h"

enum { LAMBD, BIAS };

static double shrink_f64(double x, const double *p) {
  return x < -p[0] ? x + p[1] : x > p[0] ? x - p[1] : 0;
}
static weft_status shrink_ref(const weft_call *c) {
  const double p[2] = {(double)weft_node_float(c->desc, LAMBD), (double)weft_node_float(c->desc, BIAS)};
  return weft__unary_with(c, &(weft_unary_with){.f = shrink_f64, .p = p});
}

WEFT_OP(shrink) = {
    WEFT_OP_HEAD,
    .name = "Shrink",
    .in = PORTS({"input_x", "T"}),
    .out = PORTS({"output_y", "T"}),
    .types = TYPES({"T", WEFT_NUMBERS}),
    .summary = "y = x + bias for x < -lambd, x - bias for x > lambd, otherwise 0",
    .attrs = ATTRS({"lambd", "Float", "0.5"}, {"bias", "Float", "0.0"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE | WEFT_INPLACE,
    .infer = weft__infer_same,
    .ref = shrink_ref,
    .examples = WEFT_EXAMPLES("f32[7]{-2,-1.5,-1,0,1,1.5,nan} lambd=1.0 -> f32[7]{-2,-1.5,0,0,0,1.5,0}",
                              "f32[5]{-2,-1,0,1,2} lambd=1.5 bias=1.5 -> f32[5]{-0.5,0,0,0,0.5}",
                              "u8[3]{0,1,9} lambd=1.5 bias=1.5 -> u8[3]{0,0,7}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'input_x'"),
};
// SPDX-License-Identifier: Apache-2.0
