// ops/reduce/arg_min.c - y = index of the smallest element along an axis.   AscendIR ArgMin, ONNX ArgMin-13.
// The first of equal elements, the last with weft's select_last_index; NaN is the smallest. An axis without
// elements is an error when an answer is needed. weft: keep_dims.
#include "arg.h"

static weft_status arg_min_ref(const weft_call *c) {
  return weft__arg_run(c, -1);
}

WEFT_OP(arg_min) = {
    WEFT_ARG_PROTO("ArgMin"),
    .summary = "index of the smallest element along an axis",
    .ref = arg_min_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,3]{1,5,1,9,-1,-1}, i64[]{1} -> i64[2]{0,1}",
        "f32[2,3]{1,5,5,9,-1,3}, i32[1]{0} -> i64[3]{0,1,1}",
        "f32[2,3]{1,5,1,9,-1,3}, i64[]{-1} select_last_index=true keep_dims=true dtype=i32 -> i32[2,1]{2,1}",
        "f32[3]{1,nan,-inf}, i64[]{0} -> i64[]{1}", "u8[2]{255,0}, i64[]{0} -> i64[]{1}",
        "f32[0,2]{}, i64[]{1} -> i64[0]{}", "f32[-1,3], i64[]{1} -> i64[-1]",
        "f32[2,0]{}, i64[]{1} !! E_RANGE no elements", "f32[2], i64[]{-2} !! E_RANGE input 'dimension'"),
};
// SPDX-License-Identifier: Apache-2.0
