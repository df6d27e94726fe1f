// quant_block_i8mm_neon.c - products of bytes by usdot and sudot (FEAT_I8MM), whose operands have a sign
// each.
#include "cpu/quant/quant_block.h"
#include "cpu/quant/quant_vec_neon.h"

#define ROWS  10
#define WIDE  1
#define TABLE weft__quant_neon_i8mm
#define NAME  "neon-i8mm"
#include "cpu/quant/quant_bytes.h"

WEFT_INLINE ivec dot(ivec s, ivec b, ivec unused, const int32_t *a) {
  (void)unused;
  return vusdotq_lane_s32(s, (uint8x16_t)b, (int8x8_t)one_quad(a), 0);
}
WEFT_INLINE ivec dot_w(ivec s, ivec x, ivec unused, ivec w, ivec unused_w) {
  (void)unused;
  (void)unused_w;
  return vusdotq_s32(s, (uint8x16_t)x, (int8x16_t)w);
}
WEFT_INLINE ivec dot_quad(ivec s, x_quad x, ivec w, ivec unused) {
  (void)unused;
  return vsudotq_lane_s32(s, (int8x16_t)w, x, 0);
}
#include "cpu/quant/quant_block_body.h"
// SPDX-License-Identifier: Apache-2.0
