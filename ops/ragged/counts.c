// ops/ragged/counts.c - how often each number stands in a row, or the sum of its weights.   AscendIR
// DenseCountSparseOutput, SparseCountSparseOutput, RaggedCountSparseOutput, SparseBincount, RaggedBincount,
// RaggedBinCount, as TensorFlow computes them. The rows are those of a matrix, of a sparse matrix or ragged.
// CountSparseOutput: numbers below 0 and from maxlength on are left out; the result is a sparse tensor as
// wide as maxlength, or else as the greatest number and minlength ask. Bincount: numbers below 0 are errors,
// those from size on are left out.
#include "air_slots.h"
#include "op/air_rows.h"
#include "ragged.h"
#include "sort.h"

enum { DENSE, SPARSE, RAGGED };
typedef struct count_form {
  uint8_t rows;
  bool bins;  // Bincount
} count_form;

static const count_form *form_of(const weft_op_desc *n) {
  return n->op->user;
}
static uint32_t values_input(const count_form *f) {
  return f->rows == DENSE ? 0 : 1;
}
static uint32_t weights_input(const count_form *f) {
  const uint32_t sparse[] = {1, 3, 2};
  return sparse[f->rows] + f->bins;
}

// ---- numbers by row ----
typedef struct counting {
  const weft_call *c;
  const count_form *form;
  const weft_tensor *values, *weights;  // weights NULL: each counts 1
  size_t n, rows;
  bool matrix, binary;
  int64_t *row, *value;  // n
  size_t *order;         // by row, then by value; `kept` of them count
  size_t kept;
} counting;

static weft_status count_rows_sparse(counting *k) {
  const weft_call *c = k->c;
  weft_sparse s;
  WEFT_TRY(weft__sparse_read(c, 0, 2, &s));
  if (s.rank != 1 && s.rank != 2)
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'dense_shape': expected 1 or 2 sizes, got %zu", s.rank);
  k->matrix = s.rank == 2;
  k->rows = k->matrix ? (size_t)s.dim[0] : 1;
  for (size_t i = 0; i < k->n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    k->row[i] = k->matrix ? s.index[i * 2] : 0;
  }
  return WEFT_OK;
}

static weft_status count_rows(counting *k) {
  const weft_shape *x = &k->values->layout.origin;
  weft_splits splits;
  if (k->form->rows == SPARSE)
    return count_rows_sparse(k);
  k->matrix = k->form->rows == RAGGED || x->rank == 2;
  if (k->form->rows == DENSE) {
    const size_t width = k->matrix ? (size_t)x->dim[1] : k->n;
    k->rows = k->matrix ? (size_t)x->dim[0] : 1;
    for (size_t i = 0; i < k->n; i++) {
      WEFT_TRY(weft__poll_at(k->c, i));
      k->row[i] = (int64_t)(i / width);
    }
    return WEFT_OK;
  }
  WEFT_TRY(weft__splits_read(k->c, 0, k->n, &splits));
  k->rows = splits.rows;
  for (size_t r = 0, i = 0; r < splits.rows; r++) {
    WEFT_TRY(weft__poll_at(k->c, r));
    for (; (int64_t)i < splits.at[r + 1]; i++)
      k->row[i] = (int64_t)r;
  }
  return WEFT_OK;
}

// Elements that count, in the order of rows and values.
static weft_status count_order(counting *k, int64_t below) {
  void *space[2];
  size_t *by_value;
  for (int i = 0; i < 2; i++)
    WEFT_TRY(weft__scratch(k->c, k->n, &space[i]));
  size_t *order = space[0];
  for (size_t i = 0; i < k->n; i++) {
    WEFT_TRY(weft__poll_at(k->c, i));
    k->value[i] = weft_load_i64(k->values->dtype, k->values->data, i);
    if (k->value[i] < 0 && k->form->bins)
      return weft_fail(k->c->d, WEFT_E_RANGE, "input 'values', element %zu is %lld, expected 0 or more", i,
                       (long long)k->value[i]);
    if (k->value[i] >= 0 && k->value[i] < below)
      order[k->kept++] = i;
  }
  WEFT_TRY(weft__sort_by_key(k->c, (const uint64_t *)k->value, order, space[1], k->kept, &by_value));
  void *spare = by_value == order ? space[1] : order;
  return weft__sort_by_key(k->c, (const uint64_t *)k->row, by_value, spare, k->kept, &k->order);
}

