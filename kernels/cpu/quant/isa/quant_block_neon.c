// quant_block_neon.c - products of bytes in NEON as every machine has it, in 16 bits (smlal by element). Of
// four quads side by side the first two steps are `even` and the others `odd`: four numbers of a step, then
// four of the next.
#include "cpu/quant/quant_block.h"
#include "cpu/quant/quant_vec_neon.h"

#define ROWS  10
#define WIDE  2
#define TABLE weft__quant_neon
#define NAME  "neon"

WEFT_INLINE uint8x16_t by_step(ivec b) {
  static const uint8_t order[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
  return vqtbl1q_u8((uint8x16_t)b, vld1q_u8(order));
}
WEFT_INLINE ivec even(ivec b) {
  return (ivec)vmovl_u8(vget_low_u8(by_step(b)));
}
WEFT_INLINE ivec odd(ivec b) {
  return (ivec)vmovl_high_u8(by_step(b));
}
WEFT_INLINE ivec even_w(ivec w) {
  return (ivec)vmovl_s8(vget_low_s8((int8x16_t)by_step(w)));
}
WEFT_INLINE ivec odd_w(ivec w) {
  return (ivec)vmovl_high_s8((int8x16_t)by_step(w));
}
// a: steps 0, 2, 1, 3, as weft__quant_quad writes them.
WEFT_INLINE ivec dot(ivec s, ivec b_even, ivec b_odd, const int32_t *a) {
  int16x8_t e = (int16x8_t)b_even;
  int16x8_t o = (int16x8_t)b_odd;
  int16x4_t by = vreinterpret_s16_u8(vld1_u8((const uint8_t *)a));
  s = vmlal_lane_s16(s, vget_low_s16(e), by, 0);
  s = vmlal_high_lane_s16(s, e, by, 2);
  s = vmlal_lane_s16(s, vget_low_s16(o), by, 1);
  return vmlal_high_lane_s16(s, o, by, 3);
}
WEFT_INLINE ivec dot_w(ivec s, ivec x_even, ivec x_odd, ivec w_even, ivec w_odd) {
  int16x8_t e = (int16x8_t)x_even;
  int16x8_t o = (int16x8_t)x_odd;
  int16x8_t f = (int16x8_t)w_even;
  int16x8_t g = (int16x8_t)w_odd;
  s = vmlal_s16(s, vget_low_s16(e), vget_low_s16(f));
  s = vmlal_high_s16(s, e, f);
  s = vmlal_s16(s, vget_low_s16(o), vget_low_s16(g));
  return vmlal_high_s16(s, o, g);
}
WEFT_INLINE ivec dot_quad(ivec s, x_quad x, ivec w_even, ivec w_odd) {
  int16x8_t e = (int16x8_t)w_even;
  int16x8_t o = (int16x8_t)w_odd;
  int16x4_t by = (int16x4_t)vget_low_u16(vmovl_u8(x));
  s = vmlal_lane_s16(s, vget_low_s16(e), by, 0);
  s = vmlal_high_lane_s16(s, e, by, 1);
  s = vmlal_lane_s16(s, vget_low_s16(o), by, 2);
  return vmlal_high_lane_s16(s, o, by, 3);
}
#include "cpu/quant/quant_block_body.h"
// SPDX-License-Identifier: Apache-2.0
