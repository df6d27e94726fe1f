// ops/linear/solves.c - systems of equations, factors and determinants of stacks of matrices.   AscendIR
// MatrixSolve, MatrixTriangularSolve, BandedTriangularSolve, MatrixSolveLs, Lu, LogMatrixDeterminant,
// Slogdet,
// Cholesky, MatrixSquareRoot, as TensorFlow has them. By elimination with row exchanges and by Cholesky's
// method, in double, rounded once. A matrix without an inverse is an error, and its determinant is 0; but a
// triangular one with zeros on its diagonal gives infinities and NaN. NaN in a matrix gives NaN.
#include "air_slots.h"
#include "linear.h"
#include "op/air_rows.h"

// How many matrices of rows x columns a tensor has; its last two axes.
typedef struct stack {
  size_t n, rows, columns;
} stack;

static stack solves_stack(const weft_tensor *t) {
  const weft_shape *s = &t->layout.origin;
  return (stack){weft__prod(s, 0, s->rank - 2), (size_t)s->dim[s->rank - 2], (size_t)s->dim[s->rank - 1]};
}

static weft_status solves_singular(const weft_call *c, size_t i) {
  return weft_fail(c->d, WEFT_E_INVALID, "matrix %zu has no inverse", i);
}

// ---- MatrixSolve, MatrixTriangularSolve ----
static weft_status solves_infer(weft_infer *it) {
  const weft_shape *a = it->in[0];
  const weft_shape *b = it->in[1];
  weft_dim side;
  WEFT_TRY(weft__linear_square(it, 0, &side));
  WEFT_TRY(weft__expect_rank(it, 1, 2, WEFT_MAX_RANK));
  WEFT_TRY(weft__linear_same_stack(it, a, b));
  if (weft_shape_is_unknown_rank(b))
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__merge_dim(it, side, b->dim[b->rank - 2], "rows of the matrix and of 'rhs'", &side));
  weft_shape_copy(it->out[0], b);
  it->out[0]->dim[b->rank - 2] = side;
  return WEFT_OK;
}

typedef struct solve_use {
  bool triangular;
} solve_use;

// One system of the stack, and space for its pivots.
typedef struct solves_system {
  size_t i, n, columns;
  weft_number *a, *b, *column;
  size_t *order;
} solves_system;

static weft_status solves_one(const weft_call *c, const solves_system *s) {
  const size_t n = s->n;
  const solve_use *use = c->desc->op->user;
  const uint32_t slot =
      use->triangular ? WEFT_SLOT_MATRIX_TRIANGULAR_SOLVE_ADJOINT : WEFT_SLOT_MATRIX_SOLVE_ADJOINT;
  const bool adjoint = weft_node_bool(c->desc, slot);
  double sign;
  bool regular;
  if (adjoint)
    weft__linear_adjoint(s->a, n);
  if (use->triangular) {
    const bool lower = weft_node_bool(c->desc, WEFT_SLOT_MATRIX_TRIANGULAR_SOLVE_LOWER) != adjoint;
    return weft__linear_triangular_solve(c, s->a, n, lower, s->b, s->columns);
  }
  WEFT_TRY(weft__linear_lu(c, s->a, n, s->order, &sign, &regular));
  if (!regular)
    return solves_singular(c, s->i);
  return weft__linear_lu_solve(c, s->a, s->order, n, s->b, s->columns, s->column);
}

static weft_status solves_ref(const weft_call *c) {
  const stack a = solves_stack(c->in[0]);
  const stack b = solves_stack(c->in[1]);
  const size_t n = a.rows;
  weft_number *space;
  if (!c->out[0] || !a.n || !n)
    return WEFT_OK;
  WEFT_TRY(weft__linear_space(c, n * n + n * b.columns + 2 * n, &space));
  weft_number *rhs = space + n * n;
  weft_number *column = rhs + n * b.columns;
  size_t *order = (size_t *)(void *)(column + n);
  if (weft__call_gives_nothing(c))  // as many matrices of none as the input claims
    return WEFT_OK;
  for (size_t i = 0; i < a.n; i++) {
    WEFT_TRY(weft__call_poll(c));
    weft__linear_load(c->in[0], i * n * n, n * n, space);
    weft__linear_load(c->in[1], i * n * b.columns, n * b.columns, rhs);
    WEFT_TRY(solves_one(c, &(solves_system){i, n, b.columns, space, rhs, column, order}));
    weft__linear_store(c->out[0], i * n * b.columns, n * b.columns, rhs);
  }
  return WEFT_OK;
}

