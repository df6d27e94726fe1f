// ops/math/matrix_inverse.c - y = the inverse of each matrix in the last two axes, or with adjoint that of
// its transpose.   AscendIR MatrixInverse; ONNX Runtime's com.microsoft Inverse. By Gauss-Jordan elimination
// with row exchanges, in double, rounded once. A matrix that has no inverse gives NaN in all its elements.
// A complex one A + iB is inverted as the real [[A, -B], [B, A]], whose inverse has the same form.
#include "arrays.h"

enum { ADJOINT };

static weft_status matrix_inverse_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_dim side;
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  if (x->rank < 2)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': expected rank 2 or more, got %zu", x->rank);
  WEFT_TRY(weft__merge_dim(it, x->dim[x->rank - 2], x->dim[x->rank - 1], "rows and columns", &side));
  weft_shape_copy(it->out[0], x);
  it->out[0]->dim[x->rank - 2] = it->out[0]->dim[x->rank - 1] = side;
  return WEFT_OK;
}

static void exchange(double *a, double *b, size_t n) {
  for (size_t j = 0; j < n; j++) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

static void subtract(double *row, const double *from, double times, size_t n) {
  for (size_t j = 0; j < n; j++)
    row[j] -= times * from[j];
}

// a becomes the identity, and what is done to its rows makes the inverse of y, which begins as the identity.
// False in *out_has: there is none.
static weft_status inverse(const weft_call *c, double *a, double *y, size_t n, bool *out_has) {
  size_t work = 0;
  *out_has = false;
  for (size_t i = 0; i < n * n; i++)
    y[i] = i / n == i % n;
  for (size_t k = 0; k < n; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; i++) {
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
        pivot = i;
    }
    double by = a[pivot * n + k];
    if (by == 0 || isnan(by))
      return WEFT_OK;

    exchange(a + k * n, a + pivot * n, pivot == k ? 0 : n);
    exchange(y + k * n, y + pivot * n, pivot == k ? 0 : n);
    for (size_t j = 0; j < n; j++) {
      a[k * n + j] /= by;
      y[k * n + j] /= by;
    }
    for (size_t i = 0; i < n; i++) {
      double times = i == k ? 0 : a[i * n + k];
      WEFT_TRY(weft__poll_work(c, &work, 2 * n));
      if (times == 0)
        continue;
      subtract(a + i * n, a + k * n, times, n);
      subtract(y + i * n, y + k * n, times, n);
    }
  }
  *out_has = true;
  return WEFT_OK;
}

// Matrix m of complex numbers as a real one of twice the side.
static void matrix_inverse_load(const weft_tensor *x, size_t m, size_t n, double *a) {
  for (size_t i = 0; i < n * n; i++) {
    double z[2];
    double *at = a + i / n * 2 * n + i % n;
    weft__load_complex(x->dtype, x->data, m * n * n + i, z);
    at[0] = at[2 * n * n + n] = z[0];
    at[2 * n * n] = z[1];
    at[n] = -z[1];
  }
}

static void matrix_inverse_store(weft_tensor *out, size_t m, size_t n, const double *y, bool has,
                                 bool adjoint) {
  for (size_t i = 0; i < n * n; i++) {
    const size_t row = adjoint ? i % n : i / n;
    const size_t column = adjoint ? i / n : i % n;
    const double im = y[(n + row) * 2 * n + column];
    const double z[2] = {y[row * 2 * n + column], adjoint ? -im : im};
    const double none[2] = {(double)NAN, (double)NAN};
    weft__store_complex(out->dtype, out->data, m * n * n + i, has ? z : none);
  }
}

static weft_status matrix_inverse_complex(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  const bool adjoint = weft_node_bool(c->desc, ADJOINT);
  const size_t side = (size_t)s->dim[s->rank - 1];
  const size_t n = weft__prod(s, 0, s->rank - 2);
  size_t all;
  void *space;
  if (!side || !n)
    return WEFT_OK;
  if (!weft_mul_size(4 * side, side, &all) || all > SIZE_MAX / 2)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "matrices of %zu rows", side);
  WEFT_TRY(weft__scratch(c, 2 * all, &space));
  double *a = space;
  for (size_t m = 0; m < n; m++) {
    bool has;
    WEFT_TRY(weft__poll_at(c, m));
    matrix_inverse_load(x, m, side, a);
    WEFT_TRY(inverse(c, a, a + all, 2 * side, &has));
    matrix_inverse_store(c->out[0], m, side, a + all, has, adjoint);
  }
  return WEFT_OK;
}

static weft_status matrix_inverse_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  weft_tensor *out = c->out[0];
  double *v;
  void *space;
  if (!out)
    return WEFT_OK;
  if (weft_dtype_is_complex(x->dtype))
    return matrix_inverse_complex(c);
  WEFT_TRY(weft__load_f64s(c, x, &v));
  bool adjoint = weft_node_bool(c->desc, ADJOINT);
  size_t side = (size_t)s->dim[s->rank - 1];
  size_t n = weft__prod(s, 0, s->rank - 2);
  size_t all = side * side;
  if (!all || !n)
    return WEFT_OK;  // however many empty ones there are, however large none are
  WEFT_TRY(weft__scratch(c, all, &space));
  double *y = space;
  for (size_t m = 0; m < n; m++) {
    bool has;
    WEFT_TRY(weft__poll_at(c, m));
    WEFT_TRY(inverse(c, v + m * all, y, side, &has));
    for (size_t i = 0; i < all; i++) {
      size_t from = adjoint ? i % side * side + i / side : i;
      weft_store_f64(out->dtype, out->data, m * all + i, has ? y[from] : NAN);
    }
  }
  return WEFT_OK;
}

WEFT_OP(matrix_inverse) = {
    WEFT_OP_HEAD,
    .name = "MatrixInverse",
    .summary = "the inverse of each matrix",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS | WEFT_DT(COMPLEX64) | WEFT_DT(COMPLEX128)}),
    .attrs = ATTRS({"adjoint", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = matrix_inverse_infer,
    .ref = matrix_inverse_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{1,2,3,4} -> f32[2,2]{-2,1,1.5,-0.5} ~1e-6",
                              "f32[2,2]{0,2,4,0} -> f32[2,2]{0,0.25,0.5,0}",
                              "f32[2,2]{1,2,3,4} adjoint=true -> f32[2,2]{-2,1.5,1,-0.5} ~1e-6",
                              "f64[2,1,1]{4,-0.5} -> f64[2,1,1]{0.25,-2}",
                              "f32[2,2]{1,2,2,4} -> f32[2,2]{nan,nan,nan,nan}",
                              "f32[1,1]{nan} -> f32[1,1]{nan}", "f32[2,0,0]{} -> f32[2,0,0]{}",
                              "f16[0,2,2]{} -> f16[0,2,2]{}", "f32[-1,3,-1] -> f32[-1,3,3]",
                              "c64[1,1]{(0,2)} -> c64[1,1]{(0,-0.5)}",
                              "c128[2,2]{(1,0),(0,1),(0,0),(2,0)} adjoint=true -> "
                              "c128[2,2]{(1,0),(0,0),(0,0.5),(0.5,0)} ~1e-12",
                              "c64[2,2]{(1,1),(1,1),(1,1),(1,1)} -> "
                              "c64[2,2]{(nan,nan),(nan,nan),(nan,nan),(nan,nan)}",
                              "f32[?] -> f32[?]", "f32[2,3] !! E_SHAPE rows and columns: 2 and 3 differ",
                              "f32[2] !! E_SHAPE expected rank 2 or more", "i32[2,2] !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
