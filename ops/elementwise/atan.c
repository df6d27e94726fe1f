// ops/elementwise/atan.c - y = the arc tangent of x.   AscendIR Atan, ONNX Atan-22.
// In (-pi/2, pi/2); infinities give +-pi/2.
#include "numeric.h"

static double atan_f64(double x) {
  return atan(x);
}
static void atan_c128(double z[2]) {
  weft__apply_complex(z, catan);
}
static weft_status atan_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = atan_f64, .c = atan_c128});
}

WEFT_OP(atan) = {
    WEFT_UNARY_PROTO("Atan", WEFT_SET_UNARY),
    .summary = "y = the arc tangent of x",
    .ref = atan_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{0,1,-2.5,inf,-inf,nan} -> f32[6]{0,0.785398163,-1.19028995,1.57079633,-1.57079633,nan} ~1e-6",
        "f16[1]{1} -> f16[1]{0.78515625}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.907887495,0.708303336),(-1.11211133,-0.0495442321)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
