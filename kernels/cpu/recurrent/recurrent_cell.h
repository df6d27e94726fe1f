// recurrent_cell.h - the inner loops of recurrent layers, one table an instruction set: the same source
// (recurrent_cell_body.h) compiled once for each.
//
// Units are taken `vec` at a time: a panel of a weight matrix holds, for each step of the inner dimension,
// the numbers of 1 to 4 gates of `vec` units side by side, so that it is read once from end to end. With few
// rows the time is that of this reading. The order in which a sum is made depends on sizes alone.
#pragma once
#include "cpu/simd/isa.h"

enum { WEFT__CELL_ROWS = 6, WEFT__CELL_GATES = 4 };
enum { WEFT__CELL_RNN, WEFT__CELL_LSTM, WEFT__CELL_GRU, WEFT__CELL_GRU_AFTER, WEFT__CELL_KINDS };
enum {
  WEFT__ACT_RELU,
  WEFT__ACT_TANH,
  WEFT__ACT_SIGMOID,
  WEFT__ACT_AFFINE,
  WEFT__ACT_LEAKY,
  WEFT__ACT_THRESHOLDED,
  WEFT__ACT_SCALED_TANH,
  WEFT__ACT_HARD_SIGMOID,
  WEFT__ACT_ELU,
  WEFT__ACT_SOFTSIGN,
  WEFT__ACT_SOFTPLUS
};
typedef struct weft__act {
  int kind;
  float alpha, beta;
} weft__act;

// One step of some sequences of one direction. States are rows of all units, padded to whole vectors, `row`
// numbers apart; h and h_next do not overlap.
typedef struct weft__cell {
  size_t rows, hidden, row;
  const float *x[WEFT__CELL_ROWS];  // the input's part of the sums: by block of units, gates of `vec` numbers
  float *y[WEFT__CELL_ROWS];        // [hidden]
  uint32_t live;                    // bits of rows: the others keep their state and give 0
  const float *h;
  float *h_next;
  float *c;          // LSTM
  float *z, *reset;  // GRU: gate z, r * h
  const float *r;    // panels of the direction; those of GRU's second stage behind those of the first
  const float *p;    // LSTM: peepholes [3 * hidden]; NULL
  const float *rb;   // GRU_AFTER: recurrent bias of gate h, [hidden]; NULL
  float clip;        // below 0: none
  bool usual;        // sigmoid and tanh everywhere, no clip, no peepholes, gates not coupled
  bool coupled;      // LSTM: f = 1 - i
  weft__act act[3];
} weft__cell;

// out[i * out_row + j] = init[i][at + j] + sum over s < k of a[i * a_row + s] * b[s * gates * vec + j], for
// j < gates * vec.
typedef struct weft__cell_sums {
  size_t k;
  const float *a;
  size_t a_row;
  const float *b;
  const float *const *init;
  size_t at;
  float *out;
  size_t out_row;
} weft__cell_sums;

typedef struct weft__cell_ops {
  uint32_t vec, rows;  // floats of a vector; most rows of a product
  // By gates less one, rows (1 to `rows`).
  void (*product[WEFT__CELL_GATES][WEFT__CELL_ROWS + 1])(const weft__cell_sums *s);
  // Block `u` of units, of stage 0 or (GRU: when all of stage 0 are done) 1.
  void (*cell[WEFT__CELL_KINDS])(const weft__cell *c, size_t u, size_t stage);
} weft__cell_ops;
extern const weft__cell_ops weft__cell_plain, weft__cell_avx2, weft__cell_avx512;
const weft__cell_ops *weft__cell_find(const weft_host *host);  // of weft__cpu_isa
// SPDX-License-Identifier: Apache-2.0
