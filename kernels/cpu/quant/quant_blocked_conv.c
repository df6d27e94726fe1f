// quant_blocked_conv.c - ConvInteger to bytes in NC1HWC0, without unfolding, as blocked_conv.c does it for
// floats: a tile of places by filters goes over the input where it lies, a run of quads of channels for each
// tap of each block of channels (for plain inputs, the first layers of networks: quads of taps beside each
// other, for each row of taps of each channel). Filters are packed by panels, quads in the order in which
// they are read; behind the last channel there are none. A first phase finds the
// channels' summands and factors and, where it is needed, copies the input with zero points for its padding
// and signed bytes made unsigned, in 16 bits where tiles are of pairs. Sums go to bytes from registers.
//
// Places are taken in bands whose input stays in the second cache while all panels of filters pass over it.
#include "cpu/conv/conv_columns.h"
#include "cpu/quant/quant_blocked.h"

enum {
  C0 = WEFT__BYTES_C0,
  BAND = 256 * 1024,
  CALL = 4 * 1024,
  MOST_RUNS = 16384,
  MOST_BLOCKS = 64,
  SLACK = 64,
  NUMBERS = 0,
  COPY = 1
};  // BAND: bytes; CALL: places times quads that make up for the calls that a band of a panel takes

typedef struct qconv {
  const weft__quant_ops *ops;
  weft__quant_blocked q;
  uint32_t x_arg, w_arg;
  size_t wide;                       // filters of a panel
  size_t runs[2], steps[2];          // of a sum, as in weft__quant_packed
  size_t lane, each;                 // numbers of a place of a plane; bytes of one as it is read
  size_t planes, rows, cols, plane;  // of an image of a group; of a plane as it is read; its bytes
  size_t down;                       // rows of the output that a tile covers, at most: 1, or 2 of few places
  size_t across, tiles;              // tiles of a row of the output, or of two; of all
  size_t least, longer;              // places of a tile in a row; the first `longer` have one more
  size_t panels, panel_size;         // of filters of a group; quads of one
  size_t filters;                    // sums of filters in front of the panels
  size_t bands, panel_parts, units;
  bool copied;
} qconv;

static const char *quant_blocked_conv_read(const weft_tiling *t, weft__quant_blocked *q) {
  const char *no = weft__quant_blocked_read(t, q);
  if (no || !weft__product_known(t))
    return no;
  weft__conv_one_row(&q->c);
  const weft__conv_shape *c = &q->c;
  if (c->groups > 1 && (q->from_plain || c->inputs % C0 || c->outputs % C0))
    return "has groups that are no multiples of 32 channels";
  if (q->from_plain && (c->dilation[2] != 1 || c->inputs > 8))
    return "needs packed inputs, or few channels";
  return (c->inputs + C0 - 1) / C0 * c->taps > MOST_RUNS ? "has too many taps" : NULL;
}

static const char *quant_blocked_conv_refuse(const weft_tiling *t) {
  weft__quant_blocked q;
  return quant_blocked_conv_read(t, &q);
}

static size_t quads_of(const weft__quant_blocked *q) {  // of a sum
  const weft__conv_shape *c = &q->c;
  return q->from_plain ? c->inputs * c->kernel[1] * ((c->kernel[2] + 3) / 4) : (c->inputs + 3) / 4 * c->taps;
}

static double quant_blocked_conv_flops(const weft__quant_blocked *q) {  // of quads, as in quant_conv.c
  const weft__conv_shape *c = &q->c;
  return 2.0 * (double)c->images * (double)c->groups * (double)c->outputs * (double)c->out_size *
         (double)quads_of(q);
}

static double quant_blocked_conv_cost(const weft_tiling *t) {
  weft__quant_blocked q;
  if (quant_blocked_conv_read(t, &q) || !weft__product_known(t))
    return 1e30;
  const weft__conv_shape *c = &q.c;
  const weft__quant_ops *ops = weft__quant_find(t->host);
  size_t wide = 2 * ops->vec;
  size_t lanes = (c->outputs + wide - 1) / wide * wide;
  size_t across = (c->out[2] + ops->rows - 1) / ops->rows;
  double full = 0.9 + 0.1 * (double)(across * ops->rows) / (double)c->out[2];
  double images = (double)(c->images * c->groups), moved = images * (double)(lanes * c->out_size);
  if (weft__conv_pads(c))
    moved += images * (double)(c->inputs * c->in_size) / 2;
  return 500 + quant_blocked_conv_flops(&q) * (double)lanes / (double)c->outputs * full / 100 + moved / 30;
}

