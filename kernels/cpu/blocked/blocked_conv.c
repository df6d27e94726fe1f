// blocked_conv.c - Conv and Conv2D of float into NC1HWC0, alone and with what follows them, without
// unfolding: a tile of places by channels goes over the input where it lies, a run of steps for each tap of
// each block of channels (for plain inputs, the first layers of networks: for each row of taps of each
// channel). Filters are packed by panels of channels, in the order in which they are read. Padding is zeros
// in a copy of the input, made in a first phase, or, of a plain input, by each unit of the rows that it
// needs.
//
// Places are taken in bands whose input stays in the second cache while all panels of filters pass over it,
// so that filters are read once a band and the input once.
//
// Where the precision mode lets operands be rounded to bf16, "blocked-conv-bf16" does the same with pairs of
// channels (bf16_block.h): the first phase rounds the input, or, where there is one tap, each unit the places
// that it needs, one behind the other whatever the strides. Of a plain input pairs are made of rows of taps,
// one after the other through all channels, by each unit for each row of its output.
//
// A last block of channels that is half full or less is summed as half a block.
//
// How filters are packed, and read one by one, is in blocked_conv_filters.c.
//
// Zeros times a filter that is infinite or NaN would differ from the definition, which leaves padding out:
// such filters are marked, and summed number by number.
#include "cpu/blocked/blocked_conv_plan.h"
#include "cpu/conv/conv_columns.h"
#include "cpu/rows/polled.h"
#include "cpu/rows/rows_ops.h"
#include "cpu/simd/cache.h"

typedef weft__blocked_conv_plan conv;

enum {
  BAND = 48 * 1024,       // numbers
  CALL = 14 * 1024,       // places times steps that make up for the calls that a band of a panel takes
  CALL_PAIRS = 4 * 1024,  // the same of pairs
  MOST_RUNS = 16384,
  MOST_BLOCKS = 64,
  LEAST_ROWS = 4,  // of a band that copies its own input
  OWN_UNITS = 32,  // that round their own places, at most
  // steps that tiles take in one call, about: the time limit is looked at between calls
  AT_ONCE = 1 << 20,
};

static const char *blocked_conv_read(const weft_tiling *t, weft__blocked_conv *b) {
  const char *no = weft__blocked_conv_read(t, b);
  if (no || !weft__product_known(t))
    return no;
  weft__conv_one_row(&b->c);
  const weft__conv_shape *c = &b->c;
  no = weft__blocked_conv_refuse_sizes(c);
  if (no)
    return no;
  if (b->from_plain && c->groups > 1)
    return "has groups, and a plain input";
  if (b->from_plain && c->dilation[2] != 1)
    return "has dilations";
  if (b->from_plain && c->inputs > 8)
    return "needs packed inputs, or few channels";
  size_t runs = b->from_plain ? c->inputs * c->kernel[1] : (c->inputs + 15) / 16 * c->taps;
  return runs > MOST_RUNS ? "has too many taps" : NULL;
}

static const char *blocked_conv_refuse(const weft_tiling *t) {
  weft__blocked_conv b;
  return blocked_conv_read(t, &b);
}

static const char *blocked_conv_refuse_bf16(const weft_tiling *t) {
  weft__blocked_conv b;
  if (t->precision != WEFT_PRECISION_BF16)
    return "the precision mode keeps float";
  return blocked_conv_read(t, &b);
}

