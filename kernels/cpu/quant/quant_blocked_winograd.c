// quant_blocked_winograd.c - ConvInteger to bytes in NC1HWC0 with 3 x 3 taps and strides of 1 as F(2x2, 3x3),
// in integers and exact: windows of 4 x 4 places become 16 points, each point is a product of its own with
// the filter's, and 16 points of sums become 2 x 2 places. 16 multiplications instead of 36, of 16 bits: for
// machines that multiply no bytes.
//
// Of x less its zero point, points are below 2^10; those of filters are taken four times, and are at most 9 *
// 128. Sums wrap, as all do; four times a sum of 29 bits and fewer fits int32, so that what is left after
// wrapping is that, and a shift gives the sum. A place outside is the zero point.
//
// Windows are taken some dozens at a time, so that their points stay in the second cache while all filters
// pass over them.
#include "cpu/quant/quant_blocked.h"

enum {
  C0 = WEFT__BYTES_C0,
  POINTS = 16,
  MOST_INPUTS = (1 << 29) / (9 * 255 * 128),
  ROOM = 192 * 1024,
  LEAST = 24,
  SPREAD = 64,
  COLS = 16
};  // ROOM: bytes of points; LEAST: windows, or all filters pass too often; SPREAD: bytes between points,
    // which otherwise may lie in one set of the first cache; COLS: channels of a panel, at most

typedef struct qwino {
  const weft__quant_ops *ops;
  weft__quant_blocked q;
  uint32_t x_arg, w_arg;
  size_t blocks, quads;           // of input channels
  size_t across, windows;         // of a row; of an image
  size_t group, groups;           // windows taken together; such groups of an image
  size_t wide, panels, of_point;  // channels of a panel; lanes of its filters, of a point
  size_t panel_parts, units;
  size_t v_point, m_point;  // bytes of a point of a group; sums of one
} qwino;

static const char *quant_blocked_winograd_read(const weft_tiling *t, weft__quant_blocked *q) {
  if (!weft__quant_find(t->host)->window)
    return "the machine multiplies bytes";
  const char *no = weft__quant_blocked_read(t, q);
  if (no)
    return no;
  if (q->from_plain)
    return "needs packed inputs";
  if (!weft__product_known(t))
    return NULL;
  const weft__conv_shape *c = &q->c;
  if (!weft__winograd_takes(c))
    return "needs 3 x 3 taps, strides of 1";
  if (c->groups > 1)
    return "has groups";
  if (c->inputs > MOST_INPUTS)
    return "has sums of more than 29 bits";
  return c->outputs % C0 && c->outputs % C0 <= COLS ? "leaves half a block of channels" : NULL;
}

static const char *quant_blocked_winograd_refuse(const weft_tiling *t) {
  weft__quant_blocked q;
  return quant_blocked_winograd_read(t, &q);
}

static double window_count(const weft__conv_shape *c) {
  return (double)c->images * (double)((c->out[1] + 1) / 2) * (double)((c->out[2] + 1) / 2);
}
static double quant_blocked_winograd_flops(
    const weft__conv_shape *c) {  // of quads, as in quant_blocked_conv.c
  return 2.0 * window_count(c) * POINTS * (double)c->outputs * (double)((c->inputs + 3) / 4);
}

static double quant_blocked_winograd_cost(const weft_tiling *t) {
  weft__quant_blocked q;
  if (quant_blocked_winograd_read(t, &q) || !weft__product_known(t))
    return 1e30;
  const weft__conv_shape *c = &q.c;
  return 500 + quant_blocked_winograd_flops(c) / 100 +
         window_count(c) * (double)(c->inputs + 2 * c->outputs) / 6;
}

static void quant_blocked_winograd_cut(qwino *g) {
  const weft__conv_shape *c = &g->q.c;
  size_t rows = g->ops->rows;
  size_t tile = POINTS * 2 * C0 * g->blocks * rows;
  size_t most = WEFT_MAX((LEAST + rows - 1) / rows, ROOM / tile) * rows;
  g->groups = (g->windows + most - 1) / most;
  g->group = (g->windows + g->groups - 1) / g->groups;
  g->group = WEFT_MIN((g->group + rows - 1) / rows * rows, most);
  g->groups = (g->windows + g->group - 1) / g->group;
  size_t want = weft__product_blocks(WEFT__QUANT_SHARE * quant_blocked_winograd_flops(c), 0, 16);
  size_t outer = c->images * g->groups;
  g->panel_parts = WEFT_MAX(1, WEFT_MIN(g->panels, (want + outer - 1) / outer));
  g->units = outer * g->panel_parts;
  g->v_point = g->blocks * g->group * 2 * C0 + SPREAD;
  g->m_point = g->group * g->wide + SPREAD / sizeof(int32_t);
}

