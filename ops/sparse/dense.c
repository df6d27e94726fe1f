// ops/sparse/dense.c - a sparse tensor beside a dense one.   AscendIR SparseDenseCwiseAdd,
// SparseDenseCwiseMul, SparseDenseCwiseDiv, SparseTensorDenseAdd, SparseToDense, as TensorFlow computes them.
// Cwise: the values of the sparse tensor, each with the element of the dense one at its place; a dense tensor
// is broadcast to the sparse shape. Integers divided by 0 are an error.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

enum { INDICES, VALUES, SHAPE, DENSE };
enum { ADD, MUL, DIV };

// ---- Cwise ----
static weft_status cwise_infer(weft_infer *it) {
  weft_dim n;
  weft_dim rank;
  WEFT_TRY(weft__sparse_infer(it, INDICES, VALUES, SHAPE, &n, &rank));
  WEFT_TRY(weft__expect_dtype(it, DENSE, VALUES));
  if (rank >= 0)
    WEFT_TRY(weft__expect_rank(it, DENSE, 0, (size_t)WEFT_MIN(rank, WEFT_MAX_RANK)));
  return weft_set_out_shape(it, 0, &n, 1);
}

// The strides of the dense tensor along the axes of the sparse one: 0 where it is broadcast.
static weft_status cwise_strides(const weft_call *c, const weft_sparse *s, size_t *stride) {
  const weft_shape *x = &c->in[DENSE]->layout.origin;
  size_t step = 1;
  for (size_t k = 0; k < s->rank; k++)
    stride[k] = 0;
  for (size_t k = x->rank; k-- > 0;) {
    const size_t axis = k + s->rank - x->rank;
    if (x->dim[k] != 1 && x->dim[k] != s->dim[axis])
      return weft_fail(c->d, WEFT_E_SHAPE, "axis %zu of 'x2' has %lld elements, of the sparse tensor %lld", k,
                       (long long)x->dim[k], (long long)s->dim[axis]);
    stride[axis] = x->dim[k] == 1 ? 0 : step;
    step *= (size_t)x->dim[k];
  }
  return WEFT_OK;
}

// z = a / b by the greater part of b, so that nothing overflows on the way.
static void cwise_divide_complex(const double a[2], const double b[2], double z[2]) {
  const bool real = fabs(b[0]) >= fabs(b[1]);
  const double ratio = real ? b[1] / b[0] : b[0] / b[1];
  const double under = real ? b[0] + b[1] * ratio : b[0] * ratio + b[1];
  z[0] = (real ? a[0] + a[1] * ratio : a[0] * ratio + a[1]) / under;
  z[1] = (real ? a[1] - a[0] * ratio : a[1] * ratio - a[0]) / under;
}

static weft_status cwise_divide(const weft_call *c, weft_dtype t, weft_any a, weft_any b, weft_any *out) {
  const int64_t by = (int64_t)b.whole;
  *out = (weft_any){{a.z[0] / b.z[0], 0}, 0};
  if (weft_dtype_is_complex(t))
    cwise_divide_complex(a.z, b.z, out->z);
  if (weft_dtype_is_complex(t) || weft_dtype_is_float(t))
    return WEFT_OK;
  if (!by)
    return weft_fail(c->d, WEFT_E_INVALID, "division by zero");
  if (weft__is_unsigned(t))
    out->whole = a.whole / b.whole;
  else
    out->whole = by == -1 ? 0 - a.whole : (uint64_t)((int64_t)a.whole / by);
  return WEFT_OK;
}

static weft_status cwise_ref(const weft_call *c) {
  const weft_tensor *x = c->in[VALUES];
  const int how = *(const int *)c->desc->op->user;
  size_t stride[WEFT_MAX_RANK];
  size_t work = 0;
  weft_sparse s;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__sparse_read(c, INDICES, SHAPE, &s));
  WEFT_TRY(cwise_strides(c, &s, stride));
  for (size_t i = 0; i < s.n; i++) {
    size_t at = 0;
    WEFT_TRY(weft__poll_work(c, &work, 1 + s.rank));
    for (size_t k = 0; k < s.rank; k++)
      at += (size_t)s.index[i * s.rank + k] * stride[k];
    const weft_any a = weft__any_at(x, i);
    const weft_any b = weft__any_at(c->in[DENSE], at);
    weft_any z;
    if (how == DIV)
      WEFT_TRY(cwise_divide(c, x->dtype, a, b, &z));
    else
      z = how == ADD ? weft__any_add(x->dtype, a, b) : weft__any_mul(x->dtype, a, b);
    weft__any_put(c->out[0], i, z);
  }
  return WEFT_OK;
}