// `speed`: operations a nanosecond for each channel of a tile, which has `rows` places.
static double cost_with(const weft_tiling *t, size_t rows, double speed, bool rounds) {
  weft__blocked_conv b;
  if (blocked_conv_read(t, &b) || !weft__product_known(t))
    return 1e30;
  const weft__conv_shape *c = &b.c;
  double out_lanes = (double)((c->outputs + 15) / 16 * 16), in_lanes = (double)((c->inputs + 15) / 16 * 16);
  size_t tail = (c->inputs - 1) / WEFT__C0 * WEFT__C0;
  double summed = rounds ? in_lanes : (double)(tail + weft__blocked_conv_lanes(c->inputs, tail));
  double lanes = out_lanes / (double)c->outputs * (b.from_plain ? 1.3 : summed / (double)c->inputs);
  size_t across = (c->out[2] + rows - 1) / rows;
  double full = (double)(across * rows) / (double)c->out[2];
  // A tile of half the rows is not twice as dear; with filters of half the bytes it costs half.
  full = rounds ? WEFT_MAX(1, full / 2) : 0.5 + 0.5 * full;
  double groups = (double)c->groups, images = (double)c->images;
  double filters = groups * out_lanes * in_lanes * (double)c->taps;
  double moved = images * groups * out_lanes * (double)c->out_size + (rounds ? filters / 2 : filters);
  double padding = rounds || weft__conv_pads(c) ? images * groups * in_lanes * (double)c->in_size / 8 : 0;
  if (rounds && c->taps == 1)
    padding /= 2;
  return 500 + weft__blocked_conv_flops(c) * lanes * full / (speed * weft__blocked_find(t->host)->cols) +
         moved / 15 + padding;
}

static double blocked_conv_cost(const weft_tiling *t) {
  return cost_with(t, weft__blocked_find(t->host)->rows, 7.5, false);
}

static double blocked_conv_cost_bf16(const weft_tiling *t) {
  const weft__bf16_ops *ops = weft__bf16_find(t->host);
  if (weft__cpu_bf16_always(t->host))
    return 1;
  return cost_with(t, ops->rows, ops->dots ? 14 : 5.5, true);
}

// Rows of the input for so many rows of the output, with padding.
static size_t blocked_conv_rows_of(const weft__conv_shape *c, size_t rows) {
  return (rows - 1) * c->stride[1] + (c->kernel[1] - 1) * c->dilation[1] + 1;
}

// One tap that is never outside.
static bool picks_places(const conv *g) {
  const weft__conv_shape *c = &g->b.c;
  return g->pairs && !g->b.from_plain && c->taps == 1 && !weft__conv_pads(c) && !c->begin[1] && !c->begin[2];
}

static void blocked_conv_geometry(conv *g) {
  const weft__conv_shape *c = &g->b.c;
  g->picks = picks_places(g);
  g->own = g->picks && c->out_size >= c->outputs;
  g->high = g->picks ? 1 : c->out[1];
  g->wide = g->picks ? c->out_size : c->out[2];
  size_t planes = (c->inputs + WEFT__C0 - 1) / WEFT__C0;
  size_t last = weft__blocked_conv_lanes(c->inputs, (planes - 1) * WEFT__C0);
  if (g->b.from_plain) {
    g->lane = 1;
    g->steps = c->kernel[2];
    g->planes = c->inputs;
    g->runs = c->inputs * c->kernel[1];
    if (g->pairs)
      g->planes = g->runs = (g->runs + 1) / 2;
  } else if (g->pairs) {
    g->lane = g->steps = WEFT__BF16_C0;
    g->planes = planes;
    g->runs = planes * c->taps;
  } else {
    g->lane = WEFT__C0;
    g->steps = last;
    g->planes = planes;
    g->runs = ((planes - 1) * WEFT__C0 + last) / last * c->taps;
  }
  bool padded = weft__conv_pads(c) || c->begin[1] || c->begin[2];
  g->copied = padded || g->pairs;
  g->rows = padded ? blocked_conv_rows_of(c, c->out[1]) : c->in[1];
  g->cols = padded ? (c->out[2] - 1) * c->stride[2] + (c->kernel[2] - 1) * c->dilation[2] + 1 : c->in[2];
  g->plane = g->rows * g->cols * g->lane;
  g->down = c->stride[1] * g->cols * g->lane;
  if (weft__blocked_conv_pairs_rows(g)) {
    g->plane = c->out[1] * g->cols;
    g->down = g->runs * g->cols;
  }
  if (g->picks)
    g->plane = c->out_size * g->lane;
}

// Bands that some threads share evenly, when each is taken `times` times.
static size_t even_bands(const conv *g, size_t times) {
  size_t n = g->bands;
  size_t by = n * times < 3 ? 2 : n * times < 16 ? 4 : 1;
  while (n * times % by && n < g->tiles)
    n++;
  return n;
}

