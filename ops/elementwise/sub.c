// ops/elementwise/sub.c - y = x1 - x2.   AscendIR Sub, ONNX Sub-14.
// Integers wrap; bool subtracts as exclusive or.
#include "dims_value.h"

static double sub_f64(double a, double b) {
  return a - b;
}
static int64_t sub_i64(int64_t a, int64_t b, const char **bad) {
  (void)bad;
  return (int64_t)((uint64_t)a - (uint64_t)b);
}
static uint64_t sub_u64(uint64_t a, uint64_t b, const char **bad) {
  (void)bad;
  return a - b;
}
static void sub_c128(double a[2], const double b[2]) {
  a[0] -= b[0];
  a[1] -= b[1];
}
static weft_status sub_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){sub_f64, sub_i64, sub_u64, sub_c128});
}
static weft_status sub_value(weft_infer *it) {
  return weft__dims_binary(it, WEFT__DIMS_SUB);
}

WEFT_OP(sub) = {
    WEFT_BINARY_PROTO("Sub", WEFT_NUMBERS | WEFT_DT(BOOL) | WEFT_SET_COMPLEX, 0),
    .summary = "y = x1 - x2, with broadcasting",
    .infer_value = sub_value,
    .ref = sub_ref,
    .examples =
        WEFT_EXAMPLES("f32[3]{1,inf,nan}, f32[3]{3,inf,1} -> f32[3]{-2,nan,nan}",
                      "f32[2,1]{1,2}, f32[3]{10,20,30} -> f32[2,3]{-9,-19,-29,-8,-18,-28}",
                      "i8[1]{-128}, i8[1]{1} -> i8[1]{127}", "u8[1]{0}, u8[]{1} -> u8[1]{255}",
                      "c64[1]{(1,2)}, c64[1]{(3,5)} -> c64[1]{(-2,-3)}",
                      "bool[3]{true,true,false}, bool[3]{true,false,false} -> bool[3]{false,true,false}",
                      "f32[-1,3], f32[5,3] -> f32[5,3]", "f32[0,3], f32[3] -> f32[0,3]",
                      "f32[2,3], f32[2] !! E_SHAPE do not broadcast", "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