// ---- BandedTriangularSolve ----
static weft_status solves_banded_infer(weft_infer *it) {
  const weft_shape *a = it->in[0];
  const weft_shape *b = it->in[1];
  weft_dim side;
  WEFT_TRY(weft__expect_rank(it, 0, 2, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, 1, 2, WEFT_MAX_RANK));
  WEFT_TRY(weft__linear_same_stack(it, a, b));
  if (weft_shape_is_unknown_rank(a) || weft_shape_is_unknown_rank(b))
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__merge_dim(it, a->dim[a->rank - 1], b->dim[b->rank - 2], "rows of 'bands' and 'rhs'", &side));
  if (a->dim[a->rank - 2] == 0 || (side >= 0 && a->dim[a->rank - 2] > side))
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'bands': %lld bands of a matrix with %lld rows",
                     (long long)a->dim[a->rank - 2], (long long)side);
  weft_shape_copy(it->out[0], b);
  it->out[0]->dim[b->rank - 2] = side;
  return WEFT_OK;
}

// The matrix of its bands: of a lower one the first is the diagonal, of an upper one the last.
static void solves_unband(const weft_number *bands, size_t n_bands, size_t n, bool lower, weft_number *a) {
  memset(a, 0, n * n * sizeof *a);
  for (size_t k = 0; k < n_bands; k++) {
    for (size_t i = 0; i < n; i++) {
      if (lower && i >= k)
        a[i * n + i - k] = bands[k * n + i];
      if (!lower && i + k < n)
        a[i * n + i + k] = bands[(n_bands - 1 - k) * n + i];
    }
  }
}

// Substitution where row i has numbers in the `bands` columns up to i, or from i on.
static weft_status solves_banded(const weft_call *c, const solves_system *s, size_t bands, bool lower) {
  size_t work = 0;
  for (size_t step = 0; step < s->n; step++) {
    const size_t i = lower ? step : s->n - 1 - step;
    const size_t from = lower ? i - WEFT_MIN(i, bands - 1) : i + 1;
    const size_t to = lower ? i : WEFT_MIN(s->n, i + bands);
    weft_number *row = s->b + i * s->columns;
    for (size_t k = from; k < to; k++) {
      WEFT_TRY(weft__poll_work(c, &work, 1 + s->columns));
      weft__linear_subtract(row, s->a[i * s->n + k], s->b + k * s->columns, s->columns);
    }
    for (size_t j = 0; j < s->columns; j++)
      row[j] = weft__linear_divide(row[j], s->a[i * s->n + i]);
  }
  return WEFT_OK;
}

