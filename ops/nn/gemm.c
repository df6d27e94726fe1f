// ops/nn/gemm.c - y = alpha * a @ b + beta * c for matrices.   AscendIR GEMM (ONNX Gemm-13 with its numbers
// as tensors). Computed in double and rounded once; integer results wrap. c, alpha, beta and y share a dtype,
// a and b another. weft: double and bfloat16, and c of any shape that broadcasts to the product.
#include "matmul.h"

enum { TRANSPOSE_A, TRANSPOSE_B };
enum { A, B, C, ALPHA, BETA };

static weft_status gemm_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, A, 2, 2));
  WEFT_TRY(weft__expect_rank(it, B, 2, 2));
  for (uint32_t in = ALPHA; in <= BETA; in++) {
    const weft_shape *s = it->in[in];
    WEFT_TRY(weft__expect_rank(it, in, 0, 1));
    if (!weft_shape_is_unknown_rank(s) && s->rank == 1 && s->dim[0] >= 0 && s->dim[0] != 1) {
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected one element, got %lld",
                       in == ALPHA ? "alpha" : "beta", (long long)s->dim[0]);
    }
  }
  it->out_dtype[0] = it->in_dtype[C];
  WEFT_TRY(
      weft__matmul_infer(it, weft_node_bool(it->desc, TRANSPOSE_A), weft_node_bool(it->desc, TRANSPOSE_B)));
  return weft_shape_is_unknown_rank(it->out[0]) ? weft__unknown_dims(it, 0, 2) : WEFT_OK;
}

static weft_status gemm_ref(const weft_call *c) {
  weft_matmul_scale scale = {c->in[ALPHA], c->in[BETA]};
  return weft__matmul_run(c, weft_node_bool(c->desc, TRANSPOSE_A), weft_node_bool(c->desc, TRANSPOSE_B),
                          &scale);
}

WEFT_OP(gemm) = {
    WEFT_OP_HEAD,
    .name = "GEMM",
    .summary = "alpha * a @ b + beta * c",
    .in = PORTS({"a", "T"}, {"b", "T"}, {"c", "U"}, {"alpha", "U"}, {"beta", "U"}),
    .out = PORTS({"y", "U"}),
    .types = TYPES({"T", WEFT_FLOATS | WEFT_DT(INT8) | WEFT_DT(INT32)},
                   {"U", WEFT_FLOATS | WEFT_DT(INT8) | WEFT_DT(INT32)}),
    .attrs = ATTRS({"transpose_a", "Bool", "false"}, {"transpose_b", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = gemm_infer,
    .ref = gemm_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,2]{1,2}, f32[2,2]{1,2,3,4}, f32[1,2]{10,20}, f32[]{2}, f32[]{0.5} -> f32[1,2]{19,30}",
        "f32[2,1]{1,2}, f32[2,2]{1,3,2,4}, f32[2]{10,20}, f32[1]{2}, f32[1]{0.5} transpose_a=true"
        " transpose_b=true"
        " -> f32[1,2]{19,30}",
        "i8[1,1]{-128}, i8[1,1]{-128}, i32[1,1]{5}, i32[]{1}, i32[]{2} -> i32[1,1]{16394}",
        "f16[1,1]{3}, f16[1,1]{2}, f32[]{1}, f32[]{1}, f32[]{nan} -> f32[1,1]{nan}",
        "f32[0,2], f32[2,3], f32[3], f32[], f32[] -> f32[0,3]",
        "f32[-1,2], f32[2,3], f32[3], f32[], f32[] -> f32[-1,3]",
        "f32[1,2], f32[3,2], f32[2], f32[], f32[]"
        " !! E_SHAPE inner dims of inputs 'a' and 'b': 2 and 3 differ",
        "f32[1,2], f32[2,2], f32[3], f32[], f32[] !! E_SHAPE input 'c'",
        "f32[1,2], f32[2,2], f32[2], f32[2], f32[] !! E_SHAPE input 'alpha': expected one element, got 2",
        "f32[2], f32[2,2], f32[2], f32[], f32[] !! E_SHAPE expected rank 2, got 1"),
};
// SPDX-License-Identifier: Apache-2.0
