// ops/elementwise/invert.c - y = ~x, all bits flipped.   AscendIR Invert.
// Signed integers: -x - 1.
#include "op.h"

static int64_t invert_i64(int64_t x) {
  return ~x;
}
static uint64_t invert_u64(uint64_t x) {
  return ~x;
}
static weft_status invert_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){NULL, invert_i64, invert_u64, NULL});
}

WEFT_OP(invert) = {
    WEFT_UNARY_PROTO("Invert", WEFT_SET_INTEGER),
    .summary = "y = ~x, all bits flipped",
    .ref = invert_ref,
    .examples = WEFT_EXAMPLES("i8[3]{0,-1,5} -> i8[3]{-1,0,-6}", "u8[2]{0,170} -> u8[2]{255,85}",
                              "u64[1]{1} -> u64[1]{18446744073709551614}", "i32[]{7} -> i32[]{-8}",
                              "i16[0,3] -> i16[0,3]", "i32[-1,4] -> i32[-1,4]",
                              "f32[1]{1} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
