// depthwise.c - Conv and Conv2D of float, channels first, whose groups have one input channel, alone and with
// what follows them. A strip of a channel's plane is copied with its padding into the first cache, sorted by
// the stride's phases, so that each tap is one run of numbers: the output is computed as one line over all
// rows of the strip, a few places between the rows included that nobody reads. Long rows are cut. With three
// axes the strips of all planes that an output's window covers lie there, each copied once. Cost: one pass
// over the input, and a multiply-add a tap and place. 3 x 3 taps of a plane are read where they lie
// (planes.h). Other kernels of one plane are summed some rows at a time (windows.h).
#include <math.h>

#include "cpu/conv/conv_strips.h"

enum { IN_MAX = 8192, OUT_MAX = 4096, PLANES_MAX = 16, SLACK = 64 };

typedef struct depthwise {
  const weft__gemm_ops *ops;
  const weft__conv_ops *rows;
  weft__conv_shape c;
  uint32_t x_arg, w_arg, y_arg;
  weft__conv_strips s;
  size_t units;
  bool plain;      // an addition a channel, a clip, nothing else
  bool nine;       // plain, 3 x 3 taps beside each other, strides of 1 or 2
  bool windows;    // rows of taps lie in neighbouring lines of a strip
  int bias, clip;  // steps of these; -1
  weft__epilogue e;
} depthwise;

static const char *depthwise_read(const weft_tiling *t, weft__product *p, depthwise *g) {
  const weft__conv_shape *c = &g->c;
  const char *no = weft__conv_read(t, p, &g->c, &g->e);
  if (no || !weft__product_known(t))
    return no;
  if (c->inputs != 1)
    return "needs groups of one input channel";
  if (c->kernel[0] > PLANES_MAX || !weft__conv_strips_cut(c, IN_MAX / c->kernel[0], OUT_MAX, &g->s))
    return "needs rows and kernels that fit the first cache";
  return NULL;
}

static const char *depthwise_refuse(const weft_tiling *t) {
  weft__product p;
  depthwise g;
  memset(&g, 0, sizeof g);
  return depthwise_read(t, &p, &g);
}

static void read_steps(const weft_tiling *t, depthwise *g) {
  g->plain = weft__epilogue_plain(&g->e, &g->bias, &g->clip);
  const weft__conv_shape *c = &g->c;
  const bool flat = weft__conv_is_flat(c);
  const bool neighbours = c->dilation[1] == 1 && c->dilation[2] == 1;
  const bool nine_taps = neighbours && c->kernel[1] == 3 && c->kernel[2] == 3;
  const bool strides = c->stride[1] == c->stride[2] && c->stride[1] <= 2;
  const bool fits = weft__plane_fits(weft__conv_ops_find(t->host), 3, c->out[2]);
  g->nine = g->plain && flat && nine_taps && strides && c->outputs == 1 && fits;
  const bool high = c->kernel[1] > 1 && (c->kernel[1] - 1) / c->stride[1] < WEFT__WINDOW_HIGH;
  g->windows = flat && c->dilation[1] == 1 && high;
}

static double depthwise_cost(const weft_tiling *t) {  // below that of conv.c
  weft__product p;
  depthwise g;
  memset(&g, 0, sizeof g);
  if (depthwise_read(t, &p, &g))
    return 1e30;
  read_steps(t, &g);
  return 400 + weft__conv_macs(&g.c) / ((g.nine ? 2 : 1.2) * weft__gemm_find(t->host)->cols);
}

static weft_status depthwise_tile(weft_tiling *t) {
  weft__product p;
  depthwise *g = t->data;
  const char *no = depthwise_read(t, &p, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "depthwise: %s", no);
  t->data_bytes = sizeof *g;
  g->ops = weft__gemm_find(t->host);
  g->rows = weft__conv_ops_find(t->host);
  g->x_arg = (uint32_t)p.arg[0];
  g->w_arg = (uint32_t)p.arg[1];
  g->y_arg = t->n_in;
  read_steps(t, g);
  g->units = g->c.images * g->c.groups * g->c.outputs;
  t->blocks = weft__product_blocks((g->nine ? 12 : 8) * weft__conv_macs(&g->c), 0, g->units);
  return WEFT_OK;
}

