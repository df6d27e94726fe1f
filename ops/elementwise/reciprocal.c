// ops/elementwise/reciprocal.c - y = 1 / x.   AscendIR Reciprocal, ONNX Reciprocal-13.
// 0 gives inf with the sign of the 0.
#include "numeric.h"

static double reciprocal_f64(double x) {
  return 1 / x;
}
static double complex reciprocal_function(double complex z) {
  return 1 / z;
}
static void reciprocal_c128(double z[2]) {
  weft__apply_complex(z, reciprocal_function);
}
static weft_status reciprocal_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = reciprocal_f64, .c = reciprocal_c128});
}

WEFT_OP(reciprocal) = {
    WEFT_UNARY_PROTO("Reciprocal", WEFT_SET_UNARY),
    .summary = "y = 1 / x",
    .ref = reciprocal_ref,
    .examples =
        WEFT_EXAMPLES("f32[6]{4,-0.5,0,inf,-inf,nan} -> f32[6]{0.25,-2,inf,0,-0,nan}",
                      "f32[1]{-0.0} -> f32[1]{-inf}", "f16[1]{3} -> f16[1]{0.33325195}",
                      "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.4,-0.8),(-0.492307692,0.0615384615)} ~1e-6",
                      "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
