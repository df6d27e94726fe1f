// ops/elementwise/floor_div.c - y = the largest integer <= x1 / x2.   AscendIR FloorDiv.
// Dividing an integer by 0 is an error, the smallest by -1 wraps. Floats: floor of the IEEE quotient.
#include "dims_value.h"
#include "elementwise/divide.rule.h"

static double floor_div_f64(double a, double b) {
  return floor(a / b);
}
static weft_status floor_div_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){floor_div_f64, weft__floor_quotient_i64, weft__quotient_u64, NULL});
}
static weft_status floor_div_value(weft_infer *it) {
  return weft__dims_binary(it, WEFT__DIMS_FLOORDIV);
}

WEFT_OP(floor_div) = {
    WEFT_BINARY_PROTO("FloorDiv", WEFT_NUMBERS, 0),
    .summary = "y = the largest integer <= x1 / x2, with broadcasting",
    .infer_value = floor_div_value,
    .ref = floor_div_ref,
    .examples = WEFT_EXAMPLES("f32[6]{7,-7,1,-1,0,inf}, f32[6]{2,2,0,0,0,2} -> f32[6]{3,-4,inf,-inf,nan,inf}",
                              "i32[4]{7,-7,7,-7}, i32[4]{2,2,-2,-2} -> i32[4]{3,-4,-4,3}",
                              "i64[1]{-9223372036854775808}, i64[1]{-1} -> i64[1]{-9223372036854775808}",
                              "i32[2]{1,5}, i32[2]{1,0} !! E_RANGE element 1: division by zero",
                              "u8[1]{200}, u8[]{3} -> u8[1]{66}", "f32[-1,3], f32[5,3] -> f32[5,3]",
                              "f32[0,3], f32[3] -> f32[0,3]", "f32[2,3], f32[2] !! E_SHAPE do not broadcast",
                              "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
