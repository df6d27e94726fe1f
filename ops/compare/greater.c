// ops/compare/greater.c - y = x1 > x2.   AscendIR Greater, ONNX Greater-13.
// NaN compares false.
#include "dims_logic.h"

static weft_status greater_ref(const weft_call *c) {
  return weft__compare_op(c, false, false, true, false);
}
static weft_status greater_value(weft_infer *it) {
  return weft__dims_compare(it, false, false, true);
}

WEFT_OP(greater) = {
    WEFT_COMPARE_PROTO("Greater", WEFT_SET_REAL | WEFT_DT(BOOL), 0),
    .summary = "y = x1 > x2, with broadcasting",
    .infer_value = greater_value,
    .ref = greater_ref,
    .examples =
        WEFT_EXAMPLES("f32[5]{1,2,3,nan,0}, f32[5]{2,2,2,nan,-0.0} -> bool[5]{false,false,true,false,false}",
                      "i8[2,1]{-1,1}, i8[2]{0,1} -> bool[2,2]{false,false,true,false}",
                      "u64[1]{18446744073709551615}, u64[]{1} -> bool[1]{true}",
                      "i64[1]{9007199254740993}, i64[1]{9007199254740992} -> bool[1]{true}",
                      "f32[-1,3], f32[5,3] -> bool[5,3]", "f16[0,3], f16[3] -> bool[0,3]",
                      "f32[2,3], f32[2] !! E_SHAPE do not broadcast", "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
