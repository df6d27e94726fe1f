// ops/data/pad.c - x with zeros around it.   AscendIR Pad.
// paddings holds [before, after] of every axis; negative counts cut off.
#include "pad.h"

static weft_status pad_infer(weft_infer *it) {
  return weft__pad_infer(it, WEFT_PAD_CONSTANT, true);
}
static weft_status pad_ref(const weft_call *c) {
  return weft__pad_ref(c, WEFT_PAD_CONSTANT, true, NULL);
}

WEFT_OP(pad) = {
    WEFT_OP_HEAD,
    .name = "Pad",
    .summary = "zeros around a tensor",
    .in = PORTS({"x", "T"}, {"paddings", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = pad_infer,
    .ref = pad_ref,
    .examples = WEFT_EXAMPLES("f32[2]{1,2}, i32[1,2]{1,2} -> f32[5]{0,1,2,0,0}",
                              "i32[1,2]{1,2}, i64[2,2]{0,1,1,0} -> i32[2,3]{0,1,2,0,0,0}",
                              "f32[3]{1,2,3}, i32[1,2]{-1,1} -> f32[3]{2,3,0}",
                              "f32[0], i32[1,2]{1,1} -> f32[2]{0,0}",
                              "f32[-1,3], i32[2,2]{0,0,1,1} -> f32[-1,5]",
                              "f32[N,3], i32[2,2]{1,1,0,0} -> f32[N+2,3]", "f32[2,3], i32[2,2] -> f32[-1,-1]",
                              "f32[?], i32[2,2] -> f32[-1,-1]",
                              "f32[2], i32[2,2]{1,1,1,1} !! E_SHAPE 4 elements, x of rank 1 needs 2",
                              "f32[1], i32[1,2]{-1,-1} !! E_SHAPE leaves -1"),
};
// SPDX-License-Identifier: Apache-2.0