static weft_status quant_blocked_winograd_tile(weft_tiling *t) {
  qwino *g = t->data;
  const char *no = quant_blocked_winograd_read(t, &g->q);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "blocked-winograd-bytes: %s", no);
  const weft__conv_shape *c = &g->q.c;
  t->data_bytes = sizeof *g;
  g->ops = weft__quant_find(t->host);
  g->x_arg = (uint32_t)g->q.s.arg[WEFT__SUM_X];
  g->w_arg = (uint32_t)g->q.s.arg[WEFT__SUM_W];
  g->blocks = (c->inputs + C0 - 1) / C0;
  g->quads = (c->inputs + 3) / 4;
  g->across = (c->out[2] + 1) / 2;
  g->windows = g->across * ((c->out[1] + 1) / 2);
  g->wide = 2 * g->ops->vec;
  g->panels = (c->outputs + g->wide - 1) / g->wide;
  g->of_point = 2 * g->quads * g->wide;
  quant_blocked_winograd_cut(g);
  if (!weft_mul_size(POINTS * sizeof(int32_t) * g->of_point, g->panels, &t->pack_bytes[g->w_arg])) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "blocked-winograd-bytes: %zu x %zu filters are too many",
                     c->outputs, c->inputs);
  }
  t->pack_key[g->w_arg] = UINT64_C(1) << 18 | g->ops->vec;
  t->scratch_bytes =
      POINTS * (g->v_point + g->m_point * sizeof(int32_t)) + (g->blocks + 1) * sizeof(uint32_t);
  t->blocks = weft__product_blocks(WEFT__QUANT_SHARE * quant_blocked_winograd_flops(c), 0, g->units);
  return WEFT_OK;
}

// ---- filters ----
typedef int16_t lane[COLS];  // a number of each channel of a panel

// 3 numbers, `step` apart, to 4.
static void stretch(const lane *from, size_t step, lane *to, size_t to_step) {
  for (size_t j = 0; j < COLS; j++) {
    const int a = from[0][j];
    const int b = from[step][j];
    const int c = from[2 * step][j];
    to[0][j] = (int16_t)(2 * a);
    to[to_step][j] = (int16_t)(a + b + c);
    to[2 * to_step][j] = (int16_t)(a - b + c);
    to[3 * to_step][j] = (int16_t)(2 * c);
  }
}

static void points_of(const lane taps[9], lane to[POINTS]) {
  lane rows[4 * 3];
  for (size_t x = 0; x < 3; x++)
    stretch(taps + x, 3, rows + x, 3);
  for (size_t r = 0; r < 4; r++)
    stretch(rows + 3 * r, 1, to + 4 * r, 1);
}

// Pairs of input channels of a panel of filters, point by point; behind the last channel there are none.
static void quant_blocked_winograd_pack_panel(const uint8_t *w, uint8_t flip, size_t inputs, size_t outputs,
                                              size_t first, size_t wide, int32_t *to) {
  const size_t pairs = (inputs + 3) / 4 * 2;
  lane taps[9];
  lane points[2][POINTS];
  for (size_t i = 0; i < pairs; i++) {
    for (size_t h = 0; h < 2; h++) {
      memset(taps, 0, sizeof taps);
      for (size_t j = 0; j < wide && 2 * i + h < inputs; j++) {
        const size_t c = first + weft__quant_lane(j, wide / 2);
        const uint8_t *from = w + (c * inputs + 2 * i + h) * 9;
        for (size_t t = 0; c < outputs && t < 9; t++)
          taps[t][j] = (int8_t)(from[t] ^ flip);
      }
      points_of((const lane *)taps, points[h]);
    }
    for (size_t p = 0; p < POINTS; p++) {
      for (size_t j = 0; j < wide; j++) {
        to[(p * pairs + i) * wide + j] =
            (int32_t)((uint32_t)(uint16_t)points[0][p][j] | (uint32_t)(uint16_t)points[1][p][j] << 16);
      }
    }
  }
}

