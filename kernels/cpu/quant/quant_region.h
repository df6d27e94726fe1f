// quant_region.h - what the kernels of regions share that make bytes of one or two tensors of bytes, element
// by element: which layouts they take, how the bytes are cut into blocks, and the way by floats where it
// gives the same bytes (quant_blend.h).
//
//   typedef struct my_region { weft__quant_region r; my_numbers p; } my_region;   // r first
#pragma once
#include "cpu/quant/quant_blend.h"

typedef struct weft__quant_region {
  const weft__quant_ops *ops;
  weft__quant_blend m;
  bool blends;              // m gives what the region does
  uint32_t a, b, y;         // arguments; one tensor: b is a
  size_t n, per;            // bytes: all, and of a block
  size_t channels, places;  // packed; of an image
} weft__quant_region;

// With a and b set. NULL: it takes the layouts, or they are not known yet.
const char *weft__quant_region_refuse(const weft_tiling *t, const weft__quant_region *r);
// Sets ops, n, channels and places.
void weft__quant_region_measure(const weft_tiling *t, weft__quant_region *r);
// The blocks, of a region that takes so long for 64 bytes where it does not blend.
void weft__quant_region_cut(weft_tiling *t, weft__quant_region *r, double ns);
// One block. `pair`: as in weft__quant_trial, given r.
typedef void (*weft__quant_pair_fn)(const void *region, const uint8_t *a, const uint8_t *b, size_t n,
                                    uint8_t *y);
weft_status weft__quant_region_run(const weft_block *b, const weft__quant_region *r,
                                   weft__quant_pair_fn pair);
// SPDX-License-Identifier: Apache-2.0
