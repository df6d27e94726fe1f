// ops/elementwise/mul.c - y = x1 * x2.   AscendIR Mul, ONNX Mul-14.
// Two dtypes give their promoted one. Integers wrap; bool multiplies as logical and.
#include "dims_value.h"
#include "numeric.h"

static double mul_f64(double a, double b) {
  return a * b;
}
static int64_t mul_i64(int64_t a, int64_t b, const char **bad) {
  (void)bad;
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
static uint64_t mul_u64(uint64_t a, uint64_t b, const char **bad) {
  (void)bad;
  return a * b;
}
static void mul_c128(double a[2], const double b[2]) {
  weft__mul_complex(a, b);
}
static weft_status mul_ref(const weft_call *c) {
  return weft__binary_mixed(c, &(weft_binary){mul_f64, mul_i64, mul_u64, mul_c128});
}
static weft_status mul_value(weft_infer *it) {
  return weft__dims_binary(it, WEFT__DIMS_MUL);
}

WEFT_OP(mul) = {
    WEFT_OP_HEAD,
    .name = "Mul",
    .in = PORTS({"x1", "T1"}, {"x2", "T2"}),
    .out = PORTS({"y", "T3"}),
    .types = TYPES({"T1", WEFT_NUMBERS | WEFT_DT(BOOL) | WEFT_SET_COMPLEX},
                   {"T2", WEFT_NUMBERS | WEFT_DT(BOOL) | WEFT_SET_COMPLEX},
                   {"T3", WEFT_NUMBERS | WEFT_DT(BOOL) | WEFT_SET_COMPLEX, .promote = "T1,T2"}),
    .summary = "y = x1 * x2, with broadcasting",
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE | WEFT_COMMUTATIVE,
    .infer = weft__infer_broadcast,
    .infer_value = mul_value,
    .ref = mul_ref,
    .examples = WEFT_EXAMPLES(
        "f32[4]{2,inf,nan,-3}, f32[4]{3,0,1,inf} -> f32[4]{6,nan,nan,-inf}",
        "f32[2,1]{1,2}, f32[3]{10,20,30} -> f32[2,3]{10,20,30,20,40,60}", "i8[1]{64}, i8[1]{3} -> i8[1]{-64}",
        "i32[2]{2,3}, f32[1]{1.5} -> f32[2]{3,4.5}", "bf16[1]{3}, f16[1]{2} -> f32[1]{6}",
        "c64[1]{(1,2)}, c64[1]{(3,4)} -> c64[1]{(-5,10)}",
        "bool[2]{true,true}, bool[2]{true,false} -> bool[2]{true,false}", "f32[-1,3], f32[5,3] -> f32[5,3]",
        "f32[0,3], f32[3] -> f32[0,3]", "f32[2,3], f32[2] !! E_SHAPE do not broadcast",
        "f32[1]{1}, str[1]{\"a\"} !! E_DTYPE input 'x2'"),
};
// SPDX-License-Identifier: Apache-2.0
