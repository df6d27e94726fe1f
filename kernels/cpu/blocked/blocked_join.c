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

static const char *blocked_join_read(const weft_tiling *t, plan *g) {
  const weft_region *r = t->region;
  memset(g, 0, sizeof *g);
  if (!r || !t->in_format || r->n_nodes != 1)
    return "is one operator, packed";
  const weft_op_desc *n = r->node[0].desc;
  bool with_axis = !strcmp(n->type, "ConcatV2");  // the axis is its last input
  if (!with_axis && strcmp(n->type, "ConcatD"))
    return "is another operator";
  int64_t axis = 0;
  g->n = n->n_in - with_axis;
  if (!g->n || g->n > MOST)
    return "joins none, or more than 32";
  if (with_axis) {
    if (r->node[0].in[g->n] >= 0 || weft__rows_ints(t, (uint32_t)(-1 - r->node[0].in[g->n]), &axis, 1) != 1)
      return "needs a constant axis";
  } else {
    axis = weft_node_int(n, WEFT_SLOT_CONCAT_D_CONCAT_DIM);
  }
  const weft_shape *y = &t->out[0]->origin;
  if (y->rank != 4 || !weft_shape_is_known(y) || !weft__is_blocked(t->out_format[0]))
    return "makes NC1HWC0";
  if (axis != 1 && axis != -3)
    return "needs the axis of channels";
  for (size_t i = 0; i < g->n; i++) {
    g->arg[i] = (uint32_t)(-1 - r->node[0].in[i]);
    const weft_shape *x = &t->in[g->arg[i]]->origin;
    uint32_t bits = weft_dtype_bits(t->in_dtype[g->arg[i]]);
    if (!weft__is_blocked(t->in_format[g->arg[i]]) || (bits != 16 && bits != 32))
      return "needs NC1HWC0 of 16 or 32 bits";
    if (!weft_shape_is_known(x) || x->rank != 4)
      return "needs known shapes of rank 4";
    if (i + 1 < g->n && x->dim[1] % WEFT__C0)
      return "needs channels in multiples of 16";
    g->bytes[i] = weft__blocked_image((size_t)x->dim[1], (size_t)(x->dim[2] * x->dim[3])) * (bits / 8);
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
