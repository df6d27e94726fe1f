// quant_blocked.h - what the convolutions of bytes in NC1HWC0 (C0 = 32) share: a region of one ConvInteger to
// bytes, or of one with a FixedRequant behind it, seen as that operator, and what turns its sums into bytes.
#pragma once
#include "cpu/blocked/blocked.h"
#include "cpu/quant/quant_fixed.h"
#include "cpu/quant/quant_lanes.h"

typedef struct weft__quant_blocked {
  weft__quant_sum s;  // arguments of the launch
  weft__conv_shape c;
  bool from_plain;  // the input is NCHW
} weft__quant_blocked;
static inline size_t weft__quant_blocked_bytes(size_t channels, size_t places) {  // of a packed image
  return (channels + WEFT__BYTES_C0 - 1) / WEFT__BYTES_C0 * WEFT__BYTES_C0 * places;
}
// Why not; NULL: found, with constant filters that have no zero points once they are signed; c is filled when
// all shapes are known.
const char *weft__quant_blocked_read(const weft_tiling *t, weft__quant_blocked *out);

// What the sums of `n` channels of the output from `channel` on become bytes by, in lanes of their number;
// `sum` are those of their filters. What are no channels become 0.
typedef struct weft__quant_numbers {
  int32_t add[WEFT__BYTES_C0];
  float factor[WEFT__BYTES_C0];  // or, with a FixedRequant, the other two
  int32_t multiplier[WEFT__BYTES_C0], shift[WEFT__BYTES_C0];
} weft__quant_numbers;
void weft__quant_blocked_numbers(const weft__quant_blocked *q, void *const *arg, size_t channel, size_t n,
                                 const int32_t *sum, weft__quant_numbers *out);
// A panel's numbers are rows of so many lanes each: summands, then factors, or multipliers and shifts. Four
// of them from channel `from` on, to the lanes from `to` on.
enum { WEFT__QUANT_PANEL_ROWS = 3 };
void weft__quant_blocked_put(const weft__quant_sum *s, const weft__quant_numbers *n, size_t from, int32_t *to,
                             size_t lanes);
void weft__quant_blocked_rows(const weft__quant_sum *s, const int32_t *rows, size_t lanes,
                              weft__quant_panel *p);
// Bounds and zero point; masks repeat after `lanes`, of which n are channels.
void weft__quant_blocked_bounds(const weft__quant_sum *s, void *const *arg, size_t n, size_t lanes,
                                weft__quant_panel *p);

// Sets what are no channels to 0, in places [first, last) of a tensor; a place here is one of a block.
void weft__quant_blocked_clear(uint8_t *y, size_t first, size_t last, size_t channels, size_t places);

// A plane of places, one byte or a block of channels each, with zero points around it.
typedef struct weft__quant_plane {
  const weft__quant_ops *ops;
  size_t lane;       // bytes of a place
  size_t each;       // bytes of a number of the copy: 1, or 2
  size_t in[2];      // rows and columns
  int64_t begin[2];  // padding in front; below 0: so many are left out
  size_t cols;       // of the copy
  uint8_t flip, pad;
} weft__quant_plane;
// n bytes, changed by flip, in 16 bits each.
void weft__quant_blocked_widen(const uint8_t *x, size_t n, uint8_t flip, uint8_t *to);
// Rows [first, last) of the copy, side by side.
void weft__quant_blocked_copy(const weft__quant_plane *p, const uint8_t *x, size_t first, size_t last,
                              uint8_t *to);

// A kernel of the file's own refuse, cost, pack, tile and run, for packed regions.
#define WEFT__QUANT_BLOCKED_KERNEL(symbol, own, operator, kernel)              \
  WEFT__PRODUCT_KERNEL_WITH(symbol, own, operator, kernel, .pack = own##_pack, \
                            .flags = WEFT_KERNEL_PACKED | WEFT_KERNEL_PACKS_PIECES)
// SPDX-License-Identifier: Apache-2.0
