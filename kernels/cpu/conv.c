// conv.c - Conv and Conv2D of float, channels first, alone and with what follows them, as products: the sums
// of a group are its filters (rows: output channels, packed once in the order in which they are read) times
// the input (inner: input channel and tap; columns: places of the output). Columns are taken a panel at a
// time, gathered from the input slice by slice into the first cache, where all filters pass over them;
// nothing of the size of the unfolded input is ever made. Padding is zeros in the panel.
//
// Zeros times a filter that is infinite or NaN would differ from the definition, which leaves padding out:
// such groups, marked in front of their filters, are summed number by number.
#include <math.h>

#include "cpu/conv_columns.h"
#include "cpu/vector_math_table.h"

enum { SLICE = 512, IN_PLACE_TILES = 4, MARK = 16 };  // MARK: numbers in front of a group's filters

typedef struct conv {
  const weft__gemm_ops *ops;
  weft__conv_shape c;
  uint32_t x_arg, w_arg, y_arg;
  size_t k, kc, height, tiles, panels, panel_parts, tile_parts, units;
  size_t group_size;                              // numbers of the packed filters of a group
  bool packed, padded, in_place, whole_channels;  // whole_channels: slices are such
  weft__epilogue e;
} conv;

static const char *refuse(const weft_tiling *t) {
  weft__product p;
  weft__conv_shape c;
  weft__epilogue e;
  memset(&c, 0, sizeof c);
  return weft__conv_read(t, &p, &c, &e);
}

static double cost(const weft_tiling *t) {
  weft__product p;
  weft__conv_shape c;
  weft__epilogue e;
  memset(&c, 0, sizeof c);
  if (weft__conv_read(t, &p, &c, &e) || !weft__product_known(t)) return 1e30;
  const weft__gemm_ops *ops = weft__gemm_find();
  size_t panels = (c.out_size + ops->cols - 1) / ops->cols;  // the last one is seldom full
  double waste = (double)(panels * ops->cols) / (double)WEFT_MAX(c.out_size, 1);
  // Gathering: each number, and each tap of each panel, which is dear where a group is small.
  double gather = (double)c.images * (double)c.groups * (double)c.taps *
                  ((double)panels * 15 + (double)c.inputs * (double)c.out_size * 1.6 / ops->cols);
  return 500 + 2 * weft__conv_macs(&c) * waste / (7.5 * ops->cols) + weft__conv_moved(&c) / 15 + gather;
}

static size_t height_of(size_t m, size_t tiles) {
  return tiles ? (m + tiles - 1) / tiles : 1;
}

static void cut(conv *g) {
  const weft__conv_shape *c = &g->c;
  size_t rows = g->ops->rows, m = c->outputs;
  g->k = c->inputs * c->taps;
  g->tiles = (m + rows - 1) / rows;
  g->kc = weft__conv_slice(c, SLICE, &g->whole_channels);
  // One tap at every place needs no gathering, but where many tiles would read rows that meet in the same
  // places of the first cache.
  g->in_place = !g->padded && c->taps == 1 && c->in_size == c->out_size && c->out[0] * c->out[1] == 1 &&
                c->stride[2] == 1 && (g->tiles <= IN_PLACE_TILES || c->in_size % 256);
  g->height = height_of(m, g->tiles);
  g->group_size = g->tiles * g->height * g->k + MARK;
  g->panels = (c->out_size + g->ops->cols - 1) / g->ops->cols;
  size_t outer = WEFT_MAX(c->images * c->groups, 1);
  size_t want = weft__product_blocks(2 * weft__conv_macs(c), 0, 64), each = (want + outer - 1) / outer;
  // Filters beyond the second cache are read by one block only where columns are few.
  if (g->panels <= 8 && g->group_size >= 65536)
    g->panel_parts = 1;
  else
    g->panel_parts = weft__parts(g->panels, want > 1 ? 2 * want : 1, outer);
  size_t more = (each + g->panel_parts - 1) / g->panel_parts;
  g->tile_parts = WEFT_MAX(1, WEFT_MIN(m / 128, WEFT_MIN(more, 8)));  // what is gathered is worth 128 rows
  g->units = m && c->images && c->out_size ? c->images * c->groups * g->panel_parts * g->tile_parts : 0;
}

