// aten_solve.c - linear systems, factors of matrices, and products of many. A matrix is the last two axes.
#include "frontend/torch/tables.h"

static void solve_with(pt_op *o, const char *type) {
  pt_result(o, 0, front_do(&o->b, type, pt_tensor(o, pt_has(o, "A") ? "A" : "self"), NULL, NULL));
}
// What went wrong, of each matrix: nothing; a failure ends the run.
static void solve_info(pt_op *o, weft_value *x) {
  front_op *b = &o->b;
  int rank = front_rank_of(b, x);
  const size_t last = o->n_out - 1;
  if (b->failed || o->n_out < 2 || !pt_wants(o, last))
    return;
  weft_value *stack = front_part(b, front_shape(b, x), 0, 0, rank - 2);
  pt_result(o, last, front_filled(b, stack, front_num(b, WEFT_INT32, 0)));
}
static void solve_inverse(pt_op *o) {
  (void)pt_bool(o, "check_errors", false);
  solve_with(o, "MatrixInverse");
  solve_info(o, pt_tensor(o, pt_has(o, "A") ? "A" : "self"));
}
static void solve_determinant(pt_op *o) {
  solve_with(o, "MatrixDeterminant");
}

static weft_value *solve_turned(front_op *b, weft_value *v) {
  int rank = front_rank_of(b, v);
  return b->failed ? NULL : front_swapped(b, v, rank - 2, rank - 1);
}

// L of L L^T, or its transpose.
static void solve_cholesky(pt_op *o) {
  weft_value *l = front_do(&o->b, "Cholesky", pt_tensor(o, "self"), NULL, NULL);
  bool upper = pt_bool(o, "upper", false);
  (void)pt_bool(o, "check_errors", false);
  pt_result(o, 0, upper ? solve_turned(&o->b, l) : l);
  solve_info(o, l);
}

// Both with the axes in front that they broadcast to.
static void solve_stacks(front_op *b, weft_value **matrix, weft_value **right) {
  weft_value **v[2] = {matrix, right};
  weft_value *stack[2];
  weft_value *own[2];
  const int rank[2] = {front_rank_of(b, *matrix), front_rank_of(b, *right)};
  bool same = rank[0] == rank[1];
  for (int i = 0; same && i < rank[0] - 2; i++)
    same = front_same_dim(*matrix, i, *right, i);
  if (same || b->failed)
    return;
  for (int k = 0; k < 2; k++) {
    weft_value *shape = front_shape(b, *v[k]);
    stack[k] = front_part(b, shape, 0, 0, rank[k] - 2);
    own[k] = front_part(b, shape, 0, rank[k] - 2, rank[k]);
  }
  weft_value *wide = front_common_sizes(b, stack[0], stack[1]);
  for (int k = 0; k < 2; k++) {
    weft_value *sizes[2] = {wide, own[k]};
    *v[k] = front_expanded(b, *v[k], front_joined(b, sizes, 2, 0));
  }
}

typedef struct system_of {
  weft_value *matrix, *right;
  bool left, triangular, lower, unit, vector;
} system_of;

// x of A x = B, or x A = B, which is A^T x^T = B^T.
static weft_value *solve_system(front_op *b, system_of s) {
  if (s.vector)
    s.right = front_unsqueezed(b, s.right, front_rank_of(b, s.right));
  solve_stacks(b, &s.matrix, &s.right);
  if (!s.left) {
    s.matrix = solve_turned(b, s.matrix);
    s.right = solve_turned(b, s.right);
    s.lower = !s.lower;
  }
  if (s.unit && !b->failed) {  // the diagonal counts as ones
    int rank = front_rank_of(b, s.matrix);
    weft_value *n = front_counting(b, front_dim_index(b, s.matrix, rank - 1));
    weft_value *on = front_do(b, "Equal", front_unsqueezed(b, n, 1), n, NULL);
    s.matrix = b->failed ? NULL : front_where(b, on, front_num(b, s.matrix->fact.dtype, 1), s.matrix);
  }
  if (s.triangular)
    front_set_bool(b, "lower", s.lower);
  weft_value *x =
      front_do(b, s.triangular ? "MatrixTriangularSolve" : "MatrixSolve", s.matrix, s.right, NULL);
  if (!s.left)
    x = solve_turned(b, x);
  return s.vector && !b->failed ? front_squeezed(b, x, front_rank_of(b, x) - 1) : x;
}

