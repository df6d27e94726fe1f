// blocked_conv_read.c - see blocked_conv.h.
#include "cpu/blocked/blocked_conv.h"

#include "op/infer_node.h"

// What a packed kernel can add: a number a channel, one number, or a tensor like the output.
static bool is_addable(const weft_tiling *t, const weft__step *s) {
  if (!s->by_col)
    return s->by_batch == 0;
  return s->by_row && weft__is_blocked(t->in_format[s->arg]);
}

static const char *operands(const weft_tiling *t, const weft__epilogue *e) {
  for (uint32_t k = 0; k < e->n; k++) {
    const weft__step *s = &e->step[k];
    if (s->kind == WEFT__STEP_ADD && !is_addable(t, s))
      return "adds a tensor that is neither a number a channel nor packed like the output";
  }
  return NULL;
}

static bool makes_blocked(const weft_tiling *t) {
  const bool formats = t->in_format && t->out_format;
  return formats && t->n_out == 1 && weft__is_blocked(t->out_format[0]);
}

// Is each input plain, or packed as this room packs?
static bool takes_formats(const weft_tiling *t) {
  for (uint32_t i = 0; i < t->n_in; i++) {
    const weft_format f = t->in_format[i];
    if (weft__format_packed(f) && !weft__is_blocked(f))
      return false;
  }
  return true;
}

const char *weft__blocked_conv_read(const weft_tiling *t, weft__blocked_conv *out) {
  memset(out, 0, sizeof *out);
  if (!makes_blocked(t))
    return "makes NC1HWC0 with C0 = 16";
  const char *no = weft__conv_read(t, &out->p, &out->c, &out->e);
  if (no)
    return no;
  int64_t x = out->p.arg[0];
  int64_t w = out->p.arg[1];
  if (!takes_formats(t))
    return "needs NC1HWC0 with C0 = 16";
  if (!weft__product_may_pack(t, w))
    return "needs constant filters";
  out->from_plain = !weft__format_packed(t->in_format[x]);
  if (!weft__product_known(t))
    return NULL;
  const weft__conv_shape *c = &out->c;
  if (t->in[x]->origin.rank != 4)
    return "needs two spatial axes";
  if (weft__conv_is_large(c))
    return "an image of more than 2^26 numbers";
  return operands(t, &out->e);
}

const char *weft__blocked_conv_refuse_sizes(const weft__conv_shape *c) {
  const bool whole_blocks = c->inputs % WEFT__C0 == 0 && c->outputs % WEFT__C0 == 0;
  if (c->groups > 1 && !whole_blocks)
    return "has groups that are no multiples of 16 channels";
  return weft__conv_is_empty(c) ? "has nothing to compute" : NULL;
}

float weft__blocked_conv_exact(const weft__blocked_conv *b, const float *x, size_t place,
                               float (*filter)(const void *ctx, size_t channel, size_t i, size_t t),
                               const void *ctx, size_t channel) {
  const weft__conv_shape *c = &b->c;
  const size_t out[3] = {0, place / c->out[2], place % c->out[2]};
  size_t first = channel / c->outputs * c->inputs;
  double sum = 0;
  for (size_t i = first; i < first + c->inputs; i++) {
    for (size_t t = 0; t < c->taps; t++) {
      size_t at;
      if (!weft__conv_tap_at(c, out, t, &at))
        continue;
      size_t packed = (i / WEFT__C0 * c->in_size + at) * WEFT__C0 + i % WEFT__C0;
      float v = x[b->from_plain ? i * c->in_size + at : packed];
      sum += (double)v * (double)filter(ctx, channel, i - first, t);
    }
  }
  return (float)sum;
}
// SPDX-License-Identifier: Apache-2.0
