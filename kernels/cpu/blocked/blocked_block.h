// blocked_block.h - the inner loops of kernels on NC1HWC0 tensors, one table an instruction set: the same
// source (blocked_block_body.h) compiled once for each. C0 is 16 everywhere; a vector is 16, 8 or 4 channels.
//
// A tile is `rows` places of the output by `cols` channels, in registers: for each step one number of the
// input for all channels of a place's row times a vector of filters.
#pragma once
#include "cpu/blocked/blocked_sizes.h"
#include "cpu/gemm/gemm_block.h"

// Where a tile goes: places `place` to `place + rows` of one image of a packed tensor. A sum may make
// several: `tiles` of them, each of so many places, one behind the other.
typedef struct weft__blocked_out {
  float *y;                 // of the image
  size_t y_block;           // numbers from block of channels to block of channels
  size_t place, rows;       // places of a channel, one after the other
  size_t tiles;             // where a sum makes them; finish sees one
  size_t channel, end;      // the tile's first; those from `end` on are not its
  size_t channels;          // of the tensor
  size_t batch;             // for operands: which image
  const weft__epilogue *e;  // additions: a number a channel, one in all, or a tensor packed like y
  void *const *arg;
} weft__blocked_out;

// tile[i * WEFT__GEMM_COLS + j] = sum over s < n, k < steps of a[at[s] + i * a_row + k] *
// w[(s * steps + k) * cols + j], added to what is there when `more`. With `out` the sums are complete and go
// there, through its steps; the tile then is scratch, and the same is done for the tiles behind it, whose
// inputs are rows * a_row further each. Operands are floats, or what the table of functions says.
typedef struct weft__tap_sums {
  size_t n, steps;
  const void *a;
  const uint32_t *at;
  size_t a_row;
  const void *w;
  float *tile;
  bool more;
  weft__ahead ahead;
  const weft__blocked_out *out;
} weft__tap_sums;
typedef void (*weft__reduce_fn)(const weft__tap_sums *s);

// Depthwise: a rectangle of places of one block of channels, y = bias + sum over t of x[tap[t].x] *
// w[tap[t].w], at least low, at most high; all of C0 channels.
typedef struct weft__tap {
  uint32_t x, w;  // numbers from a place's x; from w
} weft__tap;
typedef struct weft__taps {
  const float *x, *w, *bias;
  float *y;
  size_t rows, n;                       // of places; in a row
  size_t x_row, x_step, y_row, y_step;  // numbers from row to row, from place to place
  const weft__tap *tap;
  size_t taps;
  float low, high;
} weft__taps;

// The same with 3 x 3 taps beside each other, for whole rows of places. Place i has columns i * stride - left
// and the two behind it; `right`: the last place's last column is outside.
typedef struct weft__nine_rows {
  const float *const *row;  // of the input: the first place's rows are row[0..2]; NULL: outside
  const float *w, *bias;
  float *y;
  size_t rows, n, stride, down;  // rows of places; places of a row; 1 or 2; rows of the input from row to row
  bool left, right;
  float low, high;
} weft__nine_rows;

// A pool's windows, all of C0 channels: place y[i], i < n, of x[i * x_step + at[t]] for t < taps.
typedef struct weft__blocked_fold {
  const float *x;
  size_t x_step;
  const uint32_t *at;
  size_t taps;
  float *y;
  size_t n;
  float scale;
} weft__blocked_fold;

// Taps of a filter that are no point by themselves.
static const uint8_t weft__winograd_hidden[5] = {1, 3, 4, 5, 7};

typedef struct weft__blocked_ops {
  uint32_t vec, rows, cols;
  // [1]: a_row is C0. Then the number of vectors less one, the number of rows.
  weft__reduce_fn reduce[2][2][WEFT__GEMM_ROWS + 1];
  void (*finish)(float *tile, const weft__blocked_out *o);
  // Winograd's F(2x2, 3x3). n windows of 4 x 4 places of one block of channels, two places apart, `row`
  // numbers from row to row, into 16 points that are `point` numbers apart; those of one window lie behind
  // those of the one before.
  void (*window)(const float *x, size_t row, size_t n, float *v, size_t point);
  // 16 points of cols channels into 2 x 2 places: of rows 0 and 1 of the output, two rows of a tile each.
  // Returns whether all are finite.
  bool (*unwind)(const float *m, size_t point, float *upper, float *lower);
  // Filters of 3 x 3 taps, rows of cols channels, into 16 points, and what the points may hide of them: bit i
  // of `signs` says that tap weft__winograd_hidden[i] is not zero, bit 8 + i that it is below zero.
  void (*points)(const float *taps, float *to, size_t point, uint16_t *signs);
  void (*taps)(const weft__taps *p);
  void (*nine)(const weft__nine_rows *p);
  void (*largest)(const weft__blocked_fold *f);  // of the taps
  void (*sum)(const weft__blocked_fold *f);      // of the taps, times `scale`
} weft__blocked_ops;
extern const weft__blocked_ops weft__blocked_plain, weft__blocked_avx2, weft__blocked_avx512;
const weft__blocked_ops *weft__blocked_find(const weft_host *host);  // of weft__cpu_isa
// SPDX-License-Identifier: Apache-2.0