// ---- SparseTensorDenseAdd ----
static weft_status sum_infer(weft_infer *it) {
  weft_dim n;
  weft_dim rank;
  WEFT_TRY(weft__sparse_infer(it, INDICES, VALUES, SHAPE, &n, &rank));
  if (rank > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "input 'x1_shape' has %lld sizes, at most %d", (long long)rank,
                     WEFT_MAX_RANK);
  WEFT_TRY(weft__expect_dtype(it, DENSE, VALUES));
  if (rank >= 0)
    WEFT_TRY(weft__expect_rank(it, DENSE, (size_t)rank, (size_t)rank));
  return weft__same(it, 0, DENSE);
}

static weft_status sum_ref(const weft_call *c) {
  const weft_shape *x = &c->in[DENSE]->layout.origin;
  weft_tensor *y = c->out[0];
  weft_sparse s;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(weft__sparse_read(c, INDICES, SHAPE, &s));
  for (size_t k = 0; k < s.rank; k++) {
    if (s.dim[k] != x->dim[k])
      return weft_fail(c->d, WEFT_E_SHAPE, "axis %zu of 'x2' has %lld elements, of the sparse tensor %lld", k,
                       (long long)x->dim[k], (long long)s.dim[k]);
  }
  memcpy(y->data, c->in[DENSE]->data, y->bytes);
  for (size_t i = 0; i < s.n; i++) {
    const size_t at = (size_t)s.place[i];
    WEFT_TRY(weft__poll_at(c, i));
    const weft_any v = weft__any_at(c->in[VALUES], i);
    weft__any_put(y, at, weft__any_add(y->dtype, weft__any_at(y, at), v));
  }
  return WEFT_OK;
}

// ---- SparseToDense ----
enum { TO_INDICES, TO_SHAPE, TO_VALUES, TO_DEFAULT };

static weft_status to_dense_infer(weft_infer *it) {
  const weft_shape *indices = it->in[TO_INDICES];
  weft_shape y;
  WEFT_TRY(weft__expect_rank(it, TO_INDICES, 0, 2));
  WEFT_TRY(weft__expect_rank(it, TO_SHAPE, 1, 1));
  WEFT_TRY(weft__expect_rank(it, TO_VALUES, 0, 1));
  WEFT_TRY(weft__expect_rank(it, TO_DEFAULT, 0, 0));
  WEFT_TRY(weft__expect_dtype(it, TO_DEFAULT, TO_VALUES));
  WEFT_TRY(weft__in_target(it, TO_SHAPE, &y));
  weft_shape_copy(it->out[0], &y);
  if (weft_shape_is_unknown_rank(indices))
    return WEFT_OK;
  const weft_dim n = indices->rank ? indices->dim[0] : 1;
  const weft_dim rank = indices->rank == 2 ? indices->dim[1] : 1;
  weft_dim same;
  if (!weft_shape_is_unknown_rank(it->in[TO_VALUES]) && it->in[TO_VALUES]->rank)
    WEFT_TRY(weft__merge_dim(it, n, it->in[TO_VALUES]->dim[0], "rows of indices and values", &same));
  if (weft_shape_is_unknown_rank(it->in[TO_SHAPE]))
    return WEFT_OK;
  return weft__merge_dim(it, rank, it->in[TO_SHAPE]->dim[0], "columns of indices and sizes of the shape",
                         &same);
}

static weft_status to_dense_places(const weft_call *c, size_t n, size_t rank, int64_t *place) {
  const weft_tensor *t = c->in[TO_INDICES];
  const bool checked = weft_node_bool(c->desc, WEFT_SLOT_SPARSE_TO_DENSE_VALIDATE_INDICES);
  const weft_shape *y = &c->out[0]->layout.origin;
  size_t work = 0;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + rank));
    place[i] = 0;
    for (size_t k = 0; k < rank; k++) {
      const int64_t index = weft_load_i64(t->dtype, t->data, i * rank + k);
      if (index < 0 || index >= y->dim[k])
        return weft_fail(c->d, WEFT_E_RANGE, "input 'indices', element [%zu,%zu]: %lld is outside [0, %lld)",
                         i, k, (long long)index, (long long)y->dim[k]);
      place[i] = place[i] * y->dim[k] + index;
    }
    if (checked && i && place[i] <= place[i - 1])
      return weft_fail(c->d, WEFT_E_INVALID,
                       "input 'indices', row %zu does not follow row %zu; they must ascend, unless attribute "
                       "'validate_indices' is false",
                       i, i - 1);
  }
  return WEFT_OK;
}

static weft_status to_dense_ref(const weft_call *c) {
  const weft_shape *indices = &c->in[TO_INDICES]->layout.origin;
  const size_t n = indices->rank ? (size_t)indices->dim[0] : 1;
  const size_t rank = indices->rank == 2 ? (size_t)indices->dim[1] : 1;
  const bool one = !c->in[TO_VALUES]->layout.origin.rank;
  weft_tensor *y = c->out[0];
  void *space;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(weft__scratch(c, n, &space));
  WEFT_TRY(to_dense_places(c, n, rank, space));
  for (size_t i = 0; i < weft__elems(&y->layout.origin); i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft__copy_elem(y->dtype, y->data, i, c->in[TO_DEFAULT]->data, 0);
  }
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft__copy_elem(y->dtype, y->data, (size_t)((int64_t *)space)[i], c->in[TO_VALUES]->data, one ? 0 : i);
  }
  return WEFT_OK;
}

