// bf16_block_dot_avx512.c - products of bf16 by AVX512-BF16's vdpbf16ps, 14 x 32 tiles.
#include "cpu/bf16/bf16_block.h"
#include "cpu/simd/vector_avx512.h"

#define ROWS  14
#define TABLE weft__bf16_dot_avx512
#define DOTS  true
typedef __m512bh factors;
static inline factors factors_of(uint32_t __attribute__((vector_size(64))) w) {
  return (factors)w;
}
static inline vec dot(vec s, const uint32_t *x, factors w) {
  return _mm512_dpbf16_ps(s, (__m512bh)_mm512_set1_epi32((int)*x), w);
}
// Denormals become zero, as they are in the products.
static inline void leave_point(uint32_t *to, vec v) {
  _mm256_storeu_si256((__m256i *)(void *)to, (__m256i)_mm512_cvtneps_pbh(v));
}
static inline uint32_t __attribute__((vector_size(64))) both(vec low, vec high) {
  const __m512i beside = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7,
                                          22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return (uint32_t __attribute__((vector_size(64))))_mm512_permutexvar_epi16(
      beside, (__m512i)_mm512_cvtne2ps_pbh(high, low));
}
#include "cpu/bf16/bf16_block_body.h"
// SPDX-License-Identifier: Apache-2.0
