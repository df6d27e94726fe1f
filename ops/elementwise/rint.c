// ops/elementwise/rint.c - y = x rounded to an integer, halves to even.   AscendIR Rint, ONNX Round-22.
// NaN, infinities and the sign of 0 stay.
#include "op.h"

static double rint_f64(double x) {
  return rint(x);
}
static weft_status rint_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = rint_f64});
}

WEFT_OP(rint) = {
    WEFT_UNARY_PROTO("Rint", WEFT_FLOATS),
    .summary = "y = x rounded to an integer, halves to even",
    .ref = rint_ref,
    .examples = WEFT_EXAMPLES("f32[7]{0.5,1.5,2.5,-1.5,2.4,inf,nan} -> f32[7]{0,2,2,-2,2,inf,nan}",
                              "f32[1]{-0.5} -> f32[1]{-0.0}",
                              "f64[1]{4503599627370495.5} -> f64[1]{4503599627370496}",
                              "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]",
                              "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
