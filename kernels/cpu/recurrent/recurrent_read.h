// Room recurrent: LSTM, GRU and RNN.
// Uses: move, rows, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// recurrent_read.h - a recurrent layer as its kernel sees it: sizes, arguments and activations of a node.
#pragma once
#include "cpu/recurrent/recurrent_cell.h"
#include "weft/op.h"

enum {
  WEFT__RNN_X,
  WEFT__RNN_W,
  WEFT__RNN_R,
  WEFT__RNN_B,
  WEFT__RNN_LENGTHS,
  WEFT__RNN_H,
  WEFT__RNN_C,
  WEFT__RNN_P
};
typedef struct weft__recurrent {
  int kind;  // WEFT__CELL_*
  size_t gates, stages;
  size_t steps, batch, inputs, dirs, hidden;
  bool reverse, coupled, usual;
  float clip;
  weft__act act[2][3];  // by direction
  int64_t arg[8];       // of the launch, by port; -1: absent
} weft__recurrent;

// Why not; NULL: read. Sizes are those of known shapes; 0 otherwise.
const char *weft__recurrent_read(const weft_tiling *t, weft__recurrent *out);
// SPDX-License-Identifier: Apache-2.0
