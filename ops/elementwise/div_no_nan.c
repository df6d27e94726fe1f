// ops/elementwise/div_no_nan.c - y = x1 / x2, and 0 where x2 is 0.   AscendIR DivNoNan.
// Integers truncate toward 0; the smallest by -1 wraps. NaN / 0 is 0, too.
#include "op.h"

static double div_no_nan_f64(double a, double b) {
  return b == 0 ? 0 : a / b;
}
static int64_t div_no_nan_i64(int64_t a, int64_t b, const char **bad) {
  (void)bad;
  return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static uint64_t div_no_nan_u64(uint64_t a, uint64_t b, const char **bad) {
  (void)bad;
  return b == 0 ? 0 : a / b;
}
static weft_status div_no_nan_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){div_no_nan_f64, div_no_nan_i64, div_no_nan_u64, NULL});
}

WEFT_OP(div_no_nan) = {
    WEFT_BINARY_PROTO("DivNoNan", WEFT_NUMBERS, 0),
    .summary = "y = x1 / x2, and 0 where x2 is 0; with broadcasting",
    .ref = div_no_nan_ref,
    .examples = WEFT_EXAMPLES("f32[5]{7,1,nan,nan,0}, f32[5]{2,0,0,1,0} -> f32[5]{3.5,0,0,nan,0}",
                              "i32[3]{-7,7,-2147483648}, i32[3]{2,0,-1} -> i32[3]{-3,0,-2147483648}",
                              "u8[1]{200}, u8[]{0} -> u8[1]{0}", "f32[-1,3], f32[5,3] -> f32[5,3]",
                              "f32[0,3], f32[3] -> f32[0,3]", "f32[2,3], f32[2] !! E_SHAPE do not broadcast",
                              "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
