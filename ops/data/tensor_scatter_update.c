// ops/data/tensor_scatter_update.c - y[tuple] = updates.   AscendIR TensorScatterUpdate, ONNX ScatterND-18.
// y is x with the slices that index tuples name replaced. reduction (ext, ONNX's) combines instead. Every
// index is checked; negative ones count from the end. The last one wins.
#include "scatter.h"

enum { REDUCTION };

static weft_status tensor_scatter_update_infer(weft_infer *it) {
  WEFT_TRY(weft__scatter_nd_check(it, it->in[0], it->in[1], it->in[2]));
  return weft__same(it, 0, 0);
}

static weft_status tensor_scatter_update_ref(const weft_call *c) {
  int64_t *to;
  size_t n;
  size_t block;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__tuple_places(c, 1, &c->in[0]->layout.origin, true, &to, &n, &block));
  return weft__scatter(c, c->in[0], c->in[2], block, to, n, weft_node_str(c->desc, REDUCTION));
}

WEFT_OP(tensor_scatter_update) = {
    WEFT_OP_HEAD,
    .name = "TensorScatterUpdate",
    .summary = "slices written at index tuples",
    .in = PORTS({"x", "T"}, {"indices", NULL, WEFT_SET_INDEX}, {"updates", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"reduction", "String", "\"none\"", WEFT_SCATTER_REDUCTIONS, .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_KEEP_FORMAT,
    .infer = tensor_scatter_update_infer,
    .ref = tensor_scatter_update_ref,
    .examples = WEFT_EXAMPLES(
        "f32[4]{1,2,3,4}, i64[2,1]{1,-1}, f32[2]{9,8} -> f32[4]{1,9,3,8}",
        "f32[2,2]{1,2,3,4}, i32[1,1]{1}, f32[1,2]{7,8} -> f32[2,2]{1,2,7,8}",
        "i32[2,2]{1,2,3,4}, i32[2,2]{0,1,0,1}, i32[2]{5,6} reduction=\"add\" -> i32[2,2]{1,13,3,4}",
        "f32[2]{1,2}, i64[0,1], f32[0] -> f32[2]{1,2}",
        "str[2]{\"a\",\"b\"}, i32[1,1]{0}, str[1]{\"c\"} -> str[2]{\"c\",\"b\"}",
        "f32[-1,4], i64[N,1], f32[N,4] -> f32[-1,4]", "f32[3], i64[?], f32[2] -> f32[3]",
        "f32[2]{1,2}, i32[1,1]{2}, f32[1]{1} !! E_RANGE element 0 is 2",
        "f32[2,3], i32[1,1], f32[1,2] !! E_SHAPE dim 1 of the updates: 3 and 2",
        "f32[2], i32[1,2], f32[1] !! E_SHAPE tuples of 2",
        "f32[2], i32[1,1], f32[] !! E_SHAPE rank 0, expected 1"),
};
// SPDX-License-Identifier: Apache-2.0