static void blocked_conv_cut(conv *g) {
  const weft__conv_shape *c = &g->b.c;
  g->across = (g->wide + g->most_rows - 1) / g->most_rows;
  g->tiles = g->across * g->high;
  g->least = g->wide / g->across;
  g->longer = g->wide % g->across;
  g->panels = (weft__blocked_image(c->outputs, 1) + g->ops->cols - 1) / g->ops->cols;
  g->panel_size = g->runs * g->steps * g->ops->cols;
  size_t input = g->planes * g->plane;
  size_t filters = g->panels * g->panel_size;
  g->bands = WEFT_MAX(1, WEFT_MIN(g->tiles, (input + BAND - 1) / BAND));
  g->panel_parts = 1;
  // A unit a block and more: first of what is larger, then of both. Small sums take many tiles a call.
  size_t want =
      weft__product_blocks(g->pairs ? weft__blocked_conv_flops(c) / 2 : weft__blocked_conv_flops(c), 0, 64);
  size_t outer = c->images * c->groups;
  size_t least =
      ((g->pairs ? CALL_PAIRS : CALL) / g->most_rows + g->runs * g->steps - 1) / (g->runs * g->steps);
  if (g->own)
    want = WEFT_MIN(want, OWN_UNITS);
  if (filters > input && !g->own)
    g->panel_parts = weft__parts(g->panels, want, outer * g->bands);
  size_t bands = weft__parts(g->tiles, want, outer * g->panel_parts);
  g->bands = WEFT_MAX(g->bands, WEFT_MIN(bands, g->tiles / least));
  if (want > 1 && g->pairs)
    g->bands = even_bands(g, outer * g->panel_parts);
  if (!g->own)
    g->panel_parts = WEFT_MAX(g->panel_parts, weft__parts(g->panels, want, outer * g->bands));
  g->units = outer * g->bands * g->panel_parts;
  // An input that does not stay in the second cache is read once, and filters from a farther one.
  g->panels_first = filters > input && input <= weft__cpu_cache(2) / sizeof(float);
  g->local = g->b.from_plain && g->copied && (g->panel_parts == 1 || g->pairs);
  if (g->local) {
    g->bands = WEFT_MIN(g->bands, WEFT_MAX(1, c->out[1] / LEAST_ROWS));
    g->units = outer * g->bands * g->panel_parts;
    size_t rows = (c->out[1] + g->bands - 1) / g->bands;
    g->plane = (g->pairs ? rows : blocked_conv_rows_of(c, rows)) * g->cols;
  }
  if (g->own)
    g->plane = (g->tiles + g->bands - 1) / g->bands * (g->least + 1) * g->lane;
  g->blocks = want > 1 ? (uint32_t)WEFT_MIN(g->units, MOST_BLOCKS) : 1;
}

static size_t lines(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

static weft_status blocked_conv_tile_with(weft_tiling *t, const weft__bf16_ops *pairs) {
  conv *g = t->data;
  const char *no = pairs ? blocked_conv_refuse_bf16(t) : NULL;
  if (!no)
    no = blocked_conv_read(t, &g->b);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "blocked-conv: %s", no);
  const weft__conv_shape *c = &g->b.c;
  t->data_bytes = sizeof *g;
  g->ops = weft__blocked_find(t->host);
  g->pairs = pairs;
  g->most_rows = pairs ? pairs->rows : g->ops->rows;
  g->x_arg = (uint32_t)g->b.p.arg[0];
  g->w_arg = (uint32_t)g->b.p.arg[1];
  g->y_arg = t->n_in;
  blocked_conv_geometry(g);
  blocked_conv_cut(g);
  size_t bytes;
  size_t copy;
  if (!weft_mul_size(c->groups * g->panels * g->panel_size + WEFT__BLOCKED_CONV_MARK, sizeof(float),
                     &bytes) ||
      !weft_mul_size(c->images * c->groups * g->planes * g->plane, sizeof(float), &copy)) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "blocked-conv: %zu x %zu filters are too many", c->outputs,
                     c->inputs);
  }
  t->pack_bytes[g->w_arg] = bytes;
  const weft__blocked_conv_key key = {c->groups, g->b.from_plain, g->ops->cols};
  t->pack_key[g->w_arg] = weft__blocked_conv_write_key(key);
  t->scratch_bytes = lines(g->runs * sizeof(uint32_t));
  if (g->local || g->own)
    t->scratch_bytes += (g->planes * g->plane + g->cols) * sizeof(float);
  else if (g->copied) {
    t->phases = 2;
    t->n_workspaces = 1;
    t->workspace_bytes[0] = copy;
  }
  t->blocks = g->blocks;
  return WEFT_OK;
}

