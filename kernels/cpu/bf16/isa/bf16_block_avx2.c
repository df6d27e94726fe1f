// bf16_block_avx2.c - products of bf16 with 4 x 16 tiles: 8 registers of sums, four of b, two of a.
#include "cpu/bf16/bf16_block.h"
#include "cpu/simd/vector_avx2.h"

#define ROWS  4
#define TABLE weft__bf16_avx2
#include "cpu/bf16/bf16_block_body.h"
// SPDX-License-Identifier: Apache-2.0
