// ops/nn/mat_mul_v2.c - y = x1 @ x2 + bias for matrices, either transposed.   AscendIR MatMulV2.
// Sums in double, rounded once; int8 and int4 give int32; integers wrap. No inner elements give the bias, or
// 0. weft: double, int64, uint32 and uint64; a bias of any shape that broadcasts to y.
#include "matmul.h"

enum { TRANSPOSE_X1, TRANSPOSE_X2, OFFSET_X };

static weft_status mat_mul_v2_infer(weft_infer *it) {
  WEFT_TRY(weft__matmul_reserved(it, OFFSET_X));
  WEFT_TRY(weft__expect_rank(it, 0, 2, 2));
  WEFT_TRY(weft__expect_rank(it, 1, 2, 2));
  WEFT_TRY(
      weft__matmul_infer(it, weft_node_bool(it->desc, TRANSPOSE_X1), weft_node_bool(it->desc, TRANSPOSE_X2)));
  return weft_shape_is_unknown_rank(it->out[0]) ? weft__unknown_dims(it, 0, 2) : WEFT_OK;
}

static weft_status mat_mul_v2_ref(const weft_call *c) {
  return weft__matmul_run(c, weft_node_bool(c->desc, TRANSPOSE_X1), weft_node_bool(c->desc, TRANSPOSE_X2),
                          NULL);
}

WEFT_OP(mat_mul_v2) = {
    WEFT_OP_HEAD,
    .name = "MatMulV2",
    .summary = "product of two matrices, plus a bias",
    .in = PORTS({"x1", "T"}, {"x2", "T"},
                {"bias", NULL, WEFT_MATMUL_OUTPUTS & ~WEFT_DT(HIFLOAT8), .kind = WEFT_OPTIONAL},
                {"offset_w", NULL, WEFT_DT(INT8) | WEFT_DT(INT4), .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", NULL, WEFT_MATMUL_OUTPUTS}),
    .types = TYPES({"T", WEFT_MATMUL_INPUTS}),
    .attrs = ATTRS({"transpose_x1", "Bool", "false"}, {"transpose_x2", "Bool", "false"},
                   {"offset_x", "Int", "0"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = mat_mul_v2_infer,
    .ref = mat_mul_v2_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,3]{1,2,3,4,5,6}, f32[3,2]{1,2,3,4,5,6} -> f32[2,2]{22,28,49,64}",
        "f32[3,2]{1,4,2,5,3,6}, f32[2,3]{1,3,5,2,4,6} transpose_x1=true transpose_x2=true"
        " -> f32[2,2]{22,28,49,64}",
        "f32[1,2]{1,2}, f32[2,2]{1,2,3,4}, f32[2]{10,20} -> f32[1,2]{17,30}",
        "i8[1,2]{127,127}, i8[2,1]{127,127} -> i32[1,1]{32258}",
        "i32[1,1]{2147483647}, i32[1,1]{2} -> i32[1,1]{-2}",
        "u64[1,1]{18446744073709551615}, u64[1,1]{2} -> u64[1,1]{18446744073709551614}",
        "f32[1,2]{inf,1}, f32[2,1]{0,nan} -> f32[1,1]{nan}", "f32[2,0]{}, f32[0,2]{} -> f32[2,2]{0,0,0,0}",
        "f16[0,3], f16[3,2] -> f16[0,2]", "f32[-1,3], f32[3,5] -> f32[-1,5]",
        "f32[2,3], f32[2,3] !! E_SHAPE inner dims of inputs 'x1' and 'x2': 3 and 2 differ",
        "f32[2,3,4], f32[4,3] !! E_SHAPE expected rank 2, got 3",
        "f32[2,3], f32[3,2], f32[3] !! E_SHAPE input 'bias'", "f32[2,3], f16[3,2] !! E_DTYPE input 'x2'",
        "f32[2,3], f32[3,2] offset_x=1 !! E_UNSUPPORTED attribute 'offset_x'"),
};
// SPDX-License-Identifier: Apache-2.0
