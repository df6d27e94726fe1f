// quant_vec_neon.h - what quant_block_body.h asks for, in NEON; `dot`, ROWS and WIDE are the file's own.
#pragma once
#include <arm_neon.h>

#include "cpu/quant/quant_vec_128.h"

// One quad for all columns: a load of 32 bits and nothing more, for products by element.
#define X_QUAD
typedef uint8x8_t x_quad;
WEFT_INLINE x_quad one_quad(const void *p) {
  uint32_t four;
  memcpy(&four, p, sizeof four);
  return vreinterpret_u8_u64(vdup_n_u64(four));
}

WEFT_INLINE fvec largest(fvec a, fvec b) {
  return vbslq_f32(vcgtq_f32(a, b), a, b);
}
WEFT_INLINE fvec least(fvec a, fvec b) {
  return vbslq_f32(vcltq_f32(a, b), a, b);
}
WEFT_INLINE bvec pack(const ivec q[4]) {
  uint16x8_t a = vuzp1q_u16((uint16x8_t)q[0], (uint16x8_t)q[1]);
  uint16x8_t b = vuzp1q_u16((uint16x8_t)q[2], (uint16x8_t)q[3]);
  return vuzp1q_u8((uint8x16_t)a, (uint8x16_t)b);
}
WEFT_INLINE void narrow(ivec v, uint8_t *to) {
  uint16x4_t half = vmovn_u32((uint32x4_t)v);
  uint8x8_t bytes = vmovn_u16(vcombine_u16(half, half));
  memcpy(to, &bytes, 4);
}
WEFT_INLINE ivec widen(const uint8_t *p, bool is_signed) {
  uint8x8_t b = one_quad(p);
  if (is_signed)
    return (ivec)vmovl_s16(vget_low_s16(vmovl_s8((int8x8_t)b)));
  return (ivec)vmovl_u16(vget_low_u16(vmovl_u8(b)));
}
// With `zero` (twice 16 bits) added, as unsigned bytes, in the order of pack.
WEFT_INLINE bvec saturated_i(const ivec x[4], ivec zero) {
  const int16x8_t a = vcombine_s16(vqmovn_s32(x[0]), vqmovn_s32(x[1]));
  const int16x8_t b = vcombine_s16(vqmovn_s32(x[2]), vqmovn_s32(x[3]));
  return vcombine_u8(vqmovun_s16(vqaddq_s16(a, (int16x8_t)zero)),
                     vqmovun_s16(vqaddq_s16(b, (int16x8_t)zero)));
}
// The same of numbers below 2^15 less zero, rounded to nearest.
WEFT_INLINE bvec saturated(const fvec x[4], ivec zero) {
  ivec i[4];
  for (int t = 0; t < 4; t++)
    i[t] = vcvtnq_s32_f32(x[t]);
  return saturated_i(i, zero);
}
WEFT_INLINE bvec largest_b(bvec a, bvec b) {
  return vmaxq_u8(a, b);
}
// SPDX-License-Identifier: Apache-2.0
