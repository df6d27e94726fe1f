// ops/nn/bn_inference.c - y = (x - m) / sqrt(v + epsilon) * scale + offset for each channel, with m and v
// being mean and variance divided by the one element of momentum (taken as 0 when that is 0: Caffe's rule).
// AscendIR BNInference. The channels are the last axis when x has format NHWC or NDHWC, otherwise axis 1.
// use_global_stats and mode only say what is the case anyway. weft: double, and scale and the like in another
// float type than x.
#include "norm.h"

enum { X, MEAN, VARIANCE, MOMENTUM, SCALE, OFFSET };
enum { EPSILON, USE_GLOBAL_STATS, MODE };

static size_t bn_inference_axis_of(weft_format f, size_t rank) {
  f = weft_format_primary(f);
  return (f == WEFT_NHWC && rank == 4) || (f == WEFT_NDHWC && rank == 5) ? rank - 1 : 1;
}

static weft_status bn_inference_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  const weft_shape *m = it->in[MOMENTUM];
  weft_dim channels = -1;
  bool ranked = !weft_shape_is_unknown_rank(x);
  WEFT_TRY(weft__expect_rank(it, X, 2, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, MOMENTUM, 0, 1));
  if (!weft_shape_is_unknown_rank(m) && m->rank == 1 && m->dim[0] >= 0 && m->dim[0] != 1) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'momentum': expected one element, got %lld",
                     (long long)m->dim[0]);
  }
  size_t axis = ranked ? bn_inference_axis_of(it->in_format[0], x->rank) : 0;
  if (ranked)
    channels = x->dim[axis];
  WEFT_TRY(weft__channel_params(it, MEAN, VARIANCE, &channels));
  WEFT_TRY(weft__channel_params(it, SCALE, OFFSET, &channels));
  weft_shape_copy(it->out[0], x);
  if (ranked)
    it->out[0]->dim[axis] = channels;
  return WEFT_OK;
}

static size_t bn_inference_channel_of(const void *ctx, size_t lane, size_t k) {
  (void)ctx;
  (void)k;
  return lane;
}

static weft_status bn_inference_ref(const weft_call *c) {
  const weft_shape *s = &c->in[X]->layout.origin;
  weft_lanes l;
  size_t work = 0;
  double momentum = weft__param(c, MOMENTUM, 0, 0), factor = momentum != 0 ? 1 / momentum : 0;
  weft__lanes_init(&l, s, ~(UINT32_C(1) << bn_inference_axis_of(c->in[X]->format, s->rank)));
  weft_affine a = {.lanes = &l,
                   .epsilon = (double)weft_node_float(c->desc, EPSILON),
                   .scale = SCALE,
                   .shift = OFFSET,
                   .param = bn_inference_channel_of};
  for (a.lane = 0; a.lane < l.n && l.elems; a.lane++) {
    WEFT_TRY(weft__poll_work(c, &work, l.elems + 8));
    a.mean = weft__param(c, MEAN, a.lane, 0) * factor;
    a.variance = weft__param(c, VARIANCE, a.lane, 1) * factor;
    WEFT_TRY(weft__affine_lane(c, &a));
  }
  return WEFT_OK;
}

WEFT_OP(bn_inference) = {
    WEFT_OP_HEAD,
    .name = "BNInference",
    .summary = "normalisation of each channel by given statistics",
    .in = PORTS({"x", "T"}, {"mean", "U"}, {"variance", "U"}, {"momentum", "U"},
                {"scale", "U", .kind = WEFT_OPTIONAL}, {"offset", "U", .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}, {"U", WEFT_FLOATS}),
    .attrs = ATTRS({"epsilon", "Float", "1e-5f"}, {"use_global_stats", "Bool", "true"}, {"mode", "Int", "1"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = bn_inference_infer,
    .ref = bn_inference_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,2,2]{1,2,3,nan}, f32[2]{0,2}, f32[2]{8,2}, f32[]{2}, f32[2]{1,2}, f32[2]{0,10} epsilon=0.0"
        " -> f32[1,2,2]{0.5,1,14,nan}",
        "f16[1,1,1,2]{4,8}@NHWC, f32[2]{0,4}, f32[2]{4,16}, f32[1]{1} epsilon=0.0 -> f16[1,1,1,2]{2,1}@NHWC",
        "f32[1,1]{3}, f32[1]{7}, f32[1]{9}, f32[]{0} epsilon=0.25 -> f32[1,1]{6}",
        "f32[-1,2,4], f32[2], f32[2], f32[1] -> f32[-1,2,4]", "f32[0,2], f32[2], f32[2], f32[1] -> f32[0,2]",
        "f32[1,2], f32[3], f32[2], f32[1] !! E_SHAPE channels of input 'mean': 2 and 3 differ",
        "f32[1,2], f32[2], f32[2], f32[2] !! E_SHAPE input 'momentum': expected one element, got 2"),
};
// SPDX-License-Identifier: Apache-2.0
