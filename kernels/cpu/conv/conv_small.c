// conv_small.c - Conv and Conv2D of float with few places of output (the last layers of networks), channels
// first, alone and with what follows them. Here places are the rows of the product and output channels its
// columns: few places fill rows better than vectors. A first phase gathers the columns once, two tiles of
// places side by side in a row; then each panel of filters is read once while all places pass over it. The
// sums of a panel are turned round and leave through the epilogue.
#include <math.h>

#include "cpu/move/move_ops.h"
#include "cpu/conv/conv_columns.h"
#include "cpu/rows/polled.h"
#include "cpu/rows/rows_ops.h"

enum { SLICE = 512, PLACES = 224, LEAST_OUTPUTS = 64, MARK = 16 };

typedef struct small {
  const weft__gemm_ops *ops;
  const weft__move_ops *move;
  const weft__conv_ops *columns;
  weft__conv_shape c;
  uint32_t x_arg, w_arg, y_arg;
  size_t k, kc, slices, tiles, pairs, panels, group_size,
      units;  // pairs: of tiles; group_size: of packed filters
  bool padded, whole_channels;
  weft__epilogue e;
} small;

static const char *conv_small_read(const weft_tiling *t, weft__product *p, weft__conv_shape *c,
                                   weft__epilogue *e) {
  const char *no = weft__conv_read(t, p, c, e);
  if (no || !weft__product_known(t))
    return no;
  if (c->out_size > PLACES || c->outputs < LEAST_OUTPUTS)
    return "needs few places and many channels of output";
  if (!weft__product_may_pack(t, p->arg[1]))
    return "needs constant filters";
  return c->inputs ? NULL : "needs input channels";
}

static const char *conv_small_refuse(const weft_tiling *t) {
  weft__product p;
  weft__conv_shape c;
  weft__epilogue e;
  memset(&c, 0, sizeof c);
  return conv_small_read(t, &p, &c, &e);
}

static double conv_small_cost(const weft_tiling *t) {
  weft__product p;
  weft__conv_shape c;
  weft__epilogue e;
  memset(&c, 0, sizeof c);
  if (weft__conv_read(t, &p, &c, &e) || !weft__product_known(t))
    return 1e30;
  const weft__gemm_ops *ops = weft__gemm_find(t->host);
  size_t panels = (c.outputs + ops->cols - 1) / ops->cols;  // the last one is seldom full
  double waste = (double)(panels * ops->cols) / (double)WEFT_MAX(c.outputs, 1);
  double gather = (double)c.images * (double)c.groups * (double)c.taps *
                  (20 + (double)c.inputs * (double)c.out_size * 3.2 / ops->cols);
  return 1000 + 2 * weft__conv_macs(&c) * waste / (7.5 * ops->cols) + weft__conv_moved(&c) / 12 + gather;
}

static weft_status conv_small_tile(weft_tiling *t) {
  weft__product p;
  small *g = t->data;
  const weft__conv_shape *c = &g->c;
  const char *no = conv_small_read(t, &p, &g->c, &g->e);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "conv-small: %s", no);
  t->data_bytes = sizeof *g;
  g->ops = weft__gemm_find(t->host);
  g->move = weft__move_find(t->host);
  g->columns = weft__conv_ops_find(t->host);
  g->x_arg = (uint32_t)p.arg[0];
  g->w_arg = (uint32_t)p.arg[1];
  g->y_arg = t->n_in;
  g->padded = weft__conv_pads(c);
  g->k = c->inputs * c->taps;
  g->kc = weft__conv_slice(c, SLICE, &g->whole_channels);
  g->slices = (g->k + g->kc - 1) / g->kc;
  size_t most = WEFT_MIN(g->ops->rows, g->ops->vec);
  size_t wide = g->ops->cols;
  size_t bytes;
  size_t columns;
  size_t outer = c->images * c->groups;
  g->tiles = (c->out_size + most - 1) / most;
  g->pairs = (g->tiles + 1) / 2;
  g->panels = (c->outputs + wide - 1) / wide;
  g->group_size = g->panels * g->k * wide + MARK;
  if (!weft_mul_size(g->group_size * sizeof(float), c->groups, &bytes) ||
      !weft_mul_size(g->pairs * g->k * wide * sizeof(float), outer, &columns))
    return weft_fail(t->d, WEFT_E_OVERFLOW, "conv-small: %zu x %zu filters are too many", c->outputs, g->k);
  t->pack_bytes[g->w_arg] = bytes;
  t->pack_key[g->w_arg] = (uint64_t)c->groups << 8 | (uint64_t)wide;
  t->phases = 2;
  t->n_workspaces = 1;
  t->workspace_bytes[0] = WEFT_MAX(columns, 64);
  g->units = outer * g->panels;
  t->blocks = weft__product_blocks(2 * weft__conv_macs(c), 0, g->units);
  return WEFT_OK;
}

