// ops/elementwise/bitwise_and.c - y = x1 and x2 bit by bit.   AscendIR BitwiseAnd, ONNX BitwiseAnd-18.
// Signed integers are two's complement.
#include "op.h"

static int64_t bitwise_and_i64(int64_t a, int64_t b, const char **bad) {
  (void)bad;
  return a & b;
}
static uint64_t bitwise_and_u64(uint64_t a, uint64_t b, const char **bad) {
  (void)bad;
  return a & b;
}
static weft_status bitwise_and_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){NULL, bitwise_and_i64, bitwise_and_u64, NULL});
}

WEFT_OP(bitwise_and) = {
    WEFT_BINARY_PROTO("BitwiseAnd", WEFT_SET_INTEGER, WEFT_COMMUTATIVE),
    .summary = "y = x1 and x2 bit by bit, with broadcasting",
    .ref = bitwise_and_ref,
    .examples = WEFT_EXAMPLES("u8[2]{12,7}, u8[2]{10,5} -> u8[2]{8,5}",
                              "i64[2]{-1,-256}, i64[2]{1,-1} -> i64[2]{1,-256}",
                              "i16[2,1]{1,2}, i16[]{0} -> i16[2,1]{0,0}", "i32[-1,3], i32[5,3] -> i32[5,3]",
                              "i32[0,3], i32[3] -> i32[0,3]", "i32[2,3], i32[2] !! E_SHAPE do not broadcast",
                              "f32[2], f32[2] !! E_DTYPE input 'x1'"),
};
// SPDX-License-Identifier: Apache-2.0
