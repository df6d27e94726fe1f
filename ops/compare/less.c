// ops/compare/less.c - y = x1 < x2.   AscendIR Less, ONNX Less-13.
// NaN compares false.
#include "dims_logic.h"

static weft_status less_ref(const weft_call *c) {
  return weft__compare_op(c, true, false, false, false);
}
static weft_status less_value(weft_infer *it) {
  return weft__dims_compare(it, true, false, false);
}

WEFT_OP(less) = {
    WEFT_COMPARE_PROTO("Less", WEFT_SET_REAL | WEFT_DT(BOOL), 0),
    .summary = "y = x1 < x2, with broadcasting",
    .infer_value = less_value,
    .ref = less_ref,
    .examples =
        WEFT_EXAMPLES("f32[5]{1,2,3,nan,0}, f32[5]{2,2,2,nan,-0.0} -> bool[5]{true,false,false,false,false}",
                      "i8[2,1]{-1,1}, i8[2]{0,1} -> bool[2,2]{true,true,false,false}",
                      "u64[1]{18446744073709551615}, u64[]{1} -> bool[1]{false}",
                      "i64[1]{9007199254740993}, i64[1]{9007199254740992} -> bool[1]{false}",
                      "f32[-1,3], f32[5,3] -> bool[5,3]", "f16[0,3], f16[3] -> bool[0,3]",
                      "f32[2,3], f32[2] !! E_SHAPE do not broadcast", "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
