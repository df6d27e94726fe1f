// conv_transpose_planes.c - ConvTranspose of float over one or two axes with one channel into a group or few
// out of it, alone and with what follows it. With a stride of s outputs of the same phase (conv_transpose.c)
// are sums of the same taps; over a strip of the output they all are lines of planes that lie, padded with
// zeros, in the cache: of the input itself where a group has one channel, otherwise of its product with the
// filters, a plane for each output channel and tap, so that a tile of the product is full although outputs
// are few. Lines of all phases of a row are then woven into the output. Places of the input beside a strip
// are in two of them, and are multiplied twice; the same bits come out whichever strips there are.
//
// Zeros of the padding times a filter that is infinite or NaN are no zeros: where the input itself is summed,
// such filters go number by number.
#include <math.h>

#include "cpu/conv/conv_transpose.h"
#include "cpu/move/move_ops.h"
#include "cpu/rows/polled.h"

enum { TAPS_MAX = 1024, MOST_OUTPUTS = 4, MOST_PLANES = 128, WIDE = 512, SLACK = 64 };
enum { DIRECT = 4096, ALL = 65536, MOST = 1 << 20 };  // numbers of the planes of a strip

// Along an axis: places of a phase, from `first` on (output = place * stride + phase - begin); how far back
// in the input a tap is; places of a strip; strips.
typedef struct line {
  int64_t first;
  size_t n, reach, strip, strips;
} line;

typedef struct planes {
  weft__transposed g;
  const weft__move_ops *vec;
  bool direct, gathers;  // planes are the input; the input's columns are copied for the product
  line rows, columns;
  size_t pitch, plane, n;  // of a row of a strip, of a plane; planes
  size_t out, columns_at;  // numbers of a phase's lines; where gathered columns are in the scratch
  size_t units;
  int bias, clip;  // steps of these; -1
  bool plain;      // a bias, a clip, nothing else
} planes;

static int64_t conv_transpose_planes_floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

static line line_of(const weft__transposed *g, size_t i) {
  int64_t s = (int64_t)g->f.stride[i];
  int64_t first = conv_transpose_planes_floor_div(g->begin[i], s);
  return (line){
      .first = first,
      .n = (size_t)(conv_transpose_planes_floor_div((int64_t)g->out[i] - 1 + g->begin[i], s) - first + 1),
      .reach = (g->f.kernel[i] - 1) * g->f.dilation[i] / g->f.stride[i]};
}

// Strips of about `most` places.
static void cut_line(line *l, size_t most) {
  l->strips = (l->n + most - 1) / most;
  l->strip = (l->n + l->strips - 1) / l->strips;
}

static bool conv_transpose_planes_cut(planes *p) {
  const weft__transposed *g = &p->g;
  size_t limit = p->direct ? DIRECT : ALL / p->n;
  size_t want = weft__product_blocks(2 * weft__transposed_macs(g), 0, 64);
  if (p->columns.reach > WIDE || p->rows.reach > MOST)
    return false;
  cut_line(&p->columns, WIDE);
  p->pitch = p->columns.strip + p->columns.reach;
  size_t high = WEFT_MAX(limit / p->pitch, 2 * p->rows.reach + 1) - p->rows.reach;
  size_t outer = g->images * g->f.groups * p->columns.strips;
  if (!p->direct && outer < want)  // more strips for more blocks, if not too many are multiplied twice
    high = WEFT_MIN(high, WEFT_MAX(p->rows.n * outer / want, 4 * p->rows.reach + 1));
  cut_line(&p->rows, WEFT_MAX(high, 1));
  p->plane = (p->rows.strip + p->rows.reach) * p->pitch;
  p->out = (p->rows.strip * p->pitch + SLACK - 1) / SLACK * SLACK;
  return p->plane <= MOST / p->n;
}