// A vector on the right, or a stack of them: of one axis less than A, with A's axes. Of sizes that may be the
// same or not, the file knows: what vectors give has an axis less, too.
static bool solve_is_vector(pt_op *o, const weft_value *matrix, const weft_value *right) {
  int rank = front_rank_of(&o->b, matrix);
  int n = front_rank_of(&o->b, right);
  bool open = false;
  if (n < 1 || n + 1 != rank)
    return n == 1;
  for (int i = 0; i < n; i++) {
    const bool same = front_same_dim(right, i, matrix, i);
    if (!same && front_dim(right, i) >= 0 && front_dim(matrix, i) >= 0)
      return n == 1;
    open |= !same;
  }
  return n == 1 || !open || pt_out_rank(o, 0) == n;
}

static void solve_solve(pt_op *o) {
  system_of s = {.matrix = pt_tensor(o, "A"), .right = pt_tensor(o, "B"), .left = pt_bool(o, "left", true)};
  pt_bool(o, "check_errors", false);
  s.vector = solve_is_vector(o, s.matrix, s.right);
  pt_result(o, 0, solve_system(&o->b, s));
  solve_info(o, s.matrix);
}

static void solve_triangular(pt_op *o) {
  system_of s = {.matrix = pt_tensor(o, "self"),
                 .right = pt_tensor(o, "B"),
                 .left = pt_bool(o, "left", true),
                 .triangular = true,
                 .lower = !pt_bool(o, "upper", false),
                 .unit = pt_bool(o, "unitriangular", false)};
  pt_result(o, 0, solve_system(&o->b, s));
}

// The older operator: self is on the right, and A comes back too.
static void solve_triangular_old(pt_op *o) {
  bool turned = pt_bool(o, "transpose", false);
  system_of s = {.matrix = pt_tensor(o, "A"),
                 .right = pt_tensor(o, "self"),
                 .left = true,
                 .triangular = true,
                 .lower = !pt_bool(o, "upper", true),
                 .unit = pt_bool(o, "unitriangular", false)};
  weft_value *matrix = s.matrix;
  if (turned) {
    s.matrix = solve_turned(&o->b, s.matrix);
    s.lower = !s.lower;
  }
  pt_result(o, 0, solve_system(&o->b, s));
  pt_result(o, 1, matrix);
}

// x of L L^T x = B, or of U^T U x = B.
static weft_value *solve_by_factor(front_op *b, weft_value *factor, weft_value *right, bool upper) {
  weft_value *turned = solve_turned(b, factor);
  system_of first = {
      .matrix = upper ? turned : factor, .right = right, .left = true, .triangular = true, .lower = true};
  system_of then = {.matrix = upper ? factor : turned, .left = true, .triangular = true};
  then.right = solve_system(b, first);
  return solve_system(b, then);
}
static void solve_cholesky_solve(pt_op *o) {
  weft_value *factor = pt_tensor(o, pt_has(o, "input2") ? "input2" : "A");
  pt_result(o, 0, solve_by_factor(&o->b, factor, pt_tensor(o, "self"), pt_bool(o, "upper", false)));
}
static void solve_cholesky_inverse(pt_op *o) {
  front_op *b = &o->b;
  weft_value *factor = pt_tensor(o, "self");
  weft_value *n = front_counting(b, front_dim_index(b, factor, front_rank_of(b, factor) - 1));
  weft_value *one = front_do(b, "Equal", front_unsqueezed(b, n, 1), n, NULL);
  one = b->failed ? NULL : front_as(b, one, factor->fact.dtype);
  pt_result(o, 0, solve_by_factor(b, factor, one, pt_bool(o, "upper", false)));
}

