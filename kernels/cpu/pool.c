// pool.c - MaxPool, MaxPoolV3 and AvgPoolV2 of f32, f16 and bf16 with channels first and one or two spatial
// axes. A row of outputs is cut into those whose window lies inside the input, which are done together, and
// the few at its ends, done one by one. What the windows are follows the operators' own rule: ceil mode and
// SAME only change the number of outputs and the padding before.
#include <math.h>

#include "cpu/pool.h"

enum { KSIZE, STRIDES, MODE, PADS, FORMAT, GLOBAL, CEIL, V3_DILATIONS, OVERRIDE, AVG_DILATIONS };

static bool spatial(const weft_op_desc *n, uint32_t slot, size_t rank, int64_t out[2]) {
  weft_ints v = weft_node_ints(n, slot);
  size_t count = rank - 2;
  out[0] = out[1] = 1;
  if (!v.n) return true;
  size_t from = v.n == rank ? 2 : 0;
  if (v.n != rank && v.n != count) return false;
  for (size_t i = 0; i < count; i++) out[2 - count + i] = v.v[from + i];
  return true;
}

// Padding before, by mode; the padding behind counts for averages that are not exclusive.
static void pad(weft__pool_window *w, const char *mode) {
  bool same = !strncmp(mode, "SAME", 4), valid = !strcmp(mode, "VALID");
  if (valid) w->begin = w->end = 0;
  if (!same) return;
  int64_t need = ((int64_t)w->out - 1) * w->stride + (w->kernel - 1) * w->dilation + 1 - (int64_t)w->in;
  if (need < 0) need = 0;
  w->begin = !strcmp(mode, "SAME_LOWER") ? need - need / 2 : need / 2;
  w->end = need - w->begin;
}

const char *weft__pooling_read(const weft_tiling *t, int kind, weft__pooling *p) {
  const weft_op_desc *n = t->desc;
  const weft_shape *x = &t->in[0]->origin, *y = &t->out[0]->origin;
  int64_t kernel[2], stride[2], dilation[2] = {1, 1}, pads[4] = {0};
  const char *why = weft__rows_floats(t, 1), *mode = weft_node_str(n, MODE);
  memset(p, 0, sizeof *p);
  if (why) return why;
  if (t->n_out != 1) return "more than one output";
  if (x->rank < 3 || x->rank > 4) return "needs one or two spatial axes";
  if (weft__rows_channels_last(weft_node_str(n, kind == WEFT__MAX_POOL ? 3 : FORMAT)))
    return "channels are last";
  for (size_t i = 0; i < x->rank; i++)
    if (!x->dim[i]) return "a tensor without elements";
  if (!mode) return "no padding mode";
  bool two = x->rank == 4, global = kind != WEFT__MAX_POOL && weft_node_bool(n, GLOBAL);
  uint32_t slot = kind == WEFT__AVG_POOL ? AVG_DILATIONS : V3_DILATIONS;
  if (!spatial(n, KSIZE, x->rank, kernel) || !spatial(n, STRIDES, x->rank, stride) ||
      (kind != WEFT__MAX_POOL && !spatial(n, slot, x->rank, dilation)))
    return "lists of another length";
  if (kind != WEFT__MAX_POOL) {
    weft_ints v = weft_node_ints(n, PADS);
    size_t want = 2 * (x->rank - 2);
    for (size_t i = 0; i < v.n && v.n == want; i++) pads[4 - want + i] = v.v[i];
  }
  p->from = weft__store_of(t->in_dtype[0]), p->to = weft__store_of(t->out_dtype[0]);
  p->planes = (size_t)(x->dim[0] * x->dim[1]);
  p->h = (weft__pool_window){two ? (size_t)x->dim[2] : 1,
                             two ? (size_t)y->dim[2] : 1,
                             kernel[0],
                             stride[0],
                             dilation[0],
                             pads[0],
                             pads[1]};
  size_t last = x->rank - 1;
  p->w = (weft__pool_window){
      (size_t)x->dim[last], (size_t)y->dim[last], kernel[1], stride[1], dilation[1], pads[2], pads[3]};
  if (global) {
    p->h.kernel = (int64_t)p->h.in, p->w.kernel = (int64_t)p->w.in;
    p->h.stride = p->w.stride = p->h.dilation = p->w.dilation = 1;
    mode = "VALID";
  }
  pad(&p->h, mode), pad(&p->w, mode);
  p->average = kind == WEFT__AVG_POOL;
  p->exclusive = p->average && weft_node_bool(n, 7);
  p->divisor = p->average ? weft_node_int(n, OVERRIDE) : 0;
  int64_t most = INT32_MAX;
  if (p->h.kernel > most || p->w.kernel > most || p->h.dilation > most || p->w.dilation > most ||
      p->h.stride > most || p->w.stride > most || p->h.begin > most || p->w.begin > most)
    return "a window of more than 2^31 elements";
  p->whole = p->h.kernel == (int64_t)p->h.in && p->w.kernel == (int64_t)p->w.in && p->h.out * p->w.out == 1 &&
             !p->h.begin && !p->w.begin && p->h.dilation == 1 && p->w.dilation == 1 &&
             (p->exclusive || global || (!p->h.end && !p->w.end));
  p->vec = weft__vec_find();
  return NULL;
}

