// reduce.c - ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, EuclideanNorm, ReduceLogSum,
// ReduceLogSumExp and GlobalAveragePool of f32, f16 and bf16. The innermost run of numbers (reduce_axes.h) is
// summed up as a row, or added to a row of sums. Sums are in double, in an order that depends on the shape
// alone.
#include <math.h>

#include "cpu/rows/reduce_axes.h"

enum { PIECE = WEFT__REDUCE_PIECE, ROOM = 4096, SUM = 0, MEAN, MAX, MIN, PROD, NORM, LOG_SUM, LOG_SUM_EXP };
typedef struct plan {
  weft__reduce r;
  int kind;
  uint8_t from, to;  // WEFT__STORE_*
  const weft__rows_ops *vec;
} plan;

static const char *reduce_make(const weft_tiling *t, int kind, plan *p) {
  memset(p, 0, sizeof *p);
  p->kind = kind;
  p->vec = weft__rows_find(t->host);
  const char *why = weft__rows_floats(t, 1);
  if (why)
    return why;
  p->from = weft__store_of(t->in_dtype[0]);
  p->to = weft__store_of(t->out_dtype[0]);
  why = weft__reduce_read(t, &p->r);
  if (!why && p->r.nothing && (kind == MAX || kind == MIN || kind == LOG_SUM_EXP))
    why = "extremes of a tensor without elements";
  return why;
}

