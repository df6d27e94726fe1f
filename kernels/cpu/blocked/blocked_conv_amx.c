// blocked_conv_amx.c - Conv and Conv2D of float from NC1HWC0 into NC1HWC0 on AMX's tiles (amx_block.h), alone
// and with what follows them: blocked_conv.c with both operands split into parts of bf16, as amx_gemm.c does.
// A first phase splits the input, with its padding, into planes of 32 channels a place; filters are packed
// once, by panels of 32 channels, in the order in which they are read: a piece for each tap of each plane.
//
// A tile's rows are places that lie at equal distances in the input. With strides of 1 these run on over the
// ends of rows, through the padding, where that makes fewer tiles; sums of places that are none are dropped.
//
// Sums that are not finite are made again by the definition, which leaves padding out.
#include "cpu/amx/amx_block.h"
#include "cpu/blocked/blocked_conv.h"
#include "cpu/conv/conv_columns.h"

enum {
  BAND = 400 * 1024,
  MOST_RUNS = 16384,
  PIECE = WEFT__AMX_PIECE,
  LANE = WEFT__AMX_LANE,
  WIDE = WEFT__AMX_COLS,
  ROWS = WEFT__AMX_ROWS
};  // BAND: bytes

typedef struct conv {
  const weft__amx_ops *amx;
  const weft__blocked_ops *ops;
  weft__blocked_conv b;
  uint32_t x_arg, w_arg, y_arg;
  size_t parts, runs, planes;    // planes: of 32 channels, of a group; runs: taps of all planes
  size_t rows, cols, plane;      // of the input as it is read, with padding; pairs of a plane
  size_t lines, length, across;  // of places: runs of `length` places each, tiles of one
  size_t panels, panel_size;     // of filters of a group; pairs of one
  size_t bands, panel_parts, units;
} conv;

static const char *blocked_conv_amx_read(const weft_tiling *t, weft__blocked_conv *b) {
  const char *no = weft__amx_refuse(t->host);
  if (!no)
    no = weft__blocked_conv_read(t, b);
  if (no)
    return no;
  if (b->from_plain)
    return "needs packed inputs";
  if (!weft__product_known(t))
    return NULL;
  const weft__conv_shape *c = &b->c;
  no = weft__blocked_conv_refuse_sizes(c);
  if (no)
    return no;
  return (c->inputs + 31) / 32 * c->taps > MOST_RUNS ? "has too many taps" : NULL;
}

static const char *blocked_conv_amx_refuse(const weft_tiling *t) {
  weft__blocked_conv b;
  return blocked_conv_amx_read(t, &b);
}

static void blocked_conv_amx_geometry(conv *g) {
  const weft__conv_shape *c = &g->b.c;
  bool padded = weft__conv_pads(c) || c->begin[1] || c->begin[2];
  g->planes = (c->inputs + 31) / 32;
  g->runs = g->planes * c->taps;
  g->rows = padded ? (c->out[1] - 1) * c->stride[1] + (c->kernel[1] - 1) * c->dilation[1] + 1 : c->in[1];
  g->cols = padded ? (c->out[2] - 1) * c->stride[2] + (c->kernel[2] - 1) * c->dilation[2] + 1 : c->in[2];
  g->plane = g->rows * g->cols * LANE;
  size_t all = (c->out[1] - 1) * g->cols + c->out[2];
  size_t half = ROWS / 2;
  bool on = c->stride[1] == 1 && c->stride[2] == 1 &&
            (all + half - 1) / half < c->out[1] * ((c->out[2] + half - 1) / half);
  g->lines = on ? 1 : c->out[1];
  g->length = on ? all : c->out[2];
  g->across = (g->length + ROWS - 1) / ROWS;
}