static weft_status quant_blocked_winograd_pack(const weft_packing *p) {
  const weft_dim *d = p->in->layout.origin.dim;
  const uint8_t *w = weft_packing_read(p, 0, p->in->bytes);
  if (!w)
    return WEFT_E_NOMEM;
  size_t outputs = (size_t)d[0];
  size_t inputs = (size_t)d[1];
  size_t wide = 2 * (size_t)(p->key & 0xFF);
  int32_t *to = p->to;
  for (size_t first = 0; first < outputs; first += wide, to += POINTS * ((inputs + 3) / 4) * 2 * wide)
    quant_blocked_winograd_pack_panel(w, p->in->dtype == WEFT_UINT8 ? 128 : 0, inputs, outputs, first, wide,
                                      to);
  return WEFT_OK;
}

// ---- running ----
typedef struct unit {
  const qwino *g;
  const weft_block *b;
  const uint8_t *x;  // of the image
  uint8_t *y, *v;
  int32_t *m;
  uint32_t *at;
  size_t first, n;  // windows
  int32_t zero;     // of x, unsigned
} unit;

// The window at (y0, x0), which padding is a part of.
static void one_window(const unit *u, weft__quant_window t, int64_t y0, int64_t x0) {
  const weft__conv_shape *c = &u->g->q.c;
  int64_t h = (int64_t)c->in[1];
  int64_t w = (int64_t)c->in[2];
  _Alignas(64) uint8_t part[POINTS * C0];
  memset(part, u->zero ^ t.flip, sizeof part);
  for (int64_t i = 0; i < 4; i++) {
    for (int64_t j = 0; j < 4; j++) {
      if (y0 + i >= 0 && y0 + i < h && x0 + j >= 0 && x0 + j < w)
        memcpy(part + (4 * i + j) * C0, t.x + ((y0 + i) * w + x0 + j) * C0, C0);
    }
  }
  t.x = part;
  t.x_row = 4 * C0;
  t.n = 1;
  u->g->ops->window(&t);
}

// The points of one block of channels: windows without padding as many at a time as lie beside each other.
static void some_windows(const unit *u, size_t block) {
  const qwino *g = u->g;
  const weft__conv_shape *c = &g->q.c;
  const int64_t h = (int64_t)c->in[1];
  const int64_t w = (int64_t)c->in[2];
  const uint8_t *x = u->x + block * c->in_size * C0;
  weft__quant_window t = {.x_row = c->in[2] * C0,
                          .flip = weft__quant_flip(&g->q.s, g->q.s.x_signed),
                          .zero = (int16_t)(4 * u->zero),
                          .point = g->v_point};
  uint8_t *to = u->v + block * g->group * 2 * C0;
  for (size_t k = 0; k < u->n; k += t.n) {
    size_t wy = (u->first + k) / g->across;
    size_t wx = (u->first + k) % g->across;
    int64_t y0 = (int64_t)(2 * wy) - c->begin[1];
    int64_t x0 = (int64_t)(2 * wx) - c->begin[2];
    t.to = to + k * 2 * C0;
    t.n = 1;
    t.x = x;
    if (y0 < 0 || x0 < 0 || y0 + 4 > h || x0 + 4 > w) {
      one_window(u, t, y0, x0);
      continue;
    }
    t.n = WEFT_MIN(u->n - k, WEFT_MIN(g->across - wx, (size_t)(w - x0 - 2) / 2));
    t.x += (y0 * w + x0) * C0;
    g->ops->window(&t);
  }
}

// Sums of all windows at all points, in tiles of equal heights, while the next point's filters are fetched.
static void products(const unit *u, const int32_t *w) {
  static const int32_t none[COLS];
  const qwino *g = u->g;
  const weft__quant_panel sums = {.add = none};
  const size_t whole = g->q.c.inputs / C0;
  const size_t rest = g->quads - whole * (C0 / 4);
  const size_t tiles = (u->n + g->ops->rows - 1) / g->ops->rows;
  const weft__quant_shares rows = weft__quant_shares_of(u->n, tiles);
  weft__quant_product t = {.p = {.at = u->at,
                                 .x_row = 2 * C0,
                                 .runs = {whole, rest ? 1 : 0},
                                 .steps = {C0 / 4, rest},
                                 .panel = &sums},
                           .y_row = g->wide,
                           .n = g->wide};
  for (size_t p = 0; p < POINTS; p++, w += g->of_point) {
    for (size_t i = 0; i < tiles; i += t.p.tiles) {
      size_t k = weft__quant_row(rows, i);
      size_t n = weft__quant_row(rows, i + 1) - k;
      t.p.w = w;
      t.p.tiles = i ? (i < rows.more ? rows.more : tiles) - i : 1;
      t.p.x = u->v + p * g->v_point + k * 2 * C0;
      t.p.x_tile = n * 2 * C0;
      t.p.y = (uint8_t *)(u->m + p * g->m_point + k * g->wide);
      t.p.ahead = (const char *)(i ? w : w + g->of_point);
      t.p.ahead_step = i ? 0 : 128;
      g->ops->product_pairs[n](&t);
    }
  }
}

