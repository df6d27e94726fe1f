// ops/data/strided_slice.c - y = x[begin:end:strides], axis by axis, with masks.   AscendIR StridedSlice.
// Begins and ends are clamped as in numpy; a bit of shrink_axis_mask picks one element, which must exist.
// Steps are not 0.
#include "slice.h"

static weft_status strided_slice_infer(weft_infer *it) {
  return weft__strided_slice_infer(it, -1, 3);
}
static weft_status strided_slice_infer_value(weft_infer *it) {
  return weft__strided_slice_elems(it, -1, 3);
}
static weft_status strided_slice_ref(const weft_call *c) {
  return weft__strided_slice_ref(c, -1, 3);
}

WEFT_OP(strided_slice) = {
    WEFT_OP_HEAD,
    .name = "StridedSlice",
    .summary = "x[begin:end:strides]",
    .in = PORTS({"x", "T"}, {"begin", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"end", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"strides", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"begin_mask", "Int", "0"}, {"end_mask", "Int", "0"}, {"ellipsis_mask", "Int", "0"},
                   {"new_axis_mask", "Int", "0"}, {"shrink_axis_mask", "Int", "0"}),
    .traits = WEFT_SYMBOLIC,
    .infer = strided_slice_infer,
    .infer_value = strided_slice_infer_value,
    .ref = strided_slice_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,3]{1,2,3,4,5,6}, i32[2]{0,1}, i32[2]{2,3}, i32[2]{1,1} -> f32[2,2]{2,3,5,6}",
        "f32[4]{1,2,3,4}, i32[1]{-1}, i32[1]{-5}, i32[1]{-2} -> f32[2]{4,2}",
        "f32[4]{1,2,3,4}, i32[1]{2}, i32[1]{9} , i32[1]{1} begin_mask=1 -> f32[4]{1,2,3,4}",
        "f32[2,3]{1,2,3,4,5,6}, i32[1]{1}, i32[1]{2}, i32[1]{1} shrink_axis_mask=1 -> f32[3]{4,5,6}",
        "f32[2,1,3]{1,2,3,4,5,6}, i32[2]{0,2}, i32[2]{0,3}, i32[2]{1,1} ellipsis_mask=1 -> f32[2,1,1]{3,6}",
        "f32[2]{1,2}, i32[2]{0,0}, i32[2]{0,1}, i32[2]{1,1} new_axis_mask=1 -> f32[1,1]{1}",
        "f32[3,2], i32[1]{2}, i32[1]{1}, i32[1]{1} -> f32[0,2]",
        "f32[0,2], i32[1]{0}, i32[1]{5}, i32[1]{1} -> f32[0,2]",
        "f32[N,4], i32[1]{0}, i32[1]{0}, i32[1]{1} end_mask=1 -> f32[N,4]",
        "f32[-1,4], i32[2]{0,1}, i32[2]{2,3}, i32[2]{1,1} -> f32[-1,2]",
        "f32[?], i32[1]{0}, i32[1]{1}, i32[1]{1} -> f32[?]",
        "f32[4,4], i32[1], i32[1], i32[1]{1} -> f32[-1,4]",
        "f32[2], i32[1]{2}, i32[1]{3}, i32[1]{1} shrink_axis_mask=1 !! E_RANGE 2 picks one element of axis "
        "0, which has 2",
        "f32[2], i32[1]{0}, i32[1]{1}, i32[1]{0} !! E_INVALID element 0 is 0",
        "f32[2], i32[2]{0,0}, i32[2]{1,1}, i32[2]{1,1} !! E_SHAPE 2 axes are cut, x has rank 1",
        "f32[2], i32[1]{0}, i32[2]{1,1}, i32[1]{1} !! E_SHAPE input 'end' has 2 elements"),
};
// SPDX-License-Identifier: Apache-2.0
