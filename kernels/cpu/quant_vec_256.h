// quant_vec_256.h - what quant_block_body.h asks for, in 256 bits; `dot`, ROWS and WIDE are the file's own.
#include <immintrin.h>

#include "cpu/vector_math.h"

#define VEC 8
typedef int32_t ivec __attribute__((vector_size(32)));
typedef int32_t ivec_at __attribute__((vector_size(32), aligned(1), may_alias));
typedef float fvec __attribute__((vector_size(32)));
typedef float fvec_at __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint8_t bvec __attribute__((vector_size(32)));
typedef uint8_t bvec_at __attribute__((vector_size(32), aligned(1), may_alias));

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
