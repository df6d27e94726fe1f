// aten_factors.c - singular values and what follows from them: pseudo-inverses, ranks, conditions, polar
// factors, roots. A matrix is the last two axes.
#include <float.h>
#include <math.h>

#include "frontend/torch/tables.h"

static weft_value *factor_turned(front_op *b, weft_value *v) {
  int rank = front_rank_of(b, v);
  return b->failed ? NULL : front_swapped(b, v, rank - 2, rank - 1);
}
static weft_value *factor_matrix(pt_op *o) {
  return pt_tensor(o, pt_has(o, "A") ? "A" : pt_has(o, "input") ? "input" : "self");
}

// Singular values, and behind them U and V.
static weft_value *factor_svd_of(front_op *b, weft_value *v, bool full) {
  front_set_bool(b, "compute_uv", true);
  front_set_bool(b, "full_matrices", full);
  return front_do(b, "Svd", v, NULL, NULL);
}
static weft_value *factor_values(front_op *b, weft_value *v) {
  front_set_bool(b, "compute_uv", false);
  return front_do(b, "Svd", v, NULL, NULL);
}
static void factor_svdvals(pt_op *o) {
  pt_result(o, 0, factor_values(&o->b, factor_matrix(o)));
}
static void factor_svd(pt_op *o) {
  weft_value *v = factor_svd_of(&o->b, factor_matrix(o), pt_bool(o, "full_matrices", true));
  pt_result(o, 0, v ? v + 1 : NULL);
  pt_result(o, 1, v);
  pt_result(o, 2, v ? factor_turned(&o->b, v + 2) : NULL);
}
// The older operator gives V as it is.
static void factor_svd_old(pt_op *o) {
  weft_value *v = factor_svd_of(&o->b, factor_matrix(o), !pt_bool(o, "some", true));
  if (!pt_bool(o, "compute_uv", true))
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "svd without its vectors is not read");
  pt_result(o, 0, v ? v + 1 : NULL);
  pt_result(o, 1, v);
  pt_result(o, 2, v ? v + 2 : NULL);
}

// ---- spectra: of a symmetric matrix its eigenvalues, of which the lower half is read ----
typedef struct factor_spectrum {
  weft_value *size;          // [.., n], not negative
  weft_value *left, *right;  // left diag(value) right^T is the matrix
  weft_value *value;
} factor_spectrum;

static factor_spectrum factor_spectrum_of(front_op *b, weft_value *v, bool symmetric) {
  weft_value *all;
  if (symmetric) {
    front_set_bool(b, "compute_v", true);
    all = front_do(b, "SelfAdjointEig", v, NULL, NULL);
  } else {
    all = factor_svd_of(b, v, false);
  }
  if (b->failed)
    return (factor_spectrum){NULL};
  weft_value *size = symmetric ? front_do(b, "Abs", all, NULL, NULL) : all;
  return (factor_spectrum){
      .size = size, .left = all + 1, .right = symmetric ? all + 1 : all + 2, .value = all};
}

// left diag(value) right^T
static weft_value *factor_product(front_op *b, weft_value *left, weft_value *value, weft_value *right) {
  int rank = front_rank_of(b, value);
  weft_value *scaled =
      b->failed ? NULL : front_do(b, "Mul", left, front_unsqueezed(b, value, rank - 1), NULL);
  return b->failed ? NULL : front_matmul(b, scaled, right, true);
}

// A number, or one for each matrix, as it is compared with the values of each: [.., 1].
static weft_value *factor_bound(pt_op *o, const char *name, weft_dtype t) {
  front_op *b = &o->b;
  weft_value *v = pt_find(o, name) ? pt_operand(o, name, t) : NULL;
  return v ? front_unsqueezed(b, v, front_rank_of(b, v)) : NULL;
}

// The precision of a number times the longer side, where atol does not say anything.
static weft_value *factor_rtol(front_op *b, weft_value *matrix, weft_dtype t, weft_value *atol) {
  const int rank = front_rank_of(b, matrix);
  weft_value *side = front_do(b, "Maximum", front_dim_index(b, matrix, rank - 2),
                              front_dim_index(b, matrix, rank - 1), NULL);
  if (b->failed)
    return NULL;
  const double eps = t == WEFT_DOUBLE ? DBL_EPSILON : FLT_EPSILON;
  weft_value *rtol = front_do(b, "Mul", front_as(b, side, t), front_num(b, t, eps), NULL);
  if (!atol)
    return rtol;
  weft_value *zero = front_num(b, t, 0);
  return front_where(b, front_do(b, "Greater", atol, zero, NULL), zero, rtol);
}