static weft_status solves_banded_ref(const weft_call *c) {
  const stack a = solves_stack(c->in[0]);
  const stack b = solves_stack(c->in[1]);
  const bool lower = weft_node_bool(c->desc, WEFT_SLOT_BANDED_TRIANGULAR_SOLVE_LOWER);
  const bool adjoint = weft_node_bool(c->desc, WEFT_SLOT_BANDED_TRIANGULAR_SOLVE_ADJOINT);
  const size_t n = a.columns;
  size_t square;
  weft_number *space;
  if (!c->out[0] || !a.n || !n)
    return WEFT_OK;
  if (!weft_mul_size(n, n, &square) || square > SIZE_MAX / 64)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "a matrix of %zu rows", n);
  WEFT_TRY(weft__linear_space(c, square + a.rows * n + n * b.columns, &space));
  weft_number *bands = space + square;
  weft_number *rhs = bands + a.rows * n;
  if (weft__call_gives_nothing(c))  // as many matrices of none as the input claims
    return WEFT_OK;
  for (size_t i = 0; i < a.n; i++) {
    WEFT_TRY(weft__call_poll(c));
    weft__linear_load(c->in[0], i * a.rows * n, a.rows * n, bands);
    weft__linear_load(c->in[1], i * n * b.columns, n * b.columns, rhs);
    solves_unband(bands, a.rows, n, lower, space);
    if (adjoint)
      weft__linear_adjoint(space, n);
    WEFT_TRY(solves_banded(c, &(solves_system){.n = n, .columns = b.columns, .a = space, .b = rhs}, a.rows,
                           lower != adjoint));
    weft__linear_store(c->out[0], i * n * b.columns, n * b.columns, rhs);
  }
  return WEFT_OK;
}

// ---- MatrixSolveLs ----
static weft_status solves_least_infer(weft_infer *it) {
  const weft_shape *a = it->in[0];
  const weft_shape *b = it->in[1];
  weft_dim same;
  it->out_dtype[0] = it->in_dtype[0];
  WEFT_TRY(weft__expect_rank(it, 0, 2, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, 1, 2, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, 2, 0, 0));
  WEFT_TRY(weft__linear_same_stack(it, a, b));
  if (weft_shape_is_unknown_rank(a) || weft_shape_is_unknown_rank(b))
    return weft__unknown_rank(it, 0);
  WEFT_TRY(
      weft__merge_dim(it, a->dim[a->rank - 2], b->dim[b->rank - 2], "rows of 'matrix' and 'rhs'", &same));
  weft_shape_copy(it->out[0], b);
  it->out[0]->dim[b->rank - 2] = a->dim[a->rank - 1];
  return WEFT_OK;
}

// out = a^H b, of `rows` rows; n columns of b.
static weft_status solves_adjoint_times(const weft_call *c, const weft_number *a, const stack *s,
                                        const weft_number *b, size_t n, weft_number *out) {
  size_t work = 0;
  memset(out, 0, s->columns * n * sizeof *out);
  for (size_t k = 0; k < s->rows; k++) {
    for (size_t i = 0; i < s->columns; i++) {
      WEFT_TRY(weft__poll_work(c, &work, 1 + n));
      weft__linear_subtract(out + i * n, -conj(a[k * s->columns + i]), b + k * n, n);
    }
  }
  return WEFT_OK;
}

// out = a^H a (tall) or a a^H (wide), with l2 on the diagonal; side of the smaller axis.
static weft_status solves_gram(const weft_call *c, const weft_number *a, const stack *s, double l2,
                               weft_number *out) {
  const size_t n = WEFT_MIN(s->rows, s->columns);
  size_t work = 0;
  if (s->rows >= s->columns)
    WEFT_TRY(solves_adjoint_times(c, a, s, a, n, out));
  for (size_t at = 0; at < n * n && s->rows < s->columns; at++) {
    const weft_number *x = a + at / n * s->columns;
    const weft_number *y = a + at % n * s->columns;
    WEFT_TRY(weft__poll_work(c, &work, 1 + s->columns));
    out[at] = 0;
    for (size_t k = 0; k < s->columns; k++)
      out[at] += x[k] * conj(y[k]);
  }
  for (size_t i = 0; i < n; i++)
    out[i * n + i] += l2;
  return WEFT_OK;
}