typedef weft__strip_place place;

// Steps that are not plain: a piece of a row at a time through the epilogue. at: of the row's first output in
// the channel.
static void finish_row(const depthwise *g, const weft_block *b, const float *sum, size_t unit, size_t at,
                       size_t cols, float *y) {
  _Alignas(64) float piece[WEFT__GEMM_COLS] = {0};
  size_t channels = g->c.groups * g->c.outputs;
  for (size_t i = 0; i < cols; i += g->ops->cols) {
    size_t n = WEFT_MIN(g->ops->cols, cols - i);
    memcpy(piece, sum + i, n * sizeof *sum);
    weft__tile_out o = {.y = y + at + i,
                        .y_row = g->c.out[2],
                        .rows = 1,
                        .cols = n,
                        .batch = unit / channels,
                        .row = unit % channels,
                        .col = at + i,
                        .last = true,
                        .e = &g->e,
                        .arg = b->arg};
    g->ops->finish(piece, &o);
  }
}

static bool depthwise_finite(const float *w, size_t n) {
  uint32_t most[4] = {0};  // of the exponents, by fours: none waits for the one before
  for (size_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, w + i, sizeof bits);
    bits &= 0x7F800000;
    most[i % 4] = WEFT_MAX(most[i % 4], bits);
  }
  return WEFT_MAX(WEFT_MAX(most[0], most[1]), WEFT_MAX(most[2], most[3])) < 0x7F800000;
}

// A channel: its numbers, its filter, and what is done with sums where steps are plain.
typedef struct channel {
  const float *x, *w;
  float bias, low, high;
} channel;

// Zeros of the padding times a filter that is not finite are no zeros: such filters go number by number.
static void depthwise_exact_row(const depthwise *g, const channel *h, size_t plane, size_t row,
                                const place *o, float *sum) {
  const weft__conv_shape *c = &g->c;
  for (size_t i = 0; i < o->cols; i++) {
    const size_t out[3] = {plane, row, o->col + i};
    float s = h->bias;
    for (size_t t = 0; t < c->taps; t++) {
      size_t from;
      if (weft__conv_tap_at(c, out, t, &from))
        s += h->x[from] * h->w[t];
    }
    s = s < h->low ? h->low : s;
    sum[i] = s > h->high ? h->high : s;
  }
}

// Strips of several planes of the input, a slot each.
typedef struct slots {
  float *in;
  size_t have[PLANES_MAX];                     // which plane lies in a slot; SIZE_MAX: none
  uint32_t at[PLANES_MAX * WEFT__STRIP_TAPS];  // of a plane of outputs' taps
  size_t first, taps;                          // of the kernel's: those of `at`
} slots;

// A plane of outputs' taps: those of planes of the input that exist, whose strips are copied unless they lie
// in their slots since the plane before.
static void plane_taps(const depthwise *g, const float *x, size_t plane, const place *o, slots *s) {
  const weft__conv_shape *c = &g->c;
  size_t each = c->kernel[1] * c->kernel[2];
  s->taps = 0;
  s->first = 0;
  for (size_t k = 0; k < c->kernel[0]; k++) {
    size_t z;
    if (!weft__conv_tap_place(c, 0, plane, k, &z))
      continue;
    size_t slot = z / c->dilation[0] % c->kernel[0];  // others for all planes of a window
    float *in = s->in + slot * g->s.slot;
    if (s->have[slot] != z)
      weft__conv_strip_copy(g->rows, c, &g->s, x + z * c->in[1] * c->in[2], o, in);
    s->have[slot] = z;
    if (!s->taps)
      s->first = k * each;
    for (size_t t = 0; t < each; t++)
      s->at[s->taps++] = g->s.at[t] + (uint32_t)(slot * g->s.slot);
  }
}

