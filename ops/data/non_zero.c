// ops/data/non_zero.c - where x is not zero: [n, rank].   AscendIR NonZero, ONNX NonZero-13.
// Coordinates in row-major order; transpose gives [rank, n]. NaN is not zero, -0 is. The number of elements
// is found at run time.
#include "lists.h"

enum { TRANSPOSE, DTYPE };

static weft_status non_zero_infer(weft_infer *it) {
  return weft__nonzero_infer(it, weft_node_bool(it->desc, TRANSPOSE));
}
static weft_status non_zero_infer_range(weft_infer *it) {
  return weft__nonzero_range(it, weft_node_bool(it->desc, TRANSPOSE));
}
static weft_status non_zero_execute(const weft_call *c) {
  return weft__nonzero_execute(c, weft_node_dtype(c->desc, DTYPE), weft_node_bool(c->desc, TRANSPOSE));
}

WEFT_OP(non_zero) = {
    WEFT_OP_HEAD,
    .name = "NonZero",
    .summary = "coordinates of elements that are not zero",
    .in = PORTS({"x", NULL, WEFT_SET_BASIC | WEFT_DT(BOOL)}),
    .out = PORTS({"y", "U"}),
    .types = TYPES({"U", WEFT_SET_INDEX, .from_attr = "dtype"}),
    .attrs = ATTRS({"transpose", "Bool", "false"}, {"dtype", "Type", "DT_INT64"}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = non_zero_infer,
    .infer_range = non_zero_infer_range,
    .execute = non_zero_execute,
    .examples = WEFT_EXAMPLES("i32[2,3]{1,0,1,0,1,1} transpose=true -> i64[2,4]{0,0,1,1,0,2,1,2}",
                              "bool[2,2]{1,0,1,1} -> i64[3,2]{0,0,1,0,1,1}",
                              "u8[3]{0,7,0} dtype=i32 -> i32[1,1]{1}", "f32[0,2] transpose=true -> i64[2,0]",
                              "f32[2]{0,0} transpose=true -> i64[1,0]", "i32[]{5} transpose=true -> i64[0,1]",
                              "f32[-1,3] transpose=true -> i64[2,-1]", "f32[?] -> i64[-1,-1]",
                              "f32[2] dtype=f32 !! E_DTYPE output 'y'"),
};
// SPDX-License-Identifier: Apache-2.0
