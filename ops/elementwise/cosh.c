// ops/elementwise/cosh.c - y = the hyperbolic cosine of x.   AscendIR Cosh, ONNX Cosh-22.
// Both infinities give inf.
#include "numeric.h"

static double cosh_f64(double x) {
  return cosh(x);
}
static void cosh_c128(double z[2]) {
  weft__apply_complex(z, ccosh);
}
static weft_status cosh_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = cosh_f64, .c = cosh_c128});
}

WEFT_OP(cosh) = {
    WEFT_UNARY_PROTO("Cosh", WEFT_SET_UNARY),
    .summary = "y = the hyperbolic cosine of x",
    .ref = cosh_ref,
    .examples = WEFT_EXAMPLES(
        "f32[5]{0,1,-2.5,-inf,nan} -> f32[5]{1,1.54308063,6.13228948,inf,nan} ~1e-6",
        "f16[1]{1} -> f16[1]{1.54296875}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.609258909,0.43848658),(3.64523814,0.897299625)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
