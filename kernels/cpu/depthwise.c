// depthwise.c - Conv and Conv2D of float, channels first, whose groups have one input channel, alone and with
// what follows them. A strip of a channel's plane is copied with its padding into the first cache, sorted by
// the stride's phases, so that each tap is one run of numbers: the output is computed as one line over all
// rows of the strip, a few places between the rows included that nobody reads. Cost: one pass over the input,
// and a multiply-add a tap and place. 3 x 3 taps are read where they lie (planes.h).
#include <math.h>

#include "cpu/conv_shape.h"

enum { IN_MAX = 8192, OUT_MAX = 4096, TAPS_MAX = 256, SLACK = 64, MANY_OUTPUTS = 4 };

typedef struct depthwise {
  const weft__gemm_ops *ops;
  weft__conv_shape c;
  uint32_t x_arg, w_arg, y_arg;
  weft__strips p;
  size_t units;
  bool plain;      // an addition a channel, a clip, nothing else
  bool nine;       // plain, 3 x 3 taps beside each other, strides of 1 or 2
  int bias, clip;  // steps of these; -1
  uint32_t at[TAPS_MAX];
  weft__epilogue e;
} depthwise;

static size_t plane_rows(const depthwise *g, size_t strip) {
  return strip + g->p.more_rows;
}

static const char *read(const weft_tiling *t, weft__product *p, depthwise *g) {
  const weft__conv_shape *c = &g->c;
  const char *no = weft__conv_read(t, p, &g->c, &g->e);
  if (no || !weft__product_known(t)) return no;
  if (c->inputs != 1 || c->outputs >= MANY_OUTPUTS) return "needs groups of one input channel";
  if (c->kernel[0] != 1 || c->in[0] != 1 || c->out[0] != 1 || c->begin[0])
    return "needs at most two spatial axes";
  bool fits = weft__strips_of(c, IN_MAX, OUT_MAX, TAPS_MAX, g->at, &g->p);
  return fits ? NULL : "needs rows and kernels that fit the first cache";
}

static const char *refuse(const weft_tiling *t) {
  weft__product p;
  depthwise g;
  memset(&g, 0, sizeof g);
  return read(t, &p, &g);
}

static void read_steps(depthwise *g) {
  uint32_t k = 0;
  g->bias = g->clip = -1;
  if (k < g->e.n && g->e.step[k].kind == WEFT__STEP_ADD && !g->e.step[k].by_col && !g->e.step[k].by_batch)
    g->bias = (int)k++;
  if (k < g->e.n && g->e.step[k].kind == WEFT__STEP_CLIP) g->clip = (int)k++;
  g->plain = k == g->e.n;
  const weft__conv_shape *c = &g->c;
  g->nine = g->plain && c->kernel[1] == 3 && c->kernel[2] == 3 && c->dilation[1] == 1 &&
            c->dilation[2] == 1 && c->stride[1] == c->stride[2] && c->stride[1] <= 2 && c->outputs == 1 &&
            weft__plane_fits(weft__gemm_find(), 3, c->out[2]);
}

static double cost(const weft_tiling *t) {  // below that of conv.c
  weft__product p;
  depthwise g;
  memset(&g, 0, sizeof g);
  if (read(t, &p, &g)) return 1e30;
  read_steps(&g);
  return 400 + weft__conv_macs(&g.c) / ((g.nine ? 2 : 1.2) * weft__gemm_find()->cols);
}

static weft_status tile(weft_tiling *t) {
  weft__product p;
  depthwise *g = t->data;
  const char *no = read(t, &p, g);
  if (no) return weft_fail(t->d, WEFT_E_KERNEL, "depthwise: %s", no);
  t->data_bytes = sizeof *g;
  g->ops = weft__gemm_find();
  g->x_arg = (uint32_t)p.arg[0], g->w_arg = (uint32_t)p.arg[1], g->y_arg = t->n_in;
  read_steps(g);
  g->units = g->c.images * g->c.groups * g->c.outputs;
  t->blocks = weft__product_blocks((g->nine ? 12 : 8) * weft__conv_macs(&g->c), 0, g->units);
  return WEFT_OK;
}

