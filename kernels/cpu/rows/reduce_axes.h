// reduce_axes.h - the axes of a reduction as its kernels walk them: those that are reduced or kept together
// are merged; the innermost run of numbers is a row that is reduced, or one whose numbers are kept and that
// rows are joined with; odometers walk the other axes.
#pragma once
#include "cpu/rows/rows.h"

enum { WEFT__REDUCE_AXES = 8, WEFT__REDUCE_PIECE = 256 };
typedef struct weft__axis {
  size_t dim, stride;
} weft__axis;
typedef struct weft__reduce {
  weft__axis kept[WEFT__REDUCE_AXES],
      cut[WEFT__REDUCE_AXES];  // without the innermost run, from outer to inner
  uint32_t n_kept, n_cut;
  size_t run;    // length of the innermost run
  bool row;      // which is reduced
  bool nothing;  // no numbers for any output; they are all in one run
  size_t outputs,
      count;  // outputs: of rows all, otherwise runs of them, cut into pieces; numbers of each output
  size_t pieces, per;  // a block takes `per` of outputs * pieces
} weft__reduce;

// What operator `t` reduces. Why not; NULL: read. Shapes are known.
const char *weft__reduce_read(const weft_tiling *t, weft__reduce *out);
// Sets blocks and `per` for a kernel that takes `ns` for a number of a row, by_piece for one of rows that are
// joined.
void weft__reduce_blocks(weft_tiling *t, weft__reduce *r, double ns, double by_piece);

// Part i of outputs * pieces: n outputs from `to` on, whose first numbers are at element `at`.
typedef struct weft__reduce_part {
  size_t n, at, to, rows;  // rows: that are reduced, or joined
} weft__reduce_part;
weft__reduce_part weft__reduce_part_of(const weft__reduce *r, size_t i);
// Element offset of number i along axes.
size_t weft__axis_offset(const weft__axis *a, uint32_t n, size_t i);
// SPDX-License-Identifier: Apache-2.0