// Windows that slide by one or two, of few numbers: whole planes at a time.
enum { MOST_TAPS = 64 };

static bool slides(const weft__pooling *p, const weft__gemm_ops *ops) {
  return p->h.stride == p->w.stride && p->w.stride <= 2 && p->h.dilation == 1 && p->w.dilation == 1 &&
         p->h.kernel * p->w.kernel <= MOST_TAPS && !p->whole && p->h.out <= WEFT__PLANE_OUTPUTS &&
         weft__plane_fits(ops, (size_t)p->w.kernel, p->w.out) && !p->from && !p->to;
}

static weft_status plan_of(weft_tiling *t, int kind) {
  weft__pooling *p = t->data;
  const char *why = weft__pooling_read(t, kind, p);
  if (why) return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  const weft__gemm_ops *ops = weft__gemm_find();
  p->ops = slides(p, ops) ? ops : NULL;
  double each = (double)(p->h.out * p->w.out) * (1 + 0.2 * (double)p->h.kernel * (double)p->w.kernel);
  t->blocks = weft__rows_blocks(p->planes, each, &p->per);
  t->data_bytes = sizeof *p;
  if (p->from || p->to) t->scratch_bytes = (p->h.in * p->w.in + p->h.out * p->w.out) * sizeof(float);
  return WEFT_OK;
}

void weft__pooling_taps(const weft__pool_window *w, size_t o, int64_t *first, int64_t *last,
                        int64_t *out_padded) {
  int64_t at = (int64_t)o * w->stride - w->begin, in = (int64_t)w->in, edge = in + w->end - at;
  int64_t lo = at < 0 ? -at : 0, hi = at >= in ? 0 : in - at, padded = edge <= 0 ? 0 : edge;
  if (w->dilation > 1) {
    lo = (lo + w->dilation - 1) / w->dilation, hi = (hi + w->dilation - 1) / w->dilation;
    padded = (padded + w->dilation - 1) / w->dilation;
  }
  *first = lo < w->kernel ? lo : w->kernel;
  *last = hi > w->kernel ? w->kernel : hi;
  if (*last < *first) *last = *first;
  *out_padded = padded > w->kernel ? w->kernel : padded;
}

void weft__pooling_inside(const weft__pool_window *w, size_t *a, size_t *b) {
  int64_t reach = (w->kernel - 1) * w->dilation, room = (int64_t)w->in + w->begin - 1 - reach;
  int64_t lo = (w->begin + w->stride - 1) / w->stride, hi = room < 0 ? 0 : room / w->stride + 1;
  if (hi > (int64_t)w->out) hi = (int64_t)w->out;
  if (lo > hi) lo = hi;
  *a = (size_t)lo, *b = (size_t)hi;
}

// One output; x: the first row that its window has inside the input.
static float one(const weft__pooling *p, const float *x, const int64_t row[3], size_t o) {
  int64_t c0, c1, padded;
  weft__pooling_taps(&p->w, o, &c0, &c1, &padded);
  int64_t rows = row[1] - row[0], cols = c1 - c0, step = p->w.dilation;
  if (rows <= 0 || cols <= 0) return p->average ? 0 : -INFINITY;
  const float *v = x + (size_t)((int64_t)o * p->w.stride - p->w.begin + c0 * step);
  size_t down = (size_t)p->h.dilation * p->w.in;
  if (!p->average) {
    float most = *v;
    for (int64_t r = 0; r < rows; r++, v += down)
      for (int64_t c = 0; c < cols; c++)
        most = v[c * step] > most || v[c * step] != v[c * step] ? v[c * step] : most;
    return most;
  }
  double sum = 0, by = weft__pooling_divisor(p, rows, cols, row[2], padded);
  for (int64_t r = 0; r < rows; r++, v += down)
    for (int64_t c = 0; c < cols; c++) sum += (double)v[c * step];
  return by > 0 ? (float)(sum / by) : 0;
}

