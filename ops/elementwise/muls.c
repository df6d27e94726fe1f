// ops/elementwise/muls.c - y = x * value.   AscendIR Muls.
// Integers are multiplied in double, truncated and saturated.
#include "numeric.h"

enum { VALUE };

static double muls_f64(double x, const double *p) {
  return x * p[0];
}
static void muls_c128(double z[2], const double *p) {
  z[0] *= p[0];
  z[1] *= p[0];
}
static weft_status muls_ref(const weft_call *c) {
  const double p[1] = {(double)weft_node_float(c->desc, VALUE)};
  return weft__unary_with(c, &(weft_unary_with){.f = muls_f64, .c = muls_c128, .p = p});
}

WEFT_OP(muls) = {
    WEFT_UNARY_PROTO("Muls",
                     WEFT_FLOATS | WEFT_DT(INT16) | WEFT_DT(INT32) | WEFT_DT(INT64) | WEFT_SET_COMPLEX),
    .summary = "y = x * value",
    .attrs = ATTRS({"value", "Float"}),
    .ref = muls_ref,
    .examples = WEFT_EXAMPLES("f32[4]{1,-2,inf,nan} value=1.5 -> f32[4]{1.5,-3,inf,nan}",
                              "i32[3]{3,-3,2147483647} value=1.5 -> i32[3]{4,-4,2147483647}",
                              "c64[1]{(1,-2)} value=2 -> c64[1]{(2,-4)}", "f32[1]{1} !! E_MISSING value",
                              "f16[0,3] value=1 -> f16[0,3]", "f32[-1,4] value=1 -> f32[-1,4]",
                              "str[1]{\"a\"} value=1 !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
