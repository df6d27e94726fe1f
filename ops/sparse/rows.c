// ops/sparse/rows.c - rows without elements get one.   AscendIR SparseFillEmptyRows, SparseFillEmptyRowsGrad,
// as TensorFlow computes them: an empty row gets the default value in its first column. Elements stay in
// their order within a row; rows ascend. reverse_index_map says where each element of the input went.
#include "op/air_rows.h"
#include "sparse.h"

enum { INDICES, VALUES, SHAPE, DEFAULT };
enum { OUT_INDICES, OUT_VALUES, OUT_EMPTY, OUT_MAP };

static weft_status fill_infer(weft_infer *it) {
  int64_t sizes[WEFT_MAX_RANK];
  int64_t n_sizes;
  bool known;
  weft_dim n;
  weft_dim rank;
  WEFT_TRY(weft__sparse_infer(it, INDICES, VALUES, SHAPE, &n, &rank));
  WEFT_TRY(weft__expect_rank(it, DEFAULT, 0, 0));
  WEFT_TRY(weft__expect_dtype(it, DEFAULT, VALUES));
  if (rank == 0)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'dense_shape' has no size, so that there are no rows");
  if (rank > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "input 'dense_shape' has %lld sizes, at most %d", (long long)rank,
                     WEFT_MAX_RANK);
  WEFT_TRY(weft__in_ints(it, SHAPE, sizes, WEFT_MAX_RANK, &n_sizes, &known));
  weft_dim rows = known && n_sizes > 0 ? weft__elem_dim(sizes[0]) : -1;
  if (rows < -1 && !weft_dim_is_symbol(rows))
    return weft_fail(it->d, WEFT_E_RANGE, "input 'dense_shape', element 0: the size is %lld",
                     (long long)rows);
  WEFT_TRY(weft__sparse_infer_found(it, OUT_INDICES, OUT_VALUES, WEFT_SPARSE_NONE, rank));
  WEFT_TRY(weft_set_out_shape(it, OUT_EMPTY, &rows, 1));
  return weft_set_out_shape(it, OUT_MAP, &n, 1);
}

static weft_status fill_range(weft_infer *it) {
  WEFT_TRY(weft__found_range(it));
  const int64_t rows = it->out_max[OUT_EMPTY]->dim[0];
  weft__found_at_most(it, OUT_INDICES, 0, 1U << INDICES);
  weft_dim *most = &it->out_max[OUT_INDICES]->dim[0];
  *most = *most < 0 || rows < 0 || rows > INT64_MAX - *most ? -1 : *most + rows;
  it->out_max[OUT_VALUES]->dim[0] = *most;
  return WEFT_OK;
}

typedef struct filling {
  const weft_call *c;
  weft_sparse s;
  size_t rows, n;    // n: elements of the result
  size_t *start;     // rows + 1: where a row begins in the result
  size_t *from;      // n: which element it is; SIZE_MAX: the default
  size_t *to;        // s.n
} filling;

// Counts first: start[r] is where row r begins, an empty one being one element long.
static weft_status fill_count(const weft_call *c, filling *f) {
  void *space;
  if ((uint64_t)f->s.dim[0] > SIZE_MAX - 1 - f->s.n)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%lld rows", (long long)f->s.dim[0]);
  f->rows = (size_t)f->s.dim[0];
  WEFT_TRY(weft__scratch(c, f->rows + 1, &space));
  f->start = space;
  for (size_t r = 0; r <= f->rows; r++) {
    WEFT_TRY(weft__poll_at(c, r));
    f->start[r] = 0;
  }
  for (size_t i = 0; i < f->s.n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    f->start[f->s.index[i * f->s.rank]]++;
  }
  for (size_t r = 0; r < f->rows; r++) {
    const size_t have = WEFT_MAX(f->start[r], 1);
    WEFT_TRY(weft__poll_at(c, r));
    if (c->out[OUT_EMPTY])
      weft_store_i64(WEFT_BOOL, c->out[OUT_EMPTY]->data, r, !f->start[r]);
    f->start[r] = f->n;
    f->n += have;
  }
  return WEFT_OK;
}

static weft_status fill_places(const weft_call *c, filling *f) {
  void *space;
  WEFT_TRY(weft__scratch(c, f->n, &space));
  f->from = space;
  WEFT_TRY(weft__scratch(c, f->s.n, &space));
  f->to = space;
  for (size_t i = 0; i < f->n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    f->from[i] = SIZE_MAX;
  }
  for (size_t i = 0; i < f->s.n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    f->to[i] = f->start[f->s.index[i * f->s.rank]]++;
    f->from[f->to[i]] = i;
  }
  return WEFT_OK;
}

static const weft_tensor *fill_pick(void *ctx, size_t i, size_t *out_index) {
  const filling *f = ctx;
  const bool given = f->from[i] != SIZE_MAX;
  *out_index = given ? f->from[i] : 0;
  return f->c->in[given ? VALUES : DEFAULT];
}