static weft_status reduce_plan_of(weft_tiling *t, int kind) {
  plan *p = t->data;
  const char *why = reduce_make(t, kind, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  const double slow = kind == LOG_SUM_EXP ? 4 : 1;
  weft__reduce_blocks(t, &p->r, 0.08 * slow, 0.15 * slow);
  t->data_bytes = sizeof *p;
  if (p->from)
    t->scratch_bytes = WEFT_MIN(p->r.run, ROOM) * sizeof(float);
  return WEFT_OK;
}

// ---- rows ----

// All rows of one output. Halves are widened a piece of a row at a time.
typedef struct lane {
  const plan *p;
  const void *x;
  size_t at, rows;
  float *room;
} lane;

static const float *piece_of(const lane *l, size_t piece, size_t k, size_t *out_n) {
  const weft__reduce *r = &l->p->r;
  size_t pieces = (r->run + piece - 1) / piece;
  size_t done = k % pieces * piece;
  *out_n = WEFT_MIN(r->run - done, piece);
  size_t from = l->at + weft__axis_offset(r->cut, r->n_cut, k / pieces) + done;
  return weft__rows_load(l->p->vec, l->p->from, l->x, from, *out_n, l->room);
}

static float extreme_of(const lane *l, size_t piece, size_t n_pieces, bool largest) {
  float most = 0;
  for (size_t k = 0; k < n_pieces; k++) {
    size_t n;
    const float *r = piece_of(l, piece, k, &n);
    float v = largest ? l->p->vec->max(r, n) : l->p->vec->min(r, n);
    if (!k || v != v || (largest ? v > most : v < most))
      most = most != most ? most : v;
  }
  return most;
}

static double sum_of(const lane *l, size_t piece, size_t n_pieces, float most) {
  const weft__rows_ops *vec = l->p->vec;
  double sum = l->p->kind == PROD;
  for (size_t k = 0; k < n_pieces; k++) {
    size_t n;
    const float *r = piece_of(l, piece, k, &n);
    switch (l->p->kind) {
      case PROD:
        sum *= vec->product(r, n);
        break;
      case NORM:
        sum += vec->sum_squares(r, n, 0);
        break;
      case LOG_SUM_EXP:
        sum += vec->sum_exps(r, n, most);
        break;
      default:
        sum += vec->sum(r, n);
    }
  }
  return sum;
}

static float finished(const plan *p, double sum) {
  switch (p->kind) {
    case MEAN:
      return (float)(sum / (double)p->r.count);
    case NORM:
      return (float)sqrt(sum);
    case LOG_SUM:
      return (float)log(sum);
    default:
      return (float)sum;
  }
}

static float log_sum_exp(double sum, float most) {
  return most - most != 0 ? most : (float)((double)most + log(sum));
}

static float over_rows(const plan *p, const void *x, const weft__reduce_part *q, float *room) {
  const lane l = {p, x, q->at, q->rows, room};
  const size_t piece = p->from ? WEFT_MIN(p->r.run, ROOM) : p->r.run;
  const size_t n = q->rows * ((p->r.run + piece - 1) / piece);
  if (p->kind == MAX || p->kind == MIN)
    return extreme_of(&l, piece, n, p->kind == MAX);
  if (p->kind != LOG_SUM_EXP)
    return finished(p, sum_of(&l, piece, n, 0));
  float most = extreme_of(&l, piece, n, true);
  return log_sum_exp(sum_of(&l, piece, n, most), most);
}

// ---- outputs side by side ----

static void sum_columns(const plan *p, const void *x, const weft__reduce_part *q, float *y) {
  double sum[PIECE];
  float room[PIECE];
  const weft__reduce *r = &p->r;
  const weft__axis inner = r->n_cut && !p->from ? r->cut[r->n_cut - 1] : (weft__axis){1, 0};
  void (*join)(const float *, size_t, size_t, double *, size_t) = p->kind == PROD   ? p->vec->multiply_rows
                                                                  : p->kind == NORM ? p->vec->add_squares
                                                                                    : p->vec->add_rows;
  for (size_t i = 0; i < q->n; i++)
    sum[i] = p->kind == PROD;
  for (size_t k = 0; k < q->rows; k += inner.dim) {
    const float *from =
        weft__rows_load(p->vec, p->from, x, q->at + weft__axis_offset(r->cut, r->n_cut, k), q->n, room);
    join(from, inner.stride, inner.dim, sum, q->n);
  }
  for (size_t i = 0; i < q->n; i++)
    y[i] = finished(p, sum[i]);
}

static void pick_columns(const plan *p, const void *x, const weft__reduce_part *q, bool largest, float *y) {
  float room[PIECE];
  for (size_t k = 0; k < q->rows; k++) {
    const float *r =
        weft__rows_load(p->vec, p->from, x, q->at + weft__axis_offset(p->r.cut, p->r.n_cut, k), q->n, room);
    if (!k)
      memcpy(y, r, q->n * sizeof *y);
    else if (largest)
      p->vec->max_into(r, y, q->n);
    else
      p->vec->min_into(r, y, q->n);
  }
}

static void log_sum_exp_columns(const plan *p, const void *x, const weft__reduce_part *q, float *y) {
  double sum[PIECE];
  float room[PIECE];
  float most[PIECE];
  pick_columns(p, x, q, true, most);
  memset(sum, 0, q->n * sizeof *sum);
  for (size_t k = 0; k < q->rows; k++) {
    p->vec->add_exps(
        weft__rows_load(p->vec, p->from, x, q->at + weft__axis_offset(p->r.cut, p->r.n_cut, k), q->n, room),
        most, sum, q->n);
  }
  for (size_t i = 0; i < q->n; i++)
    y[i] = log_sum_exp(sum[i], most[i]);
}

static weft_status reduce_run(const weft_block *b, uint32_t out) {
  const plan *p = b->data;
  const void *x = b->arg[0];
  void *y = b->arg[out];
  float room[PIECE];
  size_t first = b->block * p->r.per;
  size_t last = WEFT_MIN(first + p->r.per, p->r.outputs * p->r.pieces);
  for (size_t i = first; i < last; i++) {
    const weft__reduce_part q = weft__reduce_part_of(&p->r, i);
    float *made = weft__rows_room(p->to, y, q.to, room);
    if (p->r.row)
      *made = over_rows(p, x, &q, b->scratch);
    else if (p->kind == MAX || p->kind == MIN)
      pick_columns(p, x, &q, p->kind == MAX, made);
    else if (p->kind == LOG_SUM_EXP)
      log_sum_exp_columns(p, x, &q, made);
    else
      sum_columns(p, x, &q, made);
    weft__rows_store(p->vec, p->to, y, q.to, q.n, made);
  }
  return WEFT_OK;
}

#define KERNEL(id, name, kind, out)                      \
  static const char *refuse_##id(const weft_tiling *t) { \
    plan p;                                              \
    return reduce_make(t, kind, &p);                     \
  }                                                      \
  static weft_status tile_##id(weft_tiling *t) {         \
    return reduce_plan_of(t, kind);                      \
  }                                                      \
  static weft_status run_##id(const weft_block *b) {     \
    return reduce_run(b, out);                           \
  }                                                      \
  WEFT_ROWS_KERNEL(id, name, "rows", 512)
KERNEL(reduce_sum, "ReduceSum", SUM, 2);
KERNEL(reduce_mean, "ReduceMean", MEAN, 2);
KERNEL(reduce_max, "ReduceMax", MAX, 2);
KERNEL(reduce_min, "ReduceMin", MIN, 2);
KERNEL(reduce_prod, "ReduceProd", PROD, 2);
KERNEL(reduce_norm, "EuclideanNorm", NORM, 2);
KERNEL(reduce_log_sum, "ReduceLogSum", LOG_SUM, 2);
KERNEL(reduce_log_sum_exp, "ReduceLogSumExp", LOG_SUM_EXP, 2);
KERNEL(global_average_pool, "GlobalAveragePool", MEAN, 1);
// SPDX-License-Identifier: Apache-2.0
