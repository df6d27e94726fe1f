// map_training.c - optimizers of ai.onnx.preview.training, written in primitives. Inputs: learning rate R,
// update count T, then n tensors X, n gradients G, and n of each state; outputs: the n new X, then the new
// states.
#include "frontend/onnx/map.h"

static weft_value *mul(onnx_op *o, weft_value *a, weft_value *b) {
  return onnx_do(o, "Mul", a, b, NULL);
}
static weft_value *map_training_add(onnx_op *o, weft_value *a, weft_value *b) {
  return onnx_do(o, "Add", a, b, NULL);
}
static weft_value *sub(onnx_op *o, weft_value *a, weft_value *b) {
  return onnx_do(o, "Sub", a, b, NULL);
}
static weft_value *quotient(onnx_op *o, weft_value *a, weft_value *b) {
  return onnx_do(o, "Div", a, b, NULL);
}
static weft_value *map_training_scaled(onnx_op *o, weft_value *a, double k, weft_dtype t) {
  return mul(o, a, onnx_num(o, t, k));
}

typedef struct update {
  weft_value *rate, *count, *x, *g;  // rate and count have x's dtype
  weft_value *state[2];
  weft_dtype t;
  double norm;
} update;

// The number of tensors; each has `states` states.
static size_t tensors(onnx_op *o, size_t states) {
  size_t n = o->n->inputs.n < 2 ? 0 : o->n->inputs.n - 2;
  size_t each = 2 + states;
  if (!n || n % each) {
    o->failed = onnx_fail(o, WEFT_E_INVALID, "%zu inputs: expected R, T and a multiple of %zu tensors",
                          (size_t)o->n->inputs.n, each);
    return 0;
  }
  return n / each;
}

static update map_training_begin(onnx_op *o, size_t i, size_t n, size_t states) {
  update u = {.x = onnx_arg(o, 2 + i),
              .g = onnx_arg(o, 2 + n + i),
              .norm = (double)onnx_float(o, "norm_coefficient", 0)};
  weft_value *r = onnx_arg(o, 0);
  weft_value *t = onnx_arg(o, 1);
  for (size_t k = 0; k < states; k++)
    u.state[k] = onnx_arg(o, 2 + (2 + k) * n + i);
  if (o->failed)
    return u;
  u.t = u.x->fact.dtype;
  u.rate = onnx_as(o, r, u.t);
  u.count = onnx_as(o, t, u.t);
  if (u.norm != 0)
    u.g = map_training_add(o, map_training_scaled(o, u.x, u.norm, u.t), u.g);
  return u;
}

// T > 0 ? a : b
static weft_value *after_first(onnx_op *o, const update *u, weft_value *a, weft_value *b) {
  weft_value *later = onnx_do(o, "Greater", u->count, onnx_num(o, u->t, 0), NULL);
  return onnx_do(o, "SelectV2", later, a, b);
}

weft_status onnx_adagrad(onnx_op *o) {
  size_t n = tensors(o, 1);
  double decay = (double)onnx_float(o, "decay_factor", 0), epsilon = (double)onnx_float(o, "epsilon", 1e-6f);
  for (size_t i = 0; i < n && !o->failed; i++) {
    update u = map_training_begin(o, i, n, 1);
    weft_value *r = quotient(
        o, u.rate, map_training_add(o, map_training_scaled(o, u.count, decay, u.t), onnx_num(o, u.t, 1)));
    weft_value *h = map_training_add(o, u.state[0], mul(o, u.g, u.g));
    weft_value *root = map_training_add(o, onnx_do(o, "Sqrt", h, NULL, NULL), onnx_num(o, u.t, epsilon));
    weft_value *x = sub(o, u.x, quotient(o, mul(o, r, u.g), root));
    WEFT_TRY(onnx_result(o, i, x));
    WEFT_TRY(onnx_result(o, n + i, h));
  }
  return o->failed;
}

weft_status onnx_adam(onnx_op *o) {
  size_t n = tensors(o, 2);
  double alpha = (double)onnx_float(o, "alpha", 0.9f), beta = (double)onnx_float(o, "beta", 0.999f);
  double epsilon = (double)onnx_float(o, "epsilon", 1e-6f),
         post = (double)onnx_float(o, "norm_coefficient_post", 0);
  for (size_t i = 0; i < n && !o->failed; i++) {
    update u = map_training_begin(o, i, n, 2);
    weft_value *v = map_training_add(o, map_training_scaled(o, u.state[0], alpha, u.t),
                                     map_training_scaled(o, u.g, 1 - alpha, u.t));
    weft_value *h = map_training_add(o, map_training_scaled(o, u.state[1], beta, u.t),
                                     map_training_scaled(o, mul(o, u.g, u.g), 1 - beta, u.t));
    weft_value *root = map_training_add(o, onnx_do(o, "Sqrt", h, NULL, NULL), onnx_num(o, u.t, epsilon));
    weft_value *one = onnx_num(o, u.t, 1);
    weft_value *up = sub(o, one, onnx_do(o, "Pow", onnx_num(o, u.t, beta), u.count, NULL));
    weft_value *down = sub(o, one, onnx_do(o, "Pow", onnx_num(o, u.t, alpha), u.count, NULL));
    weft_value *r = quotient(o, mul(o, u.rate, onnx_do(o, "Sqrt", up, NULL, NULL)), down);
    weft_value *x = sub(o, u.x, quotient(o, mul(o, after_first(o, &u, r, u.rate), v), root));
    if (post != 0)
      x = map_training_scaled(o, x, 1 - post, u.t);
    WEFT_TRY(onnx_result(o, i, x));
    WEFT_TRY(onnx_result(o, n + i, v));
    WEFT_TRY(onnx_result(o, 2 * n + i, h));
  }
  return o->failed;
}

weft_status onnx_momentum(onnx_op *o) {
  size_t n = tensors(o, 1);
  bool nesterov = onnx_is(o, "mode", "", "nesterov");
  bool standard = onnx_is(o, "mode", "", "standard");
  double alpha = (double)onnx_float(o, "alpha", 0), beta = (double)onnx_float(o, "beta", 0);
  if (!nesterov && !standard)
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'mode': expected 'standard' or 'nesterov'");
  for (size_t i = 0; i < n && !o->failed; i++) {
    update u = map_training_begin(o, i, n, 1);
    weft_value *b = after_first(o, &u, onnx_num(o, u.t, beta), onnx_num(o, u.t, 1));
    weft_value *v = map_training_add(o, map_training_scaled(o, u.state[0], alpha, u.t), mul(o, b, u.g));
    weft_value *step = nesterov ? map_training_add(o, u.g, map_training_scaled(o, v, alpha, u.t)) : v;
    WEFT_TRY(onnx_result(o, i, sub(o, u.x, mul(o, u.rate, step))));
    WEFT_TRY(onnx_result(o, n + i, v));
  }
  return o->failed;
}
// SPDX-License-Identifier: Apache-2.0
