// ops/ragged/ragged.c - ragged tensors made and changed.   AscendIR RaggedTensorToSparse, RaggedRange,
// RaggedGather, as TensorFlow computes them.
#include "air_slots.h"
#include "op/air_rows.h"
#include "ragged.h"

// ---- RaggedTensorToSparse: every element with its row, its place there, ... ----
static weft_status to_sparse_infer(weft_infer *it) {
  const uint32_t levels = it->n_in - 1;
  const weft_shape *x = it->in[levels];
  weft_dim rows;
  weft_dim n = 1;
  WEFT_TRY(weft__expect_count(it, WEFT_SLOT_RAGGED_TENSOR_TO_SPARSE_RAGGED_RANK, true, levels, "splits"));
  if (!levels)
    return weft_fail(it->d, WEFT_E_INVALID, "input 'rt_nested_splits' has no instance, expected 1 or more");
  for (uint32_t i = 0; i < levels; i++)
    WEFT_TRY(weft__splits_rows(it, i, &rows));
  WEFT_TRY(weft__expect_rank(it, levels, 1, WEFT_MAX_RANK));
  it->out_dtype[1] = it->in_dtype[levels];
  if (weft_shape_is_unknown_rank(x))
    return weft__sparse_infer_found(it, 0, 1, 2, -1);
  for (size_t k = 0; k < x->rank; k++)
    n = weft_dim_mul(it->symbols, n, x->dim[k]);
  const weft_dim rank = (weft_dim)(levels + x->rank);
  WEFT_TRY(weft_set_out_shape(it, 0, (weft_dim[]){n, rank}, 2));
  WEFT_TRY(weft_set_out_shape(it, 1, &n, 1));
  return weft_set_out_shape(it, 2, &rank, 1);
}

typedef struct to_sparse {
  const weft_call *c;
  uint32_t levels;
  weft_splits *splits;  // by level
  const weft_shape *x;
  size_t inner;         // elements of one value
} to_sparse;

static weft_status to_sparse_read(const weft_call *c, to_sparse *s) {
  void *space;
  s->c = c;
  s->levels = c->n_in - 1;
  s->x = &c->in[s->levels]->layout.origin;
  s->inner = weft__prod(s->x, 1, s->x->rank);
  WEFT_TRY(weft__scratch(c, s->levels * (sizeof(weft_splits) / 8), &space));
  s->splits = space;
  size_t next = (size_t)s->x->dim[0];
  for (uint32_t i = s->levels; i-- > 0; next = s->splits[i].rows)
    WEFT_TRY(weft__splits_read(c, i, next, &s->splits[i]));
  return WEFT_OK;
}

// Column `level` and, of the first level, column 0 of the indices: rows of a level carry over to all of
// their elements, so that columns are made from the last one to the first.
static weft_status to_sparse_indices(const to_sparse *s, weft_tensor *y) {
  const size_t rank = s->levels + s->x->rank;
  const size_t n = (size_t)s->x->dim[0];
  void *space;
  WEFT_TRY(weft__scratch(s->c, n, &space));
  int64_t *row = space;  // at the level at hand, of each value
  for (size_t i = 0; i < n; i++)
    row[i] = (int64_t)i;
  for (uint32_t level = s->levels; level-- > 0;) {
    const weft_splits *splits = &s->splits[level];
    size_t r = 0;
    for (size_t i = 0; i < n; i++) {
      size_t steps = 1;
      for (; splits->at[r + 1] <= row[i]; r++)
        steps++;
      WEFT_TRY(weft__poll_at(s->c, i + steps));
      for (size_t k = 0; k < s->inner; k++) {
        const size_t at = (i * s->inner + k) * rank;
        weft_store_i64(WEFT_INT64, y->data, at + level + 1, row[i] - splits->at[r]);
        if (!level)
          weft_store_i64(WEFT_INT64, y->data, at, (int64_t)r);
      }
      row[i] = (int64_t)r;
    }
  }
  return WEFT_OK;
}

// The columns behind them: places within a value.
static weft_status to_sparse_inner(const to_sparse *s, weft_tensor *y) {
  const size_t rank = s->levels + s->x->rank;
  size_t work = 0;
  for (size_t i = 0; i < (size_t)s->x->dim[0] * s->inner; i++) {
    size_t at = i % s->inner;
    WEFT_TRY(weft__poll_work(s->c, &work, rank));
    for (size_t k = s->x->rank; k-- > 1; at /= (size_t)s->x->dim[k])
      weft_store_i64(WEFT_INT64, y->data, i * rank + s->levels + k, (int64_t)(at % (size_t)s->x->dim[k]));
  }
  return WEFT_OK;
}

