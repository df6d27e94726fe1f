// quant_conv.c - ConvInteger as products, in the order of conv.c: filters are the signed operand, quads of
// input channels, packed once; the input is copied once into lanes of four channels, with its padding (of
// zero points) around it, and columns of lanes are gathered a panel at a time. What the zero points add is a
// number a filter, and a number a place only where filters have zero points that moving does not take away:
// those sums are made as the product with a filter of ones. Cost: one pass over the input, then the sums.
//
// On AMX's tiles (amx_block.h) the same with tiles of 32 filters; filters then lie in rows, and quads are
// filled up to whole steps with zeros, whatever the columns have there.
#include "cpu/amx/amx_block.h"
#include "cpu/conv/conv_columns.h"
#include "cpu/quant/quant_lanes.h"
#include "cpu/rows/polled.h"

enum { IN_PLACE_TILES = 4, LANES = 0, PANELS = 1, NUMBERS = 2, FILTERS = 3 };

typedef struct qconv {
  const weft__quant_ops *ops;
  const weft__amx_ops *amx;  // NULL: sums by ops
  const weft__conv_ops *gather;
  weft__quant_sum s;
  weft__quant_input in;
  weft__quant_shares rows;        // of filters among tiles
  size_t most_rows, wide, quads;  // of a tile; lanes of a quad of filters; quads of a filter as it lies
  size_t k, tiles, height, panels, panel_parts, tile_parts, units, group_size, filters;
  bool packed, in_place, has_zeros;  // has_zeros: zero points of filters
} qconv;

static size_t round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

static const char *quant_conv_read(const weft_tiling *t, qconv *g) {
  return weft__quant_conv_read(t, true, &g->s, &g->in);
}

static const char *quant_conv_refuse(const weft_tiling *t) {
  qconv g;
  memset(&g, 0, sizeof g);
  return quant_conv_read(t, &g);
}

static double quant_conv_flops(const weft__conv_shape *c) {  // of quads, each about as long as one of floats
  return 2.0 * (double)c->images * (double)c->groups * (double)c->outputs * (double)c->out_size *
         (double)c->inputs * (double)c->taps;
}

// Tiles' panels are gathered for a vector of 32 columns.
static const weft__amx_ops *find_tiles(const weft_tiling *t, const weft__conv_shape *c) {
  return weft__conv_ops_find(t->host)->cols == WEFT__AMX_COLS ? weft__amx_find_bytes(t->host, c->outputs)
                                                              : NULL;
}

static double quant_conv_cost(const weft_tiling *t) {
  qconv g;
  memset(&g, 0, sizeof g);
  if (quant_conv_read(t, &g))
    return 1e30;
  return 1000 + quant_conv_flops(&g.in.c) /
                    (find_tiles(t, &g.in.c) ? 150 : 60);  // tiles: others measured 2 to 3 times
}

// Rows of a tile as it lies: whole tiles of AMX, which are read as such.
static size_t height_of(size_t outputs, size_t tiles, size_t most_rows) {
  return most_rows == WEFT__AMX_ROWS ? most_rows : tiles ? (outputs + tiles - 1) / tiles : 1;
}

static void quant_conv_cut(qconv *g) {
  const weft__conv_shape *c = &g->in.c;
  g->k = g->quads = c->inputs * c->taps;
  if (g->amx)
    g->quads = round_up(g->k, WEFT__AMX_LANE);
  g->most_rows = g->amx ? WEFT__AMX_ROWS : g->ops->rows;
  g->wide = g->amx ? 1 : g->ops->wide;
  g->tiles = (c->outputs + g->most_rows - 1) / g->most_rows;
  g->rows = weft__quant_shares_of(c->outputs, g->tiles);
  g->height = height_of(c->outputs, g->tiles, g->most_rows);
  g->in_place = !weft__conv_pads(c) && c->taps == 1 && c->in_size == c->out_size &&
                c->out[0] * c->out[1] == 1 && c->stride[2] == 1 && g->tiles <= IN_PLACE_TILES;
  g->filters = round_up(c->outputs * c->groups, 16);
  g->group_size = g->tiles * g->height * g->quads * g->wide;
  g->panels = (c->out_size + g->ops->cols - 1) / g->ops->cols;
  size_t outer = WEFT_MAX(c->images * c->groups, 1);
  size_t want = weft__product_blocks(WEFT__QUANT_SHARE * quant_conv_flops(c), 0, 64);
  size_t each = (want + outer - 1) / outer;
  g->panel_parts = WEFT_MAX(1, WEFT_MIN(g->panels, each));
  size_t more = (each + g->panel_parts - 1) / g->panel_parts;
  g->tile_parts = WEFT_MAX(1, WEFT_MIN(c->outputs / 128, WEFT_MIN(more, 8)));
  g->units =
      c->outputs && c->images && c->out_size ? c->images * c->groups * g->panel_parts * g->tile_parts : 0;
}

