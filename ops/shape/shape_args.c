// ops/shape/shape_args.c - small lists of sizes, places and axes.   AscendIR UnravelIndex, ConcatOffset,
// ConcatOffsetD, BroadcastArgs, BroadcastGradientArgs, as TensorFlow computes them.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

static weft_dim args_length(const weft_infer *it, uint32_t in) {
  return weft_shape_is_unknown_rank(it->in[in]) ? -1 : it->in[in]->dim[0];
}

// ---- UnravelIndex: coordinates of places in a tensor of these dims ----
enum { INDICES, DIMS };

static weft_status unravel_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, INDICES, 0, 1));
  WEFT_TRY(weft__expect_rank(it, DIMS, 1, 1));
  WEFT_TRY(weft__expect_dtype(it, DIMS, INDICES));
  if (weft_shape_is_unknown_rank(it->in[INDICES]))
    return weft__unknown_rank(it, 0);
  const size_t rank = 1 + it->in[INDICES]->rank;
  return weft_set_out_shape(
      it, 0, (weft_dim[]){args_length(it, DIMS), rank > 1 ? it->in[INDICES]->dim[0] : 0}, rank);
}

static weft_status unravel_ref(const weft_call *c) {
  const weft_tensor *t = c->in[INDICES];
  const weft_tensor *dims = c->in[DIMS];
  const size_t n = weft__elems(&t->layout.origin);
  const size_t rank = weft__elems(&dims->layout.origin);
  weft_tensor *y = c->out[0];
  int64_t all = 1;
  size_t work = 0;
  if (!y)
    return WEFT_OK;
  for (size_t k = 0; k < rank; k++) {
    const int64_t dim = weft_load_i64(dims->dtype, dims->data, k);
    WEFT_TRY(weft__poll_at(c, k));
    if (dim < 0 || !weft__mul_i64(all, dim, &all))
      return weft_fail(c->d, WEFT_E_RANGE,
                       "input 'dims', element %zu: %lld is below 0, or all of them overflow", k,
                       (long long)dim);
  }
  for (size_t i = 0; i < n; i++) {
    int64_t at = weft_load_i64(t->dtype, t->data, i);
    WEFT_TRY(weft__poll_work(c, &work, 1 + rank));
    if (at < 0 || at >= all)
      return weft_fail(c->d, WEFT_E_RANGE, "input 'indices', element %zu: %lld is outside [0, %lld)", i,
                       (long long)at, (long long)all);
    for (size_t k = rank; k-- > 0;) {
      const int64_t dim = weft_load_i64(dims->dtype, dims->data, k);
      weft_store_i64(y->dtype, y->data, k * n + i, at % dim);
      at /= dim;
    }
  }
  return WEFT_OK;
}

// ---- ConcatOffset: where each part of a concat begins ----
static uint32_t offset_first(const weft_op_desc *n) {
  return *(const bool *)n->op->user ? 0 : 1;
}

static weft_status offset_infer(weft_infer *it) {
  const uint32_t first = offset_first(it->desc);
  if (it->n_out != it->n_in - first || !it->n_out)
    return weft_fail(it->d, WEFT_E_INVALID, "%u outputs for %u shapes", it->n_out, it->n_in - first);
  if (first)
    WEFT_TRY(weft__expect_rank(it, 0, 0, 0));
  for (uint32_t i = 0; i < it->n_out; i++) {
    weft_dim same;
    WEFT_TRY(weft__expect_rank(it, first + i, 1, 1));
    WEFT_TRY(weft__merge_dim(it, args_length(it, first), args_length(it, first + i),
                             "the ranks of the shapes", &same));
    it->out_dtype[i] = WEFT_INT32;
    WEFT_TRY(weft__same(it, i, first + i));
  }
  return WEFT_OK;
}

