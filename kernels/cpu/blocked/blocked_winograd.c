// blocked_winograd.c - convolutions of float with 3 x 3 taps and strides of 1, NC1HWC0 to NC1HWC0, alone and
// with what follows them, as F(2x2, 3x3): windows of 4 x 4 places become 16 points, each point is a product
// of its own with the filter's, and 16 points of sums become 2 x 2 places. 16 multiplications instead of 36;
// the additions around them are exact up to one rounding each, with factors of 1 and 1/2, so that the error
// stays that of a sum (tests/kernels_blocked_test.c holds it against a sum in double).
//
// Windows are taken some dozens at a time, so that their points stay in the second cache while all filters
// pass over them. Where an output is not finite it is summed again by the definition: an infinite number
// would spoil a whole window, and padding times an infinite filter is left out. The filter's numbers are
// found in its points for that; which of them are zero or negative, which rounding may hide and an infinite
// number brings to light, is kept beside the points: 16 bits for 16 numbers.
//
// Where the precision mode lets operands be rounded to bf16, "blocked-winograd-bf16" does the same with
// points that are rounded, in pairs of channels (bf16_block.h). Sums and what is around them stay float; the
// bound is in docs/precision.md.
//
// The points of filters are made in blocked_winograd_filters.c.
#include <math.h>

#include "cpu/blocked/blocked_winograd.h"
#include "cpu/simd/cache.h"

typedef weft__winograd_plan wino;

enum {
  MARK = WEFT__WINOGRAD_MARK,
  POINTS = WEFT__WINOGRAD_POINTS,
  ROOM = 80 * 1024,        // numbers of points
  TURNS = 8,               // tiles of windows
  LEAST = 25,              // windows, or all filters pass too often
  SPREAD = 16,             // numbers between points, which otherwise may lie in one set of the first cache
  NEAR_CACHE = 48 * 1024,  // bytes of a first cache for NEAR
  // Numbers of a panel of filters that all pass for each tile, so that its sums stay in the first cache.
  NEAR = 32 * 1024,
  CLOSE = 160 * 1024,  // numbers of all filters
  SLICE = 512,         // steps of a partial sum
};

static const char *blocked_winograd_read(const weft_tiling *t, weft__blocked_conv *b) {
  const char *no = weft__blocked_conv_read(t, b);
  if (no)
    return no;
  if (b->from_plain)
    return "needs packed inputs";
  if (!weft__product_known(t))
    return NULL;
  const weft__conv_shape *c = &b->c;
  if (!weft__winograd_takes(c))
    return "needs 3 x 3 taps, strides of 1";
  if (c->kernel[0] != 1)
    return "needs two spatial axes";
  return weft__blocked_conv_refuse_sizes(c);
}

static const char *blocked_winograd_refuse(const weft_tiling *t) {
  weft__blocked_conv b;
  return blocked_winograd_read(t, &b);
}

static const char *blocked_winograd_refuse_bf16(const weft_tiling *t) {
  return t->precision != WEFT_PRECISION_BF16 ? "the precision mode keeps float" : blocked_winograd_refuse(t);
}

static double window_count(const weft__conv_shape *c) {
  return (double)(c->images * c->groups) * (double)((c->out[1] + 1) / 2) * (double)((c->out[2] + 1) / 2);
}

static double lanes(size_t channels, size_t step) {
  return (double)((channels + step - 1) / step * step);
}

static double blocked_winograd_cost(const weft_tiling *t) {
  weft__blocked_conv b;
  if (blocked_winograd_read(t, &b) || !weft__product_known(t))
    return 1e30;
  const weft__blocked_ops *ops = weft__blocked_find(t->host);
  const weft__conv_shape *c = &b.c;
  double lanes_in = lanes(c->inputs, WEFT__C0), lanes_out = lanes(c->outputs, WEFT__C0);
  double n = window_count(c), rows = (double)ops->rows,
         full = n < rows * (double)c->groups ? rows * (double)c->groups / n : 1;
  double products = n * full * 32 * lanes_in * lanes_out / (6.5 * ops->cols);
  double around = n * (lanes_in * 2.5 + lanes_out * 3.0) * 16 / (double)ops->cols;
  double filters = (double)c->groups * lanes_in * lanes_out * 64 / 25;  // read from memory
  return 1000 + products + around + filters;
}