static weft_status count_begin(const weft_call *c, counting *k, int64_t below) {
  void *space[2];
  const weft_tensor *w = c->in[weights_input(form_of(c->desc))];
  *k = (counting){.c = c, .form = form_of(c->desc), .values = c->in[values_input(form_of(c->desc))]};
  k->n = weft__elems(&k->values->layout.origin);
  k->binary = weft_node_bool(c->desc, k->form->bins ? WEFT_SLOT_SPARSE_BINCOUNT_BINARY_OUTPUT
                                                    : WEFT_SLOT_DENSE_COUNT_SPARSE_OUTPUT_BINARY_OUTPUT);
  k->weights = weft__elems(&w->layout.origin) ? w : NULL;
  if (k->weights && weft__elems(&w->layout.origin) != k->n)
    return weft_fail(c->d, WEFT_E_SHAPE, "%zu weights for %zu numbers", weft__elems(&w->layout.origin), k->n);
  for (int i = 0; i < 2; i++)
    WEFT_TRY(weft__scratch(c, k->n, &space[i]));
  k->row = space[0];
  k->value = space[1];
  WEFT_TRY(count_rows(k));
  return count_order(k, below);
}

// Is the element at i of the order the first of its number in its row?
static bool count_is_first(const counting *k, size_t i) {
  if (!i)
    return true;
  const size_t a = k->order[i - 1];
  const size_t b = k->order[i];
  return k->row[a] != k->row[b] || k->value[a] != k->value[b];
}

// The count of the number at *i of the order; *i moves behind it.
static weft_status count_next(const counting *k, size_t *i, weft_any *out) {
  const weft_any one = {{1, 0}, 1};
  const weft_dtype t = k->c->in[weights_input(k->form)]->dtype;
  *out = (weft_any){{0, 0}, 0};
  do {
    WEFT_TRY(weft__poll_at(k->c, *i));
    const weft_any v = k->weights ? weft__any_at(k->weights, k->order[*i]) : one;
    *out = k->binary ? one : weft__any_add(t, *out, v);
  } while (++*i < k->kept && !count_is_first(k, *i));
  return WEFT_OK;
}

// ---- as a sparse tensor ----
static weft_status count_infer(weft_infer *it) {
  const count_form *f = form_of(it->desc);
  const weft_shape *x = it->in[values_input(f)];
  weft_dim n;
  weft_dim rank = 2;
  if (f->rows == SPARSE) {
    WEFT_TRY(weft__sparse_infer(it, 0, 1, 2, &n, &rank));
  } else if (f->rows == DENSE) {
    WEFT_TRY(weft__expect_rank(it, 0, 1, 2));
    rank = weft_shape_is_unknown_rank(x) ? -1 : (weft_dim)x->rank;
  } else {
    WEFT_TRY(weft__expect_rank(it, 1, 1, 1));
    WEFT_TRY(weft__splits_rows(it, 0, &n));
  }
  it->out_dtype[1] = it->in_dtype[weights_input(f)];
  return weft__sparse_infer_found(it, 0, 1, 2, rank);
}

static weft_status count_execute(const weft_call *c) {
  const int64_t min = weft_node_int(c->desc, WEFT_SLOT_DENSE_COUNT_SPARSE_OUTPUT_MINLENGTH);
  const int64_t max = weft_node_int(c->desc, WEFT_SLOT_DENSE_COUNT_SPARSE_OUTPUT_MAXLENGTH);
  int64_t greatest = 0;
  size_t n = 0;
  counting k;
  WEFT_TRY(count_begin(c, &k, max > 0 ? max : INT64_MAX));
  for (size_t i = 0; i < k.kept; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    greatest = WEFT_MAX(greatest, k.value[k.order[i]]);
    n += count_is_first(&k, i);
  }
  const size_t rank = 1u + k.matrix;
  WEFT_TRY(weft__found(c, 0, WEFT_INT64, (int64_t[]){(int64_t)n, (int64_t)rank}, 2));
  WEFT_TRY(weft__found(c, 1, c->in[weights_input(k.form)]->dtype, (int64_t[]){(int64_t)n}, 1));
  for (size_t i = 0, at = 0; i < k.kept; at++) {
    const size_t e = k.order[i];
    weft_any v;
    WEFT_TRY(count_next(&k, &i, &v));
    if (c->out[1])
      weft__any_put(c->out[1], at, v);
    if (!c->out[0])
      continue;
    if (k.matrix)
      weft_store_i64(WEFT_INT64, c->out[0]->data, at * rank, k.row[e]);
    weft_store_i64(WEFT_INT64, c->out[0]->data, at * rank + k.matrix, k.value[e]);
  }
  const int64_t width = max > 0 ? max : WEFT_MAX(greatest + 1, min);
  const int64_t dim[2] = {k.matrix ? (int64_t)k.rows : width, width};
  return weft__found_ints(c, 2, WEFT_INT64, dim, rank);
}