static const int cwise_add = ADD;
static const int cwise_mul = MUL;
static const int cwise_div = DIV;
#define CWISE(op_name, says, how, ...)                                                                 \
  {                                                                                                    \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = cwise_infer, .ref = cwise_ref, \
    .user = &(how), .examples = WEFT_EXAMPLES(__VA_ARGS__)                                             \
  }

WEFT_ROWS(sparse_dense) = {
    CWISE("SparseDenseCwiseAdd", "values of a sparse tensor plus a dense one at their places", cwise_add,
          "i64[2,2]{0,1,1,0}, f32[2]{10,20}, i64[2]{2,2}, f32[2,2]{1,2,3,4} -> f32[2]{12,23}",
          "i64[N,2], f32[N], i64[2], f32[2] -> f32[N]",
          "i64[1,2]{0,1}, f32[1]{10}, i64[2]{2,2}, f32[3]{1,2,3} !! E_SHAPE has 3 elements"),
    CWISE("SparseDenseCwiseMul", "values of a sparse tensor times a dense one at their places", cwise_mul,
          "i64[2,2]{0,1,1,0}, f32[2]{10,20}, i64[2]{2,2}, f32[2,1]{1,2} -> f32[2]{10,40}",
          "i64[1,1]{0}, c64[1]{(1,2)}, i64[1]{2}, c64[]{(0,1)} -> c64[1]{(-2,1)}",
          "i64[1,1]{0}, f32[1]{1}, i64[1]{1}, f32[1,1]{1} !! E_SHAPE input 'x2'"),
    CWISE("SparseDenseCwiseDiv", "values of a sparse tensor divided by a dense one at their "
    "places", cwise_div,
          "i64[2,2]{0,1,1,0}, f32[2]{10,20}, i64[2]{2,2}, f32[2]{5,0} -> f32[2]{inf,4}",
          "i64[1,1]{0}, i32[1]{-7}, i64[1]{2}, i32[2]{2,0} -> i32[1]{-3}",
          "i64[1,1]{0}, c64[1]{(1,2)}, i64[1]{2}, c64[]{(0,1)} -> c64[1]{(2,-1)}",
          "i64[1,1]{1}, i32[1]{-7}, i64[1]{2}, i32[2]{2,0} !! E_INVALID division by zero"),
    {"SparseTensorDenseAdd", "a dense tensor plus a sparse one",
        WEFT_SYMBOLIC, .infer = sum_infer, .ref = sum_ref,
     .examples = WEFT_EXAMPLES(
         "i64[2,2]{0,1,1,0}, f32[2]{10,20}, i64[2]{2,2}, f32[2,2]{1,2,3,4} -> f32[2,2]{1,12,23,4}",
         "i32[2,1]{0,0}, u8[2]{200,100}, i32[1]{1}, u8[1]{1} -> u8[1]{45}",
         "i64[-1,2], f32[-1], i64[2], f32[N,3] -> f32[N,3]",
         "i64[1,1]{0}, f32[1]{1}, i64[1]{2}, f32[3]{1,2,3} !! E_SHAPE has 3 elements",
         "i64[1,1]{2}, f32[1]{1}, i64[1]{2}, f32[2]{1,2} !! E_RANGE 2 is outside [0, 2)")},
    {"SparseToDense", "a dense tensor of values at indices, the default elsewhere",
        WEFT_SYMBOLIC, .infer = to_dense_infer, .ref = to_dense_ref, .values = "output_shape",
     .examples = WEFT_EXAMPLES(
         "i64[2,2]{0,1,1,0}, i64[2]{2,2}, f32[2]{10,20}, f32[]{-1} -> f32[2,2]{-1,10,20,-1}",
         "i32[2]{2,0}, i32[1]{3}, i32[]{5}, i32[]{0} validate_indices=false -> i32[3]{5,0,5}",
         "i32[]{1}, i32[1]{3}, bool[]{1}, bool[]{0} -> bool[3]{0,1,0}",
         "i64[-1,2], i64[2], f32[-1], f32[] -> f32[-1,-1]",
         "i32[2]{2,0}, i32[1]{3}, i32[]{5}, i32[]{0} !! E_INVALID row 1 does not follow row 0",
         "i32[1]{3}, i32[1]{3}, i32[]{5}, i32[]{0} !! E_RANGE 3 is outside [0, 3)",
         "i32[2,2], i32[1], i32[], i32[] !! E_SHAPE 2 and 1 differ")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
