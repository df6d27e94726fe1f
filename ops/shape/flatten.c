// ops/shape/flatten.c - x as a matrix.   AscendIR Flatten, ONNX Flatten-21.
// [product of the dims before axis, product of the others]. axis in [-rank, rank]; a scalar gives [1,1].
#include "dims_move.h"

enum { AXIS };

static weft_status flatten_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  int64_t axis = weft_node_int(it->desc, AXIS);
  int64_t rank = (int64_t)x->rank;
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_dims(it, 0, 2);
  if (!rank && axis == 1 && weft_attr_at(it->desc, AXIS, WEFT_VT_INT)->is_default)
    axis = 0;
  if (axis < -rank || axis > rank) {
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'axis': %lld is outside [%lld, %lld]", (long long)axis,
                     (long long)-rank, (long long)rank);
  }
  if (axis < 0)
    axis += rank;
  weft_dim part[2] = {1, 1};
  for (int64_t i = 0; i < rank; i++)
    part[i >= axis] = weft_dim_mul(it->symbols, part[i >= axis], x->dim[i]);
  return weft_set_out_shape(it, 0, part, 2);
}

WEFT_OP(flatten) = {
    WEFT_OP_HEAD,
    .name = "Flatten",
    .summary = "the same elements as a matrix",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"axis", "Int", "1"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_VIEW,
    .infer = flatten_infer,
    .ref = weft__copy_all,
    .examples = WEFT_EXAMPLES("f32[2,1,2]{1,2,3,4} -> f32[2,2]{1,2,3,4}", "f32[2,3,4] axis=0 -> f32[1,24]",
                              "f32[2,3,4] axis=3 -> f32[24,1]", "f32[2,3,4] axis=-1 -> f32[6,4]",
                              "f32[]{7} -> f32[1,1]{7}", "f32[-1,3,4] -> f32[-1,12]",
                              "f32[N,3,4] axis=2 -> f32[3*N,4]", "f32[?] -> f32[-1,-1]",
                              "f32[0,3] -> f32[0,3]",
                              "f32[2,3] axis=3 !! E_RANGE attribute 'axis': 3 is outside [-2, 2]"),
};
// SPDX-License-Identifier: Apache-2.0
