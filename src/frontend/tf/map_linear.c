// map_linear.c - matrices: diagonals, bands, triangles, solving.
#include "frontend/tf/tables.h"

// Row minus column for each place of a matrix, INT64.
static weft_value *linear_places(front_op *b, weft_value *rows, weft_value *columns) {
  weft_value *r = front_unsqueezed(b, front_counting(b, rows), 1);
  weft_value *c = front_unsqueezed(b, front_counting(b, columns), 0);
  return front_do(b, "Sub", r, c, NULL);
}

static weft_value *linear_places_of(front_op *b, weft_value *x) {
  int rank = front_rank_of(b, x);
  if (!b->failed && rank < 2)
    return front_none(b, WEFT_E_SHAPE, "expected rank 2 or more, got %d", rank);
  weft_value *rows = front_dim_index(b, x, rank - 2);
  return linear_places(b, rows, front_dim_index(b, x, rank - 1));
}

static weft_value *linear_diagonal(front_op *b, weft_value *places) {
  return front_do(b, "Equal", places, front_index(b, 0), NULL);
}

static weft_value *linear_zero(front_op *b, const weft_value *x) {
  if (b->failed)
    return NULL;
  return x->fact.dtype == WEFT_BOOL ? front_int(b, WEFT_BOOL, 0) : front_num(b, x->fact.dtype, 0);
}

// Whether input i is not given or says `value` alone, that of the main diagonal or of a size left open.
static bool linear_only(tf_op *o, size_t i, int64_t value) {
  int64_t v[TF_MAX_NUMBERS];
  size_t n = 0;
  if (i >= o->n_in || o->b.failed)
    return true;
  weft_value *in = tf_in(o, i);
  bool only = !o->b.failed && front_known_ints(in, v, TF_MAX_NUMBERS, &n);
  for (size_t k = 0; k < n && only; k++)
    only = v[k] == value;
  return only;
}

// Other diagonals, or several: the primitive's inputs are the operator's.
static void linear_diagonals(tf_op *o, const char *type) {
  weft_value *in[5] = {NULL};
  const size_t n = WEFT_MIN(o->n_in, 5);
  for (size_t i = 0; i < n; i++)
    in[i] = tf_in(o, i);
  const bool last = strstr(o->node->op, "V3") != NULL;
  front_set_text(&o->b, "align", last ? tf_string(o, "align", "RIGHT_LEFT") : "LEFT_LEFT");
  tf_give(o, 0, o->b.failed ? NULL : front_emit(&o->b, type, in, n, NULL));
}

// x along the main diagonals of square matrices.
static void linear_diag(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  if (!linear_only(o, 1, 0) || !linear_only(o, 2, -1) || !linear_only(o, 3, -1)) {
    linear_diagonals(o, "MatrixDiagV3");
    return;
  }
  int rank = front_rank_of(b, x);
  if (!b->failed && rank < 1)
    front_fail(b, WEFT_E_SHAPE, "expected rank 1 or more, got 0");
  weft_value *side = front_dim_index(b, x, rank - 1);
  weft_value *on = linear_diagonal(b, linear_places(b, side, side));
  weft_value *other = o->n_in > 4 ? tf_in(o, 4) : linear_zero(b, x);
  tf_give(o, 0, front_where(b, on, front_unsqueezed(b, x, rank - 1), other));
}

// The square that both sides have; NULL: nobody knows which is shorter.
static weft_value *linear_square(front_op *b, weft_value *x, int rank) {
  const weft_dim side = WEFT_MIN(front_dim(x, rank - 2), front_dim(x, rank - 1));
  if (b->failed || front_same_dim(x, rank - 2, x, rank - 1))
    return x;
  return side < 0 ? NULL : front_part(b, front_part(b, x, rank - 2, 0, side), rank - 1, 0, side);
}

static void linear_diag_part(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  if (!linear_only(o, 1, 0)) {
    linear_diagonals(o, "MatrixDiagPartV3");
    return;
  }
  int rank = front_rank_of(b, x);
  if (!b->failed && rank < 2)
    front_fail(b, WEFT_E_SHAPE, "expected rank 2 or more, got %d", rank);
  weft_value *square = linear_square(b, x, rank);
  if (!square) {
    tf_give(o, 0, front_do(b, "MatrixDiagPart", x, NULL, NULL));
    return;
  }
  const int64_t axis = rank - 2;
  weft_value *on = linear_diagonal(b, linear_places_of(b, square));
  weft_value *only = front_where(b, on, square, linear_zero(b, square));
  tf_give(o, 0, front_reduced(b, "ReduceSum", only, &axis, 1, false));
}

static void linear_set_diag(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  weft_value *diagonal = tf_in(o, 1);
  if (!linear_only(o, 2, 0)) {
    linear_diagonals(o, "MatrixSetDiagV3");
    return;
  }
  int rank = front_rank_of(b, x);
  const bool tall = front_same_dim(x, rank - 1, diagonal, rank - 2);  // as long as a row
  if (!tall && !front_same_dim(x, rank - 2, diagonal, rank - 2)) {
    tf_give(o, 0, front_do(b, "MatrixSetDiag", x, diagonal, NULL));
    return;
  }
  weft_value *on = linear_diagonal(b, linear_places_of(b, x));
  tf_give(o, 0, front_where(b, on, front_unsqueezed(b, diagonal, tall ? rank - 2 : rank - 1), x));
}

