// half_rows.h - rows of float16 and bfloat16 to floats and back, rounded to nearest, ties to even, for the
// instruction set that this is compiled for. NaN stays NaN, denormals and infinities stay what they are. The
// processor's own conversions where it has them; bf16 is a shift, which the compiler vectorises.
#include "cpu/vector_math.h"

#if defined(__AVX512F__)
#include "cpu/vector_math_512.h"
static void widen_half(const uint16_t *x, float *y, size_t n) {
  for (size_t i = 0; i < n; i += 16) {
    const __mmask16 m = first_of(n - i);
    _mm512_mask_storeu_ps(y + i, m, _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(m, x + i)));
  }
}
static void narrow_half(const float *x, uint16_t *y, size_t n) {
  for (size_t i = 0; i < n; i += 16) {
    const __mmask16 m = first_of(n - i);
    _mm256_mask_storeu_epi16(y + i, m, _mm512_cvtps_ph(_mm512_maskz_loadu_ps(m, x + i), 0));
  }
}
static void round_half(const float *x, float *y, size_t n) {
  for (size_t i = 0; i < n; i += 16) {
    const __mmask16 m = first_of(n - i);
    const __m256i h = _mm512_cvtps_ph(_mm512_maskz_loadu_ps(m, x + i), 0);
    _mm512_mask_storeu_ps(y + i, m, _mm512_cvtph_ps(h));
  }
}
#else
#if defined(__F16C__)
#include <immintrin.h>
enum { HALVES = 8 };
WEFT_INLINE void eight_wide(const uint16_t *x, float *y) {
  _mm256_storeu_ps(y, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)x)));
}
WEFT_INLINE void eight_narrow(const float *x, uint16_t *y) {
  _mm_storeu_si128((__m128i *)(void *)y, _mm256_cvtps_ph(_mm256_loadu_ps(x), 0));
}
#elif defined(__aarch64__)
#include <arm_neon.h>
enum { HALVES = 4 };
WEFT_INLINE void eight_wide(const uint16_t *x, float *y) {
  vst1q_f32(y, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x))));
}
WEFT_INLINE void eight_narrow(const float *x, uint16_t *y) {
  vst1_u16(y, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(x))));
}
#else
enum { HALVES = 8 };
WEFT_INLINE void eight_wide(const uint16_t *x, float *y) {
  WEFT_LOOP(size_t i = 0; i < HALVES; i++) y[i] = weft__of_half(x[i]);
}
WEFT_INLINE void eight_narrow(const float *x, uint16_t *y) {
  WEFT_LOOP(size_t i = 0; i < HALVES; i++) y[i] = weft__to_half(x[i]);
}
#endif
static void widen_half(const uint16_t *x, float *y, size_t n) {
  size_t i = 0;
  for (; i + HALVES <= n; i += HALVES) eight_wide(x + i, y + i);
  for (; i < n; i++) y[i] = weft__of_half(x[i]);
}
static void narrow_half(const float *x, uint16_t *y, size_t n) {
  size_t i = 0;
  for (; i + HALVES <= n; i += HALVES) eight_narrow(x + i, y + i);
  for (; i < n; i++) y[i] = weft__to_half(x[i]);
}
static void round_half(const float *x, float *y, size_t n) {
  uint16_t h[HALVES];
  size_t i = 0;
  for (; i + HALVES <= n; i += HALVES) eight_narrow(x + i, h), eight_wide(h, y + i);
  for (; i < n; i++) y[i] = weft__of_half(weft__to_half(x[i]));
}
#endif

static void widen_bf16(const uint16_t *x, float *y, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++) y[i] = weft__of_bf16(x[i]);
}
static void narrow_bf16(const float *x, uint16_t *y, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++) y[i] = weft__to_bf16(x[i]);
}