static weft_status tile(weft_tiling *t) {
  weft__product p;
  conv *g = t->data;
  const char *no = weft__conv_read(t, &p, &g->c, &g->e);
  if (no) return weft_fail(t->d, WEFT_E_KERNEL, "conv: %s", no);
  t->data_bytes = sizeof *g;
  g->ops = weft__gemm_find();
  g->x_arg = (uint32_t)p.arg[0], g->w_arg = (uint32_t)p.arg[1], g->y_arg = t->n_in;
  g->padded = weft__conv_pads(&g->c);
  cut(g);
  size_t bytes = 0;
  if (!weft_mul_size(g->group_size, g->c.groups * sizeof(float), &bytes))
    return weft_fail(t->d, WEFT_E_OVERFLOW, "conv: filters of %zu groups of %zu x %zu are too large",
                     g->c.groups, g->c.outputs, g->k);
  g->packed =
      t->value[g->w_arg] && g->w_arg < WEFT_COUNT(t->pack_bytes) && bytes && g->c.groups <= UINT32_MAX;
  if (g->packed) {
    t->pack_bytes[g->w_arg] = bytes;
    t->pack_key[g->w_arg] = (uint64_t)g->c.groups << 32 | (uint64_t)g->kc << 8 | (uint64_t)g->ops->rows;
  } else {
    t->phases = 2, t->n_workspaces = 1;
    t->workspace_bytes[0] = WEFT_MAX(bytes, 64);
  }
  t->blocks = weft__product_blocks(2 * weft__conv_macs(&g->c), 0, g->units);
  return WEFT_OK;
}

// ---- filters ----
// Filters of one group, m x k, as slices of kc, of tiles of equal shares of the rows, of kc columns with room
// for the highest tile.
static void pack_group(const float *w, size_t m, size_t k, size_t kc, size_t tiles, float *to) {
  size_t height = height_of(m, tiles);
  memset(to, 0, MARK * sizeof *to);
  to[0] = weft__vec_find()->below(w, m * k, INFINITY) ? 0 : 1, to += MARK;
  for (size_t k0 = 0; k0 < k; k0 += kc)
    for (size_t t = 0; t < tiles; t++) {
      size_t first = weft__share(m, t, tiles), last = weft__share(m, t + 1, tiles);
      for (size_t i = k0; i < WEFT_MIN(k0 + kc, k); i++)
        for (size_t r = first; r < first + height; r++) *to++ = r < last ? w[r * k + i] : 0;
    }
}

static weft_status pack(const weft_packing *p) {
  const weft_shape *s = &p->in->layout.origin;
  size_t groups = (size_t)(p->key >> 32), kc = (size_t)(p->key >> 8 & 0xFFFFFF),
         rows = (size_t)(p->key & 0xFF);
  size_t m = (size_t)s->dim[0] / groups, k = 1;
  for (size_t i = 1; i < s->rank; i++) k *= (size_t)s->dim[i];
  size_t tiles = (m + rows - 1) / rows, size = tiles * height_of(m, tiles) * k + MARK;
  for (size_t g = 0; g < groups; g++) {
    const float *w = weft_packing_read(p, g * m * k * sizeof *w, m * k * sizeof *w);
    if (!w) return WEFT_E_NOMEM;
    pack_group(w, m, k, kc, tiles, (float *)p->to + g * size);
  }
  return WEFT_OK;
}

// ---- running ----
typedef struct unit {
  const float *x, *w;
  float *y;
  size_t image, row;  // first channel of the group
  size_t tile0, tile1, panel0, panel1;
} unit;

static void one_slice(const conv *g, const weft_block *b, const unit *u, size_t panel, size_t k0, size_t kc,
                      const float *cols_at, size_t step, float *sums) {
  const weft__conv_shape *c = &g->c;
  size_t col = panel * g->ops->cols, cols = WEFT_MIN(g->ops->cols, c->out_size - col),
         vecs = cols > g->ops->vec;
  const float *w = u->w + MARK + k0 * g->tiles * g->height;
  for (size_t i = u->tile0; i < u->tile1; i++) {
    size_t row = weft__share(c->outputs, i, g->tiles), rows = weft__share(c->outputs, i + 1, g->tiles) - row;
    const float *a = w + i * g->height * kc;
    float *y = u->y + row * c->out_size + col;
    for (size_t r = 0; r < rows; r++) {
      __builtin_prefetch(y + r * c->out_size, 1);
      __builtin_prefetch(y + r * c->out_size + cols - 1, 1);
    }
    g->ops->tile[0][vecs][rows](kc, a, 1, g->height, cols_at, step, sums, (const char *)(a + g->height * kc),
                                64);
    weft__tile_out o = {.y = y,
                        .y_row = c->out_size,
                        .rows = rows,
                        .cols = cols,
                        .batch = u->image,
                        .row = u->row + row,
                        .col = col,
                        .more = k0 > 0,
                        .last = k0 + kc == g->k,
                        .e = &g->e,
                        .arg = b->arg};
    g->ops->finish(sums, &o);
  }
}

typedef struct filters {
  const conv *g;
  const float *w;
} filters;

