// blocked_winograd_filters.c - the filters of blocked_winograd.c as points, and their numbers found in there.
//
// Panels of as many channels as a tile has: points, each a row of the panel's channels for every input
// channel; behind all panels their signs. When a filter or a point is not finite: the filters themselves, as
// they came.
//
// The filters of a few input channels of a panel are turned first, so that the numbers of all the panel's
// channels lie side by side: taps t[k][r], in rows. Then the points are sums of whole rows.
#include <float.h>
#include <math.h>

#include "cpu/blocked/blocked_winograd.h"
#include "cpu/move/move_ops.h"
#include "cpu/rows/rows_ops.h"

enum { MARK = WEFT__WINOGRAD_MARK, POINTS = WEFT__WINOGRAD_POINTS };
enum { AT_ONCE = 8 };   // input channels turned at a time: 72 numbers
#define SMALL 0x1p120f  // points of smaller filters are finite

size_t weft__winograd_signs_size(size_t lanes, size_t wide) {
  return lanes * wide / 2;
}

typedef struct panel_of_filters {
  const weft__move_ops *move;
  const weft__blocked_ops *ops;
  const weft__bf16_ops *pairs;  // NULL: float
  const float *w;               // of the first channel
  size_t inputs;                // channels of the input that there are
  size_t rows;                  // the same of the panel
  size_t wide;                  // channels of the panel with padding
  size_t lanes;                 // the same of the input
} panel_of_filters;

// Two input channels' points, as pairs; those of the second one may be missing.
static void pack_pair(const panel_of_filters *f, const float *taps, bool two, uint32_t *to, uint16_t *signs) {
  _Alignas(64) float points[2][POINTS * WEFT__GEMM_COLS];
  size_t wide = f->wide;
  for (size_t k = 0; k < (two ? 2 : 1); k++)
    f->ops->points(taps + k * 9 * wide, points[k], wide, signs + k * wide);
  for (size_t p = 0; p < POINTS; p++) {
    f->pairs->zip(to + p * f->lanes / 2 * wide, points[0] + p * wide, two ? points[1] + p * wide : NULL,
                  wide);
  }
}

static void blocked_winograd_filters_pack_panel(const panel_of_filters *f, float *to, uint16_t *signs) {
  _Alignas(64) float turned[AT_ONCE * 9 * WEFT__GEMM_COLS];
  size_t line = f->inputs * 9;
  size_t wide = f->wide;
  size_t each = f->pairs ? 2 : 1;
  size_t of_point = f->lanes / each * wide;
  if (f->rows < wide)
    memset(turned, 0, sizeof turned);
  for (size_t i = 0; i < f->inputs; i += AT_ONCE) {
    size_t n = WEFT_MIN(AT_ONCE, f->inputs - i);
    f->move->transpose((const uint32_t *)(f->w + i * 9), line, (uint32_t *)turned, wide, f->rows, n * 9);
    for (size_t k = 0; k < n; k += each) {
      const float *taps = turned + k * 9 * wide;
      float *at = to + (i + k) / each * wide;
      if (f->pairs)
        pack_pair(f, taps, k + 1 < n, (uint32_t *)(void *)at, signs + (i + k) * wide);
      else
        f->ops->points(taps, at, of_point, signs + (i + k) * wide);
    }
  }
  size_t first = (f->inputs + each - 1) / each;
  size_t behind = (f->lanes / each - first) * wide;
  for (size_t k = 0; k < POINTS && behind; k++)
    memset(to + k * of_point + first * wide, 0, behind * sizeof *to);
  memset(signs + f->inputs * wide, 0, (f->lanes - f->inputs) * wide * sizeof *signs);
}

// As they came, or rounded.
static weft_status keep_filters(const weft_packing *p, const weft__bf16_ops *pairs, size_t n) {
  float *to = p->to;
  const float *from = weft_packing_read(p, 0, n * sizeof *to);
  if (!from)
    return WEFT_E_NOMEM;
  memset(to, 0, p->bytes);
  to[0] = 1;
  if (pairs)
    pairs->pairs((uint32_t *)(void *)(to + MARK), from, n);
  else
    memcpy(to + MARK, from, n * sizeof *to);
  return WEFT_OK;
}

