// one_hot.c - OneHot of numbers of 1, 2, 4 and 8 bytes: a part of the output is filled with the off value,
// then the on value is put where the indices say.
#include "cpu/rows/rows.h"
#include "op_slots.h"

enum { X, ON = 2, OFF, Y, PIECE = 1024 };
typedef struct plan {
  size_t outer, depth, inner, pieces, per, elem;
  weft_dtype index;
  bool negative;
} plan;

static const char *one_hot_make(const weft_tiling *t, plan *p) {
  memset(p, 0, sizeof *p);
  if (t->n_in != 4 || t->n_out != 1)
    return "needs four inputs";
  size_t bits = weft_dtype_bits(t->out_dtype[0]);
  const weft_shape *s = &t->in[X]->origin;
  const weft_shape *y = &t->out[0]->origin;
  if (!((WEFT_NUMBERS | WEFT_DT(BOOL)) & WEFT_BIT(t->out_dtype[0])) || bits < 8)
    return "needs numbers of whole bytes";
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  int64_t axis = weft_node_int(t->desc, WEFT_SLOT_ONE_HOT_AXIS);
  if (axis < 0)
    axis += (int64_t)s->rank + 1;
  p->index = t->in_dtype[X];
  p->elem = bits / 8;
  p->negative = weft_node_bool(t->desc, WEFT_SLOT_ONE_HOT_NEGATIVE_INDEX_SUPPORT);
  p->outer = weft__rows_prod(s, 0, (size_t)axis);
  p->inner = weft__rows_prod(s, (size_t)axis, s->rank);
  p->depth = (size_t)y->dim[axis];
  p->pieces = (p->inner + PIECE - 1) / PIECE;
  return NULL;
}

static const char *refuse_one_hot(const weft_tiling *t) {
  plan p;
  return one_hot_make(t, &p);
}

static weft_status tile_one_hot(weft_tiling *t) {
  plan *p = t->data;
  const char *why = one_hot_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  double each = (double)WEFT_MIN(p->inner, PIECE) * (5 + 0.03 * (double)(p->depth * p->elem));
  t->blocks = weft__rows_blocks(p->outer * p->pieces, each, &p->per);
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

static void one_hot_fill(char *y, const char *value, size_t elem, size_t n) {
  bool same = true;
  for (size_t i = 1; i < elem; i++)
    same &= value[i] == value[0];
  if (same) {
    memset(y, value[0], n * elem);
    return;
  }
  for (size_t i = 0; i < n; i++)
    memcpy(y + i * elem, value, elem);
}

// The place that index i names; depth: none.
static size_t one_hot_place_of(const plan *p, const void *x, size_t i) {
  int64_t v;
  int64_t depth = (int64_t)p->depth;
  if (weft_dtype_is_float(p->index)) {
    double f = weft_load_f64(p->index, x, i);
    if (!(f >= -(double)depth && f < (double)depth) || f != (double)(int64_t)f)
      return p->depth;
    v = (int64_t)f;
  } else {
    v = weft_load_i64(p->index, x, i);
  }
  if (v < 0 && p->negative && v >= -depth)
    v += depth;
  return v >= 0 && v < depth ? (size_t)v : p->depth;
}

static weft_status run_one_hot(const weft_block *b) {
  const plan *p = b->data;
  char *y = b->arg[Y];
  size_t first = b->block * p->per;
  size_t last = WEFT_MIN(first + p->per, p->outer * p->pieces);
  for (size_t i = first; i < last && p->depth; i++) {
    size_t outer = i / p->pieces;
    size_t col = i % p->pieces * PIECE;
    size_t n = WEFT_MIN(p->inner - col, PIECE);
    char *to = y + (outer * p->depth * p->inner + col) * p->elem;
    if (n == p->inner)
      one_hot_fill(to, b->arg[OFF], p->elem, p->depth * n);
    else {
      for (size_t d = 0; d < p->depth; d++)
        one_hot_fill(to + d * p->inner * p->elem, b->arg[OFF], p->elem, n);
    }
    for (size_t k = 0; k < n; k++) {
      size_t d = one_hot_place_of(p, b->arg[X], outer * p->inner + col + k);
      if (d < p->depth)
        memcpy(to + (d * p->inner + k) * p->elem, b->arg[ON], p->elem);
    }
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(one_hot, "OneHot", "one-hot", 256);
// SPDX-License-Identifier: Apache-2.0
