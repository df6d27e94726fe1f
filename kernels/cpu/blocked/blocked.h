// Room blocked: convolutions, pools, joins and chains of tensors packed as NC1HWC0.
// Uses: amx, bf16, conv, elementwise, gemm, move, pool, rows, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// blocked.h - what kernels on NC1HWC0 tensors share: which formats they take, and a packed region of one
// operator seen as that operator on plain tensors.
#pragma once
#include "cpu/blocked/blocked_block.h"
#include "cpu/gemm/product.h"
#include "weft/op.h"

// NC1HWC0 with C0 = 16.
bool weft__is_blocked(weft_format f);
// The same of bytes, with C0 = 32.
bool weft__is_blocked_bytes(weft_format f);
bool weft__is_one_operator(const weft_region *r);
// Numbers of a packed image of so many channels.
static inline size_t weft__blocked_image(size_t channels, size_t places) {
  return (channels + WEFT__C0 - 1) / WEFT__C0 * WEFT__C0 * places;
}

// The first operator of a region with the region's inputs and output, all plain: for code that reads plain
// ones. `t` and what it points to live as long as this.
typedef struct weft__unpacked {
  weft_tiling t;
  weft_layout layout[4];
  const weft_layout *at[4];
} weft__unpacked;
// Why not: the region is not one operator of that type with `n_in` inputs (at most 3), the first of them
// packed, or shapes are not known, or an output or another input has no format that a kernel of one operator
// knows.
const char *weft__unpack(const weft_tiling *t, const char *op, uint32_t n_in, weft__unpacked *out);

// A kernel of the file's own refuse, cost, tile and run, for packed regions.
#define WEFT__BLOCKED_REGION_KERNEL(symbol, own, operator, kernel) \
  WEFT__PRODUCT_KERNEL_WITH(symbol, own, operator, kernel, .flags = WEFT_KERNEL_PACKED)
// SPDX-License-Identifier: Apache-2.0
