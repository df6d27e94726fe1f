// ops/shape/expand.c - x and a shape broadcast together.   AscendIR Expand, ONNX Expand-13.
// A dim of the shape may be 1 where x has more; -1 keeps x's dim.
#include "broadcast.h"

static weft_status expand_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  int64_t elem[WEFT_MAX_RANK];
  int64_t n;
  bool known;
  weft_shape y;
  WEFT_TRY(weft__in_ints(it, 1, elem, WEFT_MAX_RANK, &n, &known));
  if (n < 0)
    return weft__unknown_rank(it, 0);
  if (n > WEFT_MAX_RANK) {
    return weft_fail(it->d, WEFT_E_LIMIT, "input 'shape': %lld elements, the rank is limited to %d",
                     (long long)n, WEFT_MAX_RANK);
  }
  bool ranked = !weft_shape_is_unknown_rank(x);
  y.rank = (size_t)n;
  for (size_t i = 0; i < y.rank; i++) {
    bool literal = known && weft__is_literal(elem[i]);
    y.dim[i] = known ? weft__elem_dim(elem[i]) : -1;
    if (literal && elem[i] < -1) {
      return weft_fail(it->d, WEFT_E_SHAPE, "input 'shape': element %zu is %lld, expected -1 or more", i,
                       (long long)elem[i]);
    }
    if (!literal || elem[i] != -1 || !ranked)
      continue;
    if (i + x->rank < y.rank) {
      return weft_fail(it->d, WEFT_E_SHAPE,
                       "input 'shape': element %zu is -1, but x of rank %zu has no such axis", i, x->rank);
    }
    y.dim[i] = x->dim[i + x->rank - y.rank];
  }
  return weft__broadcast(it, x, &y, it->out[0]);
}

WEFT_OP(expand) = {
    WEFT_OP_HEAD,
    .name = "Expand",
    .summary = "x broadcast with a shape",
    .in = PORTS({"x", "T"}, {"shape", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .traits = WEFT_SYMBOLIC,
    .infer = expand_infer,
    .infer_value = weft__broadcast_elems,
    .ref = weft__broadcast_ref,
    .examples = WEFT_EXAMPLES("f32[2,1]{1,2}, i64[3]{2,1,2} -> f32[2,2,2]{1,1,2,2,1,1,2,2}",
                              "f32[3]{1,2,3}, i64[1]{1} -> f32[3]{1,2,3}",
                              "f32[2,1]{1,2}, i64[2]{-1,2} -> f32[2,2]{1,1,2,2}",
                              "f32[1,3], i64[2]{0,1} -> f32[0,3]", "f32[-1,1], i64[2]{1,4} -> f32[-1,4]",
                              "f32[2,1], i64[2] -> f32[2,-1]", "f32[2], i64[-1] -> f32[?]",
                              "f32[3], i64[1]{2} !! E_SHAPE do not broadcast",
                              "f32[3], i64[1]{-2} !! E_SHAPE element 0 is -2",
                              "f32[3], i64[2]{-1,3} !! E_SHAPE no such axis"),
};
// SPDX-License-Identifier: Apache-2.0
