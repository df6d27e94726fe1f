// pool_places.c - MaxPoolWithArgmaxV3 of f32, f16 and bf16 with channels first and one to three spatial axes:
// pools whose maxima say where they lie. Rows of outputs go over the taps of their windows, which are listed
// when they change; outputs at the ends of a row, whose windows stick out, are made one by one. Of halves a
// plane is widened into the scratch.
#include <math.h>

#include "cpu/pool/pool.h"
#include "cpu/gemm/product.h"
#include "op_slots.h"

enum { DTYPE = 3, COLUMNS = 512 };
typedef struct plan {
  weft__pooling p;
  size_t rows, units, per;  // rows of outputs of a plane; what blocks share: planes, or all rows
  size_t taps;              // that can lie inside
  size_t weight[3];         // of a plane, a line, a column in a place
  bool tensor, wide;        // places count in the whole tensor; are int64
  const weft__pool_ops *ops;
} plan;

// The taps of windows of so many planes and lines that lie inside along the row, from the first one on.
typedef struct listed {
  size_t *tap;
  uint32_t *place;
  int64_t planes, lines;
} listed;

static const char *pool_places_read(const weft_tiling *t, plan *g) {
  enum { MOST_TAPS = 1 << 14 };
  const char *why = weft__pooling_read(t, WEFT__MAX_PLACES, &g->p);
  const char *base = weft_node_str(t->desc, WEFT_SLOT_MAX_POOL_WITH_ARGMAX_V3_INDEX_BASE);
  const weft__pooling *p = &g->p;
  if (why)
    return why;
  if (t->out_dtype[1] != WEFT_INT32 && t->out_dtype[1] != WEFT_INT64)
    return "places of another dtype";
  if (p->in > INT32_MAX)
    return "a plane of more than 2^31 numbers";
  bool turned = base && !strcmp(base, "tensor_column_major");
  g->tensor = base && strcmp(base, "plane");
  g->wide = t->out_dtype[1] == WEFT_INT64;
  g->weight[0] = turned ? 1 : p->h.in * p->w.in;
  g->weight[1] = turned ? p->d.in : p->w.in;
  g->weight[2] = turned ? p->d.in * p->h.in : 1;
  g->taps = WEFT_MIN((size_t)p->d.kernel, p->d.in) * WEFT_MIN((size_t)p->h.kernel, p->h.in) *
            WEFT_MIN((size_t)p->w.kernel, p->w.in);
  if (g->taps > MOST_TAPS)
    return "a window of more than 16384 numbers";  // a row would take too long
  return NULL;
}

static const char *refuse_max_pool_with_argmax_v3(const weft_tiling *t) {
  plan g;
  return pool_places_read(t, &g);
}

static weft_status tile_max_pool_with_argmax_v3(weft_tiling *t) {
  plan *g = t->data;
  const char *why = pool_places_read(t, g);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  const weft__pooling *p = &g->p;
  bool widens = p->from || p->to;
  g->ops = weft__pool_ops_find(t->host);
  g->rows = p->d.out * p->h.out;
  g->units = p->planes * (widens ? 1 : g->rows);
  double row_ns = 40 + (double)p->w.out * (1 + 0.2 * (double)g->taps);
  t->blocks = weft__rows_blocks(g->units, widens ? row_ns * (double)g->rows : row_ns, &g->per);
  t->data_bytes = sizeof *g;
  t->scratch_bytes = g->taps * (sizeof(size_t) + sizeof(uint32_t));
  if (widens)
    t->scratch_bytes += (p->in + p->out) * sizeof(float);
  return WEFT_OK;
}

// One output whose window may stick out along the row: its places count from the plane's first number.
static float pool_places_one(const plan *g, const float *x, weft__pool_taps z, weft__pool_taps t,
                             const size_t o[3], uint32_t *out_at) {
  const weft__pooling *p = &g->p;
  weft__pool_taps c = weft__pooling_taps(&p->w, o[2]);
  float best = -INFINITY;
  *out_at = UINT32_MAX;
  for (int64_t a = z.first; a < z.last; a++) {
    for (int64_t b = t.first; b < t.last; b++) {
      for (int64_t k = c.first; k < c.last; k++) {
        size_t plane = (size_t)weft__pooling_at(&p->d, o[0], a);
        size_t line = (size_t)weft__pooling_at(&p->h, o[1], b);
        size_t at = (size_t)weft__pooling_at(&p->w, o[2], k);
        float v = x[(plane * p->h.in + line) * p->w.in + at];
        if (*out_at != UINT32_MAX && !(v > best) && !(v != v && best == best))
          continue;
        best = v;
        *out_at = (uint32_t)(plane * g->weight[0] + line * g->weight[1] + at * g->weight[2]);
      }
    }
  }
  return best;
}

