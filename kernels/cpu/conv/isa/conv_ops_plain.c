// conv_ops_plain.c - conv_ops.h for this instruction set (cmake/kernels.cmake).
#include "cpu/conv/conv_ops.h"
#include "cpu/simd/vector_plain.h"

#define OPS weft__conv_ops_plain
#include "cpu/conv/conv_ops_body.h"
// SPDX-License-Identifier: Apache-2.0
