// blocked_conv_read.c - see blocked_conv.h.
#include "cpu/blocked/blocked_conv.h"

#include "op/infer_node.h"

// What a packed kernel can add: a number a channel, one number, or a tensor like the output.
static const char *operands(const weft_tiling *t, const weft__epilogue *e) {
  for (uint32_t k = 0; k < e->n; k++) {
    const weft__step *s = &e->step[k];
    if (s->kind != WEFT__STEP_ADD)
      continue;
    if (s->by_col ? !s->by_row || !weft__is_blocked(t->in_format[s->arg]) : s->by_batch != 0)
      return "adds a tensor that is neither a number a channel nor packed like the output";
  }
  return NULL;
}

const char *weft__blocked_conv_read(const weft_tiling *t, weft__blocked_conv *out) {
  memset(out, 0, sizeof *out);
  if (!t->in_format || !t->out_format || t->n_out != 1 || !weft__is_blocked(t->out_format[0]))
    return "makes NC1HWC0 with C0 = 16";
  const char *no = weft__conv_read(t, &out->p, &out->c, &out->e);
  if (no)
    return no;
  int64_t x = out->p.arg[0];
  int64_t w = out->p.arg[1];
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (weft__format_packed(t->in_format[i]) && !weft__is_blocked(t->in_format[i]))
      return "needs NC1HWC0 with C0 = 16";
  }
  if (!t->value[w] || w >= (int64_t)WEFT_COUNT(t->pack_bytes))
    return "needs constant filters";
  out->from_plain = !weft__format_packed(t->in_format[x]);
  if (!weft__product_known(t))
    return NULL;
  const weft__conv_shape *c = &out->c;
  if (t->in[x]->origin.rank != 4)
    return "needs two spatial axes";
  if (c->in_size > UINT32_MAX / 64 / WEFT_MAX(c->inputs * c->groups, 1) ||
      c->out_size > UINT32_MAX / 64 / WEFT_MAX(c->outputs * c->groups, 1))
    return "an image of more than 2^26 numbers";
  return operands(t, &out->e);
}

float weft__blocked_conv_exact(const weft__blocked_conv *b, const float *x, size_t place,
                               float (*filter)(const void *ctx, size_t channel, size_t i, size_t t),
                               const void *ctx, size_t channel) {
  const weft__conv_shape *c = &b->c;
  size_t first = channel / c->outputs * c->inputs;
  size_t oy = place / c->out[2];
  size_t ox = place % c->out[2];
  double sum = 0;
  for (size_t i = 0; i < c->inputs; i++) {
    for (size_t ky = 0; ky < c->kernel[1]; ky++) {
      for (size_t kx = 0; kx < c->kernel[2]; kx++) {
        int64_t iy = (int64_t)(oy * c->stride[1] + ky * c->dilation[1]) - c->begin[1];
        int64_t ix = (int64_t)(ox * c->stride[2] + kx * c->dilation[2]) - c->begin[2];
        if (iy < 0 || ix < 0 || iy >= (int64_t)c->in[1] || ix >= (int64_t)c->in[2])
          continue;
        size_t at = (size_t)iy * c->in[2] + (size_t)ix;
        size_t of = first + i;
        float v = b->from_plain ? x[of * c->in_size + at]
                                : x[(of / WEFT__C0 * c->in_size + at) * WEFT__C0 + of % WEFT__C0];
        sum += (double)v * (double)filter(ctx, channel, i, ky * c->kernel[2] + kx);
      }
    }
  }
  return (float)sum;
}
// SPDX-License-Identifier: Apache-2.0
