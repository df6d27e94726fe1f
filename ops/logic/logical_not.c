// ops/logic/logical_not.c - y = not x.   AscendIR LogicalNot, ONNX Not-1.
// Any byte but 0 is true.
#include "op.h"

static bool negate(bool x, bool same) {
  (void)same;
  return !x;
}
static weft_status logical_not_ref(const weft_call *c) {
  return weft__logic(c, negate);
}

WEFT_OP(logical_not) = {
    WEFT_UNARY_PROTO("LogicalNot", WEFT_DT(BOOL)),
    .summary = "y = not x",
    .ref = logical_not_ref,
    .examples = WEFT_EXAMPLES("bool[2]{true,false} -> bool[2]{false,true}", "bool[]{true} -> bool[]{false}",
                              "bool[0,3] -> bool[0,3]", "bool[-1,4] -> bool[-1,4]",
                              "i32[1]{1} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
