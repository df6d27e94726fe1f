// ops/elementwise/relu6.c - y = min(max(x, 0), 6).   AscendIR Relu6.
// NaN stays.
#include "numeric.h"

static double relu6_f64(double x) {
  return x < 0 ? 0 : x > 6 ? 6 : x;
}
static weft_status relu6_ref(const weft_call *c) {
  return weft__unary_real(c, relu6_f64, NULL);
}

WEFT_OP(relu6) = {
    WEFT_UNARY_PROTO("Relu6", WEFT_FLOATS | WEFT_DT(INT32)),
    .summary = "y = min(max(x, 0), 6)",
    .ref = relu6_ref,
    .examples = WEFT_EXAMPLES("f32[8]{-1,0,2.5,6,7,inf,-inf,nan} -> f32[8]{0,0,2.5,6,6,6,0,nan}",
                              "i32[3]{-7,3,9} -> i32[3]{0,3,6}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
