// conv.c - Conv and Conv2D of float, channels first, alone and with what follows them, as products: the sums
// of a group are its filters (rows: output channels, packed once in the order in which they are read) times
// the input (inner: input channel and tap; columns: places of the output). Columns are taken a panel at a
// time, gathered from the input slice by slice into the first cache, where all filters pass over them;
// nothing of the size of the unfolded input is ever made. Padding is zeros in the panel.
//
// Where the precision mode lets operands be rounded to bf16, "conv-bf16" does the same with pairs of rows of
// the inner dimension (bf16_block.h): a panel is rounded when it is gathered, filters when they are packed,
// each output channel's pairs side by side.
//
// Zeros times a filter that is infinite or NaN would differ from the definition, which leaves padding out:
// such groups, marked in front of their filters, are summed number by number.
#include <math.h>

#include "cpu/bf16/bf16_block.h"
#include "cpu/conv/conv_columns.h"
#include "cpu/rows/polled.h"
#include "cpu/rows/rows_ops.h"

enum { SLICE = 512, IN_PLACE_TILES = 4, MARK = WEFT__CONV_MARK };

typedef struct conv {
  const weft__rows_ops *vec;
  const weft__conv_ops *columns;
  const weft__gemm_ops *ops;
  const weft__bf16_ops *pairs;  // NULL: float
  weft__conv_shape c;
  uint32_t x_arg, w_arg, y_arg;
  size_t most_rows;  // of a tile
  size_t k, kc, height, tiles, panels, panel_parts, tile_parts, units;
  size_t group_size;                              // numbers of the packed filters of a group
  bool packed, padded, in_place, whole_channels;  // whole_channels: slices are such
  bool straight;  // tiles of whole panels, and of few columns, leave from registers: one slice, the usual
                  // steps
  weft__epilogue e;
} conv;

static const char *conv_refuse(const weft_tiling *t) {
  weft__product p;
  weft__conv_shape c;
  weft__epilogue e;
  memset(&c, 0, sizeof c);
  return weft__conv_read(t, &p, &c, &e);
}

static const char *conv_refuse_bf16(const weft_tiling *t) {
  weft__product p;
  weft__conv_shape c;
  weft__epilogue e;
  memset(&c, 0, sizeof c);
  if (t->precision != WEFT_PRECISION_BF16)
    return "the precision mode keeps float";
  const char *no = weft__conv_read(t, &p, &c, &e);
  if (no)
    return no;
  return weft__product_may_pack(t, p.arg[1]) ? NULL : "needs constant filters";
}

// Panels that the sums take the time of: the last one is seldom full.
static double full_panels(const weft__gemm_ops *ops, const weft__conv_shape *c, const weft__epilogue *e) {
  size_t rest = c->out_size % ops->cols;
  weft__usual u;
  bool few = rest <= WEFT__GEMM_FEW && c->inputs * c->taps <= SLICE && weft__usual_of(e, e->n, &u);
  return (double)(c->out_size / ops->cols) + (few || !rest ? 0.08 * (double)rest : 1);
}

// `speed`: operations a nanosecond for each column of a tile; `rounds`: nanoseconds for each number of a
// panel.
static double cost_with(const weft_tiling *t, double speed, double rounds) {
  weft__product p;
  weft__conv_shape c;
  weft__epilogue e;
  memset(&c, 0, sizeof c);
  if (weft__conv_read(t, &p, &c, &e) || !weft__product_known(t))
    return 1e30;
  const weft__gemm_ops *ops = weft__gemm_find(t->host);
  size_t panels = (c.out_size + ops->cols - 1) / ops->cols;
  double waste = full_panels(ops, &c, &e) * ops->cols / (double)WEFT_MAX(c.out_size, 1);
  // Gathering: each number, and each tap of each panel, which is dear where a group is small.
  double gather = (double)c.images * (double)c.groups * (double)c.taps *
                  ((double)panels * 15 + (double)c.inputs * (double)c.out_size * 1.6 / ops->cols);
  gather += rounds * (double)(c.images * c.groups * panels * ops->cols) * (double)(c.inputs * c.taps);
  return 500 + 2 * weft__conv_macs(&c) * waste / (speed * ops->cols) + weft__conv_moved(&c) / 15 + gather;
}