// ---- determinants ----
static void solve_slogdet(pt_op *o) {
  weft_value *v =
      front_do(&o->b, "LogMatrixDeterminant", pt_tensor(o, pt_has(o, "A") ? "A" : "self"), NULL, NULL);
  pt_result(o, 0, v);
  pt_result(o, 1, v ? v + 1 : NULL);
}
static void solve_logdet(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = front_do(b, "LogMatrixDeterminant", pt_tensor(o, "self"), NULL, NULL);
  pt_result(o, 0, v ? front_do(b, "Add", front_do(b, "Log", v, NULL, NULL), v + 1, NULL) : NULL);
}

// ---- factors ----
static void solve_qr(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, pt_has(o, "A") ? "A" : "self");
  bool full = pt_is(o, "mode", "reduced", "complete") || !pt_bool(o, "some", true);
  bool only_r = pt_is(o, "mode", "reduced", "r");
  front_set_bool(b, "full_matrices", full);
  v = front_do(b, "Qr", v, NULL, NULL);
  pt_result(o, 0, only_r && v ? front_as(b, front_list(b, NULL, 0), v->fact.dtype) : v);
  pt_result(o, 1, v ? v + 1 : NULL);
}
static weft_value *solve_eigen(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, pt_has(o, "A") ? "A" : "self");
  if (!pt_is(o, "UPLO", "L", "L"))
    v = solve_turned(b, v);
  front_set_bool(b, "compute_v", true);
  return front_do(b, "SelfAdjointEig", v, NULL, NULL);
}
static void solve_eigvalsh(pt_op *o) {
  pt_result(o, 0, solve_eigen(o));
}
static void solve_eigh(pt_op *o) {
  weft_value *v = solve_eigen(o);
  pt_result(o, 0, v);
  pt_result(o, 1, v ? v + 1 : NULL);
}

// ---- products ----
// Products of small integers are made in i64, and wrap around.
static weft_value *solve_wide(front_op *b, weft_value *v) {
  const bool integer = !b->failed && v && weft_dtype_is_integer(v->fact.dtype);
  return integer ? front_as(b, v, WEFT_INT64) : v;
}

static void solve_power(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  weft_value *y = front_matrix_power(&o->b, solve_wide(&o->b, v), pt_int(o, "n", 1));
  pt_result(o, 0, o->b.failed ? NULL : front_as(&o->b, y, v->fact.dtype));
}

// From the left; vectors at the ends are a row and a column.
static void solve_products(pt_op *o) {
  front_op *b = &o->b;
  weft_value **v;
  size_t n = pt_tensors(o, pt_has(o, "matrices") ? "matrices" : "tensors", &v);
  if (!n)
    front_fail(b, WEFT_E_MISSING, "there is nothing to multiply");
  bool row = !b->failed && front_rank(v[0]) == 1;
  bool column = !b->failed && n > 1 && front_rank(v[n - 1]) == 1;
  if (row)
    v[0] = front_unsqueezed(b, v[0], 0);
  if (column)
    v[n - 1] = front_unsqueezed(b, v[n - 1], 1);
  weft_value *y = b->failed ? NULL : solve_wide(b, v[0]);
  for (size_t i = 1; i < n && !b->failed; i++)
    y = front_matmul(b, y, solve_wide(b, v[i]), false);
  y = b->failed ? NULL : front_as(b, y, v[0]->fact.dtype);
  if (column && !b->failed)
    y = front_squeezed(b, y, 1);
  pt_result(o, 0, row && !b->failed ? front_squeezed(b, y, 0) : y);
}

static void solve_vecdot(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = front_do(b, "Mul", pt_tensor(o, "x"), pt_tensor(o, "y"), NULL);
  int64_t axis = pt_axis(o, "dim", -1, front_rank_of(b, v));
  pt_result(o, 0, b->failed ? NULL : front_reduced(b, "ReduceSum", v, &axis, 1, false));
}

