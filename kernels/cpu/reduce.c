// reduce.c - ReduceSum, ReduceMean, ReduceMax, ReduceMin and GlobalAveragePool of f32, f16 and bf16. Axes
// that are reduced or kept together are merged; the innermost run of numbers is then summed up as a row, or
// added to a row of sums, and odometers walk the other axes. Sums are in double, in an order that depends on
// the shape alone.
#include <math.h>

#include "cpu/rows.h"

enum { AXES = 8, PIECE = 256, ROOM = 4096, SUM = 0, MEAN, MAX, MIN };
typedef struct axis {
  size_t dim, stride;
} axis;
typedef struct plan {
  axis kept[AXES], cut[AXES];  // without the innermost run; kept from outer to inner
  uint32_t n_kept, n_cut;
  size_t run;      // length of the innermost run
  bool row;        // which is reduced
  bool nothing;    // no numbers for any output: a sum is 0, a mean NaN
  size_t outputs;  // rows: all; otherwise runs of them, cut into pieces
  size_t pieces, per, count;
  int kind;
  uint8_t from, to;  // WEFT__STORE_*
  const weft__vec *vec;
} plan;

static bool mask_of(const weft_tiling *t, uint32_t *out) {
  int64_t axes[WEFT_MAX_RANK];
  size_t rank = t->in[0]->origin.rank;
  if (!strcmp(t->desc->type, "GlobalAveragePool")) {
    *out = rank < 32 ? (UINT32_C(1) << rank) - 1 : 0;
    *out &= ~UINT32_C(3);
    return true;
  }
  int n = weft__rows_ints(t, 1, axes, WEFT_MAX_RANK);
  if (n < 0) return false;
  *out = n || weft_node_bool(t->desc, 1) ? 0 : (UINT32_C(1) << rank) - 1;
  for (int i = 0; i < n; i++) {
    int64_t a = axes[i] < 0 ? axes[i] + (int64_t)rank : axes[i];
    if (a < 0 || a >= (int64_t)rank) return false;
    *out |= UINT32_C(1) << a;
  }
  return true;
}

// A tensor without elements: `outputs` side by side, none of which reads anything.
static const char *make_empty(const weft_tiling *t, plan *p) {
  if (p->kind == MAX || p->kind == MIN) return "extremes of a tensor without elements";
  p->nothing = true, p->run = weft__rows_prod(&t->out[0]->origin, 0, t->out[0]->origin.rank);
  p->pieces = (p->run + PIECE - 1) / PIECE;
  return NULL;
}

static const char *make(const weft_tiling *t, int kind, plan *p) {
  uint32_t mask;
  const weft_shape *s = &t->in[0]->origin;
  axis list[WEFT_MAX_RANK];
  bool cut[WEFT_MAX_RANK];
  uint32_t n = 0;
  memset(p, 0, sizeof *p);
  p->kind = kind, p->count = 1, p->outputs = 1, p->vec = weft__vec_find();
  const char *why = weft__rows_floats(t, 1);
  if (why) return why;
  p->from = weft__store_of(t->in_dtype[0]), p->to = weft__store_of(t->out_dtype[0]);
  if (!mask_of(t, &mask)) return "the axes are not known";
  size_t stride = 1;
  for (size_t i = s->rank; i-- > 0;) {  // from inner to outer, merged
    size_t d = (size_t)s->dim[i];
    bool c = mask >> i & 1;
    if (c) p->count *= d;
    if (!d) return make_empty(t, p);
    if (d == 1) continue;
    if (n && cut[n - 1] == c)
      list[n - 1].dim *= d;
    else
      list[n] = (axis){d, stride}, cut[n++] = c;
    stride *= d;
  }
  if (!n) list[0] = (axis){1, 1}, cut[0] = true, n = 1;
  if (n > AXES) return "more than 8 runs of axes";
  p->run = list[0].dim, p->row = cut[0];
  for (uint32_t k = n; k-- > 1;)
    if (cut[k])
      p->cut[p->n_cut++] = list[k];
    else
      p->kept[p->n_kept++] = list[k], p->outputs *= list[k].dim;
  p->pieces = p->row ? 1 : (p->run + PIECE - 1) / PIECE;
  return NULL;
}

static weft_status plan_of(weft_tiling *t, int kind) {
  plan *p = t->data;
  const char *why = make(t, kind, p);
  if (why) return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  double each = (double)p->count * (p->row ? 0.08 : 0.15 * (double)WEFT_MIN(p->run, PIECE));
  t->blocks = weft__rows_blocks(p->outputs * p->pieces, each + 10, &p->per);
  t->data_bytes = sizeof *p;
  if (p->from) t->scratch_bytes = WEFT_MIN(p->run, ROOM) * sizeof(float);
  return WEFT_OK;
}

