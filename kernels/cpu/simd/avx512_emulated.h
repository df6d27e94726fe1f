// avx512_emulated.h - the instructions of AVX-512 that kernels use, of F, BW, DQ, VL, VNNI and BF16, and of
// AVX-VNNI, in AVX2 and plain C, bit for bit what the processor's manual says of numbers (of NaN: that it is
// one), so that every machine with AVX2 tests the kernels of these sets. With WEFT_AVX512_EMULATED it comes
// before each *_avx512.c (cmake/kernels.cmake) and takes the names of the intrinsics; what is not here does
// not compile. Lanes that a mask leaves out are not touched in memory. rcp14, whose last bits the processor
// chooses, is off by up to half of what it may be. tests/avx512_emulated_test.c compares with the
// processor's.
#pragma once
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <immintrin.h>

typedef union emulated {  // a vector, or k: a mask, an immediate
  __m512 ps;
  __m512i si;
  __m512d pd;
  __m512bh bh;
  uint64_t k;
  __m128i xmm;
  __m256 ymm;
  __m256 ps2[2];
  __m256i yi;
  __m256i si2[2];
  __m256d pd2[2];
  __m128 ps4[4];
  __m128i si4[4];
  float f32[16];
  uint8_t u8[64];
  uint16_t u16[32];
  uint32_t u32[16];
  uint64_t u64[8];
} emulated;

#define EMULATED     static inline __attribute__((unused))
#define MEMBER(name) __typeof__(((emulated *)0)->name)
// emulated_NAME, of the union's members pa, pb and pc makes the member `to`: `each` is lane or half i of n of
// r, which begins as 0.
#define EMULATE(to, n, each)         \
  emulated r = {.si = {0}};          \
  for (unsigned i = 0; i < (n); i++) \
    each;                            \
  return r.to
#define EMULATE_1(name, to, pa, n, each)               \
  EMULATED MEMBER(to) emulated_##name(MEMBER(pa) a_) { \
    const emulated a = {.pa = a_};                     \
    EMULATE(to, n, each);                              \
  }
#define EMULATE_2(name, to, pa, pb, n, each)                          \
  EMULATED MEMBER(to) emulated_##name(MEMBER(pa) a_, MEMBER(pb) b_) { \
    const emulated a = {.pa = a_}, b = {.pb = b_};                    \
    EMULATE(to, n, each);                                             \
  }
#define EMULATE_3(name, to, pa, pb, pc, n, each)                                     \
  EMULATED MEMBER(to) emulated_##name(MEMBER(pa) a_, MEMBER(pb) b_, MEMBER(pc) c_) { \
    const emulated a = {.pa = a_}, b = {.pb = b_}, c = {.pc = c_};                   \
    EMULATE(to, n, each);                                                            \
  }

