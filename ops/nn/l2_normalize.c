// ops/nn/l2_normalize.c - y = x / sqrt(max(sum of x^2 over axis, eps)).   AscendIR L2Normalize (ONNX
// LpNormalization-1, p 2, with eps 0 where the sum is not 0).   No axes mean all of them. One NaN makes its
// lane NaN. weft: double and bfloat16.
#include "softmax.h"

enum { AXIS, EPS };

static void l2_normalize_lane(double *v, size_t n, const void *ctx) {
  double sum = 0, eps = *(const double *)ctx;
  for (size_t k = 0; k < n; k++)
    sum += v[k] * v[k];
  double root = sqrt(sum < eps ? eps : sum);
  for (size_t k = 0; k < n; k++)
    v[k] /= root;
}

static weft_status l2_normalize_ref(const weft_call *c) {
  uint32_t mask;
  double eps = (double)weft_node_float(c->desc, EPS);
  WEFT_TRY(weft__lane_axes(c->d, c->desc, AXIS, c->in[0]->layout.origin.rank, &mask));
  return weft__each_lane(c, weft_node_ints(c->desc, AXIS).n ? mask : ~UINT32_C(0), l2_normalize_lane, &eps);
}

WEFT_OP(l2_normalize) = {
    WEFT_OP_HEAD,
    .name = "L2Normalize",
    .summary = "x divided by its Euclidean norm over axes",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"axis", "ListInt", "{}"}, {"eps", "Float", "1e-4f"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = weft__softmax_infer,
    .ref = l2_normalize_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{3,4,0,nan} axis=[1] -> f32[2,2]{0.6,0.8,nan,nan}",
                              "f32[2,2]{3,0,4,2} axis=[0] -> f32[2,2]{0.6,0,0.8,1}",
                              "f32[2,2]{1,1,1,1} -> f32[2,2]{0.5,0.5,0.5,0.5}",
                              "f32[2]{0,1} axis=[0] eps=4.0 -> f32[2]{0,0.5}",
                              "f32[0,3]{} axis=[1] -> f32[0,3]{}", "f16[-1,3] axis=[-1] -> f16[-1,3]",
                              "f32[2] axis=[1] !! E_RANGE attribute 'axis'"),
};
// SPDX-License-Identifier: Apache-2.0
