// conv_taps.c - Conv and Conv2D of float over one or two axes with few input channels a group (the first
// layers of networks), channels first, alone and with what follows them, as conv.c does, but for the columns:
// no panel of them is gathered. A strip of the input's planes is copied with its padding into the cache,
// sorted by the strides' phases (conv_strips.h), and a tile of outputs by places of a row reads each tap
// where it lies there. Cost: a pass over the input, and that of the product.
//
// Zeros of the padding times a filter that is infinite or NaN are no zeros: such groups are summed number by
// number.
#include <math.h>

#include "cpu/conv/conv_columns.h"
#include "cpu/conv/conv_strips.h"

enum { IN_MAX = 16384, SLACK = 64, MOST_INPUTS = 4, LEAST_OUTPUTS = 6, MARK = WEFT__CONV_MARK };

typedef struct taps {
  const weft__gemm_ops *ops;
  const weft__conv_ops *rows;
  weft__conv_shape c;
  uint32_t x_arg, w_arg, y_arg;
  weft__conv_strips s;                  // taps: of all input channels
  size_t k, tiles, height, group_size;  // of filters, as conv.c packs them in one slice
  size_t strips[2], tile_parts, units;  // strips along rows and columns
  bool padded;
  weft__epilogue e;
} taps;

static const char *conv_taps_read(const weft_tiling *t, weft__product *p, taps *g) {
  const weft__conv_shape *c = &g->c;
  const char *no = weft__conv_read(t, p, &g->c, &g->e);
  if (no || !weft__product_known(t))
    return no;
  if (!c->inputs || c->inputs > MOST_INPUTS || c->outputs < LEAST_OUTPUTS || c->taps == 1)
    return "needs few input channels, more outputs, and taps";
  if (!weft__conv_is_flat(c))
    return "needs one or two axes";
  if (!weft__product_may_pack(t, p->arg[1]) || c->groups > UINT32_MAX)
    return "needs constant filters";
  if (c->inputs * c->taps > WEFT__STRIP_TAPS || !c->out_size ||
      !weft__conv_strips_cut(c, IN_MAX / c->inputs, SIZE_MAX, &g->s))
    return "needs rows and kernels that fit the cache";
  return NULL;
}

static const char *conv_taps_refuse(const weft_tiling *t) {
  weft__product p;
  taps g;
  memset(&g, 0, sizeof g);
  return conv_taps_read(t, &p, &g);
}

static double conv_taps_cost(const weft_tiling *t) {
  weft__product p;
  taps g;
  memset(&g, 0, sizeof g);
  if (conv_taps_read(t, &p, &g) || !weft__product_known(t))
    return 1e30;
  const weft__gemm_ops *ops = weft__gemm_find(t->host);
  const weft__conv_shape *c = &g.c;
  size_t vectors = (c->out[2] + ops->vec - 1) / ops->vec;
  double waste = (double)(vectors * ops->vec) / (double)c->out[2];
  return 450 + 2 * weft__conv_macs(c) * waste / (7.5 * ops->cols) + weft__conv_moved(c) / 15 +
         (double)(c->images * c->groups * c->inputs * c->in_size) / 8;
}

static weft_status conv_taps_tile(weft_tiling *t) {
  weft__product p;
  taps *g = t->data;
  const weft__conv_shape *c = &g->c;
  const char *no = conv_taps_read(t, &p, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "conv-taps: %s", no);
  t->data_bytes = sizeof *g;
  t->scratch_bytes = (IN_MAX + SLACK) * sizeof(float);
  g->ops = weft__gemm_find(t->host);
  g->rows = weft__conv_ops_find(t->host);
  g->x_arg = (uint32_t)p.arg[0];
  g->w_arg = (uint32_t)p.arg[1];
  g->y_arg = t->n_in;
  g->padded = weft__conv_pads(c);
  g->k = c->inputs * c->taps;
  g->tiles = (c->outputs + g->ops->rows - 1) / g->ops->rows;
  g->height = (c->outputs + g->tiles - 1) / g->tiles;
  g->group_size = g->tiles * g->height * g->k + MARK;
  for (size_t k = c->taps; k < g->k; k++)
    g->s.at[k] = g->s.at[k - c->taps] + (uint32_t)g->s.slot;
  if (!weft_mul_size(g->group_size, c->groups * sizeof(float), &t->pack_bytes[g->w_arg]))
    return weft_fail(t->d, WEFT_E_OVERFLOW, "conv-taps: filters of %zu groups are too large", c->groups);
  t->pack_key[g->w_arg] = (uint64_t)c->groups << 32 | (uint64_t)g->k << 8 | g->ops->rows;
  g->strips[0] = (c->out[1] + g->s.p.strip - 1) / g->s.p.strip;
  g->strips[1] = (c->out[2] + g->s.wide - 1) / g->s.wide;
  size_t outer = c->images * c->groups * g->strips[0] * g->strips[1];
  size_t want = weft__product_blocks(2 * weft__conv_macs(c), 0, 64);
  g->tile_parts = WEFT_MIN(g->tiles, outer ? (want + outer - 1) / outer : 1);
  g->units = outer * g->tile_parts;
  t->blocks = weft__product_blocks(2 * weft__conv_macs(c), 0, g->units);
  return WEFT_OK;
}

