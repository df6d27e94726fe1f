// arg.c - ArgMaxV2 and ArgMin of f32. Along the innermost axis: the best number of a lane, then the place
// where it first (or last) stands; along others: lanes side by side, 256 at a time. NaN is better than
// everything else.
#include "cpu/rows/rows.h"
#include "cpu/simd/vector_math.h"
#include "arg.rule.h"
#include "axis.rule.h"

enum { COLUMNS = 256, LOOK = 64 };
typedef struct plan {
  weft__rows_lanes of;
  size_t per;
  bool least, last, wide;  // wide: of int64
  const weft__rows_ops *vec;
} plan;

static const char *arg_make(const weft_tiling *t, plan *p) {
  memset(p, 0, sizeof *p);
  if (t->in_dtype[0] != WEFT_FLOAT)
    return "needs f32";
  if (t->out_dtype[0] != WEFT_INT64 && t->out_dtype[0] != WEFT_INT32)
    return "needs indices of i32 or i64";
  const char *no = weft__rows_lanes_of(t, &p->of);
  if (no)
    return no;
  if (!p->of.lane)
    return "an axis without elements";
  if (p->of.lane > INT32_MAX)
    return "more than 2^31 elements along the axis";
  p->least = !strcmp(t->desc->type, "ArgMin");
  p->last = weft_node_bool(t->desc, WEFT_ARG_LAST);
  p->wide = t->out_dtype[0] == WEFT_INT64;
  p->vec = weft__rows_find(t->host);
  return NULL;
}

static const char *refuse_arg_max(const weft_tiling *t) {
  plan p;
  return arg_make(t, &p);
}

static size_t pieces_of(const plan *p) {
  return p->of.inner == 1 ? 1 : (p->of.inner + COLUMNS - 1) / COLUMNS;
}

static weft_status tile_arg_max(weft_tiling *t) {
  plan *p = t->data;
  const char *why = arg_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  double each =
      (double)p->of.lane * (p->of.inner == 1 ? 0.15 : 0.25 * (double)WEFT_MIN(p->of.inner, COLUMNS)) + 10;
  t->blocks = weft__rows_blocks(p->of.outer * pieces_of(p), each, &p->per);
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

// Is v, which may be NaN, among n numbers?
static bool among(const float *x, size_t n, float v) {
  uint32_t found = 0;
  if (v != v) {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      found |= x[i] != x[i] ? 1u : 0u;
  } else {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      found |= x[i] == v ? 1u : 0u;
  }
  return found;
}
static bool arg_same(float a, float b) {
  return a == b || (a != a && b != b);
}
// v is there.
static size_t arg_place(const float *x, size_t n, float v, bool last) {
  size_t i = 0;
  if (last) {
    for (i = n; i > LOOK && !among(x + i - LOOK, LOOK, v);)
      i -= LOOK;
    while (!arg_same(x[i - 1], v))
      i--;
    return i - 1;
  }
  while (n - i > LOOK && !among(x + i, LOOK, v))
    i += LOOK;
  while (!arg_same(x[i], v))
    i++;
  return i;
}

static void store_places(const plan *p, void *y, size_t at, const uint32_t *v, size_t n) {
  if (p->wide) {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      ((int64_t *)y)[at + i] = v[i];
  } else {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      ((int32_t *)y)[at + i] = (int32_t)v[i];
  }
}

#define BETTER(e)                                                            \
  WEFT_LOOP(size_t i = 0; i < n; i++) {                                      \
    const float z = sign * row[i], b = best[i];                              \
    const uint32_t take = (e) ? UINT32_MAX : 0;                              \
    best[i] = weft__float((weft__bits(z) & take) | (weft__bits(b) & ~take)); \
    at[i] = ((uint32_t)k & take) | (at[i] & ~take);                          \
  }
// n lanes side by side.
static void arg_columns(const plan *p, const float *x, size_t n, uint32_t *at) {
  float best[COLUMNS];
  const float sign = p->least ? -1.0f : 1.0f;
  for (size_t i = 0; i < n; i++) {
    best[i] = sign * x[i];
    at[i] = 0;
  }
  for (size_t k = 1; k < p->of.lane; k++) {
    const float *row = x + k * p->of.inner;
    if (p->last)
      BETTER((z >= b) | (z != z))
    else
      BETTER((z > b) | ((z != z) & (b == b)))
  }
}

static weft_status run_arg_max(const weft_block *b) {
  const plan *p = b->data;
  const float *x = b->arg[0];
  size_t pieces = pieces_of(p);
  size_t first = b->block * p->per;
  size_t end = WEFT_MIN(first + p->per, p->of.outer * pieces);
  for (size_t i = first; i < end; i++) {
    uint32_t at[COLUMNS];
    const float *lane = x + i / pieces * p->of.lane * p->of.inner + i % pieces * COLUMNS;
    size_t n = WEFT_MIN(p->of.inner - i % pieces * COLUMNS, COLUMNS);
    if (p->of.inner == 1) {
      at[0] = (uint32_t)arg_place(lane, p->of.lane,
                                  p->least ? p->vec->min(lane, p->of.lane) : p->vec->max(lane, p->of.lane),
                                  p->last);
    } else
      arg_columns(p, lane, n, at);
    store_places(p, b->arg[2], i / pieces * p->of.inner + i % pieces * COLUMNS, at, n);
  }
  return WEFT_OK;
}
#define refuse_arg_min refuse_arg_max
#define tile_arg_min   tile_arg_max
#define run_arg_min    run_arg_max

WEFT_ROWS_KERNEL(arg_max, "ArgMaxV2", "arg", 256);
WEFT_ROWS_KERNEL(arg_min, "ArgMin", "arg", 256);
// SPDX-License-Identifier: Apache-2.0