static const char *conv_transpose_planes_read(const weft_tiling *t, planes *p) {
  weft__transposed *g = &p->g;
  const char *no = weft__transposed_read(t, g);
  if (no || !weft__product_known(t))
    return no;
  p->direct = g->f.inputs == 1;
  g->ops = weft__gemm_find(t->host);
  g->rows = weft__conv_ops_find(t->host);
  p->vec = weft__move_find(t->host);
  const bool no_filters = !g->f.inputs || !g->f.outputs;
  if (no_filters || !g->in_size || !g->out_size)
    return "nothing to sum";
  const bool one_plane = g->in[0] == 1 && g->out[0] == 1 && !g->begin[0];
  if (!one_plane || g->f.kernel[0] != 1 || g->f.stride[0] != 1)
    return "needs one or two axes";
  if (g->f.taps > TAPS_MAX)
    return "needs fewer taps";
  p->n = p->direct ? 1 : g->f.outputs * g->f.taps;
  if (p->n > MOST_PLANES && g->f.outputs > MOST_OUTPUTS)
    return "needs one channel into a group or few out of it";
  p->gathers = !p->direct && (p->n > g->ops->rows || g->in_size < g->ops->cols);
  p->rows = line_of(g, 1);
  p->columns = line_of(g, 2);
  return conv_transpose_planes_cut(p) ? NULL : "needs planes that fit the cache";
}

static const char *conv_transpose_planes_refuse(const weft_tiling *t) {
  planes p;
  memset(&p, 0, sizeof p);
  return conv_transpose_planes_read(t, &p);
}

static double conv_transpose_planes_cost(const weft_tiling *t) {  // below that of conv_transpose.c
  planes p;
  memset(&p, 0, sizeof p);
  if (conv_transpose_planes_read(t, &p))
    return 1e30;
  return 400 + weft__transposed_macs(&p.g) / 40 +
         (double)(p.g.images * p.g.f.groups * p.g.f.outputs * p.g.out_size) / 4;
}

static weft_status conv_transpose_planes_tile(weft_tiling *t) {
  planes *p = t->data;
  const weft__transposed *g = &p->g;
  memset(p, 0, sizeof *p);
  const char *no = conv_transpose_planes_read(t, p);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "planes: %s", no);
  t->data_bytes = sizeof *p;
  p->plain = weft__epilogue_plain(&g->e, &p->bias, &p->clip);
  p->columns_at = (p->n * p->plane + g->f.stride[2] * p->out + 2 * SLACK - 1) / SLACK * SLACK;
  size_t numbers = 0;
  if (!weft_mul_size(p->gathers ? g->f.inputs : 0, g->ops->cols, &numbers) ||
      !weft_mul_size(numbers + p->columns_at, sizeof(float), &t->scratch_bytes))
    return weft_fail(t->d, WEFT_E_OVERFLOW, "planes: %zu channels are too many", g->f.inputs);
  p->units = g->images * g->f.groups * p->rows.strips * p->columns.strips;
  double outputs = (double)(g->images * g->f.groups * g->f.outputs * g->out_size);
  t->blocks =
      weft__product_blocks((p->direct ? 8 : 2) * weft__transposed_macs(g) + 16 * outputs, 0, p->units);
  return WEFT_OK;
}

// ---- planes ----
// A strip: its places, and the part of the input that its planes hold, at `skip` places from their start.
typedef struct part {
  int64_t first;
  size_t n, from, to, skip;
} part;
typedef struct strip {
  const planes *p;
  const weft_block *b;
  part h, w;
  size_t z;           // image and group
  const float *x;     // of the group
  float *base, *out;  // planes; lines of the phases of a row
} strip;

static part part_of(const line *l, size_t i, size_t in) {
  part o = {.first = l->first + (int64_t)(i * l->strip), .n = WEFT_MIN(l->strip, l->n - i * l->strip)};
  int64_t least = o.first - (int64_t)l->reach;
  int64_t end = o.first + (int64_t)o.n;
  o.from = (size_t)WEFT_MIN(WEFT_MAX(least, 0), (int64_t)in);
  o.to = (size_t)WEFT_MIN(WEFT_MAX(end, (int64_t)o.from), (int64_t)in);
  o.skip = o.to > o.from ? (size_t)((int64_t)o.from - least) : 0;
  return o;
}

static void copy_input(const strip *s) {
  const planes *p = s->p;
  size_t in = p->g.in[2];
  size_t wide = s->w.to - s->w.from;
  for (size_t i = s->h.from; i < s->h.to; i++) {
    memcpy(s->base + (s->h.skip + i - s->h.from) * p->pitch + s->w.skip, s->x + i * in + s->w.from,
           wide * sizeof *s->x);
  }
}

