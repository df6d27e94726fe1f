// ops/linear/tridiagonal.c - systems with three diagonals, and the gradient of Cholesky's factor.   AscendIR
// TridiagonalSolve, CholeskyGrad, as TensorFlow has them. Diagonals [..., 3, n] are the upper one (its last
// element is not read), the main one and the lower one (its first is not read). In double, rounded once; with
// row exchanges, O(n) for a column.
#include "air_slots.h"
#include "linear.h"
#include "op/air_rows.h"

// ---- TridiagonalSolve ----
static weft_status tridiagonal_infer(weft_infer *it) {
  const weft_shape *a = it->in[0];
  const weft_shape *b = it->in[1];
  weft_dim n;
  WEFT_TRY(weft__expect_rank(it, 0, 2, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, 1, 2, WEFT_MAX_RANK));
  WEFT_TRY(weft__linear_same_stack(it, a, b));
  if (it->in_dtype[0] != it->in_dtype[1])
    return weft_fail(it->d, WEFT_E_DTYPE, "inputs 'diagonals' and 'rhs' must have one dtype");
  WEFT_TRY(weft__same(it, 0, 1));
  if (weft_shape_is_unknown_rank(a))
    return WEFT_OK;
  WEFT_TRY(weft__merge_dim(it, a->dim[a->rank - 2], 3, "diagonals", &n));
  if (weft_shape_is_unknown_rank(b))
    return WEFT_OK;
  WEFT_TRY(
      weft__merge_dim(it, a->dim[a->rank - 1], b->dim[b->rank - 2], "rows of 'diagonals' and 'rhs'", &n));
  it->out[0]->dim[b->rank - 2] = n;
  return WEFT_OK;
}

// Row i has elements main[i], above[i] and over[i] (two beyond the diagonal, which exchanges fill) left.
typedef struct tridiagonal {
  size_t n, columns;
  weft_number *main, *above, *over, *below, *rhs;
} tridiagonal;

static void tridiagonal_exchange(const tridiagonal *t, size_t i) {  // rows i and i + 1
  const weft_number first[3] = {t->main[i], t->above[i], t->over[i]};
  t->main[i] = t->below[i + 1];
  t->above[i] = t->main[i + 1];
  t->over[i] = i + 2 < t->n ? t->above[i + 1] : 0;
  t->below[i + 1] = first[0];
  t->main[i + 1] = first[1];
  if (i + 2 < t->n)
    t->above[i + 1] = first[2];
  for (size_t k = 0; k < t->columns; k++) {
    const weft_number swap = t->rhs[i * t->columns + k];
    t->rhs[i * t->columns + k] = t->rhs[(i + 1) * t->columns + k];
    t->rhs[(i + 1) * t->columns + k] = swap;
  }
}

static weft_status tridiagonal_eliminate(const weft_call *c, const tridiagonal *t, bool pivots) {
  size_t work = 0;
  for (size_t i = 0; i < t->n; i++) {
    WEFT_TRY(weft__poll_work(c, &work, 8 + t->columns));
    const bool last = i + 1 == t->n;
    if (!last && pivots && cabs(t->below[i + 1]) > cabs(t->main[i]))
      tridiagonal_exchange(t, i);
    if (t->main[i] == 0)
      return weft_fail(c->d, WEFT_E_INVALID, "row %zu has no pivot: the matrix has no inverse%s", i,
                       pivots ? "" : ", or attribute 'partial_pivoting' is needed");
    if (last)
      continue;
    const weft_number factor = t->below[i + 1] / t->main[i];
    t->main[i + 1] -= factor * t->above[i];
    if (i + 2 < t->n)
      t->above[i + 1] -= factor * t->over[i];
    for (size_t k = 0; k < t->columns; k++)
      t->rhs[(i + 1) * t->columns + k] -= factor * t->rhs[i * t->columns + k];
  }
  return WEFT_OK;
}

static weft_status tridiagonal_back(const weft_call *c, const tridiagonal *t) {
  size_t work = 0;
  for (size_t i = t->n; i-- > 0;) {
    weft_number *x = t->rhs + i * t->columns;
    WEFT_TRY(weft__poll_work(c, &work, 8 + t->columns));
    for (size_t k = 0; k < t->columns; k++) {
      if (i + 1 < t->n)
        x[k] -= t->above[i] * x[t->columns + k];
      if (i + 2 < t->n)
        x[k] -= t->over[i] * x[2 * t->columns + k];
      x[k] /= t->main[i];
    }
  }
  return WEFT_OK;
}

static weft_status tridiagonal_ref(const weft_call *c) {
  const bool pivots = weft_node_bool(c->desc, WEFT_SLOT_TRIDIAGONAL_SOLVE_PARTIAL_PIVOTING);
  const weft_shape *b = &c->in[1]->layout.origin;
  weft_number *space;
  tridiagonal t = {.n = (size_t)b->dim[b->rank - 2], .columns = (size_t)b->dim[b->rank - 1]};
  const size_t stacks = weft__prod(b, 0, b->rank - 2);
  if (!c->out[0] || !stacks || !t.n || !t.columns)
    return WEFT_OK;
  WEFT_TRY(weft__linear_space(c, 4 * t.n + t.n * t.columns, &space));
  t.above = space;
  t.main = space + t.n;
  t.below = space + 2 * t.n;
  t.over = space + 3 * t.n;
  t.rhs = space + 4 * t.n;
  for (size_t i = 0; i < stacks; i++) {
    WEFT_TRY(weft__call_poll(c));
    weft__linear_load(c->in[0], i * 3 * t.n, 3 * t.n, space);
    weft__linear_load(c->in[1], i * t.n * t.columns, t.n * t.columns, t.rhs);
    memset(t.over, 0, t.n * sizeof *t.over);
    WEFT_TRY(tridiagonal_eliminate(c, &t, pivots));
    WEFT_TRY(tridiagonal_back(c, &t));
    weft__linear_store(c->out[0], i * t.n * t.columns, t.n * t.columns, t.rhs);
  }
  return WEFT_OK;
}

