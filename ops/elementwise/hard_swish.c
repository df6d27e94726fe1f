// ops/elementwise/hard_swish.c - y = x * min(max(x + 3, 0), 6) / 6.   AscendIR HardSwish, ONNX HardSwish-22.
// NaN stays; -inf gives NaN (-inf * 0).
#include "op.h"

static double hard_swish_f64(double x) {
  return x * (x < -3 ? 0 : x > 3 ? 6 : x + 3) / 6;
}
static weft_status hard_swish_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = hard_swish_f64});
}

WEFT_OP(hard_swish) = {
    WEFT_UNARY_PROTO("HardSwish", WEFT_FLOATS),
    .summary = "y = x * min(max(x + 3, 0), 6) / 6",
    .ref = hard_swish_ref,
    .examples = WEFT_EXAMPLES("f32[8]{0,1,-3,-5,3,7,inf,nan} -> f32[8]{0,0.666666667,0,0,3,7,inf,nan} ~1e-6",
                              "f16[1]{1} -> f16[1]{0.666503906}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