static double blocked_winograd_cost_bf16(const weft_tiling *t) {
  weft__blocked_conv b;
  if (blocked_winograd_refuse_bf16(t) || blocked_winograd_read(t, &b) || !weft__product_known(t))
    return 1e30;
  const weft__bf16_ops *ops = weft__bf16_find(t->host);
  if (weft__cpu_bf16_always(t->host))
    return 0.5;  // before the direct sums
  const weft__conv_shape *c = &b.c;
  double n = window_count(c), lanes_in = lanes(c->inputs, WEFT__C0), lanes_out = lanes(c->outputs, ops->cols);
  double products = n * 32 * lanes_in * lanes_out / ((ops->dots ? 14 : 5) * ops->cols);
  double around = n * (lanes_in + lanes_out) * 28 / ops->cols;
  double filters = (double)c->groups * lanes_in * lanes_out * 32 / 25;  // read from memory
  return 1000 + products + around + filters;
}

// Windows that are taken together, and their sums. Of bf16 parts of the panels make the points again: where
// all filters stay in the second cache, fewer windows are taken together instead.
static void blocked_winograd_cut(wino *g) {
  const weft__conv_shape *c = &g->b.c;
  size_t rows = g->rows;
  size_t of_window = POINTS * g->lane;
  size_t turns = ROOM / (of_window * rows);
  size_t tiles = (g->windows + rows - 1) / rows;
  size_t images = c->images * c->groups;
  g->panels = (weft__blocked_image(c->outputs, 1) + g->ops->cols - 1) / g->ops->cols;
  g->panel_size = POINTS * g->lane * g->ops->cols;
  size_t want = weft__product_blocks(weft__blocked_conv_flops(c), 0, 16);
  turns = WEFT_MAX((LEAST + rows - 1) / rows, WEFT_MIN(turns, TURNS));
  bool close = g->pairs && g->panels * g->panel_size <= CLOSE;
  if (close)
    turns = WEFT_MAX(1, WEFT_MIN(turns, tiles * images / want));
  g->groups = (g->windows + turns * rows - 1) / (turns * rows);
  g->group = (g->windows + g->groups - 1) / g->groups;
  g->group = WEFT_MIN((g->group + rows - 1) / rows * rows, turns * rows);
  g->groups = (g->windows + g->group - 1) / g->group;
  size_t outer = images * g->groups;
  g->panel_parts = WEFT_MAX(1, WEFT_MIN(g->panels, (close ? want : want + outer - 1) / outer));
  if (g->panel_parts > 4 && outer > 1)
    g->panel_parts = 4;
  g->units = outer * g->panel_parts;
  g->shared = !g->pairs && g->panel_parts > 1;
  g->turns = g->panel_size <= NEAR && weft__cpu_cache(1) >= NEAR_CACHE ? 1 : turns;
  g->v_point = g->lane * g->group + SPREAD;
  g->m_point = g->turns * rows * WEFT__GEMM_COLS + SPREAD;
}

// Of a point: in the scratch of a unit.
static size_t own_points(const wino *g) {
  return g->shared ? 0 : g->v_point;
}