// ---- triangular factors with rows exchanged: P L U ----
static weft_value *solve_lu_factor(pt_op *o, weft_value *matrix) {
  front_set_bool(&o->b, "pivot", pt_bool(o, "pivot", true));
  return front_do(&o->b, "LuFactor", matrix, NULL, NULL);
}
// LU, pivots and, where it is an output, info.
static void solve_lu_factors(pt_op *o) {
  weft_value *v = solve_lu_factor(o, pt_tensor(o, pt_has(o, "A") ? "A" : "self"));
  (void)pt_bool(o, "check_errors", false);
  for (size_t i = 0; i < o->n_out && i < 3 && v; i++)
    pt_result(o, i, v + i);
}

// The matrix of the row exchanges, or its transpose: order[i] is the row that came to place i.
static weft_value *solve_exchanges(front_op *b, weft_value *pivots, weft_value *lu, bool turned) {
  weft_value *order = front_do(b, "PivotOrder", pivots, lu, NULL);
  int rank = front_rank_of(b, order);
  weft_value *rows = front_counting(b, front_dim_index(b, lu, rank - 1));
  if (b->failed)
    return NULL;
  if (!turned)
    rows = front_unsqueezed(b, rows, 1);
  weft_value *on = front_do(b, "Equal", front_unsqueezed(b, order, turned ? rank : rank - 1), rows, NULL);
  return front_as(b, on, lu->fact.dtype);
}

// L or U of the matrix that holds both.
static weft_value *solve_triangle(front_op *b, weft_value *lu, bool lower) {
  int rank = front_rank_of(b, lu);
  if (b->failed)
    return NULL;
  weft_dtype t = lu->fact.dtype;
  weft_value *rows = front_unsqueezed(b, front_counting(b, front_dim_index(b, lu, rank - 2)), 1);
  weft_value *columns = front_counting(b, front_dim_index(b, lu, rank - 1));
  weft_value *zero = front_num(b, t, 0);
  weft_value *under = front_do(b, "Greater", rows, columns, NULL);
  weft_value *rest = lower ? front_as(b, front_do(b, "Equal", rows, columns, NULL), t) : zero;
  weft_value *v = front_where(b, under, lower ? lu : zero, lower ? rest : lu);
  weft_value *least =
      front_do(b, "Minimum", front_dim_list(b, lu, rank - 2), front_dim_list(b, lu, rank - 1), NULL);
  return front_sliced(b, v, lower ? rank - 1 : rank - 2, front_list(b, &(int64_t){0}, 1), least, NULL);
}

static void solve_lu_parts(pt_op *o, weft_value *lu, weft_value *pivots, bool parts) {
  front_op *b = &o->b;
  if (b->failed)
    return;
  weft_value *none = front_filled(b, front_list(b, &(int64_t){0}, 1), front_num(b, lu->fact.dtype, 0));
  if (pt_wants(o, 0))
    pt_result(o, 0, pivots ? solve_exchanges(b, pivots, lu, false) : none);
  if (pt_wants(o, 1))
    pt_result(o, 1, parts ? solve_triangle(b, lu, true) : none);
  if (pt_wants(o, 2))
    pt_result(o, 2, parts ? solve_triangle(b, lu, false) : none);
}
static void solve_lu(pt_op *o) {
  weft_value *v = solve_lu_factor(o, pt_tensor(o, "A"));
  solve_lu_parts(o, v, v && pt_bool(o, "pivot", true) ? v + 1 : NULL, true);
}
static void solve_lu_unpack(pt_op *o) {
  weft_value *pivots = pt_tensor(o, "LU_pivots");
  if (!pt_bool(o, "unpack_pivots", true))
    pivots = NULL;
  solve_lu_parts(o, pt_tensor(o, "LU_data"), pivots, pt_bool(o, "unpack_data", true));
}

