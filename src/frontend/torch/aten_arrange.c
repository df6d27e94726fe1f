// aten_arrange.c - joins and cuts under the names that NumPy gave them, products of sets, elements put on
// diagonals and beyond them.
#include "base/allocated.h"
#include "frontend/torch/tables.h"

static weft_value *arrange_at_least(front_op *b, weft_value *v, int rank) {
  int have = front_rank_of(b, v);
  if (b->failed)
    return NULL;
  if (have < 1 && rank >= 1)
    v = front_unsqueezed(b, v, 0);
  if (have < 2 && rank >= 2)
    v = front_unsqueezed(b, v, 0);
  if (have < 3 && rank >= 3)
    v = front_unsqueezed(b, v, 2);
  return v;
}
static void arrange_axes(pt_op *o, int rank) {
  weft_value **v;
  if (!pt_has(o, "tensors")) {
    pt_result(o, 0, arrange_at_least(&o->b, pt_tensor(o, "self"), rank));
    return;
  }
  size_t n = pt_tensors(o, "tensors", &v);
  for (size_t i = 0; i < n && !o->b.failed; i++)
    pt_result(o, i, arrange_at_least(&o->b, v[i], rank));
}
static void arrange_1d(pt_op *o) {
  arrange_axes(o, 1);
}
static void arrange_2d(pt_op *o) {
  arrange_axes(o, 2);
}
static void arrange_3d(pt_op *o) {
  arrange_axes(o, 3);
}

// Vectors are columns.
static void arrange_column_stack(pt_op *o) {
  front_op *b = &o->b;
  weft_value **v;
  size_t n = pt_tensors(o, "tensors", &v);
  for (size_t i = 0; i < n && !b->failed; i++) {
    v[i] = front_as(b, v[i], pt_out_type(o, 0));
    if (front_rank_of(b, v[i]) < 2)
      v[i] = front_reshaped(b, v[i], (int64_t[]){-1, 1}, 2);
  }
  pt_result(o, 0, b->failed ? NULL : front_joined(b, v, n, 1));
}

static void arrange_ravel(pt_op *o) {
  pt_result(o, 0, front_reshaped(&o->b, pt_tensor(o, "self"), &(int64_t){-1}, 1));
}

// Places of what is not 0, a row each; a number has rows of nothing.
static void arrange_argwhere(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = front_as(b, pt_tensor(o, "self"), WEFT_BOOL);
  int rank = front_rank_of(b, v);
  if (rank) {
    pt_result(o, 0, front_do(b, "NonZero", v, NULL, NULL));
    return;
  }
  weft_value *n = front_do(b, "NonZero", front_reshaped(b, v, &(int64_t){1}, 1), NULL, NULL);
  pt_result(o, 0, front_part(b, n, 1, 0, 0));
}

// ---- products of sets ----
static void arrange_cartesian(pt_op *o) {
  front_op *b = &o->b;
  weft_value **v;
  size_t n = pt_tensors(o, "tensors", &v);
  weft_value *sizes[WEFT_MAX_RANK];
  if (n > WEFT_MAX_RANK || !n)
    front_fail(b, WEFT_E_LIMIT, "a product of %zu tensors; 1 to %d are read", n, WEFT_MAX_RANK);
  for (size_t i = 0; i < n && !b->failed; i++)
    sizes[i] = front_dim_list(b, v[i], 0);
  weft_value *shape = b->failed || n == 1 ? NULL : front_joined(b, sizes, n, 0);
  for (size_t i = 0; i < n && n > 1 && !b->failed; i++) {
    int64_t dims[WEFT_MAX_RANK];
    for (size_t k = 0; k < n; k++)
      dims[k] = k == i ? -1 : 1;
    v[i] = front_expanded(b, front_reshaped(b, v[i], dims, n), shape);
    v[i] = front_reshaped(b, v[i], (int64_t[]){-1, 1}, 2);
  }
  pt_result(o, 0, b->failed ? NULL : n == 1 ? v[0] : front_joined(b, v, n, 1));
}

