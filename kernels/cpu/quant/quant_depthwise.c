// quant_depthwise.c - ConvInteger whose groups have one input channel. As in depthwise.c, a strip of a
// channel's plane is copied with its padding into the first cache, sorted by the stride's phases, so that
// each tap is one run of bytes and the output one line over all rows of the strip; four taps at a time are
// mixed into lanes. Filters must have no zero points once they are signed. Cost: a pass over the input, and
// about 16 vector instructions for four taps of four vectors of places.
#include "cpu/conv/conv_shape.h"
#include "cpu/quant/quant_product.h"
#include "quant_sum.rule.h"

enum { IN_MAX = 16384, OUT_MAX = 4096, TAPS_MAX = 128, SLACK = 512, MANY_OUTPUTS = 4 };

typedef struct qdepthwise {
  const weft__quant_ops *ops;
  weft__quant_sum s;
  weft__conv_shape c;
  weft__strips p;
  size_t units, quads;
  uint32_t at[TAPS_MAX];
} qdepthwise;

static size_t plane_rows(const qdepthwise *g, size_t strip) {
  return strip + g->p.more_rows;
}

static const char *quant_depthwise_read(const weft_tiling *t, qdepthwise *g) {
  weft__product p;
  const weft__conv_shape *c = &g->c;
  const char *no = weft__quant_read(t, WEFT_CONV_SUM_RANGE, &g->s);
  if (no)
    return no;
  if (!weft__quant_w_zero_is(t, &g->s, g->s.w_signed ? 0 : 128))
    return "needs filters whose zero points are known and symmetric";
  if (!weft__product_known(t))
    return NULL;
  weft__quant_shapes(t, WEFT__PRODUCT_CONV, &p);
  no = weft__conv_sizes(&p, &g->c);
  if (no)
    return no;
  if (c->inputs != 1 || c->outputs >= MANY_OUTPUTS)
    return "needs groups of one input channel";
  if (!weft__conv_is_flat(c))
    return "needs at most two spatial axes";
  if (c->begin[1] < 0 || c->begin[2] < 0)
    return "has padding below 0";
  bool fits = weft__strips_of(c, IN_MAX, OUT_MAX, TAPS_MAX - 4, g->at, &g->p);
  return fits ? NULL : "needs rows and kernels that fit the first cache";
}

static const char *quant_depthwise_refuse(const weft_tiling *t) {
  qdepthwise g;
  memset(&g, 0, sizeof g);
  return quant_depthwise_read(t, &g);
}

static double quant_depthwise_cost(const weft_tiling *t) {  // below that of quant_conv.c
  qdepthwise g;
  memset(&g, 0, sizeof g);
  if (quant_depthwise_read(t, &g))
    return 1e30;
  return 400 + weft__conv_macs(&g.c) / 200;
}

