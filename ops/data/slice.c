// ops/data/slice.c - y = x[offsets : offsets+size], axis by axis.   AscendIR Slice.
// ONNX's Slice is StridedSliceV2. size -1: what is left. The cut must lie inside x: nothing is clamped.
#include "slice.h"

enum { X, OFFSETS, SIZE };

// The cut along one axis; *out_size is its length, which may be unknown.
static weft_status slice_one(weft_diag *d, weft_symbols *p, size_t i, weft_dim dim, int64_t offset,
                             int64_t size, weft_dim *out_size) {
  bool at_known = weft__is_literal(offset);
  if (at_known && (offset < 0 || (dim >= 0 && offset > dim))) {
    return weft_fail(d, WEFT_E_RANGE, "input 'offsets': element %zu is %lld, dim %zu of x is %lld", i,
                     (long long)offset, i, (long long)dim);
  }
  if (weft__is_literal(size) &&
      (size < -1 || (dim >= 0 && size > dim) || (dim >= 0 && at_known && size > dim - offset))) {
    return weft_fail(d, WEFT_E_RANGE,
                     "input 'size': element %zu is %lld, from %lld on dim %zu of x, which is %lld", i,
                     (long long)size, (long long)(at_known ? offset : 0), i, (long long)dim);
  }
  *out_size = size == -1 ? weft_dim_sub(p, dim, weft__elem_dim(offset)) : weft__elem_dim(size);
  return WEFT_OK;
}

static weft_status lists(const weft_infer *it, int64_t offset[WEFT_MAX_RANK], int64_t size[WEFT_MAX_RANK],
                         int64_t *out_n) {
  bool known[2];
  int64_t n[2];
  int64_t *list[2] = {offset, size};
  for (uint32_t k = 0; k < 2; k++)
    WEFT_TRY(weft__in_ints(it, OFFSETS + k, list[k], WEFT_MAX_RANK, &n[k], &known[k]));
  if (n[0] >= 0 && n[1] >= 0 && n[0] != n[1]) {
    return weft_fail(it->d, WEFT_E_SHAPE, "inputs 'offsets' and 'size' have %lld and %lld elements",
                     (long long)n[0], (long long)n[1]);
  }
  *out_n = WEFT_MAX(n[0], n[1]);
  const weft_shape *x = it->in[X];
  if (!weft_shape_is_unknown_rank(x)) {
    if (*out_n >= 0 && *out_n != (int64_t)x->rank) {
      return weft_fail(it->d, WEFT_E_SHAPE, "input 'offsets': %lld elements, x has rank %zu",
                       (long long)*out_n, x->rank);
    }
    *out_n = (int64_t)x->rank;
  }
  for (uint32_t k = 0; k < 2; k++) {
    for (int64_t i = 0; !known[k] && i < WEFT_MIN(*out_n, WEFT_MAX_RANK); i++)
      list[k][i] = WEFT_DIM_INVALID;
  }
  return WEFT_OK;
}

static weft_status slice_infer(weft_infer *it) {
  int64_t offset[WEFT_MAX_RANK];
  int64_t size[WEFT_MAX_RANK];
  int64_t n;
  const weft_shape *x = it->in[X];
  WEFT_TRY(lists(it, offset, size, &n));
  if (n < 0)
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__unknown_dims(it, 0, (size_t)n));
  for (size_t i = 0; i < (size_t)n; i++) {
    WEFT_TRY(slice_one(it->d, it->symbols, i, weft_shape_is_unknown_rank(x) ? -1 : x->dim[i], offset[i],
                       size[i], &it->out[0]->dim[i]));
  }
  return WEFT_OK;
}

static weft_status slice_infer_value(weft_infer *it) {
  int64_t offset[WEFT_MAX_RANK];
  int64_t size[WEFT_MAX_RANK];
  int64_t n;
  weft_view v;
  if (!weft_shape_is_known(it->in[X]) || !weft_shape_is_known(it->out[0]))
    return WEFT_OK;
  WEFT_TRY(lists(it, offset, size, &n));
  weft__view_init(&v, it->in[X]);
  for (size_t i = 0; i < v.rank; i++) {
    if (!weft__is_literal(offset[i]))
      return WEFT_OK;
    v.dim[i] = it->out[0]->dim[i];
    weft__view_shift(&v, i, offset[i]);
  }
  weft__view_elems(it, X, 0, &v);
  return WEFT_OK;
}

static weft_status slice_ref(const weft_call *c) {
  int64_t offset[WEFT_MAX_RANK];
  int64_t size[WEFT_MAX_RANK];
  size_t n;
  weft_view v;
  WEFT_TRY(weft__read_ints(c, OFFSETS, offset, WEFT_MAX_RANK, &n));
  WEFT_TRY(weft__read_ints(c, SIZE, size, WEFT_MAX_RANK, &n));
  weft__view_init(&v, &c->in[X]->layout.origin);
  for (size_t i = 0; i < v.rank; i++) {
    WEFT_TRY(slice_one(c->d, NULL, i, c->in[X]->layout.origin.dim[i], offset[i], size[i], &v.dim[i]));
    weft__view_shift(&v, i, offset[i]);
  }
  return weft__view_move(c, X, 0, &v);
}

WEFT_OP(slice) = {
    WEFT_OP_HEAD,
    .name = "Slice",
    .summary = "x[offsets : offsets+size]",
    .in = PORTS({"x", "T"}, {"offsets", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"size", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .traits = WEFT_SYMBOLIC | WEFT_KEEP_FORMAT,
    .infer = slice_infer,
    .infer_value = slice_infer_value,
    .ref = slice_ref,
    .examples = WEFT_EXAMPLES("f32[2,3]{1,2,3,4,5,6}, i32[2]{0,1}, i32[2]{2,2} -> f32[2,2]{2,3,5,6}",
                              "f32[2,3]{1,2,3,4,5,6}, i64[2]{1,0}, i64[2]{-1,-1} -> f32[1,3]{4,5,6}",
                              "f32[3], i32[1]{3}, i32[1]{-1} -> f32[0]",
                              "f32[-1,3], i32[2]{0,1}, i32[2]{2,-1} -> f32[2,2]",
                              "f32[N], i32[1]{0}, i32[1]{-1} -> f32[N]",
                              "f32[4], i32[1], i32[1]{2} -> f32[2]",
                              "f32[?], i32[2], i32[2]{2,1} -> f32[2,1]",
                              "f32[4], i32[-1], i32[-1] -> f32[-1]", "i64[3], i32[1]{1}, i32[1]{2} -> i64[2]",
                              "f32[3], i32[1]{2}, i32[1]{2} !! E_RANGE element 0 is 2, from 2 on",
                              "f32[3], i32[1]{4}, i32[1]{-1} !! E_RANGE element 0 is 4",
                              "f32[3], i32[1]{-1}, i32[1]{1} !! E_RANGE 'offsets'",
                              "f32[3], i32[2]{0,0}, i32[2]{1,1} !! E_SHAPE 2 elements, x has rank 1"),
};
// SPDX-License-Identifier: Apache-2.0
