// blocked_conv.c - Conv and Conv2D of float into NC1HWC0, alone and with what follows them, without
// unfolding: a tile of places by channels goes over the input where it lies, a run of steps for each tap of
// each block of channels (for plain inputs, the first layers of networks: for each row of taps of each
// channel). Filters are packed by panels of channels, in the order in which they are read. Padding is zeros
// in a copy of the input, made in a first phase.
//
// Places are taken in bands whose input stays in the second cache while all panels of filters pass over it,
// so that filters are read once a band and the input once.
//
// Zeros times a filter that is infinite or NaN would differ from the definition, which leaves padding out:
// such filters are marked, and summed number by number.
#include "cpu/blocked_conv.h"
#include "cpu/conv_columns.h"

enum {
  SLICE = 512,
  BAND = 48 * 1024,
  MARK = 16,
  MOST_RUNS = 16384
};  // SLICE: steps of a partial sum; BAND: numbers

typedef struct conv {
  const weft__blocked_ops *ops;
  weft__blocked_conv b;
  uint32_t x_arg, w_arg, y_arg;
  size_t runs, steps;         // of a sum: runs of steps that lie side by side in the input
  size_t across, tiles;       // tiles of a row of the output; of all
  size_t panels, panel_size;  // of filters of a group; numbers of one
  size_t bands, panel_parts, units;
  size_t rows, cols, plane;  // of the input as it is read, with padding; numbers of a plane
  size_t planes;             // of an image
  bool padded;
} conv;

static const char *read(const weft_tiling *t, weft__blocked_conv *b) {
  const char *no = weft__blocked_conv_read(t, b);
  if (no || !weft__product_known(t)) return no;
  const weft__conv_shape *c = &b->c;
  if (c->groups > 1 && (b->from_plain || c->inputs % WEFT__C0 || c->outputs % WEFT__C0))
    return "has groups that are no multiples of 16 channels";
  if (b->from_plain && c->dilation[2] != 1) return "has dilations";
  if (b->from_plain && c->inputs > 8) return "needs packed inputs, or few channels";
  if (!c->inputs || !c->outputs || !c->images || !c->out_size) return "has nothing to compute";
  size_t runs = b->from_plain ? c->inputs * c->kernel[1] : (c->inputs + 15) / 16 * c->taps;
  return runs > MOST_RUNS ? "has too many taps" : NULL;
}

static const char *refuse(const weft_tiling *t) {
  weft__blocked_conv b;
  return read(t, &b);
}

static double flops(const weft__conv_shape *c) {
  return 2.0 * (double)c->images * (double)c->outputs * (double)c->out_size * (double)c->inputs *
         (double)c->taps;
}

static double cost(const weft_tiling *t) {
  weft__blocked_conv b;
  if (read(t, &b) || !weft__product_known(t)) return 1e30;
  const weft__blocked_ops *ops = weft__blocked_find();
  const weft__conv_shape *c = &b.c;
  double lanes = (double)((c->outputs + 15) / 16 * 16) / (double)c->outputs;
  size_t across = (c->out[2] + ops->rows - 1) / ops->rows;
  double full = (double)(across * ops->rows) / (double)c->out[2];
  full = 0.5 + 0.5 * full;  // a tile of half the rows is not twice as dear
  return 500 + flops(c) * lanes * full / (6.0 * ops->cols) +
         (weft__conv_pads(c)
              ? (double)c->images * (double)c->groups * (double)c->inputs * (double)c->in_size / 8
              : 0);
}

static void geometry(conv *g) {
  const weft__conv_shape *c = &g->b.c;
  size_t lane = g->b.from_plain ? 1 : WEFT__C0;
  g->steps = g->b.from_plain ? c->kernel[2] : WEFT__C0;
  g->planes = g->b.from_plain ? c->inputs : (c->inputs + WEFT__C0 - 1) / WEFT__C0;
  g->runs = g->planes * (g->b.from_plain ? c->kernel[1] : c->taps);
  g->padded = weft__conv_pads(c) || c->begin[1] || c->begin[2];
  g->rows = g->padded ? (c->out[1] - 1) * c->stride[1] + (c->kernel[1] - 1) * c->dilation[1] + 1 : c->in[1];
  g->cols = g->padded ? (c->out[2] - 1) * c->stride[2] + (c->kernel[2] - 1) * c->dilation[2] + 1 : c->in[2];
  g->plane = g->rows * g->cols * lane;
}

