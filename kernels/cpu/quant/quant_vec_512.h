// quant_vec_512.h - what quant_block_body.h asks for, in 512 bits; `dot`, ROWS and WIDE are the file's own.
#include <immintrin.h>

#include "cpu/simd/vector_math.h"

#define VEC 16
typedef int32_t ivec __attribute__((vector_size(64)));
typedef int32_t ivec_at __attribute__((vector_size(64), aligned(1), may_alias));
typedef float fvec __attribute__((vector_size(64)));
typedef float fvec_at __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint8_t bvec __attribute__((vector_size(64)));
typedef uint8_t bvec_at __attribute__((vector_size(64), aligned(1), may_alias));

WEFT_INLINE fvec largest(fvec a, fvec b) {
  return (fvec)_mm512_max_ps((__m512)a, (__m512)b);
}
WEFT_INLINE fvec least(fvec a, fvec b) {
  return (fvec)_mm512_min_ps((__m512)a, (__m512)b);
}
WEFT_INLINE void mix_bytes(bvec a, bvec b, bvec *low, bvec *high) {
  *low = (bvec)_mm512_unpacklo_epi8((__m512i)a, (__m512i)b);
  *high = (bvec)_mm512_unpackhi_epi8((__m512i)a, (__m512i)b);
}
WEFT_INLINE void mix_pairs(bvec a, bvec b, ivec *low, ivec *high) {
  *low = (ivec)_mm512_unpacklo_epi16((__m512i)a, (__m512i)b);
  *high = (ivec)_mm512_unpackhi_epi16((__m512i)a, (__m512i)b);
}
WEFT_INLINE bvec pack(const ivec q[4]) {
  __m512i mask = _mm512_set1_epi32(255);
  __m512i a =
      _mm512_packs_epi32(_mm512_and_si512((__m512i)q[0], mask), _mm512_and_si512((__m512i)q[1], mask));
  __m512i b =
      _mm512_packs_epi32(_mm512_and_si512((__m512i)q[2], mask), _mm512_and_si512((__m512i)q[3], mask));
  return (bvec)_mm512_packus_epi16(a, b);
}
WEFT_INLINE void narrow(ivec v, uint8_t *to) {
  _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtepi32_epi8((__m512i)v));
}
WEFT_INLINE ivec widen(const uint8_t *p, bool is_signed) {
  __m128i b = _mm_loadu_si128((const __m128i *)(const void *)p);
  return (ivec)(is_signed ? _mm512_cvtepi8_epi32(b) : _mm512_cvtepu8_epi32(b));
}
// Rounded to nearest and `zero` (twice 16 bits) added, as unsigned bytes, in the order of pack. Numbers are
// below 2^15 less zero.
WEFT_INLINE bvec saturated(const fvec x[4], ivec zero) {
  __m512i i[4];
  __m512i a;
  __m512i b;
  for (int t = 0; t < 4; t++)
    i[t] = _mm512_cvtps_epi32((__m512)x[t]);
  a = _mm512_adds_epi16(_mm512_packs_epi32(i[0], i[1]), (__m512i)zero);
  b = _mm512_adds_epi16(_mm512_packs_epi32(i[2], i[3]), (__m512i)zero);
  return (bvec)_mm512_packus_epi16(a, b);
}
// The even groups of eight bytes, then the odd ones.
WEFT_INLINE bvec split(bvec v) {
  return (bvec)_mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), (__m512i)v);
}
WEFT_INLINE bvec largest_b(bvec a, bvec b) {
  return (bvec)_mm512_max_epu8((__m512i)a, (__m512i)b);
}
// 32 bytes, or 16, from `low`, then as many from `high` where a vector has room for them.
WEFT_INLINE bvec beside(const uint8_t *low, const uint8_t *high) {
  __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)low);
  __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)high);
  return (bvec)_mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}
// SPDX-License-Identifier: Apache-2.0
