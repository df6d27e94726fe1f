// pool_ops_avx2.c - pool_ops.h for this instruction set (cmake/kernels.cmake).
#include "cpu/pool/pool_ops.h"
#include "cpu/simd/vector_avx2.h"

#define OPS weft__pool_ops_avx2
#include "cpu/pool/pool_ops_body.h"
// SPDX-License-Identifier: Apache-2.0