static void pool_places_list(const plan *g, int64_t planes, int64_t lines, listed *l) {
  const weft__pooling *p = &g->p;
  size_t n = 0;
  if (l->planes == planes && l->lines == lines)
    return;
  for (int64_t a = 0; a < planes; a++) {
    for (int64_t b = 0; b < lines; b++) {
      for (int64_t k = 0; k < p->w.kernel; k++) {
        size_t plane = (size_t)(a * p->d.dilation);
        size_t line = (size_t)(b * p->h.dilation);
        size_t column = (size_t)(k * p->w.dilation);
        l->tap[n] = (plane * p->h.in + line) * p->w.in + column;
        l->place[n++] = (uint32_t)(plane * g->weight[0] + line * g->weight[1] + column * g->weight[2]);
      }
    }
  }
  l->planes = planes;
  l->lines = lines;
}

// `from` counts places from the first number of all, or of the plane; UINT32_MAX is no place.
static void pool_places_put(const plan *g, void *places, size_t at, int64_t from, const uint32_t *found,
                            size_t n) {
  if (found[0] == UINT32_MAX) {
    for (size_t i = 0; i < n; i++) {
      if (g->wide)
        ((int64_t *)places)[at + i] = -1;
      else
        ((int32_t *)places)[at + i] = -1;
    }
  } else if (g->wide) {
    g->p.vec->put_wide(found, from, (int64_t *)places + at, n);
  } else {
    g->p.vec->put_narrow(found, from, (int32_t *)places + at, n);
  }
}

// Where a row of outputs goes: to y, and, from number `at` of all on, their places; base: of the plane's
// places.
typedef struct row_out {
  float *y;
  void *places;
  size_t at;
  int64_t base;
} row_out;

static void pool_places_row(const plan *g, const float *x, listed *l, size_t o, const row_out *to) {
  const weft__pooling *p = &g->p;
  const size_t at = to->at;
  float *y = to->y;
  size_t a;
  size_t b;
  size_t where[3] = {o / p->h.out, o % p->h.out};
  uint32_t found[COLUMNS];
  weft__pool_taps z = weft__pooling_taps(&p->d, where[0]);
  weft__pool_taps t = weft__pooling_taps(&p->h, where[1]);
  int64_t planes = z.last - z.first;
  int64_t lines = t.last - t.first;
  weft__pooling_inside(&p->w, &a, &b);
  if (!planes || !lines)
    a = b;
  if (b > a)
    pool_places_list(g, planes, lines, l);
  size_t plane = b > a ? (size_t)weft__pooling_at(&p->d, where[0], z.first) : 0;
  size_t line = b > a ? (size_t)weft__pooling_at(&p->h, where[1], t.first) : 0;
  for (size_t i = 0, n; i < p->w.out; i += n) {
    bool inside = i >= a && i < b;
    n = inside ? WEFT_MIN(b - i, COLUMNS) : 1;
    where[2] = i;
    if (!inside) {
      y[i] = pool_places_one(g, x, z, t, where, found);
      pool_places_put(g, to->places, at + i, to->base, found, 1);
      continue;
    }
    size_t column = (size_t)weft__pooling_at(&p->w, i, 0);
    weft__pool_places s = {.x = x + (plane * p->h.in + line) * p->w.in + column,
                           .tap = l->tap,
                           .place = l->place,
                           .taps = (size_t)(planes * lines * p->w.kernel),
                           .stride = (size_t)p->w.stride,
                           .step = (size_t)p->w.stride * g->weight[2],
                           .n = n};
    g->ops->places(&s, y + i, found);
    int64_t from = (int64_t)(plane * g->weight[0] + line * g->weight[1] + column * g->weight[2]);
    pool_places_put(g, to->places, at + i, to->base + from, found, n);
  }
}

static weft_status run_max_pool_with_argmax_v3(const weft_block *b) {
  const plan *g = b->data;
  const weft__pooling *p = &g->p;
  bool widens = p->from || p->to;
  listed l = {.tap = b->scratch};
  float *room = (float *)(void *)(l.tap + g->taps);
  l.place = (uint32_t *)(void *)(room + (widens ? p->in + p->out : 0));
  size_t each = widens ? g->rows : 1;
  size_t last = WEFT_MIN((b->block + 1) * g->per, g->units);
  const float *x = b->arg[0];
  for (size_t i = b->block * g->per; i < last; i++) {
    size_t plane = i * each / g->rows;
    size_t first = i * each % g->rows;
    int64_t base = g->tensor ? (int64_t)(plane * p->in) : 0;
    if (widens)
      x = weft__rows_load(p->vec, p->from, b->arg[0], plane * p->in, p->in, room);
    float *y = widens ? room + p->in : (float *)b->arg[1] + plane * p->out;
    for (size_t o = first; o < first + each; o++) {
      const row_out to = {y + o * p->w.out, b->arg[2], plane * p->out + o * p->w.out, base};
      pool_places_row(g, widens ? x : x + plane * p->in, &l, o, &to);
    }
    if (widens)
      weft__rows_store(p->vec, p->to, b->arg[1], plane * p->out, p->out, y);
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(max_pool_with_argmax_v3, "MaxPoolWithArgmaxV3", "places", 512);
// SPDX-License-Identifier: Apache-2.0
