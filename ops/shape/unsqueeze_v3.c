// ops/shape/unsqueeze_v3.c - inserts listed axes of size 1.   AscendIR UnsqueezeV3, ONNX Unsqueeze-21.
// Axes count in the output and may be negative; one given twice fails.
#include "axes.h"

static weft_status unsqueeze_v3_infer(weft_infer *it) {
  int64_t axes[WEFT_MAX_RANK];
  int64_t n;
  bool known;
  WEFT_TRY(weft__in_ints(it, 1, axes, WEFT_MAX_RANK, &n, &known));
  for (int64_t i = 0; known && i < n; i++)
    known = weft__is_literal(axes[i]);
  if (known)
    return weft__unsqueeze(it, "input 'axes'", axes, (size_t)n);
  if (weft_shape_is_unknown_rank(it->in[0]) || n < 0)
    return weft__unknown_rank(it, 0);
  if (n > WEFT_MAX_RANK) {
    return weft_fail(it->d, WEFT_E_LIMIT, "input 'axes': %lld elements, the rank is limited to %d",
                     (long long)n, WEFT_MAX_RANK);
  }
  return weft__unknown_dims(it, 0, it->in[0]->rank + (size_t)n);
}

WEFT_OP(unsqueeze_v3) = {
    WEFT_OP_HEAD,
    .name = "UnsqueezeV3",
    .summary = "inserts the listed axes of size 1",
    .in = PORTS({"x", "T"}, {"axes", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    WEFT_AXES_COMMON,
    .infer = unsqueeze_v3_infer,
    .examples = WEFT_EXAMPLES("f32[2]{3,4}, i64[2]{0,2} -> f32[1,2,1]{3,4}",
                              "i64[]{5}, i64[1]{0} -> i64[1]{5}", "f32[0], i64[1]{-1} -> f32[0,1]",
                              "f32[-1,3], i64[1]{1} -> f32[-1,1,3]", "f32[2,3], i64[1] -> f32[-1,-1,-1]",
                              "f32[2,3], i64[-1] -> f32[?]",
                              "f32[2], i64[1]{2} !! E_RANGE input 'axes': 2 is outside [-2, 1]"),
};
// SPDX-License-Identifier: Apache-2.0
