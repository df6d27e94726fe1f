// vector_math_512.h - the dearer functions of vector_math.h for sixteen floats at once, where AVX-512 has
// instructions for what takes several otherwise: powers of two, minima that keep NaN, ends of rows by masks.
// The same formulas and errors, but Gelu, which is nearer.
#pragma once
#include <immintrin.h>

#include "cpu/vector_math.h"

typedef __m512 f16;
#define SET16(v)       _mm512_set1_ps(v)
#define FMA16(a, b, c) _mm512_fmadd_ps((a), (b), (c))
WEFT_INLINE __mmask16 first_of(size_t n) {
  return n >= 16 ? (__mmask16)0xFFFF : (__mmask16)((1u << n) - 1);
}
WEFT_INLINE f16 exp_m1_part(f16 x, f16 n) {  // e^r - 1 of x = n ln 2 + r
  f16 r = _mm512_fnmadd_ps(n, SET16(0.693145751953125f), x);
  r = _mm512_fnmadd_ps(n, SET16(1.428606765330187e-06f), r);
  f16 p = FMA16(SET16(0.0013926250831f), r, SET16(0.0083632328837f));
  p = FMA16(p, r, SET16(0.041666554213f));
  p = FMA16(p, r, SET16(0.166665766661f));
  p = FMA16(p, r, SET16(0.5f));
  return FMA16(_mm512_mul_ps(p, r), r, r);
}
WEFT_INLINE f16 exp16(f16 x) {
  x = _mm512_max_ps(SET16(-104.0f), x);  // NaN comes from the second one
  x = _mm512_min_ps(SET16(89.0f), x);
  f16 n = _mm512_roundscale_ps(_mm512_mul_ps(x, SET16(1.44269504f)), 8);
  return _mm512_scalef_ps(_mm512_add_ps(exp_m1_part(x, n), SET16(1.0f)), n);
}
WEFT_INLINE f16 abs16(f16 x) {
  return _mm512_abs_ps(x);
}
WEFT_INLINE f16 sign16(f16 y, f16 x) {  // y >= 0 with the sign of x
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(x), _mm512_castps_si512(y),
                                                       _mm512_set1_epi32(INT32_MIN), 0xEC));
}
WEFT_INLINE f16 sigmoid16(f16 x) {
  f16 e = exp16(_mm512_sub_ps(_mm512_setzero_ps(), abs16(x)));
  __mmask16 low = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ);
  return _mm512_div_ps(_mm512_mask_mov_ps(SET16(1.0f), low, e), _mm512_add_ps(SET16(1.0f), e));
}
WEFT_INLINE f16 tanh16(f16 x) {
  f16 a = abs16(x), s = _mm512_mul_ps(a, a);
  f16 p = FMA16(SET16(-0.00626911972f), s, SET16(0.0211109591f));
  p = FMA16(p, s, SET16(-0.0538739488f));
  p = FMA16(p, s, SET16(0.133329154f));
  p = FMA16(p, s, SET16(-0.333333303f));
  f16 small = FMA16(_mm512_mul_ps(p, s), a, a), e = exp16(_mm512_mul_ps(SET16(-2.0f), a));
  f16 large = _mm512_div_ps(_mm512_sub_ps(SET16(1.0f), e), _mm512_add_ps(SET16(1.0f), e));
  __mmask16 near = _mm512_cmp_ps_mask(a, SET16(0.55f), _CMP_LT_OQ);
  return sign16(_mm512_mask_mov_ps(large, near, small), x);
}
WEFT_INLINE f16 erfc16(f16 a) {  // a >= 0
  f16 t = _mm512_div_ps(SET16(1.0f), FMA16(a, SET16(0.3275911f), SET16(1.0f)));
  f16 p = FMA16(SET16(0.0592738048f), t, SET16(-0.331088912f));
  p = FMA16(p, t, SET16(0.659813274f));
  p = FMA16(p, t, SET16(-0.602813584f));
  p = FMA16(p, t, SET16(0.536468402f));
  p = FMA16(p, t, SET16(-0.0689523491f));
  p = FMA16(p, t, SET16(0.212272864f));
  p = FMA16(p, t, SET16(0.164303464f));
  p = FMA16(p, t, SET16(0.185951958f));
  p = FMA16(p, t, SET16(0.184771077f));
  f16 s = _mm512_mul_ps(a, a), lost = _mm512_fmsub_ps(a, a, s);
  f16 e = exp16(_mm512_sub_ps(_mm512_setzero_ps(), s));
  e = _mm512_fnmadd_ps(e, lost, e);
  return _mm512_mul_ps(_mm512_mul_ps(p, t), e);
}
WEFT_INLINE f16 erf16(f16 x) {
  f16 a = abs16(x), s = _mm512_mul_ps(a, a);
  f16 p = FMA16(SET16(8.38707456e-05f), s, SET16(-0.000814708112f));
  p = FMA16(p, s, SET16(0.00520145633f));
  p = FMA16(p, s, SET16(-0.0268595881f));
  p = FMA16(p, s, SET16(0.112836994f));
  p = FMA16(p, s, SET16(-0.37612634f));
  p = FMA16(p, s, SET16(0.128379166f));
  f16 small = FMA16(p, a, a), large = _mm512_sub_ps(SET16(1.0f), erfc16(_mm512_min_ps(SET16(4.5f), a)));
  __mmask16 near = _mm512_cmp_ps_mask(a, SET16(0.9f), _CMP_LT_OQ);
  return sign16(_mm512_mask_mov_ps(large, near, small), x);
}
// x Phi(x). Phi(-z) = e^(-z^2/2) t P(t) with t = 1 / (1 + 0.2316419 z); P within 1.4e-7 of what it stands
// for, the exponential, whose argument is -g/2 with z^2 = g - n 2 ln 2 and what z^2 lost in rounding,
// within 1.1e-7.
WEFT_INLINE f16 gelu16(f16 x) {
  f16 z = _mm512_min_ps(SET16(28.0f), abs16(x)), d = FMA16(z, SET16(0.2316419f), SET16(1.0f));  // NaN stays
  f16 t = _mm512_rcp14_ps(d);
  t = FMA16(t, _mm512_fnmadd_ps(d, t, SET16(1.0f)), t);
  f16 p = FMA16(SET16(-0.07028234f), t, SET16(0.247077912f));
  p = FMA16(p, t, SET16(-0.200573385f));
  p = FMA16(p, t, SET16(0.224209368f));
  p = FMA16(p, t, SET16(0.0141329318f));
  p = FMA16(p, t, SET16(0.10246335f));
  p = FMA16(p, t, SET16(0.0904522762f));
  p = FMA16(p, t, SET16(0.0925199687f));
  f16 s = _mm512_mul_ps(z, z), lost = _mm512_fmsub_ps(z, z, s);
  f16 n = _mm512_roundscale_ps(_mm512_mul_ps(s, SET16(-0.721347520f)), 8);
  f16 g = FMA16(n, SET16(1.38629150390625f), s);
  g = _mm512_add_ps(FMA16(n, SET16(2.857213530660374e-06f), g), lost);
  f16 e = FMA16(SET16(-0.000259766297f), g, SET16(0.00261813425f));
  e = FMA16(e, g, SET16(-0.0208338927f));
  e = FMA16(e, g, SET16(0.124998078f));
  e = FMA16(e, g, SET16(-0.5f));
  e = FMA16(e, g, SET16(1.0f));
  f16 h = _mm512_mul_ps(_mm512_mul_ps(p, t), _mm512_scalef_ps(e, n));
  __mmask16 low = _mm512_movepi32_mask(_mm512_castps_si512(x));
  return _mm512_mul_ps(x, _mm512_mask_sub_ps(h, (__mmask16)~low, SET16(1.0f), h));
}
WEFT_INLINE f16 gelu_tanh16(f16 x) {
  f16 x3 = _mm512_mul_ps(_mm512_mul_ps(SET16(0.044715f), x), x);
  f16 u = _mm512_mul_ps(SET16(1.5957691216f), FMA16(x3, x, x)), y = _mm512_mul_ps(x, sigmoid16(u));
  return _mm512_mask_mov_ps(y, _mm512_cmp_ps_mask(x, SET16(-3.4028235e38f), _CMP_LT_OQ),
                            SET16(__builtin_nanf("")));
}
WEFT_INLINE f16 swish16(f16 x, float p) {
  f16 y = _mm512_mul_ps(x, sigmoid16(_mm512_mul_ps(SET16(p), x)));
  __mmask16 lowest = p > 0.0f ? _mm512_cmp_ps_mask(x, SET16(-3.4028235e38f), _CMP_LT_OQ) : 0;
  return _mm512_mask_mov_ps(y, lowest, SET16(__builtin_nanf("")));
}
// A loop over a row, two vectors at a time so that their chains run beside each other.
#define ROW_512(y, x, n, f)                                                                    \
  do {                                                                                         \
    size_t row_i = 0;                                                                          \
    for (; row_i + 32 <= (n); row_i += 32) {                                                   \
      f16 row_a = _mm512_loadu_ps((x) + row_i), row_b = _mm512_loadu_ps((x) + row_i + 16);     \
      row_a = f(row_a), row_b = f(row_b);                                                      \
      _mm512_storeu_ps((y) + row_i, row_a), _mm512_storeu_ps((y) + row_i + 16, row_b);         \
    }                                                                                          \
    for (; row_i < (n); row_i += 16) {                                                         \
      const __mmask16 row_m = first_of((n)-row_i);                                             \
      _mm512_mask_storeu_ps((y) + row_i, row_m, f(_mm512_maskz_loadu_ps(row_m, (x) + row_i))); \
    }                                                                                          \
  } while (0)
