// ops/reduce/cumsum.c - y[i] = x[0] + ... + x[i] along an axis.   AscendIR Cumsum, ONNX CumSum-14.
// exclusive leaves x[i] out, reverse sums from the end. Floats are summed in double and each sum is rounded
// once; integers wrap; NaN stays from where it is on.
#include "cumulate.h"

static weft_status cumsum_ref(const weft_call *c) {
  return weft__cumulate(c, false);
}

WEFT_OP(cumsum) = {
    WEFT_CUMULATE_PROTO("Cumsum"),
    .summary = "cumulative sum along an axis",
    .ref = cumsum_ref,
    .examples = WEFT_EXAMPLES("f32[4]{1,2,3,4}, i32[]{0} -> f32[4]{1,3,6,10}",
                              "f32[4]{1,2,3,4}, i64[]{-1} exclusive=true -> f32[4]{0,1,3,6}",
                              "f32[4]{1,2,3,4}, i64[]{0} reverse=true -> f32[4]{10,9,7,4}",
                              "f32[4]{1,2,3,4}, i64[1]{0} reverse=true exclusive=true -> f32[4]{9,7,4,0}",
                              "f32[2,2]{1,2,nan,4}, i64[]{0} -> f32[2,2]{1,2,nan,6}",
                              "i8[2]{127,1}, i64[]{0} -> i8[2]{127,-128}",
                              "u64[2]{18446744073709551615,1}, i64[]{0} -> u64[2]{18446744073709551615,0}",
                              "c64[2]{(1,2),(3,4)}, i64[]{0} -> c64[2]{(1,2),(4,6)}",
                              "f16[0,3]{}, i64[]{1} -> f16[0,3]{}", "f32[-1,3], i64[] -> f32[-1,3]",
                              "f32[2], i64[]{1} !! E_RANGE input 'axis'", "f32[], i64[]{0} !! E_RANGE scalar",
                              "f32[2], f32[]{0} !! E_DTYPE input 'axis'"),
};
// SPDX-License-Identifier: Apache-2.0
