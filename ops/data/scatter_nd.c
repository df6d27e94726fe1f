// ops/data/scatter_nd.c - zeros, with x's slices added at index tuples.   AscendIR ScatterNd.
// Every index is checked. ONNX's ScatterND is TensorScatterUpdate.
#include "scatter.h"

static weft_status scatter_nd_infer(weft_infer *it) {
  WEFT_TRY(weft__in_target(it, 2, it->out[0]));
  return weft__scatter_nd_check(it, it->out[0], it->in[0], it->in[1]);
}

static weft_status scatter_nd_ref(const weft_call *c) {
  int64_t *to;
  size_t n;
  size_t block;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__tuple_places(c, 0, &c->out[0]->layout.origin, false, &to, &n, &block));
  return weft__scatter(c, NULL, c->in[1], block, to, n, "add");
}

WEFT_OP(scatter_nd) = {
    WEFT_OP_HEAD,
    .name = "ScatterNd",
    .summary = "slices added into zeros at index tuples",
    .in = PORTS({"indices", NULL, WEFT_SET_INDEX}, {"x", "T"},
                {"shape", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_SET_BASIC | WEFT_DT(BOOL)}),
    .traits = WEFT_SYMBOLIC,
    .infer = scatter_nd_infer,
    .ref = scatter_nd_ref,
    .examples = WEFT_EXAMPLES("i32[2,1]{0,0}, c64[2]{(1,2),(3,-1)}, i32[1]{1} -> c64[1]{(4,1)}",
                              "i32[2,1]{0,0}, bool[2]{1,1}, i32[1]{2} -> bool[2]{1,0}",
                              "i32[2,1]{3,1}, f32[2]{9,8}, i32[1]{4} -> f32[4]{0,8,0,9}",
                              "i64[2,1]{0,0}, i32[2,2]{1,2,3,4}, i64[2]{2,2} -> i32[2,2]{4,6,0,0}",
                              "i32[0,1], f32[0], i32[1]{2} -> f32[2]{0,0}",
                              "i32[N,1], f32[N], i32[1]{5} -> f32[5]", "i32[2,1], f32[2], i32[1] -> f32[-1]",
                              "i32[2,1], f32[2], i32[-1] -> f32[?]",
                              "i32[1,1]{-1}, f32[1]{1}, i32[1]{2} !! E_RANGE element 0 is -1, outside [0, 1]",
                              "i32[1,1], f32[2], i32[1]{2} !! E_SHAPE dim 0 of the updates: 1 and 2",
                              "i32[1,1], f32[1], i32[1]{-2} !! E_SHAPE element 0 is -2"),
};
// SPDX-License-Identifier: Apache-2.0