// In the same terms as blocked_conv.c's, whose 240 operations a nanosecond were 175 in reality on the machine
// with AMX where a prototype of this made 340, 610 and 1400 with 3, 2 and 1 parts (3 x 3 taps, 64 to 256
// channels), splitting included. None of this was measured in this kernel.
static double blocked_conv_amx_cost(const weft_tiling *t) {
  static const double speed[] = {1, 1900, 830, 465};
  conv g;
  memset(&g, 0, sizeof g);
  if (blocked_conv_amx_read(t, &g.b) || !weft__product_known(t))
    return 1e30;
  if (weft__cpu_amx(t->host) == WEFT__AMX_EMULATED)
    return 1;
  const weft__conv_shape *c = &g.b.c;
  blocked_conv_amx_geometry(&g);
  size_t parts = weft__amx_parts(t->precision);
  double out_lanes = (double)((c->outputs + 15) / 16 * 16), in_lanes = (double)(g.planes * 32);
  double lanes = out_lanes / (double)c->outputs * in_lanes / (double)c->inputs;
  double full = (double)(g.lines * ((g.length + 15) / 16 * 16)) / (double)c->out_size;
  double groups = (double)c->groups, images = (double)c->images;
  double filters = groups * out_lanes * in_lanes * (double)c->taps * (double)parts / 2;
  double moved = images * groups * out_lanes * (double)c->out_size + filters;
  double split = images * groups * in_lanes * (double)c->in_size / 8;
  return 900 + weft__blocked_conv_flops(c) * lanes * full / speed[parts] + moved / 15 + split;
}

static void blocked_conv_amx_cut(conv *g) {
  const weft__conv_shape *c = &g->b.c;
  g->panels = (weft__blocked_image(c->outputs, 1) + WIDE - 1) / WIDE;
  g->panel_size = g->runs * g->parts * PIECE;
  size_t tiles = g->lines * g->across;
  size_t input = g->planes * g->plane * g->parts * 4;
  size_t filters = g->panels * g->panel_size * 4;
  g->bands = WEFT_MAX(1, WEFT_MIN(tiles, (input + BAND - 1) / BAND));
  size_t want = weft__product_blocks(weft__blocked_conv_flops(c) / 2, 0, 64);
  size_t outer = c->images * c->groups * g->bands;
  g->panel_parts = 1;
  if (outer < want) {
    if (filters > input)
      g->panel_parts = WEFT_MIN(g->panels, (want + outer - 1) / outer);
    else
      g->bands = WEFT_MIN(tiles, (want + c->images * c->groups - 1) / (c->images * c->groups));
  }
  g->units = c->images * c->groups * g->bands * g->panel_parts;
}

static weft_status blocked_conv_amx_tile(weft_tiling *t) {
  conv *g = t->data;
  const char *no = blocked_conv_amx_read(t, &g->b);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "blocked-conv-amx: %s", no);
  const weft__conv_shape *c = &g->b.c;
  t->data_bytes = sizeof *g;
  g->amx = weft__amx_find(t->host);
  g->ops = weft__blocked_find(t->host);
  g->parts = weft__amx_parts(t->precision);
  g->x_arg = (uint32_t)g->b.p.arg[0];
  g->w_arg = (uint32_t)g->b.p.arg[1];
  g->y_arg = t->n_in;
  blocked_conv_amx_geometry(g);
  blocked_conv_amx_cut(g);
  // the last tile's empty rows
  size_t bytes;
  size_t copy;
  size_t behind = ROWS * c->stride[2] * LANE * sizeof(uint32_t);
  if (!weft_mul_size(c->groups * g->panels, g->panel_size * sizeof(uint32_t), &bytes) ||
      !weft_mul_size(c->images * c->groups * g->parts, g->planes * g->plane * sizeof(uint32_t), &copy) ||
      copy > SIZE_MAX - behind || g->parts * g->planes * g->plane > UINT32_MAX) {
    return weft_fail(t->d, WEFT_E_OVERFLOW,
                     "blocked-conv-amx: %zu x %zu filters, images of %zu x %zu: too much", c->outputs,
                     c->inputs, c->in[1], c->in[2]);
  }
  t->pack_bytes[g->w_arg] = bytes;
  t->pack_key[g->w_arg] = (uint64_t)c->groups << 2 | (uint64_t)g->parts;
  t->phases = 2;
  t->n_workspaces = 1;
  t->workspace_bytes[0] = copy + behind;
  t->scratch_bytes = g->runs * sizeof(uint32_t);
  t->blocks = weft__product_blocks(weft__blocked_conv_flops(c) / 2, 0, g->units);
  return WEFT_OK;
}