// ---- by AVX2's instruction of the same meaning for each half ----
#define HALVES(name, half) EMULATE_2(name, si, si, si, 2, r.si2[i] = half(a.si2[i], b.si2[i]))
#define SHIFT(name, half)  EMULATE_2(name, si, si, k, 2, r.si2[i] = half(a.si2[i], (int)b.k))
HALVES(add_epi32, _mm256_add_epi32)
HALVES(adds_epi16, _mm256_adds_epi16)
HALVES(and_si512, _mm256_and_si256)
HALVES(madd_epi16, _mm256_madd_epi16)
HALVES(max_epu8, _mm256_max_epu8)
HALVES(mul_epi32, _mm256_mul_epi32)
HALVES(packs_epi32, _mm256_packs_epi32)
HALVES(packus_epi16, _mm256_packus_epi16)
HALVES(srav_epi32, _mm256_srav_epi32)
HALVES(srlv_epi32, _mm256_srlv_epi32)
HALVES(unpackhi_epi16, _mm256_unpackhi_epi16)
HALVES(unpackhi_epi8, _mm256_unpackhi_epi8)
HALVES(unpacklo_epi16, _mm256_unpacklo_epi16)
HALVES(unpacklo_epi8, _mm256_unpacklo_epi8)
SHIFT(slli_epi16, _mm256_slli_epi16)
SHIFT(slli_epi32, _mm256_slli_epi32)
SHIFT(srai_epi16, _mm256_srai_epi16)
SHIFT(srli_epi16, _mm256_srli_epi16)
SHIFT(srli_epi64, _mm256_srli_epi64)
EMULATE_2(max_ps, ps, ps, ps, 2, r.ps2[i] = _mm256_max_ps(a.ps2[i], b.ps2[i]))
EMULATE_2(min_ps, ps, ps, ps, 2, r.ps2[i] = _mm256_min_ps(a.ps2[i], b.ps2[i]))
EMULATE_3(fmadd_ps, ps, ps, ps, ps, 2, r.ps2[i] = _mm256_fmadd_ps(a.ps2[i], b.ps2[i], c.ps2[i]))
EMULATE_3(fmsub_ps, ps, ps, ps, ps, 2, r.ps2[i] = _mm256_fmsub_ps(a.ps2[i], b.ps2[i], c.ps2[i]))
EMULATE_3(fnmadd_ps, ps, ps, ps, ps, 2, r.ps2[i] = _mm256_fnmadd_ps(a.ps2[i], b.ps2[i], c.ps2[i]))
EMULATE_1(abs_ps, ps, ps, 2, r.ps2[i] = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.ps2[i]))
EMULATE_1(roundscale_ps_8, ps, ps, 2, r.ps2[i] = _mm256_round_ps(a.ps2[i], 8))
EMULATE_1(cvtps_epi32, si, ps, 2, r.si2[i] = _mm256_cvtps_epi32(a.ps2[i]))
EMULATE_1(cvtps_pd, pd, ymm, 2, r.pd2[i] = _mm256_cvtps_pd(a.ps4[i]))
EMULATE_1(cvtph_ps, ps, yi, 2, r.ps2[i] = _mm256_cvtph_ps(a.si4[i]))
EMULATE_1(cvtps_ph_0, yi, ps, 2, r.si4[i] = _mm256_cvtps_ph(a.ps2[i], 0))

// ---- lane by lane ----
EMULATE_1(cvtepi8_epi32, si, xmm, 16, r.u32[i] = (uint32_t)(int8_t)a.u8[i])
EMULATE_1(cvtepu8_epi32, si, xmm, 16, r.u32[i] = a.u8[i])
EMULATE_1(cvtepi32_epi8, xmm, si, 16, r.u8[i] = (uint8_t)a.u32[i])
EMULATE_1(set1_epi8, si, k, 64, r.u8[i] = (uint8_t)a.k)
EMULATE_1(set1_epi16, si, k, 32, r.u16[i] = (uint16_t)a.k)
EMULATE_1(set1_epi32, si, k, 16, r.u32[i] = (uint32_t)a.k)
EMULATE_1(set1_epi64, si, k, 8, r.u64[i] = a.k)
EMULATE_1(castsi256_si512, si, yi, 1, r.si2[i] = a.yi)
EMULATE_2(inserti64x4_1, si, si, yi, 1, (r.si = a.si, r.si2[1] = b.yi))
EMULATE_3(ternarylogic_0xEC, si, si, si, si, 8, r.u64[i] = b.u64[i] | (a.u64[i] & c.u64[i]))
// Of each pair of lanes the upper one, twice.
EMULATE_1(uppers, si, si, 16, r.u32[i] = a.u32[i | 1])
EMULATE_3(mask_mov_epi32, si, si, k, si, 16, r.u32[i] = (b.k >> i & 1 ? c : a).u32[i])
EMULATE_2(permutexvar_epi16, si, si, si, 32, r.u16[i] = b.u16[a.u16[i] & 31])
EMULATE_2(permutexvar_epi64, si, si, si, 8, r.u64[i] = b.u64[a.u64[i] & 7])
EMULATE_3(permutex2var_ps, ps, ps, si, ps, 16, r.u32[i] = (b.u32[i] & 16 ? c : a).u32[b.u32[i] & 15])
EMULATE_3(mask_mov_ps, ps, ps, k, ps, 16, r.u32[i] = (b.k >> i & 1 ? c : a).u32[i])
EMULATE_2(maskz_mov_ps, ps, k, ps, 16, r.u32[i] = a.k >> i & 1 ? b.u32[i] : 0)
EMULATE_2(maskz_compress_epi32, si, k, si, 16,
          if (a.k >> i & 1) r.u32[__builtin_popcountll(a.k & ((UINT64_C(1) << i) - 1))] = b.u32[i])
