// ops/elementwise/floor.c - y = the largest integer <= x.   AscendIR Floor, ONNX Floor-13.
// NaN, infinities and -0 stay.
#include "op.h"

static double floor_f64(double x) {
  return floor(x);
}
static weft_status floor_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = floor_f64});
}

WEFT_OP(floor) = {
    WEFT_UNARY_PROTO("Floor", WEFT_FLOATS),
    .summary = "y = the largest integer <= x",
    .ref = floor_ref,
    .examples = WEFT_EXAMPLES("f32[6]{1.5,-1.5,0,-0.5,inf,nan} -> f32[6]{1,-2,0,-1,inf,nan}",
                              "f32[1]{-0.0} -> f32[1]{-0.0}", "bf16[2]{2.5,-2.5} -> bf16[2]{2,-3}",
                              "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]",
                              "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
