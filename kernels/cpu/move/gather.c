// gather.c - GatherV2 with a known axis: runs of elements picked by an index tensor, in each batch by its
// own. All indices are checked before anything moves, each block its own: one outside fails the run.
#include "cpu/rows/rows.h"
#include "op_slots.h"
#include "axis.rule.h"

typedef struct plan {
  size_t outer, dim, inner_bytes, n, all, per;  // n indices in a batch, `all` in all of them
  bool wide, negative;                          // indices of 64 bits; counted from the end
} plan;

static const char *gather_make(const weft_tiling *t, plan *p) {
  int64_t axis;
  memset(p, 0, sizeof *p);
  if (t->n_in != 3 || t->n_out != 1)
    return "inputs or outputs are missing";
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  uint32_t bits = weft_dtype_bits(t->in_dtype[0]);
  if (t->in_dtype[0] == WEFT_STRING || t->in_dtype[0] == WEFT_RESOURCE || t->in_dtype[0] == WEFT_VARIANT ||
      !bits || bits % 8)
    return "needs elements of whole bytes";
  if (t->in_dtype[1] != WEFT_INT32 && t->in_dtype[1] != WEFT_INT64)
    return "needs indices of i32 or i64";
  if (weft__rows_ints(t, 2, &axis, 1) != 1)
    return "the axis is not known";
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *k = &t->in[1]->origin;
  if (!weft__axis_inside(&axis, x->rank))
    return "an axis outside the rank";
  int64_t batch = weft_node_int(t->desc, WEFT_SLOT_GATHER_V2_BATCH_DIMS);
  if (batch < 0)
    batch += (int64_t)k->rank;
  if (batch < 0 || batch > axis || batch > (int64_t)k->rank)
    return "batch dims outside the ranks";
  p->outer = weft__rows_prod(x, (size_t)batch, (size_t)axis);
  p->dim = (size_t)x->dim[axis];
  p->inner_bytes = weft__rows_prod(x, (size_t)axis + 1, x->rank) * (bits / 8);
  p->n = weft__rows_prod(k, (size_t)batch, k->rank);
  p->all = weft__rows_prod(k, 0, k->rank);
  p->wide = t->in_dtype[1] == WEFT_INT64;
  p->negative = weft_node_bool(t->desc, WEFT_SLOT_GATHER_V2_NEGATIVE_INDEX_SUPPORT);
  return NULL;
}
static const char *refuse_gather_v2(const weft_tiling *t) {
  plan p;
  return gather_make(t, &p);
}
static weft_status tile_gather_v2(weft_tiling *t) {
  plan *p = t->data;
  const char *why = gather_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  t->blocks = weft__rows_blocks(p->all, (double)p->outer * (4 + (double)p->inner_bytes * 0.06), &p->per);
  t->phases = 2;
  t->data_bytes = sizeof *p;
  t->bytewise = 1;  // a table of words stays in the model's file
  return WEFT_OK;
}

static int64_t index_at(const plan *p, const void *data, size_t i) {
  int64_t v = p->wide ? ((const int64_t *)data)[i] : ((const int32_t *)data)[i];
  return v < 0 && p->negative ? v + (int64_t)p->dim : v;
}
// Indices [first, last) of one batch, at place o of the axes between batch and axis.
static void gather_rows(const plan *p, const weft_block *b, size_t first, size_t last, size_t o) {
  size_t batch = first / p->n;
  size_t at = batch * p->outer + o;
  char *to = (char *)b->arg[3] + (at * p->n + first - batch * p->n) * p->inner_bytes;
  for (size_t i = first; i < last; i++, to += p->inner_bytes) {
    memcpy(to, (const char *)b->arg[0] + (at * p->dim + (size_t)index_at(p, b->arg[1], i)) * p->inner_bytes,
           p->inner_bytes);
  }
}

static weft_status run_gather_v2(const weft_block *b) {
  const plan *p = b->data;
  size_t first = b->block * p->per;
  size_t last = WEFT_MIN(first + p->per, p->all);
  if (b->phase == 0) {
    for (size_t i = first; i < last; i++) {
      int64_t v = index_at(p, b->arg[1], i);
      if (v < 0 || v >= (int64_t)p->dim)
        return WEFT_E_RANGE;
    }
    return WEFT_OK;
  }
  for (size_t i = first, end; i < last; i = end) {  // batch by batch
    end = WEFT_MIN(last, (i / p->n + 1) * p->n);
    for (size_t o = 0; o < p->outer && p->inner_bytes; o++)
      gather_rows(p, b, i, end, o);
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(gather_v2, "GatherV2", "rows", 256);
// SPDX-License-Identifier: Apache-2.0
