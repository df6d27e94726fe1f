// recurrent_cell_avx512.c - recurrent cells with up to 6 rows x 4 gates of 16 units: 24 registers of sums.
#include "cpu/recurrent_cell.h"
#include "cpu/recurrent_math.h"
#include "cpu/vector_math_512.h"

#define VEC   16
#define ROWS  6
#define TABLE weft__cell_avx512
typedef float vec __attribute__((vector_size(64)));
typedef float vec_at __attribute__((vector_size(64), aligned(4), may_alias));

static inline vec fused(vec a, vec b, vec c) {
  return _mm512_fmadd_ps(a, b, c);
}
WEFT_INLINE vec sigmoid_of(vec x) {         // 1 / (1 + e^-x)
  f16 v = _mm512_max_ps(SET16(-89.0f), x);  // NaN comes from the second one
  v = _mm512_sub_ps(_mm512_setzero_ps(), _mm512_min_ps(SET16(104.0f), v));
  const f16 n = _mm512_roundscale_ps(_mm512_mul_ps(v, SET16(1.44269504f)), 8);
  const f16 e = _mm512_scalef_ps(_mm512_add_ps(exp_m1_part(v, n), SET16(1.0f)), n);
  return _mm512_div_ps(SET16(1.0f), _mm512_add_ps(SET16(1.0f), e));
}
WEFT_INLINE vec tanh_of(vec x) {
  f16 v = _mm512_max_ps(SET16(-9.0f), x);
  v = _mm512_min_ps(SET16(9.0f), v);
  const f16 s = _mm512_mul_ps(v, v);
  const f16 p = WEFT_GATE_TANH_P(SET16, FMA16, s), q = WEFT_GATE_TANH_Q(SET16, FMA16, s);
  const f16 y = _mm512_div_ps(_mm512_mul_ps(v, p), q);
  return _mm512_max_ps(SET16(-1.0f), _mm512_min_ps(SET16(1.0f), y));
}
#include "cpu/recurrent_cell_body.h"
