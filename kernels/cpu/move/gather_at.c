// gather_at.c - GatherElements and GatherND: elements or slices at places that an index tensor names. Indices
// are checked a piece at a time, just before what they name moves: one outside fails the run.
#include "cpu/move/places.h"
#include "cpu/simd/vector_math.h"
#include "op_slots.h"

typedef struct plan {
  weft__places places;
  size_t bytes, per;  // of what a place names; places of a block
} plan;

static const char *gather_at_make(const weft_tiling *t, plan *p) {
  size_t slice = 1;
  memset(p, 0, sizeof *p);
  if (t->n_in != 2 || t->n_out != 1)
    return "inputs or outputs are missing";
  uint32_t bytes;
  const char *why = weft__rows_whole(t, 0, &bytes);
  if (why)
    return why;
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *index = &t->in[1]->origin;
  if (!strcmp(t->desc->type, "GatherNd")) {
    const weft__tuples of = {
        .data = x,
        .index = index,
        .batch = (size_t)weft_node_int(t->desc, WEFT_SLOT_GATHER_ND_BATCH_DIMS),
        .negative = weft_node_bool(t->desc, WEFT_SLOT_GATHER_ND_NEGATIVE_INDEX_SUPPORT),
        .type = t->in_dtype[1],
    };
    why = weft__places_tuples(t->host, &p->places, &of, &slice);
  } else {
    why = weft__places_elements(t->host, &p->places, x, index,
                                weft_node_int(t->desc, WEFT_SLOT_GATHER_ELEMENTS_DIM), t->in_dtype[1]);
  }
  p->bytes = slice * bytes;
  return why;
}
static const char *refuse_gather_at(const weft_tiling *t) {
  plan p;
  return gather_at_make(t, &p);
}
static weft_status tile_gather_at(weft_tiling *t) {
  plan *p = t->data;
  const char *why = gather_at_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  t->blocks = weft__rows_blocks(p->places.n, p->places.each + (double)p->bytes * 0.06, &p->per);
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

// What is moved at once may be wider than the elements, which is all that tensors are aligned to.
#define PICK_ALL(T)                                                    \
  do {                                                                 \
    const char *from = x;                                              \
    char *to = y;                                                      \
    WEFT_LOOP(size_t i = 0; i < n; i++)                                \
      memcpy(to + i * sizeof(T), from + at[i] * sizeof(T), sizeof(T)); \
  } while (0)
static void gather_at_pick(size_t bytes, const void *x, const size_t *at, size_t n, void *y) {
  if (bytes == 1)
    PICK_ALL(uint8_t);
  else if (bytes == 2)
    PICK_ALL(uint16_t);
  else if (bytes == 4)
    PICK_ALL(uint32_t);
  else if (bytes == 8)
    PICK_ALL(uint64_t);
  else {
    for (size_t i = 0; i < n; i++)
      memcpy((char *)y + i * bytes, (const char *)x + at[i] * bytes, bytes);
  }
}
static weft_status run_gather_at(const weft_block *b) {
  const plan *p = b->data;
  const size_t first = b->block * p->per;
  const size_t last = WEFT_MIN(first + p->per, p->places.n);
  size_t at[WEFT__PLACES_PIECE];
  for (size_t i = first, n; i < last; i += n) {
    n = WEFT_MIN(last - i, (size_t)WEFT__PLACES_PIECE);
    if (!weft__places_find(&p->places, b->arg[1], i, n, at))
      return WEFT_E_RANGE;
    gather_at_pick(p->bytes, b->arg[0], at, n, (char *)b->arg[2] + i * p->bytes);
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL_OF(gather_elements, "GatherElements", "gather-at", sizeof(plan), gather_at);
WEFT_ROWS_KERNEL_OF(gather_nd, "GatherNd", "gather-at", sizeof(plan), gather_at);
// SPDX-License-Identifier: Apache-2.0
