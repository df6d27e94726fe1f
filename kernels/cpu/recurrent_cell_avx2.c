// recurrent_cell_avx2.c - recurrent cells with up to 3 rows x 4 gates of 8 units: 12 registers of sums.
#include <immintrin.h>

#include "cpu/recurrent_cell.h"
#include "cpu/recurrent_math.h"

#define VEC   8
#define ROWS  3
#define TABLE weft__cell_avx2
typedef float vec __attribute__((vector_size(32)));
typedef float vec_at __attribute__((vector_size(32), aligned(4), may_alias));

static inline vec fused(vec a, vec b, vec c) {
  return _mm256_fmadd_ps(a, b, c);
}
WEFT_INLINE vec sigmoid_of(vec x) {
  float v[VEC];
  *(vec_at *)v = x;
  WEFT_LOOP(size_t i = 0; i < VEC; i++) v[i] = weft__sigmoidf(v[i]);
  return *(vec_at *)v;
}
WEFT_INLINE vec tanh_of(vec x) {
  float v[VEC];
  *(vec_at *)v = x;
  WEFT_LOOP(size_t i = 0; i < VEC; i++) v[i] = weft__gate_tanhf(v[i]);
  return *(vec_at *)v;
}
#include "cpu/recurrent_cell_body.h"
