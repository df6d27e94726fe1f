// ops/data/stitch.c - rows put together by number, and parted by number.   AscendIR DynamicStitch,
// ParallelDynamicStitch, DynamicPartition, as TensorFlow computes them. A row that several places name comes
// from the last of them, one that none names is 0; a row of strings must be named.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

// ---- stitching: rows of x[k] go to indices[k] ----
// The dims of a row: those of x behind those of its indices.
static weft_status stitch_rest(const weft_infer *it, uint32_t k, weft_shape *rest, bool *known) {
  const weft_shape *at = it->in[k];
  const weft_shape *x = it->in[it->n_in / 2 + k];
  if (weft_shape_is_unknown_rank(at) || weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  if (x->rank < at->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "instance %u: x has rank %zu, indices have rank %zu", k,
                     (size_t)x->rank, (size_t)at->rank);
  for (size_t i = 0; i < at->rank; i++) {
    weft_dim same;
    WEFT_TRY(weft__merge_dim(it, at->dim[i], x->dim[i], "a dim of indices and of x", &same));
  }
  if (*known && rest->rank != x->rank - at->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "instance %u: a row has rank %zu, before it %zu", k,
                     (size_t)(x->rank - at->rank), (size_t)rest->rank);
  for (size_t i = 0; !*known && i < x->rank - at->rank; i++)
    rest->dim[i] = -1;
  rest->rank = x->rank - at->rank;
  *known = true;
  for (size_t i = 0; i < rest->rank; i++)
    WEFT_TRY(weft__merge_dim(it, rest->dim[i], x->dim[at->rank + i], "a dim of the rows", &rest->dim[i]));
  return WEFT_OK;
}

// One more than the greatest index; -1 where they are not known.
static weft_dim stitch_rows(const weft_infer *it) {
  int64_t rows = 0;
  for (uint32_t k = 0; k < it->n_in / 2; k++) {
    const weft_tensor *t = it->value[k];
    if (!t->data)
      return -1;
    for (size_t i = 0; i < weft__elems(&t->layout.origin); i++)
      rows = WEFT_MAX(rows, weft_load_i64(t->dtype, t->data, i) + 1);
  }
  return rows;
}

static weft_status stitch_infer(weft_infer *it) {
  const uint32_t parts = it->n_in / 2;
  weft_shape rest = {.rank = 0};
  bool known = false;
  WEFT_TRY(weft__expect_together(it, 2));
  it->out_dtype[0] = it->in_dtype[parts];
  for (uint32_t k = 0; k < parts; k++) {
    WEFT_TRY(weft__expect_dtype(it, parts + k, parts));
    WEFT_TRY(stitch_rest(it, k, &rest, &known));
  }
  if (!known)
    return weft__unknown_rank(it, 0);
  if (rest.rank >= WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "rank %zu", (size_t)rest.rank + 1);
  it->out[0]->rank = rest.rank + 1;
  it->out[0]->dim[0] = stitch_rows(it);
  for (size_t i = 0; i < rest.rank; i++)
    it->out[0]->dim[i + 1] = rest.dim[i];
  return WEFT_OK;
}

typedef struct stitching {
  const weft_call *c;
  size_t inner;       // elements of a row
  size_t *part, *of;  // by row of the result
} stitching;

static const weft_tensor *stitch_pick(void *ctx, size_t i, size_t *out_index) {
  const stitching *s = ctx;
  const size_t row = i / s->inner;
  *out_index = s->of[row] * s->inner + i % s->inner;
  return s->c->in[s->part[row]];
}

// Which row of which x each row of the result is; part SIZE_MAX: none.
static weft_status stitch_find(const weft_call *c, stitching *s, size_t rows) {
  const uint32_t parts = c->n_in / 2;
  void *space[2];
  size_t work = 0;
  for (int i = 0; i < 2; i++)
    WEFT_TRY(weft__scratch(c, rows, &space[i]));
  s->part = space[0];
  s->of = space[1];
  for (size_t i = 0; i < rows; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    s->part[i] = SIZE_MAX;
  }
  for (uint32_t k = 0; k < parts; k++) {
    const weft_tensor *t = c->in[k];
    for (size_t i = 0; i < weft__elems(&t->layout.origin); i++) {
      const int64_t row = weft_load_i64(t->dtype, t->data, i);
      WEFT_TRY(weft__poll_work(c, &work, 1));
      if (row < 0 || (size_t)row >= rows)
        return weft_fail(c->d, WEFT_E_RANGE,
                         "input 'indices', instance %u, element %zu: %lld is outside [0, %zu)", k, i,
                         (long long)row, rows);
      s->part[row] = parts + k;
      s->of[row] = i;
    }
  }
  return WEFT_OK;
}

static weft_status stitch_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  stitching s = {.c = c};
  if (!y)
    return WEFT_OK;
  const size_t rows = (size_t)y->layout.origin.dim[0];
  s.inner = weft__prod(&y->layout.origin, 1, y->layout.origin.rank);
  WEFT_TRY(stitch_find(c, &s, rows));
  if (y->dtype != WEFT_STRING && !weft__elem_bytes(y->dtype))
    return weft__no_kernel(c, y->dtype);
  for (size_t row = 0; row < rows; row++) {
    WEFT_TRY(weft__poll_at(c, row));
    const bool given = s.part[row] != SIZE_MAX;
    if (!given && y->dtype == WEFT_STRING)
      return weft_fail(c->d, WEFT_E_INVALID, "no index names row %zu", row);
    if (y->dtype == WEFT_STRING)
      continue;
    const size_t bytes = s.inner * weft__elem_bytes(y->dtype);
    char *to = (char *)y->data + row * bytes;
    if (given)
      memcpy(to, (const char *)c->in[s.part[row]]->data + s.of[row] * bytes, bytes);
    else
      memset(to, 0, bytes);
  }
  return y->dtype == WEFT_STRING ? weft__pick(c, y, stitch_pick, &s) : WEFT_OK;
}

