// ops/elementwise/tan.c - y = the tangent of x.   AscendIR Tan, ONNX Tan-22.
// Infinities give NaN. INT32 is truncated.
#include "numeric.h"

static double tan_f64(double x) {
  return tan(x);
}
static void tan_c128(double z[2]) {
  weft__apply_complex(z, ctan);
}
static weft_status tan_ref(const weft_call *c) {
  return weft__unary_real(c, tan_f64, tan_c128);
}

WEFT_OP(tan) = {
    WEFT_UNARY_PROTO("Tan", WEFT_SET_UNARY | WEFT_DT(INT32)),
    .summary = "y = the tangent of x",
    .ref = tan_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{0,1,-2.5,100,inf,nan} -> f32[6]{0,1.55740772,0.747022297,-0.587213915,nan,nan} ~1e-6",
        "i32[3]{0,1,2} -> i32[3]{0,1,-2}", "f16[1]{0.5} -> f16[1]{0.546386719}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.19557731,0.842966205),(1.59668921,-1.09939814)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
