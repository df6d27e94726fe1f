// ops/linear/lu_factor.c - triangular factors as LAPACK gives them.   weft's own: AscendIR's Lu takes square
// matrices that have an inverse, and no others.
// LuFactor: x of any sizes is P L U; L, whose diagonal is ones, and U lie in one matrix. Step i exchanged row
// i with row pivots[i], counted from 1. info is the first step, counted from 1, whose pivot is 0; 0: none.
// PivotOrder: the order of rows that these exchanges come to: row i of L U is row order[i] of x.
// By elimination with the largest element first, in double, rounded once. The size of a complex number is
// the sum of its parts' sizes, as in LAPACK: by another measure other rows would be exchanged.
#include "linear.h"

enum { PIVOT };

static weft_status lu_sizes(const weft_infer *it, uint32_t in, weft_dim *rows, weft_dim *least) {
  const weft_shape *x = it->in[in];
  *rows = *least = -1;
  WEFT_TRY(weft__expect_rank(it, in, 2, WEFT_MAX_RANK));
  if (weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  const weft_dim columns = x->dim[x->rank - 1];
  *rows = x->dim[x->rank - 2];
  if (*rows == columns || *rows == 0)
    *least = *rows;
  else if (columns == 0)
    *least = 0;
  else if (*rows > 0 && columns > 0)
    *least = WEFT_MIN(*rows, columns);
  return WEFT_OK;
}

static weft_status lu_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_dim rows;
  weft_dim least;
  WEFT_TRY(lu_sizes(it, 0, &rows, &least));
  if (weft_shape_is_unknown_rank(x)) {
    for (uint32_t o = 0; o < 3; o++)
      WEFT_TRY(weft__unknown_rank(it, o));
    return WEFT_OK;
  }
  weft_shape_copy(it->out[0], x);
  WEFT_TRY(weft__linear_stack(it, 1, x, 2));
  it->out[1]->dim[it->out[1]->rank++] = least;
  return weft__linear_stack(it, 2, x, 2);
}

static double lu_size(weft_number v) {
  return fabs(creal(v)) + fabs(cimag(v));
}

// One matrix in place; pivots from 1. The first step without a pivot, from 1; 0: none.
static weft_status lu_eliminate(const weft_call *c, weft_number *a, size_t rows, size_t columns,
                                int32_t *pivots, int32_t *info) {
  const bool exchange = weft_node_bool(c->desc, PIVOT);
  size_t work = 0;
  *info = 0;
  for (size_t k = 0; k < WEFT_MIN(rows, columns); k++) {
    size_t most = k;
    WEFT_TRY(weft__poll_work(c, &work, rows - k + columns));
    for (size_t i = k + 1; exchange && i < rows; i++) {
      if (lu_size(a[i * columns + k]) > lu_size(a[most * columns + k]))
        most = i;
    }
    pivots[k] = (int32_t)most + 1;
    if (most != k)
      weft__linear_exchange(a + k * columns, a + most * columns, columns);
    if (a[k * columns + k] != 0)
      WEFT_TRY(weft__linear_eliminate(c, a, rows, columns, k, &work));
    else if (!*info)
      *info = (int32_t)k + 1;
  }
  return WEFT_OK;
}

static weft_status lu_ref(const weft_call *c) {
  const weft_shape *s = &c->in[0]->layout.origin;
  const size_t rows = (size_t)s->dim[s->rank - 2];
  const size_t columns = (size_t)s->dim[s->rank - 1];
  const size_t least = WEFT_MIN(rows, columns);
  const size_t n = weft__prod(s, 0, s->rank - 2);
  weft_number *a;
  if (rows > INT32_MAX)
    return weft_fail(c->d, WEFT_E_LIMIT, "%zu rows", rows);
  if (!n)
    return WEFT_OK;
  WEFT_TRY(weft__linear_space(c, rows * columns + least, &a));
  int32_t *pivots = (int32_t *)(void *)(a + rows * columns);
  for (size_t i = 0; i < n; i++) {
    int32_t info;
    WEFT_TRY(weft__call_poll(c));
    weft__linear_load(c->in[0], i * rows * columns, rows * columns, a);
    WEFT_TRY(lu_eliminate(c, a, rows, columns, pivots, &info));
    if (c->out[0])
      weft__linear_store(c->out[0], i * rows * columns, rows * columns, a);
    if (c->out[1] && least)
      memcpy((int32_t *)c->out[1]->data + i * least, pivots, least * sizeof *pivots);
    if (c->out[2])
      memcpy((int32_t *)c->out[2]->data + i, &info, sizeof info);
  }
  return WEFT_OK;
}