static double conv_cost(const weft_tiling *t) {
  return cost_with(t, 7.5, 0);
}

static double conv_cost_bf16(const weft_tiling *t) {
  // Where it is always taken: behind those of packed tensors.
  if (weft__cpu_bf16_always(t->host))
    return 0.1 * conv_cost(t);
  return cost_with(t, weft__bf16_find(t->host)->dots ? 12 : 5.5, 0.04);
}

// Of the inner dimension: numbers, or pairs of them.
static size_t steps_of(const conv *g, size_t k) {
  return g->pairs ? (k + 1) / 2 : k;
}

// In operations of float.
static double conv_work(const conv *g) {
  return weft__conv_macs(&g->c) * (g->pairs ? 1 : 2);
}

static size_t row_of(const conv *g, size_t tile) {
  return weft__tile_row(g->c.outputs, g->tiles, g->height, tile);
}

static size_t height_of(size_t m, size_t tiles) {
  return tiles ? (m + tiles - 1) / tiles : 1;
}

// Slices of the inner dimension; of pairs both lie in one.
static void conv_cut_slices(conv *g) {
  const weft__conv_shape *c = &g->c;
  g->k = c->inputs * c->taps;
  g->kc = weft__conv_slice(c, SLICE, &g->whole_channels);
  const bool odd = g->pairs && g->kc < g->k && g->kc % 2;
  if (!odd)
    return;
  g->whole_channels &= g->kc > c->taps;
  g->kc = g->whole_channels ? g->kc - c->taps : WEFT_MAX(2, g->kc - 1);
}

// One tap at every place needs no gathering, but where many tiles would read rows that meet in the same
// places of the first cache.
static bool conv_reads_in_place(const conv *g) {
  const weft__conv_shape *c = &g->c;
  const bool one_row = c->out[0] * c->out[1] == 1 && c->in_size == c->out_size;
  const bool each_place = c->taps == 1 && c->stride[2] == 1;
  const bool apart = g->tiles <= IN_PLACE_TILES || c->in_size % 256;
  return !g->padded && one_row && each_place && (g->pairs || apart);
}

static void conv_cut(conv *g) {
  const weft__conv_shape *c = &g->c;
  size_t rows = g->most_rows;
  size_t m = c->outputs;
  conv_cut_slices(g);
  g->tiles = (m + rows - 1) / rows;
  g->in_place = conv_reads_in_place(g);
  g->height = height_of(m, g->tiles);
  g->group_size = g->tiles * g->height * steps_of(g, g->k) + MARK;
  g->panels = (c->out_size + g->ops->cols - 1) / g->ops->cols;
  weft__usual u;
  g->straight = g->k && g->kc == g->k && weft__usual_of(&g->e, g->e.n, &u);
  size_t outer = WEFT_MAX(c->images * c->groups, 1);
  size_t want = weft__product_blocks(conv_work(g), 0, 64);
  size_t each = (want + outer - 1) / outer;
  // Filters beyond the second cache are read by one block only where columns are few.
  if (g->panels <= 8 && g->group_size >= 65536)
    g->panel_parts = 1;
  else
    g->panel_parts = weft__parts(g->panels, want > 1 ? 2 * want : 1, outer);
  size_t more = (each + g->panel_parts - 1) / g->panel_parts;
  g->tile_parts = WEFT_MAX(1, WEFT_MIN(m / 128, WEFT_MIN(more, 8)));  // what is gathered is worth 128 rows
  g->units = m && c->out_size ? c->images * c->groups * g->panel_parts * g->tile_parts : 0;
}