static weft_status quant_conv_tile(weft_tiling *t) {
  qconv *g = t->data;
  const char *no = quant_conv_read(t, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "conv: %s", no);
  t->data_bytes = sizeof *g;
  g->ops = weft__quant_find(t->host);
  g->gather = weft__conv_ops_find(t->host);
  g->amx = find_tiles(t, &g->in.c);
  if (g->ops->cols != g->gather->cols)
    return weft_fail(t->d, WEFT_E_KERNEL, "conv: columns of %u and %u", g->ops->cols, g->gather->cols);
  quant_conv_cut(g);
  // Filters without zero points once they are signed.
  g->has_zeros = !weft__quant_w_zero_is(t, &g->s, g->s.w_signed ? 0 : 128);
  const weft__conv_shape *c = &g->in.c;
  t->blocks = weft__product_blocks(WEFT__QUANT_SHARE * quant_conv_flops(c), 0, WEFT_MAX(g->units, 1));
  size_t lanes = 0;
  size_t panels = 0;
  size_t bytes = 0;
  bool fits = weft_mul_size(c->in_size, c->inputs * sizeof(uint32_t), &lanes) &&
              weft_mul_size(lanes, c->images * c->groups, &lanes) &&
              weft_mul_size(g->quads, g->ops->cols * sizeof(uint32_t), &panels) &&
              weft_mul_size(g->group_size, c->groups * sizeof(int32_t), &bytes) &&
              weft_mul_size(panels, t->blocks, &panels);
  if (!fits) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "conv: %zu groups of %zu x %zu are too large", c->groups,
                     c->outputs, g->k);
  }
  bytes += g->filters * sizeof(int32_t);
  if (g->amx)
    lanes += WEFT__AMX_LANE * c->in_size * sizeof(uint32_t);  // behind: times zeros
  int64_t w = g->s.arg[WEFT__SUM_W];
  g->packed = weft__product_may_pack(t, w) && c->groups <= UINT32_MAX;
  if (g->packed) {
    t->pack_bytes[w] = bytes;
    t->pack_key[w] = (uint64_t)c->groups << 32 | g->most_rows << 8 | g->wide;
  }
  t->phases = 2;
  t->n_workspaces = 4;
  t->workspace_bytes[LANES] = WEFT_MAX(lanes, 64);
  t->workspace_bytes[PANELS] = WEFT_MAX(panels, 64);
  t->workspace_bytes[NUMBERS] = g->filters * 3 * sizeof(int32_t) + 64;
  t->workspace_bytes[FILTERS] = g->packed ? 64 : WEFT_MAX(bytes, 64);
  return WEFT_OK;
}

// ---- filters ----
typedef struct filters {
  const uint8_t *w;
  uint8_t flip;  // 128 where they are unsigned
  size_t groups, outputs, channels, taps, rows, wide;
} filters;

static int8_t signed_byte(const filters *f, size_t i) {
  return (int8_t)(f->w[i] ^ f->flip);
}

// Quad q, of all taps of four channels, of filter r of a group.
static void quad_of(const filters *f, size_t g, size_t r, size_t q, int8_t b[4]) {
  for (size_t i = 0; i < 4; i++) {
    size_t channel = q / f->taps * 4 + i;
    b[i] = 0;
    if (channel < f->channels)
      b[i] = signed_byte(f, ((g * f->outputs + r) * f->channels + channel) * f->taps + q % f->taps);
  }
}

// Filters [first, last) side by side, with room for `height` of them. Returns lanes written.
static size_t pack_columns(const filters *f, size_t g, size_t first, size_t last, size_t height,
                           int32_t *to) {
  size_t quads = (f->channels + 3) / 4 * f->taps;
  size_t n = 0;
  for (size_t q = 0; q < quads; q++) {
    for (size_t r = first; r < first + height; r++) {
      int8_t b[4] = {0};
      if (r < last)
        quad_of(f, g, r, q, b);
      n += weft__quant_quad((uint32_t)f->wide, b, to + n);
    }
  }
  return n;
}

// The same in rows, as AMX's tiles have them.
static size_t pack_rows(const filters *f, size_t g, size_t first, size_t last, int32_t *to) {
  size_t quads = (f->channels + 3) / 4 * f->taps;
  size_t line = round_up(quads, WEFT__AMX_LANE);
  memset(to, 0, WEFT__AMX_ROWS * line * sizeof *to);
  for (size_t r = first; r < last; r++) {
    for (size_t q = 0; q < quads; q++) {
      int8_t b[4];
      quad_of(f, g, r, q, b);
      memcpy(to + (r - first) * line + q, b, sizeof b);
    }
  }
  return WEFT__AMX_ROWS * line;
}

