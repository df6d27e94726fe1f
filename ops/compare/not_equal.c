// ops/compare/not_equal.c - y = x1 != x2.   AscendIR NotEqual.
// NaN is unequal to everything. Strings compare byte by byte. On bool it is exclusive or: ONNX Xor-7.
#include "dims_logic.h"

static weft_status not_equal_ref(const weft_call *c) {
  return weft__compare_op(c, true, false, true, true);
}
static weft_status not_equal_value(weft_infer *it) {
  return weft__dims_compare(it, true, false, true);
}

WEFT_OP(not_equal) = {
    WEFT_COMPARE_PROTO("NotEqual", WEFT_SET_ORDINARY | WEFT_SET_QUANTIFIED | WEFT_DT(STRING),
                       WEFT_COMMUTATIVE),
    .summary = "y = x1 != x2, with broadcasting",
    .infer_value = not_equal_value,
    .ref = not_equal_ref,
    .examples = WEFT_EXAMPLES(
        "f32[5]{1,2,3,nan,0}, f32[5]{2,2,2,nan,-0.0} -> bool[5]{true,false,true,true,false}",
        "i8[2,1]{-1,1}, i8[2]{0,1} -> bool[2,2]{true,true,true,false}",
        "u64[1]{18446744073709551615}, u64[]{1} -> bool[1]{true}",
        "i64[1]{9007199254740993}, i64[1]{9007199254740992} -> bool[1]{true}",
        "str[3]{\"a\",\"ab\",\"a\"}, str[3]{\"a\",\"a\",\"b\"} -> bool[3]{false,true,true}",
        "c64[2]{(1,2),(1,2)}, c64[2]{(1,2),(1,3)} -> bool[2]{false,true}",
        "bool[2]{true,false}, bool[1]{true} -> bool[2]{false,true}", "qi8[1]{1}, qi8[1]{1} -> bool[1]{false}",
        "f32[-1,3], f32[5,3] -> bool[5,3]", "f16[0,3], f16[3] -> bool[0,3]",
        "f32[2,3], f32[2] !! E_SHAPE do not broadcast", "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
