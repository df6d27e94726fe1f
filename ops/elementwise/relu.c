// ops/elementwise/relu.c - y = max(x, 0).   AscendIR Relu, ONNX Relu-14.
// NaN stays NaN.
#include "op.h"

static double relu_f64(double x) {
  return x < 0 ? 0 : x;
}
static int64_t relu_i64(int64_t x) {
  return x < 0 ? 0 : x;
}
static uint64_t relu_u64(uint64_t x) {
  return x;
}
static weft_status relu_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){relu_f64, relu_i64, relu_u64, NULL});
}

WEFT_OP(relu) = {
    WEFT_UNARY_PROTO("Relu", WEFT_NUMBERS | WEFT_DT(QINT8)),
    .summary = "y = max(x, 0)",
    .ref = relu_ref,
    .examples = WEFT_EXAMPLES("f32[4]{-1,0,2.5,nan} -> f32[4]{0,0,2.5,nan}",
                              "i8[2]{-128,127} -> i8[2]{0,127}", "f16[0,3] -> f16[0,3]",
                              "f32[]{-3} -> f32[]{0}", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
