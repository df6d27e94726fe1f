// gemm_block_avx2.c - products with 6 x 16 tiles: 12 registers of sums, two of b, one of a. With two steps
// written out a part of a sum is 32 rounds, whose end Zen 3 foresees.
#include "cpu/gemm/gemm_block.h"
#include "cpu/simd/vector_avx2.h"

#define ROWS    6
#define AT_ONCE 2
#define TABLE   weft__gemm_avx2
#include "cpu/gemm/gemm_block_body.h"
// SPDX-License-Identifier: Apache-2.0
