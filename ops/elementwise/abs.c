// ops/elementwise/abs.c - y = |x|.   AscendIR Abs, ONNX Abs-13.
// The smallest integer wraps to itself. A complex x gives |x| + 0i: the prototype keeps the dtype. NaN stays.
#include "numeric.h"

static double abs_f64(double x) {
  return fabs(x);
}
static int64_t abs_i64(int64_t x) {
  return x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
}
static uint64_t abs_u64(uint64_t x) {
  return x;
}
static void abs_c128(double z[2]) {
  z[0] = hypot(z[0], z[1]);
  z[1] = 0;
}
static weft_status abs_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){abs_f64, abs_i64, abs_u64, abs_c128});
}

WEFT_OP(abs) = {
    WEFT_UNARY_PROTO("Abs", WEFT_NUMBERS | WEFT_DT(BOOL) | WEFT_SET_COMPLEX),
    .summary = "y = |x|",
    .ref = abs_ref,
    .examples = WEFT_EXAMPLES("f32[5]{-1.5,2,-inf,-0.0,nan} -> f32[5]{1.5,2,inf,0,nan}",
                              "i8[3]{-128,-3,5} -> i8[3]{-128,3,5}",
                              "i64[1]{-9223372036854775808} -> i64[1]{-9223372036854775808}",
                              "u8[2]{0,255} -> u8[2]{0,255}", "c64[1]{(3,-4)} -> c64[1]{(5,0)}",
                              "bool[2]{true,false} -> bool[2]{true,false}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
