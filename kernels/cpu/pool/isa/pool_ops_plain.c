// pool_ops_plain.c - pool_ops.h for this instruction set (cmake/kernels.cmake).
#include "cpu/pool/pool_ops.h"
#include "cpu/simd/vector_plain.h"

#define OPS weft__pool_ops_plain
#include "cpu/pool/pool_ops_body.h"
// SPDX-License-Identifier: Apache-2.0
