// blocked_conv_filters.c - the filters of blocked_conv.c, packed by panels of channels in the order in which
// they are read, and found in there one by one.
#include <math.h>

#include "cpu/blocked/blocked_conv_plan.h"
#include "cpu/move/move_ops.h"
#include "cpu/rows/rows_ops.h"

enum { MARK = WEFT__BLOCKED_CONV_MARK };

// Panels of `wide` channels: runs of steps, a row of the panel's channels each. Of a block of input
// channels number (i, t) becomes step t * lanes + i.
typedef struct shape_of_filters {
  size_t wide;
  size_t inputs;
  size_t taps;
  size_t lanes;  // of a block of input channels
} shape_of_filters;

static void pack_block(const shape_of_filters *f, const weft__move_ops *move, const float *w, size_t rows,
                       size_t inputs, float *to) {
  enum { PIECE = 64 };  // stays in the first cache
  size_t line = f->inputs * f->taps;
  size_t all = inputs * f->taps;
  bool straight = f->taps == 1 || f->lanes == 1;  // the order in which they are
  _Alignas(64) float turned[PIECE * WEFT__GEMM_COLS];
  if (inputs % f->lanes || rows < f->wide)
    memset(to, 0, f->lanes * f->taps * f->wide * sizeof *to);
  if (rows < f->wide)
    memset(turned, 0, sizeof turned);
  for (size_t k = 0; k < all; k += PIECE) {
    size_t n = WEFT_MIN(PIECE, all - k);
    move->transpose((const uint32_t *)(w + k), line, (uint32_t *)(straight ? to + k * f->wide : turned),
                    f->wide, rows, n);
    for (size_t s = k; s < k + n && !straight; s++) {
      memcpy(to + (s % f->taps * f->lanes + s / f->taps) * f->wide, turned + (s - k) * f->wide,
             f->wide * sizeof *to);
    }
  }
}

// The filters of a panel, from `from`. Returns where the next one goes.
static float *blocked_conv_filters_pack_panel(shape_of_filters *f, const weft_packing *p, const float *from,
                                              size_t rows, float *to) {
  const weft__move_ops *move = weft__move_find(p->host);
  const bool plain = weft__blocked_conv_read_key(p->key).plain;
  for (size_t i = 0; i < f->inputs; i += f->lanes) {
    f->lanes = plain ? 1 : weft__blocked_conv_lanes(f->inputs, i);
    pack_block(f, move, from + i * f->taps, rows, WEFT_MIN(f->lanes, f->inputs - i), to);
    to += f->lanes * f->taps * f->wide;
  }
  return to;
}

weft_status weft__blocked_conv_pack(const weft_packing *p) {
  const weft_dim *d = p->in->layout.origin.dim;
  const weft__blocked_conv_key key = weft__blocked_conv_read_key(p->key);
  const weft__rows_ops *numbers = weft__rows_find(p->host);
  const size_t m = (size_t)d[0] / key.groups;
  const size_t all = weft__blocked_image(m, 1);
  shape_of_filters f = {.wide = key.wide, .inputs = (size_t)d[1], .taps = (size_t)d[2] * (size_t)d[3]};
  const size_t line = f.inputs * f.taps;
  float *mark = p->to;
  float *to = mark + MARK;
  memset(mark, 0, MARK * sizeof *mark);
  for (size_t group = 0; group < key.groups; group++) {
    for (size_t first = 0; first < all; first += f.wide) {
      const size_t rows = first < m ? WEFT_MIN(f.wide, m - first) : 0;
      const size_t at = group * m + WEFT_MIN(first, m);
      const float *from = weft_packing_read(p, at * line * sizeof *to, rows * line * sizeof *to);
      if (!from)
        return WEFT_E_NOMEM;
      if (!numbers->below(from, rows * line, INFINITY))
        *mark = 1;
      to = blocked_conv_filters_pack_panel(&f, p, from, rows, to);
    }
  }
  return WEFT_OK;
}

// Filters as pairs of channels, or of rows of taps.
typedef struct paired_filters {
  bool plain;
  size_t wide;     // channels of a panel
  size_t outputs;  // of a group
  size_t taps;
  size_t kx;     // taps of a row
  size_t all;    // numbers of a filter
  size_t runs;   // of a filter
  size_t steps;  // of a run
  size_t apart;  // numbers between those of a pair
  bool odd;      // a number is infinite or NaN
} paired_filters;

