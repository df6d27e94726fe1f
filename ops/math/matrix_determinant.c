// ops/math/matrix_determinant.c - y = the determinant of each matrix in the last two axes.   AscendIR
// MatrixDeterminant, ONNX Det-22. By elimination with row exchanges, in double; an empty matrix has
// determinant 1. A NaN anywhere can only give NaN or 0.
#include "arrays.h"
#include "numeric.h"

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

static double magnitude(const double z[2]) {
  return z[0] * z[0] + z[1] * z[1];
}

static void divide(double a[2], const double b[2]) {
  const double by = magnitude(b);
  const double conjugate[2] = {b[0] / by, -b[1] / by};
  weft__mul_complex(a, conjugate);
}

// Rows of pairs; the row with the largest element of column k comes to its place. true: two rows changed.
static bool bring_pivot(double *a, size_t n, size_t k) {
  size_t pivot = k;
  for (size_t i = k + 1; i < n; i++) {
    if (magnitude(a + 2 * (i * n + k)) > magnitude(a + 2 * (pivot * n + k)))
      pivot = i;
  }
  for (size_t j = 0; pivot != k && j < 2 * n; j++) {
    const double t = a[2 * k * n + j];
    a[2 * k * n + j] = a[2 * pivot * n + j];
    a[2 * pivot * n + j] = t;
  }
  return pivot != k;
}

static weft_status complex_determinant(const weft_call *c, double *a, size_t n, double det[2]) {
  size_t work = 0;
  det[0] = 1;
  det[1] = 0;
  for (size_t k = 0; k < n; k++) {
    const double sign[2] = {bring_pivot(a, n, k) ? -1 : 1, 0};
    const double *pivot = a + 2 * (k * n + k);
    weft__mul_complex(det, sign);
    weft__mul_complex(det, pivot);
    if (magnitude(pivot) == 0)
      return WEFT_OK;
    for (size_t i = k + 1; i < n; i++) {
      double f[2] = {a[2 * (i * n + k)], a[2 * (i * n + k) + 1]};
      WEFT_TRY(weft__poll_work(c, &work, 4 * n));
      divide(f, pivot);
      for (size_t j = k + 1; j < n; j++) {
        double z[2] = {f[0], f[1]};
        weft__mul_complex(z, a + 2 * (k * n + j));
        a[2 * (i * n + j)] -= z[0];
        a[2 * (i * n + j) + 1] -= z[1];
      }
    }
  }
  return WEFT_OK;
}

static weft_status matrix_determinant_complex(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  const size_t side = (size_t)s->dim[s->rank - 1];
  const size_t n = weft__prod(s, 0, s->rank - 2);
  void *space;
  if (!n)
    return WEFT_OK;  // however large none are
  WEFT_TRY(weft__scratch(c, 2 * side * side + 1, &space));
  double *a = space;
  for (size_t i = 0; i < n; i++) {
    double det[2];
    WEFT_TRY(weft__poll_at(c, i));
    for (size_t k = 0; k < side * side; k++)
      weft__load_complex(x->dtype, x->data, i * side * side + k, a + 2 * k);
    WEFT_TRY(complex_determinant(c, a, side, det));
    weft__store_complex(c->out[0]->dtype, c->out[0]->data, i, det);
  }
  return WEFT_OK;
}

static weft_status matrix_determinant_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  weft_tensor *y = c->out[0];
  double *v;
  if (!y)
    return WEFT_OK;
  if (weft_dtype_is_complex(x->dtype))
    return matrix_determinant_complex(c);
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
    .types = TYPES({"T", WEFT_FLOATS | WEFT_DT(COMPLEX64) | WEFT_DT(COMPLEX128)}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = matrix_determinant_infer,
    .ref = matrix_determinant_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,2]{1,2,3,4} -> f32[]{-2} ~1e-6", "f32[3,3]{0,2,1,1,0,0,4,5,3} -> f32[]{-1} ~1e-6",
        "f64[3,2,2]{1,2,3,4,1,2,2,1,1,3,3,1} -> f64[3]{-2,-3,-8} ~1e-12", "f32[2,2]{1,2,2,4} -> f32[]{0}",
        "f32[1,1]{nan} -> f32[]{nan}",
        "c64[2,2]{(0,1),(2,0),(0,0),(1,1)} -> c64[]{(-1,1)}", "c128[1,0,0] -> c128[1]{(1,0)}",
        "c64[2,2]{(0,0),(0,1),(2,0),(5,5)} -> c64[]{(-0.0,-2)}",
        "f32[2,0,0]{} -> f32[2]{1,1}", "f16[0,2,2]{} -> f16[0]{}",
        "f32[-1,3,3] -> f32[-1]", "f32[?] -> f32[?]", "f32[2,3] !! E_SHAPE rows and columns: 2 and 3 differ",
        "f32[2] !! E_SHAPE expected rank 2 or more", "i32[2,2] !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
