// vector_plain.h - vectors of 4 floats that every compiler knows (SSE on x86-64, NEON on aarch64).
#pragma once
#include <stddef.h>
#include <stdint.h>

#define VEC       4
#define SUM_STEPS 64
typedef float vec __attribute__((vector_size(16)));
typedef float vec_at __attribute__((vector_size(16), aligned(4), may_alias));

#if defined(__aarch64__)
#include "cpu/simd/vector_neon.h"
#else
#define ISA "plain"
static inline vec vector_max(vec a, vec b) {
  for (int i = 0; i < VEC; i++)
    b[i] = b[i] < a[i] ? a[i] : b[i];
  return b;
}
// The larger one; NaN wins.
static inline vec larger(vec a, vec b) {
  typedef int32_t ivec __attribute__((vector_size(16)));
  const ivec keep = (a > b) | (a != a);
  return (vec)(((ivec)a & keep) | ((ivec)b & ~keep));
}
static inline vec vector_min(vec a, vec b) {
  for (int i = 0; i < VEC; i++)
    b[i] = b[i] > a[i] ? a[i] : b[i];
  return b;
}
#endif
static inline vec load_part(const float *p, size_t n) {
  vec v = {0};
  for (size_t i = 0; i < n; i++)
    v[i] = p[i];
  return v;
}
static inline void store_part(float *p, vec v, size_t n) {
  for (size_t i = 0; i < n; i++)
    p[i] = v[i];
}
typedef struct range {
  size_t low, high;
} range;
static inline range range_of(size_t low, size_t high) {
  return (range){low, high};
}
static inline vec merge(vec v, const float *p, range r) {
  if (r.low == 0 && r.high == VEC)
    return *(const vec_at *)p;
  for (size_t i = r.low; i < r.high; i++)
    v[i] = p[i];
  return v;
}
typedef range evens;
static inline evens evens_of(range r) {
  return r;
}
static inline vec merge_evens(vec v, const float *p, range r, evens e) {
  (void)e;
  for (size_t i = r.low; i < r.high; i++)
    v[i] = p[2 * i];
  return v;
}
// Sums of blocks of n numbers that lie beside each other: those of x, then those of y. n: VEC / 2 and below.
static inline __attribute__((always_inline)) vec add_blocks(vec x, vec y, int n) {
  if (n == 2)
    return __builtin_shufflevector(x, y, 0, 1, 4, 5) + __builtin_shufflevector(x, y, 2, 3, 6, 7);
  return __builtin_shufflevector(x, y, 0, 2, 4, 6) + __builtin_shufflevector(x, y, 1, 3, 5, 7);
}
// SPDX-License-Identifier: Apache-2.0
