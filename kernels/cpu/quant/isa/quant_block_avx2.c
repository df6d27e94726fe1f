// quant_block_avx2.c - products of bytes in AVX2, in pairs of 16 bits: vpmaddubsw would saturate. Packed
// tiles are of pairs: six rows by two vectors of sums leave no register for taking bytes apart.
#include "cpu/quant/quant_block.h"
#include "cpu/quant/quant_vec_256.h"

#define ROWS  6
#define WIDE  2
#define PAIRS 1
#define TABLE weft__quant_avx2
#define NAME  "avx2"

WEFT_INLINE ivec even(ivec b) {
  return (ivec)_mm256_and_si256((__m256i)b, _mm256_set1_epi32(0x00FF00FF));
}
WEFT_INLINE ivec odd(ivec b) {
  return (ivec)_mm256_srli_epi16((__m256i)b, 8);
}
WEFT_INLINE ivec dot(ivec s, ivec b_even, ivec b_odd, const int32_t *a) {
  __m256i p = _mm256_madd_epi16((__m256i)b_even, _mm256_set1_epi32(a[0]));
  __m256i q = _mm256_madd_epi16((__m256i)b_odd, _mm256_set1_epi32(a[1]));
  return s + (ivec)p + (ivec)q;
}
// Signed quads as pairs of 16 bits.
WEFT_INLINE ivec even_w(ivec w) {
  return (ivec)_mm256_srai_epi16(_mm256_slli_epi16((__m256i)w, 8), 8);
}
WEFT_INLINE ivec odd_w(ivec w) {
  return (ivec)_mm256_srai_epi16((__m256i)w, 8);
}
WEFT_INLINE ivec dot_w(ivec s, ivec x_even, ivec x_odd, ivec w_even, ivec w_odd) {
  __m256i p = _mm256_madd_epi16((__m256i)x_even, (__m256i)w_even);
  __m256i q = _mm256_madd_epi16((__m256i)x_odd, (__m256i)w_odd);
  return s + (ivec)p + (ivec)q;
}
// In a register, and before what is written behind it: then all sums and what they need fit the registers.
WEFT_INLINE ivec kept(ivec v) {
  __asm__ volatile("" : "+x"(v));
  return v;
}
WEFT_INLINE ivec dot_pair(ivec s, ivec x, ivec w) {
  return kept(s + (ivec)_mm256_madd_epi16((__m256i)x, (__m256i)w));
}
typedef int16_t hvec __attribute__((vector_size(32)));
typedef int16_t hvec_at __attribute__((vector_size(32), aligned(1), may_alias));
WEFT_INLINE hvec halves(const uint8_t *p) {
  return (hvec)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)p));
}
#include "cpu/quant/quant_block_body.h"
// SPDX-License-Identifier: Apache-2.0
