// gemm_block_avx2.c - products with 6 x 16 tiles: 12 registers of sums, two of b, one of a.
#include <immintrin.h>

#include "cpu/gemm_block.h"

#define VEC   8
#define ROWS  6
#define TABLE weft__gemm_avx2
#define NAME  "avx2"
typedef float vec __attribute__((vector_size(32)));
typedef float vec_at __attribute__((vector_size(32), aligned(4), may_alias));

static inline vec vector_max(vec a, vec b) {
  return _mm256_max_ps(a, b);
}
static inline vec vector_min(vec a, vec b) {
  return _mm256_min_ps(a, b);
}
static inline __m256i first(size_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}
static inline vec load_part(const float *p, size_t n) {
  return _mm256_maskload_ps(p, first(n));
}
static inline void store_part(float *p, vec v, size_t n) {
  _mm256_maskstore_ps(p, first(n), v);
}
static inline vec evens_of(__m256 a, __m256 b) {
  __m256 s = _mm256_shuffle_ps(a, b, 0x88);
  return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(s), 0xD8));
}
static inline vec evens(const float *p) {  // 2 * VEC numbers are there
  return evens_of(_mm256_loadu_ps(p), _mm256_loadu_ps(p + VEC));
}
static inline vec evens_part(const float *p, size_t n) {  // 1 <= n <= VEC: 2 n - 1 numbers are there
  size_t there = 2 * n - 1;
  if (there <= VEC) return evens_of(_mm256_maskload_ps(p, first(there)), _mm256_setzero_ps());
  return evens_of(_mm256_loadu_ps(p), _mm256_maskload_ps(p + VEC, first(there - VEC)));
}
#include "cpu/gemm_block_body.h"
