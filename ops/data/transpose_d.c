// ops/data/transpose_d.c - axis i of y is axis perm[i] of x.   AscendIR TransposeD, ONNX Transpose-21.
// perm holds every axis once, negative ones counted from the end; an empty perm reverses the axes.
#include "permute.h"

enum { PERM };

static weft_status transpose_d_infer(weft_infer *it) {
  weft_ints perm = weft_node_ints(it->desc, PERM);
  if (weft_shape_is_unknown_rank(it->in[0]) && !perm.n)
    return weft__unknown_rank(it, 0);
  return weft__permute_infer(it, "attribute 'perm'", perm.v, perm.n);
}

static weft_status transpose_d_ref(const weft_call *c) {
  weft_ints perm = weft_node_ints(c->desc, PERM);
  return weft__permute_ref(c, "attribute 'perm'", perm.v, perm.n);
}

WEFT_OP(transpose_d) = {
    WEFT_OP_HEAD,
    .name = "TransposeD",
    .summary = "axes in another order",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"perm", "ListInt", NULL}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = transpose_d_infer,
    .ref = transpose_d_ref,
    .examples = WEFT_EXAMPLES("f32[2,3]{1,2,3,4,5,6} perm=[1,0] -> f32[3,2]{1,4,2,5,3,6}",
                              "f32[2,2]{1,2,3,4} perm=[] -> f32[2,2]{1,3,2,4}",
                              "f32[0,1] perm=[1,0] -> f32[1,0]",
                              "str[1,2]{\"a\",\"b\"} perm=[1,0] -> str[2,1]{\"a\",\"b\"}",
                              "f32[-1,N] perm=[-1,0] -> f32[N,-1]", "f32[?] perm=[1,0] -> f32[-1,-1]",
                              "f32[2,3] perm=[0] !! E_SHAPE 1 axes, x has rank 2",
                              "f32[2,3] perm=[0,-2] !! E_DUPLICATE"),
};
// SPDX-License-Identifier: Apache-2.0
