// Room bf16: products and convolutions of pairs rounded to bf16.
// Uses: blocked, gemm, move, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// bf16_block.h - the inner loops of products and convolutions whose operands are rounded to bf16 and whose
// sums are float, one table an instruction set: the same source (bf16_block_body.h) compiled once for each,
// and once more for the processors that have dot products of bf16 (AVX512-BF16).
//
// Operands are pairs: two steps of the inner dimension side by side in 32 bits, the first in the lower half,
// so that a pair of a times a vector of pairs of b gives a vector of sums. Rounding is to nearest, ties to
// even; numbers of 3.3962e38 and more become infinite, NaN stays NaN. Each of the two products is added with
// one rounding where the processor has fused multiply-adds; the dot product instructions take denormal
// operands as zero and make no denormal sums, which the others do not. The order of a sum depends on the
// inner dimension alone.
#pragma once
#include "cpu/blocked/blocked_block.h"
#include "cpu/move/move_ops.h"

static inline uint32_t weft__bf16_of(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  uint32_t rounded = (u + 0x7FFF + (u >> 16 & 1)) >> 16;
  uint32_t nan = u >> 16 | 0x40;
  return (u & 0x7FFFFFFF) > 0x7F800000 ? nan : rounded;
}
static inline uint32_t weft__bf16_pair(float low, float high) {
  return weft__bf16_of(low) | weft__bf16_of(high) << 16;
}
#define WEFT__BF16_LARGE 0x1.FFp127f  // numbers of this magnitude and more become infinite
static inline float weft__bf16_half(uint32_t pair, bool high) {
  uint32_t u = high ? pair & 0xFFFF0000 : pair << 16;
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}

// One run of k steps for a tile of `cols` columns whose sums are complete: see weft__rows_out. 64 bytes at
// `ahead` are fetched each step.
typedef void (*weft__bf16_out_fn)(size_t k, const uint32_t *a, size_t a_row, const uint32_t *w,
                                  const char *ahead, const weft__rows_out *o);
// One run of k steps for WEFT__GEMM_WIDE panels, b_panel pairs apart; tile t begins at tile + t * ROWS *
// COLS.
typedef void (*weft__bf16_wide_fn)(size_t k, const uint32_t *a, size_t a_row, const uint32_t *b,
                                   size_t b_panel, float *tile);
enum { WEFT__BF16_C0 = WEFT__C0 / 2 };  // pairs of a block of channels
enum { WEFT__BF16_WIDE_ROWS = 3 };

typedef struct weft__bf16_ops {
  const char *name;
  bool dots;                 // by an instruction: twice the products a step
  uint32_t vec, rows, cols;  // vec and cols are those of weft__gemm_ops of the same instruction set
  // [1]: a_row is BF16_C0. Then the number of vectors less one, the number of rows.
  // Operands are pairs: of each two both products are summed.
  weft__reduce_fn reduce[2][2][WEFT__GEMM_ROWS + 1];
  weft__bf16_out_fn out[WEFT__GEMM_ROWS + 1];  // by the number of rows
  weft__bf16_wide_fn wide[WEFT__BF16_WIDE_ROWS + 1];
  // Pairs of numbers that lie side by side; behind an odd last one lies zero.
  void (*pairs)(uint32_t *to, const float *from, size_t n);
  // Pairs of a number of `low` and one of `high`, which may be NULL: zeros.
  void (*zip)(uint32_t *to, const float *low, const float *high, size_t n);
  // The same of what only products read: denormals may become zero.
  void (*zip_in)(uint32_t *to, const float *low, const float *high, size_t n);
  // The same for every two of `rows` rows, from_row apart: a panel with n of `cols` columns, zeros behind.
  void (*zip_rows)(uint32_t *to, const float *from, size_t from_row, size_t rows, size_t n);
  // That of weft__blocked_ops, with each point rounded once.
  void (*window)(const float *x, size_t row, size_t n, uint32_t *v, size_t point);
} weft__bf16_ops;
extern const weft__bf16_ops weft__bf16_plain, weft__bf16_avx2, weft__bf16_avx512, weft__bf16_dot_avx512;
const weft__bf16_ops *weft__bf16_find(const weft_host *host);  // of weft__cpu_isa and weft__cpu_bf16

// A panel of some columns of a matrix.
void weft__bf16_panel(const weft__bf16_ops *ops, const weft__move_ops *vec, const weft__gemm_columns *from,
                      uint32_t *to);
// SPDX-License-Identifier: Apache-2.0
