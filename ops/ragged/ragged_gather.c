// ops/ragged/ragged_gather.c - rows of a ragged tensor by number.   AscendIR RaggedGather, as TensorFlow
// computes it: the splits of the result are those of the indices' own axes but the last one, then those of
// the rows that they name.
#include "air_slots.h"
#include "op/air_rows.h"
#include "ragged.h"

static weft_status gather_infer(weft_infer *it) {
  const uint32_t levels = it->n_in - 2;
  const weft_shape *values = it->in[levels];
  const weft_shape *indices = it->in[levels + 1];
  weft_dim rows;
  WEFT_TRY(weft__expect_count(it, WEFT_SLOT_RAGGED_GATHER_PARAMS_RAGGED_RANK, true, levels, "splits"));
  if (!levels || it->n_out < 2)
    return weft_fail(it->d, WEFT_E_INVALID, "%u splits come in and %u go out; expected 1 or more of both",
                     levels, it->n_out - 1);
  for (uint32_t i = 0; i < levels; i++)
    WEFT_TRY(weft__splits_rows(it, i, &rows));
  WEFT_TRY(weft__expect_rank(it, levels, 1, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, levels + 1, 0, WEFT_MAX_RANK));
  const uint32_t more = weft_shape_is_unknown_rank(indices) ? 0 : (uint32_t)indices->rank;
  const bool known = !weft_shape_is_unknown_rank(indices);
  if (known && it->n_out - 1 + 1 != levels + more)
    return weft_fail(it->d, WEFT_E_INVALID,
                     "%u splits of rows at indices of rank %u: expected %u outputs "
                     "of splits, "
                     "there are %u",
                     levels, more, levels + more - 1, it->n_out - 1);
  for (uint32_t i = 0; i + 1 < it->n_out; i++) {
    it->out_dtype[i] = weft_node_dtype(it->desc, WEFT_SLOT_RAGGED_GATHER_TSPLITS);
    WEFT_TRY(weft__unknown_dims(it, i, 1));
  }
  it->out_dtype[it->n_out - 1] = it->in_dtype[levels];
  if (weft_shape_is_unknown_rank(values))
    return weft__unknown_rank(it, it->n_out - 1);
  WEFT_TRY(weft__same(it, it->n_out - 1, levels));
  it->out[it->n_out - 1]->dim[0] = -1;
  return WEFT_OK;
}

typedef struct ragged_gather {
  const weft_call *c;
  uint32_t levels;
  weft_splits *splits;
  const weft_tensor *indices;
  size_t n;  // indices
} ragged_gather;

static weft_status gather_begin(const weft_call *c, ragged_gather *g) {
  void *space;
  g->c = c;
  g->levels = c->n_in - 2;
  g->indices = c->in[g->levels + 1];
  g->n = weft__elems(&g->indices->layout.origin);
  WEFT_TRY(weft__scratch(c, g->levels * (sizeof(weft_splits) / 8), &space));
  g->splits = space;
  size_t next = (size_t)c->in[g->levels]->layout.origin.dim[0];
  for (uint32_t i = g->levels; i-- > 0; next = g->splits[i].rows)
    WEFT_TRY(weft__splits_read(c, i, next, &g->splits[i]));
  for (size_t i = 0; i < g->n; i++) {
    const int64_t row = weft_load_i64(g->indices->dtype, g->indices->data, i);
    WEFT_TRY(weft__poll_at(c, i));
    if (row < 0 || (uint64_t)row >= g->splits[0].rows)
      return weft_fail(c->d, WEFT_E_RANGE, "input 'indices', element %zu: %lld is outside [0, %zu)", i,
                       (long long)row, g->splits[0].rows);
  }
  return WEFT_OK;
}

// The part of level `level` (levels: of the values) that index i names.
static void gather_span(const ragged_gather *g, size_t i, uint32_t level, int64_t *from, int64_t *to) {
  *from = weft_load_i64(g->indices->dtype, g->indices->data, i);
  *to = *from + 1;
  for (uint32_t k = 0; k < level; k++) {
    *from = g->splits[k].at[*from];
    *to = g->splits[k].at[*to];
  }
}

static weft_status gather_count(const ragged_gather *g, uint32_t level, int64_t *out) {
  *out = 0;
  for (size_t i = 0; i < g->n; i++) {
    int64_t from;
    int64_t to;
    WEFT_TRY(weft__poll_at(g->c, i));
    gather_span(g, i, level, &from, &to);
    if (to - from > INT64_MAX / 2 - *out)
      return weft_fail(g->c->d, WEFT_E_OVERFLOW, "the rows at the indices have too many elements");
    *out += to - from;
  }
  return WEFT_OK;
}

static weft_status gather_put_split(const weft_call *c, uint32_t out, weft_dtype t, size_t at, int64_t v) {
  if (t == WEFT_INT32 && v > INT32_MAX)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "split %lld does not fit int32", (long long)v);
  weft_store_i64(t, c->out[out]->data, at, v);
  return WEFT_OK;
}

