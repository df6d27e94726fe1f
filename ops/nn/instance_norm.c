// ops/nn/instance_norm.c - y = (x - mean) / sqrt(variance + epsilon) * gamma + beta, with mean and variance
// over the spatial axes of each image and channel.   AscendIR InstanceNorm (ONNX InstanceNormalization-6 for
// the first output). mean and variance (biased) have the shape of x with 1 in the spatial axes. One NaN makes
// its lane NaN. weft: double, gamma and beta in another float type than x, and any rank from 3: data_format
// says where the channels are.
#include "arrays.h"
#include "norm.h"

enum { X, GAMMA, BETA };
enum { DATA_FORMAT, EPSILON };

static weft_status instance_norm_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  bool ranked = !weft_shape_is_unknown_rank(x);
  weft_dim channels = -1;
  WEFT_TRY(weft__expect_rank(it, X, 3, WEFT_MAX_RANK));
  size_t axis = ranked ? weft__channel_axis(weft_node_str(it->desc, DATA_FORMAT), x->rank) : 0;
  if (ranked)
    channels = x->dim[axis];
  WEFT_TRY(weft__channel_params(it, GAMMA, BETA, &channels));
  for (uint32_t i = 0; i < it->n_out; i++) {
    weft_shape *y = it->out[i];
    weft_shape_copy(y, x);
    if (ranked)
      y->dim[axis] = channels;
    for (size_t k = 1; ranked && i && k < x->rank; k++) {
      if (k != axis)
        y->dim[k] = 1;
    }
    it->out_format[i] = it->in_format[0];
  }
  return WEFT_OK;
}

static size_t instance_norm_channel_of(const void *ctx, size_t lane, size_t k) {
  (void)k;
  return lane % *(const size_t *)ctx;
}

static weft_status instance_norm_ref(const weft_call *c) {
  const weft_shape *s = &c->in[X]->layout.origin;
  size_t axis = weft__channel_axis(weft_node_str(c->desc, DATA_FORMAT), s->rank);
  size_t channels = (size_t)s->dim[axis];
  weft_lanes l;
  weft__lanes_init(&l, s, ~(UINT32_C(1) | UINT32_C(1) << axis));
  weft_affine a = {.lanes = &l,
                   .epsilon = (double)weft_node_float(c->desc, EPSILON),
                   .scale = GAMMA,
                   .shift = BETA,
                   .param = instance_norm_channel_of,
                   .ctx = &channels};
  return weft__normalise_lanes(c, &a);
}

WEFT_OP(instance_norm) = {
    WEFT_OP_HEAD,
    .name = "InstanceNorm",
    .summary = "normalisation of each channel of each image",
    .in = PORTS({"x", "T"}, {"gamma", "U"}, {"beta", "U"}),
    .out = PORTS({"y", "T"}, {"mean", "T"}, {"variance", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}, {"U", WEFT_FLOATS}),
    .attrs = ATTRS({"data_format", "String", "\"NDHWC\"", "one of NDHWC|NCDHW|NHWC|NCHW"},
                   {"epsilon", "Float", "1e-6f"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = instance_norm_infer,
    .ref = instance_norm_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,2,2]{1,3,5,9}, f32[2]{1,2}, f32[2]{0,10} data_format=\"NCHW\" epsilon=0.0"
        " -> f32[1,2,2]{-1,1,8,12}, f32[1,2,1]{2,7}, f32[1,2,1]{1,4}",
        "f32[1,2,2]{1,5,3,9}, f32[2]{1,2}, f32[2]{0,10} epsilon=0.0"
        " -> f32[1,2,2]{-1,8,1,12}, f32[1,1,2]{2,7}, f32[1,1,2]{1,4}",
        "f32[2,1,2]{1,3,nan,9}, f32[1]{1}, f32[1]{0} data_format=\"NCHW\" epsilon=0.0"
        " -> f32[2,1,2]{-1,1,nan,nan}, f32[2,1,1]{2,nan}, f32[2,1,1]{1,nan}",
        "f16[0,2,4], f32[2], f32[2] data_format=\"NCHW\" -> f16[0,2,4], f16[0,2,1], f16[0,2,1]",
        "f32[-1,-1,4,4], f32[8], f32[8] data_format=\"NCHW\" -> f32[-1,8,4,4], f32[-1,8,1,1], f32[-1,8,1,1]",
        "f32[1,3,4], f32[2], f32[3] data_format=\"NCHW\" -> _, _, _"
        " !! E_SHAPE channels of input 'gamma': 3 and 2 differ",
        "f32[1,3], f32[3], f32[3] -> _, _, _ !! E_SHAPE expected rank 3"),
};
// SPDX-License-Identifier: Apache-2.0
