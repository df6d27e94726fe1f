// ops/elementwise/atan2.c - y = the angle of the point (x2, x1) in (-pi, pi].   AscendIR Atan2.
// Zeros and infinities as C's atan2; NaN stays.
#include "op.h"

static double atan2_f64(double a, double b) {
  return atan2(a, b);
}
static weft_status atan2_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){atan2_f64, NULL, NULL, NULL});
}

WEFT_OP(atan2) = {
    WEFT_BINARY_PROTO("Atan2", WEFT_FLOATS, 0),
    .summary = "y = the angle of the point (x2, x1) in (-pi, pi], with broadcasting",
    .ref = atan2_ref,
    .examples = WEFT_EXAMPLES("f32[5]{0,1,-1,1,nan}, f32[5]{-1,0,-1,inf,1} -> "
                              "f32[5]{3.14159265,1.57079633,-2.35619449,0,nan} ~1e-6",
                              "f16[1]{1}, f16[1]{1} -> f16[1]{0.78515625}", "f32[-1,3], f32[5,3] -> f32[5,3]",
                              "f32[0,3], f32[3] -> f32[0,3]", "f32[2,3], f32[2] !! E_SHAPE do not broadcast",
                              "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
