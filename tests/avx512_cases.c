// avx512_cases.c - each instruction of avx512_emulated.h, on numbers in memory: compiled once with the
// processor's instructions and once with the emulated ones. CASES is the table's name.
#include "avx512_cases.h"

#include <immintrin.h>

#define A       _mm512_loadu_ps(in)
#define B       _mm512_loadu_ps((const char *)in + 64)
#define C       _mm512_loadu_ps((const char *)in + 128)
#define I(v)    ((__m512i)(__m512)(v))
#define HALF    _mm256_loadu_si256(in)
#define MASK(T) (*(const T *)(const void *)((const char *)in + 128))
#define V(e)    _mm512_storeu_si512(out, (__m512i)(e))
#define W(e)    _mm256_storeu_si256(out, (__m256i)(e))
#define M(e)    (*(uint64_t *)out = (uint64_t)(e))
// clang-format off
#define EACH(X) \
  X(max_ps, FLOATS, F, V(_mm512_max_ps(A, B))) \
  X(min_ps, FLOATS, F, V(_mm512_min_ps(A, B))) \
  X(fmadd_ps, FLOATS, F, V(_mm512_fmadd_ps(A, B, C))) \
  X(fmsub_ps, FLOATS, F, V(_mm512_fmsub_ps(A, B, C))) \
  X(fnmadd_ps, FLOATS, F, V(_mm512_fnmadd_ps(A, B, C))) \
  X(abs_ps, FLOATS, F, V(_mm512_abs_ps(A))) \
  X(roundscale_ps, FLOATS, F, V(_mm512_roundscale_ps(A, 8))) \
  X(scalef_ps, FLOATS, F, V(_mm512_scalef_ps(A, B))) \
  X(cvtph_ps, FLOATS, F, V(_mm512_cvtph_ps(HALF))) \
  X(dpbf16_ps, FLOATS, BF16, V(_mm512_dpbf16_ps(A, (__m512bh)I(B), (__m512bh)I(C)))) \
  X(reduce_add_ps, FLOATS, F, V(_mm512_set1_ps(_mm512_reduce_add_ps(A)))) \
  X(reduce_max_ps, FLOATS, F, V(_mm512_set1_ps(_mm512_reduce_max_ps(A)))) \
  X(permutex2var_ps, BITS, F, V(_mm512_permutex2var_ps(A, I(B), C))) \
  X(mask_mov_ps, BITS, F, V(_mm512_mask_mov_ps(A, MASK(__mmask16), B))) \
  X(mask_blend_ps, BITS, F, V(_mm512_mask_blend_ps(MASK(__mmask16), A, B))) \
  X(maskz_mov_ps, BITS, F, V(_mm512_maskz_mov_ps(MASK(__mmask16), A))) \
  X(mask_loadu_ps, BITS, F, V(_mm512_mask_loadu_ps(A, MASK(__mmask16), in))) \
  X(maskz_loadu_ps, BITS, F, V(_mm512_maskz_loadu_ps(MASK(__mmask16), in))) \
  X(castsi512_ps, BITS, F, V(_mm512_castsi512_ps(_mm512_castps_si512(A)))) \
  X(set1_ps, BITS, F, V(_mm512_set1_ps(*(const float *)in))) \
  X(cvtps_epi32, BITS, F, V(_mm512_cvtps_epi32(A))) \
  X(add_epi32, BITS, F, V(_mm512_add_epi32(I(A), I(B)))) \
  X(adds_epi16, BITS, F, V(_mm512_adds_epi16(I(A), I(B)))) \
  X(and_si512, BITS, F, V(_mm512_and_si512(I(A), I(B)))) \
  X(madd_epi16, BITS, F, V(_mm512_madd_epi16(I(A), I(B)))) \
  X(max_epu8, BITS, F, V(_mm512_max_epu8(I(A), I(B)))) \
  X(mul_epi32, BITS, F, V(_mm512_mul_epi32(I(A), I(B)))) \
  X(packs_epi32, BITS, F, V(_mm512_packs_epi32(I(A), I(B)))) \
  X(packus_epi16, BITS, F, V(_mm512_packus_epi16(I(A), I(B)))) \
  X(unpackhi_epi16, BITS, F, V(_mm512_unpackhi_epi16(I(A), I(B)))) \
  X(unpackhi_epi8, BITS, F, V(_mm512_unpackhi_epi8(I(A), I(B)))) \
  X(unpacklo_epi16, BITS, F, V(_mm512_unpacklo_epi16(I(A), I(B)))) \
  X(unpacklo_epi8, BITS, F, V(_mm512_unpacklo_epi8(I(A), I(B)))) \
  X(slli_epi16, BITS, F, V(_mm512_slli_epi16(I(A), 8))) \
  X(slli_epi32, BITS, F, V(_mm512_slli_epi32(I(A), 23))) \
  X(srai_epi16, BITS, F, V(_mm512_srai_epi16(I(A), 8))) \
  X(srli_epi16, BITS, F, V(_mm512_srli_epi16(I(A), 8))) \
  X(srli_epi64, BITS, F, V(_mm512_srli_epi64(I(A), 32))) \
  X(srlv_epi32, BITS, F, V(_mm512_srlv_epi32(I(A), _mm512_and_si512(I(B), _mm512_set1_epi32(63))))) \
  X(srav_epi32, BITS, F, V(_mm512_srav_epi32(I(A), _mm512_and_si512(I(B), _mm512_set1_epi32(63))))) \
  X(mask_shuffle, BITS, F, V(_mm512_mask_shuffle_epi32(I(A), MASK(__mmask16), I(B), 0xF5))) \
  X(cvtepi8_epi32, BITS, F, V(_mm512_cvtepi8_epi32(_mm_loadu_si128(in)))) \
  X(cvtepu8_epi32, BITS, F, V(_mm512_cvtepu8_epi32(_mm_loadu_si128(in)))) \
  X(set1_epi8, BITS, F, V(_mm512_set1_epi8(*(const char *)in))) \
  X(set1_epi16, BITS, F, V(_mm512_set1_epi16(*(const short *)in))) \
  X(set1_epi32, BITS, F, V(_mm512_set1_epi32(*(const int *)in))) \
  X(set1_epi64, BITS, F, V(_mm512_set1_epi64(*(const long long *)in))) \
  X(set_epi32, BITS, F, V(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))) \
  X(setr_epi64, BITS, F, V(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7))) \
  X(set_epi16, BITS, F, V(_mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, \
    24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0))) \
  X(inserti64x4, BITS, F, V(_mm512_inserti64x4(_mm512_castsi256_si512(HALF), HALF, 1))) \
  X(ternarylogic_epi32, BITS, F, V(_mm512_ternarylogic_epi32(I(A), I(B), I(C), 0xEC))) \
  X(permutexvar_epi16, BITS, F, V(_mm512_permutexvar_epi16(I(A), I(B)))) \
  X(permutexvar_epi64, BITS, F, V(_mm512_permutexvar_epi64(I(A), I(B)))) \
  X(maskz_compress_epi32, BITS, F, V(_mm512_maskz_compress_epi32(MASK(__mmask16), I(A)))) \
  X(maskz_loadu_epi8, BITS, F, V(_mm512_maskz_loadu_epi8(MASK(__mmask64), in))) \
  X(maskz_loadu_epi16, BITS, F, V(_mm512_maskz_loadu_epi16(MASK(__mmask32), in))) \
  X(maskz_loadu_epi32, BITS, F, V(_mm512_maskz_loadu_epi32(MASK(__mmask16), in))) \
  X(maskz_loadu_epi64, BITS, F, V(_mm512_maskz_loadu_epi64(MASK(__mmask8), in))) \
  X(cvtne2ps_pbh, BF16S, BF16, V((__m512i)_mm512_cvtne2ps_pbh(A, B))) \
  X(dpbusd_epi32, BITS, VNNI, V(_mm512_dpbusd_epi32(I(A), I(B), I(C)))) \
  X(rcp14_ps, RECIPROCALS, F, V(_mm512_rcp14_ps(A))) \
  X(cvtneps_pbh, BF16S, BF16, W(_mm512_cvtneps_pbh(A))) \
  X(cvtps_ph, BITS, F, W(_mm512_cvtps_ph(A, 0))) \
  X(cvtps_pd, DOUBLES, F, V(_mm512_cvtps_pd(_mm256_loadu_ps(in)))) \
  X(cvtepi32_epi8, BITS, F, _mm_storeu_si128(out, _mm512_cvtepi32_epi8(I(A)))) \
  X(storeu_ps, BITS, F, _mm512_storeu_ps(out, A)) \
  X(mask_storeu_ps, BITS, F, _mm512_mask_storeu_ps(out, MASK(__mmask16), A)) \
  X(cmp_eq, BITS, F, M(_mm512_cmp_ps_mask(A, B, _CMP_EQ_OQ))) \
  X(cmp_lt, BITS, F, M(_mm512_cmp_ps_mask(A, B, _CMP_LT_OQ))) \
  X(cmp_unord, BITS, F, M(_mm512_cmp_ps_mask(A, B, _CMP_UNORD_Q))) \
  X(movepi32_mask, BITS, F, M(_mm512_movepi32_mask(I(A)))) \
  X(test_epi8_mask, BITS, F, M(_mm512_test_epi8_mask(I(A), I(B)))) \
  X(test_epi16_mask, BITS, F, M(_mm512_test_epi16_mask(I(A), I(B)))) \
  X(test_epi32_mask, BITS, F, M(_mm512_test_epi32_mask(I(A), I(B)))) \
  X(test_epi64_mask, BITS, F, M(_mm512_test_epi64_mask(I(A), I(B))))
// clang-format on
#define FUNCTION(name, kind, needs, e)                 \
  static void case_##name(const void *in, void *out) { \
    (void)in;                                          \
    e;                                                 \
  }
EACH(FUNCTION)
#define ROW(name, kind, needs, e) {#name, CASE_##kind, CASE_##needs, case_##name},
const avx512_case CASES[] = {EACH(ROW){0}};
// SPDX-License-Identifier: Apache-2.0
