// matmul.h - matrix products with numpy's rules, shared by MatMulV2, BatchMatMulV2 and GEMM. Floats are
// summed in double and rounded once; integers wrap in the width of the output. Layer: ops.
#pragma once
#include "op.h"

// Reserved parts of AscendIR's prototypes: an input 'offset_w' at port 3 and a value of 'offset_x' are
// refused.
weft_status weft__matmul_reserved(const weft_infer *it, uint32_t offset_x_slot);
// Output 0 of inputs 0 and 1: the last two axes are multiplied, the others broadcast. A vector is a row on
// the left and a column on the right, is never transposed, and its axis leaves the result. Port 2, when
// present, must broadcast to it.
weft_status weft__matmul_infer(weft_infer *it, bool transpose_a, bool transpose_b);
typedef struct weft_matmul_scale {  // y = alpha * a @ b + beta * c
  // one element each; NULL: 1
  const weft_tensor *alpha;
  const weft_tensor *beta;
} weft_matmul_scale;
weft_status weft__matmul_run(const weft_call *c, bool transpose_a, bool transpose_b,
                             const weft_matmul_scale *scale);
#define WEFT_MATMUL_INPUTS                                                                             \
  (WEFT_FLOATS | WEFT_DT(INT32) | WEFT_DT(INT8) | WEFT_DT(INT4) | WEFT_DT(HIFLOAT8) | WEFT_DT(INT64) | \
   WEFT_DT(UINT32) | WEFT_DT(UINT64))
#define WEFT_MATMUL_OUTPUTS \
  (WEFT_FLOATS | WEFT_DT(INT32) | WEFT_DT(HIFLOAT8) | WEFT_DT(INT64) | WEFT_DT(UINT32) | WEFT_DT(UINT64))
// SPDX-License-Identifier: Apache-2.0
