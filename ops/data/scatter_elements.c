// ops/data/scatter_elements.c - y[at[i][j]][j] = u[i][j].  AscendIR ScatterElements, ONNX ScatterElements-18.
// That is for axis 0, with indices `at` and updates `u`; elsewhere y is data. Every index is checked;
// negative ones count from the end. reduction max and min: ext. Without reduction the last wins.
#include "scatter.h"

enum { AXIS, REDUCTION };

static weft_status scatter_elements_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_dim any;
  size_t axis;
  for (uint32_t k = 1; k < 3 && !weft_shape_is_unknown_rank(x); k++) {
    const weft_shape *s = it->in[k];
    if (weft_shape_is_unknown_rank(s))
      continue;
    if (s->rank != x->rank) {
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': rank %zu, the data have rank %zu",
                       weft__in_name(it->desc, k), s->rank, x->rank);
    }
    WEFT_TRY(weft__axis(it->d, "attribute 'axis'", weft_node_int(it->desc, AXIS), x->rank, &axis));
    for (size_t i = 0; i < s->rank; i++) {
      if (i != axis && x->dim[i] >= 0 && s->dim[i] > x->dim[i]) {
        return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': dim %zu is %lld, that of the data only %lld",
                         weft__in_name(it->desc, k), i, (long long)s->dim[i], (long long)x->dim[i]);
      }
    }
  }
  if (!weft_shape_is_unknown_rank(it->in[1]) && !weft_shape_is_unknown_rank(it->in[2])) {
    if (it->in[1]->rank != it->in[2]->rank) {
      return weft_fail(it->d, WEFT_E_SHAPE, "inputs 'indices' and 'updates' have ranks %zu and %zu",
                       it->in[1]->rank, it->in[2]->rank);
    }
    for (size_t i = 0; i < it->in[1]->rank; i++) {
      WEFT_TRY(
          weft__merge_dim(it, it->in[1]->dim[i], it->in[2]->dim[i], "dims of 'indices' and 'updates'", &any));
    }
  }
  return weft__same(it, 0, 0);
}

static weft_status scatter_elements_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  weft_walk w;
  size_t axis;
  size_t bytes;
  void *space;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__axis(c->d, "attribute 'axis'", weft_node_int(c->desc, AXIS), x->rank, &axis));
  weft__walk_init(&w, &c->in[1]->layout.origin);
  for (size_t k = 0; k < x->rank; k++)
    w.stride[0][k] = k == axis ? 0 : weft__prod(x, k + 1, x->rank);
  if (!weft_mul_size(w.n, sizeof(int64_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu updates", w.n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  int64_t *to = space;
  int64_t step = (int64_t)weft__prod(x, axis + 1, x->rank);
  for (; w.i < w.n; weft__walk_next(&w)) {
    WEFT_TRY(weft__poll_at(c, w.i));
    WEFT_TRY(weft__checked_index(c, 1, w.i, x->dim[axis], true, &to[w.i]));
    to[w.i] = to[w.i] * step + (int64_t)w.at[0];
  }
  return weft__scatter(c, c->in[0], c->in[2], 1, to, w.n, weft_node_str(c->desc, REDUCTION));
}

WEFT_OP(scatter_elements) = {
    WEFT_OP_HEAD,
    .name = "ScatterElements",
    .summary = "elements written along an axis, one index each",
    .in = PORTS({"data", "T"}, {"indices", NULL, WEFT_SET_INDEX}, {"updates", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"axis", "Int", "0"}, {"reduction", "String", "\"none\"", WEFT_SCATTER_REDUCTIONS}),
    .traits = WEFT_SYMBOLIC | WEFT_KEEP_FORMAT,
    .infer = scatter_elements_infer,
    .ref = scatter_elements_ref,
    .examples = WEFT_EXAMPLES(
        "f32[3,2]{1,2,3,4,5,6}, i64[1,2]{2,-3}, f32[1,2]{9,8} -> f32[3,2]{1,8,3,4,9,6}",
        "f32[1,3]{1,2,3}, i32[1,2]{1,1}, f32[1,2]{10,20} axis=1 reduction=\"add\" -> f32[1,3]{1,32,3}",
        "i8[2]{100,2}, i32[2]{0,0}, i8[2]{100,100} reduction=\"add\" -> i8[2]{44,2}",
        "u8[1]{200}, i32[1]{0}, u8[1]{100} reduction=\"max\" -> u8[1]{200}",
        "f32[2]{1,nan}, i32[2]{0,1}, f32[2]{-1,5} reduction=\"min\" -> f32[2]{-1,nan}",
        "f16[1]{2}, i32[2]{0,0}, f16[2]{3,4} reduction=\"mul\" -> f16[1]{24}",
        "f32[2]{1,2}, i32[0], f32[0] -> f32[2]{1,2}",
        "str[2]{\"a\",\"b\"}, i32[2]{1,1}, str[2]{\"c\",\"d\"} -> str[2]{\"a\",\"d\"}",
        "f32[-1,N], i32[2,N], f32[2,N] -> f32[-1,N]", "f32[?], i32[2], f32[2] -> f32[?]",
        "f32[2]{1,2}, i32[1]{2}, f32[1]{1} !! E_RANGE element 0 is 2, outside [-2, 1]",
        "bool[2]{1,0}, i32[2]{0,1}, bool[2]{0,0} reduction=\"add\" -> bool[2]{1,0}",
        "f32[2], i32[1], f32[2] !! E_SHAPE 1 and 2 differ", "f32[2,2], i32[2], f32[2] !! E_SHAPE rank 1",
        "f32[2], i32[1], f32[1] axis=1 !! E_RANGE attribute 'axis'",
        "f32[2], i32[1], f32[1] reduction=\"avg\" !! E_RANGE reduction"),
};
// SPDX-License-Identifier: Apache-2.0