weft_status weft__winograd_pack(const weft_packing *p, const weft__bf16_ops *pairs) {
  const weft_dim *d = p->in->layout.origin.dim;
  const weft__rows_ops *numbers = weft__rows_find(p->host);
  size_t groups = (size_t)(p->key >> 8);
  size_t m = (size_t)d[0] / groups;
  size_t all = weft__blocked_image(m, 1);
  panel_of_filters f = {.move = weft__move_find(p->host),
                        .ops = weft__blocked_find(p->host),
                        .pairs = pairs,
                        .inputs = (size_t)d[1],
                        .wide = (size_t)(p->key & 0xFF)};
  if (f.ops->cols != f.wide)
    return weft_fail(p->d, WEFT_E_KERNEL, "blocked-winograd: another instruction set");
  f.lanes = (f.inputs + WEFT__C0 - 1) / WEFT__C0 * WEFT__C0;
  size_t size = POINTS * f.lanes / (pairs ? 2 : 1) * f.wide;
  size_t line = f.inputs * 9;
  float *to = p->to;
  float *signs = to + MARK + groups * ((all + f.wide - 1) / f.wide) * size;
  memset(to, 0, MARK * sizeof *to);
  to += MARK;
  for (size_t group = 0; group < groups; group++) {
    for (size_t first = 0; first < all; first += f.wide, to += size) {
      size_t at = group * m + WEFT_MIN(first, m);
      f.rows = first < m ? WEFT_MIN(f.wide, m - first) : 0;
      f.w = weft_packing_read(p, at * line * sizeof *to, f.rows * line * sizeof *to);
      if (!f.w)
        return WEFT_E_NOMEM;
      bool small = numbers->below(f.w, f.rows * line, SMALL);
      if (!small && (pairs || !numbers->below(f.w, f.rows * line, INFINITY)))
        return keep_filters(p, pairs, groups * m * line);
      blocked_winograd_filters_pack_panel(&f, to, (uint16_t *)(void *)signs);
      if (!small && !numbers->below(to, size, INFINITY))
        return keep_filters(p, pairs, groups * m * line);
      signs += weft__winograd_signs_size(f.lanes, f.wide);
    }
  }
  return WEFT_OK;
}

static float number_at(const weft__winograd_plan *g, const float *at, bool high) {
  uint32_t pair;
  if (!g->pairs)
    return *at;
  memcpy(&pair, at, sizeof pair);
  return weft__bf16_half(pair, high);
}

// The points of one number of input of one filter.
typedef struct points_at {
  const weft__winograd_plan *g;
  const float *u;
  size_t step;
  bool high;  // of pairs
} points_at;

static float point(const points_at *p, size_t row, size_t col) {
  return number_at(p->g, p->u + (4 * row + col) * p->step, p->high);
}

// Taps at the ends are points; the one between is the difference of the two that are its half sums.
static float tap_of_row(const points_at *p, size_t row, size_t s) {
  if (s == 1)
    return point(p, row, 1) - point(p, row, 2);
  return point(p, row, s == 0 ? 0 : 3);
}

static float tap_of_points(const points_at *p, size_t r, size_t s) {
  if (r == 1)
    return tap_of_row(p, 1, s) - tap_of_row(p, 2, s);
  return tap_of_row(p, r == 0 ? 0 : 3, s);
}

float weft__winograd_filter(const void *ctx, size_t channel, size_t i, size_t t) {
  const weft__winograd_plan *g = ((const void *const *)ctx)[0];
  const float *w = ((const void *const *)ctx)[1];
  size_t wide = g->ops->cols;
  size_t lanes = g->in_blocks * WEFT__C0;
  size_t r = t / 3;
  size_t s = t % 3;
  size_t each = g->pairs ? 2 : 1;
  size_t kept = (channel * g->b.c.inputs + i) * 9 + t;
  if (w[0] != 0)
    return number_at(g, w + MARK + kept / each, kept % each);
  size_t in_group = channel % g->b.c.outputs;
  size_t panel = channel / g->b.c.outputs * g->panels + in_group / wide;
  const float *u = w + MARK + panel * g->panel_size + i / each * wide + in_group % wide;
  const float *signs =
      w + MARK + g->b.c.groups * g->panels * g->panel_size + panel * weft__winograd_signs_size(lanes, wide);
  uint16_t bits;
  memcpy(&bits, (const uint16_t *)(const void *)signs + i * wide + in_group % wide, sizeof bits);
  const points_at points = {g, u, g->lane * wide, i % each};
  const float v = tap_of_points(&points, r, s);
  size_t hidden = 0;
  while (hidden < WEFT_COUNT(weft__winograd_hidden) && weft__winograd_hidden[hidden] != t)
    hidden++;
  if (hidden == WEFT_COUNT(weft__winograd_hidden))
    return v;  // a point as it is
  if (!(bits >> hidden & 1))
    return 0;
  bool below = bits >> (8 + hidden) & 1;
  const bool right = v != 0 && (v < 0) == below;
  if (right)
    return v;
  return below ? -FLT_MIN : FLT_MIN;
}
// SPDX-License-Identifier: Apache-2.0
