// ops/math/matrix_determinant.c - y = the determinant of each matrix in the last two axes.   AscendIR
// MatrixDeterminant, ONNX Det-22. By elimination with row exchanges, in double; an empty matrix has
// determinant 1. A NaN anywhere can only give NaN or 0.
#include "arrays.h"

static weft_status matrix_determinant_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_dim side;
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  if (x->rank < 2)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': expected rank 2 or more, got %zu", x->rank);
  WEFT_TRY(weft__merge_dim(it, x->dim[x->rank - 2], x->dim[x->rank - 1], "rows and columns", &side));
  weft_shape_copy(it->out[0], x);
  it->out[0]->rank = x->rank - 2;
  return WEFT_OK;
}

static weft_status determinant(const weft_call *c, double *a, size_t n, double *out) {
  double det = 1;
  size_t work = 0;
  for (size_t k = 0; k < n; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; i++) {
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
        pivot = i;
    }
    if (pivot != k)
      det = -det;
    for (size_t j = k; pivot != k && j < n; j++) {
      double t = a[k * n + j];
      a[k * n + j] = a[pivot * n + j];
      a[pivot * n + j] = t;
    }
    if (a[k * n + k] == 0) {
      *out = det != det ? det : 0;
      return WEFT_OK;
    }
    det *= a[k * n + k];
    for (size_t i = k + 1; i < n; i++) {
      double f = a[i * n + k] / a[k * n + k];
      WEFT_TRY(weft__poll_work(c, &work, n));
      for (size_t j = k + 1; j < n; j++)
        a[i * n + j] -= f * a[k * n + j];
    }
  }
  *out = det;
  return WEFT_OK;
}

static weft_status matrix_determinant_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  weft_tensor *y = c->out[0];
  double *v;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(weft__load_f64s(c, x, &v));
  size_t side = (size_t)s->dim[s->rank - 1];
  size_t n = weft__prod(s, 0, s->rank - 2);
  for (size_t i = 0; i < n; i++) {
    double det;
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(determinant(c, v + i * side * side, side, &det));
    weft_store_f64(y->dtype, y->data, i, det);
  }
  return WEFT_OK;
}

WEFT_OP(matrix_determinant) = {
    WEFT_OP_HEAD,
    .name = "MatrixDeterminant",
    .summary = "the determinant of each matrix",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = matrix_determinant_infer,
    .ref = matrix_determinant_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,2]{1,2,3,4} -> f32[]{-2} ~1e-6", "f32[3,3]{0,2,1,1,0,0,4,5,3} -> f32[]{-1} ~1e-6",
        "f64[3,2,2]{1,2,3,4,1,2,2,1,1,3,3,1} -> f64[3]{-2,-3,-8} ~1e-12", "f32[2,2]{1,2,2,4} -> f32[]{0}",
        "f32[1,1]{nan} -> f32[]{nan}", "f32[2,0,0]{} -> f32[2]{1,1}", "f16[0,2,2]{} -> f16[0]{}",
        "f32[-1,3,3] -> f32[-1]", "f32[?] -> f32[?]", "f32[2,3] !! E_SHAPE rows and columns: 2 and 3 differ",
        "f32[2] !! E_SHAPE expected rank 2 or more", "i32[2,2] !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
