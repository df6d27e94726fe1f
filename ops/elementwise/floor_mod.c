// ops/elementwise/floor_mod.c - y = x1 - floor(x1 / x2) * x2: the sign of x2.
// AscendIR FloorMod, ONNX Mod-13 without fmod.
// An integer modulo 0 is an error; a float gives NaN. x modulo +-inf is x, or the inf when the signs differ.
#include "op.h"
#include "elementwise/divide.rule.h"

static weft_status floor_mod_ref(const weft_call *c) {
  return weft__binary(
      c, &(weft_binary){weft__floor_remainder_f64, weft__floor_remainder_i64, weft__remainder_u64, NULL});
}

WEFT_OP(floor_mod) = {
    WEFT_BINARY_PROTO("FloorMod", WEFT_NUMBERS, 0),
    .summary = "y = x1 - floor(x1 / x2) * x2, with broadcasting: the sign of x2",
    .ref = floor_mod_ref,
    .examples = WEFT_EXAMPLES("f32[6]{7,-7,7,-7,1,-1}, f32[6]{3,3,-3,-3,0,inf} -> f32[6]{1,2,-2,-1,nan,inf}",
                              "i32[4]{7,-7,7,-7}, i32[4]{3,3,-3,-3} -> i32[4]{1,2,-2,-1}",
                              "i64[1]{-9223372036854775808}, i64[1]{-1} -> i64[1]{0}",
                              "i32[2]{1,5}, i32[2]{1,0} !! E_RANGE element 1: modulo by zero",
                              "u8[1]{200}, u8[]{3} -> u8[1]{2}", "f32[-1,3], f32[5,3] -> f32[5,3]",
                              "f32[0,3], f32[3] -> f32[0,3]", "f32[2,3], f32[2] !! E_SHAPE do not broadcast",
                              "f32[2], i32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
