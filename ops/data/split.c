// ops/data/split.c - x cut along split_dim into num_split equal parts.   AscendIR Split.
// split_dim comes first; ONNX's Split is SplitV or SplitD.
#include "split.h"

enum { NUM_SPLIT };

static weft_status split_infer(weft_infer *it) {
  int64_t axis = 0;
  bool known;
  WEFT_TRY(weft__expect_count(it, NUM_SPLIT, true, it->n_out, "outputs"));
  WEFT_TRY(weft__in_int(it, 0, &axis, &known));
  return weft__split_evenly(it, 1, "input 'split_dim'", axis, known);
}

static weft_status split_infer_value(weft_infer *it) {
  int64_t axis;
  bool known;
  WEFT_TRY(weft__in_int(it, 0, &axis, &known));
  if (known)
    weft__split_elems(it, 1, axis);
  return WEFT_OK;
}

static weft_status split_ref(const weft_call *c) {
  int64_t axis;
  WEFT_TRY(weft__read_int(c, 0, &axis));
  return weft__split_ref(c, 1, "input 'split_dim'", axis, NULL);
}

WEFT_OP(split) = {
    WEFT_OP_HEAD,
    .name = "Split",
    .summary = "a tensor cut into equal parts",
    .in = PORTS({"split_dim", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}, {"x", "T"}),
    .out = PORTS({"y", "T", .kind = WEFT_DYNAMIC, .min_count = 1}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"num_split", "Int", NULL, "min 1"}),
    .traits = WEFT_CUT | WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = split_infer,
    .infer_value = split_infer_value,
    .ref = split_ref,
    .examples =
        WEFT_EXAMPLES("i32[]{0}, f32[4]{1,2,3,4} num_split=2 -> f32[2]{1,2}, f32[2]{3,4}",
                      "i32[]{-1}, i32[2,2]{1,2,3,4} num_split=2 -> i32[2,1]{1,3}, i32[2,1]{2,4}",
                      "i32[]{1}, f32[2,0] num_split=2 -> f32[2,0], f32[2,0]",
                      "i32[]{0}, f32[-1,3] num_split=2 -> f32[-1,3], f32[-1,3]",
                      "i32[], f32[2,4] num_split=2 -> f32[-1,-1], f32[-1,-1]",
                      "i32[]{0}, f32[3] num_split=2 -> f32[1], f32[1] !! E_SHAPE is 3, which 2 equal parts",
                      "i32[]{0}, f32[4] num_split=2 -> f32[4] !! E_INVALID attribute 'num_split': 2",
                      "i32[]{1}, f32[4] num_split=1 !! E_RANGE input 'split_dim'",
                      "i32[]{0}, f32[4] num_split=0 !! E_RANGE"),
};
// SPDX-License-Identifier: Apache-2.0
