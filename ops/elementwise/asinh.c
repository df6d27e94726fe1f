// ops/elementwise/asinh.c - y = the inverse hyperbolic sine of x.   AscendIR Asinh, ONNX Asinh-22.
// Infinities stay.
#include "numeric.h"

static double asinh_f64(double x) {
  return asinh(x);
}
static void asinh_c128(double z[2]) {
  weft__apply_complex(z, casinh);
}
static weft_status asinh_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = asinh_f64, .c = asinh_c128});
}

WEFT_OP(asinh) = {
    WEFT_UNARY_PROTO("Asinh", WEFT_SET_UNARY),
    .summary = "y = the inverse hyperbolic sine of x",
    .ref = asinh_ref,
    .examples = WEFT_EXAMPLES(
        "f32[5]{0,1,-2.5,inf,nan} -> f32[5]{0,0.881373587,-1.64723115,inf,nan} ~1e-6",
        "f16[1]{1} -> f16[1]{0.881347656}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.732857676,0.895907481),(-1.44920815,-0.111477925)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
