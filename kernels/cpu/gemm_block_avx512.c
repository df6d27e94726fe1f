// gemm_block_avx512.c - products with 14 x 32 tiles: 28 registers of sums, two of b, one of a.
#include <immintrin.h>

#include "cpu/gemm_block.h"

#define VEC   16
#define ROWS  14
#define TABLE weft__gemm_avx512
#define NAME  "avx512"
typedef float vec __attribute__((vector_size(64)));
typedef float vec_at __attribute__((vector_size(64), aligned(4), may_alias));

static inline vec vector_max(vec a, vec b) {
  return _mm512_max_ps(a, b);
}
static inline vec vector_min(vec a, vec b) {
  return _mm512_min_ps(a, b);
}
static inline __mmask16 first(size_t n) {
  return (__mmask16)((1u << n) - 1);
}
static inline vec load_part(const float *p, size_t n) {
  return _mm512_maskz_loadu_ps(first(n), p);
}
static inline void store_part(float *p, vec v, size_t n) {
  _mm512_mask_storeu_ps(p, first(n), v);
}
static inline vec evens_of(vec a, vec b) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  return _mm512_permutex2var_ps(a, even, b);
}
static inline vec evens(const float *p) {  // 2 * VEC numbers are there
  return evens_of(_mm512_loadu_ps(p), _mm512_loadu_ps(p + VEC));
}
static inline vec evens_part(const float *p, size_t n) {  // 1 <= n <= VEC: 2 n - 1 numbers are there
  uint32_t there = (uint32_t)((UINT64_C(1) << (2 * n - 1)) - 1);
  return evens_of(_mm512_maskz_loadu_ps((__mmask16)there, p),
                  _mm512_maskz_loadu_ps((__mmask16)(there >> 16), p + VEC));
}
#include "cpu/gemm_block_body.h"
