// ops/data/unpack.c - x taken apart along axis into num tensors.   AscendIR Unpack, ONNX SplitToSequence-11.
// They lack that axis. num must be the size of the axis.
#include "split.h"

enum { NUM, AXIS };

static weft_status unpack_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  size_t axis;
  WEFT_TRY(weft__expect_count(it, NUM, true, it->n_out, "outputs"));
  for (uint32_t j = 0; j < it->n_out; j++) {
    if (weft_shape_is_unknown_rank(x)) {
      WEFT_TRY(weft__unknown_rank(it, j));
      continue;
    }
    WEFT_TRY(weft__axis(it->d, "attribute 'axis'", weft_node_int(it->desc, AXIS), x->rank, &axis));
    if (x->dim[axis] >= 0 && x->dim[axis] != it->n_out) {
      return weft_fail(it->d, WEFT_E_SHAPE, "attribute 'num': %u, but dim %zu of x is %lld", it->n_out, axis,
                       (long long)x->dim[axis]);
    }
    it->out[j]->rank = 0;
    for (size_t k = 0; k < x->rank; k++) {
      if (k != axis)
        it->out[j]->dim[it->out[j]->rank++] = x->dim[k];
    }
  }
  return WEFT_OK;
}

static void unpack_part(weft_view *v, const weft_shape *x, size_t axis, uint32_t j) {
  weft__view_init(v, x);
  weft__view_shift(v, axis, j);
  for (size_t k = axis; k + 1 < v->rank; k++) {
    v->dim[k] = v->dim[k + 1];
    v->step[k] = v->step[k + 1];
  }
  v->rank--;
}

static weft_status unpack_infer_value(weft_infer *it) {
  weft_view v;
  size_t axis;
  if (!weft_shape_is_known(it->in[0]))
    return WEFT_OK;
  WEFT_TRY(weft__axis(it->d, "attribute 'axis'", weft_node_int(it->desc, AXIS), it->in[0]->rank, &axis));
  for (uint32_t j = 0; j < it->n_out; j++) {
    unpack_part(&v, it->in[0], axis, j);
    weft__view_elems(it, 0, j, &v);
  }
  return WEFT_OK;
}

static weft_status unpack_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  weft_view v;
  size_t axis;
  WEFT_TRY(weft__axis(c->d, "attribute 'axis'", weft_node_int(c->desc, AXIS), x->rank, &axis));
  for (uint32_t j = 0; j < c->n_out; j++) {
    unpack_part(&v, x, axis, j);
    WEFT_TRY(weft__view_move(c, 0, j, &v));
  }
  return WEFT_OK;
}

WEFT_OP(unpack) = {
    WEFT_OP_HEAD,
    .name = "Unpack",
    .summary = "a tensor taken apart along an axis",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T", .kind = WEFT_DYNAMIC, .min_count = 1}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"num", "Int", NULL, "min 0"}, {"axis", "Int", "0"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = unpack_infer,
    .infer_value = unpack_infer_value,
    .ref = unpack_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{1,2,3,4} num=2 -> f32[2]{1,2}, f32[2]{3,4}",
                              "i64[1,2]{5,6} num=2 axis=-1 -> i64[1]{5}, i64[1]{6}",
                              "i32[2]{5,6} num=2 -> i32[]{5}, i32[]{6}", "f32[0,1] num=1 axis=1 -> f32[0]",
                              "f32[-1,3] num=2 -> f32[3], f32[3]", "f32[N,2] num=2 axis=1 -> f32[N], f32[N]",
                              "f32[3] num=2 -> f32[], f32[] !! E_SHAPE dim 0 of x is 3",
                              "f32[2] num=1 axis=1 !! E_RANGE attribute 'axis'"),
};
// SPDX-License-Identifier: Apache-2.0
