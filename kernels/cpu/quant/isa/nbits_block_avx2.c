// nbits_block_avx2.c - weights of few bits, eight at a time.
#include "cpu/simd/vector_avx2.h"

#define NBITS_WIDEN(p) (ivec) _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(p)))
#define NBITS_EVENS    0, 8, 1, 9, 2, 10, 3, 11
#define NBITS_ODDS     4, 12, 5, 13, 6, 14, 7, 15
#define TABLE          weft__nbits_avx2
#include "cpu/quant/nbits_block_body.h"
// SPDX-License-Identifier: Apache-2.0
