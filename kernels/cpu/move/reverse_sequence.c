// reverse_sequence.c - ReverseSequence: in every batch the first so many elements of an axis in reverse
// order. x is seen as (outer, A, middle, B, unit), A and B the sequence and the batch in the order that they
// have. The lengths are checked before anything moves. Cost: x is read and y written once.
#include "cpu/move/lines.h"
#include "cpu/rows/rows.h"
#include "op_slots.h"

typedef struct plan {
  size_t a, middle, b, unit, rows, per;  // rows: of B
  uint32_t bytes;
  bool wide, along_b;  // lengths of 64 bits; B is the sequence
} plan;

static const char *reverse_sequence_make(const weft_tiling *t, plan *p) {
  memset(p, 0, sizeof *p);
  if (t->n_in != 2 || t->n_out != 1)
    return "inputs or outputs are missing";
  const char *no = weft__rows_whole(t, 0, &p->bytes);
  if (no)
    return no;
  const weft_shape *x = &t->in[0]->origin;
  int64_t seq = weft_node_int(t->desc, WEFT_SLOT_REVERSE_SEQUENCE_SEQ_DIM);
  int64_t batch = weft_node_int(t->desc, WEFT_SLOT_REVERSE_SEQUENCE_BATCH_DIM);
  const int64_t rank = (int64_t)x->rank;
  seq += seq < 0 ? rank : 0;
  batch += batch < 0 ? rank : 0;
  if (seq < 0 || batch < 0 || seq >= rank || batch >= rank || seq == batch)
    return "an axis outside the rank";
  p->along_b = seq > batch;
  p->wide = t->in_dtype[1] == WEFT_INT64;
  const size_t a = (size_t)WEFT_MIN(seq, batch);
  const size_t b = (size_t)WEFT_MAX(seq, batch);
  p->a = (size_t)x->dim[a];
  p->b = (size_t)x->dim[b];
  p->middle = weft__rows_prod(x, a + 1, b);
  p->unit = weft__rows_prod(x, b + 1, x->rank);
  p->rows = p->b && p->unit ? weft__rows_prod(x, 0, b) : 0;  // rows of nothing are none
  return NULL;
}
static const char *refuse_reverse_sequence(const weft_tiling *t) {
  plan p;
  return reverse_sequence_make(t, &p);
}
static weft_status tile_reverse_sequence(weft_tiling *t) {
  plan *p = t->data;
  const char *why = reverse_sequence_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  const double each = 1 + (double)p->unit * p->bytes * 0.06;
  t->blocks = weft__rows_blocks(p->rows, 5 + (double)p->b * each, &p->per);
  t->phases = 2;
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

static int64_t length_at(const plan *p, const void *lengths, size_t i) {
  return p->wide ? ((const int64_t *)lengths)[i] : ((const int32_t *)lengths)[i];
}
static weft_status run_reverse_sequence(const weft_block *b) {
  const plan *p = b->data;
  const size_t first = b->block * p->per;
  const size_t last = WEFT_MIN(first + p->per, p->rows);
  const size_t each = p->unit * p->bytes;
  const size_t row = p->b * each;
  const size_t batches = p->along_b ? p->a : p->b;
  const void *lengths = b->arg[1];
  if (b->phase == 0) {
    for (size_t i = 0; i < batches && b->block == 0; i++) {
      const int64_t n = length_at(p, lengths, i);
      if (n < 0 || n > (int64_t)(p->along_b ? p->b : p->a))
        return WEFT_E_RANGE;
    }
    return WEFT_OK;
  }
  for (size_t r = first; r < last; r++) {
    const char *x = (const char *)b->arg[0] + r * row;
    char *y = (char *)b->arg[2] + r * row;
    const size_t at = r / p->middle % p->a;
    if (p->along_b) {
      const size_t n = (size_t)length_at(p, lengths, at);
      if (n)
        weft__units(p->bytes, p->unit, y, x + (n - 1) * each, n, -1);
      memcpy(y + n * each, x + n * each, row - n * each);
      continue;
    }
    for (size_t j = 0; j < p->b; j++) {
      const int64_t n = length_at(p, lengths, j);
      const int64_t to = (int64_t)at < n ? n - 1 - (int64_t)at : (int64_t)at;
      const int64_t rows = (to - (int64_t)at) * (int64_t)p->middle;
      weft__units(p->bytes, p->unit, y + j * each, x + rows * (int64_t)row + (int64_t)(j * each), 1, 1);
    }
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(reverse_sequence, "ReverseSequence", "rows", sizeof(plan));
// SPDX-License-Identifier: Apache-2.0
