// quant_block_avx512.c - products of bytes in AVX512BW, in pairs of 16 bits.
#include "cpu/quant/quant_block.h"
#include "cpu/quant/quant_vec_512.h"

#define ROWS  12
#define WIDE  2
#define TABLE weft__quant_avx512
#define NAME  "avx512"

WEFT_INLINE ivec even(ivec b) {
  return (ivec)_mm512_and_si512((__m512i)b, _mm512_set1_epi32(0x00FF00FF));
}
WEFT_INLINE ivec odd(ivec b) {
  return (ivec)_mm512_srli_epi16((__m512i)b, 8);
}
WEFT_INLINE ivec dot(ivec s, ivec b_even, ivec b_odd, const int32_t *a) {
  __m512i p = _mm512_madd_epi16((__m512i)b_even, _mm512_set1_epi32(a[0]));
  __m512i q = _mm512_madd_epi16((__m512i)b_odd, _mm512_set1_epi32(a[1]));
  return s + (ivec)p + (ivec)q;
}
// Signed quads as pairs of 16 bits.
WEFT_INLINE ivec even_w(ivec w) {
  return (ivec)_mm512_srai_epi16(_mm512_slli_epi16((__m512i)w, 8), 8);
}
WEFT_INLINE ivec odd_w(ivec w) {
  return (ivec)_mm512_srai_epi16((__m512i)w, 8);
}
WEFT_INLINE ivec dot_w(ivec s, ivec x_even, ivec x_odd, ivec w_even, ivec w_odd) {
  __m512i p = _mm512_madd_epi16((__m512i)x_even, (__m512i)w_even);
  __m512i q = _mm512_madd_epi16((__m512i)x_odd, (__m512i)w_odd);
  return s + (ivec)p + (ivec)q;
}
#include "cpu/quant/quant_block_body.h"
// SPDX-License-Identifier: Apache-2.0
