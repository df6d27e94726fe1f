// softmax.c - SoftmaxV2 and LogSoftmaxV2 of f32 over neighbouring axes: rows where they are the last ones,
// columns side by side otherwise, at most 512 at a time. Work: three passes over a row in cache.
#include "cpu/rows.h"

enum { COLUMNS = 512 };
typedef struct plan {
  size_t outer, lanes, inner, per;
  bool log;
  const weft__vec *vec;
} plan;

// The axes as one run [first, last]; false: they are not neighbours.
static bool axes_of(const weft_tiling *t, size_t *first, size_t *last) {
  weft_ints v = weft_node_ints(t->desc, 0);
  size_t rank = t->in[0]->origin.rank;
  uint32_t mask = 0;
  for (size_t i = 0; i < v.n; i++) {
    int64_t a = v.v[i] < 0 ? v.v[i] + (int64_t)rank : v.v[i];
    if (a < 0 || a >= (int64_t)rank) return false;
    mask |= UINT32_C(1) << a;
  }
  if (!mask) return false;
  *first = 0;
  while (!(mask >> *first & 1)) ++*first;
  *last = *first;
  while (mask >> (*last + 1)) ++*last;
  for (size_t i = *first; i <= *last; i++)
    if (!(mask >> i & 1)) return false;
  return true;
}

static const char *refuse_softmax(const weft_tiling *t) {
  size_t a, b;
  const char *why = weft__rows_f32(t, 1);
  if (why) return why;
  return axes_of(t, &a, &b) ? NULL : "the axes are not neighbours";
}
#define refuse_log_softmax refuse_softmax

static weft_status plan_of(weft_tiling *t, bool log) {
  plan *p = t->data;
  size_t a, b;
  const weft_shape *s = &t->in[0]->origin;
  if (!axes_of(t, &a, &b)) return t->host->fail(t->d, WEFT_E_KERNEL, "the axes are not neighbours");
  *p = (plan){.outer = weft__rows_prod(s, 0, a),
              .lanes = weft__rows_prod(s, a, b + 1),
              .inner = weft__rows_prod(s, b + 1, s->rank),
              .log = log,
              .vec = weft__vec_find()};
  if (!p->lanes) p->outer = 0;
  size_t parts = p->inner == 1 ? p->outer : p->outer * ((p->inner + COLUMNS - 1) / COLUMNS);
  double each = (double)p->lanes * (p->inner == 1 ? 0.5 : 0.5 * (double)WEFT_MIN(p->inner, COLUMNS)) + 10;
  t->blocks = weft__rows_blocks(parts, each, &p->per);
  t->data_bytes = sizeof *p, t->overwrite = 1;
  return WEFT_OK;
}
static weft_status tile_softmax(weft_tiling *t) {
  return plan_of(t, false);
}
static weft_status tile_log_softmax(weft_tiling *t) {
  return plan_of(t, true);
}

static weft_status run_softmax(const weft_block *b) {
  const plan *p = b->data;
  const float *x = b->arg[0];
  float *y = b->arg[1], max[COLUMNS], sum[COLUMNS];
  size_t pieces = p->inner == 1 ? 1 : (p->inner + COLUMNS - 1) / COLUMNS;
  size_t first = b->block * p->per, last = WEFT_MIN(first + p->per, p->outer * pieces);
  for (size_t i = first; i < last; i++) {
    if (p->inner == 1) {
      p->vec->softmax(x + i * p->lanes, y + i * p->lanes, p->lanes, p->log);
      continue;
    }
    size_t at = i / pieces * p->lanes * p->inner + i % pieces * COLUMNS;
    size_t n = WEFT_MIN(p->inner - i % pieces * COLUMNS, COLUMNS);
    p->vec->softmax_columns(x + at, y + at, n, p->lanes, p->inner, p->log, max, sum);
  }
  return WEFT_OK;
}
#define run_log_softmax run_softmax

WEFT_ROWS_KERNEL(softmax, "SoftmaxV2", "softmax", 256);
WEFT_ROWS_KERNEL(log_softmax, "LogSoftmaxV2", "softmax", 256);
