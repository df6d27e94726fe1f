// ops/nn/layer_norm.c - y = (x - mean) / sqrt(variance + epsilon) * gamma + beta, with mean and variance over
// the axes from begin_norm_axis on.   AscendIR LayerNorm (ONNX LayerNormalization-17 for the first output).
// gamma and beta have the shape of x from begin_params_axis on; mean and variance that of x with 1 in the
// normalised axes. The variance is biased. One NaN makes its lane NaN. weft: double, and gamma and beta in
// another float type than x.
#include "arrays.h"
#include "norm.h"

enum { X, GAMMA, BETA };
enum { BEGIN_NORM_AXIS, BEGIN_PARAMS_AXIS, EPSILON };

static weft_status begin_axis(weft_diag *d, const weft_op_desc *n, uint32_t slot, size_t rank, size_t *out) {
  char what[64];
  snprintf(what, sizeof what, "attribute '%s'", weft__attr_name(n, slot));
  return weft__axis(d, what, weft_node_int(n, slot), rank, out);
}

static weft_status layer_norm_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  if (weft_shape_is_unknown_rank(x)) {
    for (uint32_t i = 0; i < it->n_out; i++)
      WEFT_TRY(weft__unknown_rank(it, i));
    return WEFT_OK;
  }
  size_t norm;
  size_t params;
  WEFT_TRY(begin_axis(it->d, it->desc, BEGIN_NORM_AXIS, x->rank, &norm));
  WEFT_TRY(begin_axis(it->d, it->desc, BEGIN_PARAMS_AXIS, x->rank, &params));
  weft_shape y;
  weft_shape_copy(&y, x);
  for (uint32_t in = GAMMA; in <= BETA; in++) {
    WEFT_TRY(weft__expect_rank(it, in, x->rank - params, x->rank - params));
    for (size_t i = params; i < x->rank && !weft_shape_is_unknown_rank(it->in[in]); i++) {
      char what[96];
      snprintf(what, sizeof what, "axis %zu of x and input '%s'", i, weft__in_name(it->desc, in));
      WEFT_TRY(weft__merge_dim(it, y.dim[i], it->in[in]->dim[i - params], what, &y.dim[i]));
    }
  }
  weft_shape_copy(it->out[0], &y);
  for (size_t i = norm; i < x->rank; i++)
    y.dim[i] = 1;
  for (uint32_t i = 1; i < it->n_out; i++)
    weft_shape_copy(it->out[i], &y);
  return WEFT_OK;
}

typedef struct place {
  const weft_lanes *lanes;
  size_t params;  // elements of gamma
} place;

static size_t param_of(const void *ctx, size_t lane, size_t k) {
  const place *p = ctx;
  return (weft__lane_start(p->lanes, lane) + weft__lane_step(p->lanes, k)) % p->params;
}

static weft_status layer_norm_ref(const weft_call *c) {
  const weft_shape *s = &c->in[X]->layout.origin;
  size_t norm;
  size_t params;
  weft_lanes l;
  WEFT_TRY(begin_axis(c->d, c->desc, BEGIN_NORM_AXIS, s->rank, &norm));
  WEFT_TRY(begin_axis(c->d, c->desc, BEGIN_PARAMS_AXIS, s->rank, &params));
  weft__lanes_init(&l, s, ~UINT32_C(0) << norm);
  place p = {&l, weft__prod(s, params, s->rank)};
  weft_affine a = {.lanes = &l,
                   .epsilon = (double)weft_node_float(c->desc, EPSILON),
                   .scale = GAMMA,
                   .shift = BETA,
                   .param = param_of,
                   .ctx = &p};
  return weft__normalise_lanes(c, &a);
}

WEFT_OP(layer_norm) = {
    WEFT_OP_HEAD,
    .name = "LayerNorm",
    .summary = "normalisation over the last axes",
    .in = PORTS({"x", "T"}, {"gamma", "U"}, {"beta", "U"}),
    .out = PORTS({"y", "T"}, {"mean", "T"}, {"variance", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}, {"U", WEFT_FLOATS}),
    .attrs = ATTRS({"begin_norm_axis", "Int", "0"}, {"begin_params_axis", "Int", "0"},
                   {"epsilon", "Float", "0.0000001f"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = layer_norm_infer,
    .ref = layer_norm_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,2]{1,3,5,9}, f32[2]{1,2}, f32[2]{0,10} begin_norm_axis=1 begin_params_axis=1 epsilon=0.0"
        " -> f32[2,2]{-1,12,-1,12}, f32[2,1]{2,7}, f32[2,1]{1,4}",
        "f32[2,2]{1,3,1,3}, f32[2,2]{1,1,2,2}, f32[2,2]{0,0,0,1} epsilon=0.0"
        " -> f32[2,2]{-1,1,-2,3}, f32[1,1]{2}, f32[1,1]{1}",
        "f32[2,2]{1,3,nan,9}, f32[2]{1,2}, f32[2]{0,10} begin_norm_axis=-1 begin_params_axis=-1 epsilon=0.0"
        " -> f32[2,2]{-1,12,nan,nan}, f32[2,1]{2,nan}, f32[2,1]{1,nan}",
        "f16[0,4], f16[4], f16[4] begin_norm_axis=1 begin_params_axis=1 -> f16[0,4], f16[0,1], f16[0,1]",
        "f32[2,0]{}, f32[0]{}, f32[0]{} begin_norm_axis=1 begin_params_axis=1"
        " -> f32[2,0]{}, f32[2,1]{nan,nan}, f32[2,1]{nan,nan}",
        "f32[-1,8,-1], f32[16], f32[16] begin_norm_axis=2 begin_params_axis=2"
        " -> f32[-1,8,16], f32[-1,8,1], f32[-1,8,1]",
        "f32[2,4], f32[3], f32[4] begin_norm_axis=1 begin_params_axis=1 -> _, _, _ !! E_SHAPE 4 and 3 differ",
        "f32[2,4], f32[4], f32[4] begin_norm_axis=2 begin_params_axis=1 -> _, _, _"
        " !! E_RANGE attribute 'begin_norm_axis': 2",
        "f32[2,4], f32[4], f32[4] begin_norm_axis=1 -> _, _, _ !! E_SHAPE expected rank 2, got 1"),
};
// SPDX-License-Identifier: Apache-2.0
