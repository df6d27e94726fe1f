// quant_vec_128.h - of what quant_block_body.h asks for in 128 bits, what every compiler makes well of its
// own vectors; the rest is in quant_block_plain.c, or in quant_vec_neon.h.
#pragma once
#include "cpu/simd/vector_math.h"

#define VEC 4
typedef int32_t ivec __attribute__((vector_size(16)));
typedef int32_t ivec_at __attribute__((vector_size(16), aligned(1), may_alias));
typedef float fvec __attribute__((vector_size(16)));
typedef float fvec_at __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint8_t bvec __attribute__((vector_size(16)));
typedef uint8_t bvec_at __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t hvec __attribute__((vector_size(16)));
typedef int64_t lvec __attribute__((vector_size(16)));

WEFT_INLINE void mix_bytes(bvec a, bvec b, bvec *low, bvec *high) {
  *low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  *high = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
WEFT_INLINE void mix_pairs(bvec a, bvec b, ivec *low, ivec *high) {
  *low = (ivec)__builtin_shufflevector((hvec)a, (hvec)b, 0, 8, 1, 9, 2, 10, 3, 11);
  *high = (ivec)__builtin_shufflevector((hvec)a, (hvec)b, 4, 12, 5, 13, 6, 14, 7, 15);
}
WEFT_INLINE bvec split(bvec v) {
  return v;
}
// 32 bytes, or 16, from `low`, then as many from `high` where a vector has room for them.
WEFT_INLINE bvec beside(const uint8_t *low, const uint8_t *high) {
  (void)high;
  return *(const bvec_at *)low;
}
// The upper halves of a * b + c for even and for odd lanes, of which b_odd has its own in even ones.
WEFT_INLINE ivec high_product(ivec a, ivec b, ivec b_odd, lvec c, lvec c_odd) {
  ivec v;
  for (int i = 0; i < VEC; i += 2) {
    v[i] = (int32_t)(((int64_t)a[i] * b[i] + c[i / 2]) >> 32);
    v[i + 1] = (int32_t)(((int64_t)a[i + 1] * b_odd[i] + c_odd[i / 2]) >> 32);
  }
  return v;
}
// Shifts of each lane: without a sign, where 32 leaves nothing, and with it.
WEFT_INLINE ivec shifted_bits(ivec x, ivec by) {
  for (int i = 0; i < VEC; i++)
    x[i] = by[i] > 31 ? 0 : (int32_t)((uint32_t)x[i] >> by[i]);
  return x;
}
WEFT_INLINE ivec shifted(ivec x, ivec by) {
  return x >> by;
}
// SPDX-License-Identifier: Apache-2.0
