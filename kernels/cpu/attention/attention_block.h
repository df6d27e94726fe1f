// Room attention: attention in one pass.
// Uses: bf16, gemm, move, rows, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// attention_block.h - the loops of attention beside its products: rows of scores that become weights. One
// table an instruction set, as gemm_block.h; the order of sums depends on lengths alone.
#pragma once
#include "cpu/gemm/gemm_block.h"

// What is done to a row of scores: steps are 0 or 1, pointers NULL where there is nothing.
typedef struct weft__attention_mask {
  const float *shift;   // added
  const uint8_t *mask;  // not 0: the score is `masked`
  size_t shift_step, mask_step;
  float masked;
  size_t low, high;  // the others are not seen: -inf
} weft__attention_mask;

// Scores of rows by keys: out[i * out_row + j] = q[i * q_row + ..] . k[j * k_row + ..] of `size` numbers.
typedef struct weft__attention_dots {
  const float *q, *k;
  size_t q_row, rows;
  size_t k_row, keys;
  size_t size;
  float *out;
  size_t out_row;
} weft__attention_dots;

typedef struct weft__attention_ops {
  uint32_t cols;  // of a panel: those of weft__gemm_ops
  // p[j] = e^(score - top), 0 below e^-87, of n scores, which lie in panels of `cols`, panel_step apart, and
  // are masked first; 0 up to the next multiple of cols. Returns the sum. *out_top: the largest of the scores
  // and `before`, which is no NaN; where it is -inf, 0 is taken off.
  float (*weights)(const float *panels, size_t panel_step, size_t n, const weft__attention_mask *m,
                   float before, float *p, float *out_top);
  // acc = acc * factor[i] + tile, or tile alone, for rows of `cols` numbers.
  void (*add_tile)(float *acc, size_t acc_row, const float *tile, size_t rows, const float *factor,
                   bool first);
  void (*dots)(const weft__attention_dots *d);
  void (*scale)(const float *x, float *y, size_t n, float by);  // y = x * by
  bool (*finite)(const float *x, size_t n);                     // is none of them infinite or NaN?
} weft__attention_ops;
extern const weft__attention_ops weft__attention_plain, weft__attention_avx2, weft__attention_avx512;
const weft__attention_ops *weft__attention_find(const weft_host *host);  // of weft__cpu_isa
// SPDX-License-Identifier: Apache-2.0
