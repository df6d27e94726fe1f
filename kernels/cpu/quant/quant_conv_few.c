// quant_conv_few.c - ConvInteger with few places and long sums, the other way round than quant_conv.c: places
// are rows and filters columns, so that no places are wasted and filters are read once. The input becomes
// lanes of four channels, then tiles of places (signed) with their sums; filters lie in panels of columns
// (unsigned, packed once). Results are turned around as they are stored. Phases: lanes, tiles, sums.
#include "cpu/conv/conv_shape.h"
#include "cpu/quant/quant_lanes.h"

enum { LANES = 0, TILES = 1, NUMBERS = 2, MANY_PLACES = 128, LEAST_SUM = 128 };

typedef struct few {
  const weft__quant_ops *ops;
  weft__quant_input in;
  weft__quant_sum s;
  size_t k, tiles, height, panels, wide, units, group_size, tile_size;
} few;

static const char *quant_conv_few_read(const weft_tiling *t, few *g) {
  const char *no = weft__quant_conv_read(t, false, &g->s, &g->in);
  const weft__conv_shape *c = &g->in.c;
  if (no || !weft__product_known(t))
    return no;
  if (!t->value[g->s.arg[WEFT__SUM_W]])
    return "needs constant filters";
  g->ops = weft__quant_find(t->host);
  g->k = c->inputs * c->taps;
  if (c->out_size > MANY_PLACES || g->k < LEAST_SUM || c->outputs < 2 * g->ops->cols)
    return "needs few places, many filters and long sums";
  size_t vecs = (c->out_size + g->ops->vec - 1) / g->ops->vec;
  return vecs * g->ops->vec * 9 > c->out_size * 10 ? NULL : "needs places that do not fill vectors";
}

static const char *quant_conv_few_refuse(const weft_tiling *t) {
  few g;
  memset(&g, 0, sizeof g);
  return quant_conv_few_read(t, &g);
}

static double quant_conv_few_flops(const few *g) {
  const weft__conv_shape *c = &g->in.c;
  return 2.0 * (double)c->images * (double)c->groups * (double)c->outputs * (double)c->out_size *
         (double)g->k;
}

static double quant_conv_few_cost(const weft_tiling *t) {  // below that of quant_conv.c
  few g;
  memset(&g, 0, sizeof g);
  return quant_conv_few_read(t, &g) ? 1e30 : 1000 + quant_conv_few_flops(&g) / 80;
}

static weft_status quant_conv_few_tile(weft_tiling *t) {
  few *g = t->data;
  const char *no = quant_conv_few_read(t, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "conv: %s", no);
  t->data_bytes = sizeof *g;
  const weft__conv_shape *c = &g->in.c;
  size_t outer = c->images * c->groups;
  size_t lanes = 0;
  size_t tiles = 0;
  size_t bytes = 0;
  g->tiles = (c->out_size + g->ops->rows - 1) / g->ops->rows;
  g->height = (c->out_size + g->tiles - 1) / g->tiles;
  g->panels = (c->outputs + g->ops->cols - 1) / g->ops->cols;
  g->wide = g->panels * g->ops->cols;
  g->units = outer * g->panels;
  g->tile_size = g->tiles * g->height * (g->k * g->ops->wide + 1);
  bool fits = weft_mul_size(c->in_size, c->inputs * sizeof(uint32_t), &lanes) &&
              weft_mul_size(lanes, outer, &lanes) &&
              weft_mul_size(g->tile_size, outer * sizeof(int32_t), &tiles) &&
              weft_mul_size(g->wide, g->k + 1, &g->group_size) &&
              weft_mul_size(g->group_size, c->groups * sizeof(uint32_t), &bytes);
  if (!fits) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "conv: %zu groups of %zu x %zu are too large", c->groups,
                     c->outputs, g->k);
  }
  int64_t w = g->s.arg[WEFT__SUM_W];
  t->pack_bytes[w] = bytes;
  t->pack_key[w] = (uint64_t)c->groups << 32 | (uint64_t)1 << 31 | (uint64_t)g->s.moved << 16 | g->ops->cols;
  t->blocks = weft__product_blocks(WEFT__QUANT_SHARE * quant_conv_few_flops(g), 0, WEFT_MAX(g->units, 1));
  t->phases = 3;
  t->n_workspaces = 3;
  t->workspace_bytes[LANES] = lanes + 64;
  t->workspace_bytes[TILES] = tiles + 64;
  t->workspace_bytes[NUMBERS] = c->groups * g->wide * 3 * sizeof(int32_t) + 64;
  return WEFT_OK;
}

