// gemm_block_avx512.c - products with 14 x 32 tiles: 28 registers of sums, two of b, one of a.
#include "cpu/gemm/gemm_block.h"
#include "cpu/simd/vector_avx512.h"

#define ROWS    14
#define AT_ONCE 1
#define TABLE   weft__gemm_avx512
#include "cpu/gemm/gemm_block_body.h"
// SPDX-License-Identifier: Apache-2.0