static weft_status blocked_winograd_tile_with(weft_tiling *t, const weft__bf16_ops *pairs) {
  wino *g = t->data;
  const char *no = pairs ? blocked_winograd_refuse_bf16(t) : NULL;
  if (!no)
    no = blocked_winograd_read(t, &g->b);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "blocked-winograd: %s", no);
  const weft__conv_shape *c = &g->b.c;
  t->data_bytes = sizeof *g;
  g->ops = weft__blocked_find(t->host);
  g->pairs = pairs;
  g->rows = pairs ? pairs->rows : g->ops->rows;
  g->x_arg = (uint32_t)g->b.p.arg[0];
  g->w_arg = (uint32_t)g->b.p.arg[1];
  g->y_arg = t->n_in;
  g->in_blocks = (c->inputs + WEFT__C0 - 1) / WEFT__C0;
  g->unit = pairs ? WEFT__BF16_C0 : WEFT__C0;
  g->lane = g->in_blocks * g->unit;
  g->across = (c->out[2] + 1) / 2;
  g->windows = g->across * ((c->out[1] + 1) / 2);
  blocked_winograd_cut(g);
  size_t bytes;
  size_t shared;
  if (!weft_mul_size(c->images * c->groups * g->groups, POINTS * g->v_point * sizeof(float), &shared) ||
      !weft_mul_size(
          c->groups * g->panels *
                  (g->panel_size + weft__winograd_signs_size(g->in_blocks * WEFT__C0, g->ops->cols)) +
              MARK,
          sizeof(float), &bytes)) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "blocked-winograd: %zu x %zu filters are too many", c->outputs,
                     c->inputs);
  }
  t->pack_bytes[g->w_arg] = bytes;
  t->pack_key[g->w_arg] = (uint64_t)c->groups << 8 | g->ops->cols;
  size_t two_rows = 2 * 2 * (g->group + 1) * WEFT__GEMM_COLS;
  t->scratch_bytes = (POINTS * (own_points(g) + g->m_point) + two_rows) * sizeof(float) +
                     (g->in_blocks + 1) * sizeof(uint32_t);
  if (g->shared) {
    t->phases = 2;
    t->n_workspaces = 1;
    t->workspace_bytes[0] = shared;
  }
  t->blocks = weft__product_blocks(weft__blocked_conv_flops(c), 0, g->units);
  return WEFT_OK;
}

static weft_status blocked_winograd_tile(weft_tiling *t) {
  return blocked_winograd_tile_with(t, NULL);
}
static weft_status blocked_winograd_tile_bf16(weft_tiling *t) {
  return blocked_winograd_tile_with(t, weft__bf16_find(t->host));
}

static weft_status blocked_winograd_pack(const weft_packing *p) {
  return weft__winograd_pack(p, NULL);
}
static weft_status blocked_winograd_pack_bf16(const weft_packing *p) {
  return weft__winograd_pack(p, weft__bf16_find(p->host));
}

// ---- running ----
typedef struct unit {
  const wino *g;
  const weft_block *b;
  const float *x;  // of the image
  size_t group;    // of channels
  float *y, *v, *m, *out;
  uint32_t *at;
  size_t image, first, n;  // windows
} unit;

static void to_points(const wino *g, const float *x, size_t row, size_t n, float *to) {
  if (g->pairs)
    g->pairs->window(x, row, n, (uint32_t *)(void *)to, g->v_point);
  else
    g->ops->window(x, row, n, to, g->v_point);
}

// The window at (y0, x0), which padding is a part of.
static void one_window(const wino *g, const float *x, int64_t y0, int64_t x0, float *to) {
  int64_t h = (int64_t)g->b.c.in[1];
  int64_t w = (int64_t)g->b.c.in[2];
  _Alignas(64) float part[16 * WEFT__C0] = {0};
  for (int64_t i = 0; i < 4; i++) {
    for (int64_t j = 0; j < 4; j++) {
      if (y0 + i >= 0 && y0 + i < h && x0 + j >= 0 && x0 + j < w) {
        memcpy(part + (4 * i + j) * WEFT__C0, x + (size_t)((y0 + i) * w + x0 + j) * WEFT__C0,
               WEFT__C0 * sizeof *part);
      }
    }
  }
  to_points(g, part, 4 * WEFT__C0, 1, to);
}

// The points of one block of channels: windows without padding as many at a time as lie beside each other.
static void some_windows(const unit *u, size_t block) {
  const wino *g = u->g;
  const weft__conv_shape *c = &g->b.c;
  const float *x = u->x + (u->group * g->in_blocks + block) * c->in_size * WEFT__C0;
  int64_t h = (int64_t)c->in[1];
  int64_t w = (int64_t)c->in[2];
  float *to = u->v + block * g->group * g->unit;
  for (size_t k = 0, n; k < u->n; k += n, to += n * g->unit) {
    size_t wy = (u->first + k) / g->across;
    size_t wx = (u->first + k) % g->across;
    int64_t y0 = (int64_t)(2 * wy) - c->begin[1];
    int64_t x0 = (int64_t)(2 * wx) - c->begin[2];
    n = 1;
    if (y0 < 0 || x0 < 0 || y0 + 4 > h || x0 + 4 > w) {
      one_window(g, x, y0, x0, to);
      continue;
    }
    n = WEFT_MIN(u->n - k, WEFT_MIN(g->across - wx, (size_t)(w - x0 - 2) / 2));
    to_points(g, x + (size_t)(y0 * w + x0) * WEFT__C0, c->in[2] * WEFT__C0, n, to);
  }
}

