// ops/elementwise/mish.c - y = x * tanh(ln(1 + e^x)).   AscendIR Mish, ONNX Mish-22.
// NaN stays; -inf gives NaN (-inf * 0), as the formula does.
#include "op.h"

static double mish_f64(double x) {
  return x != x ? x : x * tanh(fmax(x, 0) + log1p(exp(-fabs(x))));
}
static weft_status mish_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = mish_f64});
}

WEFT_OP(mish) = {
    WEFT_UNARY_PROTO("Mish", WEFT_FLOATS),
    .summary = "y = x * tanh(ln(1 + e^x))",
    .ref = mish_ref,
    .examples =
        WEFT_EXAMPLES("f32[6]{0,1,-2,100,inf,nan} -> f32[6]{0,0.865098388,-0.252501483,100,inf,nan} ~1e-6",
                      "f16[1]{1} -> f16[1]{0.865234375}", "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]",
                      "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
