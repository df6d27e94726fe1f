// ops/ragged/ragged_dense.c - a ragged tensor as a dense one.   AscendIR RaggedTensorToTensor, as TensorFlow
// computes it: each row is filled up with the default value, or cut, to the size that `shape` says, or else
// to the longest row's. Row partitions say how many rows there are (FIRST_DIM_SIZE, before VALUE_ROWIDS
// only),
// where rows begin (ROW_SPLITS) or which row each element is in, ascending (VALUE_ROWIDS).
#include "air_slots.h"
#include "op/air_rows.h"
#include "dims_move.h"
#include "ragged.h"

enum { SHAPE, VALUES, DEFAULT, PARTITIONS };
enum { FIRST_DIM, ROW_SPLITS, ROW_IDS, NO_TYPE };

static int dense_type(const weft_op_desc *n, size_t i) {
  static const char *const names[] = {"FIRST_DIM_SIZE", "ROW_SPLITS", "VALUE_ROWIDS"};
  const weft_attr *a = n->attr[WEFT_SLOT_RAGGED_TENSOR_TO_TENSOR_ROW_PARTITION_TYPES];
  for (int k = 0; i < a->n && k < NO_TYPE; k++) {
    if (a->u.strs[i].bytes == strlen(names[k]) && !memcmp(a->u.strs[i].text, names[k], a->u.strs[i].bytes))
      return k;
  }
  return NO_TYPE;
}

// How many levels of rows the partitions make.
static weft_status dense_levels(weft_diag *d, const weft_op_desc *n, uint32_t have, size_t *out) {
  const weft_attr *a = n->attr[WEFT_SLOT_RAGGED_TENSOR_TO_TENSOR_ROW_PARTITION_TYPES];
  if (a->n != have || !have)
    return weft_fail(d, WEFT_E_INVALID, "attribute 'row_partition_types' has %llu elements for %u partitions",
                     (unsigned long long)a->n, have);
  const bool counted = dense_type(n, 0) == FIRST_DIM;
  for (uint32_t i = 0; i < have; i++) {
    const int t = dense_type(n, i);
    if (t == NO_TYPE || (t == FIRST_DIM && i))
      return weft_fail(d, WEFT_E_INVALID,
                       "attribute 'row_partition_types', element %u: expected ROW_SPLITS, "
                       "VALUE_ROWIDS, or FIRST_DIM_SIZE in front",
                       i);
  }
  const int first = have > counted ? dense_type(n, counted) : NO_TYPE;
  if (counted != (first == ROW_IDS))
    return weft_fail(d, WEFT_E_INVALID,
                     "VALUE_ROWIDS needs FIRST_DIM_SIZE in front, and nothing else has "
                     "it");
  *out = have - counted;
  return WEFT_OK;
}

static weft_status dense_infer(weft_infer *it) {
  const weft_shape *values = it->in[VALUES];
  size_t levels;
  WEFT_TRY(dense_levels(it->d, it->desc, it->n_in - PARTITIONS, &levels));
  WEFT_TRY(weft__expect_dtype(it, DEFAULT, VALUES));
  WEFT_TRY(weft__expect_rank(it, SHAPE, 0, 1));
  WEFT_TRY(weft__expect_rank(it, VALUES, 1, WEFT_MAX_RANK));
  for (uint32_t i = PARTITIONS; i < it->n_in; i++)
    WEFT_TRY(weft__expect_rank(it, i, 0, 1));
  it->out_dtype[0] = it->in_dtype[VALUES];
  if (weft_shape_is_unknown_rank(values))
    return weft__unknown_rank(it, 0);
  if (levels + values->rank > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "rank %zu", levels + (size_t)values->rank);
  WEFT_TRY(weft__expect_rank(it, DEFAULT, 0, values->rank - 1));
  WEFT_TRY(weft__unknown_dims(it, 0, levels + values->rank));
  for (size_t k = 1; k < values->rank; k++)
    it->out[0]->dim[levels + k] = values->dim[k];
  return WEFT_OK;
}

typedef struct densing {
  const weft_call *c;
  size_t levels, n;              // n: elements of the level at hand
  weft_shape y;
  int64_t *place;                // of the level's elements in the result; -1: cut off
} densing;

