// ops/elementwise/adds.c - y = x + value.   AscendIR Adds.
// Integers are added in double, truncated and saturated.
#include "numeric.h"

enum { VALUE };

static double adds_f64(double x, const double *p) {
  return x + p[0];
}
static weft_status adds_ref(const weft_call *c) {
  const double p[1] = {(double)weft_node_float(c->desc, VALUE)};
  return weft__unary_with(c, &(weft_unary_with){.f = adds_f64, .p = p});
}

WEFT_OP(adds) = {
    WEFT_UNARY_PROTO("Adds", WEFT_FLOATS | WEFT_DT(INT16) | WEFT_DT(INT32) | WEFT_DT(INT64)),
    .summary = "y = x + value",
    .attrs = ATTRS({"value", "Float"}),
    .ref = adds_ref,
    .examples = WEFT_EXAMPLES("f32[4]{1,-2,inf,nan} value=1.5 -> f32[4]{2.5,-0.5,inf,nan}",
                              "i32[3]{3,-3,2147483647} value=1.5 -> i32[3]{4,-1,2147483647}",
                              "f16[1]{2048} value=1 -> f16[1]{2048}", "f32[1]{1} !! E_MISSING value",
                              "f16[0,3] value=1 -> f16[0,3]", "f32[-1,4] value=1 -> f32[-1,4]",
                              "str[1]{\"a\"} value=1 !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
