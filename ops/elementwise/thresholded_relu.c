// ops/elementwise/thresholded_relu.c - y = x for x > alpha, otherwise 0.   AscendIR ThresholdedRelu, ONNX
// ThresholdedRelu-22. NaN gives 0: the comparison does not hold.
#include "numeric.h"

enum { ALPHA };

static double thresholded_relu_f64(double x, const double *p) {
  return x > p[0] ? x : 0;
}
static weft_status thresholded_relu_ref(const weft_call *c) {
  const double alpha = (double)weft_node_float(c->desc, ALPHA);
  return weft__unary_with(c, &(weft_unary_with){.f = thresholded_relu_f64, .p = &alpha});
}

WEFT_OP(thresholded_relu) = {
    WEFT_UNARY_PROTO("ThresholdedRelu", WEFT_FLOATS),
    .summary = "y = x for x > alpha, otherwise 0",
    .attrs = ATTRS({"alpha", "Float", "1.0"}),
    .ref = thresholded_relu_ref,
    .examples = WEFT_EXAMPLES("f32[6]{-1,0.5,1,1.5,inf,nan} -> f32[6]{0,0,0,1.5,inf,0}",
                              "f32[3]{-3,-1,2} alpha=-2.0 -> f32[3]{0,-1,2}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "i32[1]{1} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
