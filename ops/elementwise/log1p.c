// ops/elementwise/log1p.c - y = ln(1 + x).   AscendIR Log1p.
// Exact near 0. Below -1 NaN, -1 gives -inf.
#include "numeric.h"

static double log1p_f64(double x) {
  return log1p(x);
}
static double complex log1p_function(double complex z) {
  return clog(1 + z);
}
static void log1p_c128(double z[2]) {
  weft__apply_complex(z, log1p_function);
}
static weft_status log1p_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = log1p_f64, .c = log1p_c128});
}

WEFT_OP(log1p) = {
    WEFT_UNARY_PROTO("Log1p", WEFT_SET_UNARY),
    .summary = "y = ln(1 + x)",
    .ref = log1p_ref,
    .examples = WEFT_EXAMPLES(
        "f32[7]{0,1,1e-07,-1,-2,inf,nan} -> f32[7]{0,0.693147181,9.9999995e-08,-inf,nan,inf,nan} ~1e-6",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.589327498,0.588002604),(0.0303123109,-2.89661399)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
