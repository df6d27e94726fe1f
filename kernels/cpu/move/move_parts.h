// move_parts.h - copies between strided views: what move.c makes of an operator and move_run.c does.
#pragma once
#include "cpu/move/move_ops.h"
#include "weft/op.h"

enum { WEFT__MOVE_AXES = 8 };

// One copy. Strides are in elements; one of an input going backwards wraps round.
typedef struct weft__move_part {
  uint32_t axes;
  uint32_t in;
  uint32_t out;
  uint32_t first_block;
  uint32_t blocks;
  uint32_t cut;  // the axis that blocks share
  size_t dim[WEFT__MOVE_AXES];
  size_t from[WEFT__MOVE_AXES];
  size_t to[WEFT__MOVE_AXES];
  size_t from_at;
  size_t to_at;
  size_t per;    // numbers of axis `cut` in a block
  bool streams;  // long runs into an output beyond the second cache: past the caches if it is the caller's
} weft__move_part;
typedef struct weft__move_plan {
  uint32_t n_in;
  uint32_t parts;
  uint32_t bytes;  // of an element
  const weft__move_ops *vec;
  weft__move_part part[];
} weft__move_plan;

// The axis along which the input's neighbours lie, when it is not the last one; axes: none. Of two of them
// lines do as well.
uint32_t weft__move_neighbours(const weft__move_part *q);
weft_status weft__move_run(const weft_block *b);  // the data of the launch: a plan
// SPDX-License-Identifier: Apache-2.0
