// ops/elementwise/mod.c - y = x1 - trunc(x1 / x2) * x2: the sign of x1.
// AscendIR Mod, ONNX Mod-13 with fmod.
// C's % and fmod. An integer modulo 0 is an error; a float gives NaN.
#include "op.h"
#include "elementwise/divide.rule.h"

static weft_status mod_ref(const weft_call *c) {
  return weft__binary(c, &(weft_binary){weft__remainder_f64, weft__remainder_i64, weft__remainder_u64, NULL});
}

WEFT_OP(mod) = {
    WEFT_BINARY_PROTO("Mod", WEFT_NUMBERS, 0),
    .summary = "y = x1 - trunc(x1 / x2) * x2, with broadcasting: the sign of x1",
    .ref = mod_ref,
    .examples = WEFT_EXAMPLES("f32[6]{7,-7,7,-7,1,5}, f32[6]{3,3,-3,-3,0,inf} -> f32[6]{1,-1,1,-1,nan,5}",
                              "i32[4]{7,-7,7,-7}, i32[4]{3,3,-3,-3} -> i32[4]{1,-1,1,-1}",
                              "i64[1]{-9223372036854775808}, i64[1]{-1} -> i64[1]{0}",
                              "i32[2]{1,5}, i32[2]{1,0} !! E_RANGE element 1: modulo by zero",
                              "u8[1]{200}, u8[]{3} -> u8[1]{2}", "f32[-1,3], f32[5,3] -> f32[5,3]",
                              "f32[0,3], f32[3] -> f32[0,3]", "f32[2,3], f32[2] !! E_SHAPE do not broadcast",
                              "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