// The copy is zero where nothing is copied, before and afterwards.
static void copy_strip(const depthwise *g, const float *x, size_t first, size_t rows, float *to) {
  const weft__conv_shape *c = &g->c;
  size_t lines = plane_rows(g, g->p.strip), used = plane_rows(g, rows);
  const float *end = to + c->stride[1] * c->stride[2] * lines * g->p.pitch + SLACK;
  for (size_t p = 0; p < c->stride[1]; p++) {
    int64_t top = (int64_t)(first * c->stride[1] + p) - c->begin[1], stride = (int64_t)c->stride[1];
    size_t skip = top < 0 ? (size_t)((-top + stride - 1) / stride) : 0;
    int64_t h = top + (int64_t)skip * stride;
    if (h >= (int64_t)c->in[1] || skip >= used) continue;
    size_t n = WEFT_MIN((c->in[1] - (size_t)h - 1) / c->stride[1] + 1, used - skip);
    for (size_t q = 0; q < c->stride[2]; q++) {
      size_t begin = (size_t)c->begin[2],
             left = begin > q ? (begin - q + c->stride[2] - 1) / c->stride[2] : 0;
      size_t from = left * c->stride[2] + q - begin;
      if (from >= c->in[2] || left >= g->p.pitch) continue;
      size_t wide = WEFT_MIN((c->in[2] - from - 1) / c->stride[2] + 1, g->p.pitch - left);
      g->ops->copy_rows(to + ((p * c->stride[2] + q) * lines + skip) * g->p.pitch + left, g->p.pitch, end,
                        x + (size_t)h * c->in[2] + from, c->stride[1] * c->in[2], c->stride[2], wide, n);
    }
  }
}

// Steps that are not plain: a piece of a row at a time through the epilogue.
static void finish_row(const depthwise *g, const weft_block *b, const float *sum, size_t image,
                       size_t channel, size_t row, float *y) {
  _Alignas(64) float piece[WEFT__GEMM_COLS] = {0};
  for (size_t i = 0; i < g->c.out[2]; i += g->ops->cols) {
    size_t n = WEFT_MIN(g->ops->cols, g->c.out[2] - i);
    memcpy(piece, sum + i, n * sizeof *sum);
    weft__tile_out o = {.y = y + i,
                        .y_row = g->c.out[2],
                        .rows = 1,
                        .cols = n,
                        .batch = image,
                        .row = channel,
                        .col = row * g->c.out[2] + i,
                        .last = true,
                        .e = &g->e,
                        .arg = b->arg};
    g->ops->finish(piece, &o);
  }
}

static bool finite(const float *w, size_t n) {
  float odd = 0;
  for (size_t i = 0; i < n; i++) odd += w[i] * 0.0f;
  return odd == 0;
}

// Zeros of the padding times a filter that is not finite are no zeros: such filters go number by number.
static void exact_row(const depthwise *g, const float *x, const float *w, size_t row, float bias, float low,
                      float high, float *sum) {
  const weft__conv_shape *c = &g->c;
  for (size_t i = 0; i < c->out[2]; i++) {
    float s = bias;
    for (size_t t = 0; t < c->taps; t++) {
      int64_t h = (int64_t)(row * c->stride[1] + t / c->kernel[2] * c->dilation[1]) - c->begin[1];
      int64_t v = (int64_t)(i * c->stride[2] + t % c->kernel[2] * c->dilation[2]) - c->begin[2];
      if (h >= 0 && v >= 0 && h < (int64_t)c->in[1] && v < (int64_t)c->in[2])
        s += x[(size_t)h * c->in[2] + (size_t)v] * w[t];
    }
    s = s < low ? low : s;
    sum[i] = s > high ? high : s;
  }
}

