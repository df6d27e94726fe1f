// ops/elementwise/softsign.c - y = x / (1 + |x|).   AscendIR Softsign, ONNX Softsign-22.
// Infinities give NaN, as the formula does.
#include "op.h"

static double softsign_f64(double x) {
  return x / (1 + fabs(x));
}
static weft_status softsign_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = softsign_f64});
}

WEFT_OP(softsign) = {
    WEFT_UNARY_PROTO("Softsign", WEFT_FLOATS),
    .summary = "y = x / (1 + |x|)",
    .ref = softsign_ref,
    .examples = WEFT_EXAMPLES("f32[5]{0,1,-3,inf,nan} -> f32[5]{0,0.5,-0.75,nan,nan} ~1e-6",
                              "f16[1]{2} -> f16[1]{0.666503906}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
