// blocked_pool.c - MaxPool, MaxPoolV3, AvgPoolV2 and GlobalAveragePool of f32, f16 and bf16 in NC1HWC0: 16
// channels of a place at a time. The output is packed, or plain where it has one place a channel. Long sums
// are made row by row, then over the rows.
#include "cpu/blocked/blocked.h"
#include "cpu/pool/pool.h"
#include "cpu/rows/polled.h"

enum { LONG = 64 };  // taps of a sum that is made in one go

typedef struct plan {
  const weft__blocked_ops *ops;
  weft__pooling p;
  size_t images, channels, blocks, per;
  bool plain;
  size_t in, out;  // numbers of a block of channels; of halves they are widened and made in the scratch
  bool widens;
} plan;

static const char *global(const weft_tiling *t, weft__pooling *p) {
  const weft_dim *d = t->in[0]->origin.dim;
  memset(p, 0, sizeof *p);
  p->from = weft__store_of(t->in_dtype[0]);
  p->to = weft__store_of(t->out_dtype[0]);
  if (p->from == WEFT__STORE_NONE || p->to == WEFT__STORE_NONE)
    return "needs f32, f16 or bf16";
  p->vec = weft__rows_find(t->host);
  if (d[2] < 1 || d[3] < 1)
    return "a tensor without elements";
  p->h = (weft__pool_window){(size_t)d[2], 1, d[2], 1, 1, 0, 0};
  p->w = (weft__pool_window){(size_t)d[3], 1, d[3], 1, 1, 0, 0};
  p->in = p->h.in * p->w.in;
  p->out = 1;
  p->average = p->whole = true;
  return NULL;
}

static const char *blocked_pool_read(const weft_tiling *t, plan *g) {
  static const char *const ops[] = {"MaxPool", "MaxPoolV3", "AvgPoolV2", "GlobalAveragePool"};
  weft__unpacked u;
  const char *no = "is no pool";
  memset(g, 0, sizeof *g);
  for (int k = 0; k < 4 && t->region; k++) {
    if (strcmp(t->region->node[0].desc->type, ops[k]))
      continue;
    no = weft__unpack(t, ops[k], 1, &u);
    if (!no)
      no = k == 3 ? global(&u.t, &g->p) : weft__pooling_read(&u.t, k, &g->p);
    break;
  }
  if (no)
    return no;
  const weft_dim *d = t->in[0]->origin.dim;
  g->ops = weft__blocked_find(t->host);
  g->images = (size_t)d[0];
  g->channels = (size_t)d[1];
  g->blocks = (g->channels + WEFT__C0 - 1) / WEFT__C0;
  g->plain = !weft__is_blocked(t->out_format[0]);
  if (g->plain && g->p.out != 1)
    return "gives a plain output of more than one place";
  g->in = g->p.in * WEFT__C0;
  g->out = g->p.out * WEFT__C0;
  g->widens = g->p.from || g->p.to;
  if (g->p.h.kernel * g->p.w.kernel > 1 << 20 || g->p.in > UINT32_MAX / 64)
    return "has windows or planes that are too large";
  return NULL;
}

static const char *blocked_pool_refuse(const weft_tiling *t) {
  plan g;
  return blocked_pool_read(t, &g);
}

static double blocked_pool_block_ns(const plan *g) {
  double places = (double)g->p.out, taps = (double)(g->p.h.kernel * g->p.w.kernel);
  return places * (1 + taps * 10 / g->ops->vec) + (double)g->p.in * 1.5;
}

static double blocked_pool_cost(const weft_tiling *t) {
  plan g;
  return blocked_pool_read(t, &g) ? 1e30 : 300 + (double)(g.images * g.blocks) * blocked_pool_block_ns(&g);
}

static weft_status blocked_pool_tile(weft_tiling *t) {
  plan *g = t->data;
  const char *no = blocked_pool_read(t, g);
  if (no)
    return t->host->fail(t->d, WEFT_E_KERNEL, "blocked-pool: %s", no);
  t->data_bytes = sizeof *g;
  t->blocks = weft__rows_blocks(g->images * g->blocks, blocked_pool_block_ns(g), &g->per);
  t->scratch_bytes = (size_t)(g->p.h.kernel * g->p.w.kernel) * sizeof(uint32_t) +
                     (size_t)(g->p.h.kernel + 1) * WEFT__C0 * sizeof(float) + 64;
  if (g->widens)
    t->scratch_bytes += (g->in + g->out) * sizeof(float);
  return WEFT_OK;
}

typedef struct taps {
  float *rows;  // a sum for each row of taps
  uint32_t *at;
  weft__pool_taps h, w;
} taps;

