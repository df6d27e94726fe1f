// ops/logic/logical_and.c - y = x1 and x2.   AscendIR LogicalAnd, ONNX And-7.
// Any byte but 0 is true.
#include "op.h"

static bool logical_and_both(bool a, bool b) {
  return a && b;
}
static weft_status logical_and_ref(const weft_call *c) {
  return weft__logic(c, logical_and_both);
}

WEFT_OP(logical_and) = {
    WEFT_COMPARE_PROTO("LogicalAnd", WEFT_DT(BOOL), WEFT_COMMUTATIVE),
    .summary = "y = x1 and x2, with broadcasting",
    .ref = logical_and_ref,
    .examples = WEFT_EXAMPLES(
        "bool[4]{true,true,false,false}, bool[4]{true,false,true,false} -> bool[4]{true,false,false,false}",
        "bool[2,1]{true,false}, bool[2]{true,false} -> bool[2,2]{true,false,false,false}",
        "bool[-1,3], bool[5,3] -> bool[5,3]", "bool[0,3], bool[3] -> bool[0,3]",
        "bool[2], bool[3] !! E_SHAPE do not broadcast", "f32[2], f32[2] !! E_DTYPE input 'x1'"),
};
// SPDX-License-Identifier: Apache-2.0
