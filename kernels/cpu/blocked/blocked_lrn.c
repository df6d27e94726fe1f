// blocked_lrn.c - LRN of float in NC1HWC0: 64 places of all channels at a time are turned round in the cache,
// computed as plain rows are (lrn.c), and turned back.
#include "cpu/move/move_ops.h"
#include "cpu/blocked/blocked.h"
#include "cpu/rows/lrn.h"

enum { PIXELS = 64 };

typedef struct plan {
  weft__lrn p;
  const weft__move_ops *move;
  size_t images;
  size_t channels;
  size_t places;  // of a channel
  size_t pieces;  // of an image, PIXELS places each
  size_t blocks;  // of WEFT__C0 channels
  size_t per;     // pieces of a task
} plan;

static const char *blocked_lrn_read(const weft_tiling *t, plan *g) {
  weft__unpacked u;
  memset(g, 0, sizeof *g);
  const char *no = weft__unpack(t, "LRN", 1, &u);
  if (!no)
    no = weft__lrn_read(&u.t, &g->p);
  if (no)
    return no;
  if (g->p.from || g->p.to)
    return "needs f32";
  if (!weft__is_blocked(t->out_format[0]))
    return "makes NC1HWC0";
  const weft_dim *d = t->in[0]->origin.dim;
  g->move = weft__move_find(t->host);
  g->images = (size_t)d[0];
  g->channels = (size_t)d[1];
  g->places = (size_t)d[2] * (size_t)d[3];
  g->pieces = (g->places + PIXELS - 1) / PIXELS;
  g->blocks = (g->channels + WEFT__C0 - 1) / WEFT__C0;
  return NULL;
}

static const char *blocked_lrn_refuse(const weft_tiling *t) {
  plan g;
  return blocked_lrn_read(t, &g);
}

static double piece_ns(const plan *g) {
  return (double)(g->channels * PIXELS) * (0.6 + 0.05 * (double)(g->p.window.before + g->p.window.after));
}

static double blocked_lrn_cost(const weft_tiling *t) {
  plan g;
  return blocked_lrn_read(t, &g) ? 1e30 : 300 + (double)(g.images * g.pieces) * piece_ns(&g);
}

static weft_status blocked_lrn_tile(weft_tiling *t) {
  plan *g = t->data;
  const char *no = blocked_lrn_read(t, g);
  if (no)
    return t->host->fail(t->d, WEFT_E_KERNEL, "blocked-lrn: %s", no);
  t->data_bytes = sizeof *g;
  t->scratch_bytes = 2 * g->channels * PIXELS * sizeof(float);
  t->blocks = weft__rows_blocks(g->images * g->pieces, piece_ns(g), &g->per);
  return WEFT_OK;
}

static weft_status blocked_lrn_run(const weft_block *b) {
  const plan *g = b->data;
  size_t first = b->block * g->per;
  size_t image = g->blocks * g->places * WEFT__C0;
  float *x = b->scratch;
  float *y = x + g->channels * PIXELS;
  for (size_t i = first; i < WEFT_MIN(first + g->per, g->images * g->pieces); i++) {
    size_t place = i % g->pieces * PIXELS;
    size_t n = WEFT_MIN(PIXELS, g->places - place);
    size_t at = i / g->pieces * image + place * WEFT__C0;
    for (size_t c = 0; c < g->channels; c += WEFT__C0) {
      g->move->transpose((const uint32_t *)b->arg[0] + at + c * g->places, WEFT__C0,
                         (uint32_t *)(x + c * PIXELS), PIXELS, n, WEFT_MIN(WEFT__C0, g->channels - c));
    }
    g->p.vec->lrn(x, y, g->channels, PIXELS, n, &g->p.window);
    for (size_t c = 0; c < g->channels; c += WEFT__C0) {
      uint32_t *to = (uint32_t *)b->arg[1] + at + c * g->places;
      if (g->channels - c < WEFT__C0)
        memset(to, 0, n * WEFT__C0 * sizeof *to);
      g->move->transpose((const uint32_t *)(y + c * PIXELS), PIXELS, to, WEFT__C0,
                         WEFT_MIN(WEFT__C0, g->channels - c), n);
    }
  }
  return WEFT_OK;
}

WEFT__BLOCKED_REGION_KERNEL(blocked_lrn, blocked_lrn, "Fused", "blocked-lrn");
// SPDX-License-Identifier: Apache-2.0
