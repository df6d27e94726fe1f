// ops/elementwise/asin.c - y = the arc sine of x.   AscendIR Asin, ONNX Asin-22.
// Outside [-1, 1] NaN. Integers are truncated; their NaN is 0.
#include "numeric.h"

static double asin_f64(double x) {
  return asin(x);
}
static void asin_c128(double z[2]) {
  weft__apply_complex(z, casin);
}
static weft_status asin_ref(const weft_call *c) {
  return weft__unary_real(c, asin_f64, asin_c128);
}

WEFT_OP(asin) = {
    WEFT_UNARY_PROTO("Asin", WEFT_SET_UNARY | WEFT_SET_INDEX),
    .summary = "y = the arc sine of x",
    .ref = asin_ref,
    .examples = WEFT_EXAMPLES(
        "f32[5]{0,0.5,-1,1.5,nan} -> f32[5]{0,0.523598776,-1.57079633,nan,nan} ~1e-6",
        "i32[4]{0,1,-1,2} -> i32[4]{0,1,-1,0}", "f16[1]{0.5} -> f16[1]{0.5234375}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.349439063,0.926133031),(-1.42792414,-1.32876337)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
