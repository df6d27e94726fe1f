// compositions/twins.c - AscendIR's older, newer and constant forms of an operator: the same concept with other ports.
#include "compose/compose.h"

// clang-format off
WEFT_ROWS(twins) = {
  COMPOSED("AddV2", "x1 + x2, broadcast", "y = Add(x1, x2)", "f32[2]{1,2}, f32[2]{3,4} -> f32[2]{4,6}", "f32[N,2], f32[2] -> f32[N,2]"),
  COMPOSED("MatMul", "the product of two matrices", "y = MatMulV2(x1, x2, bias?, transpose_x1=@transpose_x1, transpose_x2=@transpose_x2)",
           "f32[1,2]{1,2}, f32[2,1]{3,4} -> f32[1,1]{11}", "f32[N,4], f32[4,3], f32[3] -> f32[N,3]"),
  COMPOSED("ReduceSumD", "sums over axes", "y = ReduceSum(x, list(axes), keep_dims=@keep_dims)",
           "f32[2,2]{1,2,3,4} axes=[1] -> f32[2]{3,7}", "f32[N,3] axes=[1] keep_dims=true -> f32[N,1]"),
  COMPOSED("SigmoidGrad", "dy times the sigmoid's derivative at its output y", "z = Mul(dy, Mul(y, Sub(1, y)))",
           "f32[2]{0.5,1}, f32[2]{2,3} -> f32[2]{0.5,0}"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