// The rows of a level: which row element i is in, and how many there are. *out: row of each element.
static weft_status dense_rows(const densing *s, uint32_t in, int type, size_t rows, int64_t **out,
                              size_t *out_n) {
  const weft_tensor *t = s->c->in[in];
  weft_splits splits;
  void *space;
  if (type == ROW_IDS) {
    uint64_t *ids;
    *out_n = weft__elems(&t->layout.origin);
    WEFT_TRY(weft__load_u64s(s->c, t, &ids));
    *out = (int64_t *)ids;
    for (size_t i = 0; i < *out_n; i++) {
      WEFT_TRY(weft__poll_at(s->c, i));
      if (ids[i] >= rows || (i && ids[i] < ids[i - 1]))
        return weft_fail(s->c->d, WEFT_E_RANGE, "VALUE_ROWIDS, element %zu is %lld; they ascend below %zu", i,
                         (long long)ids[i], rows);
    }
    return WEFT_OK;
  }
  const size_t last = weft__elems(&t->layout.origin);
  const int64_t end = last ? weft_load_i64(t->dtype, t->data, last - 1) : 0;
  WEFT_TRY(weft__splits_read(s->c, in, end < 0 ? 0 : (size_t)end, &splits));
  if (splits.rows != rows)
    return weft_fail(s->c->d, WEFT_E_SHAPE, "ROW_SPLITS of %zu rows, expected %zu", splits.rows, rows);
  *out_n = (size_t)end;
  WEFT_TRY(weft__scratch(s->c, *out_n, &space));
  *out = space;
  for (size_t r = 0, i = 0; r < rows; r++) {
    WEFT_TRY(weft__poll_at(s->c, r));
    for (; (int64_t)i < splits.at[r + 1]; i++) {
      WEFT_TRY(weft__poll_at(s->c, i));
      (*out)[i] = (int64_t)r;
    }
  }
  return WEFT_OK;
}

// What `shape` says of an axis; -1: nothing.
static int64_t dense_said(const weft_call *c, size_t axis) {
  const weft_tensor *t = c->in[SHAPE];
  const bool there = t->layout.origin.rank == 1 && axis < weft__elems(&t->layout.origin);
  const int64_t v = there ? weft_load_i64(t->dtype, t->data, axis) : -1;
  return v < 0 ? -1 : v;
}

static size_t dense_first(const weft_call *c) {
  const weft_tensor *t = c->in[PARTITIONS];
  if (dense_type(c->desc, 0) == FIRST_DIM) {
    const int64_t v = weft__elems(&t->layout.origin) ? weft_load_i64(t->dtype, t->data, 0) : 0;
    return v < 0 ? 0 : (size_t)v;
  }
  const size_t n = weft__elems(&t->layout.origin);
  return n ? n - 1 : 0;
}

// The size of the axis below a level: what `shape` says, or the longest row's.
static weft_status dense_width(densing *s, size_t level, const int64_t *row, size_t n) {
  int64_t widest = 0;
  int64_t at = 0;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(s->c, i));
    at = i && row[i] == row[i - 1] ? at + 1 : 0;
    widest = WEFT_MAX(widest, at + 1);
  }
  const int64_t said = dense_said(s->c, level + 1);
  s->y.dim[level + 1] = said < 0 ? widest : said;
  return WEFT_OK;
}

// Places of a level's elements, from those above them.
static weft_status dense_places(densing *s, size_t level, const int64_t *row, size_t n) {
  const int64_t size = s->y.dim[level + 1];
  void *space;
  int64_t at = 0;
  WEFT_TRY(weft__scratch(s->c, n, &space));
  int64_t *place = space;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(s->c, i));
    at = i && row[i] == row[i - 1] ? at + 1 : 0;
    const int64_t first = row[i] < s->y.dim[0] ? row[i] : -1;
    const int64_t up = level ? s->place[row[i]] : first;
    place[i] = up < 0 || at >= size ? -1 : up * size + at;
  }
  s->place = place;
  return WEFT_OK;
}

static weft_status dense_walk(densing *s) {
  const weft_call *c = s->c;
  const uint32_t skip = dense_type(c->desc, 0) == FIRST_DIM;
  size_t rows = dense_first(c);
  int64_t product = 1;
  s->y.dim[0] = dense_said(c, 0) < 0 ? (int64_t)rows : dense_said(c, 0);
  for (size_t level = 0; level < s->levels; level++) {
    const uint32_t in = PARTITIONS + skip + (uint32_t)level;
    int64_t *row;
    size_t n;
    WEFT_TRY(dense_rows(s, in, dense_type(c->desc, skip + level), rows, &row, &n));
    WEFT_TRY(dense_width(s, level, row, n));
    const int64_t most = (INT64_C(1) << 62) / WEFT_MAX(s->y.dim[level + 1], 1);
    if (!weft__mul_i64(product, s->y.dim[level], &product) || product > most)
      return weft_fail(c->d, WEFT_E_OVERFLOW, "the elements of the result overflow");
    WEFT_TRY(dense_places(s, level, row, n));
    rows = n;
  }
  s->n = rows;
  if (rows != (size_t)c->in[VALUES]->layout.origin.dim[0])
    return weft_fail(c->d, WEFT_E_SHAPE, "the partitions have %zu elements, input 'values' has %lld", rows,
                     (long long)c->in[VALUES]->layout.origin.dim[0]);
  return WEFT_OK;
}

