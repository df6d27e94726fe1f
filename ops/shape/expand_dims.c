// ops/shape/expand_dims.c - inserts one axis of size 1 where input `axis` says.   AscendIR ExpandDims.
// axis counts in the output: [-rank-1, rank].
#include "axes.h"

static weft_status expand_dims_infer(weft_infer *it) {
  int64_t axis;
  bool known;
  WEFT_TRY(weft__in_int(it, 1, &axis, &known));
  if (known)
    return weft__unsqueeze(it, "input 'axis'", &axis, 1);
  if (weft_shape_is_unknown_rank(it->in[0]))
    return weft__unknown_rank(it, 0);
  return weft__unknown_dims(it, 0, it->in[0]->rank + 1);
}

WEFT_OP(expand_dims) = {
    WEFT_OP_HEAD,
    .name = "ExpandDims",
    .summary = "inserts one axis of size 1",
    .in = PORTS({"x", "T"}, {"axis", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    WEFT_AXES_COMMON,
    .infer = expand_dims_infer,
    .examples = WEFT_EXAMPLES("f32[2]{3,4}, i32[]{0} -> f32[1,2]{3,4}",
                              "f32[2]{3,4}, i64[1]{-1} -> f32[2,1]{3,4}", "f32[0,3], i32[]{1} -> f32[0,1,3]",
                              "f32[2,N], i32[]{1} -> f32[2,1,N]", "f32[2,3], i32[] -> f32[-1,-1,-1]",
                              "f32[2], i32[]{2} !! E_RANGE input 'axis'", "f32[2], i32[2]{0,1} !! E_LIMIT"),
};
// SPDX-License-Identifier: Apache-2.0
