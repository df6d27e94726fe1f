// bf16_block_avx512.c - products of bf16 with 12 x 32 tiles, without dot products: 24 registers of sums, four
// of b, two of a.
#include "cpu/bf16/bf16_block.h"
#include "cpu/simd/vector_avx512.h"

#define ROWS  12
#define TABLE weft__bf16_avx512
#include "cpu/bf16/bf16_block_body.h"
// SPDX-License-Identifier: Apache-2.0
