// ops/nn/log_softmax_v2.c - y = x - max x - log sum exp(x - max x), over lanes of axes.   AscendIR
// LogSoftmaxV2, ONNX LogSoftmax-13.   An empty lane gives an empty lane. One NaN, one inf, or nothing but
// -inf makes its lane NaN.
#include "softmax.h"

static void log_softmax_v2_lane(double *v, size_t n, const void *ctx) {
  (void)ctx;
  double most = weft__lane_max(v, n), sum = 0;
  for (size_t k = 0; k < n; k++)
    sum += exp(v[k] - most);
  double log_sum = log(sum);
  for (size_t k = 0; k < n; k++)
    v[k] = v[k] - most - log_sum;
}

static weft_status log_softmax_v2_ref(const weft_call *c) {
  return weft__softmax_run(c, log_softmax_v2_lane);
}

WEFT_OP(log_softmax_v2) = {
    WEFT_OP_HEAD,
    .name = "LogSoftmaxV2",
    .summary = "logarithm of softmax over axes",
    .in = PORTS({"logits", "T"}),
    .out = PORTS({"logsoftmax", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"axes", "ListInt", "{-1}"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = weft__softmax_infer,
    .ref = log_softmax_v2_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2]{0,0} -> f32[2]{-0.6931472,-0.6931472}", "f32[2]{0,1000} -> f32[2]{-1000,0}",
        "f64[3]{1,2,3} -> f64[3]{-2.4076059644443806,-1.4076059644443804,-0.4076059644443804} ~1e-15",
        "f32[2,2]{1,2,1,2} axes=[0] -> f32[2,2]{-0.6931472,-0.6931472,-0.6931472,-0.6931472}",
        "f32[2]{1,nan} -> f32[2]{nan,nan}", "f32[2]{-inf,1} -> f32[2]{-inf,0}", "f16[3,0]{} -> f16[3,0]{}",
        "f32[-1,4] -> f32[-1,4]", "f32[3] axes=[-2] !! E_RANGE attribute 'axes': -2"),
};
// SPDX-License-Identifier: Apache-2.0
