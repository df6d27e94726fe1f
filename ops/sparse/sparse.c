// ops/sparse/sparse.c - operators on sparse tensors, each as indices [n, rank], values [n] and a shape
// [rank].   AscendIR SparseReshape, SparseTensorDenseMatMul, as TensorFlow has them. An index outside the
// shape is an error.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

enum { INDICES, VALUES, SHAPE, DENSE };

static int64_t sparse_int(const weft_tensor *t, size_t i) {
  return weft_load_i64(t->dtype, t->data, i);
}

// Where an element of the sparse tensor lies in a dense one of its shape.
static weft_status sparse_place(const weft_call *c, const weft_tensor *indices, const weft_tensor *shape,
                                size_t i, size_t rank, int64_t *out) {
  *out = 0;
  for (size_t k = 0; k < rank; k++) {
    const int64_t index = sparse_int(indices, i * rank + k);
    const int64_t size = sparse_int(shape, k);
    if (index < 0 || index >= size) {
      return weft_fail(c->d, WEFT_E_RANGE, "indices, element [%zu,%zu]: %lld is outside [0, %lld)", i, k,
                       (long long)index, (long long)size);
    }
    if (!weft__mul_i64(*out, size, out) || *out > INT64_MAX - index)
      return weft_fail(c->d, WEFT_E_OVERFLOW, "the elements of the shape overflow");
    *out += index;
  }
  return WEFT_OK;
}

// ---- SparseReshape ----
enum { RESHAPE_SHAPE = 1, RESHAPE_TO = 2 };

static weft_status sparse_reshape_infer(weft_infer *it) {
  weft_dim n;
  weft_dim rank;
  WEFT_TRY(weft__sparse_infer(it, INDICES, WEFT_SPARSE_NONE, RESHAPE_SHAPE, &n, &rank));
  WEFT_TRY(weft__expect_rank(it, RESHAPE_TO, 1, 1));
  const weft_dim to = weft_shape_is_unknown_rank(it->in[RESHAPE_TO]) ? -1 : it->in[RESHAPE_TO]->dim[0];
  WEFT_TRY(weft_set_out_shape(it, 0, (weft_dim[]){n, to}, 2));
  return weft_set_out_shape(it, 1, &to, 1);
}

// The new sizes, -1 replaced by what the elements leave.
static weft_status sparse_reshape_sizes(const weft_call *c, int64_t *to, size_t n) {
  const weft_tensor *shape = c->in[RESHAPE_SHAPE];
  int64_t elems = 1;
  int64_t known = 1;
  size_t open = n;
  for (size_t i = 0; i < (size_t)weft_tensor_elems(shape); i++) {
    if (sparse_int(shape, i) < 0 || !weft__mul_i64(elems, sparse_int(shape, i), &elems))
      return weft_fail(c->d, WEFT_E_RANGE, "input 'shape': %lld elements", (long long)sparse_int(shape, i));
  }
  for (size_t i = 0; i < n; i++) {
    to[i] = sparse_int(c->in[RESHAPE_TO], i);
    const bool second = to[i] == -1 && open < n;
    if (to[i] < -1 || second)
      return weft_fail(c->d, WEFT_E_RANGE, "input 'new_shape': element %zu is %lld", i, (long long)to[i]);
    open = to[i] == -1 ? i : open;
    if (to[i] >= 0 && !weft__mul_i64(known, to[i], &known))
      return weft_fail(c->d, WEFT_E_OVERFLOW, "input 'new_shape': its elements overflow");
  }
  if (open < n)
    to[open] = known > 0 ? elems / known : 0;
  if (open < n)
    known *= to[open];
  if (known == elems)
    return WEFT_OK;
  return weft_fail(c->d, WEFT_E_SHAPE, "%lld elements cannot become %lld", (long long)elems,
                   (long long)known);
}