static weft_status conv_tile_with(weft_tiling *t, const weft__bf16_ops *pairs) {
  weft__product p;
  conv *g = t->data;
  const char *no = pairs ? conv_refuse_bf16(t) : NULL;
  if (!no)
    no = weft__conv_read(t, &p, &g->c, &g->e);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "conv: %s", no);
  t->data_bytes = sizeof *g;
  g->vec = weft__rows_find(t->host);
  g->columns = weft__conv_ops_find(t->host);
  g->ops = weft__gemm_find(t->host);
  g->pairs = pairs;
  g->most_rows = pairs ? pairs->rows : g->ops->rows;
  g->x_arg = (uint32_t)p.arg[0];
  g->w_arg = (uint32_t)p.arg[1];
  g->y_arg = t->n_in;
  g->padded = weft__conv_pads(&g->c);
  conv_cut(g);
  size_t bytes = 0;
  if (!weft_mul_size(g->group_size, g->c.groups * sizeof(float), &bytes)) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "conv: filters of %zu groups of %zu x %zu are too large",
                     g->c.groups, g->c.outputs, g->k);
  }
  g->packed = weft__product_may_pack(t, g->w_arg) && bytes && g->c.groups <= UINT32_MAX;
  if (g->packed) {
    t->pack_bytes[g->w_arg] = bytes;
    t->pack_key[g->w_arg] = (uint64_t)g->c.groups << 32 | (uint64_t)g->kc << 8 | (uint64_t)g->most_rows;
  } else {
    t->phases = 2;
    t->n_workspaces = 1;
    t->workspace_bytes[0] = WEFT_MAX(bytes, 64);
  }
  t->blocks = weft__product_blocks(conv_work(g), 0, g->units);
  return WEFT_OK;
}

static weft_status conv_tile(weft_tiling *t) {
  return conv_tile_with(t, NULL);
}
static weft_status conv_tile_bf16(weft_tiling *t) {
  return conv_tile_with(t, weft__bf16_find(t->host));
}

// ---- filters ----
// How the filters of a group, m x k, are cut: into slices of kc, of tiles of equal shares of the rows.
typedef struct filter_cut {
  size_t m, k, kc, tiles;
} filter_cut;

// One group: of a tile of a slice kc columns with room for the highest tile.
static void pack_group(const weft__rows_ops *vec, const float *w, const filter_cut *cut, float *to) {
  const size_t m = cut->m;
  const size_t k = cut->k;
  const size_t kc = cut->kc;
  const size_t tiles = cut->tiles;
  size_t height = height_of(m, tiles);
  memset(to, 0, MARK * sizeof *to);
  to[0] = vec->below(w, m * k, INFINITY) ? 0 : 1;
  to += MARK;
  for (size_t k0 = 0; k0 < k; k0 += kc) {
    for (size_t t = 0; t < tiles; t++) {
      size_t first = weft__tile_row(m, tiles, height, t);
      size_t last = weft__tile_row(m, tiles, height, t + 1);
      for (size_t i = k0; i < WEFT_MIN(k0 + kc, k); i++) {
        for (size_t r = first; r < first + height; r++)
          *to++ = r < last ? w[r * k + i] : 0;
      }
    }
  }
}

// The same as pairs: of a slice of a tile each row's lie side by side.
static void pack_pairs(const weft__bf16_ops *ops, const weft__rows_ops *vec, const float *w,
                       const filter_cut *cut, float *marked) {
  const size_t m = cut->m;
  const size_t k = cut->k;
  const size_t kc = cut->kc;
  const size_t tiles = cut->tiles;
  size_t height = height_of(m, tiles);
  uint32_t *to = (uint32_t *)(void *)(marked + MARK);
  memset(marked, 0, MARK * sizeof *marked);
  if (!vec->below(w, m * k, WEFT__BF16_LARGE))
    marked[0] = 1;
  for (size_t k0 = 0; k0 < k; k0 += kc) {
    size_t n = WEFT_MIN(kc, k - k0);
    size_t steps = (n + 1) / 2;
    for (size_t t = 0; t < tiles; t++) {
      size_t first = weft__tile_row(m, tiles, height, t);
      size_t last = weft__tile_row(m, tiles, height, t + 1);
      for (size_t r = first; r < first + height; r++, to += steps) {
        if (r < last)
          ops->pairs(to, w + r * k + k0, n);
        else
          memset(to, 0, steps * sizeof *to);
      }
    }
  }
}

