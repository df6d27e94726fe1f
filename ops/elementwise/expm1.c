// ops/elementwise/expm1.c - y = e^x - 1.   AscendIR Expm1.
// Exact near 0.
#include "numeric.h"

static double expm1_f64(double x) {
  return expm1(x);
}
static double complex expm1_function(double complex z) {
  return cexp(z) - 1;
}
static void expm1_c128(double z[2]) {
  weft__apply_complex(z, expm1_function);
}
static weft_status expm1_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = expm1_f64, .c = expm1_c128});
}

WEFT_OP(expm1) = {
    WEFT_UNARY_PROTO("Expm1", WEFT_SET_UNARY),
    .summary = "y = e^x - 1",
    .ref = expm1_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{0,1,1e-07,-inf,inf,nan} -> f32[6]{0,1.71828183,1.00000005e-07,-1,inf,nan} ~1e-6",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(-0.109192096,1.38735111),(-0.868871963,-0.0334824849)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
