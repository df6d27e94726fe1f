// nonzero.c - NonZero and Where: coordinates of elements that are not zero, in two passes. The first counts
// those of each block; in the second a block knows from the counts before it where its own go. Elements are
// compared as bits: a float is zero when all bits but the sign are, so NaN counts and -0 does not. Cost: x is
// read twice, the coordinates are written once.
#include "cpu/rows/rows.h"
#include "op_slots.h"

enum { PIECE = WEFT__FIND_PIECE };

typedef struct plan {
  const weft__rows_ops *vec;
  size_t n, per, rank, dim[WEFT_SHAPE_OUT - 1];
  unsigned width;  // log2 of the bytes of an element
  uint64_t bits;   // that count
  bool transpose, wide;
} plan;

static const char *nonzero_make(const weft_tiling *t, plan *p) {
  memset(p, 0, sizeof *p);
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  const weft_shape *s = &t->in[0]->origin;
  uint32_t bits = weft_dtype_bits(t->in_dtype[0]);
  bool real = weft_dtype_is_float(t->in_dtype[0]);
  if (weft_dtype_is_complex(t->in_dtype[0]) || (real && bits < 16) ||
      (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return "needs elements of 8, 16, 32 or 64 bits";
  if (t->out_dtype[0] != WEFT_INT64 && t->out_dtype[0] != WEFT_INT32)
    return "needs indices of i32 or i64";
  if (!s->rank || s->rank > WEFT_COUNT(p->dim))
    return "needs a rank between 1 and 8";
  p->vec = weft__rows_find(t->host);
  p->n = weft__rows_prod(s, 0, s->rank);
  p->rank = s->rank;
  for (size_t i = 0; i < s->rank; i++)
    p->dim[i] = (size_t)s->dim[i];
  p->width = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
  p->bits = UINT64_MAX >> (64 - bits + real);
  p->transpose = !strcmp(t->desc->type, "NonZero") && weft_node_bool(t->desc, WEFT_SLOT_NON_ZERO_TRANSPOSE);
  p->wide = t->out_dtype[0] == WEFT_INT64;
  return NULL;
}

static const char *refuse_nonzero(const weft_tiling *t) {
  plan p;
  return nonzero_make(t, &p);
}

static weft_status tile_nonzero(weft_tiling *t) {
  plan *p = t->data;
  const char *why = nonzero_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  t->blocks = weft__rows_blocks((p->n + 63) / 64, 6 + 8 * (double)p->rank, &p->per);
  p->per *= 64;
  t->phases = 2;
  t->n_workspaces = 1;
  t->workspace_bytes[0] = t->blocks * sizeof(uint64_t);
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

// Where found elements' coordinates go, of `all` of them.
typedef struct found {
  void *y;
  size_t all;
} found;
// n of them, from number `at` on, side by side: their coordinate of an axis is v + step[i].
typedef struct run {
  size_t at, n, v;
  const uint32_t *step;
} run;

// Coordinate k.
static void nonzero_put(const plan *p, const found *f, size_t k, const run *r) {
  const uint32_t *step = r->step;
  const size_t n = r->n;
  const size_t v = r->v;
  size_t at = r->at;
  void *y = f->y;
  if (p->transpose || p->rank == 1) {
    at += k * f->all;
    if (p->wide)
      p->vec->put_wide(step, (int64_t)v, (int64_t *)y + at, n);
    else
      p->vec->put_narrow(step, (int64_t)v, (int32_t *)y + at, n);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    if (p->wide)
      ((int64_t *)y)[(at + i) * p->rank + k] = (int64_t)(v + step[i]);
    else
      ((int32_t *)y)[(at + i) * p->rank + k] = (int32_t)(v + step[i]);
  }
}

// The row after this one.
static void next_row(const plan *p, size_t *index) {
  for (size_t k = p->rank - 1; k-- > 0;) {
    if (++index[k] < p->dim[k])
      return;
    index[k] = 0;
  }
}

// Found elements of a piece, at places `step` from one whose coordinates are `index`, a row's run at a time.
static void nonzero_place(const plan *p, const found *f, size_t at, size_t *index, uint32_t *step, size_t n,
                          size_t piece) {
  static const uint32_t none[PIECE];
  size_t last = p->rank - 1;
  size_t inner = p->dim[last];
  size_t col = index[last];
  size_t begin = 0;  // of the row, in the piece; col: its first column there
  for (size_t i = 0; begin < piece;) {
    size_t end = begin + inner - col;
    size_t some = i;
    while (some < n && step[some] < end)
      some++;
    for (size_t k = 0; k < last && some > i; k++)
      nonzero_put(p, f, k, &(run){at + i, some - i, index[k], none});
    for (size_t j = i; j < some; j++)
      step[j] -= (uint32_t)begin;
    if (some > i)
      nonzero_put(p, f, last, &(run){at + i, some - i, col, step + i});
    i = some;
    if (end > piece) {
      index[last] = col + piece - begin;
      return;
    }
    begin = end;
    col = 0;
    next_row(p, index);
  }
  index[last] = 0;
}

static void nonzero_fill(const plan *p, const weft_block *b, size_t at, size_t all) {
  uint32_t step[PIECE + 16];  // as many more are written
  const found f = {b->arg[1], all};
  size_t index[WEFT_SHAPE_OUT - 1];
  size_t first = b->block * p->per;
  size_t end = WEFT_MIN(first + p->per, p->n);
  for (size_t k = p->rank, rest = first; k-- > 0; rest /= p->dim[k])
    index[k] = rest % p->dim[k];
  for (size_t i = first; i < end; i += PIECE) {
    size_t piece = WEFT_MIN(end - i, PIECE);
    size_t n = p->vec->find((const char *)b->arg[0] + (i << p->width), piece, p->width, p->bits, step);
    if (p->rank == 1)
      nonzero_put(p, &f, 0, &(run){at, n, i, step});
    else
      nonzero_place(p, &f, at, index, step, n, piece);
    at += n;
  }
}

static weft_status run_nonzero(const weft_block *b) {
  const plan *p = b->data;
  uint64_t *count = b->workspace[0];
  size_t first = b->block * p->per;
  size_t n = first < p->n ? WEFT_MIN(p->per, p->n - first) : 0;
  if (b->phase == 0) {
    count[b->block] = p->vec->count((const char *)b->arg[0] + (first << p->width), n, p->width, p->bits);
    return WEFT_OK;
  }
  size_t at = 0;
  size_t all = 0;
  for (uint32_t i = 0; i < b->blocks; i++) {
    if (i == b->block)
      at = all;
    all += (size_t)count[i];
  }
  if (b->block == 0) {
    b->shape_out[0] = 2;
    b->shape_out[1 + !p->transpose] = p->rank;
    b->shape_out[1 + p->transpose] = all;
  }
  if (n && all)
    nonzero_fill(p, b, at, all);
  return WEFT_OK;
}

#define NONZERO_KERNEL(symbol, op_name)                                                                      \
  const weft_kernel weft__kernel_##symbol = {sizeof(weft_kernel), op_name, "cpu", "nonzero",    256,         \
                                             refuse_nonzero,      NULL,    NULL,  tile_nonzero, run_nonzero, \
                                             WEFT_KERNEL_FINDS}
NONZERO_KERNEL(nonzero, "NonZero");
NONZERO_KERNEL(where, "Where");
// SPDX-License-Identifier: Apache-2.0