// Summands and factors of a panel, in the order of its lanes. Zero points count nothing any more.
static void quant_blocked_winograd_make_numbers(const unit *u, size_t channel, size_t n, int32_t *rows) {
  static const int32_t none[COLS];
  const qwino *g = u->g;
  weft__quant_numbers numbers;
  weft__quant_blocked_numbers(&g->q, u->b->arg, channel, n, none, &numbers);
  for (size_t j = 0; j < g->wide; j += 4)
    weft__quant_blocked_put(&g->q.s, &numbers, weft__quant_lane(j, g->ops->vec), rows + j, g->wide);
}

// The places of all windows, row by row.
static void quant_blocked_winograd_give(const unit *u, size_t panel) {
  const qwino *g = u->g;
  const weft__conv_shape *c = &g->q.c;
  size_t channel = panel * g->wide;
  size_t n = WEFT_MIN(g->wide, c->outputs - channel);
  _Alignas(64) int32_t rows[WEFT__QUANT_PANEL_ROWS * COLS];
  weft__quant_panel numbers;
  quant_blocked_winograd_make_numbers(u, channel, n, rows);
  weft__quant_blocked_rows(&g->q.s, rows, g->wide, &numbers);
  weft__quant_blocked_bounds(&g->q.s, u->b->arg, n, g->wide, &numbers);
  weft__quant_places t = {.point = g->m_point, .panel = &numbers, .y_row = c->out[2] * C0};
  uint8_t *y = u->y + channel / C0 * c->out_size * C0 + channel % C0;
  for (size_t k = 0; k < u->n; k += t.n) {
    size_t wy = (u->first + k) / g->across;
    size_t wx = (u->first + k) % g->across;
    t.n = WEFT_MIN(u->n - k, g->across - wx);
    t.m = u->m + k * g->wide;
    t.y = y + (2 * wy * c->out[2] + 2 * wx) * C0;
    t.rows = WEFT_MIN(2, c->out[1] - 2 * wy);
    t.cols = WEFT_MIN(2 * t.n, c->out[2] - 2 * wx);
    g->ops->places(&t);
  }
}

static void quant_blocked_winograd_run_unit(const qwino *g, const weft_block *b, size_t n) {
  const weft__conv_shape *c = &g->q.c;
  size_t part = n % g->panel_parts;
  size_t group = n / g->panel_parts % g->groups;
  size_t image = n / g->panel_parts / g->groups;
  unit u = {.g = g, .b = b, .first = group * g->group, .zero = weft__quant_lane_zero(&g->q.s, b->arg)};
  u.n = WEFT_MIN(g->group, g->windows - u.first);
  u.x = (const uint8_t *)b->arg[g->x_arg] + image * weft__quant_blocked_bytes(c->inputs, c->in_size);
  u.y = (uint8_t *)b->arg[g->q.s.y_arg] + image * weft__quant_blocked_bytes(c->outputs, c->out_size);
  u.v = b->scratch;
  u.m = (int32_t *)(void *)(u.v + POINTS * g->v_point);
  u.at = (uint32_t *)(u.m + POINTS * g->m_point);
  for (size_t i = 0; i < g->blocks; i++)
    u.at[i] = (uint32_t)(i * g->group * 2 * C0);
  for (size_t i = 0; i < g->blocks; i++)
    some_windows(&u, i);
  for (size_t p = weft__share(g->panels, part, g->panel_parts);
       p < weft__share(g->panels, part + 1, g->panel_parts); p++) {
    products(&u, (const int32_t *)b->arg[g->w_arg] + p * POINTS * g->of_point);
    quant_blocked_winograd_give(&u, p);
  }
}

static weft_status quant_blocked_winograd_run(const weft_block *b) {
  const qwino *g = b->data;
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    quant_blocked_winograd_run_unit(g, b, i);
  return WEFT_OK;
}

WEFT__QUANT_BLOCKED_KERNEL(quant_blocked_winograd, quant_blocked_winograd, "Fused", "blocked-winograd-bytes");
// SPDX-License-Identifier: Apache-2.0
