// triangle.c - Trilu, Tril and Triu: of every row of every matrix what lies on one side of a diagonal, zeros
// on the other. Over its input nothing but the zeros is written.
#include "cpu/rows/rows.h"
#include "op_slots.h"

typedef struct plan {
  size_t rows, columns, all, per;  // all: rows of all matrices
  int64_t diagonal;
  int32_t n_in, arg;  // the input that holds the diagonal; -1: `diagonal`
  uint32_t bytes;     // of an element
  bool upper, wide;
} plan;

static const char *triangle_make(const weft_tiling *t, plan *p) {
  memset(p, 0, sizeof *p);
  if (t->n_in < 1 || t->n_out != 1)
    return "inputs or outputs are missing";
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  const weft_shape *x = &t->in[0]->origin;
  const uint32_t bits = weft_dtype_bits(t->in_dtype[0]);
  if (!bits || bits % 8)
    return "needs elements of whole bytes";
  if (x->rank < 2)
    return "a rank below 2";
  _Static_assert((int)WEFT_SLOT_TRIU_DIAGONAL == (int)WEFT_SLOT_TRIL_DIAGONAL, "one slot for both");
  const bool either = !strcmp(t->desc->type, "Trilu");
  p->upper = either ? weft_node_int(t->desc, WEFT_SLOT_TRILU_UPPER) != 0 : !strcmp(t->desc->type, "Triu");
  p->diagonal = either ? 0 : weft_node_int(t->desc, WEFT_SLOT_TRIU_DIAGONAL);
  p->arg = either ? (int32_t)weft_port_in(t->desc, 1, 0) : -1;
  if (p->arg >= 0) {
    const weft_shape *k = &t->in[p->arg]->origin;
    if (weft__rows_prod(k, 0, k->rank) != 1)
      return "more than one diagonal";
    p->wide = t->in_dtype[p->arg] == WEFT_INT64;
  }
  p->n_in = (int32_t)t->n_in;
  p->bytes = bits / 8;
  p->rows = (size_t)x->dim[x->rank - 2];
  p->columns = (size_t)x->dim[x->rank - 1];
  p->all = p->columns ? weft__rows_prod(x, 0, x->rank - 1) : 0;  // rows of nothing are none
  return NULL;
}
static const char *refuse_triangle(const weft_tiling *t) {
  plan p;
  return triangle_make(t, &p);
}
static weft_status tile_triangle(weft_tiling *t) {
  plan *p = t->data;
  const char *why = triangle_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  t->blocks = weft__rows_blocks(p->all, 10 + (double)p->columns * p->bytes * 0.06, &p->per);
  t->overwrite = 1;
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

static weft_status run_triangle(const weft_block *b) {
  const plan *p = b->data;
  const size_t first = b->block * p->per;
  const size_t last = WEFT_MIN(first + p->per, p->all);
  const int64_t rows = (int64_t)p->rows;
  const int64_t columns = (int64_t)p->columns;
  int64_t k = p->diagonal;
  if (p->arg >= 0)
    k = p->wide ? *(const int64_t *)b->arg[p->arg] : *(const int32_t *)b->arg[p->arg];
  k = k < -rows ? -rows : k > columns ? columns : k;
  for (size_t r = first; r < last; r++) {
    // Columns [low, high) stay.
    int64_t low = 0;
    int64_t high = columns;
    int64_t at = (int64_t)(r % p->rows) + k + !p->upper;
    at = at < 0 ? 0 : at > columns ? columns : at;
    *(p->upper ? &low : &high) = at;
    const size_t from = (size_t)low * p->bytes;
    const size_t to = (size_t)high * p->bytes;
    const size_t row = p->columns * p->bytes;
    const char *x = (const char *)b->arg[0] + r * row;
    char *y = (char *)b->arg[p->n_in] + r * row;
    memset(y, 0, from);
    if (x != y)
      memcpy(y + from, x + from, to - from);
    memset(y + to, 0, row - to);
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL_OF(trilu, "Trilu", "triangle", sizeof(plan), triangle);
WEFT_ROWS_KERNEL_OF(tril, "Tril", "triangle", sizeof(plan), triangle);
WEFT_ROWS_KERNEL_OF(triu, "Triu", "triangle", sizeof(plan), triangle);
// SPDX-License-Identifier: Apache-2.0
