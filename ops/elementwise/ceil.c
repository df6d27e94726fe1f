// ops/elementwise/ceil.c - y = the smallest integer >= x.   AscendIR Ceil, ONNX Ceil-13.
// NaN and infinities stay; numbers in (-1, 0) give -0.
#include "op.h"

static double ceil_f64(double x) {
  return ceil(x);
}
static weft_status ceil_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = ceil_f64});
}

WEFT_OP(ceil) = {
    WEFT_UNARY_PROTO("Ceil", WEFT_FLOATS),
    .summary = "y = the smallest integer >= x",
    .ref = ceil_ref,
    .examples = WEFT_EXAMPLES("f32[6]{1.5,-1.5,0,2,inf,nan} -> f32[6]{2,-1,0,2,inf,nan}",
                              "f32[1]{-0.5} -> f32[1]{-0.0}", "bf16[2]{2.5,-2.5} -> bf16[2]{3,-2}",
                              "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]",
                              "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
