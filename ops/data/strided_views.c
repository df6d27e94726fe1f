// ops/data/strided_views.c - tensors seen through sizes, strides and an offset.   AscendIR AsStrided,
// ViewCopy,
// as PyTorch's as_strided and copy_ on such views have them. Every view must lie within its tensor.
#include "air_slots.h"
#include "dims_move.h"
#include <stdlib.h>
#include "op/air_rows.h"

typedef struct strided_view {
  size_t rank;
  int64_t dim[WEFT_MAX_RANK], step[WEFT_MAX_RANK], base;
} strided_view;

// size, stride and offset are inputs `in`, in + 1 and in + 2.
static weft_status view_read(const weft_call *c, uint32_t in, const weft_shape *of, strided_view *v) {
  size_t n;
  int64_t low;
  int64_t high;
  int64_t elems = 1;
  bool empty = false;
  WEFT_TRY(weft__read_ints(c, in, v->dim, WEFT_MAX_RANK, &v->rank));
  WEFT_TRY(weft__read_ints(c, in + 1, v->step, WEFT_MAX_RANK, &n));
  WEFT_TRY(weft__read_int(c, in + 2, &v->base));
  if (n != v->rank)
    return weft_fail(c->d, WEFT_E_SHAPE, "%zu sizes and %zu strides", v->rank, n);
  low = high = v->base;
  for (size_t k = 0; k < n; k++) {
    int64_t way;
    if (v->dim[k] < 0)
      return weft_fail(c->d, WEFT_E_RANGE, "size %zu is %lld", k, (long long)v->dim[k]);
    empty = empty || !v->dim[k];
    if (!v->dim[k])
      continue;
    if (!weft__mul_i64(elems, v->dim[k], &elems))
      return weft_fail(c->d, WEFT_E_OVERFLOW, "the elements of the view overflow");
    if (!weft__mul_i64(v->dim[k] - 1, v->step[k], &way) || !weft__add_i64(low, WEFT_MIN(way, 0), &low) ||
        !weft__add_i64(high, WEFT_MAX(way, 0), &high))
      return weft_fail(c->d, WEFT_E_OVERFLOW, "axis %zu: %lld elements %lld apart", k, (long long)v->dim[k],
                       (long long)v->step[k]);
  }
  if (empty || (low >= 0 && (uint64_t)high < weft__elems(of)))
    return WEFT_OK;
  return weft_fail(c->d, WEFT_E_RANGE, "the view reaches from element %lld to %lld of %zu", (long long)low,
                   (long long)high, weft__elems(of));
}

// Of one that was read: no more than its tensor, or repeated.
static size_t view_elems(const strided_view *v) {
  weft_shape s = {.rank = v->rank};
  for (size_t k = 0; k < v->rank; k++)
    s.dim[k] = v->dim[k];
  return weft__elems(&s);
}

static size_t view_place(const strided_view *v, size_t i) {
  int64_t at = v->base;
  for (size_t k = v->rank; k-- > 0; i /= (size_t)v->dim[k])
    at += (int64_t)(i % (size_t)v->dim[k]) * v->step[k];
  return (size_t)at;
}

static weft_status view_expect(const weft_infer *it, uint32_t in) {
  WEFT_TRY(weft__expect_rank(it, in, 1, 1));
  WEFT_TRY(weft__expect_rank(it, in + 1, 1, 1));
  WEFT_TRY(weft__expect_rank(it, in + 2, 0, 1));
  if (weft_shape_is_unknown_rank(it->in[in]) || weft_shape_is_unknown_rank(it->in[in + 1]))
    return WEFT_OK;
  weft_dim same;
  return weft__merge_dim(it, it->in[in]->dim[0], it->in[in + 1]->dim[0], "sizes and strides", &same);
}

// ---- AsStrided ----
enum { X, SIZE };

static weft_status strided_infer(weft_infer *it) {
  WEFT_TRY(view_expect(it, SIZE));
  return weft__in_target(it, SIZE, it->out[0]);
}

