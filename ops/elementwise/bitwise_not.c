// ops/elementwise/bitwise_not.c - y = ~x, all bits flipped; bool: not x.
// AscendIR BitwiseNot, ONNX BitwiseNot-18.
// Signed integers: -x - 1.
#include "op.h"

static int64_t bitwise_not_i64(int64_t x) {
  return ~x;
}
static uint64_t bitwise_not_u64(uint64_t x) {
  return ~x;
}
static bool negate(bool x, bool same) {
  (void)same;
  return !x;
}
static weft_status bitwise_not_ref(const weft_call *c) {
  if (c->in[0]->dtype == WEFT_BOOL)
    return weft__logic(c, negate);
  return weft__unary(c, &(weft_unary){.i = bitwise_not_i64, .u = bitwise_not_u64});
}

WEFT_OP(bitwise_not) = {
    WEFT_UNARY_PROTO("BitwiseNot", WEFT_SET_INTEGER | WEFT_DT(BOOL)),
    .summary = "y = ~x, all bits flipped; bool: not x",
    .ref = bitwise_not_ref,
    .examples = WEFT_EXAMPLES("i8[3]{0,-1,5} -> i8[3]{-1,0,-6}", "u16[1]{1} -> u16[1]{65534}",
                              "bool[2]{true,false} -> bool[2]{false,true}", "i32[]{7} -> i32[]{-8}",
                              "i16[0,3] -> i16[0,3]", "i32[-1,4] -> i32[-1,4]",
                              "f32[1]{1} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