// Columns of the product: places [at, at + n) of the input, the first `skip` of them seen before. Their sums
// go to the planes, a piece of each row of the input at a time.
static void place_sums(const strip *s, const float *sums, size_t plane, size_t count, size_t at, size_t n,
                       size_t skip) {
  const planes *p = s->p;
  size_t in = p->g.in[2];
  for (size_t j = skip, some; j < n; j += some) {
    size_t row = (at + j) / in;
    size_t col = (at + j) % in;
    some = WEFT_MIN(n - j, in - col);
    float *to =
        s->base + plane * p->plane + (s->h.skip + row - s->h.from) * p->pitch + s->w.skip + col - s->w.from;
    for (size_t i = 0; i < count; i++)
      memcpy(to + i * p->plane, sums + i * WEFT__GEMM_COLS + j, some * sizeof *to);
  }
}

// Places [first, first + n) of the input, all of which lie in the strip.
static void multiply(const strip *s, const float *w, size_t first, size_t n) {
  const planes *p = s->p;
  const weft__transposed *g = &p->g;
  const weft__gemm_ops *ops = g->ops;
  _Alignas(64) float sums[WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  float *panel = (float *)s->b->scratch + p->columns_at;
  size_t tiles = (p->n + ops->rows - 1) / ops->rows;
  size_t cols = ops->cols;
  size_t k = g->f.inputs;
  for (size_t done = 0, some; done < n; done += some) {
    size_t at = first + done;
    size_t skip = 0;
    size_t step = g->in_size;
    const float *columns = s->x + at;
    some = WEFT_MIN(cols, n - done);
    if (p->gathers) {
      g->rows->copy_rows(&(weft__row_copy){panel, cols, panel + k * cols, columns, step, 1, some, k});
      columns = panel;
      step = cols;
    } else if (at + cols > g->in_size) {  // nothing behind the input is read
      skip = at + cols - g->in_size;
      at -= skip;
      columns -= skip;
    }
    for (size_t i = 0; i < tiles; i++) {
      size_t row = weft__share(p->n, i, tiles);
      size_t rows = weft__share(p->n, i + 1, tiles) - row;
      const weft__tile_in f = {k, w + row, 1, p->n, columns, step, {(const char *)w, 0}};
      ops->tile[0][skip + some > ops->vec][rows](&f, sums);
      place_sums(s, sums, row, rows, at, skip + some, skip);
    }
  }
}

static void fill_planes(const strip *s) {
  const planes *p = s->p;
  const weft__transposed *g = &p->g;
  size_t in = g->in[2];
  size_t wide = s->w.to - s->w.from;
  size_t high = s->h.to - s->h.from;
  bool whole = wide == p->pitch && high == s->h.n + p->rows.reach;
  if (!whole)
    memset(s->base, 0, p->n * p->plane * sizeof *s->base);
  if (!wide || !high)
    return;
  if (p->direct) {
    copy_input(s);
    return;
  }
  const float *w =
      (const float *)s->b->arg[g->w_arg] + s->z % g->f.groups * g->f.inputs * g->f.outputs * g->f.taps;
  if (wide == in)
    multiply(s, w, s->h.from * in, high * in);
  else {
    for (size_t i = s->h.from; i < s->h.to; i++)
      multiply(s, w, i * in + s->w.from, wide);
  }
}

// ---- outputs ----
// Of a channel: its filters where the input itself is summed, and what is done with sums where steps are
// plain.
typedef struct channel {
  const float *w;
  float *y;
  size_t plane, row;  // its first plane; its number
  float bias, low, high;
} channel;

// Taps of a phase: where their lines begin, and their filters. Returns their number.
static size_t taps_of(const strip *s, const channel *c, const size_t phase[2], uint32_t *at, float *w) {
  const planes *p = s->p;
  const weft__transposed_layout *f = &p->g.f;
  size_t n = 0;
  for (size_t i = 0; i < f->kernel[1]; i++) {
    size_t h = i * f->dilation[1];
    for (size_t j = 0; j < f->kernel[2] && h % f->stride[1] == phase[0]; j++) {
      size_t v = j * f->dilation[2];
      size_t t = i * f->kernel[2] + j;
      if (v % f->stride[2] != phase[1])
        continue;
      size_t from = (p->rows.reach - h / f->stride[1]) * p->pitch + p->columns.reach - v / f->stride[2];
      at[n] = (uint32_t)((p->direct ? 0 : c->plane + t) * p->plane + from);
      w[n++] = p->direct ? c->w[t] : 1;
    }
  }
  return n;
}

// Columns of the output that a strip has.
static size_t conv_transpose_planes_outputs_of(const strip *s, size_t *out_first) {
  const weft__transposed *g = &s->p->g;
  int64_t stride = (int64_t)g->f.stride[2];
  int64_t from = s->w.first * stride - g->begin[2];
  int64_t to = from + (int64_t)s->w.n * stride;
  *out_first = (size_t)WEFT_MAX(from, 0);
  return (size_t)WEFT_MIN(to, (int64_t)g->out[2]) - *out_first;
}

// Row `row` of the strip, of all phases along it, to y, a row of the output.
static void weave_row(const strip *s, size_t row, float *y) {
  const planes *p = s->p;
  const weft__transposed *g = &p->g;
  const float *from = s->out + row * p->pitch;
  size_t stride = g->f.stride[2];
  size_t low = 0;
  size_t high = s->w.n;
  int64_t first = s->w.first * (int64_t)stride - g->begin[2];
  int64_t wide = (int64_t)g->out[2];
  while (low < high && first + (int64_t)(low * stride) < 0)
    low++;
  while (high > low && first + (int64_t)(high * stride) > wide)
    high--;
  for (size_t i = 0; i < s->w.n; i++) {
    if (i == low && high > low)
      i = high;
    if (i == s->w.n)
      break;
    for (size_t r = 0; r < stride; r++) {
      int64_t at = first + (int64_t)(i * stride + r);
      if (at >= 0 && at < wide)
        y[at] = from[r * p->out + i];
    }
  }
  if (high > low)
    p->vec->weave(from + low, p->out, y + first + (int64_t)(low * stride), stride, high - low);
}

// Steps that are not plain, over n numbers of the channel from `at` on.
static void conv_transpose_planes_finish(const strip *s, const channel *c, size_t at, size_t n) {
  _Alignas(64) float piece[WEFT__GEMM_COLS] = {0};
  const weft__transposed *g = &s->p->g;
  for (size_t i = 0, some; i < n; i += some) {
    some = WEFT_MIN(g->ops->cols, n - i);
    memcpy(piece, c->y + at + i, some * sizeof *piece);
    weft__tile_out o = {.y = c->y + at + i,
                        .y_row = g->out[2],
                        .rows = 1,
                        .cols = some,
                        .batch = s->z / g->f.groups,
                        .row = c->row,
                        .col = at + i,
                        .last = true,
                        .e = &g->e,
                        .arg = s->b->arg};
    g->ops->finish(piece, &o);
  }
}

static bool conv_transpose_planes_finite(const float *w, size_t n) {
  float odd = 0;
  for (size_t i = 0; i < n; i++)
    odd += w[i] * 0.0f;
  return odd == 0;
}

// Place `to` of the input along axis i that tap k of output `o` multiplies. False: none.
static bool tap_place(const weft__transposed *g, size_t i, size_t o, size_t k, size_t *to) {
  int64_t at = (int64_t)o + g->begin[i] - (int64_t)(k * g->f.dilation[i]);
  int64_t s = (int64_t)g->f.stride[i];
  *to = (size_t)(at / s);
  return at >= 0 && at % s == 0 && at / s < (int64_t)g->in[i];
}

static void conv_transpose_planes_exact_row(const strip *s, const channel *c, size_t row, size_t first,
                                            size_t n, float *y) {
  const weft__transposed *g = &s->p->g;
  for (size_t o = first; o < first + n; o++) {
    float sum = c->bias;
    for (size_t t = 0, h, v; t < g->f.taps; t++) {
      if (tap_place(g, 1, row, t / g->f.kernel[2], &h) && tap_place(g, 2, o, t % g->f.kernel[2], &v))
        sum += s->x[h * g->in[2] + v] * c->w[t];
    }
    sum = sum < c->low ? c->low : sum;
    y[o] = sum > c->high ? c->high : sum;
  }
}

// Lines of all phases along a row, for phase `h` of rows.
static void sum_lines(const strip *s, const channel *c, size_t h) {
  const planes *p = s->p;
  const weft__gemm_ops *ops = p->g.ops;
  uint32_t at[TAPS_MAX];
  float w[TAPS_MAX];
  size_t n = (s->h.n - 1) * p->pitch + s->w.n;
  for (size_t r = 0; r < p->g.f.stride[2]; r++) {
    size_t taps = taps_of(s, c, (const size_t[2]){h, r}, at, w);
    p->g.rows->taps(&(weft__line){.x = s->base,
                                  .at = at,
                                  .w = w,
                                  .taps = taps,
                                  .y = s->out + r * p->out,
                                  .n = (n + ops->vec - 1) / ops->vec * ops->vec,
                                  .bias = c->bias,
                                  .low = c->low,
                                  .high = c->high});
  }
}

static void conv_transpose_planes_run_channel(const strip *s, const channel *c) {
  const planes *p = s->p;
  const weft__transposed *g = &p->g;
  bool exact = p->direct && !conv_transpose_planes_finite(c->w, g->f.taps);
  size_t stride = g->f.stride[1];
  size_t first;
  size_t n = conv_transpose_planes_outputs_of(s, &first);
  for (size_t h = 0; h < stride; h++) {
    if (!exact)
      sum_lines(s, c, h);
    for (size_t i = 0; i < s->h.n; i++) {
      int64_t row = (s->h.first + (int64_t)i) * (int64_t)stride + (int64_t)h - g->begin[1];
      if (row < 0 || row >= (int64_t)g->out[1])
        continue;
      float *y = c->y + (size_t)row * g->out[2];
      if (exact)
        conv_transpose_planes_exact_row(s, c, (size_t)row, first, n, y);
      else
        weave_row(s, i, y);
      if (!p->plain)
        conv_transpose_planes_finish(s, c, (size_t)row * g->out[2] + first, n);
    }
  }
}

static weft_status conv_transpose_planes_run_unit(const planes *p, const weft_block *b, size_t unit,
                                                  size_t *work) {
  const weft__transposed *g = &p->g;
  size_t w = unit % p->columns.strips;
  size_t h = unit / p->columns.strips % p->rows.strips;
  strip s = {.p = p,
             .b = b,
             .h = part_of(&p->rows, h, g->in[1]),
             .w = part_of(&p->columns, w, g->in[2]),
             .z = unit / p->columns.strips / p->rows.strips,
             .base = b->scratch};
  s.out = s.base + (p->n * p->plane + SLACK);
  s.x = (const float *)b->arg[g->x_arg] + s.z * g->f.inputs * g->in_size;
  fill_planes(&s);
  for (size_t i = 0; i < g->f.outputs; i++) {
    WEFT_TRY(weft__block_work(b, work, (p->plane + 16) * g->f.inputs));
    channel c = {.y = (float *)b->arg[g->y_arg] + (s.z * g->f.outputs + i) * g->out_size,
                 .plane = i * g->f.taps,
                 .row = s.z % g->f.groups * g->f.outputs + i,
                 .low = -INFINITY,
                 .high = INFINITY};
    c.w = (const float *)b->arg[g->w_arg] + c.row * g->f.taps;  // where groups have one input
    if (p->plain && p->bias >= 0) {
      const weft__step *add = &g->e.step[p->bias];
      c.bias = add->p * ((const float *)b->arg[add->arg])[c.row * add->by_row];
    }
    if (p->plain && p->clip >= 0) {
      c.low = g->e.step[p->clip].p;
      c.high = g->e.step[p->clip].q;
    }
    conv_transpose_planes_run_channel(&s, &c);
  }
  return WEFT_OK;
}

static weft_status conv_transpose_planes_run(const weft_block *b) {
  const planes *p = b->data;
  size_t work = 0;
  for (size_t i = weft__share(p->units, b->block, b->blocks);
       i < weft__share(p->units, b->block + 1, b->blocks); i++)
    WEFT_TRY(conv_transpose_planes_run_unit(p, b, i, &work));
  return WEFT_OK;
}

#define KERNEL(symbol, operator)                                               \
  WEFT__PRODUCT_KERNEL_WITH(symbol, conv_transpose_planes, operator, "planes", \
                            .tiling_bytes_max = sizeof(planes))
KERNEL(conv_transpose_planes, "ConvTranspose");
KERNEL(conv_transpose_planes_fused, "Fused");
// SPDX-License-Identifier: Apache-2.0
