// tile_ops_avx2.c - the operations of the tile machine for this instruction set (cmake/kernels.cmake).
#include "cpu/elementwise/tile_ops.h"

const weft__tile_table weft__tile_ops_avx2 = TILE_TABLES;
// SPDX-License-Identifier: Apache-2.0
