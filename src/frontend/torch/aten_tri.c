// aten_tri.c - triangles and diagonals, views by strides, and others that are made of places in a matrix.
#include "base/allocated.h"
#include "frontend/torch/tables.h"

static void tri_part(pt_op *o, int64_t upper) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *k = pt_size_index(o, "diagonal", 0);
  bool truth = v && v->fact.dtype == WEFT_BOOL;
  if (truth)
    v = front_as(b, v, WEFT_UINT8);
  front_set_int(b, "upper", upper);
  v = front_do(b, "Trilu", v, k, NULL);
  pt_result(o, 0, truth ? front_as(b, v, WEFT_BOOL) : v);
}
static void tri_lower(pt_op *o) {
  tri_part(o, 0);
}
static void tri_upper(pt_op *o) {
  tri_part(o, 1);
}

// ---- diagonals ----
// The two axes of v behind all others.
static weft_value *tri_last(front_op *b, weft_value *v, int64_t x, int64_t y) {
  int64_t order[WEFT_MAX_RANK];
  int rank = front_rank_of(b, v);
  int n = 0;
  for (int i = 0; i < rank; i++) {
    if (i != x && i != y)
      order[n++] = i;
  }
  order[n++] = x;
  order[n++] = y;
  return b->failed ? NULL : front_permuted(b, v, order, (size_t)n);
}

// Elements [i + down, i + right] of the last two axes, of a matrix of rows * columns.
static weft_value *tri_diagonal_of(front_op *b, weft_value *v, int64_t offset) {
  int rank = front_rank_of(b, v);
  int64_t down = offset < 0 ? -offset : 0;
  int64_t right = offset > 0 ? offset : 0;
  if (!b->failed && rank < 2)
    front_fail(b, WEFT_E_SHAPE, "a tensor of rank %d has no diagonal", rank);
  if (b->failed)
    return NULL;
  weft_value *rows = front_dim_index(b, v, rank - 2);
  weft_value *columns = front_dim_index(b, v, rank - 1);
  weft_value *n = front_do(b, "Minimum", front_do(b, "Sub", rows, front_index(b, down), NULL),
                           front_do(b, "Sub", columns, front_index(b, right), NULL), NULL);
  n = front_do(b, "Maximum", n, front_index(b, 0), NULL);
  weft_value *step = front_do(b, "Add", columns, front_index(b, 1), NULL);
  weft_value *first = front_do(b, "Add", front_do(b, "Mul", columns, front_index(b, down), NULL),
                               front_index(b, right), NULL);
  weft_value *at = front_do(b, "Add", front_do(b, "Mul", front_counting(b, n), step, NULL), first, NULL);
  weft_value *parts[WEFT_MAX_RANK];
  for (int i = 0; i < rank - 2; i++)
    parts[i] = front_dim_list(b, v, i);
  parts[rank - 2] = front_span(b, v, rank - 2, rank);
  v = front_reshape(b, v, front_size_list(b, parts, (size_t)rank - 1));
  return front_picked(b, v, rank - 2, at);
}

static void tri_diagonal(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, pt_has(o, "self") ? "self" : "A");
  int rank = front_rank_of(b, v);
  bool linalg = !strncmp(o->target ? o->target : "", "linalg", 6);
  int64_t x = pt_axis(o, "dim1", linalg ? -2 : 0, rank);
  int64_t y = pt_axis(o, "dim2", linalg ? -1 : 1, rank);
  if (!b->failed && (rank < 2 || x == y))
    front_fail(b, WEFT_E_SHAPE, "a diagonal needs two different axes");
  if (!b->failed)
    pt_result(o, 0, tri_diagonal_of(b, tri_last(b, v, x, y), pt_int(o, "offset", 0)));
}

static void tri_trace(pt_op *o) {
  weft_value *v = tri_diagonal_of(&o->b, pt_tensor(o, "self"), 0);
  v = front_as(&o->b, v, pt_out_type(o, 0));
  pt_result(o, 0, front_reduced(&o->b, "ReduceSum", v, &(int64_t){0}, 1, false));
}