// What a product with the exchanges' matrix gives, by places: 0 times infinity is no part of it.
static weft_value *solve_exchanged(front_op *b, weft_value *exchanges, weft_value *v) {
  const int rank = front_rank_of(b, exchanges);
  if (b->failed)
    return NULL;
  weft_value *places = front_counting(b, front_dim_index(b, exchanges, rank - 1));
  weft_value *at = front_do(b, "Mul", front_as(b, exchanges, WEFT_INT64), places, NULL);
  at = front_reduced(b, "ReduceSum", at, &(int64_t){rank - 1}, 1, true);
  solve_stacks(b, &at, &v);
  at = b->failed ? NULL : front_expanded(b, at, front_shape(b, v));
  front_set_int(b, "dim", front_rank_of(b, v) - 2);
  return front_do(b, "GatherElements", v, at, NULL);
}

// P L U x = b, or turned: U^T L^T P^T x = b.
static weft_value *solve_by_lu(front_op *b, weft_value *lu, weft_value *pivots, weft_value *right,
                               bool turned) {
  system_of low = {.matrix = lu, .left = true, .triangular = true, .lower = true, .unit = true};
  system_of up = {.matrix = lu, .left = true, .triangular = true};
  if (!turned) {
    low.right = solve_exchanged(b, solve_exchanges(b, pivots, lu, true), right);
    up.right = solve_system(b, low);
    return solve_system(b, up);
  }
  low.matrix = up.matrix = solve_turned(b, lu);
  low.lower = false;
  up.lower = true;
  up.right = right;
  low.right = solve_system(b, up);
  weft_value *x = solve_system(b, low);
  return solve_exchanged(b, solve_exchanges(b, pivots, lu, false), x);
}
static void solve_lu_solve(pt_op *o) {
  front_op *b = &o->b;
  bool old = pt_has(o, "LU_data");
  weft_value *lu = pt_tensor(o, old ? "LU_data" : "LU");
  weft_value *pivots = pt_tensor(o, old ? "LU_pivots" : "pivots");
  weft_value *right = pt_tensor(o, old ? "self" : "B");
  bool left = pt_bool(o, "left", true);
  bool turned = pt_bool(o, "adjoint", false) == left;
  weft_value *x = solve_by_lu(b, lu, pivots, left ? right : solve_turned(b, right), turned);
  pt_result(o, 0, left ? x : solve_turned(b, x));
}

// ---- matrices whose rows and columns are several axes each ----
// v as a matrix.
static weft_value *solve_shaped(front_op *b, weft_value *v, weft_value *rows, weft_value *columns) {
  weft_value *parts[2] = {rows, columns};
  return front_reshape(b, v, front_size_list(b, parts, 2));
}

static void solve_tensor_inverse(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t rows = pt_int(o, "ind", 2);
  if (!b->failed && (rows < 1 || rows >= rank))
    front_fail(b, WEFT_E_RANGE, "%lld axes of rows, of rank %d", (long long)rows, rank);
  weft_value *n = front_elems(b, v, 0, rows);
  weft_value *shape = front_shape(b, v);
  weft_value *parts[2] = {front_part(b, shape, 0, rows, rank), front_part(b, shape, 0, 0, rows)};
  v = front_do(b, "MatrixInverse", solve_shaped(b, v, n, n), NULL, NULL);
  pt_result(o, 0, b->failed ? NULL : front_reshape(b, v, front_joined(b, parts, 2, 0)));
}

