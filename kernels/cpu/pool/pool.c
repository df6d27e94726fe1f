// pool.c - MaxPool, MaxPoolV3 and AvgPoolV2 of f32, f16 and bf16 with channels first and one to three spatial
// axes. Windows that slide are folded whole rows at a time (pool_planes.h); one that is the whole input is
// one row of numbers; those that reach over very long rows, and long sums, which are made in double, go
// number by number. Of halves a plane is widened into the scratch, and rounded from there.
#include <math.h>

#include "cpu/pool/pool.h"
#include "cpu/rows/polled.h"

enum { LONG = 64 };  // rows or columns of a window that are summed in float
typedef struct plan {
  weft__pooling p;
  size_t rows;                // of outputs of a plane
  size_t units;               // what blocks share: planes, or all rows
  size_t per;                 // units of a block
  const weft__pool_ops *ops;  // of windows that slide; NULL: number by number
} plan;

// Attribute slots of the four operators.
enum { NO_SLOT = -1 };
static const struct {
  int mode;
  int pads;
  int format;
  int global;
  int dilations;
} slots[] = {
    [WEFT__MAX_POOL] = {.mode = 2, .pads = NO_SLOT, .format = 3, .global = NO_SLOT, .dilations = NO_SLOT},
    [WEFT__MAX_POOL_V3] = {.mode = 2, .pads = 3, .format = 4, .global = 5, .dilations = 7},
    [WEFT__AVG_POOL] = {.mode = 2, .pads = 3, .format = 4, .global = 5, .dilations = 9},
    [WEFT__MAX_PLACES] = {.mode = 7, .pads = 2, .format = 6, .global = NO_SLOT, .dilations = 4}};
enum { KSIZE, STRIDES, EXCLUSIVE = 7, OVERRIDE = 8 };

static weft_ints list_of(const weft_op_desc *n, int slot) {
  return slot == NO_SLOT ? (weft_ints){0} : weft_node_ints(n, (uint32_t)slot);
}

