// ops/elementwise/squared_difference.c - y = (x1 - x2)^2; complex: (x1 - x2) times its conjugate.
// AscendIR SquaredDifference.
// Integers wrap.
#include "op.h"

static double squared_difference_f64(double a, double b) {
  return (a - b) * (a - b);
}
static int64_t squared_difference_i64(int64_t a, int64_t b, const char **bad) {
  (void)bad;
  return (int64_t)(((uint64_t)a - (uint64_t)b) * ((uint64_t)a - (uint64_t)b));
}
static uint64_t squared_difference_u64(uint64_t a, uint64_t b, const char **bad) {
  (void)bad;
  return (a - b) * (a - b);
}
static void squared_difference_c128(double a[2], const double b[2]) {
  double re = a[0] - b[0], im = a[1] - b[1];
  a[0] = re * re + im * im;
  a[1] = 0;
}
static weft_status squared_difference_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){squared_difference_f64, squared_difference_i64,
                                        squared_difference_u64, squared_difference_c128});
}

WEFT_OP(squared_difference) = {
    WEFT_BINARY_PROTO("SquaredDifference", WEFT_NUMBERS | WEFT_SET_COMPLEX, WEFT_COMMUTATIVE),
    .summary = "y = (x1 - x2)^2, with broadcasting; complex: (x1 - x2) times its conjugate",
    .ref = squared_difference_ref,
    .examples = WEFT_EXAMPLES("f32[3]{1,-2,inf}, f32[3]{4,2,inf} -> f32[3]{9,16,nan}",
                              "i8[1]{100}, i8[1]{80} -> i8[1]{-112}", "u8[1]{1}, u8[1]{3} -> u8[1]{4}",
                              "c64[1]{(1,2)}, c64[1]{(4,6)} -> c64[1]{(25,0)}",
                              "f32[-1,3], f32[5,3] -> f32[5,3]", "f32[0,3], f32[3] -> f32[0,3]",
                              "f32[2,3], f32[2] !! E_SHAPE do not broadcast", "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