static weft_status solves_least_ref(const weft_call *c) {
  const stack a = solves_stack(c->in[0]);
  const stack b = solves_stack(c->in[1]);
  const double l2 = weft_load_f64(c->in[2]->dtype, c->in[2]->data, 0);
  const size_t n = WEFT_MIN(a.rows, a.columns);
  const bool tall = a.rows >= a.columns;
  const size_t most = WEFT_MAX(a.rows, a.columns);
  weft_number *space;
  double sign;
  bool regular;
  if (!c->out[0] || !a.n || !a.columns)
    return WEFT_OK;
  WEFT_TRY(weft__linear_space(c, a.rows * a.columns + n * n + 2 * most * b.columns + 2 * n, &space));
  weft_number *gram = space + a.rows * a.columns;
  weft_number *rhs = gram + n * n;
  weft_number *x = rhs + most * b.columns;
  weft_number *column = x + most * b.columns;
  size_t *order = (size_t *)(void *)(column + n);
  if (weft__call_gives_nothing(c))  // as many matrices of none as the input claims
    return WEFT_OK;
  for (size_t i = 0; i < a.n; i++) {
    WEFT_TRY(weft__call_poll(c));
    weft__linear_load(c->in[0], i * a.rows * a.columns, a.rows * a.columns, space);
    weft__linear_load(c->in[1], i * a.rows * b.columns, a.rows * b.columns, rhs);
    WEFT_TRY(solves_gram(c, space, &a, l2, gram));
    if (tall)
      WEFT_TRY(solves_adjoint_times(c, space, &a, rhs, b.columns, x));
    WEFT_TRY(weft__linear_lu(c, gram, n, order, &sign, &regular));
    if (!regular)
      return solves_singular(c, i);
    WEFT_TRY(weft__linear_lu_solve(c, gram, order, n, tall ? x : rhs, b.columns, column));
    if (!tall)
      WEFT_TRY(solves_adjoint_times(c, space, &a, rhs, b.columns, x));
    weft__linear_store(c->out[0], i * a.columns * b.columns, a.columns * b.columns, x);
  }
  return WEFT_OK;
}

// ---- Lu, LogMatrixDeterminant, Slogdet, Cholesky, MatrixSquareRoot: of one square matrix ----
static weft_status solves_square_infer(weft_infer *it) {
  weft_dim side;
  WEFT_TRY(weft__linear_square(it, 0, &side));
  if (weft_shape_is_unknown_rank(it->in[0]))
    return weft__unknown_rank(it, 0);
  weft_shape_copy(it->out[0], it->in[0]);
  it->out[0]->dim[it->in[0]->rank - 1] = it->out[0]->dim[it->in[0]->rank - 2] = side;
  return WEFT_OK;
}

static weft_status solves_lu_infer(weft_infer *it) {
  WEFT_TRY(solves_square_infer(it));
  it->out_dtype[1] = weft_node_dtype(it->desc, WEFT_SLOT_LU_OUTPUT_IDX_TYPE);
  if (weft_shape_is_unknown_rank(it->in[0]))
    return weft__unknown_rank(it, 1);
  return weft__linear_stack(it, 1, it->out[0], 1);
}

static weft_status solves_sign_infer(weft_infer *it) {
  weft_dim side;
  WEFT_TRY(weft__linear_square(it, 0, &side));
  for (uint32_t o = 0; o < 2; o++) {
    it->out_dtype[o] = it->in_dtype[0];
    if (weft_shape_is_unknown_rank(it->in[0]))
      WEFT_TRY(weft__unknown_rank(it, o));
    else
      WEFT_TRY(weft__linear_stack(it, o, it->in[0], 2));
  }
  return WEFT_OK;
}

typedef struct square_use {
  weft_status (*one)(const weft_call *c, size_t i, size_t n, weft_number *a, weft_number *space,
                     size_t *order);
  size_t squares;  // matrices of space beside the one that is given
} square_use;

static weft_status solves_lu_one(const weft_call *c, size_t i, size_t n, weft_number *a, weft_number *space,
                                 size_t *order) {
  double sign;
  bool regular;
  (void)space;
  WEFT_TRY(weft__linear_lu(c, a, n, order, &sign, &regular));
  if (!regular)
    return solves_singular(c, i);
  if (c->out[0])
    weft__linear_store(c->out[0], i * n * n, n * n, a);
  for (size_t k = 0; c->out[1] && k < n; k++)
    weft_store_i64(c->out[1]->dtype, c->out[1]->data, i * n + k, (int64_t)order[k]);
  return WEFT_OK;
}