// The last axis on a diagonal of a square of zeros, which is the last two axes.
static weft_value *tri_embedded(front_op *b, weft_value *v, int64_t offset) {
  int rank = front_rank_of(b, v);
  int64_t more = offset < 0 ? -offset : offset;
  int64_t pads[2 * WEFT_MAX_RANK] = {0};
  if (b->failed || rank < 1)
    return front_none(b, WEFT_E_SHAPE, "a diagonal of rank %d", rank);
  pads[offset > 0 ? rank - 1 : 2 * rank - 1] = more;
  weft_value *zero = front_num(b, v->fact.dtype, 0);
  weft_value *list = front_list(b, pads, 2 * (size_t)rank);
  if (more) {
    front_set_bool(b, "paddings_contiguous", false);
    v = front_do(b, "PadV3", v, list, zero);
  }
  weft_value *places = front_counting(b, front_dim_index(b, v, rank - 1));
  weft_value *rows = front_unsqueezed(b, places, 1);
  weft_value *on = front_do(b, "Equal", front_do(b, "Sub", places, rows, NULL), front_index(b, offset), NULL);
  return front_where(b, on, front_unsqueezed(b, v, rank - 1), zero);
}

static void tri_embed(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v) + 1;
  int64_t x = pt_axis(o, "dim1", -2, rank);
  int64_t y = pt_axis(o, "dim2", -1, rank);
  int64_t order[WEFT_MAX_RANK];
  int64_t next = 0;
  v = tri_embedded(b, v, pt_int(o, "offset", 0));
  for (int i = 0; i < rank && !b->failed; i++)
    order[i] = i == x ? rank - 2 : i == y ? rank - 1 : next++;
  pt_result(o, 0, b->failed ? NULL : front_permuted(b, v, order, (size_t)rank));
}

static void tri_diagflat(pt_op *o) {
  weft_value *v = front_flat(&o->b, pt_tensor(o, "self"));
  pt_result(o, 0, tri_embedded(&o->b, v, pt_int(o, "offset", 0)));
}

static void tri_diag(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int64_t k = pt_int(o, "diagonal", 0);
  int rank = front_rank_of(&o->b, v);
  pt_result(o, 0, rank == 1 ? tri_embedded(&o->b, v, k) : tri_diagonal_of(&o->b, v, k));
}

// ---- strides ----
// The same where the run knows sizes, strides or the offset: a sum of a row of places for each axis.
static weft_value *tri_value_places(front_op *b, weft_value *offset, weft_value *const *size,
                                    weft_value *const *stride, size_t n) {
  weft_value *at = front_reshaped(b, offset, NULL, 0);
  for (size_t i = 0; i < n && !b->failed; i++) {
    weft_value *row = front_counting(b, front_reshaped(b, size[i], NULL, 0));
    row = front_do(b, "Mul", row, stride[i], NULL);
    at = front_do(b, "Add", front_unsqueezed(b, at, (int64_t)i), row, NULL);
  }
  return at;
}

