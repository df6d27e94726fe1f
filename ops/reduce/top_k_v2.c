// ops/reduce/top_k_v2.c - the k largest (or smallest) elements along an axis and their indices.   AscendIR
// TopKV2, ONNX TopK-11.   Always sorted, best first; of equal elements the one with the lower index comes
// first, which `sorted` false leaves open. NaN is larger than everything else.
#include "arrays.h"
#include "lanes.h"

enum { SORTED, DIM, LARGEST, INDICES_DTYPE };

static weft_status top_k_v2_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  int64_t some[16] = {-1};
  int64_t k;
  int64_t n;
  bool known;
  size_t axis;
  WEFT_TRY(weft__in_ints(it, 1, some, 16, &n, &known));
  k = some[0];
  if (n >= 0 && n != 1)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'k': expected one element, got %lld", (long long)n);
  if (known && k < 0 && k > WEFT_DIM_SYMBOL_LIMIT)
    return weft_fail(it->d, WEFT_E_RANGE, "input 'k': %lld is negative", (long long)k);
  if (!known || (k < 0 && !weft_dim_is_symbol(k)) || k == WEFT_DIM_INVALID)
    k = -1;
  for (uint32_t i = 0; i < 2; i++)
    weft_shape_copy(it->out[i], x);
  if (weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  WEFT_TRY(weft__axis(it->d, "attribute 'dim'", weft_node_int(it->desc, DIM), x->rank, &axis));
  if (k >= 0 && x->dim[axis] >= 0 && k > x->dim[axis]) {
    return weft_fail(it->d, WEFT_E_RANGE, "input 'k': %lld of %lld elements along axis %zu", (long long)k,
                     (long long)x->dim[axis], axis);
  }
  for (uint32_t i = 0; i < 2; i++)
    it->out[i]->dim[axis] = k;
  return WEFT_OK;
}

typedef struct sorter {
  weft_dtype t;
  const void *data;
  const weft_lanes *l;
  size_t start;
  int sign;
} sorter;

static bool top_k_v2_before(const sorter *s, size_t a, size_t b) {
  return s->sign * weft__order(s->t, s->data, s->start + weft__lane_step(s->l, a),
                               s->start + weft__lane_step(s->l, b), 1) >
         0;
}

// Bottom-up merge sort of n indices, stable; `spare` has room for n more. Returns the array that holds the
// result.
static weft_status sort(const weft_call *c, const sorter *s, size_t *index, size_t *spare, size_t n,
                        size_t **out) {
  size_t work = 0;
  for (size_t i = 0; i < n; i++)
    index[i] = i;
  for (size_t run = 1; run < n; run *= 2) {
    for (size_t from = 0; from < n; from += 2 * run) {
      WEFT_TRY(weft__poll_work(c, &work, 2 * run));
      size_t mid = WEFT_MIN(from + run, n);
      size_t end = WEFT_MIN(from + 2 * run, n);
      size_t a = from;
      size_t b = mid;
      for (size_t i = from; i < end; i++)
        spare[i] = a < mid && (b >= end || !top_k_v2_before(s, index[b], index[a])) ? index[a++] : index[b++];
    }
    size_t *t = index;
    index = spare;
    spare = t;
  }
  *out = index;
  return WEFT_OK;
}

static weft_status top_k_v2_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *shape = &x->layout.origin;
  weft_tensor *values = c->out[0];
  weft_tensor *indices = c->out[1];
  int64_t k;
  size_t n;
  size_t axis;
  size_t words;
  size_t work = 0;
  if (!values && !indices)
    return WEFT_OK;
  WEFT_TRY(weft__read_ints(c, 1, &k, 1, &n));
  WEFT_TRY(weft__axis(c->d, "attribute 'dim'", weft_node_int(c->desc, DIM), shape->rank, &axis));
  weft_lanes l;
  weft_lanes o;
  weft_shape out = *shape;
  out.dim[axis] = k;
  weft__lanes_init(&l, shape, UINT32_C(1) << axis);
  weft__lanes_init(&o, &out, UINT32_C(1) << axis);
  void *v;
  if (!weft_mul_size(l.elems, 2, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu elements along an axis", l.elems);
  WEFT_TRY(weft__scratch(c, words, &v));
  sorter s = {x->dtype, x->data, &l, 0, weft_node_bool(c->desc, LARGEST) ? 1 : -1};
  for (size_t i = 0; i < l.n && l.elems; i++) {
    s.start = weft__lane_start(&l, i);
    size_t *best;
    WEFT_TRY(weft__poll_work(c, &work, l.elems));
    WEFT_TRY(sort(c, &s, v, (size_t *)v + l.elems, l.elems, &best));
    for (size_t j = 0; j < (size_t)k; j++) {
      size_t at = weft__lane_start(&o, i) + weft__lane_step(&o, j);
      if (values)
        weft__copy_elem(x->dtype, values->data, at, x->data, s.start + weft__lane_step(&l, best[j]));
      if (indices)
        weft_store_i64(indices->dtype, indices->data, at, (int64_t)best[j]);
    }
  }
  return WEFT_OK;
}

WEFT_OP(top_k_v2) = {
    WEFT_OP_HEAD,
    .name = "TopKV2",
    .summary = "the k best elements along an axis and their indices",
    .in = PORTS({"x", "T"}, {"k", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"values", "T"}, {"indices", "I"}),
    .types = TYPES({"T", WEFT_SET_REAL}, {"I", WEFT_SET_INDEX, .from_attr = "indices_dtype"}),
    .attrs = ATTRS({"sorted", "Bool", "true"}, {"dim", "Int", "-1"}, {"largest", "Bool", "true"},
                   {"indices_dtype", "Int", "DT_INT32"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = top_k_v2_infer,
    .ref = top_k_v2_ref,
    .examples = WEFT_EXAMPLES(
        "f32[5]{1,5,3,5,2}, i32[]{3} -> f32[3]{5,5,3}, i32[3]{1,3,2}",
        "f32[5]{1,5,3,5,1}, i64[1]{3} largest=false indices_dtype=9 -> f32[3]{1,1,3}, i64[3]{0,4,2}",
        "f32[2,3]{1,2,3,6,5,4}, i32[]{1} dim=0 -> f32[1,3]{6,5,4}, i32[1,3]{1,1,1}",
        "f32[4]{1,nan,inf,-inf}, i32[]{2} -> f32[2]{nan,inf}, i32[2]{1,2}",
        "f32[3]{nan,1,2}, i32[]{3} largest=false -> f32[3]{1,2,nan}, i32[3]{1,2,0}",
        "u64[3]{1,18446744073709551615,2}, i32[]{2} -> u64[2]{18446744073709551615,2}, i32[2]{1,2}",
        "f16[0,3]{}, i32[]{2} -> f16[0,2]{}, i32[0,2]{}", "f32[3]{1,2,3}, i32[]{0} -> f32[0]{}, i32[0]{}",
        "f32[-1,3], i32[]{2} -> f32[-1,2], i32[-1,2]", "f32[4,3], i32[] -> f32[4,-1], i32[4,-1]",
        "f32[3], i32[]{4} -> _, _ !! E_RANGE input 'k': 4 of 3 elements",
        "f32[3], i32[]{-1} -> _, _ !! E_RANGE input 'k': -1",
        "f32[3], i32[]{1} dim=1 -> _, _ !! E_RANGE attribute 'dim'",
        "f32[3], i32[2]{1,1} -> _, _ !! E_SHAPE one element",
        "c64[3], i32[]{1} -> _, _ !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
