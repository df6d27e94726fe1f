// ops/shape/squeeze_v3.c - removes listed axes of size 1.   AscendIR SqueezeV3, ONNX Squeeze-21.
// Without `axes`: every axis of size 1; an empty list removes none. A given axis of another size fails.
#include "axes.h"

static weft_status squeeze_v3_infer(weft_infer *it) {
  uint32_t in;
  int64_t axes[WEFT_MAX_RANK];
  int64_t n;
  bool known;
  if (!weft__has_in(it->desc, 1, &in))
    return weft__squeeze(it, "input 'axes'", NULL, 0, true);
  WEFT_TRY(weft__in_ints(it, in, axes, WEFT_MAX_RANK, &n, &known));
  for (int64_t i = 0; known && i < n; i++)
    known = weft__is_literal(axes[i]);
  if (known)
    return weft__squeeze(it, "input 'axes'", axes, (size_t)n, false);
  const weft_shape *x = it->in[0];
  if (weft_shape_is_unknown_rank(x) || n < 0 || n > (int64_t)x->rank)
    return weft__unknown_rank(it, 0);
  return weft__unknown_dims(it, 0, x->rank - (size_t)n);
}

WEFT_OP(squeeze_v3) = {
    WEFT_OP_HEAD,
    .name = "SqueezeV3",
    .summary = "removes the listed axes of size 1",
    .in = PORTS({"x", "T"}, {"axes", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL, .value = WEFT_VALUE_INFER}),
    WEFT_AXES_COMMON,
    .infer = squeeze_v3_infer,
    .examples = WEFT_EXAMPLES("f32[1,2,1]{3,4} -> f32[2]{3,4}",
                              "f32[1,2,1]{3,4}, i64[1]{-1} -> f32[1,2]{3,4}", "f32[1,2], i64[0] -> f32[1,2]",
                              "f32[0,1], i64[1]{1} -> f32[0]", "f32[1,2,3], i64[1] -> f32[-1,-1]",
                              "f32[1,2,3], i64[-1] -> f32[?]", "f32[N,1], i64[1]{1} -> f32[N]",
                              "f32[2,1], i64[1]{0} !! E_SHAPE has size 2, expected 1",
                              "f32[1], i64[1]{1} !! E_RANGE input 'axes': 1 is outside [-1, 0]"),
};
// SPDX-License-Identifier: Apache-2.0
