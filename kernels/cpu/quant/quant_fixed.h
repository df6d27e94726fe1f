// quant_fixed.h - a FixedRequant behind sums of bytes, as the second way from them to bytes: in a region of
// both, for the kernels that take its whole numbers into their registers (weft__quant_panel).
#pragma once
#include "cpu/quant/quant_product.h"

// The region's first node is the sum, whose inputs are all the region's, and the other one a FixedRequant of
// it to bytes.
bool weft__quant_is_fixed(const weft_region *r, const char *sum);
// The operator of the region with its inputs in the order of its ports, all plain: of both the sum, which
// makes int32 then.
typedef struct weft__quant_inner {
  weft_tiling t;
  weft_layout layout[WEFT__SUM_PORTS + 1];
  const weft_layout *at[WEFT__SUM_PORTS + 1];
  weft_dtype dtype[WEFT__SUM_PORTS], y_dtype;
} weft__quant_inner;
// Why not; NULL: found. The region's first node has at most WEFT__SUM_PORTS inputs.
const char *weft__quant_unpack(const weft_tiling *t, weft__quant_inner *out);
// After weft__quant_read of what weft__quant_unpack gives: numbers of arguments become those of the launch,
// and with a FixedRequant s makes bytes. axis: of the channels.
const char *weft__quant_read_region(const weft_tiling *t, uint32_t axis, weft__quant_sum *s);
// Are sums of so many products below 2^30 in size, with the bias? Otherwise why not.
const char *weft__quant_fixed_fits(const weft_tiling *t, const weft__quant_sum *s, size_t steps);
// A multiplier and a shift to the right, of a channel.
static inline int32_t weft__quant_multiplier(const weft__quant_sum *s, void *const *arg, size_t channel) {
  return ((const int32_t *)arg[s->multiplier_arg])[s->many_multipliers ? channel : 0];
}
static inline int32_t weft__quant_down(int32_t shift) {
  return shift < -31 ? 31 : -shift;
}
static inline int32_t weft__quant_shift(const weft__quant_sum *s, void *const *arg, size_t channel) {
  return weft__quant_down(((const int32_t *)arg[s->shift_arg])[s->many_shifts ? channel : 0]);
}
// A constant multiplier and shift, each one or many: neither below 0 nor to the left.
const char *weft__quant_fixed_numbers(const weft_tensor *multiplier, const weft_tensor *shift);
// What a FixedRequant's attributes say: bounds and zero point, which the bytes t can be.
typedef struct weft__quant_fixed_end {
  int32_t zero, low, high;
  bool twice;
} weft__quant_fixed_end;
const char *weft__quant_fixed_bounds(const weft_op_desc *n, weft_dtype t, weft__quant_fixed_end *out);
// A constant int32 that comes to the region from outside, or NULL.
const weft_tensor *weft__quant_one_number(const weft_tiling *t, int32_t in);
// Node k of the region as bytes made int32 less one constant zero point, of at most 16 bits: which argument.
const char *weft__quant_fixed_bytes(const weft_tiling *t, int32_t k, uint32_t *out_arg, int32_t *out_zero);
// SPDX-License-Identifier: Apache-2.0
