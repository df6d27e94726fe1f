// ops/elementwise/clip_by_value.c - y = x clipped to its bounds.   AscendIR ClipByValue, ONNX Clip-13.
// min(max(x, clip_value_min), clip_value_max): y has the shape of x, the bounds must broadcast to it. NaN
// in any
// input gives NaN; where the bounds cross, the upper one wins. Complex numbers have no order: no kernel.
#include "numeric.h"

static weft_status clip_by_value_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_broadcast_to(it, 1, 0));
  WEFT_TRY(weft__expect_broadcast_to(it, 2, 0));
  return weft__same(it, 0, 0);
}

WEFT_OP(clip_by_value) = {
    WEFT_OP_HEAD,
    .name = "ClipByValue",
    .summary = "y = min(max(x, clip_value_min), clip_value_max)",
    .in = PORTS({"x", "T"}, {"clip_value_min", "T"}, {"clip_value_max", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_SET_NUMBER}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE | WEFT_INPLACE,
    .infer = clip_by_value_infer,
    .ref = weft__clip,
    .examples = WEFT_EXAMPLES(
        "f32[5]{-5,0.5,9,inf,nan}, f32[]{-1}, f32[]{2} -> f32[5]{-1,0.5,2,2,nan}",
        "f32[1]{0}, f32[1]{nan}, f32[1]{1} -> f32[1]{nan}", "f32[1]{0}, f32[1]{3}, f32[1]{1} -> f32[1]{1}",
        "f32[2,2]{1,2,3,4}, f32[2]{2,3}, f32[2,1]{2,3} -> f32[2,2]{2,2,3,3}",
        "i8[3]{-128,5,127}, i8[1]{-3}, i8[]{100} -> i8[3]{-3,5,100}",
        "u64[1]{18446744073709551615}, u64[]{1}, u64[]{18446744073709551614} -> u64[1]{18446744073709551614}",
        "f16[0,3], f16[3], f16[] -> f16[0,3]", "f32[-1,4], f32[], f32[4] -> f32[-1,4]",
        "f32[4], f32[2,4], f32[] !! E_SHAPE input 'clip_value_min': shape [2,4] does not broadcast",
        "c64[1]{(1,2)}, c64[1]{(0,0)}, c64[1]{(2,2)} !! E_UNSUPPORTED DT_COMPLEX64",
        "f32[4], i32[], f32[] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