// One strip of one plane of outputs, from `out` to y.
static void depthwise_leave(const depthwise *g, const weft_block *b, size_t unit, size_t plane,
                            const place *o, const float *out, float *y) {
  const weft__conv_shape *c = &g->c;
  size_t all = c->out[1] * c->out[2];
  size_t at = plane * all + o->row * c->out[2] + o->col;
  bool whole = o->cols == c->out[2];
  if (g->plain && whole) {
    g->rows->copy_rows(&(weft__row_copy){.dst = y + at,
                                         .dst_row = c->out[2],
                                         .end = y + (plane + 1) * all,
                                         .src = out,
                                         .src_row = g->s.p.pitch,
                                         .stride = 1,
                                         .n = o->cols,
                                         .rows = o->rows});
  } else {
    for (size_t i = 0; i < o->rows; i++, at += c->out[2], out += g->s.p.pitch) {
      if (g->plain)
        memcpy(y + at, out, o->cols * sizeof *y);
      else
        finish_row(g, b, out, unit, at, o->cols, y);
    }
  }
}

// Four rows and more, with finite filters.
static void run_windows(const depthwise *g, const weft_block *b, size_t unit, const channel *h,
                        const place *o, float *in, float *out) {
  const weft__conv_shape *c = &g->c;
  float *y = (float *)b->arg[g->y_arg] + unit * c->out_size;
  weft__windows q = {.x = in,
                     .w = h->w,
                     .at = g->s.at,
                     .pitch = g->s.p.pitch,
                     .high = c->kernel[1],
                     .wide = c->kernel[2],
                     .stride = c->stride[1],
                     .bias = h->bias,
                     .least = h->low,
                     .most = h->high};
  weft__conv_strip_copy(g->rows, c, &g->s, h->x, o, in);
  if (g->plain) {
    g->rows->windows(&q, o->rows, o->cols, y + o->row * c->out[2] + o->col, c->out[2]);
  } else {
    g->rows->windows(&q, o->rows, o->cols, out, q.pitch);
    depthwise_leave(g, b, unit, 0, o, out, y);
  }
}

static void run_strip(const depthwise *g, const weft_block *b, size_t unit, const channel *h, const place *o,
                      float *in, float *out) {
  const weft__conv_shape *c = &g->c;
  float *y = (float *)b->arg[g->y_arg] + unit * c->out_size;
  slots s;
  s.in = in;
  size_t vec = g->ops->vec;
  size_t n = (o->rows - 1) * g->s.p.pitch + o->cols;
  bool exact = !depthwise_finite(h->w, c->taps);
  for (size_t k = 0; k < c->kernel[0]; k++)
    s.have[k] = SIZE_MAX;
  if (!exact && (o->rows < c->out[1] || o->cols < c->out[2]))  // another place, other numbers outside
    memset(in, 0, (g->s.slot * c->kernel[0] + SLACK) * sizeof *in);
  if (!exact && g->windows && o->rows >= WEFT__WINDOW_ROWS) {
    run_windows(g, b, unit, h, o, in, out);
    return;
  }
  for (size_t plane = 0; plane < c->out[0]; plane++) {
    for (size_t i = 0; exact && i < o->rows; i++)
      depthwise_exact_row(g, h, plane, o->row + i, o, out + i * g->s.p.pitch);
    if (!exact) {
      plane_taps(g, h->x, plane, o, &s);
      g->rows->taps(&(weft__line){.x = in,
                                  .at = s.at,
                                  .w = h->w + s.first,
                                  .taps = s.taps,
                                  .y = out,
                                  .n = (n + vec - 1) / vec * vec,
                                  .bias = h->bias,
                                  .low = h->low,
                                  .high = h->high});
    }
    depthwise_leave(g, b, unit, plane, o, out, y);
  }
}