// The next r places that ascend, each below n; with repeats they need not be different. false: those were
// all.
static bool arrange_next(int64_t *at, int64_t r, int64_t n, bool repeats) {
  for (int64_t i = r; i-- > 0;) {
    if (at[i] + 1 > n - (repeats ? 1 : r - i))
      continue;
    at[i]++;
    for (int64_t k = i + 1; k < r; k++)
      at[k] = at[k - 1] + (repeats ? 0 : 1);
    return true;
  }
  return false;
}

// How many rows of r places there are; more than `most` places: `most`.
static int64_t arrange_rows_of(int64_t r, int64_t n, bool repeats, int64_t most) {
  int64_t at[PT_MAX_NUMBERS];
  int64_t rows = 0;
  for (int64_t i = 0; i < r; i++)
    at[i] = repeats ? 0 : i;
  bool more = n > 0 && (repeats || r <= n);
  for (; more && rows * r < most; more = arrange_next(at, r, n, repeats))
    rows++;
  return rows;
}

static void arrange_combinations(pt_op *o) {
  enum { MOST = 1 << 20 };
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int64_t r = pt_int(o, "r", 2);
  bool repeats = pt_bool(o, "with_replacement", false);
  weft_dim n = front_dim(v, 0);
  int64_t at[PT_MAX_NUMBERS];
  if (!b->failed && n < 0 && r == 2) {  // rows and columns above a diagonal
    weft_value *all = front_dim_index(b, v, 0);
    weft_value *pairs = front_triangle(b, all, all, !repeats, true);
    pt_result(o, 0, front_picked(b, v, 0, front_swapped(b, pairs, 0, 1)));
    return;
  }
  if (!b->failed && (n < 0 || r < 0 || r > PT_MAX_NUMBERS))
    front_fail(b, WEFT_E_UNSUPPORTED, "combinations of %lld out of %lld elements", (long long)r,
               front_shown(n));
  if (b->failed)
    return;
  if (!r) {
    pt_result(o, 0, front_part(b, v, 0, 0, 0));
    return;
  }
  const int64_t rows = arrange_rows_of(r, n, repeats, MOST);
  if (rows * r >= MOST) {
    front_fail(b, WEFT_E_LIMIT, "combinations of 2^20 places and more");
    return;
  }
  int64_t *places = WEFT_NEW_N(&o->m->f.arena, int64_t, (size_t)(rows * r) + 1);
  b->failed = weft__allocated(places, o->m->f.d);
  if (b->failed)
    return;
  for (int64_t i = 0; i < r; i++)
    at[i] = repeats ? 0 : i;
  for (int64_t row = 0; row < rows; row++, (void)arrange_next(at, r, n, repeats))
    memcpy(places + row * r, at, (size_t)r * sizeof *at);
  weft_value *index = front_reshaped(b, front_list(b, places, (size_t)(rows * r)), (int64_t[]){rows, r}, 2);
  pt_result(o, 0, front_picked(b, v, 0, index));
}

// Powers of the elements: x^(n-1) .. 1, or the other way round.
static void arrange_powers(pt_op *o, bool increasing) {
  enum { MOST = 4096 };
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *v = pt_operand(o, pt_has(o, "x") ? "x" : "self", t);
  if (front_rank_of(b, v) == 0)  // a number is a vector of one
    v = front_reshaped(b, v, &(int64_t){1}, 1);
  int rank = front_rank_of(b, v);
  weft_value *n = pt_find(o, "N") ? pt_size_index(o, "N", 0) : front_dim_index(b, v, rank - 1);
  int64_t known;
  size_t one;
  increasing = pt_bool(o, "increasing", increasing);
  if (!b->failed && front_known_ints(n, &known, 1, &one) && (known < 0 || known > MOST))
    front_fail(b, WEFT_E_LIMIT, "how many powers: %lld, where 0 to %d are read", front_shown(known), MOST);
  if (b->failed)
    return;
  weft_value *to = front_as(b, front_counting(b, n), t);
  weft_value *y = front_do(b, "Pow", front_unsqueezed(b, v, rank), to, NULL);
  pt_result(o, 0, increasing ? y : front_do(b, "ReverseV2", y, front_list(b, &(int64_t){rank}, 1), NULL));
}
static void arrange_vander(pt_op *o) {
  arrange_powers(o, false);
}
static void arrange_linalg_vander(pt_op *o) {
  arrange_powers(o, true);
}

