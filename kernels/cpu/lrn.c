// lrn.c - LRN of f32 with channels first: 256 pixels of all channels at a time, so that the neighbours'
// squares are summed from cache; powers 0.75 and 0.5 by roots.
#include "cpu/rows.h"

enum { PIXELS = 256 };
typedef struct plan {
  size_t images, channels, spots, pieces, per, before, after;
  float alpha, beta, bias;
  const weft__vec *vec;
} plan;

static const char *refuse_lrn(const weft_tiling *t) {
  const char *why = weft__rows_f32(t, 1), *format = weft_node_str(t->desc, 6);
  if (why) return why;
  if (t->in[0]->origin.rank < 2) return "needs channels";
  if (!format || !*format) return "the format of x decides where the channels are";
  return weft__rows_channels_last(format) ? "channels are last" : NULL;
}
static weft_status tile_lrn(weft_tiling *t) {
  plan *p = t->data;
  const weft_shape *s = &t->in[0]->origin;
  size_t radius = (size_t)weft_node_int(t->desc, 0), size = (size_t)weft_node_int(t->desc, 5);
  double alpha = (double)weft_node_float(t->desc, 2);
  *p = (plan){.images = (size_t)s->dim[0],
              .channels = (size_t)s->dim[1],
              .spots = weft__rows_prod(s, 2, s->rank),
              .before = size ? (size - 1) / 2 : radius,
              .after = size ? size / 2 : radius,
              .alpha = (float)(size ? alpha / (double)size : alpha),
              .beta = weft_node_float(t->desc, 3),
              .bias = weft_node_float(t->desc, 1),
              .vec = weft__vec_find()};
  p->pieces = (p->spots + PIXELS - 1) / PIXELS;
  if (!p->channels) p->images = 0;
  double each =
      (double)(p->channels * WEFT_MIN(p->spots, PIXELS)) * (0.3 + 0.05 * (double)(p->before + p->after));
  t->blocks = weft__rows_blocks(p->images * p->pieces, each + 10, &p->per);
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}
static weft_status run_lrn(const weft_block *b) {
  const plan *p = b->data;
  size_t first = b->block * p->per, last = WEFT_MIN(first + p->per, p->images * p->pieces);
  for (size_t i = first; i < last; i++) {
    size_t from = i % p->pieces * PIXELS, at = i / p->pieces * p->channels * p->spots + from;
    p->vec->lrn((const float *)b->arg[0] + at, (float *)b->arg[1] + at, p->channels, p->spots,
                WEFT_MIN(p->spots - from, PIXELS), p->before, p->after, p->alpha, p->beta, p->bias);
  }
  return WEFT_OK;
}
WEFT_ROWS_KERNEL(lrn, "LRN", "channels", 256);
