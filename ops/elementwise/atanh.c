// ops/elementwise/atanh.c - y = the inverse hyperbolic tangent of x.   AscendIR Atanh, ONNX Atanh-22.
// +-1 gives +-inf, NaN beyond.
#include "numeric.h"

static double atanh_f64(double x) {
  return atanh(x);
}
static void atanh_c128(double z[2]) {
  weft__apply_complex(z, catanh);
}
static weft_status atanh_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = atanh_f64, .c = atanh_c128});
}

WEFT_OP(atanh) = {
    WEFT_UNARY_PROTO("Atanh", WEFT_SET_UNARY),
    .summary = "y = the inverse hyperbolic tangent of x",
    .ref = atanh_ref,
    .examples = WEFT_EXAMPLES(
        "f32[7]{0,0.5,-0.75,1,-1,2,nan} -> f32[7]{0,0.549306144,-0.972955075,inf,-inf,nan,nan} ~1e-6",
        "f16[1]{0.5} -> f16[1]{0.549316406}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.238877861,0.847575661),(-0.5358801,-1.48987761)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
