// pool.c - MaxPool, MaxPoolV3 and AvgPoolV2 of f32, f16 and bf16 with channels first and one to three spatial
// axes. Windows that slide are folded whole rows at a time (pool_planes.h); one that is the whole input is
// one row of numbers; those that reach over very long rows, and long sums, which are made in double, go
// number by number. Of halves a plane is widened into the scratch, and rounded from there.
#include <math.h>

#include "cpu/pool/pool.h"
#include "cpu/rows/polled.h"
#include "op_slots.h"

enum { LONG = 64 };  // rows or columns of a window that are summed in float
typedef struct plan {
  weft__pooling p;
  size_t rows, units, per;    // rows of outputs of a plane; what blocks share: planes, or all rows
  const weft__pool_ops *ops;  // of windows that slide; NULL: number by number
} plan;

// Attributes of the four operators; -1: none.
static const struct {
  int mode;
  int pads;
  int format;
  int global;
  int dilations;
} slots[] = {[WEFT__MAX_POOL] = {WEFT_SLOT_MAX_POOL_PADDING, -1, WEFT_SLOT_MAX_POOL_DATA_FORMAT, -1, -1},
             [WEFT__MAX_POOL_V3] = {WEFT_SLOT_MAX_POOL_V3_PADDING_MODE, WEFT_SLOT_MAX_POOL_V3_PADS,
                                    WEFT_SLOT_MAX_POOL_V3_DATA_FORMAT, WEFT_SLOT_MAX_POOL_V3_GLOBAL_POOLING,
                                    WEFT_SLOT_MAX_POOL_V3_DILATIONS},
             [WEFT__AVG_POOL] = {WEFT_SLOT_AVG_POOL_V2_PADDING_MODE, WEFT_SLOT_AVG_POOL_V2_PADS,
                                 WEFT_SLOT_AVG_POOL_V2_DATA_FORMAT, WEFT_SLOT_AVG_POOL_V2_GLOBAL_POOLING,
                                 WEFT_SLOT_AVG_POOL_V2_DILATIONS},
             [WEFT__MAX_PLACES] = {WEFT_SLOT_MAX_POOL_WITH_ARGMAX_V3_PADDING_MODE,
                                   WEFT_SLOT_MAX_POOL_WITH_ARGMAX_V3_PADS,
                                   WEFT_SLOT_MAX_POOL_WITH_ARGMAX_V3_DATA_FORMAT, -1,
                                   WEFT_SLOT_MAX_POOL_WITH_ARGMAX_V3_DILATION}};
// All four have these in the same slots.
enum { KSIZE = WEFT_SLOT_MAX_POOL_KSIZE, STRIDES = WEFT_SLOT_MAX_POOL_STRIDES };

static bool spatial(const weft_op_desc *n, int slot, size_t rank, int64_t out[3]) {
  weft_ints v = slot < 0 ? (weft_ints){0} : weft_node_ints(n, (uint32_t)slot);
  size_t count = rank - 2;
  size_t from = v.n == rank ? 2 : 0;
  out[0] = out[1] = out[2] = 1;
  if (!v.n)
    return true;
  if (v.n != rank && v.n != count)
    return false;
  for (size_t i = 0; i < count; i++)
    out[3 - count + i] = v.v[from + i];
  return true;
}

// Padding before, by mode; the padding behind counts for averages that are not exclusive.
static void pool_pad(weft__pool_window *w, weft_pad_mode mode) {
  if (mode == WEFT_PAD_VALID)
    w->begin = w->end = 0;
  if (!weft__pads_same(mode))
    return;
  const int64_t reach = weft__window_reach(w->kernel, w->dilation);
  const int64_t need = weft__same_padding((int64_t)w->in, (int64_t)w->out, w->stride, reach);
  w->begin = weft__same_begin(mode, need);
  w->end = need - w->begin;
}