// ---- as bins ----
// Rows of the result: *out_matrix false, there is one, without an axis of its own.
static weft_status bins_rows(weft_infer *it, weft_dim *out, bool *out_matrix, bool *out_known) {
  int64_t sizes[2];
  int64_t n_sizes;
  weft_dim n;
  weft_dim rank;
  *out_matrix = *out_known = true;
  if (form_of(it->desc)->rows == RAGGED) {
    WEFT_TRY(weft__expect_rank(it, 1, 1, 1));
    return weft__splits_rows(it, 0, out);
  }
  *out = -1;
  WEFT_TRY(weft__sparse_infer(it, 0, 1, 2, &n, &rank));
  *out_known = rank >= 0;
  *out_matrix = rank == 2;
  if (rank < 0)
    return WEFT_OK;
  if (rank < 1 || rank > 2)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'dense_shape': expected 1 or 2 sizes, got %lld",
                     (long long)rank);
  bool known;
  WEFT_TRY(weft__in_ints(it, 2, sizes, 2, &n_sizes, &known));
  *out = known ? weft__elem_dim(sizes[0]) : -1;
  if (*out < -1 && !weft_dim_is_symbol(*out))
    return weft_fail(it->d, WEFT_E_RANGE, "input 'dense_shape', element 0: the size is %lld",
                     (long long)*out);
  return WEFT_OK;
}

static weft_status bins_infer(weft_infer *it) {
  const count_form *f = form_of(it->desc);
  const uint32_t in = weights_input(f) - 1;
  int64_t size[1];
  int64_t n;
  bool known;
  bool matrix;
  bool ranked;
  weft_dim rows;
  WEFT_TRY(bins_rows(it, &rows, &matrix, &ranked));
  WEFT_TRY(weft__in_ints(it, in, size, 1, &n, &known));
  known = known && n == 1;
  if (known && weft__is_literal(size[0]) && size[0] < 0)
    return weft_fail(it->d, WEFT_E_RANGE, "input 'size' is %lld", (long long)size[0]);
  const weft_dim width = known ? weft__elem_dim(size[0]) : -1;
  const weft_dim dims[2] = {matrix ? rows : width, width};
  it->out_dtype[0] = it->in_dtype[weights_input(f)];
  return ranked ? weft_set_out_shape(it, 0, dims, 1u + matrix) : weft__unknown_rank(it, 0);
}

static weft_status bins_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  counting k;
  if (!y)
    return WEFT_OK;
  const size_t width = (size_t)y->layout.origin.dim[y->layout.origin.rank - 1];
  WEFT_TRY(count_begin(c, &k, (int64_t)width));
  memset(y->data, 0, y->bytes);
  for (size_t i = 0; i < k.kept;) {
    const size_t at = (size_t)k.row[k.order[i]] * width + (size_t)k.value[k.order[i]];
    weft_any v;
    WEFT_TRY(count_next(&k, &i, &v));
    weft__any_put(y, at, v);
  }
  return WEFT_OK;
}

static const count_form dense_count = {DENSE, false};
static const count_form sparse_count = {SPARSE, false};
static const count_form ragged_count = {RAGGED, false};
static const count_form sparse_bins = {SPARSE, true};
static const count_form ragged_bins = {RAGGED, true};
#define COUNT(op_name, says, form, ...)                                                        \
  {                                                                                            \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,           \
    .infer = count_infer, .infer_range = weft__found_range, .execute = count_execute,          \
    .user = &(form), .examples = WEFT_EXAMPLES(__VA_ARGS__)                                    \
  }
