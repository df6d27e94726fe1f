// sparse.c - SparseTensorProto to a dense tensor. Indices are positions in the flattened tensor ([NNZ]) or
// coordinates
// ([NNZ, rank]), in ascending order as ONNX demands, so that a duplicate is two equal neighbours.
// What a few bytes of a file can make is bounded: each value pays for ONNX_DENSE_RATIO times its bytes;
// beyond that all sparse tensors of a model share ONNX_DENSE_BYTES. O(dense bytes + values * rank).
#include "frontend/onnx/import.h"

#include "tensor/tensor.h"

typedef struct sparse {
  weft_dtype dtype;
  weft_shape shape;
  int64_t elems;     // of the dense tensor
  size_t n;          // values
  bool coordinates;  // indices are [n, rank]
  weft_tensor values, indices;
} sparse;

static weft_status read_dims(const onnx_sparse_tensor *t, sparse *p, weft_diag *d) {
  for (size_t i = 0; i < t->dims.n; i++) {
    if (t->dims.v[i] < 0)
      return weft_fail(d, WEFT_E_SHAPE, "dim %zu is %lld", i, (long long)t->dims.v[i]);
  }
  if (weft_shape_init(&p->shape, t->dims.v, t->dims.n))
    return weft_fail(d, WEFT_E_LIMIT, "rank %zu is over the limit of %d", (size_t)t->dims.n, WEFT_MAX_RANK);
  if (weft_shape_elems(&p->shape, &p->elems) || weft_dtype_bytes(p->elems, p->dtype) < 0)
    return weft_fail(d, WEFT_E_OVERFLOW, "the element count of its dims overflows");
  return WEFT_OK;
}

static weft_status read_parts(const onnx_sparse_tensor *t, onnx_data *data, sparse *p, weft_diag *d) {
  if (!t->values || !t->indices)
    return weft_fail(d, WEFT_E_MISSING, "it has no '%s'", t->values ? "indices" : "values");
  WEFT_TRY(weft__onnx_tensor(t->values, data, true, &p->values, d));
  WEFT_TRY(weft__onnx_tensor(t->indices, data, true, &p->indices, d));
  const weft_shape *v = &p->values.layout.origin;
  const weft_shape *x = &p->indices.layout.origin;
  p->dtype = p->values.dtype;
  if (p->dtype == WEFT_STRING)
    return weft_fail(d, WEFT_E_UNSUPPORTED, "sparse strings are not read");
  if (v->rank != 1)
    return weft_fail(d, WEFT_E_SHAPE, "its values have rank %zu, expected 1", v->rank);
  if (p->indices.dtype != WEFT_INT64) {
    return weft_fail(d, WEFT_E_DTYPE, "its indices are %s, expected DT_INT64",
                     weft_dtype_serial(p->indices.dtype));
  }
  WEFT_TRY(read_dims(t, p, d));
  p->n = (size_t)v->dim[0];
  p->coordinates = x->rank == 2;
  if ((x->rank != 1 && x->rank != 2) || x->dim[0] != v->dim[0] ||
      (p->coordinates && x->dim[1] != (int64_t)p->shape.rank)) {
    char text[256];
    return weft_fail(d, WEFT_E_SHAPE, "its indices have shape %s, expected [%zu] or [%zu,%zu]",
                     weft_shape_text(x, NULL, text, sizeof text), p->n, p->n, p->shape.rank);
  }
  return WEFT_OK;
}

// Takes what the values do not pay for from the model's budget.
static weft_status pay(const sparse *p, onnx_data *data, weft_diag *d) {
  size_t dense = (size_t)weft_dtype_bytes(p->elems, p->dtype);
  size_t paid = p->values.bytes;
  paid = paid > SIZE_MAX / ONNX_DENSE_RATIO ? SIZE_MAX : paid * ONNX_DENSE_RATIO;
  size_t rest = dense > paid ? dense - paid : 0;
  if (rest > data->dense_left) {
    return weft_fail(d, WEFT_E_LIMIT,
                     "%zu values would become %zu dense bytes; expected at most %d times their own, and "
                     "%zu more are left for all sparse tensors of the model",
                     p->n, dense, ONNX_DENSE_RATIO, data->dense_left);
  }
  data->dense_left -= rest;
  return WEFT_OK;
}

static weft_status position(const sparse *p, size_t i, int64_t *out, weft_diag *d) {
  if (!p->coordinates) {
    *out = weft_load_i64(WEFT_INT64, p->indices.data, i);
    if (*out >= 0 && *out < p->elems)
      return WEFT_OK;
    return weft_fail(d, WEFT_E_RANGE, "index %zu is %lld, the tensor has %lld elements", i, (long long)*out,
                     (long long)p->elems);
  }
  *out = 0;
  for (size_t k = 0; k < p->shape.rank; k++) {
    int64_t x = weft_load_i64(WEFT_INT64, p->indices.data, i * p->shape.rank + k);
    if (x < 0 || x >= p->shape.dim[k]) {
      return weft_fail(d, WEFT_E_RANGE, "index %zu: coordinate %zu is %lld, the dim is %lld", i, k,
                       (long long)x, (long long)p->shape.dim[k]);
    }
    *out = *out * p->shape.dim[k] + x;  // less than the element count
  }
  return WEFT_OK;
}

static weft_status sparse_expand(const sparse *p, weft_tensor *out, weft_diag *d) {
  uint32_t bits = weft_dtype_bits(p->dtype);
  int64_t last = -1;
  int64_t at;
  WEFT_TRY(weft_tensor_alloc(out, p->dtype, p->shape.dim, p->shape.rank, d));  // zeroed
  for (size_t i = 0; i < p->n; i++) {
    WEFT_TRY(position(p, i, &at, d));
    if (at <= last) {
      return weft_fail(d, WEFT_E_INVALID, "index %zu (element %lld) %s: expected ascending indices", i,
                       (long long)at, at == last ? "appears twice" : "comes too late");
    }
    last = at;
    if (bits < 8)
      weft__bits_put(p->dtype, out->data, (size_t)at, weft__bits_get(p->dtype, p->values.data, i));
    else {
      memcpy((char *)out->data + (size_t)at * (bits / 8), (const char *)p->values.data + i * (bits / 8),
             bits / 8);
    }
  }
  return WEFT_OK;
}

weft_status weft__onnx_sparse(const onnx_sparse_tensor *t, onnx_data *data, weft_tensor *out, weft_diag *d) {
  sparse p = {.n = 0};
  weft_tensor_init(&p.values, &out->alloc);
  weft_tensor_init(&p.indices, &out->alloc);
  weft_status s = read_parts(t, data, &p, d);
  if (!s)
    s = pay(&p, data, d);
  if (!s)
    s = sparse_expand(&p, out, d);
  weft_tensor_deinit(&p.values);
  weft_tensor_deinit(&p.indices);
  if (s) {
    onnx_str name = t->values ? t->values->name : (onnx_str){NULL, 0};
    weft_note(d, "in sparse tensor '%.*s' at byte %llu", (int)WEFT_MIN(name.bytes, 200), onnx_str_text(name),
              (unsigned long long)t->offset);
  }
  return s;
}
// SPDX-License-Identifier: Apache-2.0
