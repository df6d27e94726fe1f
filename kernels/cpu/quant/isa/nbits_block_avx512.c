// nbits_block_avx512.c - weights of few bits, sixteen at a time.
#include "cpu/simd/vector_avx512.h"

#define NBITS_WIDEN(p) (ivec) _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(p)))
#define NBITS_EVENS    0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define NBITS_ODDS     8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define TABLE          weft__nbits_avx512
#include "cpu/quant/nbits_block_body.h"
// SPDX-License-Identifier: Apache-2.0
