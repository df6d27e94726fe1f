// quant_vec_256.h - what quant_block_body.h asks for, in 256 bits; `dot`, ROWS and WIDE are the file's own.
#include <immintrin.h>

#include "cpu/simd/vector_math.h"

#define VEC 8
typedef int32_t ivec __attribute__((vector_size(32)));
typedef int32_t ivec_at __attribute__((vector_size(32), aligned(1), may_alias));
typedef float fvec __attribute__((vector_size(32)));
typedef float fvec_at __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint8_t bvec __attribute__((vector_size(32)));
typedef uint8_t bvec_at __attribute__((vector_size(32), aligned(1), may_alias));
typedef int64_t lvec __attribute__((vector_size(32)));

WEFT_INLINE fvec largest(fvec a, fvec b) {
  return (fvec)_mm256_max_ps((__m256)a, (__m256)b);
}
WEFT_INLINE fvec least(fvec a, fvec b) {
  return (fvec)_mm256_min_ps((__m256)a, (__m256)b);
}
WEFT_INLINE void mix_bytes(bvec a, bvec b, bvec *low, bvec *high) {
  *low = (bvec)_mm256_unpacklo_epi8((__m256i)a, (__m256i)b);
  *high = (bvec)_mm256_unpackhi_epi8((__m256i)a, (__m256i)b);
}
WEFT_INLINE void mix_pairs(bvec a, bvec b, ivec *low, ivec *high) {
  *low = (ivec)_mm256_unpacklo_epi16((__m256i)a, (__m256i)b);
  *high = (ivec)_mm256_unpackhi_epi16((__m256i)a, (__m256i)b);
}
WEFT_INLINE bvec pack(const ivec q[4]) {
  __m256i mask = _mm256_set1_epi32(255);
  __m256i a =
      _mm256_packs_epi32(_mm256_and_si256((__m256i)q[0], mask), _mm256_and_si256((__m256i)q[1], mask));
  __m256i b =
      _mm256_packs_epi32(_mm256_and_si256((__m256i)q[2], mask), _mm256_and_si256((__m256i)q[3], mask));
  return (bvec)_mm256_packus_epi16(a, b);
}
WEFT_INLINE void narrow(ivec v, uint8_t *to) {
  __m256i low = _mm256_and_si256((__m256i)v, _mm256_set1_epi32(255));
  __m128i w = _mm_packs_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
  _mm_storel_epi64((__m128i *)(void *)to, _mm_packus_epi16(w, w));
}
WEFT_INLINE ivec widen(const uint8_t *p, bool is_signed) {
  __m128i b = _mm_loadl_epi64((const __m128i *)(const void *)p);
  return (ivec)(is_signed ? _mm256_cvtepi8_epi32(b) : _mm256_cvtepu8_epi32(b));
}
// With `zero` (twice 16 bits) added, as unsigned bytes, in the order of pack.
WEFT_INLINE bvec saturated_i(const ivec x[4], ivec zero) {
  const __m256i low = _mm256_packs_epi32((__m256i)x[0], (__m256i)x[1]);
  const __m256i high = _mm256_packs_epi32((__m256i)x[2], (__m256i)x[3]);
  return (bvec)_mm256_packus_epi16(_mm256_adds_epi16(low, (__m256i)zero),
                                   _mm256_adds_epi16(high, (__m256i)zero));
}
// The same of numbers below 2^15 less zero, rounded to nearest.
WEFT_INLINE bvec saturated(const fvec x[4], ivec zero) {
  ivec i[4];
  for (int t = 0; t < 4; t++)
    i[t] = (ivec)_mm256_cvtps_epi32((__m256)x[t]);
  return saturated_i(i, zero);
}
// The even groups of eight bytes, then the odd ones.
WEFT_INLINE bvec split(bvec v) {
  return (bvec)_mm256_permute4x64_epi64((__m256i)v, 0xD8);
}
WEFT_INLINE bvec largest_b(bvec a, bvec b) {
  return (bvec)_mm256_max_epu8((__m256i)a, (__m256i)b);
}
// 32 bytes, or 16, from `low`, then as many from `high` where a vector has room for them.
WEFT_INLINE bvec beside(const uint8_t *low, const uint8_t *high) {
  (void)high;
  return (bvec)_mm256_loadu_si256((const __m256i *)(const void *)low);
}
// The upper halves of a * b + c for even and for odd lanes, of which odd and b_odd have theirs in even ones.
WEFT_INLINE ivec high_product(ivec a, ivec b, ivec b_odd, lvec c, lvec c_odd) {
  const __m256i a_odd = _mm256_srli_epi64((__m256i)a, 32);
  const lvec even = (lvec)_mm256_mul_epi32((__m256i)a, (__m256i)b) + c;
  const lvec odd = (lvec)_mm256_mul_epi32(a_odd, (__m256i)b_odd) + c_odd;
  return (ivec)_mm256_blend_epi32(_mm256_srli_epi64((__m256i)even, 32), (__m256i)odd, 0xAA);
}
// Shifts of each lane: without a sign, where 32 leaves nothing, and with it.
WEFT_INLINE ivec shifted_bits(ivec x, ivec by) {
  return (ivec)_mm256_srlv_epi32((__m256i)x, (__m256i)by);
}
WEFT_INLINE ivec shifted(ivec x, ivec by) {
  return (ivec)_mm256_srav_epi32((__m256i)x, (__m256i)by);
}
// SPDX-License-Identifier: Apache-2.0
