// ops/elementwise/square.c - y = x * x.   AscendIR Square.
// Integers wrap.
#include "numeric.h"

static double square_f64(double x) {
  return x * x;
}
static int64_t square_i64(int64_t x) {
  return (int64_t)((uint64_t)x * (uint64_t)x);
}
static uint64_t square_u64(uint64_t x) {
  return x * x;
}
static void square_c128(double z[2]) {
  weft__mul_complex(z, (const double[2]){z[0], z[1]});
}
static weft_status square_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){square_f64, square_i64, square_u64, square_c128});
}

WEFT_OP(square) = {
    WEFT_UNARY_PROTO("Square", WEFT_NUMBERS | WEFT_SET_COMPLEX),
    .summary = "y = x * x",
    .ref = square_ref,
    .examples = WEFT_EXAMPLES("f32[4]{1.5,-2,-inf,nan} -> f32[4]{2.25,4,inf,nan}",
                              "i32[2]{-3,65536} -> i32[2]{9,0}", "f16[1]{300} -> f16[1]{inf}",
                              "c64[1]{(3,-4)} -> c64[1]{(-7,-24)}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
