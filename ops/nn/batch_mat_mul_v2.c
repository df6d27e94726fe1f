// ops/nn/batch_mat_mul_v2.c - y = x1 @ x2 + bias over batches, either transposed.   AscendIR BatchMatMulV2,
// ONNX MatMul-13. Sums in double, rounded once; int8 and int4 give int32; integers wrap. No inner elements
// give the bias, or 0. weft: numpy's rules for rank 1 (a vector is never transposed), double, int64, uint32
// and uint64.
#include "matmul.h"

enum { ADJ_X1, ADJ_X2, OFFSET_X };

static weft_status batch_mat_mul_v2_infer(weft_infer *it) {
  WEFT_TRY(weft__matmul_reserved(it, OFFSET_X));
  return weft__matmul_infer(it, weft_node_bool(it->desc, ADJ_X1), weft_node_bool(it->desc, ADJ_X2));
}

static weft_status batch_mat_mul_v2_ref(const weft_call *c) {
  return weft__matmul_run(c, weft_node_bool(c->desc, ADJ_X1), weft_node_bool(c->desc, ADJ_X2), NULL);
}

WEFT_OP(batch_mat_mul_v2) = {
    WEFT_OP_HEAD,
    .name = "BatchMatMulV2",
    .summary = "products of matrices, batches broadcast, plus a bias",
    .in = PORTS({"x1", "T"}, {"x2", "T"},
                {"bias", NULL, WEFT_MATMUL_OUTPUTS & ~WEFT_DT(HIFLOAT8), .kind = WEFT_OPTIONAL},
                {"offset_w", NULL, WEFT_DT(INT8) | WEFT_DT(INT4), .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", NULL, WEFT_MATMUL_OUTPUTS}),
    .types = TYPES({"T", WEFT_MATMUL_INPUTS}),
    .attrs = ATTRS({"adj_x1", "Bool", "false"}, {"adj_x2", "Bool", "false"}, {"offset_x", "Int", "0"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = batch_mat_mul_v2_infer,
    .ref = batch_mat_mul_v2_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,1,2]{1,2,3,4}, f32[2,2,1]{1,10,100,1000} -> f32[2,1,1]{21,4300}",
        "f32[2,1,2]{1,2,3,4}, f32[2,2]{1,10,100,1000} adj_x2=true -> f32[2,1,2]{21,2100,43,4300}",
        "f32[2]{1,2}, f32[2]{3,4} -> f32[]{11}",
        "f32[2]{1,2}, f32[2,3]{1,2,3,4,5,6} adj_x1=true -> f32[3]{9,12,15}",
        "f32[2,2]{1,2,3,4}, f32[2]{1,10}, f32[2]{0.5,1} -> f32[2]{21.5,44}",
        "i8[1,1,2]{-128,1}, i8[2,1]{127,1} -> i32[1,1,1]{-16255}",
        "u32[1]{4294967295}, u32[1]{2} -> u32[]{4294967294}", "f64[1,0]{}, f64[0,2]{} -> f64[1,2]{0,0}",
        "f32[0,2,3], f32[3,4] -> f32[0,2,4]", "f32[4,1,-1,3], f32[5,3,7] -> f32[4,5,-1,7]",
        "bf16[3,2,2], bf16[2,2,2] !! E_SHAPE dims 3 and 2",
        "f32[2,3], f32[2,3] !! E_SHAPE inner dims of inputs 'x1' and 'x2': 3 and 2 differ",
        "f32[], f32[1] !! E_SHAPE expected rank 1",
        "f32[1,2], f32[2,2], f32[3,1,2] !! E_SHAPE does not broadcast"),
};
// SPDX-License-Identifier: Apache-2.0
