// ops/nn/batch_norm.c - y = (x - mean) / sqrt(variance + epsilon) * scale + offset for each channel. AscendIR
// BatchNorm, ONNX BatchNormalization-15 with is_training false. Not training: mean and variance are needed
// and are given on as batch_mean and batch_variance. Training: those of the batch normalise; batch_mean and
// batch_variance (unbiased when there are two elements or more) are mixed with mean and variance by
// exponential_avg_factor; reserve_space_1 and _2 have the batch's mean and biased variance, _3 is zero. weft:
// double; scale and the like in any float type; any rank from 2. An epsilon of 0 over variance 0 gives NaN or
// inf.
#include "arrays.h"
#include "norm.h"

enum { X, SCALE, OFFSET, MEAN, VARIANCE };
enum { EPSILON, DATA_FORMAT, IS_TRAINING, FACTOR };

static weft_status batch_norm_infer(weft_infer *it) {
  uint32_t in;
  weft_dim channels = -1;
  const weft_shape *x = it->in[0];
  bool ranked = !weft_shape_is_unknown_rank(x);
  WEFT_TRY(weft__expect_rank(it, 0, 2, WEFT_MAX_RANK));
  for (uint32_t port = MEAN; port <= VARIANCE && !weft_node_bool(it->desc, IS_TRAINING); port++) {
    if (!weft__has_in(it->desc, port, &in)) {
      return weft_fail(it->d, WEFT_E_MISSING, "input '%s' is needed when is_training is false",
                       port == MEAN ? "mean" : "variance");
    }
  }
  size_t axis = ranked ? weft__channel_axis(weft_node_str(it->desc, DATA_FORMAT), x->rank) : 0;
  if (ranked)
    channels = x->dim[axis];
  WEFT_TRY(weft__channel_params(it, SCALE, VARIANCE, &channels));
  weft_shape_copy(it->out[0], x);
  if (ranked)
    it->out[0]->dim[axis] = channels;
  for (uint32_t i = 1; i < it->n_out; i++) {
    it->out[i]->rank = 1;
    it->out[i]->dim[0] = channels;
  }
  if (ranked && x->rank != 4 && x->rank != 5)
    it->out_format[0] = WEFT_ND;
  for (uint32_t i = 1; i < it->n_out; i++)
    it->out_format[i] = WEFT_ND;
  return WEFT_OK;
}

static size_t batch_norm_channel_of(const void *ctx, size_t lane, size_t k) {
  (void)ctx;
  (void)k;
  return lane;
}

static weft_status one_channel(const weft_call *c, weft_affine *a, size_t n, const double *v) {
  size_t i = a->lane;
  if (!weft_node_bool(c->desc, IS_TRAINING)) {
    a->mean = weft__param(c, MEAN, i, 0);
    a->variance = weft__param(c, VARIANCE, i, 1);
    for (uint32_t out = 1; out < 5; out++)
      weft__put(c, out, i, out % 2 ? a->mean : a->variance);
  } else {
    double keep = 1 - (double)weft_node_float(c->desc, FACTOR);
    weft__moments(v, n, &a->mean, &a->variance);
    double unbiased = n > 1 ? a->variance * ((double)n / (double)(n - 1)) : a->variance, mean = a->mean;
    if (keep != 0) {
      mean = mean * (1 - keep) + keep * weft__param(c, MEAN, i, mean);
      unbiased = unbiased * (1 - keep) + keep * weft__param(c, VARIANCE, i, unbiased);
    }
    weft__put(c, 1, i, mean);
    weft__put(c, 2, i, unbiased);
    weft__put(c, 3, i, a->mean);
    weft__put(c, 4, i, a->variance);
  }
  weft__put(c, 5, i, 0);
  return weft__affine_lane(c, a);
}