static weft_status blocked_conv_tile(weft_tiling *t) {
  return blocked_conv_tile_with(t, NULL);
}
static weft_status blocked_conv_tile_bf16(weft_tiling *t) {
  return blocked_conv_tile_with(t, weft__bf16_find(t->host));
}

static weft_status blocked_conv_pack(const weft_packing *p) {
  return weft__blocked_conv_pack(p);
}
static weft_status blocked_conv_pack_bf16(const weft_packing *p) {
  return weft__blocked_conv_pack_bf16(p);
}

// ---- padding ----
// Numbers that lie side by side, rounded where need be.
static void blocked_conv_copy_row(const conv *g, float *to, const float *from, size_t n) {
  if (g->pairs)
    g->pairs->pairs((uint32_t *)(void *)to, from, n);
  else
    memcpy(to, from, n * sizeof *to);
}

// The columns that an input row has of those read, from x0 on: n, from its number `skip` on.
typedef struct columns {
  size_t x0, skip, n;
} columns;

static columns columns_of(const conv *g) {
  const weft__conv_shape *c = &g->b.c;
  int64_t x0 = WEFT_MAX(c->begin[2], 0);
  int64_t skip = WEFT_MAX(-c->begin[2], 0);
  int64_t n = WEFT_MIN((int64_t)g->cols - x0, (int64_t)c->in[2] - skip);
  if (n < 0) {
    n = 0;
    x0 = WEFT_MIN(x0, (int64_t)g->cols);
  }
  return (columns){(size_t)x0, (size_t)skip, (size_t)n};
}

// Rows [first, last) of a plane with its padding, from a plane of the input; `to`: where the first goes.
static void copy_rows(const conv *g, const float *x, float *to, size_t first, size_t last) {
  const weft__conv_shape *c = &g->b.c;
  size_t lane = g->lane;
  size_t of_place = g->b.from_plain ? 1 : WEFT__C0;
  columns s = columns_of(g);
  for (size_t r = first; r < last; r++, to += g->cols * lane) {
    int64_t from = (int64_t)r - c->begin[1];
    if (from < 0 || from >= (int64_t)c->in[1]) {
      memset(to, 0, g->cols * lane * sizeof *to);
      continue;
    }
    size_t left = s.x0 * lane;
    size_t middle = s.n * lane;
    size_t all = g->cols * lane;
    memset(to, 0, left * sizeof *to);
    const float *row = x + ((size_t)from * c->in[2] + s.skip) * of_place;
    if (middle)
      blocked_conv_copy_row(g, to + left, row, s.n * of_place);
    memset(to + left + middle, 0, (all - left - middle) * sizeof *to);
  }
}

// Places of the output from `first` on: where they are in one block of channels of the input.
static void pick_places(const conv *g, const float *x, size_t first, size_t n, float *out) {
  const weft__conv_shape *c = &g->b.c;
  uint32_t *to = (uint32_t *)(void *)out;
  if (c->out_size == c->in_size) {
    g->pairs->pairs(to, x + first * WEFT__C0, n * WEFT__C0);
    return;
  }
  for (size_t i = first; i < first + n; i++, to += g->lane) {
    size_t at = i / c->out[2] * c->stride[1] * c->in[2] + i % c->out[2] * c->stride[2];
    g->pairs->pairs(to, x + at * WEFT__C0, WEFT__C0);
  }
}