// Is it one window that is the input, all of whose places count?
static bool is_whole(const weft__pool_window *w, bool padding_counts) {
  return w->kernel == (int64_t)w->in && w->out == 1 && !w->begin && w->dilation == 1 &&
         !(padding_counts && w->end);
}

// A window as lists say, three numbers of each, with the sizes of its axis.
typedef struct lists {
  int64_t kernel[3], stride[3], dilation[3];
  weft_ints pads;
  bool global;
} lists;

static bool read_lists(const weft_op_desc *n, int kind, size_t rank, lists *l) {
  const int pads = slots[kind].pads;
  const int global = slots[kind].global;
  l->pads = pads < 0 ? (weft_ints){0} : weft_node_ints(n, (uint32_t)pads);
  l->global = global >= 0 && weft_node_bool(n, (uint32_t)global);
  return spatial(n, KSIZE, rank, l->kernel) && spatial(n, STRIDES, rank, l->stride) &&
         spatial(n, slots[kind].dilations, rank, l->dilation);
}

// Spatial axis k of a shape; SIZE_MAX: one that is not there.
static weft__pool_window window_of(const lists *l, size_t i, size_t k, const weft_shape *x,
                                   const weft_shape *y) {
  const bool there = k != SIZE_MAX;
  weft__pool_window w = {.in = there ? (size_t)x->dim[2 + k] : 1,
                         .out = there ? (size_t)y->dim[2 + k] : 1,
                         .kernel = l->kernel[i],
                         .stride = l->stride[i],
                         .dilation = l->dilation[i]};
  if (there && l->pads.n == 2 * (x->rank - 2)) {
    w.begin = l->pads.v[2 * k];
    w.end = l->pads.v[2 * k + 1];
  } else if (there && l->pads.n == x->rank - 2) {
    w.begin = w.end = l->pads.v[k];
  }
  if (l->global) {
    w.kernel = (int64_t)w.in;
    w.stride = w.dilation = 1;
  }
  return w;
}

static bool is_short(const weft__pool_window *w) {
  const int64_t steps = WEFT_MAX(w->dilation, w->stride);
  return WEFT_MAX(w->kernel, w->begin) <= INT32_MAX && steps <= INT32_MAX;
}

static const char *read_windows(const weft_tiling *t, int kind, weft__pooling *p, weft_pad_mode mode) {
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  const size_t lead = 5 - x->rank;
  weft__pool_window *const axis[3] = {&p->d, &p->h, &p->w};
  lists l;
  if (!read_lists(t->desc, kind, x->rank, &l))
    return "lists of another length";
  const bool padding_counts = p->average && !p->exclusive && !l.global;
  p->in = p->out = 1;
  p->whole = true;
  for (size_t i = 0; i < 3; i++) {
    weft__pool_window *w = axis[i];
    *w = window_of(&l, i, i < lead ? SIZE_MAX : i - lead, x, y);
    pool_pad(w, l.global ? WEFT_PAD_VALID : mode);
    if (!is_short(w))
      return "a window of more than 2^31 elements";
    p->whole &= is_whole(w, padding_counts);
    p->in *= w->in;
    p->out *= w->out;
  }
  return NULL;
}

const char *weft__pooling_read(const weft_tiling *t, int kind, weft__pooling *p) {
  const weft_op_desc *n = t->desc;
  const char *why = weft__rows_floats(t, 1);
  memset(p, 0, sizeof *p);
  if (why)
    return why;
  const weft_shape *x = &t->in[0]->origin;
  const char *mode = weft_node_str(n, (uint32_t)slots[kind].mode);
  if (t->n_out != (kind == WEFT__MAX_PLACES ? 2 : 1))
    return "another number of outputs";
  if (x->rank < 3 || x->rank > 5)
    return "needs one to three spatial axes";
  if (weft__channels_last(weft_node_str(n, (uint32_t)slots[kind].format)))
    return "channels are last";
  for (size_t i = 0; i < x->rank; i++) {
    if (!x->dim[i])
      return "a tensor without elements";
  }
  if (!mode)
    return "no padding mode";
  p->from = weft__store_of(t->in_dtype[0]);
  p->to = weft__store_of(t->out_dtype[0]);
  p->planes = (size_t)x->dim[0] * (size_t)x->dim[1];
  p->average = kind == WEFT__AVG_POOL;
  p->exclusive = p->average && weft_node_bool(n, WEFT_SLOT_AVG_POOL_V2_EXCLUSIVE);
  p->divisor = p->average ? weft_node_int(n, WEFT_SLOT_AVG_POOL_V2_DIVISOR_OVERRIDE) : 0;
  p->vec = weft__rows_find(t->host);
  return read_windows(t, kind, p, weft__pad_mode(mode));
}

