// ops/elementwise/p_relu.c - y = x for x >= 0, otherwise weight * x.   AscendIR PRelu, ONNX PRelu-16.
// A weight of rank 1 lies along axis `weight_axis` of x (ext; AscendIR's channels: 1, ONNX's broadcasting:
// -1); every other weight broadcasts to x. NaN stays.
#include "numeric.h"

enum { WEIGHT_AXIS };

// The weight's shape, aligned with the last axes of x.
static weft_status p_relu_aligned(const weft_op_desc *n, const weft_shape *x, const weft_shape *weight,
                                  weft_shape *out, weft_diag *d) {
  size_t axis;
  weft_shape_copy(out, weight);
  if (weight->rank != 1 || x->rank < 2)
    return WEFT_OK;
  WEFT_TRY(weft__axis(d, "attribute 'weight_axis'", weft_node_int(n, WEIGHT_AXIS), x->rank, &axis));
  out->rank = x->rank - axis;
  for (size_t k = 1; k < out->rank; k++)
    out->dim[k] = 1;
  return WEFT_OK;
}

static weft_status p_relu_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *weight = it->in[1];
  weft_shape w;
  char s[256];
  char t[256];
  weft_shape_copy(it->out[0], x);
  if (weft_shape_is_unknown_rank(x) || weft_shape_is_unknown_rank(weight))
    return WEFT_OK;
  WEFT_TRY(p_relu_aligned(it->desc, x, weight, &w, it->d));
  if (weight->rank != 1 || x->rank < 2)
    return weft__expect_broadcast_to(it, 1, 0);
  weft_dim have = w.dim[0];
  weft_dim want = x->dim[x->rank - w.rank];
  if (have < 0 || want < 0 || have == 1 || have == want)
    return WEFT_OK;
  return weft_fail(
      it->d, WEFT_E_SHAPE, "input 'weight': %lld elements along axis %zu of 'x', which has %lld (%s and %s)",
      (long long)have, x->rank - w.rank, (long long)want, weft_shape_text(weight, it->symbols, s, sizeof s),
      weft_shape_text(x, it->symbols, t, sizeof t));
}

static weft_status p_relu_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *weight = c->in[1];
  weft_shape shape;
  weft_walk w;
  WEFT_TRY(p_relu_aligned(c->desc, &x->layout.origin, &weight->layout.origin, &shape, c->d));
  weft__walk_init(&w, &x->layout.origin);
  weft__walk_operand(&w, 0, &shape);
  for (; w.i < w.n; weft__walk_next(&w)) {
    WEFT_TRY(weft__poll_at(c, w.i));
    double v = weft_load_f64(x->dtype, x->data, w.i);
    weft_store_f64(x->dtype, c->out[0]->data, w.i,
                   v < 0 ? v * weft_load_f64(x->dtype, weight->data, w.at[0]) : v);
  }
  return WEFT_OK;
}

WEFT_OP(p_relu) = {
    WEFT_OP_HEAD,
    .name = "PRelu",
    .summary = "y = x for x >= 0, otherwise weight * x",
    .in = PORTS({"x", "T"}, {"weight", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"weight_axis", "Int", "1", .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT | WEFT_INPLACE,
    .infer = p_relu_infer,
    .ref = p_relu_ref,
    .examples = WEFT_EXAMPLES(
        "f32[4]{-2,3,nan,-inf}, f32[1]{0.5} -> f32[4]{-1,3,nan,-inf}", "f32[]{-2}, f32[]{0.5} -> f32[]{-1}",
        "f32[1,2,2]{-1,-2,-3,4}, f32[2]{2,10} -> f32[1,2,2]{-2,-4,-30,4}",
        "f32[1,2,2]{-1,-2,-3,4}, f32[2]{2,10} weight_axis=-1 -> f32[1,2,2]{-2,-20,-6,4}",
        "f32[1,2,2]{-1,-2,-3,4}, f32[2,1]{2,10} -> f32[1,2,2]{-2,-4,-30,4}", "f16[0,3], f16[3] -> f16[0,3]",
        "f32[-1,3,-1], f32[3] -> f32[-1,3,-1]", "f32[?], f32[3] -> f32[?]",
        "f32[2,3], f32[2] !! E_SHAPE input 'weight': 2 elements along axis 1 of 'x', which has 3",
        "f32[3], f32[2,3] !! E_SHAPE does not broadcast",
        "f32[2,3], f32[3] weight_axis=2 !! E_RANGE attribute 'weight_axis'",
        "f32[2,3], f16[3] !! E_DTYPE input 'weight'"),
};
// SPDX-License-Identifier: Apache-2.0
