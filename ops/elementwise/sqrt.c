// ops/elementwise/sqrt.c - y = the square root of x.   AscendIR Sqrt, ONNX Sqrt-13.
// Negative numbers give NaN; -0 stays -0.
#include "numeric.h"

static double sqrt_f64(double x) {
  return sqrt(x);
}
static void sqrt_c128(double z[2]) {
  weft__apply_complex(z, csqrt);
}
static weft_status sqrt_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = sqrt_f64, .c = sqrt_c128});
}

WEFT_OP(sqrt) = {
    WEFT_UNARY_PROTO("Sqrt", WEFT_SET_UNARY),
    .summary = "y = the square root of x",
    .ref = sqrt_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{0,4,2,-1,inf,nan} -> f32[6]{0,2,1.41421356,nan,inf,nan} ~1e-6",
        "f16[2]{2,0.25} -> f16[2]{1.4140625,0.5}", "f32[]{9} -> f32[]{3}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.89945372,0.55589297),(0.0882168835,-1.41696232)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