// ---- parting: row i of x goes to output partitions[i] ----
enum { X, PARTITIONS };

static weft_status part_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  const weft_shape *p = it->in[PARTITIONS];
  WEFT_TRY(weft__expect_count(it, WEFT_SLOT_DYNAMIC_PARTITION_NUM_PARTITIONS, true, it->n_out, "partitions"));
  const bool known = !weft_shape_is_unknown_rank(x) && !weft_shape_is_unknown_rank(p);
  if (known && x->rank < p->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "x has rank %zu, partitions have rank %zu", (size_t)x->rank,
                     (size_t)p->rank);
  for (size_t i = 0; known && i < p->rank; i++) {
    weft_dim same;
    WEFT_TRY(weft__merge_dim(it, p->dim[i], x->dim[i], "a dim of partitions and of x", &same));
  }
  if (known && x->rank - p->rank >= WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "rank %zu", (size_t)(x->rank - p->rank) + 1);
  for (uint32_t k = 0; k < it->n_out; k++) {
    it->out_dtype[k] = it->in_dtype[X];
    if (!known) {
      WEFT_TRY(weft__unknown_rank(it, k));
      continue;
    }
    it->out[k]->rank = 1 + x->rank - p->rank;
    it->out[k]->dim[0] = -1;
    for (size_t i = p->rank; i < x->rank; i++)
      it->out[k]->dim[1 + i - p->rank] = x->dim[i];
  }
  return WEFT_OK;
}

static int64_t part_row(void *ctx, size_t i) {
  return (int64_t)((const size_t *)ctx)[i];
}

