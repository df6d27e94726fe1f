// ops/data/concat.c - x0, x1, ... joined along concat_dim, which comes first.   AscendIR Concat.
// ONNX's Concat is ConcatV2 or ConcatD. Empty inputs take part as they are; scalars cannot be joined.
#include "concat.h"

enum { N };

static weft_status concat_infer(weft_infer *it) {
  int64_t axis = 0;
  bool known;
  WEFT_TRY(weft__expect_count(it, N, false, it->n_in - 1, "inputs"));
  WEFT_TRY(weft__in_int(it, 0, &axis, &known));
  return weft__concat_infer(it, 1, it->n_in - 1, "input 'concat_dim'", axis, known);
}

static weft_status concat_infer_value(weft_infer *it) {
  int64_t axis;
  bool known;
  WEFT_TRY(weft__in_int(it, 0, &axis, &known));
  if (known)
    weft__concat_elems(it, 1, it->n_in - 1, axis);
  return WEFT_OK;
}

static weft_status concat_ref(const weft_call *c) {
  int64_t axis;
  WEFT_TRY(weft__read_int(c, 0, &axis));
  return weft__concat_ref(c, 1, c->n_in - 1, "input 'concat_dim'", axis);
}

WEFT_OP(concat) = {
    WEFT_OP_HEAD,
    .name = "Concat",
    .summary = "tensors joined along an axis",
    .in = PORTS({"concat_dim", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"x", "T", .kind = WEFT_DYNAMIC, .min_count = 1}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"N", "Int", "1"}),
    .traits = WEFT_JOIN | WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = concat_infer,
    .infer_value = concat_infer_value,
    .ref = concat_ref,
    .examples = WEFT_EXAMPLES("i32[]{0}, [f32[2]{1,2}, f32[1]{3}] -> f32[3]{1,2,3}",
                              "i64[]{1}, [i32[1,0], i32[1,1]{3}] -> i32[1,1]{3}",
                              "i32[]{0}, [f32[-1], f32[2]] -> f32[-1]",
                              "i32[], [f32[2,3], f32[2,3]] -> f32[-1,-1]",
                              "i32[]{2}, [f32[1,1]] !! E_RANGE input 'concat_dim'",
                              "i32[]{0}, [f32[1,2], f32[1,3]] !! E_SHAPE 2 and 3"),
};
// SPDX-License-Identifier: Apache-2.0
