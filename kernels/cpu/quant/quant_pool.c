// quant_pool.c - MaxPoolV3 of bytes, channels first, two spatial axes, and in NC1HWC0. The rows of a window
// are merged into a line that has the padding around it, then the places of the line; signed bytes are
// compared as unsigned ones moved by 128. Padding is the smallest byte, which is also what an empty window
// gives.
#include "cpu/quant/quant_blocked.h"
#include "cpu/rows/rows.h"
#include "op/infer_node.h"
#include "op_slots.h"
#include "window.rule.h"

enum { LINE = 8192, C0 = WEFT__BYTES_C0 };

typedef struct window {
  size_t in, out, kernel, stride, dilation, begin;
} window;
typedef struct plan {
  window h, w;
  size_t planes, per, line;
  size_t channels;  // packed
  uint8_t flip;
} plan;

static bool quant_pool_value(const weft_op_desc *n, uint32_t slot, size_t axis, size_t *out) {
  weft_ints v = weft_node_ints(n, slot);
  size_t at = v.n == 4 ? axis + 2 : axis;
  if (v.n != 2 && v.n != 4)
    return v.n == 0 && (*out = 1);
  if (v.v[at] < 1 || v.v[at] > 4096)
    return false;
  *out = (size_t)v.v[at];
  return true;
}

static const char *read_axis(const weft_tiling *t, size_t axis, window *w) {
  const weft_op_desc *n = t->desc;
  const char *mode = weft_node_str(n, WEFT_SLOT_MAX_POOL_V3_PADDING_MODE);
  weft_ints pads = weft_node_ints(n, WEFT_SLOT_MAX_POOL_V3_PADS);
  w->in = (size_t)t->in[0]->origin.dim[2 + axis];
  w->out = (size_t)t->out[0]->origin.dim[2 + axis];
  if (!quant_pool_value(n, WEFT_SLOT_MAX_POOL_V3_KSIZE, axis, &w->kernel) ||
      !quant_pool_value(n, WEFT_SLOT_MAX_POOL_V3_STRIDES, axis, &w->stride) ||
      !quant_pool_value(n, WEFT_SLOT_MAX_POOL_V3_DILATIONS, axis, &w->dilation) || !mode)
    return "has a window of another kind";
  const weft_pad_mode pad = weft__pad_mode(mode);
  const bool given = pads.n == 4 && pads.v[2 * axis] >= 0 && pads.v[2 * axis] <= 4096;
  if (weft__pads_same(pad)) {
    const int64_t reach = weft__window_reach((int64_t)w->kernel, (int64_t)w->dilation);
    const int64_t need = weft__same_padding((int64_t)w->in, (int64_t)w->out, (int64_t)w->stride, reach);
    w->begin = (size_t)weft__same_begin(pad, need);
  } else if (pad == WEFT_PAD_EXPLICIT && given)
    w->begin = (size_t)pads.v[2 * axis];
  else if (pad == WEFT_PAD_EXPLICIT && pads.n)
    return "has padding of another kind";
  return NULL;
}

static const char *quant_pool_read(const weft_tiling *t, plan *p) {
  memset(p, 0, sizeof *p);
  weft_dtype x = t->in_dtype[0];
  if (t->n_in != 1 || t->n_out != 1 || (x != WEFT_INT8 && x != WEFT_UINT8))
    return "needs bytes";
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  const weft_shape *s = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  if (s->rank != 4 || weft__channels_last(weft_node_str(t->desc, WEFT_SLOT_MAX_POOL_V3_DATA_FORMAT)))
    return "needs channels first and two spatial axes";
  if (weft_node_bool(t->desc, WEFT_SLOT_MAX_POOL_V3_GLOBAL_POOLING))
    return "is over whole planes";
  for (size_t i = 0; i < 4; i++) {
    if (!s->dim[i] || !y->dim[i])
      return "a tensor without elements";
  }
  const char *no = read_axis(t, 0, &p->h);
  if (!no)
    no = read_axis(t, 1, &p->w);
  if (no)
    return no;
  size_t reach = (p->w.out - 1) * p->w.stride + (p->w.kernel - 1) * p->w.dilation + 1;
  p->line = WEFT_MAX(reach, p->w.begin + p->w.in);
  p->planes = (size_t)s->dim[0] * (size_t)s->dim[1];
  p->flip = x == WEFT_INT8 ? 128 : 0;
  return p->line > LINE ? "has rows of more than 8192 places" : NULL;
}

static const char *refuse_quant_pool(const weft_tiling *t) {
  plan p;
  return quant_pool_read(t, &p);
}

static weft_status tile_quant_pool(weft_tiling *t) {
  plan *p = t->data;
  const char *no = quant_pool_read(t, p);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "%s", no);
  double each = (double)(p->h.out * p->w.out) * 0.1 * (double)(p->h.kernel + p->w.kernel);
  t->blocks = weft__rows_blocks(p->planes, each, &p->per);
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

static inline uint8_t larger(uint8_t a, uint8_t b) {
  return a > b ? a : b;
}