static void quant_blocked_conv_geometry(qconv *g) {
  const weft__conv_shape *c = &g->q.c;
  bool plain = g->q.from_plain;
  bool padded = weft__conv_pads(c) || c->begin[1] || c->begin[2];
  g->lane = plain ? 1 : C0;
  g->each = g->ops->pairs ? 2 : 1;
  g->planes = plain ? c->inputs : (c->inputs + C0 - 1) / C0;
  if (plain) {
    g->runs[0] = c->inputs * c->kernel[1];
    g->steps[0] = (c->kernel[2] + 3) / 4;
  } else {
    size_t last = (c->inputs % C0 + 3) / 4;
    g->runs[0] = c->inputs / C0 * c->taps;
    g->steps[0] = C0 / 4;
    if (last) {
      g->runs[1] = c->taps;
      g->steps[1] = last;
    }
  }
  g->copied = padded || plain || g->each > 1 || weft__quant_flip(&g->q.s, g->q.s.x_signed);
  g->rows = padded ? (c->out[1] - 1) * c->stride[1] + (c->kernel[1] - 1) * c->dilation[1] + 1 : c->in[1];
  g->cols = padded ? (c->out[2] - 1) * c->stride[2] + (c->kernel[2] - 1) * c->dilation[2] + 1 : c->in[2];
  g->plane = g->rows * g->cols * g->lane * g->each;
}

static uint32_t quant_blocked_conv_cut(qconv *g) {
  const weft__conv_shape *c = &g->q.c;
  g->across = (c->out[2] + g->ops->rows - 1) / g->ops->rows;
  g->down = c->out[2] <= g->ops->rows / 2 ? WEFT_MIN(2, c->out[1]) : 1;
  g->tiles = g->across * ((c->out[1] + g->down - 1) / g->down);
  g->least = c->out[2] / g->across;
  g->longer = c->out[2] % g->across;
  g->wide = 2 * g->ops->vec;
  g->panels = (c->outputs + g->wide - 1) / g->wide;
  g->panel_size = quads_of(&g->q) * g->wide * g->each;
  g->filters = (c->outputs * c->groups + 15) / 16 * 16;
  size_t input = g->planes * g->plane;
  size_t filters = g->panels * g->panel_size * sizeof(int32_t);
  g->bands = WEFT_MAX(1, WEFT_MIN(g->tiles, (input + BAND - 1) / BAND));
  g->panel_parts = 1;
  // A unit a block and more: first of what is larger, then of both. Small sums take many tiles a call.
  size_t want = weft__product_blocks(WEFT__QUANT_SHARE * quant_blocked_conv_flops(&g->q), 0, 64);
  size_t outer = c->images * c->groups;
  size_t least = (CALL / g->ops->rows + quads_of(&g->q) - 1) / quads_of(&g->q);
  if (filters > input)
    g->panel_parts = weft__parts(g->panels, want, outer * g->bands);
  size_t bands = weft__parts(g->tiles, want, outer * g->panel_parts);
  g->bands = WEFT_MAX(g->bands, WEFT_MIN(bands, g->tiles / least));
  g->panel_parts = WEFT_MAX(g->panel_parts, weft__parts(g->panels, want, outer * g->bands));
  g->units = outer * g->bands * g->panel_parts;
  return want > 1 ? (uint32_t)WEFT_MIN(g->units, MOST_BLOCKS) : 1;
}

static weft_status quant_blocked_conv_tile(weft_tiling *t) {
  qconv *g = t->data;
  const char *no = quant_blocked_conv_read(t, &g->q);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "blocked-conv-bytes: %s", no);
  const weft__conv_shape *c = &g->q.c;
  t->data_bytes = sizeof *g;
  g->ops = weft__quant_find(t->host);
  g->x_arg = (uint32_t)g->q.s.arg[WEFT__SUM_X];
  g->w_arg = (uint32_t)g->q.s.arg[WEFT__SUM_W];
  quant_blocked_conv_geometry(g);
  t->blocks = quant_blocked_conv_cut(g);
  size_t bytes;
  size_t copy;
  if (!weft_mul_size(c->groups * g->panels * g->panel_size + g->filters, sizeof(int32_t), &bytes) ||
      !weft_mul_size(c->images * c->groups * g->planes, g->plane, &copy)) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "blocked-conv-bytes: %zu x %zu filters are too many", c->outputs,
                     c->inputs);
  }
  t->pack_bytes[g->w_arg] = bytes;
  t->pack_key[g->w_arg] =
      (uint64_t)c->groups << 9 | (uint64_t)g->q.from_plain << 8 | (uint64_t)g->ops->pairs << 7 | g->ops->vec;
  t->phases = 2;
  t->n_workspaces = g->copied ? 2 : 1;
  t->workspace_bytes[NUMBERS] = c->groups * g->panels * WEFT__QUANT_PANEL_ROWS * g->wide * sizeof(int32_t);
  if (g->copied)
    t->workspace_bytes[COPY] = copy + SLACK;
  t->scratch_bytes = (g->runs[0] + g->runs[1]) * sizeof(uint32_t);
  return WEFT_OK;
}