// The rows in between are those that have no element: each has one place.
static weft_status fill_indices(const weft_call *c, const filling *f) {
  const size_t rank = f->s.rank;
  int64_t row = -1;
  size_t work = 0;
  WEFT_TRY(weft__found(c, OUT_INDICES, WEFT_INT64, (int64_t[]){(int64_t)f->n, (int64_t)rank}, 2));
  for (size_t i = 0; c->out[OUT_INDICES] && i < f->n; i++) {
    const int64_t *index = f->from[i] == SIZE_MAX ? NULL : f->s.index + f->from[i] * rank;
    WEFT_TRY(weft__poll_work(c, &work, 1 + rank));
    row = index ? index[0] : row + 1;
    weft_store_i64(WEFT_INT64, c->out[OUT_INDICES]->data, i * rank, row);
    for (size_t k = 1; k < rank; k++)
      weft_store_i64(WEFT_INT64, c->out[OUT_INDICES]->data, i * rank + k, index ? index[k] : 0);
  }
  return WEFT_OK;
}

static weft_status fill_execute(const weft_call *c) {
  filling f = {.c = c};
  WEFT_TRY(weft__sparse_read(c, INDICES, SHAPE, &f.s));
  WEFT_TRY(weft__found(c, OUT_EMPTY, WEFT_BOOL, f.s.dim, 1));
  WEFT_TRY(fill_count(c, &f));
  WEFT_TRY(fill_places(c, &f));
  WEFT_TRY(fill_indices(c, &f));
  WEFT_TRY(weft__found(c, OUT_VALUES, c->in[VALUES]->dtype, (int64_t[]){(int64_t)f.n}, 1));
  if (c->out[OUT_VALUES])
    WEFT_TRY(weft__pick(c, c->out[OUT_VALUES], fill_pick, &f));
  return weft__found_ints(c, OUT_MAP, WEFT_INT64, (const int64_t *)f.to, f.s.n);
}

// ---- SparseFillEmptyRowsGrad ----
enum { GRAD_MAP, GRAD_VALUES };

static weft_status fill_grad_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, GRAD_MAP, 1, 1));
  WEFT_TRY(weft__expect_rank(it, GRAD_VALUES, 1, 1));
  weft_dim n = weft_shape_is_unknown_rank(it->in[GRAD_MAP]) ? -1 : it->in[GRAD_MAP]->dim[0];
  WEFT_TRY(weft_set_out_shape(it, 0, &n, 1));
  return weft__scalar(it, 1);
}

// Elements of the input take theirs; what is left belongs to the default value.
static weft_status fill_grad_ref(const weft_call *c) {
  const weft_tensor *g = c->in[GRAD_VALUES];
  const size_t n = weft__elems(&g->layout.origin);
  weft_any sum = {{0, 0}, 0};
  uint64_t *map;
  void *space;
  WEFT_TRY(weft__load_u64s(c, c->in[GRAD_MAP], &map));
  WEFT_TRY(weft__scratch(c, n, &space));
  bool *taken = space;
  memset(taken, 0, n);
  for (size_t i = 0; i < weft__elems(&c->in[GRAD_MAP]->layout.origin); i++) {
    WEFT_TRY(weft__poll_at(c, i));
    if (map[i] >= n)
      return weft_fail(c->d, WEFT_E_RANGE, "input 'reverse_index_map', element %zu: %lld is outside [0, %zu)",
                       i, (long long)map[i], n);
    taken[map[i]] = true;
    if (c->out[0])
      weft__copy_elem(g->dtype, c->out[0]->data, i, g->data, map[i]);
  }
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    if (!taken[i])
      sum = weft__any_add(g->dtype, sum, weft__any_at(g, i));
  }
  if (c->out[1])
    weft__any_put(c->out[1], 0, sum);
  return WEFT_OK;
}

WEFT_ROWS(sparse_rows) = {
    {"SparseFillEmptyRows", "rows without elements get the default value",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = fill_infer, .infer_range = fill_range,
     .execute = fill_execute, .values = "dense_shape",
     .examples = WEFT_EXAMPLES(
         "i64[3,2]{0,1,2,0,2,1}, f32[3]{1,2,3}, i64[2]{4,2}, f32[]{9} -> i64[5,2]{0,1,1,0,2,0,2,1,3,0}, "
         "f32[5]{1,9,2,3,9}, bool[4]{0,1,0,1}, i64[3]{0,2,3}",
         "i64[2,1]{1,0}, u8[2]{7,8}, i64[1]{3}, u8[]{9} -> i64[3,1]{0,1,2}, u8[3]{8,7,9}, bool[3]{0,0,1}, "
         "i64[2]{1,0}",
         "i64[0,2], f32[0], i64[2]{0,2}, f32[]{9} -> i64[0,2], f32[0], bool[0], i64[0]",
         "i64[N,2], f32[N], i64[2], f32[] -> i64[-1,2], f32[-1], bool[-1], i64[N]",
         "i64[1,1]{2}, f32[1]{1}, i64[1]{2}, f32[]{0} -> _, _, _, _ !! E_RANGE 2 is outside [0, 2)",
         "i64[1,0], f32[1], i64[0], f32[] -> _, _, _, _ !! E_SHAPE no rows")},
    {"SparseFillEmptyRowsGrad", "gradients of the elements and of the default value",
        WEFT_SYMBOLIC, .infer = fill_grad_infer, .ref = fill_grad_ref,
     .examples = WEFT_EXAMPLES("i64[2]{0,2}, f32[4]{1,2,4,8} -> f32[2]{1,4}, f32[]{10}",
                               "i64[0], i32[2]{3,4} -> i32[0], i32[]{7}", "i64[N], f32[-1] -> f32[N], f32[]",
                               "i64[1]{4}, f32[4]{1,2,3,4} -> _, _ !! E_RANGE 4 is outside [0, 4)")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
