// ops/elementwise/acos.c - y = the arc cosine of x.   AscendIR Acos, ONNX Acos-22.
// Outside [-1, 1] NaN. Integers are truncated; their NaN is 0.
#include "numeric.h"

static double acos_f64(double x) {
  return acos(x);
}
static void acos_c128(double z[2]) {
  weft__apply_complex(z, cacos);
}
static weft_status acos_ref(const weft_call *c) {
  return weft__unary_real(c, acos_f64, acos_c128);
}

WEFT_OP(acos) = {
    WEFT_UNARY_PROTO("Acos", WEFT_SET_UNARY | WEFT_SET_INDEX),
    .summary = "y = the arc cosine of x",
    .ref = acos_ref,
    .examples = WEFT_EXAMPLES(
        "f32[5]{0,0.5,-1,1.5,nan} -> f32[5]{1.57079633,1.04719755,3.14159265,nan,nan} ~1e-6",
        "i64[4]{0,1,-1,2} -> i64[4]{1,0,3,0}", "f16[1]{0.5} -> f16[1]{1.046875}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(1.22135726,-0.926133031),(2.99872047,1.32876337)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
