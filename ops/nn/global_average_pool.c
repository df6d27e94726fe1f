// ops/nn/global_average_pool.c - y = the mean over all axes after the second, kept as 1.   AscendIR
// GlobalAveragePool, ONNX GlobalAveragePool-1.   NaN stays; the mean of no elements is NaN.
#include "arrays.h"
#include "lanes.h"

static weft_status global_average_pool_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, 0, 2, WEFT_MAX_RANK));
  weft_shape_copy(it->out[0], it->in[0]);
  if (weft_shape_is_unknown_rank(it->in[0]))
    return WEFT_OK;
  for (size_t i = 2; i < it->out[0]->rank; i++)
    it->out[0]->dim[i] = 1;
  return WEFT_OK;
}

static weft_status global_average_pool_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  if (!c->out[0])
    return WEFT_OK;
  weft_lanes l;
  void *v;
  weft__lanes_init(&l, &x->layout.origin, ~UINT32_C(3));
  WEFT_TRY(weft__scratch(c, l.elems, &v));
  for (size_t i = 0; i < l.n; i++) {
    double mean, variance;
    weft__lane_load(&l, i, x->dtype, x->data, v);
    weft__moments(v, l.elems, &mean, &variance);
    weft_store_f64(x->dtype, c->out[0]->data, i, mean);
  }
  return WEFT_OK;
}

WEFT_OP(global_average_pool) = {
    WEFT_OP_HEAD,
    .name = "GlobalAveragePool",
    .summary = "the mean of each channel",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = global_average_pool_infer,
    .ref = global_average_pool_ref,
    .examples = WEFT_EXAMPLES("f32[1,2,2,2]{1,2,3,4,5,6,7,nan} -> f32[1,2,1,1]{2.5,nan}",
                              "f16[2,1,3]{1,2,3,4,5,6} -> f16[2,1,1]{2,5}",
                              "f32[-1,8,-1,-1] -> f32[-1,8,1,1]", "f32[0,3,4,4] -> f32[0,3,1,1]",
                              "f32[1,1,0] -> f32[1,1,1]", "f32[3] !! E_SHAPE expected rank 2"),
};
// SPDX-License-Identifier: Apache-2.0