// ---- CholeskyGrad: of x, lower, and its gradient; (S + S^T) / 2 with S = L^-T P L^-1, P the lower half of
// L^T grad, its diagonal halved ----
static weft_status cholesky_infer(weft_infer *it) {
  weft_dim side;
  weft_dim other;
  WEFT_TRY(weft__linear_square(it, 0, &side));
  WEFT_TRY(weft__linear_square(it, 1, &other));
  WEFT_TRY(weft__linear_same_stack(it, it->in[0], it->in[1]));
  WEFT_TRY(weft__merge_dim(it, side, other, "the sides of 'x' and 'grad'", &side));
  if (it->in_dtype[0] != it->in_dtype[1])
    return weft_fail(it->d, WEFT_E_DTYPE, "inputs 'x' and 'grad' must have one dtype");
  return weft__same(it, 0, 0);
}

static weft_status cholesky_half(const weft_call *c, const weft_number *l, const weft_number *grad, size_t n,
                                 weft_number *p) {
  size_t work = 0;
  memset(p, 0, n * n * sizeof *p);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      weft_number sum = 0;
      WEFT_TRY(weft__poll_work(c, &work, n));
      for (size_t k = i; k < n; k++)
        sum += l[k * n + i] * grad[k * n + j];
      p[i * n + j] = i == j ? sum / 2 : sum;
    }
  }
  return WEFT_OK;
}

static weft_status cholesky_one(const weft_call *c, weft_number *l, const weft_number *grad, size_t n,
                                weft_number *p) {
  WEFT_TRY(cholesky_half(c, l, grad, n, p));
  for (size_t i = 0; i < n; i++) {
    if (l[i * n + i] == 0)
      return weft_fail(c->d, WEFT_E_INVALID, "element [%zu,%zu] of the factor is 0", i, i);
  }
  weft__linear_adjoint(l, n);
  WEFT_TRY(weft__linear_triangular_solve(c, l, n, false, p, n));
  weft__linear_adjoint(p, n);
  WEFT_TRY(weft__linear_triangular_solve(c, l, n, false, p, n));
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    for (size_t j = 0; j <= i; j++) {
      const weft_number mean = (p[i * n + j] + p[j * n + i]) / 2;
      p[i * n + j] = p[j * n + i] = mean;
    }
  }
  return WEFT_OK;
}

static weft_status cholesky_ref(const weft_call *c) {
  const weft_shape *s = &c->in[0]->layout.origin;
  const size_t n = (size_t)s->dim[s->rank - 1];
  weft_number *space;
  if (!c->out[0] || !weft__elems(s))
    return WEFT_OK;
  WEFT_TRY(weft__linear_space(c, 3 * n * n, &space));
  for (size_t i = 0; i < weft__prod(s, 0, s->rank - 2); i++) {
    WEFT_TRY(weft__call_poll(c));
    weft__linear_load(c->in[0], i * n * n, n * n, space);
    weft__linear_load(c->in[1], i * n * n, n * n, space + n * n);
    WEFT_TRY(cholesky_one(c, space, space + n * n, n, space + 2 * n * n));
    weft__linear_store(c->out[0], i * n * n, n * n, space + 2 * n * n);
  }
  return WEFT_OK;
}

WEFT_ROWS(tridiagonal) = {
    {"TridiagonalSolve", "systems of equations with three diagonals",
        WEFT_SYMBOLIC, .infer = tridiagonal_infer, .ref = tridiagonal_ref,
     .examples = WEFT_EXAMPLES(
         "f32[3,3]{1,1,0,2,2,2,0,1,1}, f32[3,1]{4,8,8} -> f32[3,1]{1,2,3}",
         "f64[3,2]{2,0,0,0,0,3}, f64[2,1]{4,6} -> f64[2,1]{2,2}",
         "c64[1,3,1]{(0,0),(0,2),(0,0)}, c64[1,1,1]{(4,0)} -> c64[1,1,1]{(0,-2)}",
         "f32[0,3,2], f32[0,2,1] -> f32[0,2,1]", "f32[B,3,N], f32[B,N,2] -> f32[B,N,2]",
         "f32[3,2]{0,0,0,1,0,0}, f32[2,1]{1,1} !! E_INVALID no inverse",
         "f32[3,2]{2,0,0,0,0,3}, f32[2,1]{4,6} partial_pivoting=false !! E_INVALID 'partial_pivoting'",
         "f32[2,2], f32[2,1] !! E_SHAPE 2 and 3 differ")},
    {"CholeskyGrad", "the gradient of a matrix by that of its lower factor",
        WEFT_SYMBOLIC, .infer = cholesky_infer, .ref = cholesky_ref,
     .examples = WEFT_EXAMPLES(
         "f32[1,1]{2}, f32[1,1]{8} -> f32[1,1]{2}", "f64[2,2]{1,9,0,1}, f64[2,2]{2,9,4,6} -> "
         "f64[2,2]{1,2,2,3}",
         "f32[N,3,3], f32[N,3,3] -> f32[N,3,3]", "f32[1,1]{0}, f32[1,1]{1} !! E_INVALID is 0",
         "f32[2,2], f32[3,3] !! E_SHAPE 2 and 3 differ")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