// Element offset of number i along axes.
static size_t offset_of(const axis *a, uint32_t n, size_t i) {
  size_t off = 0;
  for (uint32_t k = n; k-- > 0;) off += i % a[k].dim * a[k].stride, i /= a[k].dim;
  return off;
}

// One output: all rows that belong to it. Halves are widened a piece of a row at a time.
static float over_rows(const plan *p, const void *x, size_t at, size_t rows, float *room) {
  double sum = 0;
  float most = 0;
  const size_t piece = p->from ? WEFT_MIN(p->run, ROOM) : p->run, pieces = (p->run + piece - 1) / piece;
  for (size_t k = 0; k < rows * pieces; k++) {
    size_t done = k % pieces * piece, n = WEFT_MIN(p->run - done, piece);
    size_t from = at + offset_of(p->cut, p->n_cut, k / pieces) + done;
    const float *r = weft__rows_load(p->vec, p->from, x, from, n, room);
    if (p->kind == SUM || p->kind == MEAN) {
      sum += p->vec->sum(r, n);
      continue;
    }
    float v = p->kind == MAX ? p->vec->max(r, n) : p->vec->min(r, n);
    if (!k || v != v || (p->kind == MAX ? v > most : v < most)) most = most != most ? most : v;
  }
  return p->kind == SUM ? (float)sum : p->kind == MEAN ? (float)(sum / (double)p->count) : most;
}

// n outputs side by side.
static void sum_columns(const plan *p, const void *x, size_t at, float *y, size_t n, size_t rows) {
  double sum[PIECE];
  float room[PIECE];
  const axis inner = p->n_cut && !p->from ? p->cut[p->n_cut - 1] : (axis){1, 0};
  memset(sum, 0, n * sizeof *sum);
  for (size_t k = 0; k < rows; k += inner.dim) {
    const float *r = weft__rows_load(p->vec, p->from, x, at + offset_of(p->cut, p->n_cut, k), n, room);
    p->vec->add_rows(r, inner.stride, inner.dim, sum, n);
  }
  if (p->kind == MEAN)
    for (size_t i = 0; i < n; i++) sum[i] /= (double)p->count;
  for (size_t i = 0; i < n; i++) y[i] = (float)sum[i];
}
static void pick_columns(const plan *p, const void *x, size_t at, float *y, size_t n, size_t rows) {
  float room[PIECE];
  for (size_t k = 0; k < rows; k++) {
    const float *r = weft__rows_load(p->vec, p->from, x, at + offset_of(p->cut, p->n_cut, k), n, room);
    if (!k)
      memcpy(y, r, n * sizeof *y);
    else if (p->kind == MAX)
      p->vec->max_into(r, y, n);
    else
      p->vec->min_into(r, y, n);
  }
}

static weft_status run(const weft_block *b, uint32_t out) {
  const plan *p = b->data;
  const void *x = b->arg[0];
  void *y = b->arg[out];
  float room[PIECE];
  size_t first = b->block * p->per, last = WEFT_MIN(first + p->per, p->outputs * p->pieces);
  size_t rows = !p->nothing;
  for (uint32_t k = 0; k < p->n_cut; k++) rows *= p->cut[k].dim;
  for (size_t i = first; i < last; i++) {
    size_t from = i % p->pieces * PIECE, n = p->row ? 1 : WEFT_MIN(p->run - from, PIECE);
    size_t at = p->nothing ? 0 : offset_of(p->kept, p->n_kept, i / p->pieces) + (p->row ? 0 : from);
    size_t to = p->row ? i : i / p->pieces * p->run + from;
    float *made = weft__rows_room(p->to, y, to, room);
    if (p->row)
      *made = over_rows(p, x, at, rows, b->scratch);
    else if (p->kind == SUM || p->kind == MEAN)
      sum_columns(p, x, at, made, n, rows);
    else
      pick_columns(p, x, at, made, n, rows);
    weft__rows_store(p->vec, p->to, y, to, n, made);
  }
  return WEFT_OK;
}

#define KERNEL(id, name, kind, out)                      \
  static const char *refuse_##id(const weft_tiling *t) { \
    plan p;                                              \
    return make(t, kind, &p);                            \
  }                                                      \
  static weft_status tile_##id(weft_tiling *t) {         \
    return plan_of(t, kind);                             \
  }                                                      \
  static weft_status run_##id(const weft_block *b) {     \
    return run(b, out);                                  \
  }                                                      \
  WEFT_ROWS_KERNEL(id, name, "rows", 512)
KERNEL(reduce_sum, "ReduceSum", SUM, 2);
KERNEL(reduce_mean, "ReduceMean", MEAN, 2);
KERNEL(reduce_max, "ReduceMax", MAX, 2);
KERNEL(reduce_min, "ReduceMin", MIN, 2);
KERNEL(global_average_pool, "GlobalAveragePool", MEAN, 1);