static void run_channel(const depthwise *g, const weft_block *b, size_t unit, float *in, float *out) {
  const weft__conv_shape *c = &g->c;
  size_t channels = c->groups * c->outputs, image = unit / channels, channel = unit % channels;
  const float *x = (const float *)b->arg[g->x_arg] + (image * c->groups + channel / c->outputs) * c->in_size;
  const float *w = (const float *)b->arg[g->w_arg] + channel * c->taps;
  float *y = (float *)b->arg[g->y_arg] + unit * c->out_size, bias = 0, low = -INFINITY, high = INFINITY;
  if (g->plain && g->bias >= 0) {
    const weft__step *s = &g->e.step[g->bias];
    bias = s->p * ((const float *)b->arg[s->arg])[channel * s->by_row];
  }
  if (g->plain && g->clip >= 0) low = g->e.step[g->clip].p, high = g->e.step[g->clip].q;
  bool exact = !finite(w, c->taps);
  size_t zeros = c->stride[1] * c->stride[2] * plane_rows(g, g->p.strip) * g->p.pitch + SLACK;
  for (size_t first = 0; first < c->out[1]; first += g->p.strip) {
    size_t rows = WEFT_MIN(g->p.strip, c->out[1] - first), n = (rows - 1) * g->p.pitch + c->out[2],
           vec = g->ops->vec;
    if (!exact) {
      if (g->p.strip < c->out[1]) memset(in, 0, zeros * sizeof *in);  // another place, other rows outside
      copy_strip(g, x, first, rows, in);
      g->ops->taps(in, g->at, w, c->taps, out, (n + vec - 1) / vec * vec, bias, low, high);
    }
    float *to = y + first * c->out[2];
    for (size_t i = 0; exact && i < rows; i++)
      exact_row(g, x, w, first + i, bias, low, high, out + i * g->p.pitch);
    if (g->plain)
      g->ops->copy_rows(to, c->out[2], y + c->out_size, out, g->p.pitch, 1, c->out[2], rows);
    else
      for (size_t i = 0; i < rows; i++)
        finish_row(g, b, out + i * g->p.pitch, image, channel, first + i, to + i * c->out[2]);
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
    q.bias = (const float *)b->arg[s->arg] + first * s->by_row, q.by = s->by_row, q.scale = s->p;
  }
  if (g->clip >= 0) q.low = g->e.step[g->clip].p, q.high = g->e.step[g->clip].q;
  g->ops->nine(&p, &q);
}

static weft_status run(const weft_block *b) {
  const depthwise *g = b->data;
  const float *w = b->arg[g->w_arg];
  _Alignas(64) float in[IN_MAX + SLACK], out[OUT_MAX + SLACK];
  size_t channels = g->c.groups * g->c.outputs, last = weft__share(g->units, b->block + 1, b->blocks);
  if (!g->nine) memset(in, 0, sizeof in);
  for (size_t i = weft__share(g->units, b->block, b->blocks), n; i < last; i += n) {
    size_t c = i % channels;
    n = g->nine ? WEFT_MIN(channels - c, last - i) : 1;
    if (g->nine && finite(w + c * 9, n * 9)) {
      run_nine(g, b, i / channels, c, c + n);
      continue;
    }
    n = 1;
    if (g->nine) memset(in, 0, sizeof in);
    run_channel(g, b, i, in, out);
  }
  return WEFT_OK;
}

#define KERNEL(symbol, operator)                                                    \
  const weft_kernel weft__kernel_##symbol = {.size = sizeof(weft_kernel),           \
                                             .op = operator,                        \
                                             .device = "cpu",                       \
                                             .name = "depthwise",                   \
                                             .tiling_bytes_max = sizeof(depthwise), \
                                             .refuse = refuse,                      \
                                             .cost_ns = cost,                       \
                                             .tile = tile,                          \
                                             .run = run}
KERNEL(depthwise_Conv, "Conv");
KERNEL(depthwise_Conv2D, "Conv2D");
KERNEL(depthwise_fused, "Fused");