static bool spatial(const weft_op_desc *n, int slot, size_t rank, int64_t out[3]) {
  const weft_ints v = list_of(n, slot);
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
static void pad(weft__pool_window *w, const char *mode) {
  bool same = !strncmp(mode, "SAME", 4);
  bool valid = !strcmp(mode, "VALID");
  if (valid)
    w->begin = w->end = 0;
  if (!same)
    return;
  int64_t need = ((int64_t)w->out - 1) * w->stride + (w->kernel - 1) * w->dilation + 1 - (int64_t)w->in;
  if (need < 0)
    need = 0;
  w->begin = !strcmp(mode, "SAME_LOWER") ? need - need / 2 : need / 2;
  w->end = need - w->begin;
}

// Is it one window that is the input, all of whose places count?
static bool is_whole(const weft__pool_window *w, bool padding_counts) {
  const bool covers_input = w->kernel == (int64_t)w->in && w->dilation == 1;
  const bool one_place = w->out == 1 && !w->begin;
  const bool adds_padding = padding_counts && w->end;
  return covers_input && one_place && !adds_padding;
}

// What lists of attributes say along the three axes.
typedef struct lists {
  int64_t kernel[3];
  int64_t stride[3];
  int64_t dilation[3];
  weft_ints pads;
  bool global;  // the window is the input
} lists;

static bool read_lists(const weft_op_desc *n, int kind, size_t rank, lists *l) {
  const int global = slots[kind].global;
  l->pads = list_of(n, slots[kind].pads);
  l->global = global != NO_SLOT && weft_node_bool(n, (uint32_t)global);
  return spatial(n, KSIZE, rank, l->kernel) && spatial(n, STRIDES, rank, l->stride) &&
         spatial(n, slots[kind].dilations, rank, l->dilation);
}

// Axis i of three, of which leading ones of one place are added to those of the tensor.
static weft__pool_window window_of(const weft_tiling *t, const lists *l, size_t i) {
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  const size_t spatial_rank = x->rank - 2;
  const size_t lead = 3 - spatial_rank;
  weft__pool_window w = {
      .in = 1, .out = 1, .kernel = l->kernel[i], .stride = l->stride[i], .dilation = l->dilation[i]};
  if (i >= lead) {
    const size_t k = i - lead;
    w.in = (size_t)x->dim[2 + k];
    w.out = (size_t)y->dim[2 + k];
    if (l->pads.n == 2 * spatial_rank) {
      w.begin = l->pads.v[2 * k];
      w.end = l->pads.v[2 * k + 1];
    }
  }
  if (l->global) {
    w.kernel = (int64_t)w.in;
    w.stride = w.dilation = 1;
  }
  return w;
}

static bool is_moderate(const weft__pool_window *w) {
  const int64_t longest = WEFT_MAX(w->kernel, w->begin);
  const int64_t farthest = WEFT_MAX(w->dilation, w->stride);
  return WEFT_MAX(longest, farthest) <= INT32_MAX;
}

static const char *read_windows(const weft_tiling *t, int kind, weft__pooling *p, const char *mode) {
  weft__pool_window *const axis[3] = {&p->d, &p->h, &p->w};
  lists l;
  if (!read_lists(t->desc, kind, t->in[0]->origin.rank, &l))
    return "lists of another length";
  const bool padding_counts = p->average && !p->exclusive && !l.global;
  p->in = p->out = 1;
  p->whole = true;
  for (size_t i = 0; i < 3; i++) {
    weft__pool_window *w = axis[i];
    *w = window_of(t, &l, i);
    pad(w, l.global ? "VALID" : mode);
    if (!is_moderate(w))
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
  if (weft__rows_channels_last(weft_node_str(n, (uint32_t)slots[kind].format)))
    return "channels are last";
  for (size_t i = 0; i < x->rank; i++) {
    if (!x->dim[i])
      return "a tensor without elements";
  }
  if (!mode)
    return "no padding mode";
  p->from = weft__store_of(t->in_dtype[0]);
  p->to = weft__store_of(t->out_dtype[0]);
  p->planes = (size_t)(x->dim[0] * x->dim[1]);
  p->average = kind == WEFT__AVG_POOL;
  p->exclusive = p->average && weft_node_bool(n, EXCLUSIVE);
  p->divisor = p->average ? weft_node_int(n, OVERRIDE) : 0;
  p->vec = weft__rows_find(t->host);
  return read_windows(t, kind, p, mode);
}

static bool slides(const weft__pooling *p) {
  const bool fits = (p->w.kernel - 1) * p->w.dilation < WEFT__POOL_WIDE;
  const bool is_deep = p->d.kernel > LONG || p->d.kernel * p->h.kernel > LONG;
  const bool long_sum = p->average && (is_deep || p->w.kernel > LONG);
  return fits && !p->whole && !long_sum;
}

// What a plane costs: a step for each row and column of a window, of a vector of places.
static double plane_ns(const plan *g) {
  const weft__pooling *p = &g->p;
  const double rows = (double)p->d.kernel * (double)p->h.kernel;
  const double cols = (double)p->w.kernel;
  const double out = (double)p->out;
  if (p->whole)
    return 10 + 0.05 * (double)p->in;
  if (!g->ops)
    return 4 * out + out * rows * cols;
  return out * (0.2 + 0.05 * (rows * (double)p->w.stride + cols));
}

// Are numbers widened, or rounded?
static bool converts(const weft__pooling *p) {
  return p->from || p->to;
}

static weft_status plan_of(weft_tiling *t, int kind) {
  plan *g = t->data;
  weft__pooling *p = &g->p;
  const char *why = weft__pooling_read(t, kind, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  g->ops = slides(p) ? weft__pool_ops_find(t->host) : NULL;
  g->rows = p->d.out * p->h.out;
  const bool by_rows = g->ops && !converts(p);
  const size_t parts = by_rows ? g->rows : 1;
  g->units = p->planes * parts;
  t->blocks = weft__rows_blocks(g->units, plane_ns(g) / (double)parts, &g->per);
  t->data_bytes = sizeof *g;
  if (converts(p))
    t->scratch_bytes = (p->in + p->out) * sizeof(float);
  return WEFT_OK;
}

void weft__pooling_inside(const weft__pool_window *w, size_t *a, size_t *b) {
  const int64_t reach = (w->kernel - 1) * w->dilation;
  const int64_t room = (int64_t)w->in + w->begin - 1 - reach;
  const int64_t first = (w->begin + w->stride - 1) / w->stride;
  const int64_t behind = room < 0 ? 0 : room / w->stride + 1;
  const int64_t end = WEFT_MIN(behind, (int64_t)w->out);
  *a = (size_t)WEFT_MIN(first, end);
  *b = (size_t)end;
}

// The taps of one row of a window: n numbers, `step` apart.
static double sum_taps(const weft__pooling *p, const float *v, size_t n, size_t step) {
  if (step == 1)
    return p->vec->sum(v, n);
  double sum = 0;
  for (size_t k = 0; k < n; k++)
    sum += (double)v[k * step];
  return sum;
}
static float most_of_taps(float most, const float *v, size_t n, size_t step) {
  for (size_t k = 0; k < n; k++) {
    const float x = v[k * step];
    const bool wins = x > most || isnan(x);
    most = wins ? x : most;
  }
  return most;
}

static float fold_number(const weft__pooling *p, const float *x, weft__pool_taps z, weft__pool_taps t,
                         size_t row, size_t o) {
  const weft__pool_taps c = weft__pooling_taps(&p->w, o);
  const int64_t lines = t.last - t.first;
  const int64_t rows = (z.last - z.first) * lines;
  const size_t cols = (size_t)(c.last - c.first);
  const size_t step = (size_t)p->w.dilation;
  const size_t oz = row / p->h.out;
  const size_t oy = row % p->h.out;
  float most = -INFINITY;
  double sum = 0;
  for (int64_t i = 0; i < rows && cols; i++) {
    const int64_t plane = weft__pooling_at(&p->d, oz, z.first + i / lines);
    const int64_t line = weft__pooling_at(&p->h, oy, t.first + i % lines);
    const int64_t at = weft__pooling_at(&p->w, o, c.first);
    const float *v = x + ((size_t)plane * p->h.in + (size_t)line) * p->w.in + (size_t)at;
    if (p->average)
      sum += sum_taps(p, v, cols, step);
    else
      most = most_of_taps(most, v, cols, step);
  }
  if (!p->average)
    return most;
  const double taps = weft__pooling_by(p, z) * weft__pooling_by(p, t) * weft__pooling_by(p, c);
  const double by = p->divisor > 0 ? (double)p->divisor : taps;
  const bool none = !rows || !cols;
  return none || by <= 0 ? 0 : (float)(sum / by);
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

static weft_status run(const weft_block *b) {
  const plan *g = b->data;
  const weft__pooling *p = &g->p;
  size_t first = b->block * g->per;
  size_t last = WEFT_MIN(first + g->per, g->units);
  float *room = b->scratch;
  if (g->ops && !converts(p)) {
    g->ops->pool(p, b->arg[0], b->arg[1], first, last);
    return WEFT_OK;
  }
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
    return plan_of(t, kind);                             \
  }                                                      \
  static weft_status run_##id(const weft_block *b) {     \
    return run(b);                                       \
  }                                                      \
  WEFT_ROWS_KERNEL(id, name, "planes", 512)
KERNEL(max_pool, "MaxPool", WEFT__MAX_POOL);
KERNEL(max_pool_v3, "MaxPoolV3", WEFT__MAX_POOL_V3);
KERNEL(avg_pool_v2, "AvgPoolV2", WEFT__AVG_POOL);
// SPDX-License-Identifier: Apache-2.0
