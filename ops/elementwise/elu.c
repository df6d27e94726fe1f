// ops/elementwise/elu.c - y = scale * x for x > 0, otherwise scale * alpha * (e^(input_scale * x) - 1).
// AscendIR Elu, ONNX Elu-22.
// NaN stays; -inf gives -scale * alpha.
#include "numeric.h"

enum { ALPHA, SCALE, INPUT_SCALE };

static double elu_f64(double x, const double *p) {
  return p[1] * (x > 0 ? x : p[0] * expm1(p[2] * x));
}
static weft_status elu_ref(const weft_call *c) {
  const double p[3] = {(double)weft_node_float(c->desc, ALPHA), (double)weft_node_float(c->desc, SCALE),
                       (double)weft_node_float(c->desc, INPUT_SCALE)};
  return weft__unary_with(c, &(weft_unary_with){.f = elu_f64, .p = p});
}

WEFT_OP(elu) = {
    WEFT_UNARY_PROTO("Elu", WEFT_FLOATS),
    .summary = "y = scale * x for x > 0, otherwise scale * alpha * (e^(input_scale * x) - 1)",
    .attrs = ATTRS({"alpha", "Float", "1.0"}, {"scale", "Float", "1.0"}, {"input_scale", "Float", "1.0"}),
    .ref = elu_ref,
    .examples = WEFT_EXAMPLES(
        "f32[7]{1,0,-1,-20,inf,-inf,nan} -> f32[7]{1,0,-0.632120559,-0.999999998,inf,-1,nan} ~1e-6",
        "f32[2]{2,-1} alpha=2 scale=3 input_scale=0.5 -> f32[2]{6,-2.36081604} ~1e-6",
        "f16[1]{-1} -> f16[1]{-0.6323242}", "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]",
        "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