// The sign of a complex determinant is a number of size 1.
static weft_status solves_sign_one(const weft_call *c, size_t i, size_t n, weft_number *a, weft_number *space,
                                   size_t *order) {
  double exchanges;
  double log_size = 0;
  bool regular;
  (void)space;
  WEFT_TRY(weft__linear_lu(c, a, n, order, &exchanges, &regular));
  weft_number sign = exchanges;
  for (size_t k = 0; k < n && regular; k++) {
    const double size = cabs(a[k * n + k]);
    sign *= a[k * n + k] / size;
    log_size += log(size);
  }
  const weft_number none = 0;
  const weft_number size = regular ? log_size : -(double)INFINITY;
  if (c->out[0])
    weft__linear_store(c->out[0], i, 1, regular ? &sign : &none);
  if (c->out[1])
    weft__linear_store(c->out[1], i, 1, &size);
  return WEFT_OK;
}

static weft_status solves_cholesky_one(const weft_call *c, size_t i, size_t n, weft_number *a,
                                       weft_number *space, size_t *order) {
  bool positive;
  (void)order;
  WEFT_TRY(weft__linear_cholesky(c, a, n, space, &positive));
  if (!positive)
    return weft_fail(c->d, WEFT_E_INVALID, "matrix %zu is not positive definite", i);
  weft__linear_store(c->out[0], i * n * n, n * n, space);
  return WEFT_OK;
}

// out = (a + b^-1) / 2, where b has an inverse
static weft_status solves_average(const weft_call *c, const weft_number *a, const weft_number *b, size_t n,
                                  weft_number *out, weft_number *space, bool *out_regular) {
  double sign;
  size_t *order = (size_t *)(void *)(space + n * n + n);
  memcpy(space, b, n * n * sizeof *b);
  for (size_t i = 0; i < n * n; i++)
    out[i] = i / n == i % n;
  WEFT_TRY(weft__linear_lu(c, space, n, order, &sign, out_regular));
  if (!*out_regular)
    return WEFT_OK;
  WEFT_TRY(weft__linear_lu_solve(c, space, order, n, out, n, space + n * n));
  for (size_t i = 0; i < n * n; i++)
    out[i] = (out[i] + a[i]) / 2;
  return WEFT_OK;
}

// Denman and Beavers: y goes to the root, z to its inverse.
static weft_status solves_root_one(const weft_call *c, size_t i, size_t n, weft_number *y, weft_number *space,
                                   size_t *order) {
  enum { ROUNDS = 100 };
  weft_number *z = space;
  weft_number *next_y = z + n * n;
  weft_number *next_z = next_y + n * n;
  weft_number *work = next_z + n * n;
  bool settled = false;
  (void)order;
  for (size_t k = 0; k < n * n; k++)
    z[k] = k / n == k % n;
  for (int round = 0; round < ROUNDS && !settled; round++) {
    WEFT_TRY(weft__call_poll(c));
    double change = 0;
    double size = 0;
    bool regular;
    WEFT_TRY(solves_average(c, y, z, n, next_y, work, &regular));
    if (regular)
      WEFT_TRY(solves_average(c, z, y, n, next_z, work, &regular));
    if (!regular)
      return solves_singular(c, i);
    for (size_t k = 0; k < n * n; k++) {
      change += cabs(next_y[k] - y[k]);
      size += cabs(next_y[k]);
    }
    memcpy(y, next_y, n * n * sizeof *y);
    memcpy(z, next_z, n * n * sizeof *z);
    settled = !(change > 1e-14 * size);  // nor does NaN change any more
  }
  if (!settled && !weft_dtype_is_complex(c->out[0]->dtype))
    return weft_fail(c->d, WEFT_E_INVALID, "matrix %zu has no real square root", i);
  weft__linear_store(c->out[0], i * n * n, n * n, y);
  return WEFT_OK;
}

