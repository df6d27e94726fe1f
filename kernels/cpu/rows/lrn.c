// lrn.c - LRN of f32, f16 and bf16 with channels first: 256 pixels of all channels, 64 of halves, at a time,
// so that the neighbours' squares are summed from cache; powers 0.75 and 0.5 by roots.
#include "cpu/rows/lrn.h"
#include "nn/lrn.rule.h"
#include "window.rule.h"

enum {
  PIXELS = 256,     // at a time
  FEW_PIXELS = 64,  // the same of halves
  WIDEST = 1024,    // channels around one
};
typedef struct plan {
  weft__lrn p;
  size_t images;
  size_t channels;
  size_t spots;   // pixels of a channel
  size_t pixels;  // of a piece
  size_t pieces;  // of an image
  size_t per;     // pieces of a block
} plan;

const char *weft__lrn_read(const weft_tiling *t, weft__lrn *out) {
  const char *why = weft__rows_floats(t, 1);
  const char *format = weft_node_str(t->desc, WEFT_SLOT_LRN_DATA_FORMAT);
  if (why)
    return why;
  if (t->in[0]->origin.rank < 2)
    return "needs channels";
  if (!format || !*format)
    return "the format of x decides where the channels are";
  if (weft__channels_last(format))
    return "channels are last";
  if (weft_node_int(t->desc, WEFT_SLOT_LRN_SIZE) > WIDEST ||
      weft_node_int(t->desc, WEFT_SLOT_LRN_DEPTH_RADIUS) > WIDEST)
    return "a window of more than 1024 channels";
  const weft_lrn_rule r = weft__lrn_rule(t->desc);
  const weft__lrn_window window = {.before = r.before,
                                   .after = r.after,
                                   .alpha = (float)r.alpha,
                                   .beta = (float)r.beta,
                                   .bias = (float)r.bias};
  *out = (weft__lrn){.window = window,
                     .from = weft__store_of(t->in_dtype[0]),
                     .to = weft__store_of(t->out_dtype[0]),
                     .vec = weft__rows_find(t->host)};
  return NULL;
}

static const char *refuse_lrn(const weft_tiling *t) {
  weft__lrn p;
  return weft__lrn_read(t, &p);
}
static weft_status tile_lrn(weft_tiling *t) {
  plan *p = t->data;
  const weft_shape *s = &t->in[0]->origin;
  const char *no = weft__lrn_read(t, &p->p);
  if (no)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", no);
  p->images = (size_t)s->dim[0];
  p->channels = (size_t)s->dim[1];
  p->spots = weft__rows_prod(s, 2, s->rank);
  bool widens = p->p.from || p->p.to;
  p->pixels = widens ? FEW_PIXELS : PIXELS;
  p->pieces = (p->spots + p->pixels - 1) / p->pixels;
  if (!p->channels)
    p->images = 0;
  double each = (double)(p->channels * WEFT_MIN(p->spots, p->pixels)) *
                (0.3 + 0.05 * (double)(p->p.window.before + p->p.window.after));
  t->blocks = weft__rows_blocks(p->images * p->pieces, each + 10, &p->per);
  t->data_bytes = sizeof *p;
  if (widens)
    t->scratch_bytes = 2 * p->channels * p->pixels * sizeof(float);
  return WEFT_OK;
}

// n pixels from number `at` on, widened into the scratch and made there.
static void widened(const plan *p, const weft_block *b, size_t at, size_t n) {
  float *x = b->scratch;
  float *y = x + p->channels * n;
  for (size_t c = 0; c < p->channels; c++) {
    const float *row = weft__rows_load(p->p.vec, p->p.from, b->arg[0], at + c * p->spots, n, x + c * n);
    if (row != x + c * n)
      memcpy(x + c * n, row, n * sizeof *x);
  }
  p->p.vec->lrn(x, y, p->channels, n, n, &p->p.window);
  for (size_t c = 0; c < p->channels; c++) {
    if (!p->p.to)
      memcpy((float *)b->arg[1] + at + c * p->spots, y + c * n, n * sizeof *y);
    weft__rows_store(p->p.vec, p->p.to, b->arg[1], at + c * p->spots, n, y + c * n);
  }
}
static weft_status run_lrn(const weft_block *b) {
  const plan *p = b->data;
  size_t first = b->block * p->per;
  size_t last = WEFT_MIN(first + p->per, p->images * p->pieces);
  for (size_t i = first; i < last; i++) {
    size_t from = i % p->pieces * p->pixels;
    size_t at = i / p->pieces * p->channels * p->spots + from;
    const size_t n = WEFT_MIN(p->spots - from, p->pixels);
    const float *x = (const float *)b->arg[0] + at;
    float *y = (float *)b->arg[1] + at;
    if (p->p.from || p->p.to)
      widened(p, b, at, n);
    else
      p->p.vec->lrn(x, y, p->channels, p->spots, n, &p->p.window);
  }
  return WEFT_OK;
}
WEFT_ROWS_KERNEL(lrn, "LRN", "channels", 256);
// SPDX-License-Identifier: Apache-2.0