static weft_status pack_with(const weft_packing *p, const weft__bf16_ops *pairs) {
  const weft_shape *s = &p->in->layout.origin;
  size_t groups = (size_t)(p->key >> 32);
  size_t rows = (size_t)(p->key & 0xFF);
  filter_cut cut = {.m = (size_t)s->dim[0] / groups, .k = 1, .kc = (size_t)(p->key >> 8 & 0xFFFFFF)};
  for (size_t i = 1; i < s->rank; i++)
    cut.k *= (size_t)s->dim[i];
  cut.tiles = (cut.m + rows - 1) / rows;
  size_t steps = pairs ? (cut.k + 1) / 2 : cut.k;
  size_t size = cut.tiles * height_of(cut.m, cut.tiles) * steps + MARK;
  size_t filters = cut.m * cut.k * sizeof(float);
  for (size_t g = 0; g < groups; g++) {
    const float *w = weft_packing_read(p, g * filters, filters);
    float *to = (float *)p->to + g * size;
    if (!w)
      return WEFT_E_NOMEM;
    if (pairs)
      pack_pairs(pairs, weft__rows_find(p->host), w, &cut, to);
    else
      pack_group(weft__rows_find(p->host), w, &cut, to);
  }
  return WEFT_OK;
}

weft_status weft__conv_pack(const weft_packing *p) {
  return pack_with(p, NULL);
}
static weft_status conv_pack(const weft_packing *p) {
  return weft__conv_pack(p);
}
static weft_status conv_pack_bf16(const weft_packing *p) {
  return pack_with(p, weft__bf16_find(p->host));
}

// ---- running ----
typedef struct unit {
  const float *x, *w;
  float *y;
  size_t image, row;  // first channel of the group
  size_t tile0, tile1, panel0, panel1;
} unit;

// Does a panel of so many columns leave from registers?
static bool is_straight(const conv *g, size_t cols) {
  return g->straight && (cols == g->ops->cols || (cols <= WEFT__GEMM_FEW && !g->pairs));
}

// All tiles of a panel of so many columns.
static void straight_panel(const conv *g, const weft_block *b, const unit *u, const weft__panel_slice *p,
                           size_t cols) {
  const weft__conv_shape *c = &g->c;
  weft__usual s;
  weft__usual_of(&g->e, g->e.n, &s);
  size_t col = p->panel * g->ops->cols;
  size_t at = row_of(g, u->tile0);
  const weft__tile_out first = {.y = u->y + at * c->out_size + col,
                                .y_row = c->out_size,
                                .batch = u->image,
                                .row = u->row + at,
                                .col = col,
                                .arg = b->arg};
  weft__rows_out o = weft__rows_out_of(&first, &s);
  size_t steps = steps_of(g, g->k);
  size_t high = g->tiles + c->outputs - g->tiles * g->height;
  weft__tile_in f = {
      .k = steps,
      .a = u->w + MARK + u->tile0 * g->height * steps,
      .a_row = 1,
      .a_k = g->height,
      .b = p->b,
      .b_k = p->b_k,
      .ahead = {(const char *)(p->b + (g->in_place ? g->ops->cols : 0)), p->b_k * sizeof *p->b}};
  for (size_t i = u->tile0, n; i < u->tile1; i += n) {  // those of one height at once
    size_t rows = g->height - (i >= high);
    n = g->pairs ? 1 : (i < high ? WEFT_MIN(high, u->tile1) : u->tile1) - i;
    if (g->pairs) {
      g->pairs->out[rows](steps, (const uint32_t *)(const void *)f.a, steps,
                          (const uint32_t *)(const void *)f.b, (const char *)(f.a + g->height * steps), &o);
    } else if (cols < g->ops->cols)
      g->ops->few[cols](n, rows, &f, &o);
    else
      g->ops->out[rows](n, &f, &o);
    o.y += n * rows * c->out_size;
    o.one += n * rows * o.one_row;
    f.a += n * g->height * steps;
    if (o.all)
      o.all += n * rows * o.all_row;
  }
}