// Filters of a group in panels of `wide` output channels, k rows each.
static weft_status conv_small_pack(const weft_packing *p) {
  const weft_shape *s = &p->in->layout.origin;
  size_t groups = (size_t)(p->key >> 8);
  size_t wide = (size_t)(p->key & 0xFF);
  size_t m = (size_t)s->dim[0] / groups;
  size_t k = 1;
  for (size_t i = 1; i < s->rank; i++)
    k *= (size_t)s->dim[i];
  const weft__rows_ops *numbers = weft__rows_find(p->host);
  const weft__move_ops *move = weft__move_find(p->host);
  float *to = p->to;
  for (size_t g = 0; g < groups; g++) {
    float *odd = to;
    memset(to, 0, MARK * sizeof *to);
    to += MARK;
    for (size_t j = 0; j < m; j += wide, to += k * wide) {
      size_t rows = WEFT_MIN(wide, m - j);
      const float *w = weft_packing_read(p, (g * m + j) * k * sizeof *w, rows * k * sizeof *w);
      if (!w)
        return WEFT_E_NOMEM;
      if (!numbers->below(w, rows * k, INFINITY))
        *odd = 1;
      if (rows < wide)
        memset(to, 0, k * wide * sizeof *to);
      for (size_t i = 0; i < k; i += 64) {
        move->transpose((const uint32_t *)(w + i), k, (uint32_t *)(to + i * wide), wide, rows,
                        WEFT_MIN(64, k - i));
      }
    }
  }
  return WEFT_OK;
}

static float *columns_of(const small *g, const weft_block *b, size_t z, size_t pair, size_t k) {
  return (float *)b->workspace[0] + ((z * g->pairs + pair) * g->k + k) * g->ops->cols;
}

static void conv_small_gather(const small *g, const weft_block *b) {
  const weft__conv_shape *c = &g->c;
  size_t all = c->images * c->groups * g->pairs * g->slices;
  for (size_t u = weft__share(all, b->block, b->blocks); u < weft__share(all, b->block + 1, b->blocks); u++) {
    size_t k0 = u % g->slices * g->kc;
    size_t pair = u / g->slices % g->pairs;
    size_t z = u / g->slices / g->pairs;
    weft__columns o = {.ops = g->columns,
                       .c = c,
                       .whole_channels = g->whole_channels,
                       .x = (const float *)b->arg[g->x_arg] + z * c->inputs * c->in_size};
    for (size_t t = 2 * pair; t < WEFT_MIN(2 * pair + 2, g->tiles); t++) {
      size_t first = weft__share(c->out_size, t, g->tiles);
      weft__columns_add(&o, first, weft__share(c->out_size, t + 1, g->tiles) - first, t % 2 * g->ops->vec);
    }
    weft__columns_gather(&o, k0, WEFT_MIN(k0 + g->kc, g->k), columns_of(g, b, z, pair, k0));
  }
}

