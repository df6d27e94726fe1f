// ops/elementwise/hard_sigmoid.c - y = min(max(alpha * x + beta, 0), 1).
// AscendIR HardSigmoid, ONNX HardSigmoid-22.
// NaN stays. INT32 gives FLOAT. alpha is 1/6 by default; ONNX's is 0.2.
#include "numeric.h"

enum { ALPHA, BETA };

static double hard_sigmoid_f64(double x, const double *p) {
  double v = p[0] * x + p[1];
  return v < 0 ? 0 : v > 1 ? 1 : v;
}
static weft_status hard_sigmoid_ref(const weft_call *c) {
  const double p[2] = {(double)weft_node_float(c->desc, ALPHA), (double)weft_node_float(c->desc, BETA)};
  return weft__unary_with(c, &(weft_unary_with){.f = hard_sigmoid_f64, .p = p});
}
static weft_status hard_sigmoid_infer(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0] == WEFT_INT32 ? (weft_dtype)WEFT_FLOAT : it->in_dtype[0];
  return weft__infer_same(it);
}

WEFT_OP(hard_sigmoid) = {
    WEFT_OP_HEAD,
    .name = "HardSigmoid",
    .in = PORTS({"input_x", NULL, WEFT_FLOATS | WEFT_DT(INT32)}),
    .out = PORTS({"output_y", NULL, WEFT_FLOATS}),
    .summary = "y = min(max(alpha * x + beta, 0), 1)",
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .attrs = ATTRS({"alpha", "Float", "0.16666666"}, {"beta", "Float", "0.5"}),
    .infer = hard_sigmoid_infer,
    .ref = hard_sigmoid_ref,
    .examples = WEFT_EXAMPLES("f32[7]{0,3,-4,1.5,inf,-inf,nan} -> f32[7]{0.5,1,0,0.75,1,0,nan} ~1e-6",
                              "f32[2]{1,-1} alpha=0.25 beta=0.5 -> f32[2]{0.75,0.25}",
                              "i32[3]{-5,0,5} -> f32[3]{0,0.5,1}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "i64[1]{1} !! E_DTYPE input 'input_x'"),
};
// SPDX-License-Identifier: Apache-2.0