// ---- filters ----
typedef struct shape_of_filters {
  const uint8_t *w;
  uint8_t flip;                             // 128 where they are unsigned
  size_t inputs, outputs, high, wide, vec;  // channels of a group; rows and columns of taps
  bool pairs;
} shape_of_filters;

// One quad of all filters of a panel, of the n bytes from `at` on that lie `step` apart.
static int32_t *lanes(const shape_of_filters *f, size_t group, size_t first, size_t at, size_t n, size_t step,
                      int32_t *to) {
  const size_t bytes = f->inputs * f->high * f->wide;
  const size_t filters = WEFT_MIN(2 * f->vec, f->outputs - first);
  const uint8_t *w = f->w + (group * f->outputs + first) * bytes + at;
  uint32_t quads[WEFT__QUANT_COLS] = {0};
  if (n >= 4 && step == 1) {
    for (size_t r = 0; r < filters; r++, w += bytes) {
      memcpy(&quads[r], w, sizeof *quads);
      quads[r] ^= f->flip * 0x01010101u;
    }
  } else {
    for (size_t r = 0; r < filters; r++, w += bytes) {
      for (size_t k = 0; k < WEFT_MIN(n, 4); k++)
        quads[r] |= (uint32_t)(w[k * step] ^ f->flip) << 8 * k;
    }
  }
  return weft__quant_put_quads(quads, f->vec, true, f->pairs, to);
}

static int32_t *quant_blocked_conv_pack_panel(const shape_of_filters *f, bool plain, size_t group,
                                              size_t first, int32_t *to) {
  size_t taps = f->high * f->wide;
  if (plain) {
    for (size_t row = 0; row < f->inputs * f->high; row++) {
      for (size_t x = 0; x < f->wide; x += 4)
        to = lanes(f, group, first, row * f->wide + x, f->wide - x, 1, to);
    }
    return to;
  }
  for (size_t block = 0; block < f->inputs; block += C0) {
    for (size_t t = 0; t < taps; t++) {
      for (size_t i = block; i < WEFT_MIN(block + C0, f->inputs); i += 4)
        to = lanes(f, group, first, i * taps + t, f->inputs - i, taps, to);
    }
  }
  return to;
}

// Sums of the filters, then panels.
static weft_status quant_blocked_conv_pack(const weft_packing *p) {
  const weft_dim *d = p->in->layout.origin.dim;
  size_t groups = (size_t)(p->key >> 9);
  size_t all = (size_t)d[0];
  shape_of_filters f = {.w = weft_packing_read(p, 0, p->in->bytes),
                        .flip = p->in->dtype == WEFT_UINT8 ? 128 : 0,
                        .inputs = (size_t)d[1],
                        .outputs = all / groups,
                        .high = (size_t)d[2],
                        .wide = (size_t)d[3],
                        .vec = p->key & 0x7F,
                        .pairs = p->key >> 7 & 1};
  if (!f.w)
    return WEFT_E_NOMEM;
  size_t each = f.inputs * f.high * f.wide;
  size_t sums = (all + 15) / 16 * 16;
  int32_t *to = p->to;
  memset(to, 0, sums * sizeof *to);
  for (size_t i = 0; i < all; i++) {
    int32_t sum = 0;
    for (size_t k = 0; k < each; k++)
      sum += (int8_t)(f.w[i * each + k] ^ f.flip);
    to[i] = sum;
  }
  to += sums;
  for (size_t group = 0; group < groups; group++) {
    for (size_t first = 0; first < f.outputs; first += 2 * f.vec)
      to = quant_blocked_conv_pack_panel(&f, p->key >> 8 & 1, group, first, to);
  }
  return WEFT_OK;
}

