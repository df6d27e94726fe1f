// nbits_block.h - the inner loops of products with weights of 4 and 8 bits, one table an instruction set.
//
// A column's bytes are read once for up to WEFT__NBITS_ROWS rows of x. Numbers become floats in registers: of
// 4 bits the low halves of VEC bytes are numbers 0, 2, ... and the high ones 1, 3, ..., so x lies that way,
// too: for each 2 * VEC numbers the even ones, then the odd ones. A block's sum of q * x, less its zero point
// times the block's sum of x, is scaled once.
#pragma once
#include "cpu/simd/isa.h"

enum { WEFT__NBITS_ROWS = 4 };
enum { WEFT__NBITS_4, WEFT__NBITS_8, WEFT__NBITS_KINDS };

// Rows of x and a column of w, all of `blocks` blocks of `block` numbers. Of x the rows' first blocks lie
// beside each other, then the second ones: rows that lie far apart meet in the same places of the first
// cache.
typedef struct weft__nbits_line {
  const float *x, *sums;  // sums: VEC a block and row, which together are the block's sum of x
  const uint8_t *w;
  const float *scale, *zero;  // one a block; zero: the zero point, negative
  size_t blocks, block;
} weft__nbits_line;

typedef struct weft__nbits_ops {
  const char *name;
  uint32_t vec;
  // out[r] = sum over the line of row r, by the kind of w and the number of rows
  void (*dot[WEFT__NBITS_KINDS][WEFT__NBITS_ROWS + 1])(const weft__nbits_line *l, float *out);
  // to[i] = (q[i] + zero) * scale for the line's numbers, in order
  void (*unpack[WEFT__NBITS_KINDS])(const weft__nbits_line *l, float *to);
} weft__nbits_ops;
extern const weft__nbits_ops weft__nbits_plain, weft__nbits_avx2, weft__nbits_avx512;
// The best one of weft__cpu_isa whose steps divide a block; NULL: none.
const weft__nbits_ops *weft__nbits_find(const weft_host *host, size_t block);
// SPDX-License-Identifier: Apache-2.0
