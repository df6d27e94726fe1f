// blocked_conv_plan.h - how blocked_conv.c goes over a convolution, and its filters as they are packed for
// that (blocked_conv_filters.c).
#pragma once
#include "cpu/bf16/bf16_block.h"
#include "cpu/blocked/blocked_conv.h"

enum {
  WEFT__BLOCKED_CONV_MARK = 16
};  // numbers before packed filters; the first is not 0: filters are not finite

typedef struct weft__blocked_conv_plan {
  const weft__blocked_ops *ops;
  const weft__bf16_ops *pairs;  // NULL: float
  weft__blocked_conv b;
  // Arguments of the launch.
  uint32_t x_arg;
  uint32_t w_arg;
  uint32_t y_arg;
  size_t lane;        // of the input as it is read: numbers, or pairs of them, of a place
  size_t runs;        // of a sum: runs of steps that lie side by side in the input
  size_t steps;       // of a run
  size_t most_rows;   // of a tile
  size_t high;        // rows of the output
  size_t wide;        // places of a row
  size_t across;      // tiles of a row of the output
  size_t tiles;       // of all
  size_t least;       // places of a tile
  size_t longer;      // the first `longer` tiles of a row have one more
  size_t panels;      // of filters of a group
  size_t panel_size;  // numbers of one
  size_t bands;
  size_t panel_parts;
  size_t units;
  bool panels_first;  // units: all bands of a part of the panels, then those of the next
  uint32_t blocks;
  size_t rows;    // of the input as it is read, with padding
  size_t cols;    // the same
  size_t plane;   // numbers of a plane of it
  size_t planes;  // of an image
  size_t down;    // numbers of the input from row to row of the output
  bool local;     // each unit copies its rows of the input, in its scratch
  bool picks;     // one tap: its places are copied one behind the other, the output is one row
  bool own;       // each unit copies those that it needs, in its scratch
  bool copied;    // the input: padded, rounded
} weft__blocked_conv_plan;

// Is the input plain, and read in pairs of rows of taps?
static inline bool weft__blocked_conv_pairs_rows(const weft__blocked_conv_plan *g) {
  return g->b.from_plain && g->pairs;
}
// Channels of the block of a packed input that begins with channel i, as they are summed.
static inline size_t weft__blocked_conv_lanes(size_t inputs, size_t i) {
  enum { MOST_HALVES = 100, HALF = WEFT__C0 / 2 };  // with more channels it does not pay
  const bool half_full = inputs - i <= HALF;
  return half_full && inputs < MOST_HALVES ? HALF : WEFT__C0;
}
// The key of packed filters.
typedef struct weft__blocked_conv_key {
  size_t groups;
  bool plain;   // the input
  size_t wide;  // channels of a panel
} weft__blocked_conv_key;
static inline uint64_t weft__blocked_conv_write_key(weft__blocked_conv_key k) {
  return (uint64_t)k.groups << 9 | (uint64_t)k.plain << 8 | k.wide;
}
static inline weft__blocked_conv_key weft__blocked_conv_read_key(uint64_t key) {
  return (weft__blocked_conv_key){(size_t)(key >> 9), key >> 8 & 1, (size_t)(key & 0xFF)};
}

weft_status weft__blocked_conv_pack(const weft_packing *p);
weft_status weft__blocked_conv_pack_bf16(const weft_packing *p);
// Tap t of channel i of a packed filter. ctx: the plan, and where the packed filters are.
float weft__blocked_conv_filter(const void *ctx, size_t channel, size_t i, size_t t);
// SPDX-License-Identifier: Apache-2.0
