// quant_lanes.c - see quant_lanes.h. Channels that fill up the last quad hold the zero point, as padding
// does.
#include "cpu/quant/quant_lanes.h"
#include "quant_sum.rule.h"

enum { FILL = 1024 };

// Is the zero point of x known to be 0 in lanes? Then padding is zeros, which gathering gives.
static bool zero_is_zero(const weft_tiling *t, const weft__quant_sum *s) {
  int64_t at = s->arg[WEFT__SUM_X_ZERO];
  int32_t want = -weft__quant_move(s, s->x_signed);
  if (at < 0)
    return want == 0;
  const weft_tensor *v = t->value[at];
  return v && v->data && weft__quant_byte(v->data, 0, s->x_signed) == want;
}

// The shape with its channels in quads and its padding in the input.
static bool to_lanes(weft__quant_input *g, bool zeros) {
  weft__conv_shape *c = &g->c;
  g->channels = c->inputs;
  c->inputs = (c->inputs + 3) / 4;
  for (size_t i = 0; i < 3; i++) {
    g->inside[i] = c->in[i];
    g->before[i] = 0;
  }
  if (zeros)
    return true;
  for (size_t i = 0; i < 3; i++) {
    size_t reach = (c->out[i] - 1) * c->stride[i] + (c->kernel[i] - 1) * c->dilation[i] + 1;
    if (c->begin[i] < 0)
      return false;
    g->before[i] = (size_t)c->begin[i];
    c->in[i] = WEFT_MAX(c->in[i] + g->before[i], reach);
    c->begin[i] = 0;
  }
  c->in_size = c->in[0] * c->in[1] * c->in[2];
  return true;
}

const char *weft__quant_conv_read(const weft_tiling *t, bool zeros, weft__quant_sum *s,
                                  weft__quant_input *out) {
  weft__product p;
  const char *no = weft__quant_read(t, WEFT_CONV_SUM_RANGE, s);
  if (no || !weft__product_known(t))
    return no;
  weft__quant_shapes(t, WEFT__PRODUCT_CONV, &p);
  no = weft__conv_sizes(&p, &out->c);
  if (no)
    return no;
  if (out->c.inputs * out->c.taps > WEFT__QUANT_STEPS)
    return "has sums whose bytes overflow int32";
  return to_lanes(out, zeros && zero_is_zero(t, s)) ? NULL : "has padding below 0";
}

static void one_row(const uint8_t *const from[4], const uint8_t *none, size_t n, uint8_t flip, uint32_t *to) {
  for (size_t i = 0; i < n; i += FILL) {
    const uint8_t *row[4];
    for (size_t t = 0; t < 4; t++)
      row[t] = from[t] ? from[t] + i : none;
    weft__quant_lanes(row, WEFT_MIN(FILL, n - i), flip, to + i);
  }
}

// One quad of channels of one group of one image.
static void one_plane(const weft__quant_input *g, const uint8_t *all, uint8_t flip, size_t unit,
                      const uint8_t *none, uint8_t pad, uint32_t *lanes) {
  const weft__conv_shape *c = &g->c;
  size_t quad = unit % c->inputs;
  size_t z = unit / c->inputs;
  size_t size = g->inside[0] * g->inside[1] * g->inside[2];
  const uint8_t *x = all + (z * g->channels + quad * 4) * size;
  uint32_t *to = lanes + unit * c->in_size;
  const uint8_t *from[4];
  size_t left = g->before[2];
  size_t right = c->in[2] - left - g->inside[2];
  size_t wide = g->inside[2];
  if (c->in_size == size) {
    for (size_t t = 0; t < 4; t++)
      from[t] = quad * 4 + t < g->channels ? x + t * size : NULL;
    one_row(from, none, size, flip, to);
    return;
  }
  for (size_t d = 0; d < c->in[0]; d++) {
    for (size_t h = 0; h < c->in[1]; h++, to += c->in[2]) {
      // wraps outside
      size_t dd = d - g->before[0];
      size_t hh = h - g->before[1];
      if (dd >= g->inside[0] || hh >= g->inside[1]) {
        memset(to, pad, c->in[2] * sizeof *to);
        continue;
      }
      size_t at = (dd * g->inside[1] + hh) * wide;
      for (size_t t = 0; t < 4; t++)
        from[t] = quad * 4 + t < g->channels ? x + t * size + at : NULL;
      for (size_t i = 0; i < left; i++)
        memset(to + i, pad, sizeof *to);
      one_row(from, none, wide, flip, to + left);
      for (size_t i = 0; i < right; i++)
        memset(to + left + wide + i, pad, sizeof *to);
    }
  }
}

void weft__quant_make_lanes(const weft__quant_input *in, const weft__quant_sum *s, const weft_block *b,
                            uint32_t *lanes) {
  uint8_t none[FILL];
  uint8_t flip = weft__quant_flip(s, s->x_signed);
  uint8_t pad = (uint8_t)weft__quant_lane_zero(s, b->arg);
  memset(none, pad ^ flip, sizeof none);
  size_t n = in->c.images * in->c.groups * in->c.inputs;
  for (size_t i = weft__share(n, b->block, b->blocks); i < weft__share(n, b->block + 1, b->blocks); i++)
    one_plane(in, b->arg[s->arg[WEFT__SUM_X]], flip, i, none, pad, lanes);
}
// SPDX-License-Identifier: Apache-2.0