static weft_status offset_ref(const weft_call *c) {
  const uint32_t first = offset_first(c->desc);
  const size_t rank = weft__elems(&c->in[first]->layout.origin);
  const int64_t given = first ? weft_load_i64(c->in[0]->dtype, c->in[0]->data, 0)
                              : weft_node_int(c->desc, WEFT_SLOT_CONCAT_OFFSET_D_CONCAT_DIM);
  int64_t at = 0;
  size_t axis;
  WEFT_TRY(weft__axis(c->d, first ? "input 'concat_dim'" : "attribute 'concat_dim'", given, rank, &axis));
  for (uint32_t i = 0; i < c->n_out; i++) {
    const weft_tensor *x = c->in[first + i];
    WEFT_TRY(weft__poll_at(c, i));
    for (size_t k = 0; k < rank; k++) {
      const int64_t size = weft_load_i64(x->dtype, x->data, k);
      const int64_t other = weft_load_i64(c->in[first]->dtype, c->in[first]->data, k);
      if (k != axis && size != other)
        return weft_fail(c->d, WEFT_E_SHAPE, "axis %zu of shape %u is %lld, of the first one %lld", k, i,
                         (long long)size, (long long)other);
      if (c->out[i])
        weft_store_i64(WEFT_INT32, c->out[i]->data, k, k == axis ? at : 0);
    }
    at += weft_load_i64(x->dtype, x->data, axis);
    if (at < 0 || at > INT32_MAX)
      return weft_fail(c->d, WEFT_E_OVERFLOW, "%lld elements along axis %zu", (long long)at, axis);
  }
  return WEFT_OK;
}

// ---- BroadcastArgs, BroadcastGradientArgs ----
static weft_status broadcast_expect(const weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, 0, 1, 1));
  WEFT_TRY(weft__expect_rank(it, 1, 1, 1));
  return weft__expect_dtype(it, 1, 0);
}

static weft_status broadcast_infer(weft_infer *it) {
  WEFT_TRY(broadcast_expect(it));
  const weft_dim n = weft_dim_max(it->symbols, args_length(it, 0), args_length(it, 1));
  return weft_set_out_shape(it, 0, &n, 1);
}

// Size k of a shape that ones in front bring to rank n.
static int64_t broadcast_size(const weft_tensor *t, size_t n, size_t k) {
  const size_t have = weft__elems(&t->layout.origin);
  return k < n - have ? 1 : weft_load_i64(t->dtype, t->data, k - (n - have));
}

static weft_status broadcast_sizes(const weft_call *c, size_t n, size_t k, int64_t out[2]) {
  out[0] = broadcast_size(c->in[0], n, k);
  out[1] = broadcast_size(c->in[1], n, k);
  if (out[0] == out[1] || out[0] == 1 || out[1] == 1)
    return WEFT_OK;
  return weft_fail(c->d, WEFT_E_SHAPE, "axis %zu: %lld and %lld do not broadcast", k, (long long)out[0],
                   (long long)out[1]);
}

static size_t broadcast_rank(const weft_call *c) {
  return WEFT_MAX(weft__elems(&c->in[0]->layout.origin), weft__elems(&c->in[1]->layout.origin));
}

static weft_status broadcast_ref(const weft_call *c) {
  const size_t n = broadcast_rank(c);
  int64_t size[2];
  for (size_t k = 0; c->out[0] && k < n; k++) {
    WEFT_TRY(weft__poll_at(c, k));
    WEFT_TRY(broadcast_sizes(c, n, k, size));
    weft_store_i64(c->out[0]->dtype, c->out[0]->data, k, size[0] == 1 ? size[1] : size[0]);
  }
  return WEFT_OK;
}

static weft_status gradient_infer(weft_infer *it) {
  WEFT_TRY(broadcast_expect(it));
  WEFT_TRY(weft__unknown_dims(it, 0, 1));
  return weft__unknown_dims(it, 1, 1);
}

