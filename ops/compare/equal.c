// ops/compare/equal.c - y = x1 == x2.   AscendIR Equal, ONNX Equal-19.
// NaN compares false. Strings compare byte by byte.
#include "dims_logic.h"

static weft_status equal_ref(const weft_call *c) {
  return weft__compare_op(c, false, true, false, false);
}
static weft_status equal_value(weft_infer *it) {
  return weft__dims_compare(it, false, true, false);
}

WEFT_OP(equal) = {
    WEFT_COMPARE_PROTO("Equal", WEFT_SET_ORDINARY | WEFT_SET_QUANTIFIED | WEFT_DT(STRING), WEFT_COMMUTATIVE),
    .summary = "y = x1 == x2, with broadcasting",
    .infer_value = equal_value,
    .ref = equal_ref,
    .examples = WEFT_EXAMPLES(
        "f32[5]{1,2,3,nan,0}, f32[5]{2,2,2,nan,-0.0} -> bool[5]{false,true,false,false,true}",
        "i8[2,1]{-1,1}, i8[2]{0,1} -> bool[2,2]{false,false,false,true}",
        "u64[1]{18446744073709551615}, u64[]{1} -> bool[1]{false}",
        "i64[1]{9007199254740993}, i64[1]{9007199254740992} -> bool[1]{false}",
        "str[3]{\"a\",\"ab\",\"a\"}, str[3]{\"a\",\"a\",\"b\"} -> bool[3]{true,false,false}",
        "c64[2]{(1,2),(1,2)}, c64[2]{(1,2),(1,3)} -> bool[2]{true,false}",
        "bool[2]{true,false}, bool[1]{true} -> bool[2]{true,false}", "qi8[1]{1}, qi8[1]{1} -> bool[1]{true}",
        "f32[-1,3], f32[5,3] -> bool[5,3]", "f16[0,3], f16[3] -> bool[0,3]",
        "f32[2,3], f32[2] !! E_SHAPE do not broadcast", "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
