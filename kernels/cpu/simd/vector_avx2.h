// vector_avx2.h - vectors of 8 floats, for the block sources that are compiled for AVX2 and FMA.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <immintrin.h>

#define VEC       8
#define SUM_STEPS 128  // tiles of 12 sums are 3 % faster with it than with 64
#define ISA       "avx2"
typedef float vec __attribute__((vector_size(32)));
typedef float vec_at __attribute__((vector_size(32), aligned(4), may_alias));

static inline vec vector_max(vec a, vec b) {
  return _mm256_max_ps(a, b);
}
static inline vec vector_min(vec a, vec b) {
  return _mm256_min_ps(a, b);
}
// The larger one; NaN wins.
static inline vec larger(vec a, vec b) {
  return _mm256_blendv_ps(_mm256_max_ps(a, b), a, _mm256_cmp_ps(a, a, _CMP_UNORD_Q));
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
typedef __m256i range;
static inline range range_of(size_t low, size_t high) {
  return _mm256_andnot_si256(first(low), first(high));
}
static inline vec merge(vec v, const float *p, range r) {
  return _mm256_or_ps(v, _mm256_maskload_ps(p, r));
}
typedef struct evens {
  __m256i low, high;
} evens;
static inline evens evens_of(range r) {
  __m256i low = _mm256_permutevar8x32_epi32(r, _mm256_set_epi32(3, 3, 2, 2, 1, 1, 0, 0));
  __m256i high = _mm256_permutevar8x32_epi32(r, _mm256_set_epi32(7, 7, 6, 6, 5, 5, 4, 4));
  const __m256i even = _mm256_set_epi32(0, -1, 0, -1, 0, -1, 0, -1);
  return (evens){_mm256_and_si256(low, even), _mm256_and_si256(high, even)};
}
static inline vec merge_evens(vec v, const float *p, range r, evens e) {
  __m256 a = _mm256_maskload_ps(p, e.low);
  __m256 b = _mm256_maskload_ps(p + VEC, e.high);
  __m256d s = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88));
  (void)r;
  return _mm256_or_ps(v, _mm256_castpd_ps(_mm256_permute4x64_pd(s, 0xD8)));
}
// Sums of blocks of n numbers that lie beside each other: those of x, then those of y. n: VEC / 2 and below.
static inline __attribute__((always_inline)) vec add_blocks(vec x, vec y, int n) {
  if (n == 4) {
    return __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11) +
           __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
  }
  if (n == 2) {
    return __builtin_shufflevector(x, y, 0, 1, 4, 5, 8, 9, 12, 13) +
           __builtin_shufflevector(x, y, 2, 3, 6, 7, 10, 11, 14, 15);
  }
  return __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14) +
         __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15);
}
// SPDX-License-Identifier: Apache-2.0
