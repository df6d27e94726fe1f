// map_linear.c - factors and determinants of matrices, their diagonals, and places among sorted numbers.
#include "frontend/mindspore/tables.h"

static weft_value *linear_turned(front_op *b, weft_value *v, bool turn) {
  int rank = front_rank_of(b, v);
  if (!b->failed && turn && rank < 2)
    front_fail(b, WEFT_E_SHAPE, "expected rank 2 or more, got %d", rank);
  return b->failed || !turn ? v : front_swapped(b, v, rank - 2, rank - 1);
}

// L of L L^T, or its transpose.
static void linear_cholesky(ms_op *o) {
  bool upper = ms_bool(o, "upper", false);
  weft_value *l = front_do(&o->b, "Cholesky", ms_tensor(o, "x"), NULL, NULL);
  ms_give(o, linear_turned(&o->b, l, upper));
}

static void linear_qr(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  front_set_bool(&o->b, "full_matrices", ms_bool(o, "full_matrices", false));
  ms_give_outputs(o, front_do(&o->b, "Qr", x, NULL, NULL), 2);
}
static void linear_svd(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  front_set_bool(&o->b, "full_matrices", ms_bool(o, "full_matrices", false));
  front_set_bool(&o->b, "compute_uv", ms_bool(o, "compute_uv", true));
  ms_give_outputs(o, front_do(&o->b, "Svd", x, NULL, NULL), 3);
}
static void linear_log_determinant(ms_op *o) {
  ms_give_outputs(o, front_do(&o->b, "LogMatrixDeterminant", ms_tensor(o, "x"), NULL, NULL), 2);
}

// ---- diagonals ----
static void linear_diagonals(ms_op *o, const char *const *names, size_t n) {
  weft_value *in[5];
  for (size_t i = 0; i < n; i++)
    in[i] = names[i][0] == 'k' ? ms_operand(o, names[i], WEFT_INT32) : ms_tensor(o, names[i]);
  front_set_text(&o->b, "align", ms_string(o, "align", "RIGHT_LEFT"));
  ms_give(o, o->b.failed ? NULL : front_emit(&o->b, o->b.type, in, n, NULL));
}
static void linear_diag(ms_op *o) {
  linear_diagonals(o, (const char *const[]){"x", "k", "k_rows", "k_columns", "padding"}, 5);
}
static void linear_set_diag(ms_op *o) {
  linear_diagonals(o, (const char *const[]){"x", "diagonal", "k"}, 3);
}
static void linear_diag_part(ms_op *o) {
  linear_diagonals(o, (const char *const[]){"x", "k", "padding"}, 3);
}

// Of two axes, which go behind the others first.
static void linear_diagonal(ms_op *o) {
  front_op *b = &o->b;
  int64_t order[WEFT_MAX_RANK];
  weft_value *x = ms_tensor(o, "x");
  int rank = front_rank_of(b, x);
  int64_t first = front_axis(b, ms_int(o, "dim1", 0), rank);
  int64_t second = front_axis(b, ms_int(o, "dim2", 1), rank);
  int64_t offset = ms_int(o, "offset", 0);
  size_t n = 0;
  if (!b->failed && (first == second || offset < -INT32_MAX || offset > INT32_MAX))
    front_fail(
        b, WEFT_E_RANGE,
        "offset %lld, axes %lld and %lld: a diagonal needs two different axes and an offset below 2^31",
        (long long)offset, (long long)first, (long long)second);
  for (int i = 0; i < rank && !b->failed; i++) {
    if (i != first && i != second)
      order[n++] = i;
  }
  if (b->failed)
    return;
  order[n++] = first;
  order[n++] = second;
  x = front_permuted(b, x, order, n);
  weft_value *zero = b->failed ? NULL : front_num(b, x->fact.dtype, 0);
  ms_give(o, front_do(b, "MatrixDiagPartV3", x, front_int(b, WEFT_INT32, offset), zero));
}