static weft_status strided_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  strided_view v;
  size_t work = 0;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(view_read(c, SIZE, &c->in[X]->layout.origin, &v));
  for (size_t i = 0; i < weft__elems(&y->layout.origin); i++) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + v.rank));
    weft__copy_elem(y->dtype, y->data, i, c->in[X]->data, view_place(&v, i));
  }
  return WEFT_OK;
}

// ---- ViewCopy ----
enum { DST, DST_SIZE, SRC = 4, SRC_SIZE };

static weft_status copy_infer(weft_infer *it) {
  WEFT_TRY(view_expect(it, DST_SIZE));
  WEFT_TRY(view_expect(it, SRC_SIZE));
  if (it->in_dtype[DST] != it->in_dtype[SRC])
    return weft_fail(it->d, WEFT_E_DTYPE, "inputs 'dst' and 'src' must have one dtype");
  return weft__same(it, 0, DST);
}

static weft_status copy_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  strided_view to;
  strided_view from;
  size_t work = 0;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(view_read(c, DST_SIZE, &c->in[DST]->layout.origin, &to));
  WEFT_TRY(view_read(c, SRC_SIZE, &c->in[SRC]->layout.origin, &from));
  bool same = to.rank == from.rank;
  for (size_t k = 0; same && k < to.rank; k++)
    same = to.dim[k] == from.dim[k];
  if (!same)
    return weft_fail(c->d, WEFT_E_SHAPE, "the views 'dst' and 'src' have different sizes");
  if (y->data != c->in[DST]->data)
    memcpy(y->data, c->in[DST]->data, y->bytes);
  for (size_t i = 0; i < view_elems(&to); i++) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + to.rank));
    weft__copy_elem(y->dtype, y->data, view_place(&to, i), c->in[SRC]->data, view_place(&from, i));
  }
  return WEFT_OK;
}

WEFT_ROWS(strided_views) = {
    {"AsStrided", "x seen through sizes and strides",
        WEFT_SYMBOLIC, .infer = strided_infer, .ref = strided_ref, .values = "size",
     .examples = WEFT_EXAMPLES(
         "f32[2,3]{1,2,3,4,5,6}, i64[2]{2,2}, i64[2]{1,2}, i64[1]{1} -> f32[2,2]{2,4,3,5}",
         "i32[3]{1,2,3}, i32[2]{2,2}, i32[2]{0,-1}, i32[]{2} -> i32[2,2]{3,2,3,2}",
         "f32[1]{1}, i64[1]{0}, i64[1]{9}, i64[1]{5} -> f32[0]", "f32[4], i64[2], i64[2], i64[1] -> "
         "f32[-1,-1]",
         "f32[3]{1,2,3}, i64[1]{2}, i64[1]{2}, i64[1]{1} !! E_RANGE from element 1 to 3 of 3",
         "f32[1]{1}, i64[1]{2}, i64[1]{-9223372036854775808}, i64[1]{0} !! E_RANGE the view reaches from",
         "f32[1]{1}, i64[2]{2,2}, i64[2]{-9223372036854775808,-1}, i64[1]{0} !! E_OVERFLOW axis 1",
         "f32[3], i64[2], i64[1], i64[1] !! E_SHAPE 2 and 1 differ")},
    {"ViewCopy", "a view of one tensor into a view of another",
        WEFT_SYMBOLIC, .infer = copy_infer, .ref = copy_ref, .like = "dst",
     .examples = WEFT_EXAMPLES(
         "f32[4]{1,2,3,4}, i64[1]{2}, i64[1]{2}, i64[1]{0}, f32[3]{7,8,9}, i64[1]{2}, i64[1]{-2}, i64[1]{2} "
         "-> "
         "f32[4]{9,2,7,4}",
         "f32[2]{1,2}, i64[1]{2}, i64[1]{1}, i64[1]{0}, f32[1]{7}, i64[1]{1}, i64[1]{1}, i64[1]{0} !! "
         "E_SHAPE "
         "different sizes",
         "f32[2]{1,2}, i64[1]{3}, i64[1]{1}, i64[1]{0}, f32[3]{7,8,9}, i64[1]{3}, i64[1]{1}, i64[1]{0} !! "
         "E_RANGE "
         "from element 0 to 2 of 2")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
