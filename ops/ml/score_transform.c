// ops/ml/score_transform.c - the post_transform of ONNX's (ai.onnx.ml) models over the last axis: 0 none, 1
// softmax, 2 logistic, 3 softmax that keeps zeros, 4 probit. A scalar is one score. Computed in double,
// rounded once.
#include "op_slots.h"
#include "trees.h"

static weft_status score_transform_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  size_t n = s->rank ? (size_t)s->dim[s->rank - 1] : 1;
  size_t rows = s->rank ? weft__prod(s, 0, s->rank - 1) : 1;
  size_t bytes;
  void *space;
  if (weft__call_gives_nothing(c))
    return WEFT_OK;
  if (!weft_mul_size(n, sizeof(double), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu scores", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  double *score = space;
  size_t work = 0;
  for (size_t r = 0; n && r < rows; r++) {
    WEFT_TRY(weft__poll_work(c, &work, n));
    for (size_t i = 0; i < n; i++)
      score[i] = weft_load_f64(x->dtype, x->data, r * n + i);
    weft__scores_transform(score, n, weft_node_int(c->desc, WEFT_SLOT_SCORE_TRANSFORM_POST_TRANSFORM));
    for (size_t i = 0; i < n; i++)
      weft_store_f64(x->dtype, c->out[0]->data, r * n + i, score[i]);
  }
  return WEFT_OK;
}

WEFT_OP(score_transform) = {
    WEFT_OP_HEAD,
    .name = "ScoreTransform",
    .summary = "the post_transform of a model's scores",
    .in = PORTS({"X", "T"}),
    .out = PORTS({"Y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"post_transform", "Int", "0", "min 0;max 4"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = weft__infer_same,
    .ref = score_transform_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{0,0,5,5} post_transform=1 -> f32[2,2]{0.5,0.5,0.5,0.5}",
                              "f64[2]{0,-0.5} post_transform=2 -> f64[2]{0.5,0.377540668798145435} ~1e-15",
                              "f32[3]{0,7,7} post_transform=3 -> f32[3]{0,0.5,0.5}",
                              "f64[]{0.975} post_transform=4 -> f64[]{1.959963984540054} ~1e-12",
                              "f32[2]{3,-4} -> f32[2]{3,-4}", "f32[0,3] post_transform=1 -> f32[0,3]",
                              "f32[3,0] post_transform=1 -> f32[3,0]", "f32[-1,2] -> f32[-1,2]",
                              "f32[1]{1} post_transform=5 !! E_RANGE post_transform must <= 4, got 5"),
};
// SPDX-License-Identifier: Apache-2.0
