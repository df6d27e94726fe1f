// quant_product.h - what the kernels of ConvInteger and MatMulInteger share: ports, zero points, scales.
#pragma once
#include "cpu/gemm/product.h"
#include "cpu/quant/quant_block.h"

enum {
  WEFT__SUM_X,
  WEFT__SUM_W,
  WEFT__SUM_BIAS,
  WEFT__SUM_X_ZERO,
  WEFT__SUM_W_ZERO,
  WEFT__SUM_SCALE,
  WEFT__SUM_Y_ZERO,
  WEFT__SUM_PORTS
};
enum { WEFT__QUANT_STEPS = INT32_MAX / 255 };  // of a sum: those of bytes alone, for zero points, fit int32
// Of the blocks that floats of the same arithmetic would have: bytes are four times as fast.
#define WEFT__QUANT_SHARE 0.75
typedef struct weft__quant_sum {
  int64_t arg[WEFT__SUM_PORTS];  // of the launch; -1: absent
  uint32_t y_arg;
  bool x_signed, w_signed, y_signed, bytes;  // bytes: y is, otherwise int32
  bool many_zeros, many_scales, many_bias;   // one a channel
  int32_t low, high;                         // of y
  uint8_t moved;                             // of weft__quant_find
  bool fixed;                                // bytes by a FixedRequant behind it, see quant_fixed.h
  bool twice;
  int32_t zero;  // of y then
  bool many_multipliers, many_shifts;
  uint32_t multiplier_arg, shift_arg;  // of the launch
} weft__quant_sum;
// Why not; NULL: found. Only the number of parameters takes shapes.
const char *weft__quant_read(const weft_tiling *t, uint32_t range_slot, weft__quant_sum *out);
// The product's shapes, for weft__conv_sizes.
void weft__quant_shapes(const weft_tiling *t, int kind, weft__product *out);

static inline int32_t weft__quant_byte(const void *p, size_t i, bool is_signed) {
  return is_signed ? ((const int8_t *)p)[i] : ((const uint8_t *)p)[i];
}
static inline int32_t weft__quant_x_zero(const weft__quant_sum *s, void *const *arg) {
  int64_t at = s->arg[WEFT__SUM_X_ZERO];
  return at < 0 ? 0 : weft__quant_byte(arg[at], 0, s->x_signed);
}
static inline int32_t weft__quant_w_zero(const weft__quant_sum *s, void *const *arg, size_t channel) {
  int64_t at = s->arg[WEFT__SUM_W_ZERO];
  return at < 0 ? 0 : weft__quant_byte(arg[at], s->many_zeros ? channel : 0, s->w_signed);
}
static inline int32_t weft__quant_y_zero(const weft__quant_sum *s, void *const *arg) {
  if (s->fixed)
    return s->zero;
  int64_t at = s->arg[WEFT__SUM_Y_ZERO];
  return at < 0 ? 0 : weft__quant_byte(arg[at], 0, s->y_signed);
}
static inline int32_t weft__quant_bias(const weft__quant_sum *s, void *const *arg, size_t channel) {
  int64_t at = s->arg[WEFT__SUM_BIAS];
  return at < 0 ? 0 : ((const int32_t *)arg[at])[s->many_bias ? channel : 0];
}
// What changes signed bytes, or unsigned ones, to those that tables multiply as unsigned; and what is added
// to their zero points.
static inline uint8_t weft__quant_flip(const weft__quant_sum *s, bool is_signed) {
  return (is_signed ? 128 : 0) ^ s->moved;
}
static inline int32_t weft__quant_move(const weft__quant_sum *s, bool is_signed) {
  return (is_signed ? 128 : 0) - s->moved;
}
// Finite, with the same results: NaN is 0, as its product counts as 0; infinite is the largest number, which
// takes every sum but 0 out of range.
float weft__quant_scale(const weft__quant_sum *s, void *const *arg, size_t channel);
// Bounds and zero point of y.
void weft__quant_bounds(const weft__quant_sum *s, void *const *arg, weft__quant_out *o);
// Is w's zero point known to be `zero` everywhere?
bool weft__quant_w_zero_is(const weft_tiling *t, const weft__quant_sum *s, int32_t zero);
// SPDX-License-Identifier: Apache-2.0
