// quant_block_dot_neon.c - products of bytes by sdot (FEAT_DotProd), which multiplies bytes of one sign: the
// operand that is unsigned elsewhere is signed here (MOVED).
#include "cpu/quant/quant_block.h"
#include "cpu/quant/quant_vec_neon.h"

#define ROWS  10
#define WIDE  1
#define MOVED 128
#define TABLE weft__quant_neon_dot
#define NAME  "neon-dot"
#include "cpu/quant/quant_bytes.h"

WEFT_INLINE ivec dot(ivec s, ivec b, ivec unused, const int32_t *a) {
  (void)unused;
  return vdotq_lane_s32(s, (int8x16_t)b, (int8x8_t)one_quad(a), 0);
}
WEFT_INLINE ivec dot_w(ivec s, ivec x, ivec unused, ivec w, ivec unused_w) {
  (void)unused;
  (void)unused_w;
  return vdotq_s32(s, (int8x16_t)x, (int8x16_t)w);
}
WEFT_INLINE ivec dot_quad(ivec s, x_quad x, ivec w, ivec unused) {
  (void)unused;
  return vdotq_lane_s32(s, (int8x16_t)w, (int8x8_t)x, 0);
}
#include "cpu/quant/quant_block_body.h"
// SPDX-License-Identifier: Apache-2.0
