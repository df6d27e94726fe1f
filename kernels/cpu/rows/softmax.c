// softmax.c - SoftmaxV2 and LogSoftmaxV2 of f32, f16 and bf16 over neighbouring axes: rows where they are the
// last ones, columns side by side otherwise, at most 512 at a time. Work: three passes over a row in cache.
#include "cpu/rows/rows.h"
#include "op_slots.h"

enum { COLUMNS = 512, ROOM = 65536 };  // ROOM: numbers that are copied at a time
typedef struct plan {
  size_t outer, lanes, inner, per;
  size_t columns;  // at a time
  bool log;
  uint8_t from, to;  // WEFT__STORE_*
  bool copies;       // columns, to where they are widened
  const weft__rows_ops *vec;
} plan;

_Static_assert((int)WEFT_SLOT_SOFTMAX_V2_AXES == (int)WEFT_SLOT_LOG_SOFTMAX_V2_AXES, "one slot for both");

// The axes as one run [first, last]; false: they are not neighbours.
static bool softmax_axes_of(const weft_tiling *t, size_t *first, size_t *last) {
  weft_ints v = weft_node_ints(t->desc, WEFT_SLOT_SOFTMAX_V2_AXES);
  size_t rank = t->in[0]->origin.rank;
  uint32_t mask = 0;
  for (size_t i = 0; i < v.n; i++) {
    int64_t a = v.v[i] < 0 ? v.v[i] + (int64_t)rank : v.v[i];
    if (a < 0 || a >= (int64_t)rank)
      return false;
    mask |= UINT32_C(1) << a;
  }
  if (!mask)
    return false;
  *first = 0;
  while (!(mask >> *first & 1))
    ++*first;
  *last = *first;
  while (mask >> (*last + 1))
    ++*last;
  for (size_t i = *first; i <= *last; i++) {
    if (!(mask >> i & 1))
      return false;
  }
  return true;
}

static const char *refuse_softmax(const weft_tiling *t) {
  size_t a;
  size_t b;
  const char *why = weft__rows_floats(t, 1);
  if (why)
    return why;
  return softmax_axes_of(t, &a, &b) ? NULL : "the axes are not neighbours";
}
#define refuse_log_softmax refuse_softmax

static weft_status softmax_plan_of(weft_tiling *t, bool log) {
  plan *p = t->data;
  size_t a;
  size_t b;
  const weft_shape *s = &t->in[0]->origin;
  if (!softmax_axes_of(t, &a, &b))
    return t->host->fail(t->d, WEFT_E_KERNEL, "the axes are not neighbours");
  *p = (plan){.outer = weft__rows_prod(s, 0, a),
              .lanes = weft__rows_prod(s, a, b + 1),
              .inner = weft__rows_prod(s, b + 1, s->rank),
              .log = log,
              .from = weft__store_of(t->in_dtype[0]),
              .to = weft__store_of(t->out_dtype[0]),
              .vec = weft__rows_find(t->host)};
  if (!p->lanes)
    p->outer = 0;
  p->copies = p->from || p->to;
  p->columns = p->copies ? WEFT_MAX(WEFT_MIN(ROOM / WEFT_MAX(p->lanes, 1), COLUMNS), 16) : COLUMNS;
  p->columns = WEFT_MAX(WEFT_MIN(p->inner, p->columns), 1);
  size_t parts = p->outer * ((p->inner + p->columns - 1) / p->columns);
  double each = (double)p->lanes * 0.5 * (double)p->columns + 10;
  t->blocks = weft__rows_blocks(parts, each, &p->per);
  t->data_bytes = sizeof *p;
  t->overwrite = p->from == p->to;
  if (p->copies)
    t->scratch_bytes = p->lanes * p->columns * sizeof(float);
  return WEFT_OK;
}
static weft_status tile_softmax(weft_tiling *t) {
  return softmax_plan_of(t, false);
}
static weft_status tile_log_softmax(weft_tiling *t) {
  return softmax_plan_of(t, true);
}

// n columns from element `at` on, in the scratch.
static void copied_columns(const plan *p, const weft_block *b, size_t at, size_t n, float *max, float *sum) {
  float *room = b->scratch;
  for (size_t k = 0; k < p->lanes; k++) {
    float *to = room + k * n;
    const float *x = weft__rows_load(p->vec, p->from, b->arg[0], at + k * p->inner, n, to);
    if (x != to)
      memcpy(to, x, n * sizeof *to);
  }
  p->vec->softmax_columns(&(weft__softmax_columns){room, room, n, p->lanes, n, max, sum}, p->log);
  for (size_t k = 0; k < p->lanes; k++) {
    if (!p->to)
      memcpy((float *)b->arg[1] + at + k * p->inner, room + k * n, n * sizeof *room);
    weft__rows_store(p->vec, p->to, b->arg[1], at + k * p->inner, n, room + k * n);
  }
}

// Rows [first, last), one at a time where they are widened.
static void rows(const plan *p, const weft_block *b, size_t first, size_t last) {
  const size_t most = p->copies ? 1 : last - first;
  for (size_t i = first; i < last; i += most) {
    const size_t at = i * p->lanes;
    float *y = weft__rows_room(p->to, b->arg[1], at, b->scratch);
    p->vec->softmax(weft__rows_load(p->vec, p->from, b->arg[0], at, p->lanes, b->scratch), y, p->lanes, most,
                    p->log);
    weft__rows_store(p->vec, p->to, b->arg[1], at, p->lanes, y);
  }
}

static weft_status run_softmax(const weft_block *b) {
  const plan *p = b->data;
  float max[COLUMNS];
  float sum[COLUMNS];
  size_t pieces = (p->inner + p->columns - 1) / p->columns;
  size_t first = b->block * p->per;
  size_t last = WEFT_MIN(first + p->per, p->outer * pieces);
  if (first >= last)
    return WEFT_OK;
  if (p->inner == 1) {
    rows(p, b, first, last);
    return WEFT_OK;
  }
  for (size_t i = first; i < last; i++) {
    size_t from = i % pieces * p->columns;
    size_t n = WEFT_MIN(p->inner - from, p->columns);
    size_t at = i / pieces * p->lanes * p->inner + from;
    if (p->copies)
      copied_columns(p, b, at, n, max, sum);
    else {
      p->vec->softmax_columns(&(weft__softmax_columns){.x = (const float *)b->arg[0] + at,
                                                       .y = (float *)b->arg[1] + at,
                                                       .n = n,
                                                       .lanes = p->lanes,
                                                       .step = p->inner,
                                                       .max = max,
                                                       .sum = sum},
                              p->log);
    }
  }
  return WEFT_OK;
}
#define run_log_softmax run_softmax

WEFT_ROWS_KERNEL(softmax, "SoftmaxV2", "softmax", 256);
WEFT_ROWS_KERNEL(log_softmax, "LogSoftmaxV2", "softmax", 256);
// SPDX-License-Identifier: Apache-2.0
