// ops/shape/flatten_v2.c - the axes from axis to end_axis, both inclusive, become one.   AscendIR FlattenV2.
// A scalar gives [1] (with the default axes or axis 0).
#include "dims_move.h"

enum { AXIS, END_AXIS };

static weft_status flatten_v2_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  size_t first;
  size_t last;
  weft_dim part = 1;
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  if (!x->rank)
    return weft_set_out_shape(it, 0, &part, 1);
  WEFT_TRY(weft__axis(it->d, "attribute 'axis'", weft_node_int(it->desc, AXIS), x->rank, &first));
  WEFT_TRY(weft__axis(it->d, "attribute 'end_axis'", weft_node_int(it->desc, END_AXIS), x->rank, &last));
  if (last < first) {
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'end_axis': axis %zu lies before 'axis', which is %zu",
                     last, first);
  }
  weft_shape *y = it->out[0];
  y->rank = 0;
  for (size_t i = 0; i < first; i++)
    y->dim[y->rank++] = x->dim[i];
  for (size_t i = first; i <= last; i++)
    part = weft_dim_mul(it->symbols, part, x->dim[i]);
  y->dim[y->rank++] = part;
  for (size_t i = last + 1; i < x->rank; i++)
    y->dim[y->rank++] = x->dim[i];
  return WEFT_OK;
}

WEFT_OP(flatten_v2) = {
    WEFT_OP_HEAD,
    .name = "FlattenV2",
    .summary = "a range of axes becomes one",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"axis", "Int", "1"}, {"end_axis", "Int", "-1"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_VIEW,
    .infer = flatten_v2_infer,
    .ref = weft__copy_all,
    .examples = WEFT_EXAMPLES("f32[2,1,2]{1,2,3,4} -> f32[2,2]{1,2,3,4}",
                              "f32[2,3,4,5] axis=1 end_axis=2 -> f32[2,12,5]", "f32[]{7} -> f32[1]{7}",
                              "f32[-1,3,4] axis=0 -> f32[-1]", "f32[N,3,4] -> f32[N,12]",
                              "f32[2,0,3] -> f32[2,0]", "f32[2,3] axis=2 !! E_RANGE attribute 'axis'",
                              "f32[2,3,4] axis=2 end_axis=1 !! E_RANGE lies before"),
};
// SPDX-License-Identifier: Apache-2.0