// ---- running ----
static void quant_blocked_conv_copy(const qconv *g, const weft_block *b) {
  const weft__conv_shape *c = &g->q.c;
  const weft__quant_plane p = {.ops = g->ops,
                               .lane = g->lane,
                               .each = g->each,
                               .in = {c->in[1], c->in[2]},
                               .begin = {c->begin[1], c->begin[2]},
                               .cols = g->cols,
                               .flip = weft__quant_flip(&g->q.s, g->q.s.x_signed),
                               .pad = (uint8_t)weft__quant_lane_zero(&g->q.s, b->arg)};
  size_t all = c->images * c->groups * g->planes * g->rows;
  size_t last = weft__share(all, b->block + 1, b->blocks);
  uint8_t *to = b->workspace[COPY];
  for (size_t i = weft__share(all, b->block, b->blocks), n; i < last; i += n) {
    size_t plane = i / g->rows;
    size_t row = i % g->rows;
    n = WEFT_MIN(g->rows - row, last - i);
    weft__quant_blocked_copy(&p, (const uint8_t *)b->arg[g->x_arg] + plane * c->in_size * g->lane, row,
                             row + n, to + plane * g->plane + row * g->cols * g->lane * g->each);
  }
}

static void quant_blocked_conv_find_runs(const qconv *g, uint32_t *at) {
  const weft__conv_shape *c = &g->q.c;
  for (size_t p = 0; p < g->planes; p++) {
    for (size_t ky = 0; ky < c->kernel[1]; ky++) {
      for (size_t kx = 0; kx < (g->q.from_plain ? 1 : c->kernel[2]); kx++) {
        *at++ = (uint32_t)(p * g->plane +
                           (ky * c->dilation[1] * g->cols + kx * c->dilation[2]) * g->lane * g->each);
      }
    }
  }
}

// Summands and factors of the panels, in the order of their lanes: the block's share.
static void quant_blocked_conv_make_numbers(const qconv *g, const weft_block *b) {
  const weft__conv_shape *c = &g->q.c;
  size_t all = c->groups * g->panels;
  for (size_t i = weft__share(all, b->block, b->blocks); i < weft__share(all, b->block + 1, b->blocks); i++) {
    size_t first = i % g->panels * g->wide;
    size_t channel = i / g->panels * c->outputs + first;
    int32_t *rows = (int32_t *)b->workspace[NUMBERS] + i * WEFT__QUANT_PANEL_ROWS * g->wide;
    weft__quant_numbers numbers;
    weft__quant_blocked_numbers(&g->q, b->arg, channel, WEFT_MIN(g->wide, c->outputs - first),
                                (const int32_t *)b->arg[g->w_arg] + channel, &numbers);
    for (size_t j = 0; j < g->wide; j += 4)
      weft__quant_blocked_put(&g->q.s, &numbers, weft__quant_lane(j, g->ops->vec), rows + j, g->wide);
  }
}

typedef struct unit {
  size_t tile0, tile1;
  const uint8_t *x;
  uint8_t *y;
} unit;

// All tiles of a unit, as many as are alike a call; `next`: the panel after this one.
static void quant_blocked_conv_run_panel(const qconv *g, const unit *u, weft__quant_packed *t,
                                         const char *next) {
  const weft__conv_shape *c = &g->q.c;
  size_t lines = g->panel_size * sizeof(int32_t) / 64;
  size_t a_tile = g->panel_size / g->wide;
  for (size_t i = u->tile0; i < u->tile1; i += t->tiles) {
    size_t oy = i / g->across * g->down;
    size_t k = i % g->across;
    size_t done = (i - u->tile0) * a_tile;
    size_t ox = k * g->least + WEFT_MIN(k, g->longer);
    size_t n = g->least + (k < g->longer);
    size_t down = WEFT_MIN(g->down, c->out[1] - oy);
    size_t ahead = next && done < lines ? (lines - done) / a_tile : 0;
    t->tiles = g->across > 1 ? (k < g->longer ? g->longer : g->across) - k : (c->out[1] - oy) / down;
    t->tiles = WEFT_MIN(t->tiles, u->tile1 - i);
    if (ahead)
      t->tiles = WEFT_MIN(t->tiles, ahead);
    t->x_tile = g->across > 1 ? n * t->x_row : down * t->x_down;
    t->x = u->x + oy * t->x_down + ox * t->x_row;
    t->y = u->y + (oy * c->out[2] + ox) * C0;
    t->ahead = ahead ? next + done * 64 : (const char *)t->x;
    t->ahead_step = ahead ? 64 * g->each : 0;
    bool beside = t->x_row == C0 * g->each;
    (down > 1 ? g->ops->packed_rows[beside] : g->ops->packed[beside])[n](t);
  }
}