// ---- filters ----
// Some filters, one after the other: `rows` of them, at most 32, of inputs x taps numbers.
typedef struct filter_rows {
  const float *w;
  size_t rows, inputs, taps;
} filter_rows;

// The piece of tap t of channels [plane, plane + 32).
static void pack_piece(const weft__amx_ops *ops, size_t parts, const filter_rows *p, size_t plane, size_t t,
                       uint32_t *to) {
  float low[WIDE];
  float high[WIDE];
  for (size_t i = 0; i < LANE; i++) {
    for (size_t r = 0; r < WIDE; r++) {
      size_t channel = plane + 2 * i;
      const float *at = p->w + (r * p->inputs + channel) * p->taps + t;
      low[r] = r < p->rows && channel < p->inputs ? at[0] : 0;
      high[r] = r < p->rows && channel + 1 < p->inputs ? at[p->taps] : 0;
    }
    for (size_t half = 0; half < 2; half++)
      ops->zip(to + half * (PIECE / 2) + i * 16, PIECE, low + half * 16, high + half * 16, 16, parts);
  }
}

static weft_status blocked_conv_amx_pack(const weft_packing *p) {
  const weft_dim *d = p->in->layout.origin.dim;
  const weft__amx_ops *ops = weft__amx_find(p->host);
  size_t groups = (size_t)(p->key >> 2);
  size_t parts = (size_t)(p->key & 3);
  size_t m = (size_t)d[0] / groups;
  size_t inputs = (size_t)d[1];
  size_t taps = (size_t)d[2] * (size_t)d[3];
  uint32_t *to = p->to;
  if (!ops)
    return weft_fail(p->d, WEFT_E_KERNEL, "blocked-conv-amx: %s", weft__amx_refuse(p->host));
  size_t line = inputs * taps;
  for (size_t group = 0; group < groups; group++) {
    for (size_t first = 0; first < m; first += WIDE) {
      filter_rows some = {.rows = WEFT_MIN(WIDE, m - first), .inputs = inputs, .taps = taps};
      size_t at = (group * m + first) * line;
      some.w = weft_packing_read(p, at * sizeof(float), some.rows * line * sizeof(float));
      if (!some.w)
        return WEFT_E_NOMEM;
      for (size_t plane = 0; plane < inputs; plane += 32) {
        for (size_t t = 0; t < taps; t++, to += parts * PIECE)
          pack_piece(ops, parts, &some, plane, t, to);
      }
    }
  }
  return WEFT_OK;
}

static float blocked_conv_amx_filter_at(const void *ctx, size_t channel, size_t i, size_t t) {
  const conv *g = ((const void *const *)ctx)[0];
  const uint32_t *w = ((const void *const *)ctx)[1];
  size_t r = channel % g->b.c.outputs;
  size_t panel = channel / g->b.c.outputs * g->panels + r / WIDE;
  w += panel * g->panel_size + (i / 32 * g->b.c.taps + t) * g->parts * PIECE +
       weft__amx_pair(r % WIDE, i % 32);
  return (float)weft__amx_number((const uint16_t *)(const void *)w + i % 2, 2 * PIECE, g->parts);
}

