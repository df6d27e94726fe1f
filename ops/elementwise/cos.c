// ops/elementwise/cos.c - y = the cosine of x.   AscendIR Cos, ONNX Cos-22.
// Infinities give NaN.
#include "numeric.h"

static double cos_f64(double x) {
  return cos(x);
}
static void cos_c128(double z[2]) {
  weft__apply_complex(z, ccos);
}
static weft_status cos_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = cos_f64, .c = cos_c128});
}

WEFT_OP(cos) = {
    WEFT_UNARY_PROTO("Cos", WEFT_SET_UNARY),
    .summary = "y = the cosine of x",
    .ref = cos_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{0,1,-2.5,100,inf,nan} -> f32[6]{1,0.540302306,-0.801143616,0.862318872,nan,nan} ~1e-6",
        "f16[1]{1} -> f16[1]{0.540527344}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(1.35418066,-0.563421465),(-0.429219299,-0.22969973)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
