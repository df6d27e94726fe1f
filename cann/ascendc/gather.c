// gather.c - elements by place. Every place is checked before it is read or written.
#include <string.h>

#include "base/base.h"
#include "spans.h"

enum { BLOCK = 32, REPEAT = 256 };

void weft_asc_brcb_run(const weft_asc_brcb *b, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("Brcb", at);
  if (!core)
    return;
  asc_local_read(core, b->src, (uint64_t)b->repeats * 8 * b->element, "Brcb: src", at);
  for (uint32_t repeat = 0; repeat < b->repeats; repeat++) {
    for (uint32_t i = 0; i < 8; i++) {
      const uint8_t *from = (const uint8_t *)b->src + (size_t)(repeat * 8 + i) * b->element;
      uint8_t *to = (uint8_t *)b->dst + ((size_t)repeat * b->repeat + (size_t)i * b->block) * BLOCK;
      asc_local_write(core, to, BLOCK, "Brcb: dst", at);
      for (uint32_t k = 0; k < BLOCK; k += b->element)
        memcpy(to + k, from, b->element);
    }
  }
}

void weft_asc_gather_blocks_run(const weft_asc_gather_blocks *g, weft_asc_at at) {
  enum { BLOCKS = 8 };
  weft_asc_core *core = asc_core_for("Gatherb", at);
  if (!core)
    return;
  asc_local_read(core, g->offset, (uint64_t)g->repeats * BLOCKS * sizeof *g->offset, "Gatherb: offsets", at);
  for (uint32_t i = 0; i < g->repeats * BLOCKS; i++) {
    const uint64_t place = (uint64_t)(i / BLOCKS) * g->repeat + (uint64_t)(i % BLOCKS) * g->block;
    const uint8_t *from = (const uint8_t *)g->src + g->offset[i];
    uint8_t *to = (uint8_t *)g->dst + place * BLOCK;
    asc_local_read(core, from, BLOCK, "Gatherb: src", at);
    asc_local_write(core, to, BLOCK, "Gatherb: dst", at);
    memmove(to, from, BLOCK);
  }
}

// One element: `place` is its byte in what is looked up, `flat` the address of the other side.
static void gather_one(weft_asc_core *core, const weft_asc_gather *g, uint64_t place, uint8_t *flat,
                       weft_asc_at at) {
  uint8_t *there = (uint8_t *)(uintptr_t)(g->scatter ? g->dst : g->src) + g->base + place;
  if (g->scatter) {
    asc_local_write(core, there, g->element, "Scatter: dst", at);
    memcpy(there, flat, g->element);
    return;
  }
  asc_local_read(core, there, g->element, "Gather: src", at);
  memcpy(flat, there, g->element);
}

static void gather_flat(weft_asc_core *core, const weft_asc_gather *g, const void *flat, uint64_t bytes,
                        weft_asc_at at) {
  if (g->scatter)
    asc_local_read(core, flat, bytes, "Scatter: src", at);
  else
    asc_local_write(core, flat, bytes, "Gather: dst", at);
}

static void gather_repeats(weft_asc_core *core, const weft_asc_gather *g, uint8_t *flat, weft_asc_at at) {
  const uint32_t per_repeat = REPEAT / g->element;
  asc_local_read(core, g->offset, (uint64_t)per_repeat * g->repeats * sizeof *g->offset, "Gather: offsets",
                 at);
  for (uint32_t repeat = 0; repeat < g->repeats; repeat++) {
    uint8_t *row = flat + (size_t)repeat * g->stride * BLOCK;
    for (uint32_t i = 0; i < per_repeat; i++) {
      if (!(g->mask[i / 64 & 1] >> (i % 64) & 1))
        continue;
      gather_flat(core, g, row + (size_t)i * g->element, g->element, at);
      gather_one(core, g, g->offset[repeat * per_repeat + i], row + (size_t)i * g->element, at);
    }
  }
}

void weft_asc_gather_run(const weft_asc_gather *g, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("Gather", at);
  if (!core)
    return;
  uint8_t *flat = (uint8_t *)(uintptr_t)(g->scatter ? g->src : g->dst);
  if (g->repeats) {
    gather_repeats(core, g, flat, at);
    return;
  }
  asc_local_read(core, g->offset, (uint64_t)g->count * sizeof *g->offset, "Gather: offsets", at);
  gather_flat(core, g, flat, (uint64_t)g->count * g->element, at);
  for (uint32_t i = 0; i < g->count; i++)
    gather_one(core, g, g->offset[i], flat + (size_t)i * g->element, at);
}

void weft_asc_strided_run(const weft_asc_strided *s, weft_asc_at at) {
  weft_asc_core *core = asc_core_for(s->name, at);
  for (uint32_t i = 0; core && i < s->count; i++) {
    const uint8_t *from = (const uint8_t *)s->src + (size_t)i * s->src_step;
    uint8_t *to = (uint8_t *)s->dst + (size_t)i * s->dst_step;
    asc_local_read(core, from, s->piece, "src", at);
    asc_local_write(core, to, s->piece, "dst", at);
    memmove(to, from, s->piece);
  }
}

// ---- packing ----

// Patterns 1 and 2: every other; 3 to 6: every fourth; 7: all.
static bool pattern_takes(uint32_t pattern, uint32_t i) {
  if (pattern <= 2)
    return i % 2 == pattern - 1;
  return pattern >= 7 || i % 4 == pattern - 3;
}

