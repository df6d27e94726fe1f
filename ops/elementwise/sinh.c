// ops/elementwise/sinh.c - y = the hyperbolic sine of x.   AscendIR Sinh, ONNX Sinh-22.
// Infinities stay.
#include "numeric.h"

static double sinh_f64(double x) {
  return sinh(x);
}
static void sinh_c128(double z[2]) {
  weft__apply_complex(z, csinh);
}
static weft_status sinh_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = sinh_f64, .c = sinh_c128});
}

WEFT_OP(sinh) = {
    WEFT_UNARY_PROTO("Sinh", WEFT_SET_UNARY),
    .summary = "y = the hyperbolic sine of x",
    .ref = sinh_ref,
    .examples = WEFT_EXAMPLES(
        "f32[5]{0,1,-2.5,inf,nan} -> f32[5]{0,1.17520119,-6.05020448,inf,nan} ~1e-6",
        "f16[1]{1} -> f16[1]{1.17480469}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.281548995,0.948864531),(-3.5141101,-0.930782109)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
