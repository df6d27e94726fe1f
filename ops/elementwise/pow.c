// ops/elementwise/pow.c - y = x1 to the power x2.   AscendIR Pow, ONNX Pow-15.
// Two dtypes give their promoted one. Integers wrap; to a negative power they are truncated (0 but for 1
// and -1), and 0 to a negative power is an error. Floats follow C's pow: anything to the 0 is 1.
#include "numeric.h"

// By squaring, modulo 2^64.
static uint64_t power(uint64_t a, uint64_t n) {
  uint64_t r = 1;
  for (; n; n >>= 1, a *= a) {
    if (n & 1)
      r *= a;
  }
  return r;
}
static double pow_f64(double a, double b) {
  return pow(a, b);
}
static int64_t pow_i64(int64_t a, int64_t b, const char **bad) {
  if (b >= 0)
    return (int64_t)power((uint64_t)a, (uint64_t)b);
  if (a == 0)
    return *bad = "zero to a negative power", 0;
  return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
}
static uint64_t pow_u64(uint64_t a, uint64_t b, const char **bad) {
  (void)bad;
  return power(a, b);
}
static void pow_c128(double a[2], const double b[2]) {
  double complex x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  x = cpow(x, y);
  memcpy(a, &x, sizeof x);
}
static weft_status pow_ref(const weft_call *c) {
  return weft__binary_mixed(c, &(weft_binary){pow_f64, pow_i64, pow_u64, pow_c128});
}

WEFT_OP(pow) = {
    WEFT_OP_HEAD,
    .name = "Pow",
    .in = PORTS({"x1", "T1"}, {"x2", "T2"}),
    .out = PORTS({"y", "T3"}),
    .types = TYPES({"T1", WEFT_NUMBERS | WEFT_SET_COMPLEX}, {"T2", WEFT_NUMBERS | WEFT_SET_COMPLEX},
                   {"T3", WEFT_NUMBERS | WEFT_SET_COMPLEX, .promote = "T1,T2"}),
    .summary = "y = x1 to the power x2, with broadcasting",
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .infer = weft__infer_broadcast,
    .ref = pow_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{2,4,-2,0,nan,-8}, f32[6]{3,0.5,3,-1,0,0.5} -> f32[6]{8,2,-8,inf,1,nan} ~1e-6",
        "i32[5]{2,-3,1,-1,5}, i32[5]{10,3,-5,-3,-1} -> i32[5]{1024,-27,1,-1,0}",
        "i8[1]{2}, i8[1]{7} -> i8[1]{-128}", "i32[1]{0}, i32[1]{-1} !! E_RANGE zero to a negative power",
        "f32[2]{2,3}, i64[]{2} -> f32[2]{4,9}", "u64[1]{3}, u64[1]{3} -> u64[1]{27}",
        "c64[1]{(0,1)}, c64[1]{(2,0)} -> c64[1]{(-1,0)} ~1e-6", "f32[-1,3], f32[5,3] -> f32[5,3]",
        "f32[0,3], f32[3] -> f32[0,3]", "f32[2,3], f32[2] !! E_SHAPE do not broadcast",
        "f32[1]{1}, str[1]{\"a\"} !! E_DTYPE input 'x2'"),
};
// SPDX-License-Identifier: Apache-2.0
