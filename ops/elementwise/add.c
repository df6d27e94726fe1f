// ops/elementwise/add.c - y = x1 + x2 with broadcasting.   AscendIR Add, ONNX Add-14.
// Integers wrap; bool adds as logical or, as in AscendIR.
#include "dims_value.h"

static double add_f64(double a, double b) {
  return a + b;
}
static int64_t add_i64(int64_t a, int64_t b, const char **bad) {
  (void)bad;
  return (int64_t)((uint64_t)a + (uint64_t)b);
}
static uint64_t add_u64(uint64_t a, uint64_t b, const char **bad) {
  (void)bad;
  return a + b;
}
static void add_c128(double a[2], const double b[2]) {
  a[0] += b[0];
  a[1] += b[1];
}
static weft_status add_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){add_f64, add_i64, add_u64, add_c128});
}
static weft_status add_value(weft_infer *it) {
  return weft__dims_binary(it, WEFT__DIMS_ADD);
}

WEFT_OP(add) = {
    WEFT_BINARY_PROTO("Add", WEFT_NUMBERS | WEFT_DT(BOOL) | WEFT_SET_COMPLEX, WEFT_COMMUTATIVE),
    .summary = "y = x1 + x2, with broadcasting",
    .infer_value = add_value,
    .ref = add_ref,
    .examples = WEFT_EXAMPLES("f32[2]{1,2}, f32[2]{3,4} -> f32[2]{4,6}",
                              "f32[2,1]{1,2}, f32[3]{10,20,30} -> f32[2,3]{11,21,31,12,22,32}",
                              "i8[1]{127}, i8[1]{1} -> i8[1]{-128}", "f32[-1,3], f32[5,3] -> f32[5,3]",
                              "f16[1]{2048}, f16[1]{1} -> f16[1]{2048}",
                              "f32[2,3], f32[3,2] !! E_SHAPE dims 2 and 3", "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
