// ops/data/gather_elements.c - y[i][j] = x[index[i][j]][j].  AscendIR GatherElements, ONNX GatherElements-13.
// That is for dim 0, others accordingly. Every index is checked; negative ones count from the end. Along
// other axes `index` is not larger than x.
#include "gather.h"

enum { DIM };

static weft_status gather_elements_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *index = it->in[1];
  size_t axis;
  bool ranked = !weft_shape_is_unknown_rank(x);
  if (weft_shape_is_unknown_rank(index))
    return ranked ? weft__unknown_dims(it, 0, x->rank) : weft__unknown_rank(it, 0);
  if (ranked && x->rank != index->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'index': rank %zu, x has rank %zu", index->rank, x->rank);
  WEFT_TRY(weft__axis(it->d, "attribute 'dim'", weft_node_int(it->desc, DIM), index->rank, &axis));
  for (size_t i = 0; ranked && i < x->rank; i++) {
    if (i != axis && x->dim[i] >= 0 && index->dim[i] > x->dim[i]) {
      return weft_fail(it->d, WEFT_E_SHAPE, "input 'index': dim %zu is %lld, that of x only %lld", i,
                       (long long)index->dim[i], (long long)x->dim[i]);
    }
  }
  return weft__same(it, 0, 1);
}

typedef struct pick {
  weft_walk walk;  // over the index tensor; operand 0: x
  size_t axis, step, next;
  const weft_tensor *index;
  int64_t dim;
} pick;

static int64_t gather_elements_map(void *ctx, size_t i) {
  pick *p = ctx;
  if (i)
    weft__walk_next(&p->walk);
  int64_t v = weft_load_i64(p->index->dtype, p->index->data, i);
  return (int64_t)p->walk.at[0] + (v < 0 ? v + p->dim : v) * (int64_t)p->step;
}

static weft_status gather_elements_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  const weft_shape *index = &c->in[1]->layout.origin;
  pick p = {.index = c->in[1]};
  int64_t at;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__axis(c->d, "attribute 'dim'", weft_node_int(c->desc, DIM), x->rank, &p.axis));
  weft__walk_init(&p.walk, index);
  p.dim = x->dim[p.axis];
  p.step = weft__prod(x, p.axis + 1, x->rank);
  for (size_t i = 0; i < p.walk.n; i++)
    WEFT_TRY(weft__checked_index(c, 1, i, p.dim, true, &at));
  for (size_t k = 0; k < x->rank; k++)
    p.walk.stride[0][k] = k == p.axis ? 0 : weft__prod(x, k + 1, x->rank);
  return weft__move(c, c->in[0], c->out[0], gather_elements_map, &p, NULL);
}

WEFT_OP(gather_elements) = {
    WEFT_OP_HEAD,
    .name = "GatherElements",
    .summary = "elements picked along an axis, one index each",
    .in = PORTS({"x", "T"}, {"index", NULL, WEFT_SET_INDEX}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"dim", "Int", "0"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = gather_elements_infer,
    .ref = gather_elements_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{1,2,3,4}, i64[2,2]{0,0,1,0} dim=1 -> f32[2,2]{1,1,4,3}",
                              "f32[3,2]{1,2,3,4,5,6}, i32[1,2]{2,-3} -> f32[1,2]{5,2}",
                              "f32[3], i32[0] -> f32[0]", "f32[-1,3], i32[N,3] -> f32[N,3]",
                              "f32[2,3], i32[?] -> f32[-1,-1]",
                              "str[2]{\"a\",\"b\"}, i32[1]{1} -> str[1]{\"b\"}",
                              "f32[2]{1,2}, i32[1]{2} !! E_RANGE element 0 is 2, outside [-2, 1]",
                              "f32[2,2], i32[2,3] !! E_SHAPE dim 1 is 3, that of x only 2",
                              "f32[2,2], i32[2] !! E_SHAPE rank 1",
                              "f32[2], i32[2] dim=1 !! E_RANGE attribute 'dim'"),
};
// SPDX-License-Identifier: Apache-2.0
