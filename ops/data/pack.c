// ops/data/pack.c - tensors stacked along a new axis.   AscendIR Pack, ONNX ConcatFromSequence-11.
// All have one shape. axis counts in the output: [-rank-1, rank].
#include "concat.h"

enum { AXIS, N };

static weft_status pack_infer(weft_infer *it) {
  weft_shape x;
  size_t axis;
  weft_shape_set_unknown_rank(&x);
  WEFT_TRY(weft__expect_count(it, N, false, it->n_in, "inputs"));
  if (!it->n_in)
    return weft_fail(it->d, WEFT_E_MISSING, "input 'x': at least one is needed");
  for (uint32_t i = 0; i < it->n_in; i++) {
    if (weft_shape_is_unknown_rank(it->in[i]))
      continue;
    if (weft_shape_is_unknown_rank(&x))
      weft_shape_copy(&x, it->in[i]);
    if (x.rank != it->in[i]->rank) {
      return weft_fail(it->d, WEFT_E_SHAPE, "inputs 'x': ranks %zu and %zu (number %u) differ", x.rank,
                       it->in[i]->rank, i);
    }
    for (size_t k = 0; k < x.rank; k++) {
      char place[64];
      snprintf(place, sizeof place, "inputs 'x': dim %zu of number %u", k, i);
      WEFT_TRY(weft__merge_dim(it, x.dim[k], it->in[i]->dim[k], place, &x.dim[k]));
    }
  }
  if (weft_shape_is_unknown_rank(&x))
    return weft__unknown_rank(it, 0);
  if (x.rank == WEFT_MAX_RANK) {
    return weft_fail(it->d, WEFT_E_LIMIT, "output rank %zu is over the limit of %d", x.rank + 1,
                     WEFT_MAX_RANK);
  }
  WEFT_TRY(weft__axis(it->d, "attribute 'axis'", weft_node_int(it->desc, AXIS), x.rank + 1, &axis));
  it->out[0]->rank = x.rank + 1;
  for (size_t i = 0, from = 0; i <= x.rank; i++)
    it->out[0]->dim[i] = i == axis ? it->n_in : x.dim[from++];
  return WEFT_OK;
}

static weft_status pack_infer_value(weft_infer *it) {
  size_t axis;
  if (weft_shape_is_unknown_rank(it->out[0]))
    return WEFT_OK;
  WEFT_TRY(weft__axis(it->d, "attribute 'axis'", weft_node_int(it->desc, AXIS), it->out[0]->rank, &axis));
  weft__stack_elems(it, it->n_in, axis);
  return WEFT_OK;
}

static weft_status pack_ref(const weft_call *c) {
  size_t axis;
  WEFT_TRY(weft__axis(c->d, "attribute 'axis'", weft_node_int(c->desc, AXIS),
                      c->in[0]->layout.origin.rank + 1, &axis));
  return weft__stack_ref(c, c->n_in, axis);
}

WEFT_OP(pack) = {
    WEFT_OP_HEAD,
    .name = "Pack",
    .summary = "tensors stacked along a new axis",
    .in = PORTS({"x", "T", .kind = WEFT_DYNAMIC, .min_count = 1}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"axis", "Int", "0"}, {"N", "Int", "1"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = pack_infer,
    .infer_value = pack_infer_value,
    .ref = pack_ref,
    .examples = WEFT_EXAMPLES("[f32[2]{1,2}, f32[2]{3,4}] -> f32[2,2]{1,2,3,4}",
                              "[f32[2]{1,2}, f32[2]{3,4}] axis=-1 N=2 -> f32[2,2]{1,3,2,4}",
                              "[i64[]{5}, i64[]{6}] -> i64[2]{5,6}", "[f32[0], f32[0]] axis=1 -> f32[0,2]",
                              "[f32[-1], f32[3]] -> f32[2,3]", "[f32[N]] axis=1 -> f32[N,1]",
                              "[str[]{\"a\"}, str[]{\"b\"}] -> str[2]{\"a\",\"b\"}",
                              "[f32[2], f32[3]] !! E_SHAPE 2 and 3 differ",
                              "[f32[2], f32[2,1]] !! E_SHAPE ranks 1 and 2",
                              "[f32[2]] axis=2 !! E_RANGE attribute 'axis': 2 is outside [-2, 1]"),
};
// SPDX-License-Identifier: Apache-2.0
