// quant_lanes.h - the input of a ConvInteger in lanes of four channels, unsigned, with its padding around it.
#pragma once
#include "cpu/conv/conv_shape.h"
#include "cpu/quant/quant_product.h"

typedef struct weft__quant_input {
  weft__conv_shape c;                     // inputs are quads of channels; the padding is part of the input
  size_t channels, inside[3], before[3];  // channels of a group; the input before padding; padding in front
} weft__quant_input;
// Why not; NULL: found, and filled when all shapes are known. zeros: where padding is known to be zeros it is
// left to c.
const char *weft__quant_conv_read(const weft_tiling *t, bool zeros, weft__quant_sum *s,
                                  weft__quant_input *out);
// Zero point of x in lanes.
static inline int32_t weft__quant_lane_zero(const weft__quant_sum *s, void *const *arg) {
  return weft__quant_x_zero(s, arg) + weft__quant_move(s, s->x_signed);
}
// The block's share of the planes: images, groups, quads.
void weft__quant_make_lanes(const weft__quant_input *in, const weft__quant_sum *s, const weft_block *b,
                            uint32_t *lanes);
// SPDX-License-Identifier: Apache-2.0