static bool mask_takes(weft_asc_core *core, const weft_asc_gather_mask *g, uint32_t repeat, uint32_t i,
                       weft_asc_at at) {
  if (!g->bits)
    return pattern_takes(g->pattern, i);
  const uint8_t *byte = (const uint8_t *)g->bits + (size_t)repeat * g->bits_repeat * BLOCK + i / 8;
  if (i % 8 == 0)
    asc_local_read(core, byte, 1, "GatherMask: bits", at);
  return *byte >> (i % 8) & 1;
}

uint64_t weft_asc_gather_mask_run(const weft_asc_gather_mask *g, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("GatherMask", at);
  if (!core)
    return 0;
  const uint32_t per_block = BLOCK / g->element;
  const uint32_t per_repeat = g->count ? g->count : REPEAT / g->element;
  uint8_t *to = g->dst;
  uint64_t taken = 0;
  for (uint32_t repeat = 0; repeat < g->repeats; repeat++) {
    for (uint32_t i = 0; i < per_repeat; i++) {
      if (!mask_takes(core, g, repeat, i, at))
        continue;
      const size_t blocks = (size_t)repeat * g->repeat + (size_t)(i / per_block) * g->block;
      const uint8_t *from = (const uint8_t *)g->src + blocks * BLOCK + (size_t)(i % per_block) * g->element;
      asc_local_read(core, from, g->element, "GatherMask: src", at);
      asc_local_write(core, to, g->element, "GatherMask: dst", at);
      memmove(to, from, g->element);
      to += g->element;
      taken++;
    }
  }
  core->gathered = taken;
  return taken;
}

// ---- interleaving, 16 rows ----

static uint8_t *interleave_place(const weft_asc_interleave *v, uint32_t i, bool of_sources) {
  const void *first = of_sources ? v->src0 : v->dst0;
  const void *second = of_sources ? v->src1 : v->dst1;
  const void *half = i < v->count ? first : second;
  return (uint8_t *)(uintptr_t)half + (size_t)(i % v->count) * v->element;
}

void weft_asc_interleave_run(const weft_asc_interleave *v, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("Interleave", at);
  const uint64_t bytes = (uint64_t)v->count * v->element;
  uint8_t piece[4096];
  if (!core || !v->count)
    return;
  asc_local_read(core, v->src0, bytes, "Interleave: src0", at);
  asc_local_read(core, v->src1, bytes, "Interleave: src1", at);
  asc_local_write(core, v->dst0, bytes, "Interleave: dst0", at);
  asc_local_write(core, v->dst1, bytes, "Interleave: dst1", at);
  if (2 * bytes > sizeof piece && (v->dst0 == v->src0 || v->dst1 == v->src1)) {
    weft_asc_fail(at, "Interleave: more than %zu bytes in place", sizeof piece / 2);
    return;
  }
  const bool in_place = 2 * bytes <= sizeof piece;
  for (uint32_t i = 0; i < 2 * v->count; i++) {
    const uint32_t other =
        v->apart ? (i < v->count ? 2 * i : 2 * (i - v->count) + 1) : i / 2 + (i % 2) * v->count;
    const uint8_t *from = interleave_place(v, other, true);
    memcpy(in_place ? piece + (size_t)i * v->element : interleave_place(v, i, false), from, v->element);
  }
  for (uint32_t i = 0; in_place && i < 2 * v->count; i++)
    memcpy(interleave_place(v, i, false), piece + (size_t)i * v->element, v->element);
}

// Of bytes, 16 of the 32 in a row are used, from its high or low half.
static void rows16_once(const weft_asc_rows16 *r, size_t to_bytes, size_t from_bytes) {
  uint8_t piece[16 * BLOCK];
  const uint32_t columns = WEFT_MIN(BLOCK / r->element, 16u);
  const bool bytes = r->element == 1;
  const size_t from_half = bytes && r->src_high ? 16 : 0;
  const size_t to_half = bytes && r->dst_high ? 16 : 0;
  for (uint32_t row = 0; row < 16; row++)
    memcpy(piece + (size_t)row * columns * r->element,
           (const uint8_t *)(uintptr_t)r->src[row] + from_bytes + from_half, columns * r->element);
  for (uint32_t column = 0; column < columns; column++) {
    for (uint32_t row = 0; row < 16; row++) {
      // 32 bits: the 8 columns of 16 rows are 16 halves of rows
      const uint32_t target = r->element == 4 ? 2 * column + row / 8 : column;
      const uint32_t place = r->element == 4 ? row % 8 : row;
      memcpy((uint8_t *)(uintptr_t)r->dst[target] + to_bytes + to_half + (size_t)place * r->element,
             piece + ((size_t)row * columns + column) * r->element, r->element);
    }
  }
}

void weft_asc_rows16_run(const weft_asc_rows16 *r, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("TransDataTo5HD", at);
  if (!core)
    return;
  for (uint32_t repeat = 0; repeat < r->repeats; repeat++) {
    const size_t from = (size_t)repeat * r->src_repeat * BLOCK;
    const size_t to = (size_t)repeat * r->dst_repeat * BLOCK;
    for (int row = 0; row < 16; row++) {
      asc_local_read(core, (const uint8_t *)(uintptr_t)r->src[row] + from, BLOCK,
                     "TransDataTo5HD: a source row", at);
      asc_local_write(core, (const uint8_t *)(uintptr_t)r->dst[row] + to, BLOCK,
                      "TransDataTo5HD: a target row", at);
    }
    rows16_once(r, to, from);
  }
}
// SPDX-License-Identifier: Apache-2.0
