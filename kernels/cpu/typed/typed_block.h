// Room typed: products of double and of integers, and the kernels of float for f16 and bf16.
// Uses: gemm, move, rows, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// typed_block.h - inner loops of products of double and of integers of 32 and 64 bits, which wrap: one table
// an instruction set. Pointers need the alignment of their elements only. Sums are made in an order that
// depends on the sizes alone.
#pragma once
#include "cpu/simd/isa.h"

enum { WEFT__TYPED_F64, WEFT__TYPED_I32, WEFT__TYPED_I64, WEFT__TYPED_COUNT };
enum { WEFT__TYPED_ROWS = 8, WEFT__TYPED_COLS = 32 };  // of a tile, at most

typedef struct weft__typed_tile {
  size_t k, rows, cols;  // products of a sum; of y: cols at most those of a tile
  const void *a, *b;     // step k of row r: a[k * rows + r]; of column c: b[k * (columns of a tile) + c]
  void *y;
  size_t y_row;
  bool more;  // added to what y has
} weft__typed_tile;

typedef struct weft__typed_ops {
  uint32_t rows, cols;  // of a tile
  void (*tile)(const weft__typed_tile *t);
  // y[i] += the sum over k < n_k of w[k * w_step] * x[k * x_row + i], for i < n
  void (*add_rows)(const void *w, size_t w_step, const void *x, size_t x_row, size_t n_k, void *y, size_t n);
  // y[i] = the sum over k < n_k of x[k] * rows[i * row + k], for i < n
  void (*dots)(const void *x, const void *rows, size_t row, size_t n_k, void *y, size_t n);
} weft__typed_ops;
extern const weft__typed_ops weft__typed_plain[WEFT__TYPED_COUNT], weft__typed_avx2[WEFT__TYPED_COUNT],
    weft__typed_avx512[WEFT__TYPED_COUNT];
const weft__typed_ops *weft__typed_find(const weft_host *host, int type);  // of weft__cpu_isa
// SPDX-License-Identifier: Apache-2.0
