// tile_ops.c - which table of the tile machine's operations runs here.
#include "cpu/elementwise/tile.h"
#include "cpu/simd/isa.h"

const weft__tile_table *weft__tile_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__tile_ops);
}
// SPDX-License-Identifier: Apache-2.0