static weft_status quant_depthwise_tile(weft_tiling *t) {
  qdepthwise *g = t->data;
  const char *no = quant_depthwise_read(t, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "depthwise: %s", no);
  t->data_bytes = sizeof *g;
  g->ops = weft__quant_find(t->host);
  g->quads = (g->c.taps + 3) / 4;
  g->units = g->c.images * g->c.groups * g->c.outputs;
  t->blocks = weft__product_blocks(4 * weft__conv_macs(&g->c), 0, g->units);
  return WEFT_OK;
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint8_t bytes16_at __attribute__((vector_size(16), aligned(1), may_alias));

static inline void copy_8(uint8_t *to, const uint8_t *from, uint8_t flip) {
  uint64_t v;
  memcpy(&v, from, 8);
  v ^= flip * UINT64_C(0x0101010101010101);
  memcpy(to, &v, 8);
}
static inline void copy_4(uint8_t *to, const uint8_t *from, uint8_t flip) {
  uint32_t v;
  memcpy(&v, from, 4);
  v ^= flip * 0x01010101u;
  memcpy(to, &v, 4);
}

// n bytes, no more: pieces of one size, the last of which may lie over the one before.
static inline void copy_bytes(uint8_t *to, const uint8_t *from, size_t n, uint8_t flip) {
  size_t j = 0;
  if (n >= 16) {
    for (; j + 16 <= n; j += 16)
      *(bytes16_at *)(to + j) = *(const bytes16_at *)(from + j) ^ flip;
    if (j < n)
      *(bytes16_at *)(to + n - 16) = *(const bytes16_at *)(from + n - 16) ^ flip;
  } else if (n >= 8) {
    copy_8(to, from, flip);
    copy_8(to + n - 8, from + n - 8, flip);
  } else if (n >= 4) {
    copy_4(to, from, flip);
    copy_4(to + n - 4, from + n - 4, flip);
  } else {
    for (; j < n; j++)
      to[j] = from[j] ^ flip;
  }
}

// Every second of 32 bytes, of 16.
static inline void evens_16(uint8_t *to, const uint8_t *from, uint8_t flip) {
  bytes16 a = *(const bytes16_at *)from;
  bytes16 b = *(const bytes16_at *)(from + 16);
  *(bytes16_at *)to =
      __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30) ^ flip;
}
static inline void evens_8(uint8_t *to, const uint8_t *from, uint8_t flip) {
  bytes16 a = *(const bytes16_at *)from ^ flip;
  bytes16 none = {0};
  a = __builtin_shufflevector(a, none, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  memcpy(to, &a, 8);
}

// `end`: of what may be read.
static inline void copy_evens(uint8_t *to, const uint8_t *from, const uint8_t *end, size_t n, uint8_t flip) {
  size_t j = 0;
  bool room = (size_t)(end - from) >= 2 * n;
  if (n >= 16 && room) {
    for (; j + 16 <= n; j += 16)
      evens_16(to + j, from + 2 * j, flip);
    if (j < n)
      evens_16(to + n - 16, from + 2 * (n - 16), flip);
  } else if (n >= 8 && room) {
    evens_8(to, from, flip);
    evens_8(to + n - 8, from + 2 * (n - 8), flip);
  } else {
    for (; j < n; j++)
      to[j] = from[2 * j] ^ flip;
  }
}

// Rows of n bytes that are copied, `stride` apart in the source, which ends at `end`.
typedef struct row_copy {
  uint8_t *to;
  size_t to_row;
  const uint8_t *from, *end;
  size_t from_row, stride;
  size_t n, rows;
  uint8_t flip;
} row_copy;

static inline void copy_rows(const row_copy *given) {
  row_copy c = *given;  // kept here: bytes that are stored might be it
  for (; c.rows; c.rows--, c.to += c.to_row, c.from += c.from_row) {
    if (c.stride == 1)
      copy_bytes(c.to, c.from, c.n, c.flip);
    else if (c.stride == 2)
      copy_evens(c.to, c.from, c.end, c.n, c.flip);
    else {
      for (size_t j = 0; j < c.n; j++)
        c.to[j] = c.from[j * c.stride] ^ c.flip;
    }
  }
}

// The copy is the zero point where nothing is copied, before and afterwards.
static void copy_strip(const qdepthwise *g, const uint8_t *x, size_t first, size_t rows, uint8_t *to) {
  const weft__conv_shape *c = &g->c;
  size_t lines = plane_rows(g, g->p.strip);
  size_t used = plane_rows(g, rows);
  for (size_t p = 0; p < c->stride[1]; p++) {
    size_t h;
    size_t skip = weft__strip_skipped(c, 1, first, p, &h);
    if (h >= c->in[1] || skip >= used)
      continue;
    size_t n = WEFT_MIN((c->in[1] - h - 1) / c->stride[1] + 1, used - skip);
    for (size_t q = 0; q < c->stride[2]; q++) {
      size_t from;
      size_t left = weft__strip_skipped(c, 2, 0, q, &from);
      if (from >= c->in[2] || left >= g->p.pitch)
        continue;
      size_t wide = WEFT_MIN((c->in[2] - from - 1) / c->stride[2] + 1, g->p.pitch - left);
      copy_rows(&(row_copy){.to = to + ((p * c->stride[2] + q) * lines + skip) * g->p.pitch + left,
                            .to_row = g->p.pitch,
                            .from = x + h * c->in[2] + from,
                            .end = x + c->in_size,
                            .from_row = c->stride[1] * c->in[2],
                            .stride = c->stride[2],
                            .n = wide,
                            .rows = n,
                            .flip = weft__quant_flip(&g->s, g->s.x_signed)});
    }
  }
}

typedef struct channel {
  const uint8_t *x;
  int32_t w[TAPS_MAX / 4 * 2], add;
  float factor;
  weft__quant_out o;
} channel;

static int32_t x_zero(const qdepthwise *g, const weft_block *b) {  // of the copy
  return weft__quant_x_zero(&g->s, b->arg) + weft__quant_move(&g->s, g->s.x_signed);
}

static void read_channel(const qdepthwise *g, const weft_block *b, size_t unit, channel *k) {
  const weft__conv_shape *c = &g->c;
  size_t channels = c->groups * c->outputs;
  size_t image = unit / channels;
  size_t at = unit % channels;
  const uint8_t *w = (const uint8_t *)b->arg[g->s.arg[WEFT__SUM_W]] + at * c->taps;
  int32_t sum = 0;
  int32_t zero = x_zero(g, b);
  int32_t *to = k->w;
  k->x = (const uint8_t *)b->arg[g->s.arg[WEFT__SUM_X]] + (image * c->groups + at / c->outputs) * c->in_size;
  for (size_t q = 0; q < g->quads; q++) {
    int8_t four[4] = {0};
    for (size_t i = 0; i < 4 && q * 4 + i < c->taps; i++)
      sum += four[i] = (int8_t)(w[q * 4 + i] ^ (g->s.w_signed ? 0 : 128));
    to += weft__quant_quad(g->ops->wide, four, to);
  }
  k->add = (int32_t)((uint32_t)weft__quant_bias(&g->s, b->arg, at) - (uint32_t)(zero * sum));
  k->factor = g->s.bytes ? weft__quant_scale(&g->s, b->arg, at) : 0;
  weft__quant_bounds(&g->s, b->arg, &k->o);
}

static void quant_depthwise_run_channel(const qdepthwise *g, const weft_block *b, size_t unit, uint8_t *in,
                                        int32_t *out) {
  const weft__conv_shape *c = &g->c;
  channel k;
  read_channel(g, b, unit, &k);
  size_t round = 4 * g->ops->vec;
  size_t copy = c->stride[1] * c->stride[2] * plane_rows(g, g->p.strip) * g->p.pitch + SLACK;
  for (size_t first = 0; first < c->out[1]; first += g->p.strip) {
    size_t rows = WEFT_MIN(g->p.strip, c->out[1] - first);
    size_t n = (rows - 1) * g->p.pitch + c->out[2];
    n = (n + round - 1) / round * round;
    memset(in, x_zero(g, b), copy);
    copy_strip(g, k.x, first, rows, in);
    size_t at = unit * c->out_size + first * c->out[2];
    const weft__quant_line line = {.x = in,
                                   .at = g->at,
                                   .w = k.w,
                                   .quads = g->quads,
                                   .n = n,
                                   .add = k.add,
                                   .factor = k.factor,
                                   .low = k.o.low,
                                   .high = k.o.high,
                                   .zero = k.o.zero};
    if (g->s.bytes) {
      g->ops->taps(&line, (uint8_t *)out);
      copy_rows(&(row_copy){.to = (uint8_t *)b->arg[g->s.y_arg] + at,
                            .to_row = c->out[2],
                            .from = (const uint8_t *)out,
                            .from_row = g->p.pitch,
                            .stride = 1,
                            .n = c->out[2],
                            .rows = rows});
    } else {
      int32_t *y = (int32_t *)b->arg[g->s.y_arg] + at;
      g->ops->taps_sums(&line, out);
      for (size_t i = 0; i < rows; i++)
        memcpy(y + i * c->out[2], out + i * g->p.pitch, c->out[2] * sizeof *y);
    }
  }
}

static weft_status quant_depthwise_run(const weft_block *b) {
  const qdepthwise *g = b->data;
  _Alignas(64) uint8_t in[IN_MAX + SLACK];
  _Alignas(64) int32_t out[OUT_MAX + SLACK];
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    quant_depthwise_run_channel(g, b, i, in, out);
  return WEFT_OK;
}

const weft_kernel weft__kernel_quant_depthwise = {.size = sizeof(weft_kernel),
                                                  .op = "ConvInteger",
                                                  .device = "cpu",
                                                  .name = "depthwise",
                                                  .refuse = quant_depthwise_refuse,
                                                  .cost_ns = quant_depthwise_cost,
                                                  .tile = quant_depthwise_tile,
                                                  .run = quant_depthwise_run};
// SPDX-License-Identifier: Apache-2.0
