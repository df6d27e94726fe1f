// ops/data/transpose.c - axis i of y is axis perm[i] of x.   AscendIR Transpose, ONNX Transpose-21.
// perm holds every axis once, negative ones counted from the end; an empty perm reverses the axes.
#include "permute.h"

static weft_status transpose_infer(weft_infer *it) {
  int64_t perm[WEFT_MAX_RANK];
  int64_t n;
  bool known;
  const weft_shape *x = it->in[0];
  WEFT_TRY(weft__in_ints(it, 1, perm, WEFT_MAX_RANK, &n, &known));
  for (int64_t i = 0; known && i < n; i++)
    known = weft__is_literal(perm[i]);
  if (known && !(weft_shape_is_unknown_rank(x) && n == 0))
    return weft__permute_infer(it, "input 'perm'", perm, (size_t)n);
  if (!weft_shape_is_unknown_rank(x))
    return weft__unknown_dims(it, 0, x->rank);
  return n > 0 && n <= WEFT_MAX_RANK ? weft__unknown_dims(it, 0, (size_t)n) : weft__unknown_rank(it, 0);
}

static weft_status transpose_ref(const weft_call *c) {
  int64_t perm[WEFT_MAX_RANK];
  size_t n;
  WEFT_TRY(weft__read_ints(c, 1, perm, WEFT_MAX_RANK, &n));
  return weft__permute_ref(c, "input 'perm'", perm, n);
}

WEFT_OP(transpose) = {
    WEFT_OP_HEAD,
    .name = "Transpose",
    .summary = "axes in another order",
    .in = PORTS({"x", "T"}, {"perm", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = transpose_infer,
    .ref = transpose_ref,
    .examples = WEFT_EXAMPLES("f32[2,3]{1,2,3,4,5,6}, i32[2]{1,0} -> f32[3,2]{1,4,2,5,3,6}",
                              "i8[1,2,2]{1,2,3,4}, i64[3]{-1,0,1} -> i8[2,1,2]{1,3,2,4}",
                              "f32[]{7}, i32[0] -> f32[]{7}",
                              "f32[2,2]{1,2,3,4}, i64[0] -> f32[2,2]{1,3,2,4}",
                              "f32[0,3], i32[2]{1,0} -> f32[3,0]",
                              "f32[-1,N,3], i32[3]{2,1,0} -> f32[3,N,-1]", "f32[2,3], i32[2] -> f32[-1,-1]",
                              "f32[?], i32[3]{2,1,0} -> f32[-1,-1,-1]", "f32[?], i32[-1] -> f32[?]",
                              "i4[2,2]{1,2,3,4}, i32[2]{1,0} -> i4[2,2]{1,3,2,4}",
                              "f32[2,3], i32[2]{0,0} !! E_DUPLICATE axis 0 is given twice",
                              "f32[2,3], i32[1]{0} !! E_SHAPE 1 axes, x has rank 2",
                              "f32[2,3], i32[2]{0,2} !! E_RANGE input 'perm'"),
};
// SPDX-License-Identifier: Apache-2.0
