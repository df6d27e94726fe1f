// ops/special/erfcx.c - y = e^(x^2) erfc(x).   weft's own.
// Beyond 20, where the factors leave their range, by the asymptotic series (DLMF 7.12.1). NaN stays.
#include "numeric.h"

static double erfcx_f64(double x) {
  if (x < 20)
    return exp(x * x) * erfc(x);
  double r = 0.5 / (x * x);
  return 0.56418958354775628695 / x * (1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r * (1 - 9 * r)))));
}
static weft_status erfcx_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = erfcx_f64});
}

WEFT_OP(erfcx) = {
    WEFT_UNARY_PROTO("Erfcx", WEFT_FLOATS),
    .summary = "y = e^(x^2) * erfc(x)",
    .ref = erfcx_ref,
    .examples =
        WEFT_EXAMPLES("f32[6]{0,1,-1,inf,-inf,nan} -> f32[6]{1,0.42758358,5.0089801,0,inf,nan} ~1e-6",
                      "f64[3]{19.9,20,100} -> "
                      "f64[3]{0.028315573983185764,0.02817434874105132,0.005641613782989433} ~1e-12",
                      "f16[N] -> f16[N]", "i32[1]{1} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
