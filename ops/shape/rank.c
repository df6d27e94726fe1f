// ops/shape/rank.c - the rank of x, a scalar.   AscendIR Rank.
#include "dims_move.h"

static weft_status rank_infer(weft_infer *it) {
  return weft__scalar(it, 0);
}

static weft_status rank_infer_value(weft_infer *it) {
  if (weft_shape_is_unknown_rank(it->in[0]))
    return WEFT_OK;
  it->out_dims[0][0] = (weft_dim)it->in[0]->rank;
  it->out_dims_n[0] = 1;
  return WEFT_OK;
}

static weft_status rank_ref(const weft_call *c) {
  if (c->out[0])
    weft_store_i64(WEFT_INT32, c->out[0]->data, 0, (int64_t)c->in[0]->layout.origin.rank);
  return WEFT_OK;
}

WEFT_OP(rank) = {
    WEFT_OP_HEAD,
    .name = "Rank",
    .summary = "the rank of x",
    .in = PORTS({"x", NULL, WEFT_ANY}),
    .out = PORTS({"y", NULL, WEFT_DT(INT32)}),
    .traits = WEFT_SYMBOLIC,
    .infer = rank_infer,
    .infer_value = rank_infer_value,
    .ref = rank_ref,
    .examples = WEFT_EXAMPLES("f32[1,2]{1,2} -> i32[]{2}", "f32[]{1} -> i32[]{0}", "f32[0,1,2] -> i32[]{3}",
                              "f32[-1,N] -> i32[]{2}", "f32[?] -> i32[]", "!! E_MISSING input"),
};
// SPDX-License-Identifier: Apache-2.0
