// conv_columns.h - the columns of a convolution as a product: what each place of the output multiplies with
// the filters, gathered from the input. Columns stand in rows of `cols` numbers, a row for each tap of each
// channel.
#pragma once
#include "cpu/conv/conv_ops.h"
#include "cpu/conv/conv_shape.h"

typedef struct weft__row_piece {  // places that lie in one row of the output
  // the column of the first; how many
  size_t at;
  size_t n;
  // input place of tap 0 along the three axes
  int64_t d;
  int64_t h;
  int64_t w;
} weft__row_piece;
typedef struct weft__columns {
  const weft__conv_ops *ops;
  const weft__conv_shape *c;
  bool whole_channels;  // rows are asked for in whole channels
  const float *x;       // of the group
  size_t n;             // pieces
  weft__row_piece row[WEFT__GEMM_COLS];
} weft__columns;

// Does a tap of some place lie in the padding?
bool weft__conv_pads(const weft__conv_shape *c);
// Where each place of the output has an input place of its own, all places become one row.
void weft__conv_one_row(weft__conv_shape *c);
// Rows of a slice: about `most`, and whole channels where a channel has no more.
size_t weft__conv_slice(const weft__conv_shape *c, size_t most, bool *out_whole_channels);
// Adds places [first, first + n) as columns from `at` on; o->n is 0 at the start.
void weft__columns_add(weft__columns *o, size_t first, size_t n, size_t at);
// Rows [k0, k1); columns without a place and padding are zeros.
void weft__columns_gather(const weft__columns *o, size_t k0, size_t k1, float *to);
// One sum by its definition, which leaves padding out: for filters that are infinite or NaN somewhere.
float weft__conv_exact(const weft__conv_shape *c, const float *x, size_t place,
                       float (*filter)(const void *ctx, size_t row, size_t k), const void *ctx, size_t row);
// The first row of tile i of so many tiles of m rows: the first ones are `height` high, the others one less.
static inline size_t weft__tile_row(size_t m, size_t tiles, size_t height, size_t i) {
  size_t high = tiles + m - tiles * height;
  return i * height - (i > high ? i - high : 0);
}
// Packs filters as conv.c reads them: of each group WEFT__CONV_MARK numbers, the first not 0 where a filter
// is infinite or NaN, then slices of kc steps, of tiles of at most `rows` rows, of steps of so many rows as
// the highest tile has. The key is groups << 32 | kc << 8 | rows.
enum { WEFT__CONV_MARK = 16 };
weft_status weft__conv_pack(const weft_packing *p);
// SPDX-License-Identifier: Apache-2.0