static void cut(conv *g) {
  const weft__conv_shape *c = &g->b.c;
  g->across = (c->out[2] + g->ops->rows - 1) / g->ops->rows, g->tiles = g->across * c->out[1];
  g->panels = (c->outputs + g->ops->cols - 1) / g->ops->cols;
  g->panel_size = g->runs * g->steps * g->ops->cols;
  size_t input = g->planes * g->plane, filters = g->panels * g->panel_size;
  g->bands = WEFT_MAX(1, WEFT_MIN(g->tiles, (input + BAND - 1) / BAND));
  size_t want = weft__product_blocks(flops(c), 0, 64), outer = c->images * c->groups * g->bands;
  g->panel_parts = 1;
  if (outer < want) {
    if (filters > input)
      g->panel_parts = WEFT_MIN(g->panels, (want + outer - 1) / outer);
    else
      g->bands = WEFT_MIN(g->tiles, (want + c->images * c->groups - 1) / (c->images * c->groups));
  }
  g->units = c->images * c->groups * g->bands * g->panel_parts;
}

static weft_status tile(weft_tiling *t) {
  conv *g = t->data;
  const char *no = read(t, &g->b);
  if (no) return weft_fail(t->d, WEFT_E_KERNEL, "blocked-conv: %s", no);
  const weft__conv_shape *c = &g->b.c;
  t->data_bytes = sizeof *g;
  g->ops = weft__blocked_find();
  g->x_arg = (uint32_t)g->b.p.arg[0], g->w_arg = (uint32_t)g->b.p.arg[1], g->y_arg = t->n_in;
  geometry(g);
  cut(g);
  size_t bytes, copy;
  if (!weft_mul_size(c->groups * g->panels * g->panel_size + MARK, sizeof(float), &bytes) ||
      !weft_mul_size(c->images * c->groups * g->planes * g->plane, sizeof(float), &copy))
    return weft_fail(t->d, WEFT_E_OVERFLOW, "blocked-conv: %zu x %zu filters are too many", c->outputs,
                     c->inputs);
  t->pack_bytes[g->w_arg] = bytes;
  t->pack_key[g->w_arg] = (uint64_t)c->groups << 9 | (uint64_t)g->b.from_plain << 8 | g->ops->cols;
  if (g->padded) t->phases = 2, t->n_workspaces = 1, t->workspace_bytes[0] = copy;
  t->scratch_bytes = g->runs * sizeof(uint32_t);
  t->blocks = weft__product_blocks(flops(c), 0, g->units);
  return WEFT_OK;
}

// ---- filters ----
// Panels of `wide` channels: runs of steps, a row of the panel's channels each.
static weft_status pack(const weft_packing *p) {
  const weft_dim *d = p->in->layout.origin.dim;
  const float *w = p->in->data;
  bool plain = p->key >> 8 & 1;
  size_t groups = (size_t)(p->key >> 9), wide = (size_t)(p->key & 0xFF), m = (size_t)d[0] / groups,
         inputs = (size_t)d[1], taps = (size_t)(d[2] * d[3]);
  size_t of_run = plain ? (size_t)d[3] : WEFT__C0;
  size_t planes = plain ? inputs : (inputs + WEFT__C0 - 1) / WEFT__C0, runs = plain ? (size_t)d[2] : taps;
  float odd = 0, *to = p->to;
  for (size_t i = 0; i < groups * m * inputs * taps; i++) odd += w[i] * 0.0f;
  memset(to, 0, MARK * sizeof *to);
  to[0] = odd == 0 ? 0 : 1, to += MARK;
  for (size_t group = 0; group < groups; group++, w += m * inputs * taps)
    for (size_t first = 0; first < m; first += wide)
      for (size_t plane = 0; plane < planes; plane++)
        for (size_t run = 0; run < runs; run++)
          for (size_t k = 0; k < of_run; k++, to += wide) {
            size_t i = plain ? plane : plane * WEFT__C0 + k, t = plain ? run * of_run + k : run;
            for (size_t r = 0; r < wide; r++)
              to[r] = first + r < m && i < inputs ? w[((first + r) * inputs + i) * taps + t] : 0;
          }
  return WEFT_OK;
}

