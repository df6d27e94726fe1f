// ops/data/reverse_v2.c - x with the order of elements reversed along the listed axes.   AscendIR ReverseV2.
// No axis: a copy. An axis given twice fails.
#include "dims_move.h"

static weft_status reverse_v2_infer(weft_infer *it) {
  int64_t axes[WEFT_MAX_RANK];
  int64_t n;
  uint32_t mask;
  bool known;
  WEFT_TRY(weft__in_ints(it, 1, axes, WEFT_MAX_RANK, &n, &known));
  for (int64_t i = 0; known && i < n; i++)
    known = weft__is_literal(axes[i]);
  if (known && !weft_shape_is_unknown_rank(it->in[0]))
    WEFT_TRY(weft__axes(it->d, "input 'axis'", axes, (size_t)n, it->in[0]->rank, &mask));
  return weft__same(it, 0, 0);
}

static weft_status reverse_v2_ref(const weft_call *c) {
  int64_t axes[WEFT_MAX_RANK];
  size_t n;
  uint32_t mask;
  weft_view v;
  WEFT_TRY(weft__read_ints(c, 1, axes, WEFT_MAX_RANK, &n));
  weft__view_init(&v, &c->in[0]->layout.origin);
  WEFT_TRY(weft__axes(c->d, "input 'axis'", axes, n, v.rank, &mask));
  for (size_t i = 0; i < v.rank; i++) {
    if (!(mask >> i & 1) || !v.dim[i])
      continue;
    weft__view_shift(&v, i, v.dim[i] - 1);
    v.step[i] = -v.step[i];
  }
  return weft__view_move(c, 0, 0, &v);
}

WEFT_OP(reverse_v2) = {
    WEFT_OP_HEAD,
    .name = "ReverseV2",
    .summary = "elements in reverse order along axes",
    .in = PORTS({"x", "T"}, {"axis", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = reverse_v2_infer,
    .ref = reverse_v2_ref,
    .examples = WEFT_EXAMPLES(
        "f32[3]{1,2,3}, i32[1]{0} -> f32[3]{3,2,1}", "i32[2,2]{1,2,3,4}, i64[1]{-1} -> i32[2,2]{2,1,4,3}",
        "i32[2,2]{1,2,3,4}, i64[2]{0,1} -> i32[2,2]{4,3,2,1}", "f32[2]{1,2}, i32[0] -> f32[2]{1,2}",
        "f32[0,2], i32[1]{0} -> f32[0,2]", "f32[-1,N], i32[1]{1} -> f32[-1,N]",
        "str[2]{\"a\",\"b\"}, i32[1]{0} -> str[2]{\"b\",\"a\"}", "f32[2], i32[1]{1} !! E_RANGE input 'axis'",
        "f32[2], i32[2]{0,-1} !! E_DUPLICATE"),
};
// SPDX-License-Identifier: Apache-2.0
