// tile_program.h - a region made ready for the tile machine: what a kernel's tiling data hold.
#pragma once
#include "cpu/elementwise/tile_rules.h"
#include "cpu/rows/rows_ops.h"

enum {
  WEFT__TILE_INPUTS = 32,
  WEFT__TILE_OUTPUTS = 8,
  WEFT__TILE_OPS = 64,
  WEFT__TILE_AXES = 8,
  WEFT__TILE_SLOTS = 24,
  WEFT__TILE_POINTERS =
      WEFT__TILE_INPUTS + WEFT__TILE_OUTPUTS + WEFT__TILE_SLOTS + 1,  // the last: ANY_ZERO's
  WEFT__TILE_STACK = 32768,                                           // bytes of all slots of a run
  WEFT__TILE_ROW = 64,          // rows shorter than this are put together
  WEFT__TILE_BYTES = 16384,     // of a record
  WEFT__TILE_BYTES_ONE = 1024,  // of one operator by itself
};
enum {
  WEFT__TILE_FULL,   // of the output's shape
  WEFT__TILE_POINT,  // one number along the inner axis
  WEFT__TILE_LINE,   // other numbers along the inner axis, the same for some outer one
  WEFT__TILE_FILL,   // spread over the tile: rows are short
};
typedef struct weft__tile_input {
  uint8_t mode, bytes;
  uint16_t slot;                   // FILL
  size_t stride[WEFT__TILE_AXES];  // in elements, of all axes, the inner one last
} weft__tile_input;

// Followed by the inputs and the instructions.
typedef struct weft__tile {
  uint16_t n_in, n_out, n_ins, n_slots, axes;
  uint8_t rows;    // tiles end where rows end
  uint8_t simple;  // one instruction and no broadcasting but of single numbers
  uint8_t out_bytes[WEFT__TILE_OUTPUTS];
  uint32_t blocks;
  size_t n, tile, per_block, slot_bytes;  // elements but for the last
  size_t dim[WEFT__TILE_AXES];
} weft__tile;
static inline weft__tile_input *weft__tile_inputs(const weft__tile *t) {
  return (weft__tile_input *)(uintptr_t)(t + 1);
}
static inline weft__tile_ins *weft__tile_instructions(const weft__tile *t) {
  return (weft__tile_ins *)(weft__tile_inputs(t) + t->n_in);
}

// Builds the record for the region, or the single operator when it has none, in at most cap bytes. NULL, or
// why not. `t` NULL: only asks; dims may be unknown then. *out_ns: what a run takes, about.
const char *weft__tile_build(const weft_tiling *tiling, weft__tile *t, size_t cap, size_t *out_bytes,
                             uint32_t *out_overwrite, double *out_ns);

// The host side and the block of a kernel that is such a record: of regions, refuse says why not.
const char *weft__tile_refuse(const weft_tiling *t);
double weft__tile_cost(const weft_tiling *t);
weft_status weft__tile_plan(weft_tiling *t);
weft_status weft__tile_run(const weft_block *b);
// SPDX-License-Identifier: Apache-2.0
