// scan.c - Cumsum of f32, double and integers of 32 and 64 bits, which wrap. Lanes along the last axis are
// gone through four at a time, along other axes 256 side by side. Floats are summed in double, each sum
// rounded once; the order is that of the lane.
#include "cpu/rows/rows.h"
#include "cumulate.rule.h"
#include "axis.rule.h"

enum { PIECE = WEFT__SCAN_PIECE, LANES = 4 };
typedef struct plan {
  const weft__scan *scan;
  weft__rows_lanes of;
  size_t pieces, per, elem;
  bool exclusive, reverse;
} plan;

static int scan_type_of(weft_dtype t) {
  if (t == WEFT_FLOAT)
    return WEFT__SCAN_F32;
  if (t == WEFT_DOUBLE)
    return WEFT__SCAN_F64;
  if (t == WEFT_INT32 || t == WEFT_UINT32)
    return WEFT__SCAN_U32;
  return t == WEFT_INT64 || t == WEFT_UINT64 ? WEFT__SCAN_U64 : -1;
}

static const char *scan_make(const weft_tiling *t, plan *p) {
  memset(p, 0, sizeof *p);
  if (t->n_in != 2 || t->n_out != 1)
    return "needs an axis";
  int type = scan_type_of(t->in_dtype[0]);
  if (type < 0 || t->out_dtype[0] != t->in_dtype[0])
    return "needs f32, double or integers of 32 or 64 bits";
  const char *no = weft__rows_lanes_of(t, &p->of);
  if (no)
    return no;
  p->scan = &weft__rows_find(t->host)->scan[type];
  p->elem = weft_dtype_bits(t->in_dtype[0]) / 8;
  p->pieces = p->of.inner == 1 ? (p->of.outer + LANES - 1) / LANES
                               : p->of.outer * ((p->of.inner + PIECE - 1) / PIECE);
  p->exclusive = weft_node_bool(t->desc, WEFT_CUMULATE_EXCLUSIVE);
  p->reverse = weft_node_bool(t->desc, WEFT_CUMULATE_REVERSE);
  return NULL;
}

static const char *refuse_cumsum(const weft_tiling *t) {
  plan p;
  return scan_make(t, &p);
}

static weft_status tile_cumsum(weft_tiling *t) {
  plan *p = t->data;
  const char *why = scan_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  double each = (double)p->of.lane * (p->of.inner == 1 ? 1.5 : 0.3 * (double)WEFT_MIN(p->of.inner, PIECE));
  t->blocks = weft__rows_blocks(p->pieces, each + 10, &p->per);
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

static weft_status run_cumsum(const weft_block *b) {
  const plan *p = b->data;
  const char *x = b->arg[0];
  char *y = b->arg[2];
  size_t first = b->block * p->per;
  size_t last = p->of.lane ? WEFT_MIN(first + p->per, p->pieces) : 0;
  size_t behind = p->reverse ? (p->of.lane - 1) * p->of.inner : 0;
  size_t cuts = (p->of.inner + PIECE - 1) / PIECE;
  ptrdiff_t step = p->reverse ? -(ptrdiff_t)p->of.inner : (ptrdiff_t)p->of.inner;
  for (size_t i = first; i < last; i++) {
    if (p->of.inner == 1 && (i + 1) * LANES <= p->of.outer) {
      size_t at = (i * LANES * p->of.lane + behind) * p->elem;
      p->scan->lanes(x + at, y + at, p->of.lane, step, p->of.lane, p->exclusive);
      continue;
    }
    size_t n = p->of.inner == 1 ? p->of.outer - i * LANES : 1;  // lanes that are left, or a piece of columns
    for (size_t k = 0; k < n; k++) {
      size_t outer = p->of.inner == 1 ? i * LANES + k : i / cuts;
      size_t col = p->of.inner == 1 ? 0 : i % cuts * PIECE;
      size_t at = (outer * p->of.lane * p->of.inner + behind + col) * p->elem;
      p->scan->columns(x + at, y + at, step, p->of.lane, WEFT_MIN(p->of.inner - col, PIECE), p->exclusive);
    }
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(cumsum, "Cumsum", "scan", 256);
// SPDX-License-Identifier: Apache-2.0
