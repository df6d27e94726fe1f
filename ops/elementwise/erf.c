// ops/elementwise/erf.c - y = the error function of x.   AscendIR Erf, ONNX Erf-13.
// Infinities give +-1.
#include "op.h"

static double erf_f64(double x) {
  return erf(x);
}
static weft_status erf_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = erf_f64});
}

WEFT_OP(erf) = {
    WEFT_UNARY_PROTO("Erf", WEFT_FLOATS),
    .summary = "y = the error function of x",
    .ref = erf_ref,
    .examples = WEFT_EXAMPLES(
        "f32[7]{0,0.5,-1,3,inf,-inf,nan} -> f32[7]{0,0.520499878,-0.842700793,0.99997791,1,-1,nan} ~1e-6",
        "f16[1]{0.5} -> f16[1]{0.520507812}", "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]",
        "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
