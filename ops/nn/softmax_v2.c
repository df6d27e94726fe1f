// ops/nn/softmax_v2.c - y = exp(x - max x) / sum exp(x - max x), over lanes of axes.   AscendIR SoftmaxV2,
// ONNX Softmax-13. An empty lane gives an empty lane. One NaN, one inf, or nothing but -inf makes its whole
// lane NaN.
#include "softmax.h"

enum { AXES, HALF_TO_FLOAT };

static weft_status softmax_v2_infer(weft_infer *it) {
  bool widen = weft_node_bool(it->desc, HALF_TO_FLOAT) && it->in_dtype[0] == WEFT_FLOAT16;
  it->out_dtype[0] = widen ? WEFT_FLOAT : it->in_dtype[0];
  return weft__softmax_infer(it);
}

static void softmax_v2_lane(double *v, size_t n, const void *ctx) {
  (void)ctx;
  double most = weft__lane_max(v, n), sum = 0;
  for (size_t k = 0; k < n; k++)
    sum += v[k] = exp(v[k] - most);
  for (size_t k = 0; k < n; k++)
    v[k] /= sum;
}

static weft_status softmax_v2_ref(const weft_call *c) {
  return weft__softmax_run(c, softmax_v2_lane);
}

WEFT_OP(softmax_v2) = {
    WEFT_OP_HEAD,
    .name = "SoftmaxV2",
    .summary = "softmax over axes",
    .in = PORTS({"x", NULL, WEFT_FLOATS}),
    .out = PORTS({"y", NULL, WEFT_FLOATS}),
    .attrs = ATTRS({"axes", "ListInt", "{-1}"}, {"half_to_float", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = softmax_v2_infer,
    .ref = softmax_v2_ref,
    .examples = WEFT_EXAMPLES(
        "f32[3]{0,0,0} -> f32[3]{0.33333334,0.33333334,0.33333334}",
        "f32[2,2]{0,1000,-1000,0} -> f32[2,2]{0,1,0,1}",
        "f64[3]{1,2,3} -> f64[3]{0.09003057317038046,0.24472847105479767,0.6652409557748219} ~1e-15",
        "f32[2,2]{5,5,5,5} axes=[0,1] -> f32[2,2]{0.25,0.25,0.25,0.25}",
        "f32[2,2]{0,7,0,7} axes=[0] -> f32[2,2]{0.5,0.5,0.5,0.5}",
        "f32[4]{1,nan,2,3} -> f32[4]{nan,nan,nan,nan}", "f32[2]{-inf,-inf} -> f32[2]{nan,nan}",
        "f32[2]{-inf,1} -> f32[2]{0,1}", "f16[2]{3,3} half_to_float=true -> f32[2]{0.5,0.5}",
        "f16[2]{3,3} -> f16[2]{0.5,0.5}", "f32[0,4]{} -> f32[0,4]{}", "f32[4,0]{} -> f32[4,0]{}",
        "f32[-1,4] -> f32[-1,4]", "f32[3]{0,0,0} axes=[3] !! E_RANGE attribute 'axes': 3 is outside [-1, 0]",
        "f32[3,2] axes=[1,-1] !! E_DUPLICATE axis 1", "i32[3] !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