EMULATE_2(cmp_ps_mask_CMP_EQ_OQ, k, ps, ps, 16, r.k |= (uint64_t)(a.f32[i] == b.f32[i]) << i)
EMULATE_2(cmp_ps_mask_CMP_LT_OQ, k, ps, ps, 16, r.k |= (uint64_t)(a.f32[i] < b.f32[i]) << i)
EMULATE_2(cmp_ps_mask_CMP_UNORD_Q, k, ps, ps, 16, r.k |= (uint64_t)(isnan(a.f32[i]) || isnan(b.f32[i])) << i)
EMULATE_1(movepi32_mask, k, si, 16, r.k |= (uint64_t)(a.u32[i] >> 31) << i)
EMULATE_2(test_epi8_mask, k, si, si, 64, r.k |= (uint64_t)((a.u8[i] & b.u8[i]) != 0) << i)
EMULATE_2(test_epi16_mask, k, si, si, 32, r.k |= (uint64_t)((a.u16[i] & b.u16[i]) != 0) << i)
EMULATE_2(test_epi32_mask, k, si, si, 16, r.k |= (uint64_t)((a.u32[i] & b.u32[i]) != 0) << i)
EMULATE_2(test_epi64_mask, k, si, si, 8, r.k |= (uint64_t)((a.u64[i] & b.u64[i]) != 0) << i)

EMULATED __m512 emulated_set1_ps(float x) {
  return (__m512){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}
// Lanes from the last one on.
EMULATED __m512i emulated_set_epi16(const int16_t v[32]) {
  emulated r;
  for (int i = 0; i < 32; i++)
    r.u16[i] = (uint16_t)v[31 - i];
  return r.si;
}
EMULATED __m512i emulated_set_epi32(const int32_t v[16]) {
  emulated r;
  for (int i = 0; i < 16; i++)
    r.u32[i] = (uint32_t)v[15 - i];
  return r.si;
}

// ---- memory ----
#define LOAD(name, to, lane, n)                                                             \
  EMULATED MEMBER(to) emulated_mask_##name(MEMBER(to) rest, uint64_t mask, const void *p) { \
    emulated r = {.to = rest};                                                              \
    for (unsigned i = 0; i < (n); i++)                                                      \
      if (mask >> i & 1)                                                                    \
        memcpy(&r.lane[i], (const char *)p + i * sizeof r.lane[i], sizeof r.lane[i]);       \
    return r.to;                                                                            \
  }
LOAD(loadu_ps, ps, f32, 16)
LOAD(loadu_epi8, si, u8, 64)
LOAD(loadu_epi16, si, u16, 32)
LOAD(loadu_epi32, si, u32, 16)
LOAD(loadu_epi64, si, u64, 8)
EMULATED void emulated_mask_storeu_ps(void *p, uint64_t mask, __m512 v) {
  const emulated x = {.ps = v};
  for (unsigned i = 0; i < 16; i++) {
    if (mask >> i & 1)
      memcpy((char *)p + 4 * i, &x.f32[i], 4);
  }
}
EMULATED __m512 emulated_loadu_ps(const void *p) {
  __m512 v;
  memcpy(&v, p, sizeof v);
  return v;
}
EMULATED void emulated_storeu(void *p, __m512i v) {
  memcpy(p, &v, sizeof v);
}

