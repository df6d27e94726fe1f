// amx_tiles.h - the operations on tiles that amx_block_body.h is written in, by the processor's instructions.
// Tiles have numbers, written as literals. Each is 16 rows of 64 bytes. amx_tiles_emulated.h has the same
// names.
#pragma once
#include <immintrin.h>
#include <string.h>

#define TILES  // the processor has them

typedef struct tile_shape {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_shape;

// GCC's intrinsics say of no memory that they read it: what is stored before has to be there.
#define tile_fence() __asm__ volatile("" : : : "memory")

static void tiles_begin(void) {
  _Alignas(64) tile_shape shape;
  memset(&shape, 0, sizeof shape);
  shape.palette = 1;
  for (int i = 0; i < 8; i++) {
    shape.row_bytes[i] = 64;
    shape.rows[i] = 16;
  }
  __asm__ volatile("" : : "r"(&shape) : "memory");
  _tile_loadconfig(&shape);
}
static void tiles_end(void) {
  _tile_release();
}

#define tile_zero(t)              _tile_zero(t)
#define tile_load(t, p, bytes)    _tile_loadd(t, p, bytes)
#define tile_store(t, p, bytes)   _tile_stored(t, p, bytes)
#define tile_dot_bf16(sum, a, b)  _tile_dpbf16ps(sum, a, b)
#define tile_dot_bytes(sum, a, b) _tile_dpbsud(sum, a, b)  // a signed, b unsigned
// SPDX-License-Identifier: Apache-2.0
