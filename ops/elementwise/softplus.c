// ops/elementwise/softplus.c - y = ln(1 + e^x).   AscendIR Softplus, ONNX Softplus-22.
// Written so that large x does not overflow: inf gives inf, -inf gives 0.
#include "op.h"

static double softplus_f64(double x) {
  return x != x ? x : fmax(x, 0) + log1p(exp(-fabs(x)));
}
static weft_status softplus_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = softplus_f64});
}

WEFT_OP(softplus) = {
    WEFT_UNARY_PROTO("Softplus", WEFT_FLOATS),
    .summary = "y = ln(1 + e^x)",
    .ref = softplus_ref,
    .examples = WEFT_EXAMPLES("f32[7]{0,1,-20,1000,inf,-inf,nan} -> "
                              "f32[7]{0.693147181,1.31326169,2.06115362e-09,1000,inf,0,nan} ~1e-6",
                              "f16[1]{1} -> f16[1]{1.31347656}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
