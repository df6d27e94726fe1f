// ops/data/gather.c - y = x[indices] along its first axis.   AscendIR Gather.
// The axis is the one behind batch_dims. ONNX's Gather is GatherV2. Every index is checked, whatever
// validate_indices says; negative ones only with negative_index_support.
#include "gather.h"

enum { VALIDATE, BATCH_DIMS, IS_PREPROCESSED, NEGATIVE };

// The gathered axis is the one behind the batch dims.
static int64_t gather_axis_of(const weft_op_desc *n, const weft_shape *indices) {
  int64_t batch = weft_node_int(n, BATCH_DIMS);
  return batch < 0 ? batch + (int64_t)indices->rank : batch;
}

static weft_status gather_infer(weft_infer *it) {
  bool known = !weft_shape_is_unknown_rank(it->in[1]);
  return weft__gather_infer(it, "attribute 'batch_dims'", known ? gather_axis_of(it->desc, it->in[1]) : 0,
                            known, weft_node_int(it->desc, BATCH_DIMS));
}

static weft_status gather_infer_value(weft_infer *it) {
  if (weft_shape_is_unknown_rank(it->in[1]))
    return WEFT_OK;
  return weft__gather_elems(it, gather_axis_of(it->desc, it->in[1]), weft_node_int(it->desc, BATCH_DIMS),
                            weft_node_bool(it->desc, NEGATIVE));
}

static weft_status gather_ref(const weft_call *c) {
  return weft__gather_ref(c, "attribute 'batch_dims'", gather_axis_of(c->desc, &c->in[1]->layout.origin),
                          weft_node_int(c->desc, BATCH_DIMS), weft_node_bool(c->desc, NEGATIVE));
}

WEFT_OP(gather) = {
    WEFT_OP_HEAD,
    .name = "Gather",
    .summary = "slices of x picked by indices along the first axis",
    .in = PORTS({"x", "T"}, {"indices", NULL, WEFT_SET_INDEX}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"validate_indices", "Bool", "true"}, {"batch_dims", "Int", "0"},
                   {"is_preprocessed", "Bool", "false"}, {"negative_index_support", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = gather_infer,
    .infer_value = gather_infer_value,
    .ref = gather_ref,
    .examples = WEFT_EXAMPLES("f32[3,1]{1,2,3}, i32[2]{2,0} -> f32[2,1]{3,1}",
                              "f32[3]{1,2,3}, i64[]{1} -> f32[]{2}",
                              "f32[2,2]{1,2,3,4}, i32[2]{1,0} batch_dims=1 -> f32[2]{2,3}",
                              "f32[3]{1,2,3}, i32[1]{-3} negative_index_support=true -> f32[1]{1}",
                              "f32[3,2], i32[0] -> f32[0,2]", "f32[-1,4], i32[N] -> f32[N,4]",
                              "f32[2], i32[?] -> f32[?]",
                              "f32[3]{1,2,3}, i32[1]{3} !! E_RANGE element 0 is 3, outside [0, 2]",
                              "f32[], i32[1]{0} !! E_RANGE", "f32[3], f32[1] !! E_DTYPE input 'indices'"),
};
// SPDX-License-Identifier: Apache-2.0