static void blocked_conv_copy(const conv *g, const weft_block *b) {
  const weft__conv_shape *c = &g->b.c;
  const float *x = b->arg[g->x_arg];
  size_t all = c->images * c->groups * g->planes * (g->picks ? 1 : g->rows);
  size_t from = c->in_size * (g->b.from_plain ? 1 : WEFT__C0);
  size_t last = weft__share(all, b->block + 1, b->blocks);
  for (size_t i = weft__share(all, b->block, b->blocks); i < last && g->picks; i++)
    pick_places(g, x + i * from, 0, c->out_size, (float *)b->workspace[0] + i * g->plane);
  for (size_t i = weft__share(all, b->block, b->blocks), n; i < last && !g->picks; i += n) {
    size_t plane = i / g->rows;
    size_t row = i % g->rows;
    n = WEFT_MIN(g->rows - row, last - i);
    float *to = (float *)b->workspace[0] + plane * g->plane + row * g->cols * g->lane;
    copy_rows(g, x + plane * from, to, row, row + n);
  }
}

// ---- running ----
static void blocked_conv_find_runs(const conv *g, uint32_t *at) {
  const weft__conv_shape *c = &g->b.c;
  size_t lane = g->lane;
  for (size_t r = 0; r < g->runs && weft__blocked_conv_pairs_rows(g); r++)
    at[r] = (uint32_t)(r * g->cols);
  for (size_t p = 0; p < g->planes && !weft__blocked_conv_pairs_rows(g); p++) {
    size_t lanes = g->b.from_plain || g->pairs ? g->steps : weft__blocked_conv_lanes(c->inputs, p * WEFT__C0);
    for (size_t ky = 0; ky < c->kernel[1]; ky++) {
      for (size_t kx = 0; kx < (g->b.from_plain ? 1 : c->kernel[2]); kx++) {
        size_t place = ky * c->dilation[1] * g->cols + kx * c->dilation[2];
        for (size_t i = 0; i < lanes; i += g->steps)
          *at++ = (uint32_t)(p * g->plane + place * lane + i);
      }
    }
  }
}

// Places of the output that a tile covers: n of row oy, from ox on.
typedef struct span {
  size_t oy, ox, n;
} span;

static span span_of(const conv *g, size_t oy, size_t i) {
  return (span){oy, i * g->least + WEFT_MIN(i, g->longer), g->least + (i < g->longer)};
}

typedef struct unit {
  const float *x, *w, *next;  // next: the panel after this one, fetched ahead
  float *y;
  size_t image, group, tile0, tile1, first;  // first: numbers of the input before x
} unit;

// Where the row of taps number k of row oy of the output lies in a plain image; NULL: there is none.
static const float *row_of_taps(const conv *g, const float *x, size_t oy, size_t k) {
  const weft__conv_shape *c = &g->b.c;
  size_t y;
  bool here = weft__conv_tap_place(c, 1, oy, k % c->kernel[1], &y) && k < c->inputs * c->kernel[1];
  return here ? x + k / c->kernel[1] * c->in_size + y * c->in[2] : NULL;
}

// Pairs of rows of taps for n rows of the output from `row` on; no: a row of zeros.
static void copy_pairs(const conv *g, const float *x, size_t row, size_t n, uint32_t *to, const float *no) {
  columns s = columns_of(g);
  for (size_t oy = row; oy < row + n; oy++) {
    for (size_t r = 0; r < g->runs; r++, to += g->cols) {
      const float *low = row_of_taps(g, x, oy, 2 * r);
      const float *high = row_of_taps(g, x, oy, 2 * r + 1);
      size_t m = low || high ? s.n : 0;
      memset(to, 0, s.x0 * sizeof *to);
      if (m)
        g->pairs->zip_in(to + s.x0, low ? low + s.skip : no, high ? high + s.skip : NULL, m);
      memset(to + s.x0 + m, 0, (g->cols - s.x0 - m) * sizeof *to);
    }
  }
}

