// ops/elementwise/left_shift.c - z = x shifted left by y bits.   AscendIR LeftShift, ONNX BitShift-11 LEFT.
// Bits fall off at the top. A negative y, or one of the width or more, gives 0.
#include "op.h"

static int64_t left_shift_i64(int64_t a, int64_t b, const char **bad) {
  (void)bad;
  return (uint64_t)b > 63 ? 0 : (int64_t)((uint64_t)a << b);
}
static uint64_t left_shift_u64(uint64_t a, uint64_t b, const char **bad) {
  (void)bad;
  return b > 63 ? 0 : a << b;
}
static weft_status left_shift_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){NULL, left_shift_i64, left_shift_u64, NULL});
}

WEFT_OP(left_shift) = {
    WEFT_OP_HEAD,
    .name = "LeftShift",
    .in = PORTS({"x", "T"}, {"y", "T"}),
    .out = PORTS({"z", "T"}),
    .types = TYPES({"T", WEFT_SET_INTEGER}),
    .summary = "z = x shifted left by y bits, with broadcasting",
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .infer = weft__infer_broadcast,
    .ref = left_shift_ref,
    .examples = WEFT_EXAMPLES("u8[4]{1,3,255,1}, u8[4]{3,7,4,8} -> u8[4]{8,128,240,0}",
                              "i32[3]{-1,1,1}, i32[3]{4,31,-1} -> i32[3]{-16,-2147483648,0}",
                              "u64[1]{1}, u64[1]{64} -> u64[1]{0}", "i32[-1,3], i32[5,3] -> i32[5,3]",
                              "i32[0,3], i32[3] -> i32[0,3]", "i32[2,3], i32[2] !! E_SHAPE do not broadcast",
                              "f32[2], f32[2] !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