static void quant_blocked_conv_run_unit(const qconv *g, const weft_block *b, size_t n) {
  const weft__conv_shape *c = &g->q.c;
  size_t part = n % g->panel_parts;
  size_t band = n / g->panel_parts % g->bands;
  // z: image and group
  size_t z = n / g->panel_parts / g->bands;
  size_t group = z % c->groups;
  size_t blocks = (c->outputs * c->groups + C0 - 1) / C0;
  size_t last = weft__share(g->panels, part + 1, g->panel_parts);
  const int32_t *w = (const int32_t *)b->arg[g->w_arg] + g->filters + group * g->panels * g->panel_size;
  uint8_t *y = (uint8_t *)b->arg[g->q.s.y_arg] + z / c->groups * blocks * c->out_size * C0;
  unit u = {weft__share(g->tiles, band, g->bands), weft__share(g->tiles, band + 1, g->bands), NULL, NULL};
  u.x = (const uint8_t *)(g->copied ? b->workspace[COPY] : b->arg[g->x_arg]) + z * g->planes * g->plane;
  weft__quant_panel panel;
  weft__quant_packed t = {.at = b->scratch,
                          .x_row = c->stride[2] * g->lane * g->each,
                          .x_down = c->stride[1] * g->cols * g->lane * g->each,
                          .runs = {g->runs[0], g->runs[1]},
                          .steps = {g->steps[0], g->steps[1]},
                          .panel = &panel};
  weft__quant_blocked_bounds(&g->q.s, b->arg, g->wide, g->wide, &panel);
  for (size_t i = weft__share(g->panels, part, g->panel_parts); i < last; i++) {
    size_t channel = group * c->outputs + i * g->wide;
    const size_t rows = (group * g->panels + i) * WEFT__QUANT_PANEL_ROWS * g->wide;
    weft__quant_blocked_rows(&g->q.s, (const int32_t *)b->workspace[NUMBERS] + rows, g->wide, &panel);
    if (i + 1 == g->panels)
      weft__quant_blocked_bounds(&g->q.s, b->arg, c->outputs - i * g->wide, g->wide, &panel);
    t.w = w + i * g->panel_size;
    u.y = y + channel / C0 * c->out_size * C0 + channel % C0;
    // What comes next, mostly: another unit of this block.
    quant_blocked_conv_run_panel(g, &u, &t, i + 1 < g->panels ? (const char *)(t.w + g->panel_size) : NULL);
  }
}

// Blocks of the output that no panel has reached: the last panels end before the block does.
static void clear_rest(const qconv *g, const weft_block *b) {
  const weft__conv_shape *c = &g->q.c;
  size_t all = c->outputs * c->groups;
  size_t from = (all + g->wide - 1) / g->wide * g->wide % C0;
  size_t blocks = (all + C0 - 1) / C0;
  if (!from)
    return;
  size_t places = c->images * c->out_size;
  for (size_t i = weft__share(places, b->block, b->blocks); i < weft__share(places, b->block + 1, b->blocks);
       i++) {
    size_t image = i / c->out_size;
    size_t at = (image * blocks + blocks - 1) * c->out_size + i % c->out_size;
    memset((uint8_t *)b->arg[g->q.s.y_arg] + at * C0 + from, 0, C0 - from);
  }
}

static weft_status quant_blocked_conv_run(const weft_block *b) {
  const qconv *g = b->data;
  if (b->phase == 0) {
    quant_blocked_conv_make_numbers(g, b);
    if (g->copied)
      quant_blocked_conv_copy(g, b);
    return WEFT_OK;
  }
  quant_blocked_conv_find_runs(g, b->scratch);
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    quant_blocked_conv_run_unit(g, b, i);
  clear_rest(g, b);
  return WEFT_OK;
}

WEFT__QUANT_BLOCKED_KERNEL(quant_blocked_conv, quant_blocked_conv, "Fused", "blocked-conv-bytes");
// SPDX-License-Identifier: Apache-2.0
