// vector_avx512.h - vectors of 16 floats, for the block sources that are compiled for AVX-512.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <immintrin.h>

#define VEC       16
#define SUM_STEPS 64
#define ISA       "avx512"
typedef float vec __attribute__((vector_size(64)));
typedef float vec_at __attribute__((vector_size(64), aligned(4), may_alias));

static inline vec vector_max(vec a, vec b) {
  return _mm512_max_ps(a, b);
}
static inline vec vector_min(vec a, vec b) {
  return _mm512_min_ps(a, b);
}
// The larger one; NaN wins.
static inline vec larger(vec a, vec b) {
  return _mm512_mask_mov_ps(_mm512_max_ps(a, b), _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), a);
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
typedef __mmask16 range;
static inline range range_of(size_t low, size_t high) {
  return (range)(first(high) & ~first(low));
}
static inline vec merge(vec v, const float *p, range r) {
  return _mm512_mask_loadu_ps(v, r, p);
}
typedef struct evens {
  __mmask16 low, high;
} evens;
static inline evens evens_of(range r) {
  uint64_t wide = r;  // bit i to bit 2 i
  wide = (wide | wide << 8) & 0x00FF00FF;
  wide = (wide | wide << 4) & 0x0F0F0F0F;
  wide = (wide | wide << 2) & 0x33333333;
  wide = (wide | wide << 1) & 0x55555555;
  return (evens){(__mmask16)wide, (__mmask16)(wide >> 16)};
}
static inline vec merge_evens(vec v, const float *p, range r, evens e) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  __m512 a = _mm512_maskz_loadu_ps(e.low, p);
  __m512 b = _mm512_maskz_loadu_ps(e.high, p + VEC);
  return _mm512_mask_blend_ps(r, v, _mm512_permutex2var_ps(a, even, b));
}
// Sums of blocks of n numbers that lie beside each other: those of x, then those of y. n: VEC / 2 and below.
static inline __attribute__((always_inline)) vec add_blocks(vec x, vec y, int n) {
  if (n == 8) {
    return __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
           __builtin_shufflevector(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
  if (n == 4) {
    return __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
           __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  }
  if (n == 2) {
    return __builtin_shufflevector(x, y, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29) +
           __builtin_shufflevector(x, y, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31);
  }
  return __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30) +
         __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}
// SPDX-License-Identifier: Apache-2.0
