// ops/elementwise/xlogy.c - y = x1 * ln(x2), and 0 where x1 is 0.   AscendIR Xlogy.
// 0 wins over every x2, NaN included.
#include "numeric.h"

static double xlogy_f64(double a, double b) {
  return a == 0 ? 0 : a * log(b);
}
static void xlogy_c128(double a[2], const double b[2]) {
  double z[2] = {b[0], b[1]};
  if (a[0] == 0 && a[1] == 0)
    return;
  weft__apply_complex(z, clog);
  weft__mul_complex(a, z);
}
static weft_status xlogy_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){xlogy_f64, NULL, NULL, xlogy_c128});
}

WEFT_OP(xlogy) = {
    WEFT_BINARY_PROTO("Xlogy", WEFT_FLOATS | WEFT_SET_COMPLEX, 0),
    .summary = "y = x1 * ln(x2), and 0 where x1 is 0; with broadcasting",
    .ref = xlogy_ref,
    .examples = WEFT_EXAMPLES("f32[6]{0,0,2,2,2,nan}, f32[6]{0,nan,1,0,-1,1} -> f32[6]{0,0,0,-inf,nan,nan}",
                              "f32[1]{3}, f32[1]{2} -> f32[1]{2.07944154} ~1e-6",
                              "c64[1]{(0,2)}, c64[1]{(0,1)} -> c64[1]{(-3.14159265,0)} ~1e-6",
                              "f32[-1,3], f32[5,3] -> f32[5,3]", "f32[0,3], f32[3] -> f32[0,3]",
                              "f32[2,3], f32[2] !! E_SHAPE do not broadcast", "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
