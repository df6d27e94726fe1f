// ops/reduce/arg_max_v2.c - y = index of the largest element along an axis.   AscendIR ArgMaxV2, ONNX
// ArgMax-13. The first of equal elements, the last with weft's select_last_index; NaN is the largest. An axis
// without elements is an error when an answer is needed. weft: keep_dims.
#include "arg.h"

static weft_status arg_max_v2_ref(const weft_call *c) {
  return weft__arg_run(c, 1);
}

WEFT_OP(arg_max_v2) = {
    WEFT_ARG_PROTO("ArgMaxV2"),
    .summary = "index of the largest element along an axis",
    .ref = arg_max_v2_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,3]{1,5,5,9,-1,3}, i64[]{1} -> i64[2]{1,0}",
        "f32[2,3]{1,5,5,9,-1,3}, i32[1]{0} -> i64[3]{1,0,0}",
        "f32[2,3]{1,5,5,9,-1,3}, i64[]{-1} select_last_index=true keep_dims=true dtype=i32 -> i32[2,1]{2,0}",
        "f32[4]{1,nan,3,nan}, i64[]{0} -> i64[]{1}", "u64[2]{1,18446744073709551615}, i64[]{0} -> i64[]{1}",
        "i8[2]{-128,-128}, i64[]{0} -> i64[]{0}", "f32[0,2]{}, i64[]{1} -> i64[0]{}",
        "f32[-1,3,-1], i64[]{1} -> i64[-1,-1]", "f32[4,3], i64[] -> i64[-1]",
        "f32[4,3], i64[] keep_dims=true -> i64[-1,-1]", "f32[2,0]{}, i64[]{1} !! E_RANGE no elements",
        "f32[2], i64[]{1} !! E_RANGE input 'dimension': 1 is outside [-1, 0]",
        "f32[2], i64[2]{0,0} !! E_SHAPE expected one element, got 2",
        "f32[2], i64[]{0} dtype=f32 !! E_DTYPE output 'y'"),
};
// SPDX-License-Identifier: Apache-2.0
