// ops/shape/unsqueeze.c - inserts axes of size 1.   AscendIR Unsqueeze, ONNX Unsqueeze-11.
// Axes count in the output and may be negative; one given twice fails.
#include "axes.h"

enum { AXES };

static weft_status unsqueeze_infer(weft_infer *it) {
  weft_ints axes = weft_node_ints(it->desc, AXES);
  return weft__unsqueeze(it, "attribute 'axes'", axes.v, axes.n);
}

WEFT_OP(unsqueeze) = {
    WEFT_OP_HEAD,
    .name = "Unsqueeze",
    .summary = "inserts axes of size 1",
    .in = PORTS({"x", "T"}),
    .attrs = ATTRS({"axes", "ListInt", "{}"}),
    WEFT_AXES_COMMON,
    .infer = unsqueeze_infer,
    .examples = WEFT_EXAMPLES("f32[2]{3,4} axes=[0,2] -> f32[1,2,1]{3,4}", "f32[]{5} axes=[-1] -> f32[1]{5}",
                              "f32[0,3] axes=[1] -> f32[0,1,3]", "f32[-1,N] axes=[-2] -> f32[-1,1,N]",
                              "f32[?] axes=[0] -> f32[?]",
                              "f32[2] axes=[2] !! E_RANGE attribute 'axes': 2 is outside [-2, 1]",
                              "f32[2] axes=[0,-3] !! E_DUPLICATE axis 0 is given twice"),
};
// SPDX-License-Identifier: Apache-2.0
