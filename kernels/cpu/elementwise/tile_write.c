// tile_write.c - the record of a region whose steps are known: how large its tiles are, how many blocks share
// them, and which inputs the output may lie over.
#include "cpu/elementwise/tile_builder.h"

enum {
  MOST_ELEMENTS = 1024,  // of a tile
  LEAST_ELEMENTS = 64,
  MOST_BLOCKS = 64,
  BLOCK_NS = 15000,
  CACHED_ELEMENTS = 65536,  // tensors of more are read from memory
};

// Is an input neither full nor a single number?
static bool runs_partly(const weft__tile_builder *b, const weft__tile_input *in) {
  if (in->mode == WEFT__TILE_FULL)
    return false;
  for (uint32_t k = 0; k < b->axes; k++) {
    if (in->stride[k])
      return true;
  }
  return false;
}

static bool is_simple(const weft__tile_builder *b) {
  if (b->n_ins != 1 || b->n_slots)
    return false;
  for (uint32_t i = 0; i < b->tiling->n_in; i++) {
    if (runs_partly(b, &b->input[i]))
      return false;
  }
  return true;
}

double weft__tile_ns(const weft__tile_builder *b) {
  double bytes = 0;
  for (uint32_t i = 0; i < b->tiling->n_in; i++)
    bytes += b->input[i].mode == WEFT__TILE_FULL ? b->input[i].bytes : 0;
  for (uint32_t i = 0; i < b->tiling->n_out; i++)
    bytes += weft__tile_kind_bytes(b->op[b->region->out[i]].kind);
  double memory = (double)b->n * bytes * (b->n > CACHED_ELEMENTS ? 0.04 : 0.01);
  return memory + (double)b->n * b->cost;
}

// Bytes of an element of a slot.
static size_t element_bytes(const weft__tile_builder *b) {
  bool wide = false;
  for (uint32_t k = 0; k < b->region->n_nodes; k++)
    wide |= weft__tile_kind_bytes(b->op[k].kind) == 8;
  for (uint32_t i = 0; i < b->tiling->n_in; i++)
    wide |= b->input[i].bytes == 8;
  return wide ? 8 : 4;
}

static void cut_tiles(const weft__tile_builder *b, weft__tile *t) {
  const size_t bytes = element_bytes(b);
  const size_t room = WEFT__TILE_STACK / WEFT_MAX(b->n_slots, 1) / bytes;
  const size_t whole = room & ~(size_t)(LEAST_ELEMENTS - 1);
  t->tile = WEFT_MAX(WEFT_MIN(whole, MOST_ELEMENTS), LEAST_ELEMENTS);
  t->slot_bytes = t->tile * bytes;
}

static void cut_blocks(const weft__tile_builder *b, weft__tile *t) {
  const double ns = weft__tile_ns(b);
  const double wanted = WEFT_MIN(ns / BLOCK_NS, MOST_BLOCKS);
  const size_t blocks = ns < 2 * BLOCK_NS ? 1 : (size_t)wanted;
  const size_t per = (b->n + blocks - 1) / blocks;
  const size_t tiles = (per + t->tile - 1) / t->tile;
  t->per_block = WEFT_MAX(tiles, 1) * t->tile;
  const size_t used = (b->n + t->per_block - 1) / t->per_block;
  t->blocks = (uint32_t)WEFT_MAX(used, 1);
}

void weft__tile_write(const weft__tile_builder *b, weft__tile *t) {
  const weft_tiling *g = b->tiling;
  *t = (weft__tile){.n_in = (uint16_t)g->n_in,
                    .n_out = (uint16_t)g->n_out,
                    .n_ins = (uint16_t)b->n_ins,
                    .n_slots = (uint16_t)b->n_slots,
                    .axes = (uint16_t)b->axes,
                    .rows = b->rows,
                    .simple = is_simple(b),
                    .n = b->n};
  for (uint32_t i = 0; i < g->n_out; i++) {
    const weft__tile_value *v = &b->op[b->region->out[i]];
    t->out_bytes[i] = weft__tile_is_half(v->dtype) ? 2 : weft__tile_kind_bytes(v->kind);
  }
  cut_tiles(b, t);
  cut_blocks(b, t);
  memcpy(t->dim, b->dim, sizeof t->dim);
  memcpy(weft__tile_inputs(t), b->input, g->n_in * sizeof(weft__tile_input));
  memcpy(weft__tile_instructions(t), b->ins, b->n_ins * sizeof(weft__tile_ins));
}

// Output 0 may lie over inputs of its shape: a tile is read before it is written, as the output comes last.
uint32_t weft__tile_overwrites(const weft__tile_builder *b) {
  const int32_t last = (int32_t)b->region->n_nodes - 1;
  uint32_t bits = 0;
  if (b->tiling->n_out != 1 || b->region->out[0] != last)
    return 0;
  for (uint32_t i = 0; i < b->tiling->n_in; i++)
    bits |= (uint32_t)(b->input[i].mode == WEFT__TILE_FULL) << i;

  const weft_region_node *n = &b->region->node[last];
  if (strcmp(n->desc->type, "AddN") != 0)
    return bits;
  // Its later inputs are read after the first ones are summed up there.
  for (uint32_t i = 2; i < n->desc->n_in; i++) {
    if (n->in[i] < 0)
      bits &= ~(1u << (-1 - n->in[i]));
  }
  return bits;
}
// SPDX-License-Identifier: Apache-2.0