static bool slides(const weft__pooling *p) {
  bool fits = (p->w.kernel - 1) * p->w.dilation < WEFT__POOL_WIDE;
  bool is_long = p->w.kernel > LONG || p->d.kernel > LONG || p->d.kernel * p->h.kernel > LONG;
  return fits && !p->whole && !(p->average && is_long);
}

// What a plane costs: a step for each row and column of a window, of a vector of places.
static double plane_ns(const plan *g) {
  const weft__pooling *p = &g->p;
  double rows = (double)p->d.kernel * (double)p->h.kernel, cols = (double)p->w.kernel, out = (double)p->out;
  if (p->whole)
    return 10 + 0.05 * (double)p->in;
  if (!g->ops)
    return 4 * out + out * rows * cols;
  return out * (0.2 + 0.05 * (rows * (double)p->w.stride + cols));
}

static weft_status pool_plan_of(weft_tiling *t, int kind) {
  plan *g = t->data;
  weft__pooling *p = &g->p;
  const char *why = weft__pooling_read(t, kind, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  g->ops = slides(p) ? weft__pool_ops_find(t->host) : NULL;
  g->rows = p->d.out * p->h.out;
  size_t parts = g->ops && !p->from && !p->to ? g->rows : 1;
  g->units = p->planes * parts;
  t->blocks = weft__rows_blocks(g->units, plane_ns(g) / (double)parts, &g->per);
  t->data_bytes = sizeof *g;
  if (p->from || p->to)
    t->scratch_bytes = (p->in + p->out) * sizeof(float);
  return WEFT_OK;
}

void weft__pooling_inside(const weft__pool_window *w, size_t *a, size_t *b) {
  int64_t reach = (w->kernel - 1) * w->dilation;
  int64_t room = (int64_t)w->in + w->begin - 1 - reach;
  int64_t lo = (w->begin + w->stride - 1) / w->stride;
  int64_t hi = room < 0 ? 0 : room / w->stride + 1;
  if (hi > (int64_t)w->out)
    hi = (int64_t)w->out;
  if (lo > hi)
    lo = hi;
  *a = (size_t)lo;
  *b = (size_t)hi;
}

static float fold_number(const weft__pooling *p, const float *x, weft__pool_taps z, weft__pool_taps t,
                         size_t row, size_t o) {
  weft__pool_taps c = weft__pooling_taps(&p->w, o);
  int64_t rows = (z.last - z.first) * (t.last - t.first);
  int64_t cols = c.last - c.first;
  int64_t step = p->w.dilation;
  size_t oz = row / p->h.out;
  size_t oy = row % p->h.out;
  float most = -INFINITY;
  double sum = 0, by = weft__pooling_by(p, z) * weft__pooling_by(p, t) * weft__pooling_by(p, c);
  for (int64_t i = 0; i < rows && cols; i++) {
    int64_t plane = weft__pooling_at(&p->d, oz, z.first + i / (t.last - t.first));
    int64_t line = weft__pooling_at(&p->h, oy, t.first + i % (t.last - t.first));
    int64_t at = weft__pooling_at(&p->w, o, c.first);
    const float *v = x + ((size_t)plane * p->h.in + (size_t)line) * p->w.in + (size_t)at;
    if (p->average && step == 1)
      sum += p->vec->sum(v, (size_t)cols);
    for (int64_t k = 0; k < cols && step > 1 && p->average; k++)
      sum += (double)v[k * step];
    for (int64_t k = 0; k < cols && !p->average; k++)
      most = v[k * step] > most || v[k * step] != v[k * step] ? v[k * step] : most;
  }
  if (!p->average)
    return most;
  if (p->divisor > 0)
    by = (double)p->divisor;
  return rows && cols && by > 0 ? (float)(sum / by) : 0;
}

// The units of a block, or the rows of one, may take long each where windows are large.
static size_t row_work(const weft__pooling *p) {
  return p->w.out * (size_t)p->d.kernel * (size_t)p->h.kernel * (size_t)p->w.kernel;
}

static weft_status plane(const weft_block *b, const weft__pooling *p, const float *x, float *y) {
  size_t work = 0;
  if (p->whole) {
    double by = p->divisor > 0 ? (double)p->divisor : (double)p->in;
    *y = p->average ? (float)(p->vec->sum(x, p->in) / by) : p->vec->max(x, p->in);
    return WEFT_OK;
  }
  for (size_t o = 0; o < p->d.out * p->h.out; o++, y += p->w.out) {
    weft__pool_taps z = weft__pooling_taps(&p->d, o / p->h.out);
    weft__pool_taps t = weft__pooling_taps(&p->h, o % p->h.out);
    for (size_t i = 0; i < p->w.out; i++) {
      WEFT_TRY(weft__block_work(b, &work, row_work(p) / p->w.out));
      y[i] = fold_number(p, x, z, t, o, i);
    }
  }
  return WEFT_OK;
}

// All rows of a plane, as many at a time as a look at the clock is for.
static weft_status slide(const weft_block *b, const plan *g, const float *x, float *y) {
  enum { ROWS = 32 };
  size_t work = 0;
  for (size_t o = 0; o < g->rows; o += ROWS) {
    size_t n = WEFT_MIN(ROWS, g->rows - o);
    WEFT_TRY(weft__block_work(b, &work, n * row_work(&g->p)));
    g->ops->pool(&g->p, x, y, o, o + n);
  }
  return WEFT_OK;
}

static weft_status pool_run(const weft_block *b) {
  const plan *g = b->data;
  const weft__pooling *p = &g->p;
  size_t first = b->block * g->per;
  size_t last = WEFT_MIN(first + g->per, g->units);
  float *room = b->scratch;
  if (g->ops && !p->from && !p->to)
    return g->ops->pool(p, b->arg[0], b->arg[1], first, last), WEFT_OK;
  for (size_t i = first; i < last; i++) {
    const float *x = weft__rows_load(p->vec, p->from, b->arg[0], i * p->in, p->in, room);
    float *y = weft__rows_room(p->to, b->arg[1], i * p->out, p->to ? room + p->in : NULL);
    WEFT_TRY(g->ops ? slide(b, g, x, y) : plane(b, p, x, y));
    weft__rows_store(p->vec, p->to, b->arg[1], i * p->out, p->out, y);
  }
  return WEFT_OK;
}

#define KERNEL(id, name, kind)                           \
  static const char *refuse_##id(const weft_tiling *t) { \
    weft__pooling p;                                     \
    return weft__pooling_read(t, kind, &p);              \
  }                                                      \
  static weft_status tile_##id(weft_tiling *t) {         \
    return pool_plan_of(t, kind);                        \
  }                                                      \
  static weft_status run_##id(const weft_block *b) {     \
    return pool_run(b);                                  \
  }                                                      \
  WEFT_ROWS_KERNEL(id, name, "planes", 512)
KERNEL(max_pool, "MaxPool", WEFT__MAX_POOL);
KERNEL(max_pool_v3, "MaxPoolV3", WEFT__MAX_POOL_V3);
KERNEL(avg_pool_v2, "AvgPoolV2", WEFT__AVG_POOL);
// SPDX-License-Identifier: Apache-2.0
