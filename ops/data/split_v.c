// ops/data/split_v.c - x cut along split_dim into parts of given sizes.   AscendIR SplitV, ONNX Split-18.
// One size may be -1: what is left. The sizes must add up to the dim.
#include "split.h"

enum { NUM_SPLIT };
enum { X, SIZES, AXIS };

// Resolves a -1 and checks the sum; sizes may be symbols or unknown. `dim` is that of x along the axis.
static weft_status split_v_resolve(weft_diag *d, weft_symbols *p, int64_t *size, size_t n, weft_dim dim) {
  size_t open = n;
  weft_dim sum = 0;
  for (size_t j = 0; j < n; j++) {
    if (size[j] == -1 && open < n) {
      return weft_fail(d, WEFT_E_SHAPE, "input 'size_splits': -1 stands at %zu and at %zu, one is allowed",
                       open, j);
    }
    if (size[j] == -1) {
      open = j;
      continue;
    }
    if (weft__is_literal(size[j]) && size[j] < 0)
      return weft_fail(d, WEFT_E_SHAPE, "input 'size_splits': element %zu is %lld", j, (long long)size[j]);
    if (dim >= 0 && size[j] > dim) {
      return weft_fail(d, WEFT_E_SHAPE, "input 'size_splits': element %zu is %lld, x has %lld", j,
                       (long long)size[j], (long long)dim);
    }
    sum = weft_dim_add(p, sum, weft__elem_dim(size[j]));
  }
  if (dim >= 0 && sum >= 0 && (open < n ? sum > dim : sum != dim)) {
    return weft_fail(d, WEFT_E_SHAPE, "input 'size_splits': the sizes add up to %lld, x has %lld",
                     (long long)sum, (long long)dim);
  }
  if (open < n)
    size[open] = dim >= 0 && sum >= 0 ? dim - sum : weft_dim_sub(p, dim, sum);
  return WEFT_OK;
}

static weft_status split_v_infer(weft_infer *it) {
  int64_t axis = 0;
  int64_t size[64];
  int64_t n;
  bool axis_known;
  bool known;
  size_t a;
  const weft_shape *x = it->in[X];
  WEFT_TRY(weft__expect_count(it, NUM_SPLIT, true, it->n_out, "outputs"));
  WEFT_TRY(weft__in_int(it, AXIS, &axis, &axis_known));
  WEFT_TRY(weft__in_ints(it, SIZES, size, 64, &n, &known));
  if (n >= 0 && n != it->n_out) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'size_splits': %lld sizes for %u outputs", (long long)n,
                     it->n_out);
  }
  if (it->n_out > 64)
    return weft_fail(it->d, WEFT_E_LIMIT, "%u outputs, at most 64 are allowed", it->n_out);
  if (!known)
    n = it->n_out;
  for (int64_t j = 0; !known && j < n; j++)
    size[j] = WEFT_DIM_INVALID;
  if (axis_known && !weft_shape_is_unknown_rank(x)) {
    WEFT_TRY(weft__axis(it->d, "input 'split_dim'", axis, x->rank, &a));
    WEFT_TRY(split_v_resolve(it->d, it->symbols, size, (size_t)n, x->dim[a]));
  }
  for (int64_t j = 0; j < n; j++)
    size[j] = weft__elem_dim(size[j]);
  return weft__split_infer(it, X, "input 'split_dim'", axis, axis_known, size);
}

static weft_status split_v_infer_value(weft_infer *it) {
  int64_t axis;
  bool known;
  WEFT_TRY(weft__in_int(it, AXIS, &axis, &known));
  if (known)
    weft__split_elems(it, X, axis);
  return WEFT_OK;
}

static weft_status split_v_ref(const weft_call *c) {
  int64_t axis;
  int64_t size[64];
  size_t n;
  size_t a;
  WEFT_TRY(weft__read_int(c, AXIS, &axis));
  WEFT_TRY(weft__read_ints(c, SIZES, size, 64, &n));
  WEFT_TRY(weft__axis(c->d, "input 'split_dim'", axis, c->in[X]->layout.origin.rank, &a));
  WEFT_TRY(split_v_resolve(c->d, NULL, size, n, c->in[X]->layout.origin.dim[a]));
  return weft__split_ref(c, X, "input 'split_dim'", axis, size);
}

WEFT_OP(split_v) = {
    WEFT_OP_HEAD,
    .name = "SplitV",
    .summary = "a tensor cut into parts of given sizes",
    .in = PORTS({"x", "T"}, {"size_splits", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"split_dim", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T", .kind = WEFT_DYNAMIC, .min_count = 1}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"num_split", "Int", NULL, "min 1"}),
    .traits = WEFT_CUT | WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = split_v_infer,
    .infer_value = split_v_infer_value,
    .ref = split_v_ref,
    .examples = WEFT_EXAMPLES(
        "f32[4]{1,2,3,4}, i64[2]{1,3}, i32[]{0} num_split=2 -> f32[1]{1}, f32[3]{2,3,4}",
        "f32[1,3]{1,2,3}, i64[2]{-1,1}, i32[]{-1} num_split=2 -> f32[1,2]{1,2}, f32[1,1]{3}",
        "f32[2]{1,2}, i64[3]{0,2,0}, i32[]{0} num_split=3 -> f32[0], f32[2]{1,2}, f32[0]",
        "f32[-1,2], i64[2]{1,-1}, i32[]{0} num_split=2 -> f32[1,2], f32[-1,2]",
        "f32[4,2], i64[2], i32[]{0} num_split=2 -> f32[-1,2], f32[-1,2]",
        "f32[4,2], i64[2]{1,3}, i32[] num_split=2 -> f32[-1,-1], f32[-1,-1]",
        "f32[4], i64[2]{1,2}, i32[]{0} num_split=2 -> f32[1], f32[2] !! E_SHAPE add up to 3, x has 4",
        "f32[4], i64[2]{-1,-1}, i32[]{0} num_split=2 -> f32[1], f32[2] !! E_SHAPE one is allowed",
        "f32[4], i64[1]{4}, i32[]{0} num_split=2 -> f32[1], f32[2] !! E_SHAPE 1 sizes for 2 outputs",
        "f32[4], i64[1]{4}, i32[]{1} num_split=1 !! E_RANGE input 'split_dim'"),
};
// SPDX-License-Identifier: Apache-2.0