static weft_status solves_square_ref(const weft_call *c) {
  const square_use *use = c->desc->op->user;
  const stack a = solves_stack(c->in[0]);
  const size_t n = a.rows;
  weft_number *space;
  if (!a.n || (!c->out[0] && c->desc->n_out == 1))
    return WEFT_OK;
  WEFT_TRY(weft__linear_space(c, (1 + use->squares) * n * n + 2 * n, &space));
  size_t *order = (size_t *)(void *)(space + (1 + use->squares) * n * n + n);
  if (weft__call_gives_nothing(c))  // as many matrices of none as the input claims
    return WEFT_OK;
  for (size_t i = 0; i < a.n; i++) {
    WEFT_TRY(weft__call_poll(c));
    weft__linear_load(c->in[0], i * n * n, n * n, space);
    WEFT_TRY(use->one(c, i, n, space, space + n * n, order));
  }
  return WEFT_OK;
}

#define SQUARE(op_name, says, infers, function, space, ...)                                               \
  {                                                                                                       \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = infers, .ref = solves_square_ref, \
    .user = &(const square_use){function, space}, .examples = WEFT_EXAMPLES(__VA_ARGS__)                  \
  }
WEFT_ROWS(solves) = {
    {"MatrixSolve", "x with matrix x = rhs", WEFT_SYMBOLIC, .infer = solves_infer, .ref = solves_ref,
     .user = &(const solve_use){false},
     .examples = WEFT_EXAMPLES("f32[2,2]{2,0,0,4}, f32[2,1]{2,2} -> f32[2,1]{1,0.5}",
                               "f32[2,2]{0,2,4,0}, f32[2,1]{2,2} adjoint=true -> f32[2,1]{1,0.5}",
                               "c64[1,1]{(0,2)}, c64[1,1]{(2,0)} -> c64[1,1]{(0,-1)}",
                               "f64[0,2,2], f64[0,2,3] -> f64[0,2,3]", "f32[2,0,0], f32[2,0,3] -> f32[2,0,3]",
                               "f32[-1,3,3], f32[-1,3,2] -> f32[-1,3,2]", "f32[?], f32[-1,2] -> f32[-1,2]",
                               "f32[2,2]{1,2,2,4}, f32[2,1]{1,1} !! E_INVALID matrix 0 has no inverse",
                               "f32[2,2]{nan,1,1,2}, f32[2,1]{1,2} -> f32[2,1]{nan,nan}",
                               "f32[2,2]{inf,1,1,2}, f32[2,1]{1,2} -> f32[2,1]{0,1}",
                               "f32[2,3], f32[2,1] !! E_SHAPE rows and columns",
                               "f32[2,2], f32[3,1] !! E_SHAPE")},
    {"MatrixTriangularSolve", "x with matrix x = rhs, for a triangular matrix", WEFT_SYMBOLIC,
     .infer = solves_infer, .ref = solves_ref, .user = &(const solve_use){true},
     .examples = WEFT_EXAMPLES("f32[2,2]{2,9,1,4}, f32[2,1]{2,9} -> f32[2,1]{1,2}",
                               "f32[2,2]{2,1,9,4}, f32[2,1]{4,8} lower=false -> f32[2,1]{1,2}",
                               "f32[2,2]{2,9,1,4}, f32[2,1]{4,8} adjoint=true -> f32[2,1]{1,2}",
                               "f32[2,2]{0,9,1,4}, f32[2,2]{4,-1,8,8} -> f32[2,2]{inf,-inf,-inf,inf}",
                               "f32[2,2]{2,9,nan,4}, f32[2,1]{2,9} -> f32[2,1]{1,nan}")},
    {"BandedTriangularSolve", "x with matrix x = rhs, for a triangular matrix of bands", WEFT_SYMBOLIC,
     .infer = solves_banded_infer, .ref = solves_banded_ref,
     .examples = WEFT_EXAMPLES("f32[2,2]{2,4,9,1}, f32[2,1]{2,9} -> f32[2,1]{1,2}",
                               "f32[2,2]{1,9,2,4}, f32[2,1]{4,8} lower=false -> f32[2,1]{1,2}",
                               "f32[2,2]{2,4,9,1}, f32[2,1]{4,8} adjoint=true -> f32[2,1]{1,2}",
                               "f32[-1,2,3], f32[-1,3,2] -> f32[-1,3,2]",
                               "f32[3,2], f32[2,1] !! E_SHAPE 3 bands")},
    {"MatrixSolveLs", "x with the least |matrix x - rhs|^2 + l2 |x|^2", WEFT_SYMBOLIC,
     .infer = solves_least_infer, .ref = solves_least_ref,
     .examples = WEFT_EXAMPLES("f32[3,1]{1,1,1}, f32[3,1]{1,2,6}, f64[]{0} -> f32[1,1]{3}",
                               "f32[1,2]{1,1}, f32[1,1]{4}, f64[]{0} -> f32[2,1]{2,2}",
                               "f32[1,1]{1}, f32[1,1]{4}, f64[]{1} -> f32[1,1]{2}",
                               "f32[-1,3,2], f32[-1,3,4], f64[] -> f32[-1,2,4]",
                               "f32[2,2]{0,0,0,0}, f32[2,1]{1,1}, f64[]{0} !! E_INVALID no inverse")},
    SQUARE("Lu", "triangular factors with rows exchanged", solves_lu_infer, solves_lu_one, 0,
           "f32[2,2]{1,2,4,4} output_idx_type=i32 -> f32[2,2]{4,4,0.25,1}, i32[2]{1,0}",
           "f32[-1,3,-1] output_idx_type=i64 -> f32[-1,3,3], i64[-1,3]",
           "f32[1,1]{0} output_idx_type=i32 -> _, _ !! E_INVALID no inverse"),
    SQUARE("LogMatrixDeterminant", "sign and logarithm of the determinant", solves_sign_infer,
           solves_sign_one, 0, "f32[2,2]{0,1,1,0} -> f32[]{-1}, f32[]{0}",
           "f32[1,1,1]{0} -> f32[1]{0}, f32[1]{-inf}", "f32[2,2]{nan,1,1,2} -> f32[]{nan}, f32[]{nan}",
           "c64[1,1]{(0,2)} -> c64[]{(0,1)}, c64[]{(0.6931472,0)} ~1e-6",
           "f32[2,0,0] -> f32[2]{1,1}, f32[2]{0,0}", "f32[-1,3,3] -> f32[-1], f32[-1]"),
    SQUARE("Slogdet", "sign and logarithm of the determinant", solves_sign_infer, solves_sign_one, 0,
           "f32[2,2]{0,2,3,0} -> f32[]{-1}, f32[]{1.7917595} ~1e-6", "f32[?] -> f32[?], f32[?]"),
    SQUARE("Cholesky", "lower triangular factor of a positive definite matrix", solves_square_infer,
           solves_cholesky_one, 1, "f32[2,2]{4,9,2,5} -> f32[2,2]{2,0,1,2}",
           "c64[2,2]{(1,0),(9,9),(0,1),(2,0)} -> c64[2,2]{(1,0),(0,0),(0,1),(1,0)}",
           "f32[0,2,2] -> f32[0,2,2]", "f32[-1,3,-1] -> f32[-1,3,3]",
           "f32[1,1]{-1} !! E_INVALID not positive definite"),
    SQUARE("MatrixSquareRoot", "the matrix whose square is x", solves_square_infer, solves_root_one, 6,
           "f32[2,2]{5,4,4,5} -> f32[2,2]{2,1,1,2} ~1e-6", "c64[1,1]{(0,2)} -> c64[1,1]{(1,1)} ~1e-6",
           "f32[-1,3,-1] -> f32[-1,3,3]", "f32[1,1]{nan} -> f32[1,1]{nan}", "f32[1,1]{-4} !! E_INVALID",
           "f32[1,1]{0} !! E_INVALID no inverse"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