// Above which singular values count: the larger of atol and rtol times the largest value.
static weft_value *factor_least(pt_op *o, weft_value *matrix, weft_value *size) {
  front_op *b = &o->b;
  if (b->failed)
    return NULL;
  const weft_dtype t = size->fact.dtype;
  if (pt_find(o, "tol"))  // alone
    return factor_bound(o, "tol", t);
  weft_value *atol = factor_bound(o, "atol", t);
  weft_value *rtol = factor_bound(o, pt_has(o, "rcond") ? "rcond" : "rtol", t);
  if (!rtol && !strncmp(b->type, "pinverse", 8))
    rtol = front_num(b, t, 1e-15);
  if (!rtol)
    rtol = factor_rtol(b, matrix, t, atol);
  weft_value *most = front_reduced(b, "ReduceMax", size, &(int64_t){front_rank(size) - 1}, 1, true);
  weft_value *part = front_do(b, "Mul", rtol, most, NULL);
  return atol ? front_do(b, "Maximum", atol, part, NULL) : part;
}

static void factor_pseudo_inverse(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = factor_matrix(o);
  factor_spectrum s = factor_spectrum_of(b, v, pt_bool(o, "hermitian", false));
  weft_value *counts = front_do(b, "Greater", s.size, factor_least(o, v, s.size), NULL);
  if (b->failed)
    return;
  weft_dtype t = v->fact.dtype;
  weft_value *safe = front_where(b, counts, s.value, front_num(b, t, 1));
  weft_value *inverse = front_do(b, "Reciprocal", safe, NULL, NULL);
  inverse = front_where(b, counts, inverse, front_num(b, t, 0));
  pt_result(o, 0, factor_product(b, s.right, inverse, s.left));
}
static void factor_rank(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = factor_matrix(o);
  factor_spectrum s = factor_spectrum_of(b, v, pt_bool(o, "hermitian", false));
  weft_value *counts = front_do(b, "Greater", s.size, factor_least(o, v, s.size), NULL);
  int64_t last = front_rank_of(b, counts) - 1;
  pt_result(o, 0, front_reduced(b, "ReduceSum", front_as(b, counts, WEFT_INT64), &last, 1, false));
}

// The largest singular value by the smallest (order 2, or none), or the other way round (-2).
static void factor_condition(pt_op *o) {
  front_op *b = &o->b;
  const char *key = "";
  const weft_json *order = pt_find(o, "p");
  (void)pt_only(order, &key);
  double p = !order ? 2 : strcmp(key, "as_string") ? pt_float(o, "p", 2) : 0;
  if (fabs(p) != 2) {
    front_fail(b, WEFT_E_UNSUPPORTED, "a condition number of another order than 2 and -2 is not read");
    return;
  }
  weft_value *size = factor_values(b, factor_matrix(o));
  int64_t last = front_rank_of(b, size) - 1;
  weft_value *most = front_reduced(b, "ReduceMax", size, &last, 1, false);
  weft_value *least = front_reduced(b, "ReduceMin", size, &last, 1, false);
  pt_result(o, 0,
            p > 0 ? front_do(b, "RealDiv", most, least, NULL) : front_do(b, "RealDiv", least, most, NULL));
}

// U V^T, and V diag(size) V^T.
static void factor_polar(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = factor_svd_of(b, factor_matrix(o), false);
  if (b->failed)
    return;
  pt_result(o, 0, front_matmul(b, v + 1, v + 2, true));
  pt_result(o, 1, factor_product(b, v + 2, v, v + 2));
}

static void factor_root(pt_op *o) {
  front_op *b = &o->b;
  factor_spectrum s = factor_spectrum_of(b, factor_matrix(o), true);
  pt_result(o, 0, factor_product(b, s.left, front_do(b, "Sqrt", s.value, NULL, NULL), s.right));
}

static const pt_row factor_rows[] = {
    {"linalg_svdvals", NULL, 0, factor_svdvals, 0},
    {"linalg_svd", NULL, 0, factor_svd, 0},
    {"_linalg_svd", NULL, 0, factor_svd, 0},
    {"svd", NULL, 0, factor_svd_old, 0},
    {"linalg_pinv", NULL, 0, factor_pseudo_inverse, 0},
    {"pinverse", NULL, 0, factor_pseudo_inverse, 0},
    {"linalg_matrix_rank", NULL, 0, factor_rank, 0},
    {"linalg_cond", NULL, 0, factor_condition, 0},
    {"linalg_polar", NULL, 0, factor_polar, 0},
    {"linalg_matrix_sqrth", NULL, 0, factor_root, 0},
};
const pt_rows pt_factors = PT_ROWS(factor_rows);
// SPDX-License-Identifier: Apache-2.0