// ---- running ----
typedef struct unit {
  const taps *g;
  const weft_block *b;
  size_t image, group, tile0, tile1;
  const float *x, *w;  // of the group
  float *y;
  weft__strip_place o;
} unit;

// Sums of tile `i` for n places of a row, from place `at` of a plane of the output on.
static void conv_taps_leave(const unit *u, float *sums, size_t row, size_t rows, size_t at, size_t n) {
  const weft__conv_shape *c = &u->g->c;
  weft__tile_out o = {.y = u->y + row * c->out_size + at,
                      .y_row = c->out_size,
                      .rows = rows,
                      .cols = n,
                      .batch = u->image,
                      .row = u->group * c->outputs + row,
                      .col = at,
                      .last = true,
                      .e = &u->g->e,
                      .arg = u->b->arg};
  u->g->ops->finish(sums, &o);
}

static float conv_taps_filter_at(const void *ctx, size_t row, size_t k) {
  const unit *u = ctx;
  size_t t = 0;
  size_t m = u->g->c.outputs;
  size_t tiles = u->g->tiles;
  size_t height = u->g->height;
  while (weft__tile_row(m, tiles, height, t + 1) <= row)
    t++;
  return u->w[MARK + (t * u->g->k + k) * height + row - weft__tile_row(m, tiles, height, t)];
}

static void sum_exactly(const unit *u, size_t row, size_t rows, size_t at, size_t n, float *sums) {
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < n; i++)
      sums[r * WEFT__GEMM_COLS + i] =
          weft__conv_exact(&u->g->c, u->x, at + i, conv_taps_filter_at, u, row + r);
  }
}

static void run_strip(const unit *u, float *in) {
  const taps *g = u->g;
  const weft__conv_shape *c = &g->c;
  const weft__strip_place *o = &u->o;
  _Alignas(64) float sums[WEFT__GEMM_ROWS * WEFT__GEMM_COLS] = {0};
  bool exact = g->padded && u->w[0] != 0;
  memset(in, 0, (c->inputs * g->s.slot + SLACK) * sizeof *in);
  for (size_t k = 0; k < c->inputs; k++)
    weft__conv_strip_copy(g->rows, c, &g->s, u->x + k * c->in_size, o, in + k * g->s.slot);
  for (size_t i = 0; i < o->rows; i++) {
    for (size_t j = 0, n; j < o->cols; j += n) {
      size_t at = (o->row + i) * c->out[2] + o->col + j;
      n = WEFT_MIN(g->ops->cols, o->cols - j);
      for (size_t t = u->tile0; t < u->tile1; t++) {
        size_t row = weft__tile_row(c->outputs, g->tiles, g->height, t);
        size_t rows = weft__tile_row(c->outputs, g->tiles, g->height, t + 1) - row;
        if (exact)
          sum_exactly(u, row, rows, at, n, sums);
        else {
          g->ops->tile_taps[n > g->ops->vec][rows](g->k, u->w + MARK + t * g->k * g->height, g->height,
                                                   in + i * g->s.p.pitch + j, g->s.at, sums);
        }
        conv_taps_leave(u, sums, row, rows, at, n);
      }
    }
  }
}

static void conv_taps_run_unit(const taps *g, const weft_block *b, size_t n, float *in) {
  const weft__conv_shape *c = &g->c;
  size_t part = n % g->tile_parts;
  size_t rest = n / g->tile_parts;
  size_t col = rest % g->strips[1] * g->s.wide;
  size_t row = rest / g->strips[1] % g->strips[0] * g->s.p.strip;
  size_t z = rest / g->strips[1] / g->strips[0];
  unit u = {.g = g,
            .b = b,
            .image = z / c->groups,
            .group = z % c->groups,
            .tile0 = weft__share(g->tiles, part, g->tile_parts),
            .tile1 = weft__share(g->tiles, part + 1, g->tile_parts),
            .x = (const float *)b->arg[g->x_arg] + z * c->inputs * c->in_size,
            .y = (float *)b->arg[g->y_arg] + z * c->outputs * c->out_size,
            .o = {row, col, WEFT_MIN(g->s.p.strip, c->out[1] - row), WEFT_MIN(g->s.wide, c->out[2] - col)}};
  u.w = (const float *)b->arg[g->w_arg] + u.group * g->group_size;
  run_strip(&u, in);
}

static weft_status conv_taps_run(const weft_block *b) {
  const taps *g = b->data;
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    conv_taps_run_unit(g, b, i, b->scratch);
  return WEFT_OK;
}

#define KERNEL(symbol, operator)                                                                        \
  WEFT__PRODUCT_KERNEL_WITH(symbol, conv_taps, operator, "conv-taps", .tiling_bytes_max = sizeof(taps), \
                            .pack = weft__conv_pack, .flags = WEFT_KERNEL_PACKS_PIECES)
KERNEL(conv_taps_Conv, "Conv");
KERNEL(conv_taps_Conv2D, "Conv2D");
KERNEL(conv_taps_fused, "Fused");
// SPDX-License-Identifier: Apache-2.0
