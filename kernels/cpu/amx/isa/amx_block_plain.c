// amx_block_plain.c - amx_block.h in plain C, and which of the two runs.
#include "cpu/amx/amx_block.h"
#include "cpu/amx/amx_tiles_emulated.h"
#include "weft/op.h"

#define TABLE weft__amx_emulated
#define NAME  "amx-emulated"
#include "cpu/amx/amx_block_body.h"

const weft__amx_ops *weft__amx_find(const weft_host *host) {
  int amx = weft__cpu_amx(host);
  if (amx == WEFT__AMX_EMULATED)
    return &weft__amx_emulated;
#if defined(WEFT_KERNELS_AMX)
  if (amx == WEFT__AMX_TILES)
    return &weft__amx_tiles;
#endif
  return NULL;
}

const weft__amx_ops *weft__amx_find_bytes(const weft_host *host, size_t rows) {
  enum { FEW = 8 };  // half a tile: vectors of bytes have a seventh of the tiles' products
  return rows >= FEW || weft__cpu_amx(host) == WEFT__AMX_EMULATED ? weft__amx_find(host) : NULL;
}

const char *weft__amx_refuse(const weft_host *host) {
  return weft__amx_find(host) ? NULL : weft__cpu_amx_missing(host);
}

size_t weft__amx_parts(uint32_t precision) {
  switch (precision) {
    case WEFT_PRECISION_ORIGIN:
      return 3;
    case WEFT_PRECISION_HF32:
      return 2;
    default:
      return precision == WEFT_PRECISION_BF16;
  }
}

double weft__amx_number(const uint16_t *at, size_t part_step, size_t parts) {
  double x = 0;
  for (size_t p = 0; p < parts; p++)
    x += (double)weft__float((uint32_t)at[p * part_step] << 16);
  return x;
}

bool weft__amx_finite(const float *tile, size_t rows, size_t cols) {
  uint32_t most = 0;
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < cols; j++)
      most = WEFT_MAX(most, weft__bits(tile[i * WEFT__AMX_COLS + j]) & 0x7FFFFFFF);
  }
  return most < 0x7F800000;
}
// SPDX-License-Identifier: Apache-2.0