static weft_status sparse_reshape_ref(const weft_call *c) {
  const weft_shape *s = &c->in[INDICES]->layout.origin;
  const size_t rank = (size_t)s->dim[1];
  const size_t n = (size_t)weft_tensor_elems(c->in[RESHAPE_TO]);
  int64_t to[WEFT_MAX_RANK];
  if (n > WEFT_MAX_RANK)
    return weft_fail(c->d, WEFT_E_LIMIT, "input 'new_shape' has %zu sizes, at most %d", n, WEFT_MAX_RANK);
  WEFT_TRY(sparse_reshape_sizes(c, to, n));
  for (size_t i = 0; c->out[1] && i < n; i++)
    weft_store_i64(c->out[1]->dtype, c->out[1]->data, i, to[i]);
  for (size_t i = 0; c->out[0] && i < (size_t)s->dim[0]; i++) {
    int64_t place;
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(sparse_place(c, c->in[INDICES], c->in[RESHAPE_SHAPE], i, rank, &place));
    for (size_t k = n; k-- > 0; place /= to[k])
      weft_store_i64(c->out[0]->dtype, c->out[0]->data, i * n + k, place % to[k]);
  }
  return WEFT_OK;
}

// ---- SparseTensorDenseMatMul ----
static weft_status sparse_product_infer(weft_infer *it) {
  const bool a = weft_node_bool(it->desc, WEFT_SLOT_SPARSE_TENSOR_DENSE_MAT_MUL_ADJOINT_A);
  const bool b = weft_node_bool(it->desc, WEFT_SLOT_SPARSE_TENSOR_DENSE_MAT_MUL_ADJOINT_B);
  const weft_shape *dense = it->in[DENSE];
  int64_t sizes[2] = {-1, -1};
  int64_t n;
  bool known;
  weft_dim elems;
  weft_dim rank;
  weft_dim inner;
  WEFT_TRY(weft__sparse_infer(it, INDICES, VALUES, SHAPE, &elems, &rank));
  WEFT_TRY(weft__expect_rank(it, DENSE, 2, 2));
  WEFT_TRY(weft__expect_dtype(it, DENSE, VALUES));
  if (rank >= 0 && rank != 2)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'x1_shape': expected 2 sizes, got %lld", (long long)rank);
  WEFT_TRY(weft__in_ints(it, SHAPE, sizes, 2, &n, &known));
  const weft_dim rows = known ? sizes[a] : -1;
  const weft_dim middle = known ? sizes[!a] : -1;
  if (weft_shape_is_unknown_rank(dense))
    return weft_set_out_shape(it, 0, (weft_dim[]){rows, -1}, 2);
  WEFT_TRY(weft__merge_dim(it, middle, dense->dim[b], "the inner sizes of 'x1' and 'x2'", &inner));
  return weft_set_out_shape(it, 0, (weft_dim[]){rows, dense->dim[!b]}, 2);
}

static void sparse_load(const weft_tensor *t, size_t i, bool conjugated, double z[2]) {
  z[1] = 0;
  if (weft_dtype_is_complex(t->dtype))
    weft__load_complex(t->dtype, t->data, i, z);
  else
    z[0] = weft_load_f64(t->dtype, t->data, i);
  z[1] = conjugated ? -z[1] : z[1];
}

// One element of x1 times a row of x2, added to a row of sums; integers modulo 2^64.
static void sparse_product_add(const weft_call *c, size_t i, const double v[2], size_t row, size_t columns,
                               bool adjoint, double *sums) {
  const weft_tensor *dense = c->in[DENSE];
  const size_t inner = (size_t)dense->layout.origin.dim[adjoint];
  for (size_t j = 0; j < columns; j++) {
    const size_t from = adjoint ? j * inner + row : row * columns + j;
    double z[2];
    if (weft_dtype_is_integer(dense->dtype)) {
      uint64_t sum;
      memcpy(&sum, sums + 2 * j, sizeof sum);
      sum += (uint64_t)sparse_int(c->in[VALUES], i) * (uint64_t)sparse_int(dense, from);
      memcpy(sums + 2 * j, &sum, sizeof sum);
      continue;
    }
    sparse_load(dense, from, adjoint, z);
    sums[2 * j] += v[0] * z[0] - v[1] * z[1];
    sums[2 * j + 1] += v[0] * z[1] + v[1] * z[0];
  }
}

static void sparse_product_store(weft_tensor *y, size_t n, const double *sums) {
  for (size_t i = 0; i < n; i++) {
    uint64_t whole;
    memcpy(&whole, sums + 2 * i, sizeof whole);
    if (weft_dtype_is_integer(y->dtype))
      weft_store_i64(y->dtype, y->data, i, (int64_t)whole);
    else if (weft_dtype_is_complex(y->dtype))
      weft__store_complex(y->dtype, y->data, i, sums + 2 * i);
    else
      weft_store_f64(y->dtype, y->data, i, sums[2 * i]);
  }
}

