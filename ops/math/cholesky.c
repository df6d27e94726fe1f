// ops/math/cholesky.c - y = the lower triangle with y y^T = x, of each matrix in the last two axes.
// AscendIR Cholesky. Only the lower triangle of x is read. Row by row in double, rounded once. A matrix that
// is not positive definite gives NaN in all its elements.
#include "arrays.h"

static weft_status cholesky_infer(weft_infer *it) {
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

// The lower triangle of a becomes the factor. False in *out_has: there is none.
static weft_status cholesky_factor(const weft_call *c, double *a, size_t n, bool *out_has) {
  size_t work = 0;
  *out_has = false;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      WEFT_TRY(weft__poll_work(c, &work, j + 1));
      for (size_t k = 0; k < j; k++)
        sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0))
        return WEFT_OK;
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
  }
  *out_has = true;
  return WEFT_OK;
}

static weft_status cholesky_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  weft_tensor *out = c->out[0];
  double *v;
  if (!out)
    return WEFT_OK;
  WEFT_TRY(weft__load_f64s(c, x, &v));
  size_t side = (size_t)s->dim[s->rank - 1];
  size_t n = weft__prod(s, 0, s->rank - 2);
  size_t all = side * side;
  if (!all || !n)
    return WEFT_OK;  // however many empty ones there are, however large none are
  for (size_t m = 0; m < n; m++) {
    bool has;
    double *a = v + m * all;
    WEFT_TRY(weft__poll_at(c, m));
    WEFT_TRY(cholesky_factor(c, a, side, &has));
    for (size_t i = 0; i < all; i++) {
      double lower = i % side <= i / side ? a[i] : 0;
      weft_store_f64(out->dtype, out->data, m * all + i, has ? lower : NAN);
    }
  }
  return WEFT_OK;
}

WEFT_OP(cholesky) = {
    WEFT_OP_HEAD,
    .name = "Cholesky",
    .summary = "the Cholesky factor of each matrix",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = cholesky_infer,
    .ref = cholesky_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{4,9,2,5} -> f32[2,2]{2,0,1,2}",
                              "f64[2,1,1]{4,0.25} -> f64[2,1,1]{2,0.5}",
                              "f32[2,2]{1,2,2,1} -> f32[2,2]{nan,nan,nan,nan}",
                              "f32[1,1]{nan} -> f32[1,1]{nan}", "f32[2,0,0]{} -> f32[2,0,0]{}",
                              "f32[-1,3,-1] -> f32[-1,3,3]", "f32[?] -> f32[?]",
                              "f32[2,3] !! E_SHAPE rows and columns: 2 and 3 differ",
                              "f32[2] !! E_SHAPE expected rank 2 or more", "i32[2,2] !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