// The default value, broadcast over a value of the tensor.
static weft_status dense_fill(const densing *s, weft_tensor *y, size_t inner) {
  weft_shape one = {.rank = s->y.rank - s->levels - 1};
  weft_walk w;
  for (size_t k = 0; k < one.rank; k++)
    one.dim[k] = s->y.dim[s->levels + 1 + k];
  const size_t all = weft__elems(&s->y);
  for (size_t from = 0; from < all; from += inner) {
    weft__walk_init(&w, &one);
    weft__walk_operand(&w, 0, &s->c->in[DEFAULT]->layout.origin);
    for (; w.i < w.n; weft__walk_next(&w)) {
      WEFT_TRY(weft__poll_at(s->c, from + w.i));
      weft__copy_elem(y->dtype, y->data, from + w.i, s->c->in[DEFAULT]->data, w.at[0]);
    }
  }
  return WEFT_OK;
}

static weft_status dense_execute(const weft_call *c) {
  const weft_shape *values = &c->in[VALUES]->layout.origin;
  densing s = {.c = c};
  size_t work = 0;
  WEFT_TRY(dense_levels(c->d, c->desc, c->n_in - PARTITIONS, &s.levels));
  s.y.rank = s.levels + values->rank;
  for (size_t k = 1; k < values->rank; k++)
    s.y.dim[s.levels + k] = values->dim[k];
  WEFT_TRY(dense_walk(&s));
  WEFT_TRY(weft__alloc_found(c, 0, c->in[VALUES]->dtype, &s.y, &s.y));
  weft_tensor *y = c->out[0];
  const size_t inner = weft__prod(values, 1, values->rank);
  if (!y || !inner)
    return WEFT_OK;
  for (size_t k = 0; k < c->in[DEFAULT]->layout.origin.rank; k++) {
    const weft_shape *d = &c->in[DEFAULT]->layout.origin;
    if (d->dim[k] != 1 && d->dim[k] != values->dim[k + values->rank - d->rank])
      return weft_fail(c->d, WEFT_E_SHAPE, "axis %zu of 'default_value' does not fit the values", k);
  }
  WEFT_TRY(dense_fill(&s, y, inner));
  for (size_t i = 0; i < s.n; i++) {
    WEFT_TRY(weft__poll_work(c, &work, inner));
    if (s.place[i] >= 0)
      weft__copy_run(y->dtype, y->data, (size_t)s.place[i] * inner, c->in[VALUES]->data, i * inner, inner);
  }
  return WEFT_OK;
}

WEFT_ROWS(ragged_dense) = {
    {"RaggedTensorToTensor", "a ragged tensor as a dense one, filled up",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = dense_infer, .infer_range = weft__found_range,
     .execute = dense_execute,
     .examples = WEFT_EXAMPLES(
         "i64[]{-1}, f32[3]{5,6,7}, f32[]{9}, [i64[4]{0,2,2,3}] num_row_partition_tensors=1 "
         "row_partition_types=[\"ROW_SPLITS\"] -> f32[3,2]{5,6,9,9,7,9}",
         "i32[2]{2,3}, i32[3,2]{5,6,7,8,1,2}, i32[2]{0,9}, [i64[]{3}, i64[3]{0,0,2}] "
         "num_row_partition_tensors=2 "
         "row_partition_types=[\"FIRST_DIM_SIZE\",\"VALUE_ROWIDS\"] -> i32[2,3,2]{5,6,7,8,0,9,0,9,0,9,0,9}",
         "i64[3]{-1,1,-1}, f32[4]{1,2,3,4}, f32[]{0}, [i64[3]{0,2,3}, i64[4]{0,2,3,4}] "
         "num_row_partition_tensors=2 row_partition_types=[\"ROW_SPLITS\",\"ROW_SPLITS\"] -> "
         "f32[2,1,2]{1,2,4,0}",
         "i64[]{-1}, f32[0], f32[]{9}, [i64[1]{0}] num_row_partition_tensors=1 "
         "row_partition_types=[\"ROW_SPLITS\"] -> f32[0,0]",
         "i64[], f32[-1,N], f32[], [i64[-1]] num_row_partition_tensors=1 "
         "row_partition_types=[\"ROW_SPLITS\"] -> "
         "f32[-1,-1,N]",
         "i64[]{-1}, f32[3]{5,6,7}, f32[]{9}, [i64[2]{0,2}] num_row_partition_tensors=1 "
         "row_partition_types=[\"ROW_SPLITS\"] !! E_SHAPE the partitions have 2 elements",
         "i64[], f32[3], f32[], [i64[2]] num_row_partition_tensors=1 row_partition_types=[\"ROWS\"] !! "
         "E_INVALID "
         "expected ROW_SPLITS",
         "i64[], f32[3], f32[], [i64[2]] num_row_partition_tensors=1 row_partition_types=[\"VALUE_ROWIDS\"] "
         "!! "
         "E_INVALID needs FIRST_DIM_SIZE")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
