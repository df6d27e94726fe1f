// ops/elementwise/maximum.c - y = the greater of x1 and x2.   AscendIR Maximum, ONNX Max-13.
// NaN in either gives NaN; 0 is above -0.
#include "dims_value.h"

static double maximum_f64(double a, double b) {
  if (a != a || b != b)
    return a != a ? a : b;
  if (a == b)
    return signbit(a) < signbit(b) ? a : b;
  return a > b ? a : b;
}
static int64_t maximum_i64(int64_t a, int64_t b, const char **bad) {
  (void)bad;
  return a > b ? a : b;
}
static uint64_t maximum_u64(uint64_t a, uint64_t b, const char **bad) {
  (void)bad;
  return a > b ? a : b;
}
static weft_status maximum_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){maximum_f64, maximum_i64, maximum_u64, NULL});
}
static weft_status maximum_value(weft_infer *it) {
  return weft__dims_binary(it, WEFT__DIMS_MAX);
}

WEFT_OP(maximum) = {
    WEFT_BINARY_PROTO("Maximum", WEFT_NUMBERS, WEFT_COMMUTATIVE),
    .summary = "y = the greater of x1 and x2, with broadcasting",
    .infer_value = maximum_value,
    .ref = maximum_ref,
    .examples = WEFT_EXAMPLES("f32[5]{1,nan,1,-inf,-0.0}, f32[5]{2,1,nan,inf,0} -> f32[5]{2,nan,nan,inf,0}",
                              "i8[2]{-128,5}, i8[1]{3} -> i8[2]{3,5}",
                              "u64[1]{18446744073709551615}, u64[1]{1} -> u64[1]{18446744073709551615}",
                              "f32[-1,3], f32[5,3] -> f32[5,3]", "f32[0,3], f32[3] -> f32[0,3]",
                              "f32[2,3], f32[2] !! E_SHAPE do not broadcast", "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