static void depthwise_run_channel(const depthwise *g, const weft_block *b, size_t unit, float *in,
                                  float *out) {
  const weft__conv_shape *c = &g->c;
  size_t channels = c->groups * c->outputs;
  size_t image = unit / channels;
  size_t at = unit % channels;
  channel h = {.x = (const float *)b->arg[g->x_arg] + (image * c->groups + at / c->outputs) * c->in_size,
               .w = (const float *)b->arg[g->w_arg] + at * c->taps,
               .low = -INFINITY,
               .high = INFINITY};
  if (g->plain && g->bias >= 0) {
    const weft__step *s = &g->e.step[g->bias];
    h.bias = s->p * ((const float *)b->arg[s->arg])[at * s->by_row];
  }
  if (g->plain && g->clip >= 0) {
    h.low = g->e.step[g->clip].p;
    h.high = g->e.step[g->clip].q;
  }
  for (size_t row = 0; row < c->out[1]; row += g->s.p.strip) {
    for (size_t col = 0; col < c->out[2]; col += g->s.wide) {
      place o = {row, col, WEFT_MIN(g->s.p.strip, c->out[1] - row), WEFT_MIN(g->s.wide, c->out[2] - col)};
      run_strip(g, b, unit, &h, &o, in, out);
    }
  }
}

// Channels [first, last) of an image with finite filters.
static void run_nine(const depthwise *g, const weft_block *b, size_t image, size_t first, size_t last) {
  const weft__conv_shape *c = &g->c;
  size_t at = image * c->groups + first;
  weft__plane p = {.x = (const float *)b->arg[g->x_arg] + at * c->in_size,
                   .y = (float *)b->arg[g->y_arg] + at * c->out_size,
                   .planes = last - first,
                   .in = {c->in[1], c->in[2]},
                   .out = {c->out[1], c->out[2]},
                   .stride = c->stride[1],
                   .begin = {c->begin[1], c->begin[2]}};
  weft__nine q = {
      .w = (const float *)b->arg[g->w_arg] + first * 9, .low = -INFINITY, .high = INFINITY, .scale = 1};
  if (g->bias >= 0) {
    const weft__step *s = &g->e.step[g->bias];
    q.bias = (const float *)b->arg[s->arg] + first * s->by_row;
    q.by = s->by_row;
    q.scale = s->p;
  }
  if (g->clip >= 0) {
    q.low = g->e.step[g->clip].p;
    q.high = g->e.step[g->clip].q;
  }
  g->rows->nine(&p, &q);
}

static weft_status depthwise_run(const weft_block *b) {
  const depthwise *g = b->data;
  const float *w = b->arg[g->w_arg];
  _Alignas(64) float in[IN_MAX + SLACK], out[OUT_MAX + SLACK];
  size_t channels = g->c.groups * g->c.outputs;
  size_t last = weft__share(g->units, b->block + 1, b->blocks);
  if (!g->nine)
    memset(in, 0, sizeof in);
  for (size_t i = weft__share(g->units, b->block, b->blocks), n; i < last; i += n) {
    size_t c = i % channels;
    n = g->nine ? WEFT_MIN(channels - c, last - i) : 1;
    if (g->nine && depthwise_finite(w + c * 9, n * 9)) {
      run_nine(g, b, i / channels, c, c + n);
      continue;
    }
    n = 1;
    if (g->nine)
      memset(in, 0, sizeof in);
    depthwise_run_channel(g, b, i, in, out);
  }
  return WEFT_OK;
}

#define KERNEL(symbol, operator) \
  WEFT__PRODUCT_KERNEL_WITH(symbol, depthwise, operator, "depthwise", .tiling_bytes_max = sizeof(depthwise))
KERNEL(depthwise_Conv, "Conv");
KERNEL(depthwise_Conv2D, "Conv2D");
KERNEL(depthwise_fused, "Fused");
// SPDX-License-Identifier: Apache-2.0