static weft_status to_sparse_shape(const to_sparse *s, weft_tensor *y) {
  weft_store_i64(WEFT_INT64, y->data, 0, (int64_t)s->splits[0].rows);
  for (uint32_t level = 0; level < s->levels; level++) {
    int64_t widest = 0;
    for (size_t r = 0; r < s->splits[level].rows; r++) {
      const int64_t width = s->splits[level].at[r + 1] - s->splits[level].at[r];
      WEFT_TRY(weft__poll_at(s->c, r));
      widest = WEFT_MAX(widest, width);
    }
    weft_store_i64(WEFT_INT64, y->data, level + 1, widest);
  }
  for (size_t k = 1; k < s->x->rank; k++)
    weft_store_i64(WEFT_INT64, y->data, s->levels + k, s->x->dim[k]);
  return WEFT_OK;
}

static int64_t to_sparse_same(void *ctx, size_t i) {
  (void)ctx;
  return (int64_t)i;
}

static weft_status to_sparse_ref(const weft_call *c) {
  to_sparse s;
  WEFT_TRY(to_sparse_read(c, &s));
  if (c->out[0]) {
    WEFT_TRY(to_sparse_indices(&s, c->out[0]));
    WEFT_TRY(to_sparse_inner(&s, c->out[0]));
  }
  if (c->out[1])
    WEFT_TRY(weft__move(c, c->in[s.levels], c->out[1], to_sparse_same, NULL, NULL));
  return c->out[2] ? to_sparse_shape(&s, c->out[2]) : WEFT_OK;
}

// ---- RaggedRange: a row from start to limit by delta for each of them ----
enum { STARTS, LIMITS, DELTAS };

static weft_status range_infer(weft_infer *it) {
  weft_dim n = 1;
  it->out_dtype[0] = weft_node_dtype(it->desc, WEFT_SLOT_RAGGED_RANGE_TSPLITS);
  for (uint32_t i = STARTS; i <= DELTAS; i++) {
    WEFT_TRY(weft__expect_rank(it, i, 0, 1));
    WEFT_TRY(weft__expect_dtype(it, i, STARTS));
    if (weft_shape_is_unknown_rank(it->in[i]))
      n = n == 1 ? -1 : n;
    else if (it->in[i]->rank)
      WEFT_TRY(weft__merge_dim(it, n == 1 ? -1 : n, it->in[i]->dim[0], "the rows of the inputs", &n));
  }
  const weft_dim splits = n == -1 ? -1 : weft_dim_add(it->symbols, n, 1);
  WEFT_TRY(weft_set_out_shape(it, 0, &splits, 1));
  return weft__unknown_dims(it, 1, 1);
}

typedef struct range_row {
  weft_any start, delta;
  int64_t n;
} range_row;

static bool range_is_float(const weft_call *c) {
  return weft_dtype_is_float(c->in[STARTS]->dtype);
}

static weft_status range_row_at(const weft_call *c, size_t row, range_row *out) {
  weft_any v[3];
  for (uint32_t i = 0; i < 3; i++)
    v[i] = weft__any_at(c->in[i], c->in[i]->layout.origin.rank ? row : 0);
  *out = (range_row){v[STARTS], v[DELTAS], 0};
  if (range_is_float(c)) {
    const double n = ceil((v[LIMITS].z[0] - v[STARTS].z[0]) / v[DELTAS].z[0]);
    if (v[DELTAS].z[0] == 0 || isnan(n))
      return weft_fail(c->d, WEFT_E_INVALID, "row %zu: from %g to %g by %g", row, v[STARTS].z[0],
                       v[LIMITS].z[0], v[DELTAS].z[0]);
    if (n > 9e15)
      return weft_fail(c->d, WEFT_E_OVERFLOW, "row %zu has %g elements", row, n);
    out->n = n > 0 ? (int64_t)n : 0;
    return WEFT_OK;
  }
  const int64_t start = (int64_t)v[STARTS].whole;
  const int64_t limit = (int64_t)v[LIMITS].whole;
  const int64_t delta = (int64_t)v[DELTAS].whole;
  if (!delta)
    return weft_fail(c->d, WEFT_E_INVALID, "input 'deltas', row %zu is 0", row);
  if (delta > 0 ? limit <= start : limit >= start)
    return WEFT_OK;
  const uint64_t way = delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
  const uint64_t step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
  const uint64_t n = (way - 1) / step + 1;
  if (n > INT64_MAX)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "row %zu has %llu elements", row, (unsigned long long)n);
  out->n = (int64_t)n;
  return WEFT_OK;
}

static weft_any range_element(const range_row *r, int64_t i) {
  weft_any v;
  v.z[0] = r->start.z[0] + (double)i * r->delta.z[0];
  v.z[1] = 0;
  v.whole = r->start.whole + (uint64_t)i * r->delta.whole;
  return v;
}