static float filter_at(const void *ctx, size_t channel, size_t i, size_t t) {
  const conv *g = ((const void *const *)ctx)[0];
  const float *w = ((const void *const *)ctx)[1];
  size_t wide = g->ops->cols, k, kx = g->b.c.kernel[2];
  if (g->b.from_plain)
    k = (i * g->b.c.kernel[1] + t / kx) * kx + t % kx;
  else
    k = (i / WEFT__C0 * g->b.c.taps + t) * WEFT__C0 + i % WEFT__C0;
  size_t r = channel % g->b.c.outputs, panel = channel / g->b.c.outputs * g->panels + r / wide;
  return w[MARK + panel * g->panel_size + k * wide + r % wide];
}

// ---- padding ----
static void pad_plane(const conv *g, const float *x, float *to) {
  const weft__conv_shape *c = &g->b.c;
  size_t lane = g->b.from_plain ? 1 : WEFT__C0;
  int64_t x0 = WEFT_MAX(c->begin[2], 0), skip = WEFT_MAX(-c->begin[2], 0);
  int64_t n = WEFT_MIN((int64_t)g->cols - x0, (int64_t)c->in[2] - skip);
  if (n < 0) n = 0, x0 = WEFT_MIN(x0, (int64_t)g->cols);
  for (size_t r = 0; r < g->rows; r++, to += g->cols * lane) {
    int64_t from = (int64_t)r - c->begin[1];
    if (from < 0 || from >= (int64_t)c->in[1]) {
      memset(to, 0, g->cols * lane * sizeof *to);
      continue;
    }
    size_t left = (size_t)x0 * lane, middle = (size_t)n * lane, all = g->cols * lane;
    memset(to, 0, left * sizeof *to);
    if (middle) memcpy(to + left, x + ((size_t)from * c->in[2] + (size_t)skip) * lane, middle * sizeof *to);
    memset(to + left + middle, 0, (all - left - middle) * sizeof *to);
  }
}

static void pad(const conv *g, const weft_block *b) {
  const weft__conv_shape *c = &g->b.c;
  size_t all = c->images * c->groups * g->planes, from = c->in_size * (g->b.from_plain ? 1 : WEFT__C0);
  for (size_t i = weft__share(all, b->block, b->blocks); i < weft__share(all, b->block + 1, b->blocks); i++)
    pad_plane(g, (const float *)b->arg[g->x_arg] + i * from, (float *)b->workspace[0] + i * g->plane);
}

// ---- running ----
static void find_runs(const conv *g, uint32_t *at) {
  const weft__conv_shape *c = &g->b.c;
  size_t lane = g->b.from_plain ? 1 : WEFT__C0;
  for (size_t p = 0; p < g->planes; p++)
    for (size_t ky = 0; ky < c->kernel[1]; ky++)
      for (size_t kx = 0; kx < (g->b.from_plain ? 1 : c->kernel[2]); kx++)
        *at++ = (uint32_t)(p * g->plane + (ky * c->dilation[1] * g->cols + kx * c->dilation[2]) * lane);
}

typedef struct unit {
  const float *x, *w, *next;  // next: the panel after this one, fetched ahead
  float *y;
  size_t image, group, tile0, tile1;
} unit;