// The splits of an axis of the indices: equal rows.
static weft_status gather_axis(const ragged_gather *g, uint32_t axis, weft_dtype t) {
  const weft_shape *s = &g->indices->layout.origin;
  const int64_t each = s->dim[axis + 1];
  int64_t rows = 1;
  int64_t last;
  bool fits = true;
  for (size_t k = 0; k <= axis; k++)
    fits &= weft__mul_i64(rows, s->dim[k], &rows);
  if (!fits || rows == INT64_MAX || !weft__mul_i64(rows, each, &last))
    return weft_fail(g->c->d, WEFT_E_OVERFLOW, "the indices have too many rows");
  WEFT_TRY(weft__found(g->c, axis, t, (int64_t[]){rows + 1}, 1));
  for (size_t i = 0; g->c->out[axis] && i <= (size_t)rows; i++) {
    WEFT_TRY(weft__poll_at(g->c, i));
    WEFT_TRY(gather_put_split(g->c, axis, t, i, (int64_t)i * each));
  }
  return WEFT_OK;
}

// The splits of a level of the rows.
static weft_status gather_level(const ragged_gather *g, uint32_t level, uint32_t out, weft_dtype t) {
  int64_t rows;
  int64_t end = 0;
  size_t at = 1;
  WEFT_TRY(gather_count(g, level, &rows));
  WEFT_TRY(weft__found(g->c, out, t, (int64_t[]){rows + 1}, 1));
  if (!g->c->out[out])
    return WEFT_OK;
  weft_store_i64(t, g->c->out[out]->data, 0, 0);
  for (size_t i = 0; i < g->n; i++) {
    int64_t from;
    int64_t to;
    gather_span(g, i, level, &from, &to);
    WEFT_TRY(weft__poll_at(g->c, i));
    for (; from < to; from++) {
      WEFT_TRY(weft__poll_at(g->c, at));
      end += g->splits[level].at[from + 1] - g->splits[level].at[from];
      WEFT_TRY(gather_put_split(g->c, out, t, at++, end));
    }
  }
  return WEFT_OK;
}

static int64_t gather_row(void *ctx, size_t i) {
  return ((const int64_t *)ctx)[i];
}

static weft_status gather_values(const ragged_gather *g, uint32_t out) {
  const weft_tensor *values = g->c->in[g->levels];
  weft_shape y = values->layout.origin;
  int64_t n;
  void *space;
  size_t at = 0;
  WEFT_TRY(gather_count(g, g->levels, &n));
  y.dim[0] = n;
  WEFT_TRY(weft__alloc_found(g->c, out, values->dtype, &y, &y));
  if (!g->c->out[out])
    return WEFT_OK;
  const size_t inner = weft__prod(&y, 1, y.rank);
  if (!inner)  // rows without elements: nothing is moved
    return WEFT_OK;
  WEFT_TRY(weft__scratch(g->c, (size_t)n, &space));
  for (size_t i = 0; i < g->n; i++) {
    int64_t from;
    int64_t to;
    gather_span(g, i, g->levels, &from, &to);
    WEFT_TRY(weft__poll_at(g->c, i));
    for (; from < to; from++) {
      WEFT_TRY(weft__poll_at(g->c, at));
      ((int64_t *)space)[at++] = from;
    }
  }
  return weft__move_blocks(g->c, values, g->c->out[out], inner, gather_row, space);
}

static weft_status gather_execute(const weft_call *c) {
  const weft_dtype t = weft_node_dtype(c->desc, WEFT_SLOT_RAGGED_GATHER_TSPLITS);
  ragged_gather g;
  uint32_t out = 0;
  WEFT_TRY(gather_begin(c, &g));
  const size_t rank = g.indices->layout.origin.rank;
  for (; out + 1 < rank; out++)
    WEFT_TRY(gather_axis(&g, out, t));
  for (uint32_t level = rank ? 0 : 1; level < g.levels; level++)
    WEFT_TRY(gather_level(&g, level, out++, t));
  return gather_values(&g, c->n_out - 1);
}

WEFT_ROWS(ragged_gather) = {
    {"RaggedGather", "rows of a ragged tensor by number",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = gather_infer, .infer_range = weft__found_range,
     .execute = gather_execute,
     .examples = WEFT_EXAMPLES(
         "[i64[4]{0,2,2,3}], i32[3]{5,6,7}, i64[3]{2,0,0} Tsplits=i64 OUTPUT_RAGGED_RANK=1 -> "
         "[i64[4]{0,1,3,5}], "
         "i32[5]{7,5,6,5,6}",
         "[i32[3]{0,1,2}], i64[2]{5,6}, i32[1,2]{1,0} Tsplits=i32 OUTPUT_RAGGED_RANK=2 -> [i32[2]{0,2}, "
         "i32[3]{0,1,2}], i64[2]{6,5}",
         "[i64[3]{0,1,3}, i64[4]{0,2,2,3}], i32[3]{5,6,7}, i64[1]{1} Tsplits=i64 PARAMS_RAGGED_RANK=2 "
         "OUTPUT_RAGGED_RANK=2 -> [i64[2]{0,2}, i64[3]{0,0,1}], i32[1]{7}",
         "[i64[-1]], i32[-1,3], i64[N] Tsplits=i64 OUTPUT_RAGGED_RANK=1 -> [i64[-1]], i32[-1,3]",
         "[i64[2]{0,1}], i32[1]{5}, i64[1]{1} Tsplits=i64 OUTPUT_RAGGED_RANK=1 -> [_], _ !! E_RANGE 1 is "
         "outside "
         "[0, 1)",
         "[i64[2]{0,1}], i32[1]{5}, i64[1]{0} Tsplits=i64 OUTPUT_RAGGED_RANK=2 -> [_, _], _ !! E_INVALID "
         "expected 1 "
         "outputs of splits")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
