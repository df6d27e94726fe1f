// ops/elementwise/right_shift.c - z = x shifted right by y bits.
// AscendIR RightShift, ONNX BitShift-11 RIGHT.
// Signed integers keep their sign. A negative y, or one of the width or more, shifts everything out: 0 or -1.
#include "op.h"

static int64_t right_shift_i64(int64_t a, int64_t b, const char **bad) {
  (void)bad;
  int64_t shift = (uint64_t)b > 63 ? 63 : b;
  return a < 0 ? ~(~a >> shift) : a >> shift;
}
static uint64_t right_shift_u64(uint64_t a, uint64_t b, const char **bad) {
  (void)bad;
  return b > 63 ? 0 : a >> b;
}
static weft_status right_shift_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){NULL, right_shift_i64, right_shift_u64, NULL});
}

WEFT_OP(right_shift) = {
    WEFT_OP_HEAD,
    .name = "RightShift",
    .in = PORTS({"x", "T"}, {"y", "T"}),
    .out = PORTS({"z", "T"}),
    .types = TYPES({"T", WEFT_SET_INTEGER}),
    .summary = "z = x shifted right by y bits, with broadcasting",
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .infer = weft__infer_broadcast,
    .ref = right_shift_ref,
    .examples = WEFT_EXAMPLES("u8[4]{8,128,255,1}, u8[4]{3,7,4,8} -> u8[4]{1,1,15,0}",
                              "i32[4]{-16,-1,7,-7}, i32[4]{2,40,-1,-1} -> i32[4]{-4,-1,0,-1}",
                              "u64[1]{1}, u64[1]{64} -> u64[1]{0}", "i32[-1,3], i32[5,3] -> i32[5,3]",
                              "i32[0,3], i32[3] -> i32[0,3]", "i32[2,3], i32[2] !! E_SHAPE do not broadcast",
                              "f32[2], f32[2] !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
