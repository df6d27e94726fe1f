// ops/shape/squeeze.c - removes axes of size 1.   AscendIR Squeeze, ONNX Squeeze-11.
// No axis given: every axis of size 1. A given axis of another size fails; axes may be negative.
#include "axes.h"

enum { AXIS };

static weft_status squeeze_infer(weft_infer *it) {
  weft_ints axes = weft_node_ints(it->desc, AXIS);
  return weft__squeeze(it, "attribute 'axis'", axes.v, axes.n, true);
}

WEFT_OP(squeeze) = {
    WEFT_OP_HEAD,
    .name = "Squeeze",
    .summary = "removes axes of size 1",
    .in = PORTS({"x", "T"}),
    .attrs = ATTRS({"axis", "ListInt", "{}"}),
    WEFT_AXES_COMMON,
    .infer = squeeze_infer,
    .examples = WEFT_EXAMPLES("f32[1,2,1]{3,4} -> f32[2]{3,4}", "f32[1,2,1]{3,4} axis=[-1] -> f32[1,2]{3,4}",
                              "f32[1,0,3] axis=[0] -> f32[0,3]", "f32[-1,2,1] axis=[0,2] -> f32[2]",
                              "f32[-1,1] -> f32[?]", "f32[N,1] axis=[1] -> f32[N]", "f32[1,1]{7} -> f32[]{7}",
                              "f32[2,1] axis=[0] !! E_SHAPE axis 0 of x [2,1] has size 2",
                              "f32[1] axis=[1] !! E_RANGE attribute 'axis'",
                              "f32[1,1] axis=[0,-2] !! E_DUPLICATE given twice",
                              "str[1,1]{\"a\"} -> str[]{\"a\"}"),
};
// SPDX-License-Identifier: Apache-2.0
