// blocked_winograd.h - how blocked_winograd.c goes over a convolution, and its filters as points
// (blocked_winograd_filters.c).
#pragma once
#include "cpu/bf16/bf16_block.h"
#include "cpu/blocked/blocked_conv.h"

enum {
  WEFT__WINOGRAD_MARK = 16,  // numbers before packed filters; the first is not 0: the filters as they came
  WEFT__WINOGRAD_POINTS = 16,
};

typedef struct weft__winograd_plan {
  const weft__blocked_ops *ops;
  const weft__bf16_ops *pairs;  // NULL: float
  weft__blocked_conv b;
  // Arguments of the launch.
  uint32_t x_arg;
  uint32_t w_arg;
  uint32_t y_arg;
  size_t rows;       // of a tile
  size_t in_blocks;  // of 16 channels
  size_t unit;       // numbers or pairs of one of these
  size_t lane;       // the same of all
  size_t across;     // windows of a row
  size_t windows;    // of an image
  size_t group;      // windows taken together
  size_t groups;     // of these, of an image
  size_t panels;
  size_t panel_size;
  size_t panel_parts;
  size_t units;
  size_t turns;    // tiles of windows whose sums are made before they become places
  size_t v_point;  // numbers or pairs of a point of a group
  size_t m_point;  // numbers of a point of the sums
  bool shared;     // parts of the panels share the points of a group, made in a first phase
} weft__winograd_plan;

// Numbers that the signs of a panel take: 16 bits for each input channel and each channel of the panel.
size_t weft__winograd_signs_size(size_t lanes, size_t wide);
// pairs NULL: float.
weft_status weft__winograd_pack(const weft_packing *p, const weft__bf16_ops *pairs);
// Tap t of channel i of a packed filter; exact up to a rounding or two of those around it, but for zeros and
// signs, which are right. ctx: the plan, and where the packed filters are.
float weft__winograd_filter(const void *ctx, size_t channel, size_t i, size_t t);
// SPDX-License-Identifier: Apache-2.0
