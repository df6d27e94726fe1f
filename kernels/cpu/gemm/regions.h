// regions.h - which fused regions the kernels of products and convolutions take. A region of theirs is one
// product or convolution, first, and then a chain of elementwise operators, each on the result before it,
// which nobody else uses:
//
//   first       MatMulV2, BatchMatMulV2, GEMM (alpha and beta constant), Conv2D (NCHW), Conv; all of float
//   then        Add and BiasAdd (NCHW) of a tensor that has one number a channel (or row), one a column, one
//               in all, or the result's shape; Relu, Relu6, ClipByValue(V2) with constant bounds of one
//               element that are no NaN; LeakyRelu, Sigmoid, Tanh, Gelu, Swish, HardSwish, HardSigmoid
//
// at most 10 of them, and none may change the shape. Fastest are additions and then one Relu or clip.
#pragma once
#include "weft/op.h"

// What of this a region breaks, as far as operators, wiring and dtypes tell; NULL: nothing. Shapes and
// constants are looked at by weft_kernel.refuse, which takes dims that are not known yet for the best.
const char *weft__product_region_refuse(const weft_region *r);
// SPDX-License-Identifier: Apache-2.0