static weft_status part_execute(const weft_call *c) {
  const weft_tensor *p = c->in[PARTITIONS];
  const weft_shape *x = &c->in[X]->layout.origin;
  const size_t skip = p->layout.origin.rank;
  const size_t n = weft__elems(&p->layout.origin);
  void *space;
  size_t *order;
  size_t at = 0;
  WEFT_TRY(weft__scratch(c, n, &space));
  int64_t *key = space;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    key[i] = weft_load_i64(p->dtype, p->data, i);
    if (key[i] < 0 || key[i] >= (int64_t)c->n_out)
      return weft_fail(c->d, WEFT_E_RANGE, "input 'partitions', element %zu: %lld is outside [0, %u)", i,
                       (long long)key[i], c->n_out);
  }
  WEFT_TRY(weft__sparse_order(c, key, n, &order));
  for (uint32_t k = 0; k < c->n_out; k++) {
    const size_t from = at;
    weft_shape y = {.rank = 1 + x->rank - skip};
    for (; at < n && key[order[at]] == (int64_t)k; at++)
      WEFT_TRY(weft__poll_at(c, at));
    y.dim[0] = (weft_dim)(at - from);
    for (size_t i = skip; i < x->rank; i++)
      y.dim[1 + i - skip] = x->dim[i];
    WEFT_TRY(weft__alloc_found(c, k, c->in[X]->dtype, &y, &y));
    if (c->out[k])
      WEFT_TRY(
          weft__move_blocks(c, c->in[X], c->out[k], weft__prod(x, skip, x->rank), part_row, order + from));
  }
  return WEFT_OK;
}

#define STITCH(op_name)                                                                                      \
  {                                                                                                          \
    .name = op_name, .summary = "rows of several tensors, each at its index", .traits = WEFT_SYMBOLIC,       \
    .infer = stitch_infer, .ref = stitch_ref, .values = "indices",                                           \
    .examples = WEFT_EXAMPLES(                                                                               \
        "[i32[2]{0,3}, i32[1,2]{1,0}], [f32[2]{5,6}, f32[1,2]{7,8}] N=2 -> f32[4]{8,7,0,6}",                 \
        "[i32[]{1}, i32[]{0}], [f32[2]{5,6}, f32[2]{7,8}] N=2 -> f32[2,2]{7,8,5,6}",                         \
        "[i32[2]{1,0}], [str[2]{\"a\",\"b\"}] -> str[2]{\"b\",\"a\"}",                                       \
        "[i32[-1]], [f32[-1,N]] -> f32[-1,N]", "[i32[0]], [f32[0,2]] -> f32[0,2]",                           \
        "[i32[1]{2}], [str[1]{\"a\"}] !! E_INVALID no index names row 0",                                    \
        "[i32[1]{-2}], [f32[1]{1}] !! E_RANGE -2 is outside [0, 0)",                                         \
        "[i32[2]], [f32[3]] !! E_SHAPE 2 and 3 differ",                                                      \
        "[i32[1]{0}], [f32[1]{1}, f32[1]{2}] !! E_INVALID input 'indices' has 1 instance, input 'x' has 2",  \
        "[i32[1]{0}, i32[1]{1}, i32[1]{2}], [i32[1]{7}] !! E_INVALID input 'indices' has 3 instances")       \
  }

WEFT_ROWS(stitch) = {
    STITCH("DynamicStitch"),
    STITCH("ParallelDynamicStitch"),
    {"DynamicPartition", "rows parted by number",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = part_infer, .infer_range = weft__found_range,
     .execute = part_execute,
     .examples = WEFT_EXAMPLES(
         "f32[4]{5,6,7,8}, i32[4]{1,0,1,1} num_partitions=2 -> [f32[1]{6}, f32[3]{5,7,8}]",
         "str[2,1]{\"a\",\"b\"}, i32[2]{0,0} num_partitions=2 -> [str[2,1]{\"a\",\"b\"}, str[0,1]]",
         "f32[N,3], i32[N] num_partitions=1 -> [f32[-1,3]]",
         "f32[1]{1}, i32[1]{2} num_partitions=2 -> [_, _] !! E_RANGE 2 is outside [0, 2)",
         "f32[2], i32[3] num_partitions=1 -> [_] !! E_SHAPE 3 and 2 differ")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
