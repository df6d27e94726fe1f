// ops/data/split_d.c - x cut along split_dim into num_split equal parts.   AscendIR SplitD, ONNX Split-18.
// The dim must divide; parts of several sizes are SplitV.
#include "split.h"

enum { SPLIT_DIM, NUM_SPLIT };

static weft_status split_d_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_count(it, NUM_SPLIT, true, it->n_out, "outputs"));
  return weft__split_evenly(it, 0, "attribute 'split_dim'", weft_node_int(it->desc, SPLIT_DIM), true);
}

static weft_status split_d_infer_value(weft_infer *it) {
  weft__split_elems(it, 0, weft_node_int(it->desc, SPLIT_DIM));
  return WEFT_OK;
}

static weft_status split_d_ref(const weft_call *c) {
  return weft__split_ref(c, 0, "attribute 'split_dim'", weft_node_int(c->desc, SPLIT_DIM), NULL);
}

WEFT_OP(split_d) = {
    WEFT_OP_HEAD,
    .name = "SplitD",
    .summary = "a tensor cut into equal parts",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T", .kind = WEFT_DYNAMIC, .min_count = 1}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"split_dim", "Int", NULL}, {"num_split", "Int", NULL, "min 1"}),
    .traits = WEFT_CUT | WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = split_d_infer,
    .infer_value = split_d_infer_value,
    .ref = split_d_ref,
    .examples = WEFT_EXAMPLES("f32[4]{1,2,3,4} split_dim=0 num_split=2 -> f32[2]{1,2}, f32[2]{3,4}",
                              "u8[1,2]{1,2} split_dim=-1 num_split=2 -> u8[1,1]{1}, u8[1,1]{2}",
                              "f32[0,2] split_dim=0 num_split=2 -> f32[0,2], f32[0,2]",
                              "f32[2*N] split_dim=0 num_split=2 -> f32[N], f32[N]",
                              "f32[-1] split_dim=0 num_split=1 -> f32[-1]",
                              "f32[3] split_dim=0 num_split=2 -> f32[1], f32[1] !! E_SHAPE",
                              "f32[3] split_dim=1 num_split=1 !! E_RANGE attribute 'split_dim'"),
};
// SPDX-License-Identifier: Apache-2.0