// A tensor as chunks along an axis, the last of them filled with zeros, and the rest of each in one axis.
static weft_value *arrange_chunks(front_op *b, weft_value *v, int64_t axis, int64_t chunks) {
  int rank = front_rank_of(b, v);
  axis = front_axis(b, axis, rank);
  if (!b->failed && axis + 2 > WEFT_MAX_RANK)
    front_fail(b, WEFT_E_UNSUPPORTED, "chunks along axis %lld of rank %d", (long long)axis, rank);
  if (b->failed)
    return NULL;
  weft_value *size = front_dim_list(b, v, axis);
  weft_value *each = front_size_by(b, "FloorDiv", front_size_by(b, "Add", size, chunks - 1), chunks);
  weft_value *more = front_size_of(b, "Sub", front_size_by(b, "Mul", each, chunks), size);
  weft_value *dims[WEFT_MAX_RANK];
  for (int64_t i = 0; i < axis; i++)
    dims[i] = front_dim_list(b, v, i);
  for (int64_t i = axis + 1; i < rank; i++)
    each = front_size_of(b, "Mul", each, front_dim_list(b, v, i));
  dims[axis] = front_list(b, &chunks, 1);
  dims[axis + 1] = each;
  v = front_padded(b, v, axis, NULL, more);
  return b->failed ? NULL : front_reshape(b, v, front_size_list(b, dims, (size_t)axis + 2));
}

static void arrange_chunk_cat(pt_op *o) {
  front_op *b = &o->b;
  weft_value **v;
  size_t n = pt_tensors(o, "tensors", &v);
  int64_t axis = pt_int(o, "dim", 0);
  int64_t chunks = pt_int(o, "num_chunks", 1);
  if (!b->failed && (!n || chunks < 1))
    front_fail(b, WEFT_E_RANGE, "%lld chunks of %zu tensors", (long long)chunks, n);
  weft_dtype t = pt_out_type(o, 0);
  for (size_t i = 0; i < n && !b->failed; i++)
    v[i] = arrange_chunks(b, front_as(b, v[i], t), axis, chunks);
  if (!b->failed)
    pt_result(o, 0, front_joined(b, v, n, front_rank(v[0]) - 1));
}

// ---- diagonals of matrices ----
// Where the element [i, j] of the last two axes, x and y, stands on the diagonal, i (or j, of one above):
// BOOL.
static weft_value *arrange_on(front_op *b, weft_value *v, int64_t offset) {
  int rank = front_rank_of(b, v);
  weft_value *rows = front_unsqueezed(b, front_counting(b, front_dim_index(b, v, rank - 2)), 1);
  weft_value *columns = front_counting(b, front_dim_index(b, v, rank - 1));
  return front_do(b, "Equal", front_do(b, "Sub", columns, rows, NULL), front_index(b, offset), NULL);
}