// n outputs of a row, from `x`, where tap (0, 0) of the first one that is inside lies.
static void outputs(const plan *g, taps *s, const float *x, float *y, size_t n) {
  const weft__pooling *p = &g->p;
  size_t rows = (size_t)(s->h.last - s->h.first);
  size_t cols = (size_t)(s->w.last - s->w.first);
  size_t k = 0;
  size_t down = (size_t)p->h.dilation * p->w.in * WEFT__C0;
  size_t right = (size_t)p->w.dilation * WEFT__C0;
  size_t step = (size_t)p->w.stride * WEFT__C0;
  double by = p->divisor > 0 ? (double)p->divisor : weft__pooling_by(p, s->h) * weft__pooling_by(p, s->w);
  float scale = by > 0 ? (float)(1 / by) : 0;
  if (p->average && rows * cols > LONG) {
    for (size_t c = 0; c < cols; c++)
      s->at[c] = (uint32_t)(c * right);
    for (size_t r = 0; r < rows; r++)
      s->at[cols + r] = (uint32_t)(r * WEFT__C0);
    for (size_t i = 0; i < n; i++) {
      for (size_t r = 0; r < rows; r++)
        g->ops->sum(
            &(weft__blocked_fold){x + i * step + r * down, 0, s->at, cols, s->rows + r * WEFT__C0, 1, 1});
      g->ops->sum(&(weft__blocked_fold){s->rows, 0, s->at + cols, rows, y + i * WEFT__C0, 1, scale});
    }
    return;
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t c = 0; c < cols; c++)
      s->at[k++] = (uint32_t)(r * down + c * right);
  }
  const weft__blocked_fold all = {
      .x = x, .x_step = step, .at = s->at, .taps = k, .y = y, .n = n, .scale = scale};
  if (p->average)
    g->ops->sum(&all);
  else
    g->ops->largest(&all);
}

static void blocked_pool_row(const plan *g, taps *s, const float *x, float *y, size_t o) {
  const weft__pooling *p = &g->p;
  size_t a;
  size_t b;
  weft__pooling_inside(&p->w, &a, &b);
  s->h = weft__pooling_taps(&p->h, o);
  int64_t top = weft__pooling_at(&p->h, o, s->h.first);
  for (size_t i = 0, n; i < p->w.out; i += n) {
    n = i == a && b > a ? b - a : 1;
    s->w = weft__pooling_taps(&p->w, i);
    if (s->h.last <= s->h.first || s->w.last <= s->w.first) {  // no tap inside
      for (size_t k = 0; k < n * WEFT__C0; k++)
        y[i * WEFT__C0 + k] = p->average ? 0 : -__builtin_inff();
      continue;
    }
    int64_t left = weft__pooling_at(&p->w, i, s->w.first);
    outputs(g, s, x + (size_t)(top * (int64_t)p->w.in + left) * WEFT__C0, y + i * WEFT__C0, n);
  }
}

// The outputs of n channels of a block, side by side in y.
static weft_status block_of(const plan *g, const weft_block *b, taps *s, const float *x, float *y, size_t n) {
  const weft__pooling *p = &g->p;
  size_t work = 0;
  for (size_t o = 0; o < p->h.out; o++) {
    WEFT_TRY(weft__block_work(b, &work, (size_t)(p->h.kernel * p->w.kernel) * p->w.out));
    blocked_pool_row(g, s, x, y + o * p->w.out * WEFT__C0, o);
  }
  if (n < WEFT__C0 && !p->average)  // windows of padding alone: -inf in lanes that are no channels
    for (size_t k = 0; k < g->out; k += WEFT__C0)
      memset(y + k + n, 0, (WEFT__C0 - n) * sizeof *y);
  return WEFT_OK;
}

static weft_status blocked_pool_run(const weft_block *b) {
  const plan *g = b->data;
  const weft__pooling *p = &g->p;
  size_t all = g->images * g->blocks;
  size_t first = b->block * g->per;
  float *room = b->scratch;
  taps s = {.rows = g->widens ? room + g->in + g->out : room};
  s.at = (uint32_t *)(s.rows + (size_t)(p->h.kernel + 1) * WEFT__C0);
  for (size_t i = first; i < WEFT_MIN(first + g->per, all); i++) {
    const float *x = weft__rows_load(p->vec, p->from, b->arg[0], i * g->in, g->in, room);
    _Alignas(64) float one[WEFT__C0];
    size_t c = i % g->blocks * WEFT__C0;
    size_t n = WEFT_MIN(WEFT__C0, g->channels - c);
    size_t at = g->plain ? i / g->blocks * g->channels + c : i * g->out;
    float *y = g->plain ? one : weft__rows_room(p->to, b->arg[1], at, g->widens ? room + g->in : NULL);
    WEFT_TRY(block_of(g, b, &s, x, y, n));
    if (g->plain && !p->to)
      memcpy((float *)b->arg[1] + at, one, n * sizeof *one);
    weft__rows_store(p->vec, p->to, b->arg[1], at, g->plain ? n : g->out, y);
  }
  return WEFT_OK;
}

WEFT__BLOCKED_REGION_KERNEL(blocked_pool, blocked_pool, "Fused", "blocked-pool");
// SPDX-License-Identifier: Apache-2.0
