// amx_block_tiles_amx.c - amx_block.h by the processor's instructions.
#include "cpu/amx/amx_block.h"
#include "cpu/amx/amx_tiles.h"

#define TABLE weft__amx_tiles
#define NAME  "amx"
#include "cpu/amx/amx_block_body.h"
// SPDX-License-Identifier: Apache-2.0