// Of the sums of n windows of a point those over blocks of channels [i, i + blocks).
static void some_products(const wino *g, const weft__tap_sums *all, size_t n, size_t i, size_t blocks) {
  weft__tap_sums s = *all;
  s.n = blocks;
  s.at += i;
  s.w = (const float *)all->w + i * g->unit * g->ops->cols;
  s.more = i > 0;
  s.ahead.from += i * g->unit * s.ahead.by;
  if (g->pairs)
    g->pairs->reduce[1][1][n](&s);
  else
    g->ops->reduce[1][1][n](&s);
}

static size_t tiles_of(const unit *u) {
  return (u->n + u->g->rows - 1) / u->g->rows;
}

// In tiles of equal heights, from `first` to `last` of them, while the next point's filters are fetched, by
// each tile its share.
static void products(const unit *u, const float *w, size_t first, size_t last) {
  const wino *g = u->g;
  size_t tiles = tiles_of(u);
  size_t slice = SLICE / g->unit;
  size_t of_point = g->lane * g->ops->cols;
  size_t from = weft__share(u->n, first, tiles);
  size_t step = WEFT_MIN(64, (g->ops->cols * sizeof *w + last - first - 1) / (last - first));
  for (size_t p = 0; p < POINTS; p++, w += of_point) {
    for (size_t tile = first; tile < last; tile++) {
      size_t k = weft__share(u->n, tile, tiles);
      size_t n = weft__share(u->n, tile + 1, tiles) - k;
      const char *next = (const char *)(w + of_point) + (tile - first) * g->lane * step;
      const weft__tap_sums all = {.n = g->in_blocks,
                                  .steps = g->unit,
                                  .a = u->v + p * g->v_point + k * g->unit,
                                  .at = u->at,
                                  .a_row = g->unit,
                                  .w = w,
                                  .tile = u->m + p * g->m_point + (k - from) * WEFT__GEMM_COLS,
                                  .ahead = {next, step}};
      for (size_t i = 0; i < g->in_blocks; i += slice)
        some_products(g, &all, n, i, WEFT_MIN(slice, g->in_blocks - i));
    }
  }
}

// The places of one window by the definition.
static void one_exact(const unit *u, size_t channel, size_t wy, size_t wx, float *upper, float *lower) {
  const weft__conv_shape *c = &u->g->b.c;
  const void *filters[2] = {u->g, u->b->arg[u->g->w_arg]};
  for (size_t i = 0; i < 4; i++) {
    size_t oy = 2 * wy + i / 2;
    size_t ox = 2 * wx + i % 2;
    float *to = (i < 2 ? upper : lower) + i % 2 * WEFT__GEMM_COLS;
    for (size_t j = 0; j < u->g->ops->cols; j++) {
      to[j] = channel + j < (u->group + 1) * c->outputs && oy < c->out[1] && ox < c->out[2]
                  ? weft__blocked_conv_exact(&u->g->b, u->x, oy * c->out[2] + ox, weft__winograd_filter,
                                             filters, channel + j)
                  : 0;
    }
  }
}

// Windows [k, k + n), whose sums begin at m, lie in one row of windows.
static void blocked_winograd_give(const unit *u, size_t channel, const float *m, size_t k, size_t n) {
  const wino *g = u->g;
  const weft__conv_shape *c = &g->b.c;
  size_t wy = (u->first + k) / g->across;
  size_t wx = (u->first + k) % g->across;
  size_t row = 2 * g->group * WEFT__GEMM_COLS;
  bool exact = ((const float *)u->b->arg[g->w_arg])[0] != 0;
  for (size_t i = 0; i < n; i++) {
    float *upper = u->out + 2 * i * WEFT__GEMM_COLS;
    float *lower = upper + row;
    bool finite = !exact && g->ops->unwind(m + i * WEFT__GEMM_COLS, g->m_point, upper, lower);
    if (!finite)
      one_exact(u, channel, wy, wx + i, upper, lower);
  }
  weft__blocked_out o = {.y = u->y,
                         .y_block = c->out_size * WEFT__C0,
                         .place = 2 * wy * c->out[2] + 2 * wx,
                         .rows = WEFT_MIN(2 * n, c->out[2] - 2 * wx),
                         .channel = channel,
                         .end = (u->group + 1) * c->outputs,
                         .channels = c->groups * c->outputs,
                         .batch = u->image,
                         .e = &g->b.e,
                         .arg = u->b->arg};
  g->ops->finish(u->out, &o);
  if (2 * wy + 1 >= c->out[1])
    return;
  o.place += c->out[2];
  g->ops->finish(u->out + row, &o);
}

