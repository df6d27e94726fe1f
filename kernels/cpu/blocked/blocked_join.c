// blocked_join.c - ConcatD and ConcatV2 of NC1HWC0 tensors of 16 or 32 bits along channels: blocks of
// channels one after the other, when all inputs but the last fill theirs.
#include "cpu/blocked/blocked.h"
#include "cpu/rows/rows.h"
#include "op_slots.h"

enum { MOST = 32 };

typedef struct plan {
  size_t images, n, image, per;  // image: bytes of one
  uint32_t y_arg;
  size_t bytes[MOST];  // of an image of each input
  uint32_t arg[MOST];
} plan;

// Of how many inputs, and along which axis? ConcatV2 has the axis as its last input.
static const char *read_operator(const weft_tiling *t, const weft_region_node *n, size_t *out_n,
                                 int64_t *out_axis) {
  const bool with_axis = !strcmp(n->desc->type, "ConcatV2");
  if (!with_axis && strcmp(n->desc->type, "ConcatD"))
    return "is another operator";
  *out_n = n->desc->n_in - with_axis;
  if (!*out_n || *out_n > MOST)
    return "joins none, or more than 32";
  if (!with_axis) {
    *out_axis = weft_node_int(n->desc, WEFT_SLOT_CONCAT_D_CONCAT_DIM);
    return NULL;
  }
  const int32_t in = n->in[*out_n];
  const bool known = in < 0 && weft__rows_ints(t, (uint32_t)(-1 - in), out_axis, 1) == 1;
  return known ? NULL : "needs a constant axis";
}

// The bytes of an image of argument `arg`.
static const char *read_input(const weft_tiling *t, uint32_t arg, bool last, size_t *out_bytes) {
  const weft_shape *x = &t->in[arg]->origin;
  const uint32_t bits = weft_dtype_bits(t->in_dtype[arg]);
  const bool taken = bits == 16 || bits == 32;
  if (!taken || !weft__is_blocked(t->in_format[arg]))
    return "needs NC1HWC0 of 16 or 32 bits";
  if (!weft_shape_is_known(x) || x->rank != 4)
    return "needs known shapes of rank 4";
  if (!last && x->dim[1] % WEFT__C0)
    return "needs channels in multiples of 16";
  *out_bytes = weft__blocked_image((size_t)x->dim[1], (size_t)x->dim[2] * (size_t)x->dim[3]) * (bits / 8);
  return NULL;
}

static const char *blocked_join_read(const weft_tiling *t, plan *g) {
  const weft_region *r = t->region;
  int64_t axis;
  memset(g, 0, sizeof *g);
  if (!r || !t->in_format || r->n_nodes != 1)
    return "is one operator, packed";
  const char *no = read_operator(t, &r->node[0], &g->n, &axis);
  if (no)
    return no;
  const weft_shape *y = &t->out[0]->origin;
  if (y->rank != 4 || !weft_shape_is_known(y) || !weft__is_blocked(t->out_format[0]))
    return "makes NC1HWC0";
  if (axis != 1 && axis != -3)
    return "needs the axis of channels";
  for (size_t i = 0; i < g->n; i++) {
    g->arg[i] = (uint32_t)(-1 - r->node[0].in[i]);
    no = read_input(t, g->arg[i], i + 1 == g->n, &g->bytes[i]);
    if (no)
      return no;
    g->image += g->bytes[i];
  }
  g->images = (size_t)y->dim[0];
  return NULL;
}

static const char *blocked_join_refuse(const weft_tiling *t) {
  plan g;
  return blocked_join_read(t, &g);
}

static double blocked_join_cost(const weft_tiling *t) {
  plan g;
  if (blocked_join_read(t, &g))
    return 1e30;
  return g.images == 1 ? 100 : 300 + (double)g.images * (double)g.image * 2 / 20;  // one image: made in place
}

static weft_status blocked_join_tile(weft_tiling *t) {
  plan *g = t->data;
  const char *no = blocked_join_read(t, g);
  if (no)
    return t->host->fail(t->d, WEFT_E_KERNEL, "blocked-join: %s", no);
  t->data_bytes = sizeof *g;
  g->y_arg = t->n_in;
  t->blocks = weft__rows_blocks(g->images * g->n, (double)g->image / (double)g->n / 10, &g->per);
  return WEFT_OK;
}

static weft_status blocked_join_run(const weft_block *b) {
  const plan *g = b->data;
  size_t first = b->block * g->per;
  for (size_t i = first; i < WEFT_MIN(first + g->per, g->images * g->n); i++) {
    size_t image = i / g->n;
    size_t k = i % g->n;
    size_t at = image * g->image;
    for (size_t j = 0; j < k; j++)
      at += g->bytes[j];
    memcpy((char *)b->arg[g->y_arg] + at, (const char *)b->arg[g->arg[k]] + image * g->bytes[k], g->bytes[k]);
  }
  return WEFT_OK;
}

WEFT__BLOCKED_REGION_KERNEL(blocked_join, blocked_join, "Fused", "blocked-join");
// SPDX-License-Identifier: Apache-2.0
