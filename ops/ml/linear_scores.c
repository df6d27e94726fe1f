// ops/ml/linear_scores.c - Z[n,t] = post(sum over f of X[n,f] * coefficients[t*F+f] + intercepts[t]).   ONNX
// (ai.onnx.ml) LinearClassifier-1 and LinearRegressor-1, their tables as inputs; X [F] is one row. One set of
// coefficients for two targets gives the scores -s and s. Sums are double, rounded once. post_transform as in
// TreeEnsemble.
#include "trees.h"

enum { X, COEFFICIENTS, INTERCEPTS };
enum { N_TARGETS, POST };

static weft_status linear_scores_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  WEFT_TRY(weft__expect_rank(it, X, 1, 2));
  WEFT_TRY(weft__expect_rank(it, COEFFICIENTS, 1, 1));
  WEFT_TRY(weft__expect_rank(it, INTERCEPTS, 1, 1));
  weft_dim rows = weft_shape_is_unknown_rank(x) ? -1 : x->rank == 1 ? 1 : x->dim[0];
  return weft_set_out_shape(it, 0, (weft_dim[2]){rows, weft_node_int(it->desc, N_TARGETS)}, 2);
}

static double dot(const weft_call *c, size_t row, size_t set, size_t width) {
  const weft_tensor *x = c->in[X];
  const weft_tensor *w = c->in[COEFFICIENTS];
  const weft_tensor *b = c->in[INTERCEPTS];
  double sum = 0;
  for (size_t f = 0; f < width; f++) {
    sum +=
        weft_load_f64(x->dtype, x->data, row * width + f) * weft_load_f64(w->dtype, w->data, set * width + f);
  }
  return weft__elems(&b->layout.origin) > set ? sum + weft_load_f64(b->dtype, b->data, set) : sum;
}

static weft_status linear_scores_ref(const weft_call *c) {
  const weft_shape *x = &c->in[X]->layout.origin;
  size_t n = (size_t)weft_node_int(c->desc, N_TARGETS);
  size_t width = (size_t)x->dim[x->rank - 1];
  size_t bytes;
  size_t all;
  size_t rows = x->rank == 1 ? 1 : (size_t)x->dim[0];
  size_t given = weft__elems(&c->in[COEFFICIENTS]->layout.origin);
  size_t n_intercepts = weft__elems(&c->in[INTERCEPTS]->layout.origin);
  void *space;
  if (!weft_mul_size(n, sizeof(double), &bytes) || !weft_mul_size(n, width, &all))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu targets of %zu features", n, width);
  bool mirrored = n == 2 && given == width && width;
  if (given != all && !mirrored) {
    return weft_fail(c->d, WEFT_E_SHAPE,
                     "input 'coefficients': expected %zu targets times %zu features, got %zu elements", n,
                     width, given);
  }
  if (n_intercepts && n_intercepts != n && !(mirrored && n_intercepts == 1)) {
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'intercepts': expected 0 or %zu elements, got %zu", n,
                     n_intercepts);
  }
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  double *score = space;
  size_t work = 0;
  for (size_t r = 0; r < rows; r++) {
    WEFT_TRY(weft__poll_work(c, &work, n));
    for (size_t t = 0; t < n && !mirrored; t++) {
      WEFT_TRY(weft__poll_work(c, &work, width));
      score[t] = dot(c, r, t, width);
    }
    if (mirrored) {
      score[1] = dot(c, r, 0, width);
      score[0] = -score[1];
    }
    weft__scores_transform(score, n, weft_node_int(c->desc, POST));
    for (size_t t = 0; t < n; t++)
      weft_store_f64(WEFT_FLOAT, c->out[0]->data, r * n + t, score[t]);
  }
  return WEFT_OK;
}

WEFT_OP(linear_scores) = {
    WEFT_OP_HEAD,
    .name = "LinearScores",
    .summary = "scores of linear models",
    .in = PORTS({"X", NULL, WEFT_DT(FLOAT) | WEFT_DT(DOUBLE) | WEFT_SET_INDEX},
                {"coefficients", NULL, WEFT_DT(FLOAT)}, {"intercepts", NULL, WEFT_DT(FLOAT)}),
    .out = PORTS({"Z", NULL, WEFT_DT(FLOAT)}),
    .attrs = ATTRS({"n_targets", "Int", "1", "min 0;max 16777216"},
                   {"post_transform", "Int", "0", "min 0;max 4"}),
    .traits = WEFT_SYMBOLIC,
    .infer = linear_scores_infer,
    .ref = linear_scores_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,2]{1,2,3,4}, f32[4]{1,0,0.5,0.5}, f32[2]{10,0} n_targets=2 -> f32[2,2]{11,1.5,13,3.5}",
        "i64[2]{1,2}, f32[2]{1,1}, f32[0] -> f32[1,1]{3}",
        "f64[1,2]{1,2}, f32[2]{1,1}, f32[1]{1} n_targets=2 -> f32[1,2]{-4,4}",
        "f32[1,1]{0}, f32[2]{1,1}, f32[2]{1,1} n_targets=2 post_transform=1 -> f32[1,2]{0.5,0.5}",
        "f32[0,2], f32[2]{1,1}, f32[0] -> f32[0,1]", "f32[-1,3], f32[6], f32[2] n_targets=2 -> f32[-1,2]",
        "f32[?], f32[-1], f32[0] n_targets=4 -> f32[-1,4]",
        "f32[1,2]{1,2}, f32[3]{1,1,1}, f32[0] !! E_SHAPE expected 1 targets times 2 features, got 3",
        "f32[1,1]{1}, f32[1]{1}, f32[2]{1,1} !! E_SHAPE input 'intercepts'"),
};
// SPDX-License-Identifier: Apache-2.0
