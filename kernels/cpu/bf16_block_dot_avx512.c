// bf16_block_dot_avx512.c - products of bf16 by AVX512-BF16's vdpbf16ps, 14 x 32 tiles.
#include "cpu/bf16_block.h"
#include "cpu/vector_avx512.h"

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
#include "cpu/bf16_block_body.h"
