// ops/reduce/cumprod.c - y[i] = x[0] * ... * x[i] along an axis.   AscendIR Cumprod, ONNX CumProd-26.
// exclusive leaves x[i] out, reverse multiplies from the end. Floats are multiplied in double and each
// product is rounded once; integers wrap; NaN stays from where it is on.
#include "cumulate.h"

static weft_status cumprod_ref(const weft_call *c) {
  return weft__cumulate(c, true);
}

WEFT_OP(cumprod) = {
    WEFT_CUMULATE_PROTO("Cumprod"),
    .summary = "cumulative product along an axis",
    .ref = cumprod_ref,
    .examples = WEFT_EXAMPLES("f32[4]{1,2,3,4}, i32[]{0} -> f32[4]{1,2,6,24}",
                              "f32[4]{1,2,3,4}, i64[]{-1} exclusive=true -> f32[4]{1,1,2,6}",
                              "f32[4]{1,2,3,4}, i64[]{0} reverse=true -> f32[4]{24,24,12,4}",
                              "f32[4]{1,2,3,4}, i64[1]{0} reverse=true exclusive=true -> f32[4]{24,12,4,1}",
                              "f32[2,2]{1,2,nan,4}, i64[]{0} -> f32[2,2]{1,2,nan,8}",
                              "i8[2]{127,2}, i64[]{0} -> i8[2]{127,-2}",
                              "c64[2]{(0,1),(0,1)}, i64[]{0} -> c64[2]{(0,1),(-1,0)}",
                              "f16[0,3]{}, i64[]{1} -> f16[0,3]{}", "f32[-1,3], i64[] -> f32[-1,3]",
                              "f32[2], i64[]{1} !! E_RANGE input 'axis'", "f32[], i64[]{0} !! E_RANGE scalar",
                              "f32[2], f32[]{0} !! E_DTYPE input 'axis'"),
};
// SPDX-License-Identifier: Apache-2.0
