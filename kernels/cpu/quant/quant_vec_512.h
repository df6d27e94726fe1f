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
typedef int64_t lvec __attribute__((vector_size(64)));

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
// With `zero` (twice 16 bits) added, as unsigned bytes, in the order of pack.
WEFT_INLINE bvec saturated_i(const ivec x[4], ivec zero) {
  const __m512i low = _mm512_packs_epi32((__m512i)x[0], (__m512i)x[1]);
  const __m512i high = _mm512_packs_epi32((__m512i)x[2], (__m512i)x[3]);
  return (bvec)_mm512_packus_epi16(_mm512_adds_epi16(low, (__m512i)zero),
                                   _mm512_adds_epi16(high, (__m512i)zero));
}
// The same of numbers below 2^15 less zero, rounded to nearest.
WEFT_INLINE bvec saturated(const fvec x[4], ivec zero) {
  ivec i[4];
  for (int t = 0; t < 4; t++)
    i[t] = (ivec)_mm512_cvtps_epi32((__m512)x[t]);
  return saturated_i(i, zero);
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
// The upper halves of a * b + c for even and for odd lanes, of which odd and b_odd have theirs in even ones.
WEFT_INLINE ivec high_product(ivec a, ivec b, ivec b_odd, lvec c, lvec c_odd) {
  const __m512i a_odd = _mm512_srli_epi64((__m512i)a, 32);
  const lvec even = (lvec)_mm512_mul_epi32((__m512i)a, (__m512i)b) + c;
  const lvec odd = (lvec)_mm512_mul_epi32(a_odd, (__m512i)b_odd) + c_odd;
  return (ivec)_mm512_mask_shuffle_epi32((__m512i)odd, 0x5555, (__m512i)even, 0xF5);
}
// Shifts of each lane: without a sign, where 32 leaves nothing, and with it.
WEFT_INLINE ivec shifted_bits(ivec x, ivec by) {
  return (ivec)_mm512_srlv_epi32((__m512i)x, (__m512i)by);
}
WEFT_INLINE ivec shifted(ivec x, ivec by) {
  return (ivec)_mm512_srav_epi32((__m512i)x, (__m512i)by);
}
// SPDX-License-Identifier: Apache-2.0