// ---- the input ----
// Row `row` of one plane of a group's image, all parts; x is the group's first block of channels.
static void split_row(const conv *g, const float *x, size_t plane, size_t row, uint16_t *to) {
  const weft__conv_shape *c = &g->b.c;
  size_t part = 2 * g->planes * g->plane;
  size_t blocks = (c->inputs + WEFT__C0 - 1) / WEFT__C0;
  int64_t from = (int64_t)row - c->begin[1];
  int64_t x0 = WEFT_MAX(c->begin[2], 0);
  int64_t skip = WEFT_MAX(-c->begin[2], 0);
  int64_t n = WEFT_MIN((int64_t)g->cols - x0, (int64_t)c->in[2] - skip);
  if (n < 0 || from < 0 || from >= (int64_t)c->in[1])
    n = 0;
  if (n < (int64_t)g->cols || 2 * plane + 1 == blocks) {
    for (size_t p = 0; p < g->parts; p++)
      memset(to + p * part, 0, g->cols * 32 * sizeof *to);
  }
  for (size_t half = 0; half < 2 && n; half++) {
    size_t block = 2 * plane + half;
    if (block >= blocks)
      return;
    const float *at = x + ((block * c->in[1] + (size_t)from) * c->in[2] + (size_t)skip) * WEFT__C0;
    const weft__amx_split s = {.from = at,
                               .step = WEFT__C0,
                               .n = WEFT__C0,
                               .rows = (size_t)n,
                               .to = to + x0 * 32 + half * WEFT__C0,
                               .to_step = 32,
                               .part_step = part};
    g->amx->split(&s, g->parts);
  }
}

static void blocked_conv_amx_split(const conv *g, const weft_block *b) {
  const weft__conv_shape *c = &g->b.c;
  size_t all = c->images * c->groups * g->planes * g->rows;
  for (size_t i = weft__share(all, b->block, b->blocks); i < weft__share(all, b->block + 1, b->blocks); i++) {
    size_t row = i % g->rows;
    size_t plane = i / g->rows % g->planes;
    size_t z = i / g->rows / g->planes;
    const float *x = (const float *)b->arg[g->x_arg] + z * weft__blocked_image(c->inputs, c->in_size);
    uint32_t *to = (uint32_t *)b->workspace[0] + z * g->parts * g->planes * g->plane;
    split_row(g, x, plane, row, (uint16_t *)(void *)(to + plane * g->plane + row * g->cols * LANE));
  }
}

// ---- running ----
static void blocked_conv_amx_find_runs(const conv *g, uint32_t *at) {
  const weft__conv_shape *c = &g->b.c;
  for (size_t p = 0; p < g->planes; p++) {
    for (size_t ky = 0; ky < c->kernel[1]; ky++) {
      for (size_t kx = 0; kx < c->kernel[2]; kx++)
        *at++ = (uint32_t)(p * g->plane + (ky * c->dilation[1] * g->cols + kx * c->dilation[2]) * LANE);
    }
  }
}

typedef struct unit {
  const uint32_t *x, *w, *next;  // next: the panel after this one, fetched ahead; NULL
  float *y;
  size_t image, group, tile0, tile1;
} unit;

// Sums of places of one row of the output, on their way to it.
static void blocked_conv_amx_finish(const conv *g, const weft_block *b, const unit *u, size_t panel,
                                    float *sums, size_t place, size_t n) {
  const weft__conv_shape *c = &g->b.c;
  size_t first = panel * WIDE;
  size_t cols = WEFT_MIN(WIDE, c->outputs - first);
  size_t base = u->group * c->outputs;
  const void *filters[2] = {g, b->arg[g->w_arg]};
  const float *x =
      (const float *)b->arg[g->x_arg] + u->image * weft__blocked_image(c->groups * c->inputs, c->in_size);
  if (!weft__amx_finite(sums, n, cols)) {
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < cols; j++) {
        if (!weft__amx_finite(sums + i * WIDE + j, 1, 1)) {
          sums[i * WIDE + j] = weft__blocked_conv_exact(&g->b, x, place + i, blocked_conv_amx_filter_at,
                                                        filters, base + first + j);
        }
      }
    }
  }
  for (size_t j = 0; j < WIDE && first + j < weft__blocked_image(c->outputs, 1); j += g->ops->cols) {
    weft__blocked_out o = {.y = u->y,
                           .y_block = c->out_size * WEFT__C0,
                           .place = place,
                           .rows = n,
                           .channel = base + first + j,
                           .end = base + c->outputs,
                           .channels = c->groups * c->outputs,
                           .batch = u->image,
                           .e = &g->b.e,
                           .arg = b->arg};
    g->ops->finish(sums + j, &o);
  }
}