// The unit's rows of a plain image.
static void copy_own(const conv *g, const weft_block *b, unit *u) {
  const weft__conv_shape *c = &g->b.c;
  const float *x = (const float *)b->arg[g->x_arg] + u->image * c->inputs * c->in_size;
  float *to = (float *)b->scratch + lines(g->runs * sizeof(uint32_t)) / sizeof *to;
  float *no = to + g->planes * g->plane;
  size_t row = u->tile0 / g->across;
  size_t n = u->tile1 / g->across - row;
  size_t first = row * c->stride[1];
  u->x = to;
  u->first = row * g->down;
  if (g->pairs) {
    memset(no, 0, g->cols * sizeof *no);
    copy_pairs(g, x, row, n, (uint32_t *)(void *)to, no);
    return;
  }
  for (size_t p = 0; p < g->planes; p++)
    copy_rows(g, x + p * c->in_size, to + p * g->plane, first, first + blocked_conv_rows_of(c, n));
}

// The unit's places, of an image and a group.
static void pick_own(const conv *g, const weft_block *b, size_t z, unit *u) {
  float *to = (float *)b->scratch + lines(g->runs * sizeof(uint32_t)) / sizeof *to;
  size_t block = g->b.c.in_size * WEFT__C0;
  size_t first = span_of(g, 0, u->tile0).ox;
  const float *x = (const float *)b->arg[g->x_arg] + z * g->planes * block;
  u->x = to;
  u->first = first * g->lane;
  for (size_t p = 0; p < g->planes; p++)
    pick_places(g, x + p * block, first, span_of(g, 0, u->tile1).ox - first, to + p * g->plane);
}

static weft__blocked_out out_of(const conv *g, const weft_block *b, const unit *u, size_t panel,
                                const span *p, size_t tiles) {
  const weft__conv_shape *c = &g->b.c;
  return (weft__blocked_out){.y = u->y,
                             .y_block = c->out_size * WEFT__C0,
                             .place = p->oy * g->wide + p->ox,
                             .rows = p->n,
                             .tiles = tiles,
                             .channel = u->group * c->outputs + panel * g->ops->cols,
                             .end = (u->group + 1) * c->outputs,
                             .channels = c->groups * c->outputs,
                             .batch = u->image,
                             .e = &g->b.e,
                             .arg = b->arg};
}

// `tiles` of them, alike and one behind the other. `ahead` is NULL where nothing is to be fetched.
static void some_tiles(const conv *g, const weft_block *b, const unit *u, size_t panel, const span *p,
                       size_t tiles, weft__ahead ahead) {
  const weft__conv_shape *c = &g->b.c;
  _Alignas(64) float sums[WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  size_t n = p->n;
  size_t lane = g->lane;
  size_t channel = panel * g->ops->cols;
  size_t vecs = c->outputs - channel > g->ops->vec;
  size_t step = g->picks ? lane : c->stride[2] * lane;
  const float *x = u->x + (p->oy * g->down - u->first) + p->ox * step;
  weft__blocked_out o = out_of(g, b, u, panel, p, tiles);
  const weft__tap_sums s = {.n = g->runs,
                            .steps = g->steps,
                            .a = x,
                            .at = b->scratch,
                            .a_row = step,
                            .w = u->w,
                            .tile = sums,
                            .ahead = ahead.from ? ahead : (weft__ahead){(const char *)x, 0},
                            .out = &o};
  if (g->pairs)
    g->pairs->reduce[step == WEFT__BF16_C0][vecs][n](&s);
  else
    g->ops->reduce[step == WEFT__C0][vecs][n](&s);
}

static weft_status run_exact(const conv *g, const weft_block *b, const unit *u, size_t panel, const span *p) {
  const weft__conv_shape *c = &g->b.c;
  const void *filters[2] = {g, b->arg[g->w_arg]};
  _Alignas(64) float sums[WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  size_t place = p->oy * g->wide + p->ox;
  size_t n = p->n;
  size_t channel = panel * g->ops->cols;
  const float *x =
      (const float *)b->arg[g->x_arg] +
      u->image * c->groups * (g->b.from_plain ? c->inputs : weft__blocked_image(c->inputs, 1)) * c->in_size;
  size_t work = 0;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__block_work(b, &work, g->runs * g->steps * g->ops->cols));
    for (size_t j = 0; j < g->ops->cols; j++) {
      sums[i * WEFT__GEMM_COLS + j] =
          channel + j < c->outputs ? weft__blocked_conv_exact(&g->b, x, place + i, weft__blocked_conv_filter,
                                                              filters, u->group * c->outputs + channel + j)
                                   : 0;
    }
  }
  weft__blocked_out o = out_of(g, b, u, panel, p, 1);
  g->ops->finish(sums, &o);
  return WEFT_OK;
}

