// ops/elementwise/sin.c - y = the sine of x.   AscendIR Sin, ONNX Sin-22.
// Infinities give NaN.
#include "numeric.h"

static double sin_f64(double x) {
  return sin(x);
}
static void sin_c128(double z[2]) {
  weft__apply_complex(z, csin);
}
static weft_status sin_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = sin_f64, .c = sin_c128});
}

WEFT_OP(sin) = {
    WEFT_UNARY_PROTO("Sin", WEFT_SET_UNARY),
    .summary = "y = the sine of x",
    .ref = sin_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{0,1,-2.5,100,inf,nan} -> f32[6]{0,0.841470985,-0.598472144,-0.506365641,nan,nan} ~1e-6",
        "f16[1]{1} -> f16[1]{0.841308594}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.739792264,1.03133607),(-0.937861278,0.105123817)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