static void blocked_conv_amx_one_tile(const conv *g, const weft_block *b, const unit *u, size_t panel,
                                      size_t tile, size_t lines) {
  const weft__conv_shape *c = &g->b.c;
  _Alignas(64) float sums[ROWS * WIDE];
  size_t line = tile / g->across;
  size_t from = tile % g->across * ROWS;
  size_t n = WEFT_MIN(ROWS, g->length - from);
  weft__amx_sum s = {.n = g->runs,
                     .a = u->x + (line * c->stride[1] * g->cols + from * c->stride[2]) * LANE,
                     .at = b->scratch,
                     .w = u->w,
                     .a_row = c->stride[2] * LANE,
                     .a_part = g->planes * g->plane,
                     .ahead = (const char *)u->w,
                     .tile = sums};
  if (u->next) {
    s.ahead = (const char *)u->next + (tile - u->tile0) * g->runs * lines * 64;
    s.lines = lines;
  }
  g->amx->sum[g->parts][n > 16][c->outputs - panel * WIDE > 16](&s);
  size_t pitch = g->lines == 1 ? g->cols : g->length;
  for (size_t i = 0; i < n;) {
    size_t oy = line + (from + i) / pitch;
    size_t ox = (from + i) % pitch;
    size_t run = ox < c->out[2] ? WEFT_MIN(c->out[2] - ox, n - i) : 0;
    if (run)
      blocked_conv_amx_finish(g, b, u, panel, sums + i * WIDE, oy * c->out[2] + ox, run);
    i += run ? run : WEFT_MIN(pitch - ox, n - i);
  }
}

static void blocked_conv_amx_run_unit(const conv *g, const weft_block *b, size_t n) {
  const weft__conv_shape *c = &g->b.c;
  const uint32_t *w = b->arg[g->w_arg];
  size_t part = n % g->panel_parts;
  size_t band = n / g->panel_parts % g->bands;
  size_t tiles = g->lines * g->across;
  size_t z = n / g->panel_parts / g->bands;  // image and group
  unit u = {.image = z / c->groups, .group = z % c->groups};
  u.tile0 = weft__share(tiles, band, g->bands);
  u.tile1 = weft__share(tiles, band + 1, g->bands);
  u.x = (const uint32_t *)b->workspace[0] + z * g->parts * g->planes * g->plane;
  u.y = (float *)b->arg[g->y_arg] + u.image * weft__blocked_image(c->groups * c->outputs, c->out_size);
  size_t last = weft__share(g->panels, part + 1, g->panel_parts);
  for (size_t panel = weft__share(g->panels, part, g->panel_parts); panel < last; panel++) {
    u.w = w + (u.group * g->panels + panel) * g->panel_size;
    u.next = panel + 1 < last ? u.w + g->panel_size : NULL;
    size_t lines = g->panel_size / 16 / (g->runs * WEFT_MAX(u.tile1 - u.tile0, 1));
    for (size_t i = u.tile0; i < u.tile1; i++)
      blocked_conv_amx_one_tile(g, b, &u, panel, i, lines);
  }
}

static weft_status blocked_conv_amx_run(const weft_block *b) {
  const conv *g = b->data;
  if (b->phase == 0) {
    blocked_conv_amx_split(g, b);
    return WEFT_OK;
  }
  blocked_conv_amx_find_runs(g, b->scratch);
  g->amx->begin();
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    blocked_conv_amx_run_unit(g, b, i);
  g->amx->end();
  return WEFT_OK;
}

WEFT__BLOCKED_KERNEL(amx_conv_fused, blocked_conv_amx, "Fused", "blocked-conv-amx");
// SPDX-License-Identifier: Apache-2.0