static weft_status range_rows(const weft_call *c, size_t *out) {
  *out = 1;
  for (uint32_t i = STARTS; i <= DELTAS; i++) {
    const weft_shape *s = &c->in[i]->layout.origin;
    if (s->rank)
      *out = (size_t)s->dim[0];
  }
  for (uint32_t i = STARTS; i <= DELTAS; i++) {
    const weft_shape *s = &c->in[i]->layout.origin;
    if (s->rank && (size_t)s->dim[0] != *out)
      return weft_fail(c->d, WEFT_E_SHAPE, "input '%s' has %lld rows, expected %zu",
                       weft__in_name(c->desc, i), (long long)s->dim[0], *out);
  }
  return WEFT_OK;
}

static weft_status range_execute(const weft_call *c) {
  const weft_dtype t = weft_node_dtype(c->desc, WEFT_SLOT_RAGGED_RANGE_TSPLITS);
  size_t rows;
  void *space;
  range_row r;
  size_t at = 0;
  WEFT_TRY(range_rows(c, &rows));
  WEFT_TRY(weft__scratch(c, rows + 1, &space));
  int64_t *splits = space;
  splits[0] = 0;
  for (size_t i = 0; i < rows; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(range_row_at(c, i, &r));
    if (r.n > INT64_MAX - splits[i] || (t == WEFT_INT32 && splits[i] + r.n > INT32_MAX))
      return weft_fail(c->d, WEFT_E_OVERFLOW,
                       "row %zu has %lld elements behind %lld; too many for the splits", i, (long long)r.n,
                       (long long)splits[i]);
    splits[i + 1] = splits[i] + r.n;
  }
  WEFT_TRY(weft__found_ints(c, 0, t, splits, rows + 1));
  WEFT_TRY(weft__found(c, 1, c->in[STARTS]->dtype, &splits[rows], 1));
  for (size_t i = 0; c->out[1] && i < rows; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(range_row_at(c, i, &r));
    for (int64_t k = 0; k < r.n; k++) {
      WEFT_TRY(weft__poll_at(c, at));
      weft__any_put(c->out[1], at++, range_element(&r, k));
    }
  }
  return WEFT_OK;
}

WEFT_ROWS(ragged) = {
    {"RaggedTensorToSparse", "a ragged tensor as a sparse one",
        WEFT_SYMBOLIC, .infer = to_sparse_infer, .ref = to_sparse_ref,
     .examples = WEFT_EXAMPLES(
         "[i64[4]{0,2,2,3}], f32[3]{5,6,7} -> i64[3,2]{0,0,0,1,2,0}, f32[3]{5,6,7}, i64[2]{3,2}",
         "[i32[3]{0,1,3}, i32[4]{0,2,2,3}], i32[3]{7,8,9} RAGGED_RANK=2 Tsplits=i32 -> "
         "i64[3,3]{0,0,0,0,0,1,1,1,0}, i32[3]{7,8,9}, i64[3]{2,2,2}",
         "[i64[2]{0,1}], f32[1,2]{5,6} -> i64[2,3]{0,0,0,0,0,1}, f32[2]{5,6}, i64[3]{1,1,2}",
         "[i64[1]{0}], f32[0] -> i64[0,2], f32[0], i64[2]{0,0}",
         "[i64[-1]], f32[N] -> i64[N,2], f32[N], i64[2]",
         "[i64[2]{0,3}], f32[2]{5,6} -> _, _, _ !! E_RANGE ends with 3, but there are 2",
         "[i64[3]{0,2,1}], f32[1]{5} -> _, _, _ !! E_RANGE element 2 is 1")},
    {"RaggedRange", "a row of equal steps for each start, limit and delta",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = range_infer, .infer_range = weft__found_range,
     .execute = range_execute,
     .examples = WEFT_EXAMPLES(
         "i32[3]{0,5,8}, i32[3]{3,5,5}, i32[]{1} Tsplits=i64 -> i64[4]{0,3,3,3}, i32[3]{0,1,2}",
         "f32[]{0}, f32[2]{1,-1}, f32[2]{0.5,-0.5} Tsplits=i32 -> i32[3]{0,2,4}, f32[4]{0,0.5,0,-0.5}",
         "i64[N], i64[N], i64[] Tsplits=i64 -> i64[N+1], i64[-1]",
         "i32[]{0}, i32[]{3}, i32[]{0} Tsplits=i64 -> _, _ !! E_INVALID input 'deltas', row 0 is 0",
         "i64[]{0}, i64[]{9000000000}, i64[]{1} Tsplits=i32 -> _, _ !! E_OVERFLOW too many for the splits",
         "i32[2], i32[3], i32[] Tsplits=i64 -> _, _ !! E_SHAPE 2 and 3 differ")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
