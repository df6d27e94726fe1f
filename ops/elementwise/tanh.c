// ops/elementwise/tanh.c - y = the hyperbolic tangent of x.   AscendIR Tanh, ONNX Tanh-13.
// Infinities give +-1.
#include "numeric.h"

static double tanh_f64(double x) {
  return tanh(x);
}
static void tanh_c128(double z[2]) {
  weft__apply_complex(z, ctanh);
}
static weft_status tanh_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = tanh_f64, .c = tanh_c128});
}

WEFT_OP(tanh) = {
    WEFT_UNARY_PROTO("Tanh", WEFT_SET_UNARY),
    .summary = "y = the hyperbolic tangent of x",
    .ref = tanh_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{0,1,-2.5,inf,-inf,nan} -> f32[6]{0,0.761594156,-0.986614298,1,-1,nan} ~1e-6",
        "f16[1]{1} -> f16[1]{0.76171875}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(1.04283073,0.806877412),(-0.968214572,-0.0170094614)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
