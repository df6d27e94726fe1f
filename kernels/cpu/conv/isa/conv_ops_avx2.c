// conv_ops_avx2.c - conv_ops.h for this instruction set (cmake/kernels.cmake).
#include "cpu/conv/conv_ops.h"
#include "cpu/simd/vector_avx2.h"

#define OPS weft__conv_ops_avx2
#include "cpu/conv/conv_ops_body.h"
// SPDX-License-Identifier: Apache-2.0