// ---- sums and extremes of a vector, in the order of the compilers' headers ----
#define REDUCE(name, two)                                                               \
  EMULATED float emulated_reduce_##name(__m512 v) {                                     \
    const emulated x = {.ps = v};                                                       \
    const __m256 y = _mm256_##two(x.ps2[1], x.ps2[0]);                                  \
    const __m128 z = _mm_##two(_mm256_extractf128_ps(y, 1), _mm256_castps256_ps128(y)); \
    const __m128 w = _mm_##two(z, _mm_shuffle_ps(z, z, _MM_SHUFFLE(1, 0, 3, 2)));       \
    return _mm_cvtss_f32(_mm_##two(w, _mm_shuffle_ps(w, w, _MM_SHUFFLE(0, 1, 0, 1))));  \
  }
REDUCE(add_ps, add_ps)
REDUCE(max_ps, max_ps)

// ---- arithmetic that AVX2 has not ----
EMULATED float emulated_float(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}
EMULATED uint32_t emulated_bits(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
// a 2^floor(b): the product of doubles is exact and rounded once.
EMULATED float emulated_scale(float a, float b) {
  const double n = floor((double)b);
  if (isnan(b) || isinf(b))
    return isnan(b) ? b : isnan(a) ? fmaxf(b, 0) : a * fmaxf(b, 0);
  const uint64_t u = (uint64_t)(1023 + (int64_t)fmin(fmax(n, -400), 400)) << 52;
  double two;
  memcpy(&two, &u, sizeof two);
  return (float)((double)a * two);
}
// 15 digits behind the point, cut off.
EMULATED float emulated_reciprocal(float x) {
  const float y = 1.0f / x;
  return fabsf(y) >= FLT_MIN && isfinite(y) ? emulated_float(emulated_bits(y) & 0xFFFFFF00u) : y;
}
EMULATED float emulated_flush(float x) {
  return fabsf(x) < FLT_MIN ? copysignf(0.0f, x) : x;
}
EMULATED float emulated_of_bf16(uint16_t u) {
  return emulated_flush(emulated_float((uint32_t)u << 16));
}
EMULATED uint16_t emulated_to_bf16(float x) {
  const uint32_t u = emulated_bits(emulated_flush(x));
  return (uint16_t)(isnan(x) ? u >> 16 | 0x40 : (u + 0x7FFF + (u >> 16 & 1)) >> 16);
}
// Denormals count as zero, as operands and as results.
EMULATED float emulated_add_bf16(float s, uint16_t x, uint16_t y) {
  return emulated_flush(fmaf(emulated_of_bf16(x), emulated_of_bf16(y), emulated_flush(s)));
}
EMULATE_2(scalef_ps, ps, ps, ps, 16, r.f32[i] = emulated_scale(a.f32[i], b.f32[i]))
EMULATE_1(rcp14_ps, ps, ps, 16, r.f32[i] = emulated_reciprocal(a.f32[i]))
EMULATE_1(cvtneps_pbh, yi, ps, 16, r.u16[i] = emulated_to_bf16(a.f32[i]))
EMULATE_2(cvtne2ps_pbh, bh, ps, ps, 32, r.u16[i] = emulated_to_bf16(i < 16 ? b.f32[i] : a.f32[i - 16]))
EMULATE_3(dpbf16_ps, ps, ps, bh, bh, 16, {
  r.f32[i] = emulated_add_bf16(a.f32[i], b.u16[2 * i + 1], c.u16[2 * i + 1]);
  r.f32[i] = emulated_add_bf16(r.f32[i], b.u16[2 * i], c.u16[2 * i]);
})
// Unsigned bytes by signed ones, four to a sum: in pairs of 16 bits nothing is lost.
EMULATED __m256i emulated_dpbusd_half(__m256i s, __m256i x, __m256i y) {
  const __m256i even = _mm256_madd_epi16(_mm256_and_si256(x, _mm256_set1_epi16(255)),
                                         _mm256_srai_epi16(_mm256_slli_epi16(y, 8), 8));
  const __m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(x, 8), _mm256_srai_epi16(y, 8));
  return _mm256_add_epi32(s, _mm256_add_epi32(even, odd));
}
EMULATE_3(dpbusd_epi32, si, si, si, si, 2, r.si2[i] = emulated_dpbusd_half(a.si2[i], b.si2[i], c.si2[i]))

