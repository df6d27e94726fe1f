// ops/elementwise/real_div.c - y = x1 / x2.   AscendIR RealDiv.
// Integers keep their dtype and truncate toward 0; dividing one by 0 is an error. Bool gives FLOAT.
#include "numeric.h"
#include "elementwise/divide.rule.h"

static double real_div_f64(double a, double b) {
  return a / b;
}
static void real_div_c128(double a[2], const double b[2]) {
  weft__div_complex(a, b);
}
static weft_status real_div_ref(const weft_call *c) {
  return weft__binary_mixed(
      c, &(weft_binary){real_div_f64, weft__quotient_i64, weft__quotient_u64, real_div_c128});
}
static weft_status real_div_infer(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0] == WEFT_BOOL ? (weft_dtype)WEFT_FLOAT : it->in_dtype[0];
  return weft__infer_broadcast(it);
}

WEFT_OP(real_div) = {
    WEFT_OP_HEAD,
    .name = "RealDiv",
    .in = PORTS({"x1", "T"}, {"x2", "T"}),
    .out = PORTS({"y", NULL, WEFT_NUMBERS | WEFT_SET_COMPLEX}),
    .types = TYPES({"T", WEFT_NUMBERS | WEFT_SET_COMPLEX | WEFT_DT(BOOL)}),
    .summary = "y = x1 / x2, with broadcasting",
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .infer = real_div_infer,
    .ref = real_div_ref,
    .examples = WEFT_EXAMPLES("f32[5]{7,1,-1,0,inf}, f32[5]{2,0,0,0,inf} -> f32[5]{3.5,inf,-inf,nan,nan}",
                              "i32[4]{7,-7,7,-7}, i32[4]{2,2,-2,-2} -> i32[4]{3,-3,-3,3}",
                              "i32[1]{-2147483648}, i32[1]{-1} -> i32[1]{-2147483648}",
                              "i64[1]{-9223372036854775808}, i64[1]{-1} -> i64[1]{-9223372036854775808}",
                              "i8[1]{-128}, i8[]{-1} -> i8[1]{-128}",
                              "i32[2]{1,5}, i32[2]{1,0} !! E_RANGE element 1: division by zero",
                              "u8[1]{200}, u8[1]{3} -> u8[1]{66}",
                              "u64[1]{1}, u64[1]{0} !! E_RANGE division by zero",
                              "f16[1]{1}, f16[1]{3} -> f16[1]{0.33325195}",
                              "c64[1]{(1,2)}, c64[1]{(3,4)} -> c64[1]{(0.44,0.08)} ~1e-6",
                              "bool[2]{true,false}, bool[2]{true,true} -> f32[2]{1,0}",
                              "f32[-1,3], f32[5,3] -> f32[5,3]", "f32[0,3], f32[3] -> f32[0,3]",
                              "f32[2,3], f32[2] !! E_SHAPE do not broadcast", "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