static void conv_one_slice(const conv *g, const weft_block *b, const unit *u, const weft__panel_slice *p,
                           float *sums) {
  const weft__conv_shape *c = &g->c;
  const uint32_t zero = 0;
  size_t col = p->panel * g->ops->cols;
  size_t cols = WEFT_MIN(g->ops->cols, c->out_size - col);
  size_t vecs = cols > g->ops->vec;
  if (is_straight(g, cols)) {
    straight_panel(g, b, u, p, cols);
    return;
  }
  size_t steps = steps_of(g, p->k);
  const float *w = u->w + MARK + steps_of(g, p->k0) * g->tiles * g->height;
  for (size_t i = u->tile0; i < u->tile1; i++) {
    size_t row = row_of(g, i);
    size_t rows = row_of(g, i + 1) - row;
    const float *a = w + i * g->height * steps;
    const weft__ahead ahead = {(const char *)(a + g->height * steps), 64};
    float *y = u->y + row * c->out_size + col;
    for (size_t r = 0; r < rows; r++) {
      __builtin_prefetch(y + r * c->out_size, 1);
      __builtin_prefetch(y + r * c->out_size + cols - 1, 1);
    }
    if (g->pairs) {
      const weft__tap_sums s = {.n = 1,
                                .steps = steps,
                                .a = a,
                                .at = &zero,
                                .a_row = steps,
                                .w = p->b,
                                .tile = sums,
                                .ahead = ahead};
      g->pairs->reduce[0][vecs][rows](&s);
    } else {
      const weft__tile_in f = {p->k, a, 1, g->height, p->b, p->b_k, ahead};
      g->ops->tile[0][vecs][rows](&f, sums);
    }
    weft__tile_out o = {.y = y,
                        .y_row = c->out_size,
                        .rows = rows,
                        .cols = cols,
                        .batch = u->image,
                        .row = u->row + row,
                        .col = col,
                        .more = p->k0 > 0,
                        .last = p->k0 + p->k == g->k,
                        .e = &g->e,
                        .arg = b->arg};
    g->ops->finish(sums, &o);
  }
}

typedef struct filters {
  const conv *g;
  const float *w;
} filters;

static float conv_filter_at(const void *ctx, size_t row, size_t k) {
  const conv *g = ((const filters *)ctx)->g;
  size_t k0 = k / g->kc * g->kc;
  size_t kc = WEFT_MIN(g->kc, g->k - k0);
  size_t t = 0;
  while (row_of(g, t + 1) <= row)
    t++;
  size_t first = row_of(g, t);
  const float *w = ((const filters *)ctx)->w + MARK;
  if (!g->pairs)
    return w[(k0 * g->tiles + t * kc + k - k0) * g->height + row - first];
  uint32_t pair;
  w += (steps_of(g, k0) * g->tiles + t * steps_of(g, kc)) * g->height;
  memcpy(&pair, w + (row - first) * steps_of(g, kc) + (k - k0) / 2, sizeof pair);
  return weft__bf16_half(pair, (k - k0) % 2);
}