// Within `low` below and `high` above the diagonal; negative: all of that side.
static weft_value *linear_within(front_op *b, weft_value *places, weft_value *most) {
  weft_value *n = front_as(b, most, WEFT_INT64);
  weft_value *near = front_do(b, "LessEqual", places, n, NULL);
  return front_do(b, "LogicalOr", near, front_do(b, "Less", n, front_index(b, 0), NULL), NULL);
}

static void linear_band(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  weft_value *below = linear_places_of(b, x);
  weft_value *above = front_do(b, "Neg", below, NULL, NULL);
  weft_value *low = linear_within(b, below, tf_in(o, 1));
  weft_value *in = front_do(b, "LogicalAnd", low, linear_within(b, above, tf_in(o, 2)), NULL);
  tf_give(o, 0, front_where(b, in, x, linear_zero(b, x)));
}

static void linear_solve(tf_op *o) {
  front_set_bool(&o->b, "adjoint", tf_bool(o, "adjoint", false));
  tf_give(o, 0, front_do(&o->b, "MatrixSolve", tf_in(o, 0), tf_in(o, 1), NULL));
}

// One matrix for each right side: nothing is broadcast.
static bool linear_same_stacks(front_op *b, const weft_value *x, const weft_value *y) {
  int rank = b->failed ? -1 : front_rank(x);
  bool same = rank >= 2 && rank == front_rank(y);
  for (int i = 0; same && i < rank - 2; i++)
    same = front_same_dim(x, i, y, i);
  return same;
}
// Only one triangle of the matrix is read.
static void linear_triangular_solve(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  bool lower = tf_bool(o, "lower", true);
  bool adjoint = tf_bool(o, "adjoint", false);
  if (linear_same_stacks(b, x, tf_in(o, 1))) {
    front_set_bool(b, "adjoint", adjoint);
    front_set_bool(b, "lower", lower);
    tf_give(o, 0, front_do(b, "MatrixTriangularSolve", x, tf_in(o, 1), NULL));
    return;
  }
  weft_value *places = linear_places_of(b, x);
  weft_value *in = front_do(b, lower ? "GreaterEqual" : "LessEqual", places, front_index(b, 0), NULL);
  x = front_where(b, in, x, linear_zero(b, x));
  front_set_bool(b, "adjoint", adjoint);
  tf_give(o, 0, front_matmul(b, front_do(b, "MatrixInverse", x, NULL, NULL), tf_in(o, 1), false));
}

static void linear_tridiagonal(tf_op *o) {
  weft_value *diagonals[3] = {tf_in(o, 2), tf_in(o, 1), tf_in(o, 0)};
  tf_give(o, 0, front_tridiagonal(&o->b, diagonals, tf_in(o, 3)));
}

static const tf_row linear_rows[] = {
    {"BatchCholesky", "Cholesky", NULL, NULL},  // names of before stacks were taken
    {"BatchMatrixBandPart", NULL, NULL, linear_band},
    {"BatchMatrixDeterminant", "MatrixDeterminant", NULL, NULL},
    {"BatchMatrixDiag", NULL, NULL, linear_diag},
    {"BatchMatrixDiagPart", NULL, NULL, linear_diag_part},
    {"BatchMatrixInverse", "MatrixInverse", "adjoint=F", NULL},
    {"BatchMatrixSetDiag", NULL, NULL, linear_set_diag},
    {"BatchMatrixSolve", NULL, NULL, linear_solve},
    {"BatchMatrixTriangularSolve", NULL, NULL, linear_triangular_solve},
    {"Cholesky", "Cholesky", NULL, NULL},
    {"MatrixBandPart", NULL, NULL, linear_band},
    {"MatrixDeterminant", "MatrixDeterminant", NULL, NULL},
    {"MatrixDiag", NULL, NULL, linear_diag},
    {"MatrixDiagPart", NULL, NULL, linear_diag_part},
    {"MatrixDiagPartV2", NULL, NULL, linear_diag_part},
    {"MatrixDiagPartV3", NULL, NULL, linear_diag_part},
    {"MatrixDiagV2", NULL, NULL, linear_diag},
    {"MatrixDiagV3", NULL, NULL, linear_diag},
    {"MatrixInverse", "MatrixInverse", "adjoint=F", NULL},
    {"MatrixSetDiag", NULL, NULL, linear_set_diag},
    {"MatrixSetDiagV2", NULL, NULL, linear_set_diag},
    {"MatrixSetDiagV3", NULL, NULL, linear_set_diag},
    {"MatrixSolve", NULL, NULL, linear_solve},
    {"MatrixTriangularSolve", NULL, NULL, linear_triangular_solve},
    {"TridiagonalMatMul", NULL, NULL, linear_tridiagonal},
};
const tf_rows tf_linear = TF_ROWS(linear_rows);
// SPDX-License-Identifier: Apache-2.0