static float filter_at(const void *ctx, size_t row, size_t k) {
  const conv *g = ((const filters *)ctx)->g;
  size_t k0 = k / g->kc * g->kc, kc = WEFT_MIN(g->kc, g->k - k0), t = 0;
  while (weft__share(g->c.outputs, t + 1, g->tiles) <= row) t++;
  size_t first = weft__share(g->c.outputs, t, g->tiles);
  return ((const filters *)ctx)->w[MARK + (k0 * g->tiles + t * kc + k - k0) * g->height + row - first];
}

static void run_exact(const conv *g, const weft_block *b, const unit *u) {
  _Alignas(64) float sums[WEFT__GEMM_COLS] = {0};
  for (size_t row = weft__share(g->c.outputs, u->tile0, g->tiles);
       row < weft__share(g->c.outputs, u->tile1, g->tiles); row++)
    for (size_t j = u->panel0; j < u->panel1; j++) {
      size_t col = j * g->ops->cols, cols = WEFT_MIN(g->ops->cols, g->c.out_size - col);
      for (size_t i = 0; i < cols; i++)
        sums[i] = weft__conv_exact(&g->c, u->x, col + i, filter_at, &(filters){g, u->w}, row);
      weft__tile_out o = {.y = u->y + row * g->c.out_size + col,
                          .y_row = g->c.out_size,
                          .rows = 1,
                          .cols = cols,
                          .batch = u->image,
                          .row = u->row + row,
                          .col = col,
                          .last = true,
                          .e = &g->e,
                          .arg = b->arg};
      g->ops->finish(sums, &o);
    }
}

static void run_unit(const conv *g, const weft_block *b, const unit *u) {
  _Alignas(64) float panel[SLICE * WEFT__GEMM_COLS], sums[WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  weft__columns places = {.ops = g->ops, .c = &g->c, .whole_channels = g->whole_channels, .x = u->x};
  for (size_t k0 = 0; k0 < WEFT_MAX(g->k, 1); k0 += g->kc) {
    size_t kc = WEFT_MIN(g->kc, g->k - k0);
    for (size_t j = u->panel0; j < u->panel1; j++) {
      size_t first = j * g->ops->cols;
      if (g->in_place && first + g->ops->cols <= g->c.out_size) {
        one_slice(g, b, u, j, k0, kc, u->x + k0 * g->c.in_size + first, g->c.in_size, sums);
        continue;
      }
      places.n = 0;
      weft__columns_add(&places, first, WEFT_MIN(g->ops->cols, g->c.out_size - first), 0);
      weft__columns_gather(&places, k0, k0 + kc, panel);
      one_slice(g, b, u, j, k0, kc, panel, g->ops->cols, sums);
    }
  }
}

static void find_unit(const conv *g, const weft_block *b, size_t n, unit *u) {
  const weft__conv_shape *c = &g->c;
  size_t part = n % g->panel_parts, tile_part = n / g->panel_parts % g->tile_parts;
  size_t z = n / g->panel_parts / g->tile_parts, group = z % c->groups;
  u->image = z / c->groups, u->row = group * c->outputs;
  u->x = (const float *)b->arg[g->x_arg] + z * c->inputs * c->in_size;
  u->w = (const float *)(g->packed ? b->arg[g->w_arg] : b->workspace[0]) + group * g->group_size;
  u->y = (float *)b->arg[g->y_arg] + z * c->outputs * c->out_size;
  u->panel0 = weft__share(g->panels, part, g->panel_parts);
  u->panel1 = weft__share(g->panels, part + 1, g->panel_parts);
  u->tile0 = weft__share(g->tiles, tile_part, g->tile_parts);
  u->tile1 = weft__share(g->tiles, tile_part + 1, g->tile_parts);
}

static weft_status run(const weft_block *b) {
  const conv *g = b->data;
  if (b->phase == 0 && !g->packed) {
    const weft__conv_shape *c = &g->c;
    for (size_t i = weft__share(c->groups, b->block, b->blocks);
         i < weft__share(c->groups, b->block + 1, b->blocks); i++)
      pack_group((const float *)b->arg[g->w_arg] + i * c->outputs * g->k, c->outputs, g->k, g->kc, g->tiles,
                 (float *)b->workspace[0] + i * g->group_size);
    return WEFT_OK;
  }
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++) {
    unit u;
    find_unit(g, b, i, &u);
    if (g->padded && u.w[0] != 0)
      run_exact(g, b, &u);
    else
      run_unit(g, b, &u);
  }
  return WEFT_OK;
}

WEFT__PRODUCT_KERNEL(conv_Conv, "Conv", "conv");
WEFT__PRODUCT_KERNEL(conv_Conv2D, "Conv2D", "conv");
WEFT__PRODUCT_KERNEL(conv_fused, "Fused", "conv");
