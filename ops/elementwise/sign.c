// ops/elementwise/sign.c - y = -1, 0 or 1 by the sign of x.   AscendIR Sign, ONNX Sign-13.
// NaN stays; both zeros give 0. Complex: x / |x|, 0 for 0.
#include "numeric.h"

static double sign_f64(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;
}
static int64_t sign_i64(int64_t x) {
  return (x > 0) - (x < 0);
}
static uint64_t sign_u64(uint64_t x) {
  return x > 0;
}
static void sign_c128(double z[2]) {
  double r = hypot(z[0], z[1]);
  if (r != 0) {
    z[0] /= r;
    z[1] /= r;
  } else
    z[0] = z[1] = 0;
}
static weft_status sign_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){sign_f64, sign_i64, sign_u64, sign_c128});
}

WEFT_OP(sign) = {
    WEFT_UNARY_PROTO("Sign", WEFT_NUMBERS | WEFT_SET_COMPLEX),
    .summary = "y = -1, 0 or 1 by the sign of x",
    .ref = sign_ref,
    .examples = WEFT_EXAMPLES("f32[5]{1.5,-2,-0.0,-inf,nan} -> f32[5]{1,-1,0,-1,nan}",
                              "i8[3]{-128,0,5} -> i8[3]{-1,0,1}",
                              "u64[2]{0,18446744073709551615} -> u64[2]{0,1}",
                              "c64[2]{(3,-4),(0,0)} -> c64[2]{(0.6,-0.8),(0,0)} ~1e-6",
                              "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]",
                              "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
