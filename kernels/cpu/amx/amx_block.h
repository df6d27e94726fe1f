// Room amx: products and convolutions on tiles.
// Uses: gemm, move, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// amx_block.h - the inner loops of products and convolutions on AMX's tiles: a sum of 32 rows by 32 columns
// in four tiles, an inner step of 32 numbers in each instruction. The same source (amx_block_body.h) is
// compiled twice: with the processor's instructions, and with their emulation in plain C
// (amx_tiles_emulated.h), which tests run on machines without AMX.
//
// Float operands are split into parts of bf16, x = x0 + x1 + x2, each the rest rounded to nearest, ties to
// even: three parts hold every number of float that is 2^-110 or more, two hold 16 bits of 24. Of the
// products of parts those are summed that count: all whose indexes sum to less than the number of parts.
// Numbers that would round to infinity are cut instead where another part follows; infinities and NaN have
// parts of zero behind them. So a product of an infinity is infinite or NaN in the tile, never finite: who
// uses these sums computes elements that are not finite again, exactly, from the parts.
//
// Tiles flush denormals, operands and sums alike. The order of a sum depends on the inner dimension alone.
#pragma once
#include "cpu/simd/isa.h"

enum {
  WEFT__AMX_ROWS = 32,
  WEFT__AMX_COLS = 32,
  WEFT__AMX_STEP = 32,   // numbers of bf16 of the inner dimension in an instruction
  WEFT__AMX_LANE = 16,   // the same in pairs; also quads of bytes
  WEFT__AMX_PIECE = 512  // pairs of one part of one operand for one step: 32 rows or columns
};

// tile[i * WEFT__AMX_COLS + j] = the sum over s < n of the products of 32 numbers each: row i of a, 16 pairs
// from a[at[s] + i * a_row], part p a_part pairs further; column j of w, whose step is one piece a part: two
// halves of 16 columns, each 16 rows of pairs. Only columns below 16 unless `wide`; rows below 16 unless
// `high`. 64 bytes at `ahead` are fetched into the second cache `lines` times a step.
typedef struct weft__amx_sum {
  size_t n;
  const uint32_t *a, *at, *w;
  size_t a_row, a_part;
  const char *ahead;
  size_t lines;
  float *tile;
} weft__amx_sum;
typedef void (*weft__amx_sum_fn)(const weft__amx_sum *s);

// The same for bytes: signed a in rows of n * 16 quads, a_row quads apart; unsigned b in rows of quads, one a
// column, b_row apart; sums of int32 wrap.
typedef struct weft__amx_bytes {
  size_t n;
  const int32_t *a;
  const uint32_t *b;
  size_t a_row, b_row;
  int32_t *tile;
} weft__amx_bytes;
typedef void (*weft__amx_bytes_fn)(const weft__amx_bytes *s);

// `rows` rows of n numbers, `step` numbers apart, that go into the parts' numbers side by side: rows to_step
// numbers apart, parts part_step.
typedef struct weft__amx_split {
  const float *from;
  size_t step, n, rows;
  uint16_t *to;
  size_t to_step, part_step;
} weft__amx_split;

typedef struct weft__amx_ops {
  const char *name;
  // Around all sums of a launch's block: the tiles are this thread's from the first to the second. A host
  // that uses them has to load its own again, as after any call.
  void (*begin)(void);
  void (*end)(void);
  weft__amx_sum_fn sum[4][2][2];   // number of parts, high, wide
  weft__amx_bytes_fn bytes[2][2];  // high, wide
  void (*split)(const weft__amx_split *s, size_t parts);
  // Pairs of a number of `low` and one of `high`, which may be NULL: zeros. Parts part_step pairs apart.
  void (*zip)(uint32_t *to, size_t part_step, const float *low, const float *high, size_t n, size_t parts);
} weft__amx_ops;
extern const weft__amx_ops weft__amx_tiles, weft__amx_emulated;  // by the processor; in plain C, for tests
const weft__amx_ops *weft__amx_find(const weft_host *host);      // of weft__cpu_amx; NULL: there is none
// For products of bytes of so many rows: few are faster without tiles.
const weft__amx_ops *weft__amx_find_bytes(const weft_host *host, size_t rows);
const char *weft__amx_refuse(const weft_host *host);  // why it is NULL; NULL: it is not

// What a kernel may do to float: parts that keep its precision mode's promise. 0: none of them.
size_t weft__amx_parts(uint32_t precision);
// The number that lies in `parts` parts from `at` on, numbers of bf16 part_step apart.
double weft__amx_number(const uint16_t *at, size_t part_step, size_t parts);
// Where in a piece of w the pair of column j and step k lies.
static inline size_t weft__amx_pair(size_t j, size_t k) {
  return j / 16 * (WEFT__AMX_PIECE / 2) + k / 2 * 16 + j % 16;
}
// Are all numbers of a tile's rows finite?
bool weft__amx_finite(const float *tile, size_t rows, size_t cols);
// SPDX-License-Identifier: Apache-2.0
