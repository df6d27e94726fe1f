// mat_mul.rule.h - the slots that say which operands of a product are transposed: MatMulV2, BatchMatMulV2 and
// GEMM have the same ones, so that kernels and passes need not ask which of them it is.
#pragma once
#include "op_slots.h"

enum {
  WEFT_PRODUCT_TURNS_A = WEFT_SLOT_MAT_MUL_V2_TRANSPOSE_X1,
  WEFT_PRODUCT_TURNS_B = WEFT_SLOT_MAT_MUL_V2_TRANSPOSE_X2
};

_Static_assert((int)WEFT_PRODUCT_TURNS_A == (int)WEFT_SLOT_BATCH_MAT_MUL_V2_ADJ_X1,
               "BatchMatMulV2 has other slots");
_Static_assert((int)WEFT_PRODUCT_TURNS_B == (int)WEFT_SLOT_BATCH_MAT_MUL_V2_ADJ_X2,
               "BatchMatMulV2 has other slots");
_Static_assert((int)WEFT_PRODUCT_TURNS_A == (int)WEFT_SLOT_GEMM_TRANSPOSE_A, "GEMM has other slots");
_Static_assert((int)WEFT_PRODUCT_TURNS_B == (int)WEFT_SLOT_GEMM_TRANSPOSE_B, "GEMM has other slots");
// SPDX-License-Identifier: Apache-2.0