// Axes of self that `dims` names go behind the others; the first ones then stand for the axes of other.
static void solve_tensor_solve(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *right = pt_tensor(o, "other");
  int64_t last[PT_MAX_NUMBERS];
  int64_t order[WEFT_MAX_RANK];
  int rank = front_rank_of(b, v);
  size_t n_last = pt_find(o, "dims") ? pt_axes(o, "dims", rank, last) : 0;
  uint64_t moved = 0;
  size_t n = 0;
  for (size_t i = 0; i < n_last && !b->failed; i++)
    moved |= UINT64_C(1) << last[i];
  for (int i = 0; i < rank && !b->failed; i++) {
    if (!(moved >> i & 1))
      order[n++] = i;
  }
  if (!b->failed && n + n_last != (size_t)rank)
    front_fail(b, WEFT_E_INVALID, "an axis stands twice in 'dims'");
  if (b->failed)
    return;
  memcpy(order + n, last, n_last * sizeof *last);
  v = front_permuted(b, v, order, (size_t)rank);
  int rows = front_rank_of(b, right);
  weft_value *side = front_elems(b, v, rows, rank);
  weft_value *shape = front_part(b, front_shape(b, v), 0, rows, rank);
  v = solve_shaped(b, v, side, side);
  right = solve_shaped(b, right, side, front_list(b, &(int64_t){1}, 1));
  pt_result(o, 0, front_reshape(b, front_do(b, "MatrixSolve", v, right, NULL), shape));
}

static const pt_row solve_rows[] = {
    {"linalg_lu_factor", NULL, 0, solve_lu_factors, 0},
    {"linalg_lu_factor_ex", NULL, 0, solve_lu_factors, 0},
    {"_lu_with_info", NULL, 0, solve_lu_factors, 0},
    {"linalg_lu", NULL, 0, solve_lu, 0},
    {"lu_unpack", NULL, 0, solve_lu_unpack, 0},
    {"linalg_lu_solve", NULL, 0, solve_lu_solve, 0},
    {"lu_solve", NULL, 0, solve_lu_solve, 0},
    {"linalg_tensorinv", NULL, 0, solve_tensor_inverse, 0},
    {"linalg_tensorsolve", NULL, 0, solve_tensor_solve, 0},
    {"linalg_inv", NULL, 0, solve_inverse, 0},
    {"inverse", NULL, 0, solve_inverse, 0},
    {"linalg_inv_ex", NULL, 0, solve_inverse, 0},
    {"linalg_det", NULL, 0, solve_determinant, 0},
    {"_linalg_det", NULL, 0, solve_determinant, 0},
    {"det", NULL, 0, solve_determinant, 0},
    {"linalg_slogdet", NULL, 0, solve_slogdet, 0},
    {"_linalg_slogdet", NULL, 0, solve_slogdet, 0},
    {"slogdet", NULL, 0, solve_slogdet, 0},
    {"logdet", NULL, 0, solve_logdet, 0},
    {"linalg_cholesky", NULL, 0, solve_cholesky, 0},
    {"linalg_cholesky_ex", NULL, 0, solve_cholesky, 0},
    {"cholesky", NULL, 0, solve_cholesky, 0},
    {"cholesky_solve", NULL, 0, solve_cholesky_solve, 0},
    {"_cholesky_solve_helper", NULL, 0, solve_cholesky_solve, 0},
    {"cholesky_inverse", NULL, 0, solve_cholesky_inverse, 0},
    {"linalg_solve", NULL, 0, solve_solve, 0},
    {"_linalg_solve_ex", NULL, 0, solve_solve, 0},
    {"linalg_solve_ex", NULL, 0, solve_solve, 0},
    {"linalg_solve_triangular", NULL, 0, solve_triangular, 0},
    {"triangular_solve", NULL, 0, solve_triangular_old, 0},
    {"linalg_qr", NULL, 0, solve_qr, 0},
    {"qr", NULL, 0, solve_qr, 0},
    {"linalg_eigvalsh", NULL, 0, solve_eigvalsh, 0},
    {"linalg_eigh", NULL, 0, solve_eigh, 0},
    {"_linalg_eigh", NULL, 0, solve_eigh, 0},
    {"matrix_power", NULL, 0, solve_power, 0},
    {"linalg_matrix_power", NULL, 0, solve_power, 0},
    {"linalg_multi_dot", NULL, 0, solve_products, 0},
    {"chain_matmul", NULL, 0, solve_products, 0},
    {"linalg_vecdot", NULL, 0, solve_vecdot, 0},
};
const pt_rows pt_solve = PT_ROWS(solve_rows);
// SPDX-License-Identifier: Apache-2.0