// The places that sizes and strides mean in a tensor that lies in memory in the order of its axes, with the
// shape that the sizes are.
static weft_value *tri_places(pt_op *o) {
  front_op *b = &o->b;
  weft_value *sizes[WEFT_MAX_RANK];
  weft_value *strides[WEFT_MAX_RANK];
  int64_t size[WEFT_MAX_RANK];
  int64_t stride[WEFT_MAX_RANK];
  const char *key;
  const weft_json *named = pt_only(pt_find(o, "self"), &key);
  pt_value *self = pt_text(named, "name") ? pt_name(o->s, pt_text(named, "name")) : NULL;
  size_t n = pt_size_lists(o, "size", sizes);
  size_t m = pt_size_lists(o, "stride", strides);
  weft_value *first = pt_size_list(o, "storage_offset", 0);
  int64_t offset = 0;
  int64_t elems = 1;
  if (!b->failed && (n != m || !self || !pt_meta_contiguous(pt_meta(o->m, self))))
    front_fail(b, WEFT_E_UNSUPPORTED,
               "strides of a tensor that does not lie in memory in the order of its axes");
  if (b->failed)
    return NULL;
  bool known = front_known_ints(first, &offset, 1, &m);
  for (size_t i = 0; i < n; i++) {
    known &= front_known_ints(sizes[i], &size[i], 1, &m);
    known &= front_known_ints(strides[i], &stride[i], 1, &m);
  }
  if (!known)
    return tri_value_places(b, first, sizes, strides, n);
  for (size_t i = 0; i < n && !b->failed; i++) {
    if (size[i] < 0 || !weft__mul_i64(elems, size[i], &elems) || elems > 1 << 24)
      front_fail(b, WEFT_E_LIMIT, "a view by strides of more than 2^24 elements");
  }
  if (b->failed)
    return NULL;
  int64_t *places = WEFT_NEW_N(&o->m->f.arena, int64_t, (size_t)elems + 1);
  b->failed = weft__allocated(places, o->m->f.d);
  for (int64_t i = 0; i < elems && places; i++) {
    uint64_t at = (uint64_t)offset;  // may wrap: the gather checks
    int64_t rest = i;
    for (size_t k = n; k-- > 0;) {
      at += (uint64_t)(rest % size[k]) * (uint64_t)stride[k];
      rest /= size[k];
    }
    places[i] = (int64_t)at;
  }
  return b->failed ? NULL : front_reshaped(b, front_list(b, places, (size_t)elems), size, n);
}

static void tri_strided(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *at = tri_places(o);
  pt_result(o, 0, front_picked(b, front_flat(b, v), 0, at));
}

static void tri_strided_scatter(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *src = pt_tensor(o, "src");
  weft_value *at = tri_places(o);
  if (b->failed)
    return;
  src = front_flat(b, front_expanded(b, front_as(b, src, v->fact.dtype), front_shape(b, at)));
  weft_value *all = front_flat(b, v);
  at = front_flat(b, at);
  front_set_int(b, "axis", 0);
  front_set_text(b, "reduction", "none");
  weft_value *y = front_do(b, "ScatterElements", all, at, src);
  pt_result(o, 0, front_reshape(b, y, front_shape(b, v)));
}

// Rows on and under the diagonal where both tensors agree are left; block diagonals are joined pieces.
static void tri_block(pt_op *o) {
  front_op *b = &o->b;
  weft_value **v;
  size_t n = pt_tensors(o, "tensors", &v);
  weft_value *all = NULL;
  for (size_t i = 0; i < n && !b->failed; i++) {
    weft_value *one = v[i];
    while (!b->failed && front_rank_of(b, one) < 2)
      one = front_unsqueezed(b, one, 0);
    if (!all) {
      all = one;
      continue;
    }
    weft_value *before = front_dim_list(b, all, 1);
    all = front_padded(b, all, 1, NULL, front_dim_list(b, one, 1));
    one = front_padded(b, one, 1, before, NULL);
    weft_value *parts[2] = {all, one};
    all = b->failed ? NULL : front_joined(b, parts, 2, 0);
  }
  pt_result(o, 0, all);
}

static const pt_row tri_rows[] = {
    {"tril", NULL, 0, tri_lower, 0},
    {"triu", NULL, 0, tri_upper, 0},
    {"diagonal", NULL, 0, tri_diagonal, 'V'},
    {"diagonal_copy", NULL, 0, tri_diagonal, 0},
    {"linalg_diagonal", NULL, 0, tri_diagonal, 'V'},
    {"trace", NULL, 0, tri_trace, 0},
    {"diag_embed", NULL, 0, tri_embed, 0},
    {"diag", NULL, 0, tri_diag, 0},
    {"diagflat", NULL, 0, tri_diagflat, 0},
    {"as_strided_scatter", NULL, 0, tri_strided_scatter, 0},
    {"as_strided", NULL, 0, tri_strided, 'V'},
    {"as_strided_copy", NULL, 0, tri_strided, 0},
    {"block_diag", NULL, 0, tri_block, 0},
};
const pt_rows pt_tri = PT_ROWS(tri_rows);
// SPDX-License-Identifier: Apache-2.0
