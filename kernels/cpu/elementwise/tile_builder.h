// tile_builder.h - a region on its way to a record of the tile machine: what the steps of tile_program.c,
// tile_axes.c and tile_write.c know of it.
#pragma once
#include "cpu/elementwise/tile_program.h"

// A value of the region: an input, or what an operator computes.
typedef struct weft__tile_value {
  uint16_t at;   // in the table of pointers
  uint8_t kind;  // WEFT__TILE_*
  weft_dtype dtype;
  bool one;
  uint8_t rank;
  int32_t last;  // operator that reads it last; INT32_MAX: an output
} weft__tile_value;

// How an input lies along the output: right-aligned, or as a vector along one axis.
typedef struct weft__tile_view {
  bool used;
  uint8_t form;  // WEFT__VIEW_*
  uint8_t axis;
} weft__tile_view;

typedef struct weft__tile_builder {
  const weft_tiling *tiling;
  const weft__tile_table *operations;
  const weft_region *region;
  // The region of an operator by itself.
  weft_region alone;
  weft_region_node alone_node;
  int32_t alone_in[WEFT__TILE_INPUTS];
  int32_t alone_out[1];
  weft__tile_value in[WEFT__TILE_INPUTS];
  weft__tile_value op[WEFT__TILE_OPS];
  weft__tile_view view[WEFT__TILE_INPUTS];
  weft__tile_input input[WEFT__TILE_INPUTS];
  uint32_t n_ins;
  uint32_t n_slots;
  uint32_t free_slots;  // one bit a slot
  uint32_t axes;
  size_t dim[WEFT__TILE_AXES];
  size_t n;    // elements of the output
  bool known;  // are all shapes?
  bool rows;
  double cost;  // ns an element
  const char *why;
  weft__tile_ins ins[3 * WEFT__TILE_OPS + WEFT__TILE_INPUTS];  // the last: not cleared
} weft__tile_builder;

// Notes why there is no record, unless something was noted before: false.
bool weft__tile_no(weft__tile_builder *b, const char *why);
// Merges the axes that all inputs run through alike, and finds how each input lies along those that are left.
bool weft__tile_find_axes(weft__tile_builder *b);
// What a run takes, about.
double weft__tile_ns(const weft__tile_builder *b);
// The inputs that output 0 may lie over, one bit each.
uint32_t weft__tile_overwrites(const weft__tile_builder *b);
// The record of a region whose steps are all there.
void weft__tile_write(const weft__tile_builder *b, weft__tile *t);

static inline bool weft__tile_is_half(weft_dtype t) {
  return t == WEFT_FLOAT16 || t == WEFT_BF16;
}
static inline uint8_t weft__tile_kind_bytes(uint8_t kind) {
  static const uint8_t bytes[WEFT__TILE_KINDS] = {4, 8, 1, 1, 1, 2, 2, 4, 4, 8, 8};
  return bytes[kind];
}
// SPDX-License-Identifier: Apache-2.0
