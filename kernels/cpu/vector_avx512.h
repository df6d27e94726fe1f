// vector_avx512.h - vectors of 16 floats, for the block sources that are compiled for AVX-512.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <immintrin.h>

#define VEC 16
#define ISA "avx512"
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
  wide = (wide | wide << 8) & 0x00FF00FF, wide = (wide | wide << 4) & 0x0F0F0F0F;
  wide = (wide | wide << 2) & 0x33333333, wide = (wide | wide << 1) & 0x55555555;
  return (evens){(__mmask16)wide, (__mmask16)(wide >> 16)};
}
static inline vec merge_evens(vec v, const float *p, range r, evens e) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  __m512 a = _mm512_maskz_loadu_ps(e.low, p), b = _mm512_maskz_loadu_ps(e.high, p + VEC);
  return _mm512_mask_blend_ps(r, v, _mm512_permutex2var_ps(a, even, b));
}