// Tiles of quads: taps of all channels, four at a time; then how many filters lie side by side. Sums of the
// filters first.
static void pack_filters(const filters *f, int32_t *to) {
  size_t m = f->groups * f->outputs;
  size_t tiles = (f->outputs + f->rows - 1) / f->rows;
  size_t height = height_of(f->outputs, tiles, f->rows);
  weft__quant_shares rows = weft__quant_shares_of(f->outputs, tiles);
  memset(to, 0, round_up(m, 16) * sizeof *to);
  for (size_t i = 0; i < m; i++) {
    for (size_t k = 0; k < f->channels * f->taps; k++)
      to[i] += signed_byte(f, i * f->channels * f->taps + k);
  }
  to += round_up(m, 16);
  for (size_t g = 0; g < f->groups; g++) {
    for (size_t t = 0; t < tiles; t++) {
      size_t first = weft__quant_row(rows, t);
      size_t last = weft__quant_row(rows, t + 1);
      if (f->rows == WEFT__AMX_ROWS)
        to += pack_rows(f, g, first, last, to);
      else
        to += pack_columns(f, g, first, last, height, to);
    }
  }
}

static weft_status quant_conv_pack(const weft_packing *p) {
  const weft_shape *s = &p->in->layout.origin;
  const uint8_t *w = weft_packing_read(p, 0, p->in->bytes);
  if (!w)
    return WEFT_E_NOMEM;
  filters f = {.w = w,
               .flip = p->in->dtype == WEFT_UINT8 ? 128 : 0,
               .groups = (size_t)(p->key >> 32),
               .channels = (size_t)s->dim[1],
               .taps = 1,
               .rows = p->key >> 8 & 0xFF,
               .wide = p->key & 0xFF};
  f.outputs = (size_t)s->dim[0] / f.groups;
  for (size_t i = 2; i < s->rank; i++)
    f.taps *= (size_t)s->dim[i];
  pack_filters(&f, p->to);
  return WEFT_OK;
}

static const int32_t *filters_at(const qconv *g, const weft_block *b) {
  return g->packed ? b->arg[g->s.arg[WEFT__SUM_W]] : b->workspace[FILTERS];
}

// Summand, factor of the columns' sums, and scale of each filter.
static void quant_conv_numbers(const qconv *g, const weft_block *b) {
  int32_t *add = b->workspace[NUMBERS];
  int32_t *by = add + g->filters;
  float *factor = (float *)(by + g->filters);
  const int32_t *sum = filters_at(g, b);
  uint32_t zero = (uint32_t)weft__quant_lane_zero(&g->s, b->arg);
  uint32_t all = (uint32_t)(4 * g->k);
  for (size_t i = 0; i < g->in.c.groups * g->in.c.outputs; i++) {
    uint32_t w_zero = (uint32_t)(weft__quant_w_zero(&g->s, b->arg, i) - (g->s.w_signed ? 0 : 128));
    uint32_t bias = (uint32_t)weft__quant_bias(&g->s, b->arg, i);
    add[i] = (int32_t)(bias - zero * (uint32_t)sum[i] + all * zero * w_zero);
    by[i] = (int32_t)(0 - w_zero);
    if (g->s.bytes)
      factor[i] = weft__quant_scale(&g->s, b->arg, i);
  }
}

static void quant_conv_prepare(const qconv *g, const weft_block *b) {
  const weft__conv_shape *c = &g->in.c;
  weft__quant_make_lanes(&g->in, &g->s, b, b->workspace[LANES]);
  if (b->block)
    return;
  filters f = {b->arg[g->s.arg[WEFT__SUM_W]],
               g->s.w_signed ? 0 : 128,
               c->groups,
               c->outputs,
               g->in.channels,
               c->taps,
               g->most_rows,
               g->wide};
  if (!g->packed)
    pack_filters(&f, b->workspace[FILTERS]);
  quant_conv_numbers(g, b);
}

// ---- running ----
// Some tiles of filters over a panel of columns, which lie at `at`, `step` lanes from quad to quad.
typedef struct panel_part {
  size_t z, panel, tile0, tile1;  // z: image and group
  const uint32_t *at;
  size_t step;
} panel_part;

