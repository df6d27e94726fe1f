// quant_vec_512.h - what quant_block_body.h asks for, in 512 bits; `dot`, ROWS and WIDE are the file's own.
#include <immintrin.h>

#include "cpu/vector_math.h"

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