// The axes along which the gradient of each input is summed: where it has 1. Equal shapes need no sums.
static weft_status gradient_execute(const weft_call *c) {
  const size_t n = broadcast_rank(c);
  bool equal = weft_shape_equal(&c->in[0]->layout.origin, &c->in[1]->layout.origin);
  size_t found[2] = {0, 0};
  void *space[2];
  int64_t size[2];
  for (int i = 0; i < 2; i++)
    WEFT_TRY(weft__scratch(c, n, &space[i]));
  for (size_t k = 0; k < n; k++) {
    WEFT_TRY(weft__poll_at(c, k));
    WEFT_TRY(broadcast_sizes(c, n, k, size));
    equal = equal && size[0] == size[1];
    for (int i = 0; i < 2; i++) {
      if (size[i] == 1)
        ((int64_t *)space[i])[found[i]++] = (int64_t)k;
    }
  }
  for (uint32_t i = 0; i < 2; i++)
    WEFT_TRY(weft__found_ints(c, i, c->in[0]->dtype, space[i], equal ? 0 : found[i]));
  return WEFT_OK;
}

static const bool offset_by_input = false;
static const bool offset_by_attribute = true;

WEFT_ROWS(shape_args) = {
    {"UnravelIndex", "coordinates of places in a tensor of these dims",
        WEFT_SYMBOLIC, .infer = unravel_infer, .ref = unravel_ref,
     .examples = WEFT_EXAMPLES("i32[3]{5,0,11}, i32[2]{3,4} -> i32[2,3]{1,0,2,1,0,3}",
                               "i64[]{5}, i64[2]{3,4} -> i64[2]{1,1}", "i32[N], i32[2] -> i32[2,N]",
                               "i32[0], i32[1]{0} -> i32[1,0]",
                               "i32[1]{12}, i32[2]{3,4} !! E_RANGE 12 is outside [0, 12)",
                               "i32[1], i64[1] !! E_DTYPE one dtype")},
    {"ConcatOffset", "where each part of a concat begins",
        WEFT_SYMBOLIC, .infer = offset_infer, .ref = offset_ref, .user = &offset_by_input,
     .examples = WEFT_EXAMPLES(
         "i32[]{1}, [i32[2]{2,3}, i32[2]{2,1}, i32[2]{2,5}] N=3 -> [i32[2]{0,0}, i32[2]{0,3}, i32[2]{0,4}]",
         "i32[]{2}, [i32[2]{2,3}] N=1 -> [_] !! E_RANGE 2 is outside [-2, 1]",
         "i32[]{1}, [i32[2]{2,3}, i32[2]{3,1}] N=2 -> [_, _] !! E_SHAPE axis 0 of shape 1 is 3")},
    {"ConcatOffsetD", "where each part of a concat begins",
        WEFT_SYMBOLIC, .infer = offset_infer, .ref = offset_ref, .user = &offset_by_attribute,
     .examples = WEFT_EXAMPLES(
         "[i32[2]{2,3}, i32[2]{2,1}] concat_dim=1 N=2 -> [i32[2]{0,0}, i32[2]{0,3}]",
         "[i32[1]{2147483647}, i32[1]{1}] concat_dim=0 N=2 -> [_, _] !! E_OVERFLOW elements along axis 0")},
    {"BroadcastArgs", "the shape of two shapes broadcast",
        WEFT_SYMBOLIC, .infer = broadcast_infer, .ref = broadcast_ref,
     .examples = WEFT_EXAMPLES("i32[3]{2,1,3}, i32[2]{4,1} -> i32[3]{2,4,3}", "i64[0], i64[1]{0} -> "
     "i64[1]{0}",
                               "i32[-1], i32[2] -> i32[-1]",
                               "i32[1]{2}, i32[1]{3} !! E_SHAPE 2 and 3 do not broadcast")},
    {"BroadcastGradientArgs", "the axes along which gradients of broadcast inputs are summed",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = gradient_infer, .infer_range = weft__found_range,
     .execute = gradient_execute,
     .examples = WEFT_EXAMPLES("i32[3]{2,1,3}, i32[2]{4,1} -> i32[1]{1}, i32[2]{0,2}",
                               "i64[2]{2,1}, i64[2]{2,1} -> i64[0], i64[0]",
                               "i32[1]{2}, i32[1]{3} -> _, _ !! E_SHAPE 2 and 3 do not broadcast")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
