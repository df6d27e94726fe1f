// block_vec.h - tiles and vectors in memory, for the block sources of floats. The including file includes a
// vector_*.h first.
#pragma once
#include "cpu/gemm/gemm_block.h"
#include "cpu/simd/unroll.h"
#include "cpu/simd/vector_math.h"

typedef int32_t ivec __attribute__((vector_size(VEC * 4)));

#define COLS (2 * VEC)
#define TILE WEFT__GEMM_COLS  // from row to row of a tile

WEFT_INLINE vec load(const float *p) {
  return *(const vec_at *)p;
}
WEFT_INLINE void store(float *p, vec v) {
  *(vec_at *)p = v;
}
WEFT_INLINE vec spread(float x) {
  return x - (vec){0};
}
WEFT_INLINE vec load_n(const float *p, size_t n) {  // the first n of at most VEC
  return n < VEC ? load_part(p, n) : load(p);
}
WEFT_INLINE void store_n(float *p, vec v, size_t n) {  // the first n of at most VEC
  if (n < VEC)
    store_part(p, v, n);
  else
    store(p, v);
}
// SPDX-License-Identifier: Apache-2.0
