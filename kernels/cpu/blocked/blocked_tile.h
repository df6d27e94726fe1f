// blocked_tile.h - a region of elementwise operators on NC1HWC0 tensors as one on tensors of five dims, for
// the tile machine.
#pragma once
#include "cpu/blocked/blocked.h"
#include "cpu/elementwise/tile_program.h"

typedef struct weft__blocked_tile {
  weft_tiling t;
  weft_layout layout[WEFT__TILE_INPUTS + WEFT__TILE_OUTPUTS];
  const weft_layout *at[WEFT__TILE_INPUTS + WEFT__TILE_OUTPUTS];
} weft__blocked_tile;
// Why not; NULL: made. Lanes that are no channels must not be there: functions of 0 are not 0.
const char *weft__blocked_tile_view(const weft_tiling *t, weft__blocked_tile *out);
