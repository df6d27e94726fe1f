// ops/elementwise/neg.c - y = -x.   AscendIR Neg, ONNX Neg-13.
// Integers wrap: the smallest stays, unsigned ones count down from 2^n. 0 gives -0.
#include "dims_value.h"
#include "numeric.h"

static double neg_f64(double x) {
  return -x;
}
static int64_t neg_i64(int64_t x) {
  return (int64_t)(0 - (uint64_t)x);
}
static uint64_t neg_u64(uint64_t x) {
  return 0 - x;
}
static void neg_c128(double z[2]) {
  z[0] = -z[0];
  z[1] = -z[1];
}
static weft_status neg_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){neg_f64, neg_i64, neg_u64, neg_c128});
}

WEFT_OP(neg) = {
    WEFT_UNARY_PROTO("Neg", WEFT_NUMBERS | WEFT_SET_COMPLEX),
    .summary = "y = -x",
    .ref = neg_ref,
    .infer_value = weft__dims_neg,
    .examples = WEFT_EXAMPLES("f32[4]{1.5,-2,inf,0} -> f32[4]{-1.5,2,-inf,-0.0}",
                              "i8[3]{-128,-3,5} -> i8[3]{-128,3,-5}",
                              "i64[1]{-9223372036854775808} -> i64[1]{-9223372036854775808}",
                              "u8[2]{0,1} -> u8[2]{0,255}", "c64[1]{(3,-4)} -> c64[1]{(-3,4)}",
                              "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]",
                              "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