// Groups, each: sums of its filters, then panels of quads.
static weft_status quant_conv_few_pack(const weft_packing *p) {
  const weft_shape *s = &p->in->layout.origin;
  size_t groups = (size_t)(p->key >> 32);
  size_t cols = p->key & 0xFFFF;
  size_t channels = (size_t)s->dim[1];
  size_t taps = 1;
  for (size_t i = 2; i < s->rank; i++)
    taps *= (size_t)s->dim[i];
  size_t m = (size_t)s->dim[0] / groups;
  size_t quads = (channels + 3) / 4;
  size_t wide = (m + cols - 1) / cols * cols;
  uint8_t moved = p->key >> 16 & 0x80;
  uint8_t flip = (p->in->dtype == WEFT_INT8 ? 128 : 0) ^ moved;
  const uint8_t *all = weft_packing_read(p, 0, p->in->bytes);
  if (!all)
    return WEFT_E_NOMEM;
  int32_t *sums = p->to;
  for (size_t g = 0; g < groups; g++, sums += wide * (quads * taps + 1)) {
    const uint8_t *w = all + g * m * channels * taps;
    uint8_t *to = (uint8_t *)(sums + wide);
    memset(sums, 0, wide * sizeof *sums);
    for (size_t i = 0; i < m; i++) {
      for (size_t k = 0; k < channels * taps; k++)
        sums[i] += (w[i * channels * taps + k] ^ flip ^ moved) - moved;
    }
    for (size_t panel = 0; panel < wide; panel += cols) {
      for (size_t q = 0; q < quads * taps; q++) {
        for (size_t r = panel; r < panel + cols; r++) {
          for (size_t i = 0; i < 4; i++) {
            size_t channel = q / taps * 4 + i;
            *to++ = r < m && channel < channels ? w[(r * channels + channel) * taps + q % taps] ^ flip : 0;
          }
        }
      }
    }
  }
  return WEFT_OK;
}

// Summand, factor of the places' sums, and scale of each filter. Channels that fill up a quad are x_zero, so
// they count as products.
static void quant_conv_few_numbers(const few *g, const weft_block *b) {
  const weft__conv_shape *c = &g->in.c;
  size_t n = c->groups * g->wide;
  int32_t *add = b->workspace[NUMBERS];
  int32_t *by = add + n;
  float *factor = (float *)(by + n);
  uint32_t zero = (uint32_t)(weft__quant_lane_zero(&g->s, b->arg) - 128 + g->s.moved);
  memset(add, 0, n * 3 * sizeof *add);
  for (size_t i = 0; i < c->groups * c->outputs; i++) {
    size_t group = i / c->outputs;
    size_t at = group * g->wide + i % c->outputs;
    const int32_t *sum = (const int32_t *)b->arg[g->s.arg[WEFT__SUM_W]] + group * g->group_size;
    uint32_t w_zero =
        (uint32_t)(weft__quant_w_zero(&g->s, b->arg, i) + weft__quant_move(&g->s, g->s.w_signed));
    uint32_t bias = (uint32_t)weft__quant_bias(&g->s, b->arg, i);
    add[at] = (int32_t)(bias - zero * (uint32_t)sum[i % c->outputs] + (uint32_t)(4 * g->k) * zero * w_zero);
    by[at] = (int32_t)(0 - w_zero);
    if (g->s.bytes)
      factor[at] = weft__quant_scale(&g->s, b->arg, i);
  }
}

// Lanes of the first tap of places [first, first + n).
static void quant_conv_few_find_places(const weft__conv_shape *c, size_t first, size_t n, size_t *out) {
  for (size_t i = 0; i < n; i++) {
    size_t p = first + i;
    size_t row = p / c->out[2];
    size_t d = row / c->out[1] * c->stride[0];
    size_t h = row % c->out[1] * c->stride[1];
    size_t w = p % c->out[2] * c->stride[2];
    out[i] = (d * c->in[1] + h) * c->in[2] + w;
  }
}

// One tile of places of one group of one image, and the sums of their lanes.
static void make_tile(const few *g, const weft_block *b, size_t z, size_t t) {
  static const uint32_t ones[16] = {0x01010101};  // one column
  _Alignas(64) int32_t sums[WEFT__QUANT_ROWS * WEFT__QUANT_COLS];
  const weft__conv_shape *c = &g->in.c;
  size_t first = weft__share(c->out_size, t, g->tiles);
  size_t n = weft__share(c->out_size, t + 1, g->tiles) - first;
  size_t at[WEFT__QUANT_ROWS];
  size_t step = g->height * g->ops->wide;
  const uint32_t flip = (128u ^ g->s.moved) * 0x01010101u;
  const uint32_t *x = (const uint32_t *)b->workspace[LANES] + z * c->inputs * c->in_size;
  int32_t *tile = (int32_t *)b->workspace[TILES] + z * g->tile_size;
  int32_t *to = tile + t * step * g->k;
  int32_t *from = to;
  quant_conv_few_find_places(c, first, n, at);
  for (size_t i = 0; i < c->inputs; i++) {
    for (size_t k = 0; k < c->taps; k++, to += step) {
      size_t d = k / c->kernel[2] / c->kernel[1] * c->dilation[0];
      size_t h = k / c->kernel[2] % c->kernel[1] * c->dilation[1];
      size_t w = k % c->kernel[2] * c->dilation[2];
      const uint32_t *lane = x + i * c->in_size + (d * c->in[1] + h) * c->in[2] + w;
      for (size_t r = 0; r < n; r++) {
        uint32_t v = lane[at[r]] ^ flip;
        if (g->ops->wide == 1)
          to[r] = (int32_t)v;
        else
          weft__quant_quad(2, (const int8_t *)&v, to + 2 * r);
      }
    }
  }
  g->ops->tile[0][n](&(weft__quant_tile){.k = g->k, .a = from, .a_k = step, .b = ones}, sums);
  for (size_t r = 0; r < n; r++)
    tile[g->tiles * step * g->k + first + r] = sums[r * WEFT__QUANT_COLS];
}

