// ops/data/gather_v2.c - y = x[indices] along axis.   AscendIR GatherV2, ONNX Gather-13.
// ONNX's rule is negative_index_support=true. Every index is checked; negative ones count from the end only
// with negative_index_support. is_preprocessed is a hint.
#include "gather.h"

enum { BATCH_DIMS, IS_PREPROCESSED, NEGATIVE };

static weft_status gather_v2_infer(weft_infer *it) {
  int64_t axis = 0;
  bool known;
  WEFT_TRY(weft__in_int(it, 2, &axis, &known));
  return weft__gather_infer(it, "input 'axis'", axis, known, weft_node_int(it->desc, BATCH_DIMS));
}

static weft_status gather_v2_infer_value(weft_infer *it) {
  int64_t axis;
  bool known;
  WEFT_TRY(weft__in_int(it, 2, &axis, &known));
  return known ? weft__gather_elems(it, axis, weft_node_int(it->desc, BATCH_DIMS),
                                    weft_node_bool(it->desc, NEGATIVE))
               : WEFT_OK;
}

static weft_status gather_v2_ref(const weft_call *c) {
  int64_t axis;
  WEFT_TRY(weft__read_int(c, 2, &axis));
  return weft__gather_ref(c, "input 'axis'", axis, weft_node_int(c->desc, BATCH_DIMS),
                          weft_node_bool(c->desc, NEGATIVE));
}

WEFT_OP(gather_v2) = {
    WEFT_OP_HEAD,
    .name = "GatherV2",
    .summary = "slices of x picked by indices along an axis",
    .in = PORTS({"x", "T"}, {"indices", NULL, WEFT_SET_INDEX},
                {"axis", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"batch_dims", "Int", "0"}, {"is_preprocessed", "Bool", "false"},
                   {"negative_index_support", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = gather_v2_infer,
    .infer_value = gather_v2_infer_value,
    .ref = gather_v2_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,3]{1,2,3,4,5,6}, i32[2]{2,0}, i32[]{1} -> f32[2,2]{3,1,6,4}",
        "f32[3]{1,2,3}, i64[]{1}, i64[]{-1} -> f32[]{2}",
        "f32[3]{1,2,3}, i64[2]{-1,0}, i64[]{0} negative_index_support=true -> f32[2]{3,1}",
        "f32[2,2]{1,2,3,4}, i32[2,1]{1,0}, i32[]{1} batch_dims=1 -> f32[2,1]{2,3}",
        "f32[3,2], i32[0], i32[]{0} -> f32[0,2]",
        "str[2]{\"a\",\"b\"}, i32[2]{1,1}, i32[]{0} -> str[2]{\"b\",\"b\"}",
        "f32[-1,4], i32[N,2], i32[]{0} -> f32[N,2,4]", "f32[3,4], i32[2], i32[] -> f32[-1,-1]",
        "f32[?], i32[2], i32[]{0} -> f32[?]",
        "f32[3]{1,2,3}, i32[2]{0,3}, i32[]{0} !! E_RANGE element 1 is 3, outside [0, 2]",
        "f32[3]{1,2,3}, i32[1]{-1}, i32[]{0} !! E_RANGE element 0 is -1, outside [0, 2]",
        "f32[0], i32[1]{0}, i32[]{0} !! E_RANGE", "f32[3], i32[1]{0}, i32[]{1} !! E_RANGE input 'axis'",
        "f32[2,3], i32[3,1], i32[]{1} batch_dims=1 !! E_SHAPE 2 and 3",
        "f32[2], i32[1], i32[]{0} batch_dims=1 !! E_RANGE batch_dims"),
};
// SPDX-License-Identifier: Apache-2.0