static void quant_conv_one_panel(const qconv *g, const weft_block *b, const panel_part *p) {
  _Alignas(64) int32_t sums[WEFT__AMX_ROWS * WEFT__QUANT_COLS], by_col[WEFT__QUANT_COLS];
  static const int32_t ones[2][2] = {{0x01010101}, {0x00010001, 0x00010001}};
  const weft__conv_shape *c = &g->in.c;
  size_t col = p->panel * g->ops->cols;
  size_t cols = WEFT_MIN(g->ops->cols, c->out_size - col);
  size_t vecs = cols > g->ops->vec;
  size_t group = p->z % c->groups;
  size_t lanes = g->height * g->wide;
  const int32_t *w = filters_at(g, b) + g->filters + group * g->group_size;
  const int32_t *add = b->workspace[NUMBERS];
  weft__quant_tile sum = {.k = g->k, .a = ones[g->ops->wide - 1], .b = p->at, .b_k = p->step};
  if (g->has_zeros) {
    memset(by_col, 0, sizeof by_col);
    g->ops->tile[vecs][1](&sum, by_col);
  }
  sum.a_k = lanes;
  weft__quant_out bounds;
  weft__quant_bounds(&g->s, b->arg, &bounds);
  for (size_t i = p->tile0; i < p->tile1; i++) {
    size_t row = weft__quant_row(g->rows, i);
    size_t rows = weft__quant_row(g->rows, i + 1) - row;
    size_t first = group * c->outputs + row;
    size_t y = (p->z * c->outputs + row) * c->out_size + col;
    if (g->amx) {
      const weft__amx_bytes s = {.n = g->quads / WEFT__AMX_LANE,
                                 .a = w + i * lanes * g->quads,
                                 .b = p->at,
                                 .a_row = g->quads,
                                 .b_row = p->step,
                                 .tile = sums};
      g->amx->bytes[rows > 16][cols > 16](&s);
    } else {
      sum.a = w + i * lanes * g->k;
      g->ops->tile[vecs][rows](&sum, sums);
    }
    weft__quant_out o = {.y = (char *)b->arg[g->s.y_arg] + y * (g->s.bytes ? 1 : sizeof(int32_t)),
                         .y_row = c->out_size,
                         .rows = rows,
                         .cols = cols,
                         .row_add = add + first,
                         .row_by = g->has_zeros ? add + g->filters + first : NULL,
                         .col_by = by_col,
                         .factor = g->s.bytes ? (const float *)add + 2 * g->filters + first : NULL,
                         .low = bounds.low,
                         .high = bounds.high,
                         .zero = bounds.zero};
    g->ops->finish(sums, &o);
  }
}

static weft_status quant_conv_run_unit(const qconv *g, const weft_block *b, size_t n, size_t *work) {
  const weft__conv_shape *c = &g->in.c;
  size_t part = n % g->panel_parts;
  size_t tile_part = n / g->panel_parts % g->tile_parts;
  size_t z = n / g->panel_parts / g->tile_parts;
  size_t wide = g->ops->cols;
  panel_part p = {.z = z,
                  .tile0 = weft__share(g->tiles, tile_part, g->tile_parts),
                  .tile1 = weft__share(g->tiles, tile_part + 1, g->tile_parts)};
  const uint32_t *x = (const uint32_t *)b->workspace[LANES] + z * c->inputs * c->in_size;
  uint32_t *panel = (uint32_t *)b->workspace[PANELS] + b->block * g->quads * wide;
  weft__columns places = {.ops = g->gather, .c = c, .whole_channels = true, .x = (const float *)x};
  for (size_t j = weft__share(g->panels, part, g->panel_parts);
       j < weft__share(g->panels, part + 1, g->panel_parts); j++) {
    size_t first = j * wide;
    WEFT_TRY(weft__block_work(b, work, g->k * wide * (p.tile1 - p.tile0)));
    p.panel = j;
    p.at = x + first;
    p.step = c->in_size;
    if (!g->in_place || first + wide > c->out_size) {
      places.n = 0;
      weft__columns_add(&places, first, WEFT_MIN(wide, c->out_size - first), 0);
      weft__columns_gather(&places, 0, g->k, (float *)panel);
      p.at = panel;
      p.step = wide;
    }
    quant_conv_one_panel(g, b, &p);
  }
  return WEFT_OK;
}

static weft_status quant_conv_run(const weft_block *b) {
  const qconv *g = b->data;
  weft_status s = WEFT_OK;
  size_t work = 0;
  if (b->phase == 0) {
    quant_conv_prepare(g, b);
    return WEFT_OK;
  }
  if (g->amx)
    g->amx->begin();
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       !s && i < weft__share(g->units, b->block + 1, b->blocks); i++)
    s = quant_conv_run_unit(g, b, i, &work);
  if (g->amx)
    g->amx->end();
  return s;
}

WEFT__PRODUCT_KERNEL(quant_conv, quant_conv, "ConvInteger", "conv");
// SPDX-License-Identifier: Apache-2.0
