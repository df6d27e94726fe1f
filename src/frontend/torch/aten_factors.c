// aten_factors.c - singular values and what follows from them: pseudo-inverses, ranks, conditions, polar
// factors, roots; exponentials. A matrix is the last two axes.
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

// ---- exponentials ----
// The sum of a^k / k! up to k = terms, from the last one on.
static weft_value *factor_series(front_op *b, weft_value *a, weft_value *one, int terms) {
  weft_value *y = one;
  for (int k = terms; k > 0 && !b->failed; k--) {
    weft_value *part = front_do(b, "Mul", a, front_num(b, a->fact.dtype, 1.0 / k), NULL);
    y = front_do(b, "Add", one, k == terms ? part : front_matmul(b, part, y, false), NULL);
  }
  return y;
}

enum { FACTOR_HALVES = 30 };

// How often each matrix is halved so that no row of it has a sum beyond a half: numbers [.., 1, 1].
static weft_value *factor_halves(front_op *b, weft_value *a) {
  const int rank = front_rank_of(b, a);
  if (b->failed)
    return NULL;
  const weft_dtype t = a->fact.dtype;
  weft_value *sums = front_do(b, "Abs", a, NULL, NULL);
  sums = front_reduced(b, "ReduceSum", sums, &(int64_t){rank - 1}, 1, true);
  weft_value *most = front_reduced(b, "ReduceMax", sums, &(int64_t){rank - 2}, 1, true);
  most = front_do(b, "Maximum", most, front_num(b, t, 0.5), NULL);
  front_set_float(b, "base", 2);
  weft_value *n = front_do(b, "Ceil", front_do(b, "Log", most, NULL, NULL), NULL, NULL);
  n = front_do(b, "Add", n, front_num(b, t, 1), NULL);
  return front_do(b, "Minimum", n, front_num(b, t, FACTOR_HALVES), NULL);
}

// e^a = (e^(a / 2^n))^(2^n).
static void factor_exponential(pt_op *o) {
  front_op *b = &o->b;
  const weft_dtype out = pt_out_type(o, 0);
  const weft_dtype t = WEFT_DOUBLE;  // squares lose digits
  weft_value *a = front_as(b, factor_matrix(o), t);
  const int rank = front_rank_of(b, a);
  if (!b->failed && rank < 2)
    front_fail(b, WEFT_E_SHAPE, "a matrix of rank %d", rank);
  weft_value *n = factor_halves(b, a);
  weft_value *by = b->failed ? NULL : front_do(b, "Pow", front_num(b, t, 0.5), n, NULL);
  weft_value *at = front_counting(b, front_dim_index(b, a, rank - 1));
  weft_value *one = front_do(b, "Equal", front_unsqueezed(b, at, 1), at, NULL);
  one = b->failed ? NULL : front_as(b, one, t);
  weft_value *y = factor_series(b, front_do(b, "Mul", a, by, NULL), one, 16);
  for (int i = 0; i < FACTOR_HALVES && !b->failed; i++) {
    weft_value *more = front_do(b, "Greater", n, front_num(b, t, i), NULL);
    y = front_where(b, more, front_matmul(b, y, y, false), y);
  }
  pt_result(o, 0, front_as(b, y, out));
}

static const pt_row factor_rows[] = {
    {"matrix_exp", NULL, 0, factor_exponential, 0},
    {"linalg_matrix_exp", NULL, 0, factor_exponential, 0},
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