static void plane(const weft__pooling *p, const float *x, float *y) {
  size_t a, b;
  if (p->average && p->whole) {
    double n = (double)p->h.in * (double)p->w.in;
    *y = (float)(p->vec->sum(x, p->h.in * p->w.in) / (p->divisor > 0 ? (double)p->divisor : n));
    return;
  }
  weft__pooling_inside(&p->w, &a, &b);
  if (p->average && p->h.kernel * p->w.kernel > 64) a = b = p->w.out;  // long sums, in double
  for (size_t o = 0; o < p->h.out; o++, y += p->w.out) {
    int64_t row[3];
    weft__pooling_taps(&p->h, o, &row[0], &row[1], &row[2]);
    // the row that tap 0 would be, which may lie outside: only rows of taps inside are read
    int64_t top = (int64_t)o * p->h.stride - p->h.begin;
    const float *from = x + (size_t)(top + row[0] * p->h.dilation) * p->w.in;
    int64_t rows[3] = {0, row[1] - row[0], row[2]};
    bool any = rows[1] > 0;
    if (!any) from = x;
    for (size_t i = 0; i < (any ? a : p->w.out); i++) y[i] = one(p, from, rows, i);
    if (!any) continue;
    if (b > a) {
      double by = weft__pooling_divisor(p, rows[1], p->w.kernel, rows[2], p->w.kernel);
      weft__pool_row r = {.x = from + (size_t)((int64_t)a * p->w.stride - p->w.begin),
                          .rows = (size_t)rows[1],
                          .cols = (size_t)p->w.kernel,
                          .row_step = (size_t)p->h.dilation * p->w.in,
                          .col_step = (size_t)p->w.dilation,
                          .stride = (size_t)p->w.stride,
                          .n = b - a,
                          .scale = (float)(1 / by)};
      (p->average ? p->vec->avg_pool : p->vec->max_pool)(&r, y + a);
    }
    for (size_t i = b; i < p->w.out; i++) y[i] = one(p, from, rows, i);
  }
}

// What sums are divided by is a product of a number a row and a number a column.
static void divisors(const weft__pooling *p, const weft__pool_window *w, bool rows, float *by) {
  for (size_t o = 0; o < w->out; o++) {
    int64_t first, last, padded;
    weft__pooling_taps(w, o, &first, &last, &padded);
    int64_t n = p->divisor > 0 ? (rows ? 1 : p->divisor) : p->exclusive ? last - first : padded;
    by[o] = n > 0 ? (float)n : 1;
  }
}

static void planes(const weft__pooling *p, const float *x, float *y, size_t n) {
  float by_row[WEFT__PLANE_OUTPUTS], by_col[WEFT__PLANE_OUTPUTS];
  size_t kernel[2] = {(size_t)p->h.kernel, (size_t)p->w.kernel};
  weft__plane q = {.x = x,
                   .y = y,
                   .planes = n,
                   .in = {p->h.in, p->w.in},
                   .out = {p->h.out, p->w.out},
                   .stride = (size_t)p->w.stride,
                   .begin = {p->h.begin, p->w.begin}};
  if (p->average) divisors(p, &p->h, true, by_row), divisors(p, &p->w, false, by_col);
  if (p->average)
    p->ops->average(&q, kernel, by_row, by_col);
  else
    p->ops->largest(&q, kernel);
}

static weft_status run(const weft_block *b) {
  const weft__pooling *p = b->data;
  size_t first = b->block * p->per, last = WEFT_MIN(first + p->per, p->planes);
  size_t in = p->h.in * p->w.in, out = p->h.out * p->w.out;
  if (p->ops) {
    planes(p, (const float *)b->arg[0] + first * in, (float *)b->arg[1] + first * out, last - first);
    return WEFT_OK;
  }
  float *room = b->scratch;
  for (size_t i = first; i < last; i++) {
    float *y = weft__rows_room(p->to, b->arg[1], i * out, p->to ? room + in : NULL);
    plane(p, weft__rows_load(p->vec, p->from, b->arg[0], i * in, in, room), y);
    weft__rows_store(p->vec, p->to, b->arg[1], i * out, out, y);
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