// Sums of the first `rows` channels of a panel: places x channels.
static weft_status sum_panel(const small *g, const weft_block *b, size_t z, const float *w, size_t rows,
                             float *out) {
  size_t work = 0;
  size_t wide = g->ops->cols;
  const bool both = rows > g->ops->vec;  // vectors
  _Alignas(64) float part[WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  for (size_t k0 = 0; k0 < g->k; k0 += g->kc) {
    size_t kc = WEFT_MIN(g->kc, g->k - k0);
    const char *next = (const char *)(w + (k0 + kc) * wide);
    WEFT_TRY(weft__block_work(b, &work, kc * wide * g->c.out_size));
    for (size_t t = 0; t < g->tiles; t++) {
      size_t first = weft__share(g->c.out_size, t, g->tiles);
      size_t n = weft__share(g->c.out_size, t + 1, g->tiles) - first;
      float *to = k0 ? part : out + first * WEFT__GEMM_COLS;
      float *sum = out + first * WEFT__GEMM_COLS;
      weft__tile_in f = {.k = kc,
                         .a = columns_of(g, b, z, t / 2, k0) + t % 2 * g->ops->vec,
                         .a_row = 1,
                         .a_k = wide,
                         .b = w + k0 * wide,
                         .b_k = wide,
                         .ahead = {(const char *)w, 0}};
      if (t * 64 < wide * sizeof *w)
        f.ahead = (weft__ahead){next + t * kc * 64, 64};
      g->ops->tile[0][both][n](&f, to);
      for (size_t i = 0; k0 && i < n; i++) {
        for (size_t j = 0; j < rows; j++)
          sum[i * WEFT__GEMM_COLS + j] += part[i * WEFT__GEMM_COLS + j];
      }
    }
  }
  return WEFT_OK;
}

typedef struct filters {
  const small *g;
  const float *w;
} filters;

static float conv_small_filter_at(const void *ctx, size_t row, size_t k) {
  const filters *f = ctx;
  size_t wide = f->g->ops->cols;
  return f->w[MARK + (row / wide * f->g->k + k) * wide + row % wide];
}

static weft_status conv_small_run_panel(const small *g, const weft_block *b, size_t z, size_t panel) {
  const weft__conv_shape *c = &g->c;
  _Alignas(64) float sum[PLACES * WEFT__GEMM_COLS], turned[WEFT__GEMM_COLS * WEFT__GEMM_COLS];
  size_t wide = g->ops->cols;
  size_t first = panel * wide;
  size_t rows = WEFT_MIN(wide, c->outputs - first);
  size_t group = z % c->groups;
  const float *w = (const float *)b->arg[g->w_arg] + group * g->group_size;
  if (g->padded && w[0] != 0) {
    const float *x = (const float *)b->arg[g->x_arg] + z * c->inputs * c->in_size;
    size_t work = 0;
    for (size_t i = 0; i < c->out_size; i++) {
      WEFT_TRY(weft__block_work(b, &work, g->k * rows));
      for (size_t j = 0; j < rows; j++)
        sum[i * WEFT__GEMM_COLS + j] =
            weft__conv_exact(c, x, i, conv_small_filter_at, &(filters){g, w}, first + j);
    }
  } else {
    WEFT_TRY(sum_panel(g, b, z, w + MARK + panel * g->k * wide, rows, sum));
  }
  for (size_t col = 0; col < c->out_size; col += wide) {
    size_t cols = WEFT_MIN(wide, c->out_size - col);
    if (cols < wide)
      memset(turned, 0, sizeof turned);
    g->move->transpose((const uint32_t *)(sum + col * WEFT__GEMM_COLS), WEFT__GEMM_COLS, (uint32_t *)turned,
                       WEFT__GEMM_COLS, cols, rows);
    weft__tile_out o = {.y = (float *)b->arg[g->y_arg] + (z * c->outputs + first) * c->out_size + col,
                        .y_row = c->out_size,
                        .rows = rows,
                        .cols = cols,
                        .batch = z / c->groups,
                        .row = group * c->outputs + first,
                        .col = col,
                        .last = true,
                        .e = &g->e,
                        .arg = b->arg};
    g->ops->finish(turned, &o);
  }
  return WEFT_OK;
}

static weft_status conv_small_run(const weft_block *b) {
  const small *g = b->data;
  if (b->phase == 0) {
    conv_small_gather(g, b);
    return WEFT_OK;
  }
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    WEFT_TRY(conv_small_run_panel(g, b, i / g->panels, i % g->panels));
  return WEFT_OK;
}

WEFT__PRODUCT_KERNEL(conv_small_Conv, conv_small, "Conv", "conv-small");
WEFT__PRODUCT_KERNEL(conv_small_Conv2D, conv_small, "Conv2D", "conv-small");
WEFT__PRODUCT_KERNEL(conv_small_fused, conv_small, "Fused", "conv-small");
// SPDX-License-Identifier: Apache-2.0
