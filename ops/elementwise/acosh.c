// ops/elementwise/acosh.c - y = the inverse hyperbolic cosine of x.   AscendIR Acosh, ONNX Acosh-22.
// Below 1 NaN.
#include "numeric.h"

static double acosh_f64(double x) {
  return acosh(x);
}
static void acosh_c128(double z[2]) {
  weft__apply_complex(z, cacosh);
}
static weft_status acosh_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = acosh_f64, .c = acosh_c128});
}

WEFT_OP(acosh) = {
    WEFT_UNARY_PROTO("Acosh", WEFT_SET_UNARY),
    .summary = "y = the inverse hyperbolic cosine of x",
    .ref = acosh_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{1,2,10.5,0.5,inf,nan} -> f32[6]{0,1.3169579,3.04224711,nan,inf,nan} ~1e-6",
        "f16[1]{2} -> f16[1]{1.31738281}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.926133031,1.22135726),(1.32876337,-2.99872047)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