// Rows of places, `cols` filters each, to rows of filters.
static void quant_conv_few_turn(const uint8_t *from, size_t places, size_t cols, uint8_t *y) {
  uint32_t lane[WEFT__QUANT_COLS];
  size_t i = 0;
  for (; i + 4 <= places; i += 4) {
    const uint8_t *row[4];
    for (size_t t = 0; t < 4; t++)
      row[t] = from + (i + t) * WEFT__QUANT_COLS;
    weft__quant_lanes(row, cols, 0, lane);
    for (size_t j = 0; j < cols; j++)
      memcpy(y + j * places + i, &lane[j], sizeof *lane);
  }
  for (; i < places; i++) {
    for (size_t j = 0; j < cols; j++)
      y[j * places + i] = from[i * WEFT__QUANT_COLS + j];
  }
}

static void quant_conv_few_run_unit(const few *g, const weft_block *b, size_t unit) {
  _Alignas(64) int32_t sums[WEFT__QUANT_ROWS * WEFT__QUANT_COLS], out[MANY_PLACES * WEFT__QUANT_COLS];
  const weft__conv_shape *c = &g->in.c;
  size_t panel = unit % g->panels;
  size_t z = unit / g->panels;
  size_t group = z % c->groups;
  size_t cols = g->ops->cols;
  size_t col = panel * cols;
  size_t n = WEFT_MIN(cols, c->outputs - col);
  size_t step = g->height * g->ops->wide;
  const uint32_t *w = (const uint32_t *)b->arg[g->s.arg[WEFT__SUM_W]] + group * g->group_size + g->wide;
  const int32_t *add = (const int32_t *)b->workspace[NUMBERS] + group * g->wide + col;
  const int32_t *tile = (const int32_t *)b->workspace[TILES] + z * g->tile_size;
  size_t all = c->groups * g->wide;
  size_t y = (z * c->outputs + col) * c->out_size;
  for (size_t t = 0; t < g->tiles; t++) {
    size_t first = weft__share(c->out_size, t, g->tiles);
    size_t rows = weft__share(c->out_size, t + 1, g->tiles) - first;
    const weft__quant_tile sum = {g->k, tile + t * step * g->k, step, w + panel * g->k * cols, cols};
    g->ops->tile[1][rows](&sum, sums);
    size_t at = first * WEFT__QUANT_COLS;
    weft__quant_out o = {.y = g->s.bytes ? (void *)((uint8_t *)out + at) : (void *)(out + at),
                         .y_row = WEFT__QUANT_COLS,
                         .rows = rows,
                         .cols = cols,
                         .col_add = add,
                         .row_by = tile + g->tiles * step * g->k + first,
                         .col_by = add + all,
                         .factor = g->s.bytes ? (const float *)add + 2 * all : NULL,
                         .factor_by_col = true};
    weft__quant_bounds(&g->s, b->arg, &o);
    g->ops->finish(sums, &o);
  }
  if (g->s.bytes) {
    quant_conv_few_turn((const uint8_t *)out, c->out_size, n, (uint8_t *)b->arg[g->s.y_arg] + y);
    return;
  }
  int32_t *to = (int32_t *)b->arg[g->s.y_arg] + y;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < c->out_size; i++)
      to[j * c->out_size + i] = out[i * WEFT__QUANT_COLS + j];
  }
}

static weft_status quant_conv_few_run(const weft_block *b) {
  const few *g = b->data;
  const weft__conv_shape *c = &g->in.c;
  size_t n = b->phase == 1 ? c->images * c->groups * g->tiles : g->units;
  if (b->phase == 0) {
    weft__quant_make_lanes(&g->in, &g->s, b, b->workspace[LANES]);
    if (!b->block)
      quant_conv_few_numbers(g, b);
    return WEFT_OK;
  }
  for (size_t i = weft__share(n, b->block, b->blocks); i < weft__share(n, b->block + 1, b->blocks); i++) {
    if (b->phase == 1)
      make_tile(g, b, i / g->tiles, i % g->tiles);
    else
      quant_conv_few_run_unit(g, b, i);
  }
  return WEFT_OK;
}

WEFT__PRODUCT_KERNEL(quant_conv_few, quant_conv_few, "ConvInteger", "few");
// SPDX-License-Identifier: Apache-2.0