static void arrange_diagonal_scatter(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *src = pt_tensor(o, "src");
  int rank = front_rank_of(b, v);
  int64_t x = pt_axis(o, "dim1", 0, rank);
  int64_t y = pt_axis(o, "dim2", 1, rank);
  int64_t offset = pt_int(o, "offset", 0);
  int64_t order[WEFT_MAX_RANK];
  int64_t back[WEFT_MAX_RANK];
  int n = 0;
  if (!b->failed && x == y)
    front_fail(b, WEFT_E_INVALID, "axis %lld stands twice: a diagonal needs two axes", (long long)x);
  if (b->failed)
    return;
  for (int i = 0; i < rank; i++) {
    if (i != x && i != y)
      order[n++] = i;
  }
  order[n++] = x;
  order[n++] = y;
  for (int i = 0; i < rank; i++)
    back[order[i]] = i;
  v = front_permuted(b, v, order, (size_t)rank);
  weft_value *on = arrange_on(b, v, offset);
  // element i of the diagonal stands in row i, or in column i where the diagonal lies below
  weft_value *at = front_counting(b, front_dim_index(b, v, offset >= 0 ? rank - 2 : rank - 1));
  weft_value *last = front_do(b, "Sub", front_dim_index(b, src, rank - 2), front_index(b, 1), NULL);
  at = front_do(b, "Maximum", front_do(b, "Minimum", at, last, NULL), front_index(b, 0), NULL);
  src = front_unsqueezed(b, front_picked(b, src, rank - 2, at), offset >= 0 ? rank - 1 : rank - 2);
  v = front_where(b, on, src, v);
  pt_result(o, 0, b->failed ? NULL : front_permuted(b, v, back, (size_t)rank));
}

static void arrange_fill_diagonal(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  weft_value *with = v ? pt_operand(o, "fill_value", v->fact.dtype) : NULL;
  if (pt_bool(o, "wrap", false) || rank != 2)
    front_fail(b, WEFT_E_UNSUPPORTED, "only the diagonal of one matrix is filled, without wrapping");
  weft_value *on = arrange_on(b, v, 0);
  pt_result(o, 0, front_where(b, on, with, v));
}

// Summed over the axes along which a tensor of that size was broadcast.
static void arrange_sum_to_size(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int64_t size[PT_MAX_NUMBERS];
  int64_t axes[WEFT_MAX_RANK];
  int rank = front_rank_of(b, v);
  int n = (int)pt_ints(o, "size", size);
  size_t m = 0;
  for (int i = 0; i < rank; i++) {
    int own = i - (rank - n);
    if (own < 0 || (size[own] == 1 && front_dim(v, i) != 1))
      axes[m++] = i;
  }
  if (v && v->fact.dtype == WEFT_BOOL)
    v = front_as(b, v, pt_out_type(o, 0));
  v = m ? front_reduced(b, "ReduceSum", v, axes, m, true) : v;
  pt_result(o, 0, b->failed ? NULL : front_reshaped(b, v, size, (size_t)n));
}

static const pt_row arrange_rows[] = {
    {"atleast_1d", NULL, 0, arrange_1d, 0},
    {"atleast_2d", NULL, 0, arrange_2d, 0},
    {"atleast_3d", NULL, 0, arrange_3d, 0},
    {"column_stack", NULL, 0, arrange_column_stack, 0},
    {"ravel", NULL, 0, arrange_ravel, 'C'},
    {"argwhere", NULL, 0, arrange_argwhere, 0},
    {"cartesian_prod", NULL, 0, arrange_cartesian, 0},
    {"combinations", NULL, 0, arrange_combinations, 0},
    {"vander", NULL, 0, arrange_vander, 0},
    {"_chunk_cat", NULL, 0, arrange_chunk_cat, 0},
    {"linalg_vander", NULL, 0, arrange_linalg_vander, 0},
    {"diagonal_scatter", NULL, 0, arrange_diagonal_scatter, 0},
    {"fill_diagonal", NULL, 0, arrange_fill_diagonal, 0},
    {"sum_to_size", NULL, 0, arrange_sum_to_size, 0},
};
const pt_rows pt_arrange = PT_ROWS(arrange_rows);
// SPDX-License-Identifier: Apache-2.0
