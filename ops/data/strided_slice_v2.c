// ops/data/strided_slice_v2.c - y = x[begin:end:strides].   AscendIR StridedSliceV2, ONNX Slice-13.
// Along the axes in `axes`. Begins and ends are clamped as in numpy; without axes the first ones, without
// strides 1. Steps are not 0.
#include "slice.h"

static weft_status strided_slice_v2_infer(weft_infer *it) {
  return weft__strided_slice_infer(it, 3, 4);
}
static weft_status strided_slice_v2_infer_value(weft_infer *it) {
  return weft__strided_slice_elems(it, 3, 4);
}
static weft_status strided_slice_v2_ref(const weft_call *c) {
  return weft__strided_slice_ref(c, 3, 4);
}

WEFT_OP(strided_slice_v2) = {
    WEFT_OP_HEAD,
    .name = "StridedSliceV2",
    .summary = "x[begin:end:strides] along the listed axes",
    .in = PORTS({"x", "T"}, {"begin", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"end", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"axes", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL, .value = WEFT_VALUE_INFER},
                {"strides", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"begin_mask", "Int", "0"}, {"end_mask", "Int", "0"}, {"ellipsis_mask", "Int", "0"},
                   {"new_axis_mask", "Int", "0"}, {"shrink_axis_mask", "Int", "0"}),
    .traits = WEFT_SYMBOLIC,
    .infer = strided_slice_v2_infer,
    .infer_value = strided_slice_v2_infer_value,
    .ref = strided_slice_v2_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,3]{1,2,3,4,5,6}, i64[1]{1}, i64[1]{3}, i64[1]{1} -> f32[2,2]{2,3,5,6}",
        "f32[2,3]{1,2,3,4,5,6}, i64[1]{1} , i64[1]{1000} -> f32[1,3]{4,5,6}",
        "f32[4]{1,2,3,4}, i64[1]{-1}, i64[1]{-9223372036854775808}, i64[1]{0}, i64[1]{-1} -> f32[4]{4,3,2,1}",
        "f32[5]{1,2,3,4,5}, i64[1]{0}, i64[1]{9223372036854775807}, _, i64[1]{2} -> f32[3]{1,3,5}",
        "f32[3]{1,2,3}, i64[1]{-2}, i64[1]{-1}, i64[1]{-1} -> f32[1]{2}",
        "f32[2,0], i64[1]{0}, i64[1]{1} -> f32[1,0]",
        "f32[2]{1,2}, i64[1]{1}, i64[1]{2}, i64[1]{0}, i64[1]{9223372036854775807} -> f32[1]{2}",
        "f32[N,4], i64[1]{1}, i64[1]{9223372036854775807}, i64[1]{1} -> f32[N,3]",
        "f32[2*N], i64[1]{0}, i64[1]{9223372036854775807}, i64[1]{0}, i64[1]{2} -> f32[N]",
        "f32[-1,4], i64[1]{0}, i64[1]{2} -> f32[-1,4]", "f32[-1,4], i64[1]{3}, i64[1]{2} -> f32[0,4]",
        "f32[4,5], i64[1]{0}, i64[1]{2}, i64[1] -> f32[-1,-1]",
        "f32[4,5], i64[1], i64[1]{2}, i64[1]{1} -> f32[4,-1]", "f32[4,5], i64[-1], i64[-1] -> f32[-1,-1]",
        "str[2]{\"a\",\"b\"}, i64[1]{1}, i64[1]{2} -> str[1]{\"b\"}",
        "f32[2], i64[1]{0}, i64[1]{1}, i64[1]{1} !! E_RANGE input 'axes'",
        "f32[2,2], i64[2]{0,0}, i64[2]{1,1}, i64[2]{0,-2} !! E_DUPLICATE",
        "f32[2], i64[1]{0}, i64[1]{1}, _, i64[1]{0} !! E_INVALID input 'strides'"),
};
// SPDX-License-Identifier: Apache-2.0