static void merge_row(uint8_t *line, const uint8_t *row, size_t n, uint8_t flip) {
  for (size_t i = 0; i < n; i++)
    line[i] = larger(line[i], row[i] ^ flip);
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint8_t bytes16_at __attribute__((vector_size(16), aligned(1), may_alias));

// Windows at every place first, then every stride-th of them.
static void merge_places(const window *w, const uint8_t *line, uint8_t *merged, uint8_t flip, uint8_t *y) {
  size_t n = (w->out - 1) * w->stride + 1;
  size_t o = 0;
  for (size_t i = 0; i < n; i++)
    merged[i] = line[i] ^ flip;
  if (flip) {
    for (size_t k = 1; k < w->kernel; k++) {
      for (size_t i = 0; i < n; i++)
        merged[i] = larger(merged[i] ^ 128, line[i + k * w->dilation]) ^ 128;
    }
  } else {
    for (size_t k = 1; k < w->kernel; k++) {
      for (size_t i = 0; i < n; i++)
        merged[i] = larger(merged[i], line[i + k * w->dilation]);
    }
  }
  if (w->stride == 1) {
    memcpy(y, merged, w->out);
    o = w->out;
  }
  for (; w->stride == 2 && o + 16 <= w->out; o += 16) {
    bytes16 a = *(const bytes16_at *)(merged + 2 * o);
    bytes16 b = *(const bytes16_at *)(merged + 2 * o + 16);
    *(bytes16_at *)(y + o) =
        __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  }
  for (; o < w->out; o++)
    y[o] = merged[o * w->stride];
}

static weft_status run_quant_pool(const weft_block *b) {
  const plan *p = b->data;
  _Alignas(64) uint8_t line[LINE], merged[LINE + 16];
  size_t last = WEFT_MIN((b->block + 1) * p->per, p->planes);
  for (size_t i = b->block * p->per; i < last; i++) {
    const uint8_t *x = (const uint8_t *)b->arg[0] + i * p->h.in * p->w.in;
    uint8_t *y = (uint8_t *)b->arg[1] + i * p->h.out * p->w.out;
    for (size_t o = 0; o < p->h.out; o++, y += p->w.out) {
      memset(line, 0, p->line);
      for (size_t k = 0; k < p->h.kernel; k++) {
        size_t h = o * p->h.stride + k * p->h.dilation - p->h.begin;  // wraps outside
        if (h < p->h.in)
          merge_row(line + p->w.begin, x + h * p->w.in, p->w.in, p->flip);
      }
      merge_places(&p->w, line, merged, p->flip, y);
    }
  }
  return WEFT_OK;
}
WEFT_ROWS_KERNEL(quant_pool, "MaxPoolV3", "bytes", sizeof(plan));

// ---- packed ----
static const char *read_packed(const weft_tiling *t, plan *p) {
  weft__unpacked u;
  const char *no = weft__unpack(t, "MaxPoolV3", 1, &u);
  if (no)
    return no;
  if (!weft__format_packed(t->out_format[0]))
    return "gives a plain output";
  if ((no = quant_pool_read(&u.t, p)))
    return no;
  const weft_dim *d = t->in[0]->origin.dim;
  p->channels = (size_t)d[1];
  p->planes = (size_t)d[0] * ((p->channels + C0 - 1) / C0);
  return NULL;
}

static const char *refuse_quant_blocked_pool(const weft_tiling *t) {
  plan p;
  return read_packed(t, &p);
}

static weft_status tile_quant_blocked_pool(weft_tiling *t) {
  plan *p = t->data;
  const char *no = read_packed(t, p);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "%s", no);
  double row = (double)p->w.out * (double)p->w.kernel * 2 + (double)p->w.in * (double)p->h.kernel;
  t->blocks = weft__rows_blocks(p->planes * p->h.out, row, &p->per);
  t->data_bytes = sizeof *p;
  t->scratch_bytes = p->line * C0;
  return WEFT_OK;
}

// One row of the output of a block of channels.
static void packed_row(const plan *p, const uint8_t *x, size_t o, uint8_t *line, uint8_t *y) {
  size_t all = p->w.in * C0;
  size_t begin = p->w.begin * C0;
  memset(line, 0, p->line * C0);
  for (size_t k = 0; k < p->h.kernel; k++) {
    size_t h = o * p->h.stride + k * p->h.dilation - p->h.begin;  // wraps outside
    if (h < p->h.in)
      merge_row(line + begin, x + h * all, all, p->flip);
  }
  for (size_t i = 0; i < p->w.out; i++) {
    uint8_t best[C0] = {0};
    for (size_t k = 0; k < p->w.kernel; k++) {
      const uint8_t *at = line + (i * p->w.stride + k * p->w.dilation) * C0;
      for (size_t c = 0; c < C0; c++)
        best[c] = larger(best[c], at[c]);
    }
    for (size_t c = 0; c < C0; c++)
      y[i * C0 + c] = best[c] ^ p->flip;
  }
}

static weft_status run_quant_blocked_pool(const weft_block *b) {
  const plan *p = b->data;
  uint8_t *y = b->arg[1];
  size_t first = b->block * p->per;
  size_t last = WEFT_MIN(first + p->per, p->planes * p->h.out);
  for (size_t i = first; i < last; i++) {
    const uint8_t *x = (const uint8_t *)b->arg[0] + i / p->h.out * p->h.in * p->w.in * C0;
    packed_row(p, x, i % p->h.out, b->scratch, y + i * p->w.out * C0);
  }
  weft__quant_blocked_clear(y, first * p->w.out, last * p->w.out, p->channels, p->h.out * p->w.out);
  return WEFT_OK;
}
const weft_kernel weft__kernel_quant_blocked_pool = {.size = sizeof(weft_kernel),
                                                     .op = "Fused",
                                                     .device = "cpu",
                                                     .name = "blocked-pool-bytes",
                                                     .refuse = refuse_quant_blocked_pool,
                                                     .tile = tile_quant_blocked_pool,
                                                     .run = run_quant_blocked_pool,
                                                     .flags = WEFT_KERNEL_PACKED};
// SPDX-License-Identifier: Apache-2.0
