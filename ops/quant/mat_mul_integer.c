// ops/quant/mat_mul_integer.c - product of matrices of 8-bit integers less their zero points, as int32 or
// scaled and rounded to 8 bits.   ONNX MatMulInteger-10 and QLinearMatMul-10 with one zero point and scale
// for all of x: scale is x_scale * w_scale / y_scale. AscendIR has no operator of this name. Shapes as
// BatchMatMulV2; channels are the columns; sums as in quant_sum.h.
#include "matmul.h"
#include "quant_sum.h"
#include "quant_sum.rule.h"

static weft_status mat_mul_integer_infer(weft_infer *it) {
  WEFT_TRY(weft__matmul_infer(it, false, false));
  return weft__sum_infer(it, true, WEFT_MATMUL_SUM_RANGE);
}

static weft_status sums(const weft_call *c) {
  return weft__matmul_run(c, false, false, NULL);
}

static weft_status mat_mul_integer_ref(const weft_call *c) {
  return weft__sum_run(c, true, WEFT_MATMUL_SUM_RANGE, sums);
}

WEFT_OP(mat_mul_integer) = {
    WEFT_OP_HEAD,
    .name = "MatMulInteger",
    .summary = "product of matrices of 8-bit integers less their zero points, as int32 or scaled to 8 bits",
    .in = PORTS(WEFT_SUM_PORTS),
    .out = PORTS({"y", NULL, WEFT_SUM_BYTES | WEFT_DT(INT32)}),
    .attrs = ATTRS(WEFT_SUM_RANGE),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = mat_mul_integer_infer,
    .ref = mat_mul_integer_ref,
    .examples = WEFT_EXAMPLES(
        "u8[2,2]{1,2,255,0}, i8[2,2]{1,-128,10,127} -> i32[2,2]{21,126,255,-32640}",
        "u8[1,2]{3,5}, u8[2,2]{1,2,3,4}, i32[2]{10,-20}, u8[]{1}, u8[2]{0,1}, f32[2]{0.5,1}, i8[]{-3}"
        " -> i8[1,2]{9,-9}",
        "u8[2]{1,2}, i8[2]{3,4} -> i32[]{11}", "i8[2,1,2]{1,2,3,4}, i8[2,1]{5,6} -> i32[2,1,1]{17,39}",
        "u8[0,2,3], i8[3,4] -> i32[0,2,4]", "u8[-1,3], i8[3,7] -> i32[-1,7]",
        "u8[2,3], i8[2,3] !! E_SHAPE inner dims of inputs 'x' and 'w': 3 and 2 differ",
        "u8[2,3], i8[3,4], i32[4], u8[2] !! E_SHAPE input 'x_zero': expected one element"),
};
// SPDX-License-Identifier: Apache-2.0