static weft_status run_exact(const conv *g, const weft_block *b, const unit *u, size_t *work) {
  _Alignas(64) float sums[WEFT__GEMM_COLS] = {0};
  for (size_t row = row_of(g, u->tile0); row < row_of(g, u->tile1); row++) {
    for (size_t j = u->panel0; j < u->panel1; j++) {
      size_t col = j * g->ops->cols;
      size_t cols = WEFT_MIN(g->ops->cols, g->c.out_size - col);
      for (size_t i = 0; i < cols; i++) {
        WEFT_TRY(weft__block_work(b, work, g->k));
        sums[i] = weft__conv_exact(&g->c, u->x, col + i, conv_filter_at, &(filters){g, u->w}, row);
      }
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
  return WEFT_OK;
}

static weft_status conv_run_unit(const conv *g, const weft_block *b, const unit *u, size_t *work) {
  _Alignas(64) float panel[SLICE * WEFT__GEMM_COLS], sums[WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  _Alignas(64) uint32_t rounded[SLICE / 2 * WEFT__GEMM_COLS];
  weft__columns places = {.ops = g->columns, .c = &g->c, .whole_channels = g->whole_channels, .x = u->x};
  for (size_t k0 = 0; k0 < WEFT_MAX(g->k, 1); k0 += g->kc) {
    size_t kc = WEFT_MIN(g->kc, g->k - k0);
    for (size_t j = u->panel0; j < u->panel1; j++) {
      size_t first = j * g->ops->cols;
      size_t n = WEFT_MIN(g->ops->cols, g->c.out_size - first);
      weft__panel_slice p = {j, k0, kc, u->x + k0 * g->c.in_size + first, g->c.in_size};
      bool as_it_lies = g->in_place && (g->pairs || n == g->ops->cols || is_straight(g, n));
      WEFT_TRY(weft__block_work(b, work, WEFT_MAX(kc, 1) * g->ops->cols * (u->tile1 - u->tile0)));
      if (!as_it_lies) {
        places.n = 0;
        weft__columns_add(&places, first, n, 0);
        weft__columns_gather(&places, k0, k0 + kc, panel);
        p.b = panel;
        p.b_k = g->ops->cols;
      }
      if (g->pairs) {
        g->pairs->zip_rows(rounded, p.b, p.b_k, kc, as_it_lies ? n : g->ops->cols);
        p.b = (const float *)(const void *)rounded;
        p.b_k = 0;
      }
      conv_one_slice(g, b, u, &p, sums);
    }
  }
  return WEFT_OK;
}

static void conv_find_unit(const conv *g, const weft_block *b, size_t n, unit *u) {
  const weft__conv_shape *c = &g->c;
  size_t part = n % g->panel_parts;
  size_t tile_part = n / g->panel_parts % g->tile_parts;
  size_t z = n / g->panel_parts / g->tile_parts;
  size_t group = z % c->groups;
  u->image = z / c->groups;
  u->row = group * c->outputs;
  u->x = (const float *)b->arg[g->x_arg] + z * c->inputs * c->in_size;
  u->w = (const float *)(g->packed ? b->arg[g->w_arg] : b->workspace[0]) + group * g->group_size;
  u->y = (float *)b->arg[g->y_arg] + z * c->outputs * c->out_size;
  u->panel0 = weft__share(g->panels, part, g->panel_parts);
  u->panel1 = weft__share(g->panels, part + 1, g->panel_parts);
  u->tile0 = weft__share(g->tiles, tile_part, g->tile_parts);
  u->tile1 = weft__share(g->tiles, tile_part + 1, g->tile_parts);
}

static weft_status conv_run(const weft_block *b) {
  const conv *g = b->data;
  size_t work = 0;
  if (!g->units)
    return WEFT_OK;  // the filters may be as many as the shape claims
  if (b->phase == 0 && !g->packed) {
    const weft__conv_shape *c = &g->c;
    const filter_cut cut = {.m = c->outputs, .k = g->k, .kc = g->kc, .tiles = g->tiles};
    for (size_t i = weft__share(c->groups, b->block, b->blocks);
         i < weft__share(c->groups, b->block + 1, b->blocks); i++) {
      pack_group(g->vec, (const float *)b->arg[g->w_arg] + i * c->outputs * g->k, &cut,
                 (float *)b->workspace[0] + i * g->group_size);
    }
    return WEFT_OK;
  }
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++) {
    unit u;
    conv_find_unit(g, b, i, &u);
    if (g->padded && u.w[0] != 0)
      WEFT_TRY(run_exact(g, b, &u, &work));
    else
      WEFT_TRY(conv_run_unit(g, b, &u, &work));
  }
  return WEFT_OK;
}

WEFT__PRODUCT_KERNEL(conv_Conv, conv, "Conv", "conv");
WEFT__PRODUCT_KERNEL(conv_Conv2D, conv, "Conv2D", "conv");
WEFT__PRODUCT_KERNEL(conv_fused, conv, "Fused", "conv");
WEFT__PRODUCT_KERNEL_BF16(conv_bf16_Conv, conv, "Conv", "conv-bf16");
WEFT__PRODUCT_KERNEL_BF16(conv_bf16_Conv2D, conv, "Conv2D", "conv-bf16");
WEFT__PRODUCT_KERNEL_BF16(conv_bf16_fused, conv, "Fused", "conv-bf16");
// SPDX-License-Identifier: Apache-2.0