// Group k of windows, counted through all images and groups of channels.
static unit unit_of(const wino *g, const weft_block *b, size_t k) {
  const weft__conv_shape *c = &g->b.c;
  size_t z = k / g->groups;
  unit u = {
      .g = g, .b = b, .image = z / c->groups, .group = z % c->groups, .first = k % g->groups * g->group};
  u.n = WEFT_MIN(g->group, g->windows - u.first);
  u.x = (const float *)b->arg[g->x_arg] + u.image * weft__blocked_image(c->groups * c->inputs, c->in_size);
  u.y = (float *)b->arg[g->y_arg] + u.image * weft__blocked_image(c->groups * c->outputs, c->out_size);
  u.v = g->shared ? (float *)b->workspace[0] + k * POINTS * g->v_point : b->scratch;
  u.m = (float *)b->scratch + POINTS * own_points(g);
  u.out = u.m + POINTS * g->m_point;
  u.at = (uint32_t *)(u.out + 4 * (g->group + 1) * WEFT__GEMM_COLS);
  return u;
}

static void blocked_winograd_run_unit(const wino *g, const weft_block *b, size_t n) {
  const float *w = b->arg[g->w_arg];
  size_t part = n % g->panel_parts;
  unit u = unit_of(g, b, n / g->panel_parts);
  for (size_t i = 0; i < g->in_blocks; i++)
    u.at[i] = (uint32_t)(i * g->group * g->unit);
  bool exact = w[0] != 0;
  for (size_t i = 0; i < g->in_blocks && !exact && !g->shared; i++)
    some_windows(&u, i);
  for (size_t p = weft__share(g->panels, part, g->panel_parts);
       p < weft__share(g->panels, part + 1, g->panel_parts); p++) {
    for (size_t tile = 0; tile < tiles_of(&u); tile += g->turns) {
      size_t last = WEFT_MIN(tile + g->turns, tiles_of(&u));
      size_t k = weft__share(u.n, tile, tiles_of(&u));
      size_t end = weft__share(u.n, last, tiles_of(&u));
      const float *m = u.m;
      if (!exact)
        products(&u, w + MARK + (u.group * g->panels + p) * g->panel_size, tile, last);
      for (size_t in_row; k < end; k += in_row, m += in_row * WEFT__GEMM_COLS) {
        in_row = WEFT_MIN(end - k, g->across - (u.first + k) % g->across);
        blocked_winograd_give(&u, u.group * g->b.c.outputs + p * g->ops->cols, m, k, in_row);
      }
    }
  }
}

// The points of all groups, a block of channels at a time.
static void share_points(const wino *g, const weft_block *b) {
  size_t all = g->units / g->panel_parts * g->in_blocks;
  for (size_t i = weft__share(all, b->block, b->blocks); i < weft__share(all, b->block + 1, b->blocks); i++) {
    const unit u = unit_of(g, b, i / g->in_blocks);
    some_windows(&u, i % g->in_blocks);
  }
}

static weft_status blocked_winograd_run(const weft_block *b) {
  const wino *g = b->data;
  if (g->shared && b->phase == 0) {
    share_points(g, b);
    return WEFT_OK;
  }
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    blocked_winograd_run_unit(g, b, i);
  return WEFT_OK;
}

WEFT__BLOCKED_KERNEL(blocked_winograd_fused, blocked_winograd, "Fused", "blocked-winograd");
WEFT__BLOCKED_KERNEL_BF16(blocked_winograd_bf16, blocked_winograd, "Fused", "blocked-winograd-bf16");
// SPDX-License-Identifier: Apache-2.0