// ---- places ----
static void linear_search(ms_op *o) {
  front_op *b = &o->b;
  weft_value *in[3] = {ms_tensor(o, "sorted"), ms_tensor(o, "x"), ms_optional(o, "sorter")};
  front_set(b, "dtype", weft_attr_dtype(ms_out_type(o, 0) == WEFT_INT32 ? WEFT_INT32 : WEFT_INT64));
  front_set_bool(b, "right", ms_bool(o, "right", false));
  ms_give(o, front_do(b, "SearchSorted", in[0], in[1], in[2]));
}
static void linear_in_top_k(ms_op *o) {
  weft_value *k = front_int(&o->b, WEFT_INT32, ms_int(o, "k", 1));
  weft_value *x = ms_tensor(o, "x");
  ms_give(o, front_do(&o->b, "InTopKV2", x, ms_tensor(o, "target"), k));
}
static void linear_running(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  weft_value *axis = front_index(&o->b, ms_int(o, "axis", 0));
  front_set_bool(&o->b, "exclusive", ms_bool(o, "exclusive", false));
  front_set_bool(&o->b, "reverse", ms_bool(o, "reverse", false));
  ms_give(o, front_do(&o->b, "CumulativeLogsumexp", x, axis, NULL));
}
static void linear_norm(ms_op *o) {
  int64_t axes[MS_MAX_NUMBERS];
  weft_value *x = ms_tensor(o, "x");
  size_t n = ms_axes(o, "axis", front_rank_of(&o->b, x), axes);
  front_set_ints(&o->b, "axes", axes, n);
  front_set_int(&o->b, "p", ms_int(o, "p", 2));
  front_set_bool(&o->b, "keepdim", ms_bool(o, "keep_dims", false));
  front_set_float(&o->b, "epsilon", ms_float(o, "epsilon", 1e-12));
  ms_give(o, front_do(&o->b, "LpNorm", x, NULL, NULL));
}
static void linear_ctc(ms_op *o) {
  weft_value *in[4] = {ms_tensor(o, "x"), ms_tensor(o, "targets"), ms_tensor(o, "n"), ms_tensor(o, "m")};
  front_set_int(&o->b, "blank", ms_int(o, "blank", 0));
  front_set_text(&o->b, "reduction", ms_string(o, "reduction", "none"));
  front_set_bool(&o->b, "zero_infinity", ms_bool(o, "zero_infinity", false));
  ms_give_outputs(o, o->b.failed ? NULL : front_emit(&o->b, "CTCLossV2", in, 4, NULL), 2);
}

static void linear_power(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  ms_give(o, front_matrix_power(&o->b, x, ms_int(o, "n", 1)));
}

// One of the two systems of a triangular factor.
static weft_value *linear_half(front_op *b, weft_value *factor, weft_value *right, bool lower, bool adjoint) {
  front_set_bool(b, "lower", lower);
  front_set_bool(b, "adjoint", adjoint);
  return front_do(b, "MatrixTriangularSolve", factor, right, NULL);
}
// x of L L^T x = right, or of U^T U x = right.
static weft_value *linear_by_factor(front_op *b, weft_value *factor, weft_value *right, bool upper) {
  weft_value *y = linear_half(b, factor, right, !upper, upper);
  return linear_half(b, factor, y, !upper, !upper);
}
static void linear_cholesky_solve(ms_op *o) {
  weft_value *right = ms_tensor(o, "x");
  weft_value *factor = ms_tensor(o, "factor");
  ms_give(o, linear_by_factor(&o->b, factor, right, ms_bool(o, "upper", false)));
}
static void linear_cholesky_inverse(ms_op *o) {
  front_op *b = &o->b;
  weft_value *factor = ms_tensor(o, "x");
  weft_value *one = front_do(b, "OnesLike", factor, NULL, NULL);
  front_set_int(b, "diagonal", 0);
  one = front_do(b, "Tril", one, NULL, NULL);
  front_set_int(b, "diagonal", 0);
  one = front_do(b, "Triu", one, NULL, NULL);
  ms_give(o, linear_by_factor(b, factor, one, ms_bool(o, "upper", false)));
}

static void linear_tridiagonal(ms_op *o) {
  weft_value *diagonals[3] = {ms_tensor(o, "below"), ms_tensor(o, "main"), ms_tensor(o, "above")};
  weft_value *x = ms_tensor(o, "x");
  ms_give(o, front_tridiagonal(&o->b, diagonals, x));
}

static const ms_row linear_rows[] = {
    {"CTCLossV2", "x targets n m", NULL, 0, linear_ctc},
    {"Cholesky", "x upper", NULL, 0, linear_cholesky},
    {"CholeskyInverse", "x upper", NULL, 0, linear_cholesky_inverse},
    {"CholeskySolve", "x factor", NULL, 0, linear_cholesky_solve},
    {"CumulativeLogsumexp", "x axis", NULL, 0, linear_running},
    {"Diagonal", "x offset dim1 dim2", NULL, 0, linear_diagonal},
    {"InTopK", "x target", NULL, 0, linear_in_top_k},
    {"LogMatrixDeterminant", "x", NULL, 0, linear_log_determinant},
    {"LpNorm", "x", NULL, 0, linear_norm},
    {"MatrixDiagPartV3", "x k padding", NULL, 0, linear_diag_part},
    {"MatrixDiagV3", "x k k_rows k_columns padding", NULL, 0, linear_diag},
    {"MatrixPower", "x n", NULL, 0, linear_power},
    {"MatrixSetDiagV3", "x diagonal k", NULL, 0, linear_set_diag},
    {"Qr", "x full_matrices", NULL, 0, linear_qr},
    {"SearchSorted", "sorted x sorter dtype right", NULL, 0, linear_search},
    {"TridiagonalMatMul", "above main below x", NULL, 0, linear_tridiagonal},
    {"Svd", "x full_matrices compute_uv", NULL, 0, linear_svd},
};
const ms_rows ms_linear = MS_ROWS(linear_rows);
// SPDX-License-Identifier: Apache-2.0
