// ops/elementwise/rsqrt.c - y = 1 / the square root of x.   AscendIR Rsqrt.
// 0 gives inf, negative numbers NaN.
#include "numeric.h"

static double rsqrt_f64(double x) {
  return 1 / sqrt(x);
}
static double complex rsqrt_function(double complex z) {
  return 1 / csqrt(z);
}
static void rsqrt_c128(double z[2]) {
  weft__apply_complex(z, rsqrt_function);
}
static weft_status rsqrt_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = rsqrt_f64, .c = rsqrt_c128});
}

WEFT_OP(rsqrt) = {
    WEFT_UNARY_PROTO("Rsqrt", WEFT_SET_UNARY),
    .summary = "y = 1 / the square root of x",
    .ref = rsqrt_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{4,2,0,-1,inf,nan} -> f32[6]{0.5,0.707106781,inf,nan,0,nan} ~1e-6", "f32[]{0.25} -> f32[]{2}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.804495864,-0.497205788),(0.0437678309,0.703010182)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