static weft_status batch_norm_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  weft_lanes l;
  size_t work = 0;
  void *v;
  weft__lanes_init(&l, s, ~(UINT32_C(1) << weft__channel_axis(weft_node_str(c->desc, DATA_FORMAT), s->rank)));
  WEFT_TRY(weft__scratch(c, l.elems, &v));
  weft_affine a = {.lanes = &l,
                   .epsilon = (double)weft_node_float(c->desc, EPSILON),
                   .scale = SCALE,
                   .shift = OFFSET,
                   .param = batch_norm_channel_of};
  for (a.lane = 0; a.lane < l.n; a.lane++) {
    WEFT_TRY(weft__poll_work(c, &work, l.elems + 8));
    weft__lane_load(&l, a.lane, x->dtype, x->data, v);
    WEFT_TRY(one_channel(c, &a, l.elems, v));
  }
  return WEFT_OK;
}

WEFT_OP(batch_norm) = {
    WEFT_OP_HEAD,
    .name = "BatchNorm",
    .summary = "normalisation of each channel by given or batch statistics",
    .in = PORTS({"x", "T1"}, {"scale", "T2"}, {"offset", "T2"}, {"mean", "T2", .kind = WEFT_OPTIONAL},
                {"variance", "T2", .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", "T1"}, {"batch_mean", "T2"}, {"batch_variance", "T2"}, {"reserve_space_1", "T2"},
                 {"reserve_space_2", "T2"}, {"reserve_space_3", "T2"}),
    .types = TYPES({"T1", WEFT_FLOATS}, {"T2", WEFT_FLOATS}),
    .attrs = ATTRS({"epsilon", "Float", "1e-4f"},
                   {"data_format", "String", "\"NHWC\"", "one of NHWC|NCHW|NDHWC|NCDHW"},
                   {"is_training", "Bool", "true"}, {"exponential_avg_factor", "Float", "1.0f"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = batch_norm_infer,
    .ref = batch_norm_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,2,1,2]{1,2,3,nan}, f32[2]{1,2}, f32[2]{0,10}, f32[2]{0,1}, f32[2]{4,1} epsilon=0.0"
        " is_training=false "
        "data_format=\"NCHW\" -> f32[1,2,1,2]{0.5,1,14,nan}@NCHW, f32[2]{0,1}, f32[2]{4,1}, f32[2]{0,1},"
        " f32[2]{4,1}, f32[2]{0,0}",
        "f16[2,2]{1,3,5,3}, f32[2]{1,1}, f32[2]{0,0}, f32[2]{1,3}, f32[2]{16,1} epsilon=0.0"
        " is_training=false "
        "-> f16[2,2]{0,0,1,0}, f32[2]{1,3}, f32[2]{16,1}, f32[2]{1,3}, f32[2]{16,1}, f32[2]{0,0}",
        "f32[2,1]{1,3}, f32[1]{2}, f32[1]{1} epsilon=0.0"
        " -> f32[2,1]{-1,3}, f32[1]{2}, f32[1]{2}, f32[1]{2}, f32[1]{1}, f32[1]{0}",
        "f32[2,1]{1,3}, f32[1]{2}, f32[1]{1}, f32[1]{6}, f32[1]{4} epsilon=0.0 exponential_avg_factor=0.25"
        " -> f32[2,1]{-1,3}, f32[1]{5}, f32[1]{3.5}, f32[1]{2}, f32[1]{1}, f32[1]{0}",
        "f32[-1,8,4,4], f32[8], f32[8], f32[8], f32[8] is_training=false data_format=\"NCHW\""
        " -> f32[-1,8,4,4]@NCHW, "
        "f32[8], f32[8], f32[8], f32[8], f32[8]",
        "f32[4,-1], f32[3], f32[3] -> f32[4,3], f32[3], f32[3], f32[3], f32[3], f32[3]",
        "f32[0,2], f32[2], f32[2] -> f32[0,2], f32[2], f32[2], f32[2], f32[2], f32[2]",
        "f32[1,2,4,4], f32[3], f32[3] data_format=\"NCHW\" -> _, _, _, _, _, _"
        " !! E_SHAPE channels of input 'scale': 2 and 3 differ",
        "f32[1,2], f32[2], f32[2] is_training=false -> _, _, _, _, _, _ !! E_MISSING input 'mean' is needed",
        "f32[2], f32[2], f32[2] -> _, _, _, _, _, _ !! E_SHAPE expected rank 2"),
};
// SPDX-License-Identifier: Apache-2.0
