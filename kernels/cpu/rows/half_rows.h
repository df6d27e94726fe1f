// half_rows.h - rows of float16 and bfloat16 to floats and back, rounded to nearest, ties to even, for the
// instruction set that this is compiled for. NaN stays NaN, denormals and infinities stay what they are. The
// processor's own conversions where it has them; bf16 is a shift, which the compiler vectorises.
#include "cpu/simd/vector_math.h"

#if defined(__AVX512F__)
#include <immintrin.h>
// Whole vectors without masks: a masked store of 16-bit numbers is many times as slow on some processors.
enum { HALVES = 16 };
WEFT_INLINE void some_wide(const uint16_t *x, float *y) {
  _mm512_storeu_ps(y, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)x)));
}
WEFT_INLINE void some_narrow(const float *x, uint16_t *y) {
  _mm256_storeu_si256((__m256i *)(void *)y, _mm512_cvtps_ph(_mm512_loadu_ps(x), 0));
}
#elif defined(__F16C__)
#include <immintrin.h>
enum { HALVES = 8 };
WEFT_INLINE void some_wide(const uint16_t *x, float *y) {
  _mm256_storeu_ps(y, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)x)));
}
WEFT_INLINE void some_narrow(const float *x, uint16_t *y) {
  _mm_storeu_si128((__m128i *)(void *)y, _mm256_cvtps_ph(_mm256_loadu_ps(x), 0));
}
#elif defined(__aarch64__)
#include <arm_neon.h>
enum { HALVES = 4 };
WEFT_INLINE void some_wide(const uint16_t *x, float *y) {
  vst1q_f32(y, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x))));
}
WEFT_INLINE void some_narrow(const float *x, uint16_t *y) {
  vst1_u16(y, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(x))));
}
#else
enum { HALVES = 8 };
WEFT_INLINE void some_wide(const uint16_t *x, float *y) {
  WEFT_LOOP(size_t i = 0; i < HALVES; i++)
    y[i] = weft__of_half(x[i]);
}
WEFT_INLINE void some_narrow(const float *x, uint16_t *y) {
  WEFT_LOOP(size_t i = 0; i < HALVES; i++)
    y[i] = weft__to_half(x[i]);
}
#endif
// The last few numbers go through a vector of their own.
static void widen_half(const uint16_t *x, float *y, size_t n) {
  size_t i = 0;
  for (; i + 2 * HALVES <= n; i += 2 * HALVES) {
    some_wide(x + i, y + i);
    some_wide(x + i + HALVES, y + i + HALVES);
  }
  for (; i + HALVES <= n; i += HALVES)
    some_wide(x + i, y + i);
  if (i == n)
    return;
  uint16_t few[HALVES] = {0};
  float wide[HALVES];
  memcpy(few, x + i, (n - i) * sizeof *x);
  some_wide(few, wide);
  memcpy(y + i, wide, (n - i) * sizeof *y);
}
static void narrow_half(const float *x, uint16_t *y, size_t n) {
  size_t i = 0;
  for (; i + 2 * HALVES <= n; i += 2 * HALVES) {
    some_narrow(x + i, y + i);
    some_narrow(x + i + HALVES, y + i + HALVES);
  }
  for (; i + HALVES <= n; i += HALVES)
    some_narrow(x + i, y + i);
  if (i == n)
    return;
  float few[HALVES] = {0};
  uint16_t narrow[HALVES];
  memcpy(few, x + i, (n - i) * sizeof *x);
  some_narrow(few, narrow);
  memcpy(y + i, narrow, (n - i) * sizeof *y);
}

static void widen_bf16(const uint16_t *x, float *y, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    y[i] = weft__of_bf16(x[i]);
}
static void narrow_bf16(const float *x, uint16_t *y, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    y[i] = weft__to_bf16(x[i]);
}
// SPDX-License-Identifier: Apache-2.0
