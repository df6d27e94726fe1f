// Room gemm: products of float, and what products and convolutions share: panels, tiles, epilogues.
// Uses: move, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// product.h - what kernels of products and convolutions share: the operator in front, alone or first of a
// fused region, and what follows it as an epilogue.
#pragma once
#include "cpu/gemm/gemm_block.h"
#include "weft/op.h"

enum {
  WEFT__PRODUCT_MATMUL,
  WEFT__PRODUCT_GEMM,
  WEFT__PRODUCT_CONV,
  WEFT__PRODUCT_CONV2D,
  WEFT__PRODUCT_CONV_TRANSPOSE
};
typedef enum { WEFT__PRODUCTS, WEFT__CONVOLUTIONS, WEFT__TRANSPOSED } weft__product_family;
enum { WEFT__PRODUCT_IN = 5 };
typedef struct weft__product {
  int kind;
  const weft_op_desc *desc;
  int64_t arg[WEFT__PRODUCT_IN];  // of the launch, by port; -1: absent
  const weft_shape *shape[WEFT__PRODUCT_IN];
  const weft_shape *y;
} weft__product;

// Why not; NULL: found. The dtype of all is `type` then, FLOAT of the first, and nothing is stored packed.
const char *weft__product_find(const weft_tiling *t, weft__product_family family, weft__product *out);
const char *weft__product_find_of(const weft_tiling *t, weft_dtype type, weft__product_family family,
                                  weft__product *out);
bool weft__product_known(const weft_tiling *t);  // are all shapes?
// Is argument `arg` a constant that may be packed once?
static inline bool weft__product_may_pack(const weft_tiling *t, int64_t arg) {
  return arg < (int64_t)WEFT_COUNT(t->pack_bytes) && t->value[arg];
}

// How y is seen: the first `batch` dims, `row` (0 or 1) dims, and the rest.
typedef struct weft__view {
  size_t batch, row;
} weft__view;
// The epilogue of the operator's own bias and of the region. Why not; NULL: made.
const char *weft__product_epilogue(const weft_tiling *t, const weft__product *p, weft__view v,
                                   weft__epilogue *out);
// Are the steps a number a channel that is added, and a clip, or less? The steps of these, or -1.
bool weft__epilogue_plain(const weft__epilogue *e, int *out_bias, int *out_clip);
// Where a tile whose steps weft__usual_of found goes from registers.
weft__rows_out weft__rows_out_of(const weft__tile_out *o, const weft__usual *u);
// A constant of one element, that a float can be.
bool weft__product_number(const weft_tiling *t, int64_t arg, float *out);
// Blocks for so many units of work, of about 3 microseconds on a fast processor (a worker that is awake joins
// in half of one), at most 64. `flops`: of float; others count by the time they take.
uint32_t weft__product_blocks(double flops, double bytes, size_t units);
// Steps [k0, k0 + k) of a panel of columns, which lie at b, b_k numbers apart.
typedef struct weft__panel_slice {
  size_t panel, k0, k;
  const float *b;
  size_t b_k;
} weft__panel_slice;
// Part `i` of `n` shares of `all`.
static inline size_t weft__share(size_t all, size_t i, size_t n) {
  return all / n * i + all % n * i / n;
}
// Parts of `n` for `want` units of work when there are `outer` times as many: of equal size but for the last.
static inline size_t weft__parts(size_t n, size_t want, size_t outer) {
  size_t most = WEFT_MAX(1, WEFT_MIN(n, (want + outer - 1) / outer));
  size_t each = WEFT_MAX(1, n / most);
  return WEFT_MAX(1, (n + each - 1) / each);
}

// A kernel of the file's own refuse, cost and tile, each with `more` behind its name, of its run, and of what
// else is given.
#define WEFT__PRODUCT_KERNEL_AS(symbol, own, operator, kernel, more, ...)  \
  const weft_kernel weft__kernel_##symbol = {.size = sizeof(weft_kernel),  \
                                             .op = operator,               \
                                             .device = "cpu",              \
                                             .name = kernel,               \
                                             .refuse = own##_refuse##more, \
                                             .cost_ns = own##_cost##more,  \
                                             .tile = own##_tile##more,     \
                                             .run = own##_run,             \
                                             __VA_ARGS__}
#define WEFT__PRODUCT_KERNEL_WITH(symbol, own, operator, kernel, ...) \
  WEFT__PRODUCT_KERNEL_AS(symbol, own, operator, kernel, , __VA_ARGS__)
// The same with the file's own pack, for one of the operators that products and convolutions take; _BF16: of
// refuse_bf16 and so on.
#define WEFT__PRODUCT_KERNEL_OF(symbol, own, operator, kernel, more)                     \
  WEFT__PRODUCT_KERNEL_AS(symbol, own, operator, kernel, more, .pack = own##_pack##more, \
                          .flags = WEFT_KERNEL_PACKS_PIECES)
#define WEFT__PRODUCT_KERNEL(symbol, own, operator, kernel) \
  WEFT__PRODUCT_KERNEL_OF(symbol, own, operator, kernel, )
#define WEFT__PRODUCT_KERNEL_BF16(symbol, own, operator, kernel) \
  WEFT__PRODUCT_KERNEL_OF(symbol, own, operator, kernel, _bf16)
// SPDX-License-Identifier: Apache-2.0