static void one_tile(const conv *g, const weft_block *b, const unit *u, size_t panel, size_t tile,
                     const char *ahead) {
  const weft__conv_shape *c = &g->b.c;
  const uint32_t *at = b->scratch;
  _Alignas(64) float sums[WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  size_t oy = tile / g->across, ox = weft__share(c->out[2], tile % g->across, g->across);
  size_t n = weft__share(c->out[2], tile % g->across + 1, g->across) - ox,
         lane = g->b.from_plain ? 1 : WEFT__C0;
  size_t channel = panel * g->ops->cols, vecs = c->outputs - channel > g->ops->vec,
         step = c->stride[2] * lane;
  const float *x = u->x + (oy * c->stride[1] * g->cols + ox * c->stride[2]) * lane;
  weft__reduce_fn reduce = g->ops->reduce[step == WEFT__C0][vecs][n];
  size_t slice = WEFT_MAX(1, SLICE / g->steps);
  for (size_t r = 0; r < g->runs; r += slice) {
    size_t runs = WEFT_MIN(slice, g->runs - r), done = r * g->steps;
    reduce(runs, g->steps, x, at + r, step, u->w + done * g->ops->cols, sums, r > 0,
           ahead ? ahead + done * 64 : (const char *)x, ahead ? 64 : 0);
  }
  weft__blocked_out o = {.y = u->y,
                         .y_block = c->out_size * WEFT__C0,
                         .place = oy * c->out[2] + ox,
                         .rows = n,
                         .channel = u->group * c->outputs + channel,
                         .end = (u->group + 1) * c->outputs,
                         .channels = c->groups * c->outputs,
                         .batch = u->image,
                         .e = &g->b.e,
                         .arg = b->arg};
  g->ops->finish(sums, &o);
}

static void run_exact(const conv *g, const weft_block *b, const unit *u, size_t panel, size_t tile) {
  const weft__conv_shape *c = &g->b.c;
  const void *filters[2] = {g, b->arg[g->w_arg]};
  _Alignas(64) float sums[WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  size_t ox = weft__share(c->out[2], tile % g->across, g->across), place = tile / g->across * c->out[2] + ox;
  size_t n = weft__share(c->out[2], tile % g->across + 1, g->across) - ox, channel = panel * g->ops->cols;
  const float *x =
      (const float *)b->arg[g->x_arg] + u->image * g->planes * c->in_size * (g->b.from_plain ? 1 : WEFT__C0);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < g->ops->cols; j++)
      sums[i * WEFT__GEMM_COLS + j] =
          channel + j < c->outputs
              ? weft__blocked_conv_exact(&g->b, x, place + i, filter_at, filters, channel + j)
              : 0;
  weft__blocked_out o = {.y = u->y,
                         .y_block = c->out_size * WEFT__C0,
                         .place = place,
                         .rows = n,
                         .channel = u->group * c->outputs + channel,
                         .end = (u->group + 1) * c->outputs,
                         .channels = c->groups * c->outputs,
                         .batch = u->image,
                         .e = &g->b.e,
                         .arg = b->arg};
  g->ops->finish(sums, &o);
}

static void run_unit(const conv *g, const weft_block *b, size_t n) {
  const weft__conv_shape *c = &g->b.c;
  const float *w = b->arg[g->w_arg];
  size_t part = n % g->panel_parts, band = n / g->panel_parts % g->bands;
  size_t z = n / g->panel_parts / g->bands;  // image and group
  unit u = {.image = z / c->groups, .group = z % c->groups};
  u.tile0 = weft__share(g->tiles, band, g->bands), u.tile1 = weft__share(g->tiles, band + 1, g->bands);
  u.x = (const float *)(g->padded ? b->workspace[0] : b->arg[g->x_arg]) + z * g->planes * g->plane;
  u.y = (float *)b->arg[g->y_arg] + u.image * weft__blocked_image(c->groups * c->outputs, c->out_size);
  size_t last = weft__share(g->panels, part + 1, g->panel_parts);
  for (size_t panel = weft__share(g->panels, part, g->panel_parts); panel < last; panel++) {
    u.w = w + MARK + (u.group * g->panels + panel) * g->panel_size;
    const char *next = panel + 1 < last ? (const char *)(u.w + g->panel_size) : NULL;
    size_t lines = g->panel_size * sizeof(float) / 64, a_tile = g->runs * g->steps;
    for (size_t i = u.tile0; i < u.tile1; i++) {
      size_t done = (i - u.tile0) * a_tile;
      if (w[0] != 0)
        run_exact(g, b, &u, panel, i);
      else
        one_tile(g, b, &u, panel, i, next && done + a_tile <= lines ? next + done * 64 : NULL);
    }
  }
}

static weft_status run(const weft_block *b) {
  const conv *g = b->data;
  if (g->padded && b->phase == 0) {
    pad(g, b);
    return WEFT_OK;
  }
  find_runs(g, b->scratch);
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    run_unit(g, b, i);
  return WEFT_OK;
}

WEFT__BLOCKED_KERNEL(blocked_conv_fused, "blocked-conv");