static paired_filters paired_filters_of(const weft_packing *p) {
  const weft_dim *d = p->in->layout.origin.dim;
  const weft__blocked_conv_key key = weft__blocked_conv_read_key(p->key);
  const size_t inputs = (size_t)d[1];
  paired_filters f = {.plain = key.plain,
                      .wide = key.wide,
                      .outputs = (size_t)d[0] / key.groups,
                      .taps = (size_t)d[2] * (size_t)d[3],
                      .kx = (size_t)d[3]};
  f.all = inputs * f.taps;
  f.runs = f.plain ? (f.all / f.kx + 1) / 2 : (inputs + WEFT__C0 - 1) / WEFT__C0 * f.taps;
  f.steps = f.plain ? f.kx : WEFT__BF16_C0;
  f.apart = f.plain ? f.kx : f.taps;
  return f;
}

// The first number of step s of a run, in a filter; the other one lies `apart` behind it.
static size_t number_of_step(const paired_filters *f, size_t run, size_t s) {
  if (f->plain)
    return 2 * run * f->kx + s;
  return (run / f->taps * WEFT__C0 + 2 * s) * f->taps + run % f->taps;
}

static bool is_odd_pair(uint32_t pair) {
  enum { LOW_EXPONENT = 0x7F80, HIGH_EXPONENT = 0x7F800000 };
  return (pair & LOW_EXPONENT) == LOW_EXPONENT || (pair & HIGH_EXPONENT) == HIGH_EXPONENT;
}

// One step of a panel, whose first filter is w and which has `rows` of them.
static void pack_pairs(paired_filters *f, const float *w, size_t rows, size_t at, uint32_t *to) {
  const bool has_low = at < f->all;
  const bool has_high = at + f->apart < f->all;
  for (size_t r = 0; r < f->wide; r++) {
    const float *of = w + r * f->all + at;
    const bool here = r < rows;
    to[r] = weft__bf16_pair(here && has_low ? of[0] : 0, here && has_high ? of[f->apart] : 0);
    f->odd |= is_odd_pair(to[r]);
  }
}

static uint32_t *pack_paired_panel(paired_filters *f, const float *w, size_t rows, uint32_t *to) {
  for (size_t run = 0; run < f->runs; run++) {
    for (size_t s = 0; s < f->steps; s++) {
      pack_pairs(f, w, rows, number_of_step(f, run, s), to);
      to += f->wide;
    }
  }
  return to;
}

weft_status weft__blocked_conv_pack_bf16(const weft_packing *p) {
  const weft__blocked_conv_key key = weft__blocked_conv_read_key(p->key);
  paired_filters f = paired_filters_of(p);
  const float *w = weft_packing_read(p, 0, p->in->bytes);
  if (!w)
    return WEFT_E_NOMEM;
  uint32_t *to = (uint32_t *)p->to + MARK;
  memset(p->to, 0, MARK * sizeof *to);
  for (size_t group = 0; group < key.groups; group++, w += f.outputs * f.all) {
    for (size_t first = 0; first < weft__blocked_image(f.outputs, 1); first += f.wide) {
      const size_t begin = WEFT_MIN(first, f.outputs);
      to = pack_paired_panel(&f, w + begin * f.all, f.outputs - begin, to);
    }
  }
  *(float *)p->to = f.odd ? 1 : 0;
  return WEFT_OK;
}

// Row of its panel that tap t of channel i is in. *out_half: which of a pair.
static size_t row_of_tap(const weft__blocked_conv_plan *g, size_t i, size_t t, size_t *out_half) {
  const weft__conv_shape *c = &g->b.c;
  const size_t kx = c->kernel[2];
  const size_t row = i * c->kernel[1] + t / kx;  // of taps
  const size_t lane = i % WEFT__C0;
  const size_t first = i - lane;
  *out_half = i % 2;
  if (weft__blocked_conv_pairs_rows(g)) {
    *out_half = row % 2;
    return row / 2 * kx + t % kx;
  }
  if (g->b.from_plain)
    return row * kx + t % kx;
  if (g->pairs)
    return (i / WEFT__C0 * c->taps + t) * g->lane + lane / 2;
  return first * c->taps + t * weft__blocked_conv_lanes(c->inputs, first) + lane;
}

float weft__blocked_conv_filter(const void *ctx, size_t channel, size_t i, size_t t) {
  const weft__blocked_conv_plan *g = ((const void *const *)ctx)[0];
  const float *w = ((const void *const *)ctx)[1];
  const size_t wide = g->ops->cols;
  size_t half;
  const size_t k = row_of_tap(g, i, t, &half);
  const size_t r = channel % g->b.c.outputs;
  const size_t panel = channel / g->b.c.outputs * g->panels + r / wide;
  w += MARK + panel * g->panel_size + k * wide + r % wide;
  uint32_t pair;
  memcpy(&pair, w, sizeof pair);
  return g->pairs ? weft__bf16_half(pair, half) : *w;
}
// SPDX-License-Identifier: Apache-2.0