static weft_status blocked_conv_run_unit(const conv *g, const weft_block *b, size_t n, size_t *work) {
  const weft__conv_shape *c = &g->b.c;
  const float *w = b->arg[g->w_arg];
  size_t part = n % g->panel_parts;
  size_t band = n / g->panel_parts % g->bands;
  if (g->panels_first) {
    band = n % g->bands;
    part = n / g->bands % g->panel_parts;
  }
  size_t z = n / g->panel_parts / g->bands;  // image and group
  unit u = {.image = z / c->groups, .group = z % c->groups};
  // whole rows of them, or tiles
  size_t by = g->local ? g->across : 1;
  size_t all = g->tiles / by;
  u.tile0 = by * weft__share(all, band, g->bands);
  u.tile1 = by * weft__share(all, band + 1, g->bands);
  if (g->local)
    copy_own(g, b, &u);
  else if (g->own)
    pick_own(g, b, z, &u);
  else
    u.x = (const float *)(g->copied ? b->workspace[0] : b->arg[g->x_arg]) + z * g->planes * g->plane;
  u.y = (float *)b->arg[g->y_arg] + u.image * weft__blocked_image(c->groups * c->outputs, c->out_size);
  size_t last = weft__share(g->panels, part + 1, g->panel_parts);
  for (size_t panel = weft__share(g->panels, part, g->panel_parts); panel < last; panel++) {
    u.w = w + WEFT__BLOCKED_CONV_MARK + (u.group * g->panels + panel) * g->panel_size;
    // behind the unit's last one, too, where the block's next unit mostly begins
    const char *next = panel + 1 < g->panels ? (const char *)(u.w + g->panel_size) : NULL;
    // Bit by bit, with three quarters of the tiles: memory that is asked for at once makes what is needed
    // wait.
    size_t a_tile = g->runs * g->steps;
    size_t steps = (u.tile1 - u.tile0) * a_tile * 3 / 4;
    size_t ahead_step = WEFT_MIN(64, g->panel_size * sizeof(float) / WEFT_MAX(steps, 1) + 1);
    size_t oy = u.tile0 / g->across;
    size_t k = u.tile0 % g->across;
    for (size_t i = u.tile0, n_alike; i < u.tile1; i += n_alike) {
      const weft__ahead ahead = {next ? next + (i - u.tile0) * a_tile * ahead_step : NULL, ahead_step};
      const span p = span_of(g, oy, k);
      n_alike = w[0] != 0 ? 1 : (k < g->longer ? g->longer : g->across) - k;
      n_alike = WEFT_MIN(n_alike, u.tile1 - i);
      n_alike = WEFT_MIN(n_alike, WEFT_MAX(1, AT_ONCE / WEFT_MAX(a_tile, 1)));
      WEFT_TRY(weft__block_work(b, work, n_alike * a_tile * g->ops->cols));
      if (w[0] != 0)
        WEFT_TRY(run_exact(g, b, &u, panel, &p));
      else
        some_tiles(g, b, &u, panel, &p, n_alike, ahead);
      if ((k += n_alike) == g->across) {
        k = 0;
        oy++;
      }
    }
  }
  return WEFT_OK;
}

static weft_status blocked_conv_run(const weft_block *b) {
  const conv *g = b->data;
  size_t work = 0;
  if (g->copied && !g->local && !g->own && b->phase == 0) {
    blocked_conv_copy(g, b);
    return WEFT_OK;
  }
  blocked_conv_find_runs(g, b->scratch);
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    WEFT_TRY(blocked_conv_run_unit(g, b, i, &work));
  return WEFT_OK;
}

WEFT__BLOCKED_KERNEL(blocked_conv_fused, blocked_conv, "Fused", "blocked-conv");
WEFT__BLOCKED_KERNEL_BF16(blocked_conv_bf16, blocked_conv, "Fused", "blocked-conv-bf16");
// SPDX-License-Identifier: Apache-2.0