// ---- PivotOrder ----
static weft_status order_infer(weft_infer *it) {
  weft_dim rows;
  weft_dim least;
  WEFT_TRY(lu_sizes(it, 1, &rows, &least));
  WEFT_TRY(weft__expect_rank(it, 0, 1, WEFT_MAX_RANK));
  const weft_shape *p = it->in[0];
  const weft_shape *lu = it->in[1];
  if (weft_shape_is_unknown_rank(lu) || weft_shape_is_unknown_rank(p))
    return weft__unknown_rank(it, 0);
  if (p->rank + 1 != lu->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'pivots': rank %zu, 'lu' has rank %zu", p->rank, lu->rank);
  for (size_t i = 0; i < p->rank; i++) {
    weft_dim same;
    const weft_dim want = i + 1 < p->rank ? lu->dim[i] : least;
    WEFT_TRY(weft__merge_dim(it, p->dim[i], want, "sizes of 'pivots' and 'lu'", &same));
  }
  return weft__linear_stack(it, 0, lu, 1);
}

static weft_status order_ref(const weft_call *c) {
  const weft_tensor *p = c->in[0];
  const weft_shape *s = &c->out[0]->layout.origin;
  const size_t rows = (size_t)s->dim[s->rank - 1];
  const size_t n = weft__prod(s, 0, s->rank - 1);
  const size_t steps = n ? weft__elems(&p->layout.origin) / n : 0;
  int64_t *order = c->out[0]->data;
  if (weft__call_gives_nothing(c))  // as many matrices of none as the input claims
    return WEFT_OK;
  for (size_t i = 0; i < n; i++, order += rows) {
    WEFT_TRY(weft__call_poll(c));
    for (size_t k = 0; k < rows; k++)
      order[k] = (int64_t)k;
    for (size_t k = 0; k < steps; k++) {
      const int64_t with = weft_load_i64(p->dtype, p->data, i * steps + k);
      if (with < 1 || with > (int64_t)rows)
        return weft_fail(c->d, WEFT_E_RANGE, "input 'pivots': element %zu is %lld, of %zu rows",
                         i * steps + k, (long long)with, rows);
      const int64_t row = order[k];
      order[k] = order[with - 1];
      order[with - 1] = row;
    }
  }
  return WEFT_OK;
}

#define NUMBERS WEFT_DT(FLOAT) | WEFT_DT(DOUBLE) | WEFT_DT(COMPLEX64) | WEFT_DT(COMPLEX128)
WEFT_OP(lu_factor) = {
    WEFT_OP_HEAD,
    .name = "LuFactor",
    .summary = "triangular factors of a matrix of any sizes, its row exchanges, and its first pivot of 0",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"lu", "T"}, {"pivots", NULL, WEFT_DT(INT32)}, {"info", NULL, WEFT_DT(INT32)}),
    .types = TYPES({"T", NUMBERS}),
    .attrs = ATTRS({"pivot", "Bool", "true"}),
    .traits = WEFT_SYMBOLIC,
    .infer = lu_infer,
    .ref = lu_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,2]{1,2,4,4} -> f32[2,2]{4,4,0.25,1}, i32[2]{2,2}, i32[]{0}",
        "f32[2,2]{1,2,4,4} pivot=false -> f32[2,2]{1,2,4,-4}, i32[2]{1,2}, i32[]{0}",
        "f32[3,2]{1,2,2,4,4,0} -> f32[3,2]{4,0,0.5,4,0.25,0.5}, i32[2]{3,2}, i32[]{0}",
        "f32[1,2,3]{0,1,2,0,3,4} -> f32[1,2,3]{0,1,2,0,3,4}, i32[1,2]{1,2}, i32[1]{1}",
        "c64[1,1]{(0,2)} -> c64[1,1]{(0,2)}, i32[1]{1}, i32[]{0}",
        "c128[2,1]{(3,3),(5,0)} -> c128[2,1]{(3,3),(0.83333333333333333,-0.83333333333333333)}, i32[1]{1}, "
        "i32[]{0} ~1e-15",
        "f64[2,0,3] -> f64[2,0,3], i32[2,0], i32[2]{0,0}",
        "f32[N,4,3] -> f32[N,4,3], i32[N,3], i32[N]", "f32[?] -> f32[?], i32[?], i32[?]",
        "f32[-1,M,M] -> f32[-1,M,M], i32[-1,M], i32[-1]", "f32[3] !! E_SHAPE rank",
        "i32[2,2] !! E_DTYPE input 'x'"),
};
WEFT_OP(pivot_order) = {
    WEFT_OP_HEAD,
    .name = "PivotOrder",
    .summary = "the order of rows that the row exchanges of LuFactor come to",
    .in = PORTS({"pivots", NULL, WEFT_SET_INDEX}, {"lu", NULL, NUMBERS}),
    .out = PORTS({"order", NULL, WEFT_DT(INT64)}),
    .traits = WEFT_SYMBOLIC,
    .infer = order_infer,
    .ref = order_ref,
    .examples = WEFT_EXAMPLES("i32[2]{3,3}, f32[3,2]{0,0,0,0,0,0} -> i64[3]{2,0,1}",
                              "i32[1,2]{2,2}, f64[1,2,2]{0,0,0,0} -> i64[1,2]{1,0}",
                              "i32[N,2], f32[N,2,5] -> i64[N,2]", "i32[?], f32[2,2] -> i64[?]",
                              "i32[1]{4}, f32[3,1]{0,0,0} !! E_RANGE input 'pivots'",
                              "i64[1]{-9223372036854775808}, f32[3,1]{0,0,0} !! E_RANGE input 'pivots'",
                              "i32[2], f32[3,3] !! E_SHAPE sizes",
                              "i32[3], f32[1,3,3] !! E_SHAPE rank"),
};
// SPDX-License-Identifier: Apache-2.0