#define BINS(op_name, says, form, reads, ...)                                                                \
  {                                                                                                          \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = bins_infer, .ref = bins_ref,         \
    .values = reads, .user = &(form), .examples = WEFT_EXAMPLES(__VA_ARGS__)                                 \
  }

WEFT_ROWS(counts) = {
    COUNT("DenseCountSparseOutput", "how often each number stands in a row, as a sparse tensor", dense_count,
          "i32[2,3]{1,1,0,2,2,2}, i32[0] binary_output=false -> i64[3,2]{0,0,0,1,1,2}, i32[3]{1,2,3}, "
          "i64[2]{2,3}",
          "i64[4]{1,3,-1,1}, f32[4]{1,2,4,8} maxlength=3 binary_output=false -> i64[1,1]{1}, f32[1]{9}, "
          "i64[1]{3}",
          "i32[2]{1,1}, f32[2]{5,6} minlength=7 binary_output=true -> i64[1,1]{1}, f32[1]{1}, i64[1]{7}",
          "i32[-1,3], f32[-1] binary_output=false -> i64[-1,2], f32[-1], i64[2]",
          "i32[2]{1,2}, f32[3]{1,2,3} binary_output=false -> _, _, _ !! E_SHAPE 3 weights for 2 numbers"),
    COUNT("SparseCountSparseOutput", "how often each number stands in a row of a sparse tensor", sparse_count,
          "i64[4,2]{0,0,0,2,1,1,3,2}, i32[4]{2,2,0,1}, i64[2]{4,3}, i32[0] binary_output=false -> "
          "i64[3,2]{0,2,1,0,3,1}, i32[3]{2,1,1}, i64[2]{4,3}",
          "i64[1,3]{0,0,0}, i32[1]{1}, i64[3]{1,1,1}, i32[0] binary_output=false -> _, _, _ !! E_SHAPE 1 "
          "or 2 "
          "sizes"),
    COUNT("RaggedCountSparseOutput", "how often each number stands in a ragged row", ragged_count,
          "i64[3]{0,1,3}, i32[3]{5,1,1}, i64[0] binary_output=false -> i64[2,2]{0,5,1,1}, i64[2]{1,2}, "
          "i64[2]{2,6}",
          "i64[2]{0,1}, i32[3]{5,1,1}, i64[0] binary_output=false -> _, _, _ !! E_RANGE ends with 1",
          "i64[2]{1,3}, i32[3]{5,1,1}, i64[0] binary_output=false -> _, _, _ !! E_RANGE element 0 is 1"),
    BINS("SparseBincount", "how often each number stands in a row of a sparse tensor", sparse_bins,
         "dense_shape,size",
         "i64[3,2]{0,0,0,2,1,1}, i32[3]{2,2,0}, i64[2]{2,3}, i32[]{3}, f32[0] -> f32[2,3]{0,0,2,1,0,0}",
         "i64[2,1]{0,2}, i32[2]{1,1}, i64[1]{4}, i32[]{2}, f32[2]{3,4} -> f32[2]{0,7}",
         "i64[-1,2], i32[-1], i64[2], i32[], f32[-1] -> f32[-1,-1]",
         "i64[1,1]{0}, i32[1]{-1}, i64[1]{4}, i32[]{2}, f32[0] !! E_RANGE element 0 is -1"),
    BINS("RaggedBincount", "how often each number stands in a ragged row", ragged_bins, "size",
         "i64[4]{0,2,2,3}, i32[3]{1,1,0}, i32[]{2}, f32[0] -> f32[3,2]{0,2,0,0,1,0}",
         "i64[2]{0,2}, i32[2]{1,9}, i32[]{2}, i32[2]{5,6} binary_output=true -> i32[1,2]{0,1}",
         "i64[N], i32[-1], i32[]{3}, f32[0] -> f32[N-1,3]",
         "i64[2]{0,1}, i32[2]{1,9}, i32[]{-2}, i32[0] !! E_RANGE input 'size' is -2"),
    BINS("RaggedBinCount", "how often each number stands in a ragged row", ragged_bins, "size",
         "i64[4]{0,2,2,3}, i32[3]{1,1,0}, i32[]{2}, f64[0] -> f64[3,2]{0,2,0,0,1,0}",
         "i64[0], i32[2], i32[]{2}, f32[0] !! E_SHAPE input 'splits' has no elements"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