#undef EMULATED
#undef MEMBER
#undef EMULATE
#undef EMULATE_1
#undef EMULATE_2
#undef EMULATE_3
#undef HALVES
#undef SHIFT
#undef LOAD
#undef REDUCE

// ---- the names ----
#if defined(WEFT_AVX512_EMULATED)
#define __AVX512F__ 1
#undef _mm512_cmp_ps_mask
#undef _mm512_cvtps_ph
#undef _mm512_inserti64x4
#undef _mm512_roundscale_ps
#undef _mm512_setr_epi64
#undef _mm512_slli_epi16
#undef _mm512_slli_epi32
#undef _mm512_srai_epi16
#undef _mm512_srli_epi16
#undef _mm512_srli_epi64
#undef _mm512_mask_shuffle_epi32
#undef _mm512_ternarylogic_epi32
// An immediate is a part of the name.
#define _mm512_cmp_ps_mask(a, b, p)           emulated_cmp_ps_mask##p(a, b)
#define _mm512_cvtps_ph(a, p)                 emulated_cvtps_ph_##p(a)
#define _mm512_inserti64x4(a, b, p)           emulated_inserti64x4_##p(a, b)
#define _mm512_roundscale_ps(a, p)            emulated_roundscale_ps_##p(a)
#define _mm512_ternarylogic_epi32(a, b, c, p) emulated_ternarylogic_##p(a, b, c)
#define _mm512_castps_si512(a)                ((__m512i)(__m512)(a))
#define _mm512_castsi512_ps(a)                ((__m512)(__m512i)(a))
#define _mm512_set_epi16(...)                 emulated_set_epi16((const int16_t[32]){__VA_ARGS__})
#define _mm512_set_epi32(...)                 emulated_set_epi32((const int32_t[16]){__VA_ARGS__})
#define _mm512_setr_epi64(...)                ((__m512i){__VA_ARGS__})
#define _mm512_mask_blend_ps(k, a, b)         emulated_mask_mov_ps(a, k, b)
#define _mm512_mask_shuffle_epi32(a, k, b, p) emulated_mask_mov_epi32(a, k, emulated_shuffle_##p(b))
#define emulated_shuffle_0xF5                 emulated_uppers
#define _mm512_maskz_loadu_ps(k, p)           emulated_mask_loadu_ps((__m512){0}, k, p)
#define _mm512_storeu_ps(p, v)                emulated_storeu(p, (__m512i)(__m512)(v))
#define _mm512_storeu_si512                   emulated_storeu
#define _mm512_maskz_loadu_epi8(k, p)         emulated_mask_loadu_epi8((__m512i){0}, k, p)
#define _mm512_maskz_loadu_epi16(k, p)        emulated_mask_loadu_epi16((__m512i){0}, k, p)
#define _mm512_maskz_loadu_epi32(k, p)        emulated_mask_loadu_epi32((__m512i){0}, k, p)
#define _mm512_maskz_loadu_epi64(k, p)        emulated_mask_loadu_epi64((__m512i){0}, k, p)
#define _mm256_dpbusd_avx_epi32               emulated_dpbusd_half
#define _mm512_abs_ps                         emulated_abs_ps
#define _mm512_add_epi32                      emulated_add_epi32
#define _mm512_adds_epi16                     emulated_adds_epi16
#define _mm512_and_si512                      emulated_and_si512
#define _mm512_castsi256_si512                emulated_castsi256_si512
#define _mm512_cvtepi32_epi8                  emulated_cvtepi32_epi8
#define _mm512_cvtepi8_epi32                  emulated_cvtepi8_epi32
#define _mm512_cvtepu8_epi32                  emulated_cvtepu8_epi32
#define _mm512_cvtne2ps_pbh                   emulated_cvtne2ps_pbh
#define _mm512_cvtneps_pbh                    emulated_cvtneps_pbh
#define _mm512_cvtph_ps                       emulated_cvtph_ps
#define _mm512_cvtps_epi32                    emulated_cvtps_epi32
#define _mm512_cvtps_pd                       emulated_cvtps_pd
#define _mm512_dpbf16_ps                      emulated_dpbf16_ps
#define _mm512_dpbusd_epi32                   emulated_dpbusd_epi32
#define _mm512_fmadd_ps                       emulated_fmadd_ps
#define _mm512_fmsub_ps                       emulated_fmsub_ps
#define _mm512_fnmadd_ps                      emulated_fnmadd_ps
#define _mm512_loadu_ps                       emulated_loadu_ps
#define _mm512_madd_epi16                     emulated_madd_epi16
#define _mm512_mask_loadu_ps                  emulated_mask_loadu_ps
#define _mm512_mask_mov_ps                    emulated_mask_mov_ps
#define _mm512_mask_storeu_ps                 emulated_mask_storeu_ps
#define _mm512_maskz_compress_epi32           emulated_maskz_compress_epi32
#define _mm512_maskz_mov_ps                   emulated_maskz_mov_ps
#define _mm512_max_epu8                       emulated_max_epu8
#define _mm512_max_ps                         emulated_max_ps
#define _mm512_min_ps                         emulated_min_ps
#define _mm512_movepi32_mask                  emulated_movepi32_mask
#define _mm512_mul_epi32                      emulated_mul_epi32
#define _mm512_packs_epi32                    emulated_packs_epi32
#define _mm512_packus_epi16                   emulated_packus_epi16
#define _mm512_permutex2var_ps                emulated_permutex2var_ps
#define _mm512_permutexvar_epi16              emulated_permutexvar_epi16
#define _mm512_permutexvar_epi64              emulated_permutexvar_epi64
#define _mm512_rcp14_ps                       emulated_rcp14_ps
#define _mm512_reduce_add_ps                  emulated_reduce_add_ps
#define _mm512_reduce_max_ps                  emulated_reduce_max_ps
#define _mm512_scalef_ps                      emulated_scalef_ps
#define _mm512_set1_epi16                     emulated_set1_epi16
#define _mm512_set1_epi32                     emulated_set1_epi32
#define _mm512_set1_epi64                     emulated_set1_epi64
#define _mm512_set1_epi8                      emulated_set1_epi8
#define _mm512_set1_ps                        emulated_set1_ps
#define _mm512_slli_epi16                     emulated_slli_epi16
#define _mm512_slli_epi32                     emulated_slli_epi32
#define _mm512_srai_epi16                     emulated_srai_epi16
#define _mm512_srav_epi32                     emulated_srav_epi32
#define _mm512_srli_epi16                     emulated_srli_epi16
#define _mm512_srli_epi64                     emulated_srli_epi64
#define _mm512_srlv_epi32                     emulated_srlv_epi32
#define _mm512_test_epi16_mask                emulated_test_epi16_mask
#define _mm512_test_epi32_mask                emulated_test_epi32_mask
#define _mm512_test_epi64_mask                emulated_test_epi64_mask
#define _mm512_test_epi8_mask                 emulated_test_epi8_mask
#define _mm512_unpackhi_epi16                 emulated_unpackhi_epi16
#define _mm512_unpackhi_epi8                  emulated_unpackhi_epi8
#define _mm512_unpacklo_epi16                 emulated_unpacklo_epi16
#define _mm512_unpacklo_epi8                  emulated_unpacklo_epi8
#endif
// SPDX-License-Identifier: Apache-2.0