static weft_status sparse_product_ref(const weft_call *c) {
  const bool a = weft_node_bool(c->desc, WEFT_SLOT_SPARSE_TENSOR_DENSE_MAT_MUL_ADJOINT_A);
  const bool b = weft_node_bool(c->desc, WEFT_SLOT_SPARSE_TENSOR_DENSE_MAT_MUL_ADJOINT_B);
  weft_tensor *y = c->out[0];
  size_t words;
  size_t work = 0;
  void *space;
  if (!y)
    return WEFT_OK;
  const size_t columns = (size_t)y->layout.origin.dim[1];
  const size_t all = weft__elems(&y->layout.origin);
  if (!weft_mul_size(all, 2, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu elements", all);
  WEFT_TRY(weft__scratch(c, words + 1, &space));
  double *sums = space;
  memset(sums, 0, words * sizeof *sums);
  for (size_t i = 0; i < (size_t)c->in[INDICES]->layout.origin.dim[0]; i++) {
    int64_t place;
    double v[2];
    WEFT_TRY(weft__poll_work(c, &work, 1 + columns));
    WEFT_TRY(sparse_place(c, c->in[INDICES], c->in[SHAPE], i, 2, &place));
    const size_t row = (size_t)sparse_int(c->in[INDICES], 2 * i + a);
    sparse_load(c->in[VALUES], i, a, v);
    sparse_product_add(c, i, v, (size_t)sparse_int(c->in[INDICES], 2 * i + !a), columns, b,
                       sums + 2 * row * columns);
  }
  sparse_product_store(y, all, sums);
  return WEFT_OK;
}

WEFT_ROWS(sparse) = {
    {"SparseReshape", "indices of a sparse tensor in another shape",
        WEFT_SYMBOLIC, .infer = sparse_reshape_infer,
     .ref = sparse_reshape_ref,
     .examples = WEFT_EXAMPLES(
         "i64[2,2]{0,1,1,2}, i64[2]{2,3}, i64[1]{6} -> i64[2,1]{1,5}, i64[1]{6}",
         "i64[2,2]{0,1,1,2}, i64[2]{2,3}, i64[2]{3,-1} -> i64[2,2]{0,1,2,1}, i64[2]{3,2}",
         "i64[0,2], i64[2]{2,3}, i64[1]{-1} -> i64[0,1], i64[1]{6}",
         "i64[-1,2], i64[2], i64[3] -> i64[-1,3], i64[3]",
         "i64[1,1]{0}, i64[1]{4}, i64[2]{3,-1} -> _, _ !! E_SHAPE 4 elements cannot become 3",
         "i64[1,1]{4}, i64[1]{4}, i64[1]{4} -> _, _ !! E_RANGE 4 is outside [0, 4)",
         "i64[1,2], i64[3], i64[1] -> _, _ !! E_SHAPE 2 and 3 differ")},
    {"SparseTensorDenseMatMul", "a sparse matrix times a dense one",
        WEFT_SYMBOLIC, .infer = sparse_product_infer,
     .ref = sparse_product_ref, .values = "x1_shape",
     .examples = WEFT_EXAMPLES(
         "i64[2,2]{0,1,1,0}, f32[2]{2,3}, i64[2]{2,2}, f32[2,2]{1,2,3,4} -> f32[2,2]{6,8,3,6}",
         "i64[2,2]{0,1,1,0}, i32[2]{2,3}, i64[2]{2,2}, i32[2,1]{1,5} adjoint_a=true -> i32[2,1]{15,2}",
         "i64[1,2]{0,0}, c64[1]{(0,1)}, i64[2]{1,1}, c64[2,1]{(0,1),(2,0)} adjoint_b=true -> "
         "c64[1,2]{(1,0),(0,2)}",
         "i64[0,2], f32[0], i64[2]{2,3}, f32[3,1]{1,2,3} -> f32[2,1]{0,0}",
         "i64[-1,2], f32[-1], i64[2], f32[3,4] -> f32[-1,4]",
         "i64[1,2]{2,0}, f32[1]{1}, i64[2]{2,1}, f32[1,1]{1} !! E_RANGE 2 is outside [0, 2)",
         "i64[2,2], f32[1], i64[2]{2,3}, f32[3,1] !! E_SHAPE rows of indices and values",
         "i64[1,2], f32[1], i64[2]{2,3}, f32[4,1] !! E_SHAPE 3 and 4 differ")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
