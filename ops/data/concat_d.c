// ops/data/concat_d.c - x0, x1, ... joined along concat_dim.   AscendIR ConcatD, ONNX Concat-13.
// Empty inputs take part as they are; scalars cannot be joined.
#include "concat.h"

enum { CONCAT_DIM, N };

static weft_status concat_d_infer(weft_infer *it) {
  uint32_t n = weft_port_in_count(it->desc, 0);
  WEFT_TRY(weft__expect_count(it, N, false, n, "inputs"));
  return weft__concat_infer(it, 0, n, "attribute 'concat_dim'", weft_node_int(it->desc, CONCAT_DIM), true);
}

static weft_status concat_d_infer_value(weft_infer *it) {
  weft__concat_elems(it, 0, it->n_in, weft_node_int(it->desc, CONCAT_DIM));
  return WEFT_OK;
}

static weft_status concat_d_ref(const weft_call *c) {
  return weft__concat_ref(c, 0, c->n_in, "attribute 'concat_dim'", weft_node_int(c->desc, CONCAT_DIM));
}

WEFT_OP(concat_d) = {
    WEFT_OP_HEAD,
    .name = "ConcatD",
    .summary = "tensors joined along an axis",
    .in = PORTS({"x", "T", .kind = WEFT_DYNAMIC, .min_count = 1}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"concat_dim", "Int", NULL}, {"N", "Int", "1"}),
    .traits = WEFT_JOIN | WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = concat_d_infer,
    .infer_value = concat_d_infer_value,
    .ref = concat_d_ref,
    .examples = WEFT_EXAMPLES("[f32[2]{1,2}, f32[1]{3}] concat_dim=0 -> f32[3]{1,2,3}",
                              "[f32[1,2]{1,2}, f32[1,1]{3}] concat_dim=-1 N=2 -> f32[1,3]{1,2,3}",
                              "[i64[0], i64[1]{4}] concat_dim=0 -> i64[1]{4}",
                              "[f32[-1,2], f32[-1,2]] concat_dim=1 -> f32[-1,4]",
                              "[f32[N,2], f32[N,2]] concat_dim=0 -> f32[2*N,2]",
                              "[f32[2], f32[3,1]] concat_dim=0 !! E_SHAPE rank",
                              "[f32[2]] concat_dim=1 !! E_RANGE attribute 'concat_dim'"),
};
// SPDX-License-Identifier: Apache-2.0
