// ops/nn/group_norm.c - y = (x - mean) / sqrt(variance + eps) * gamma + beta, with mean and variance over the
// spatial axes and num_groups equal groups of channels of each image.   AscendIR GroupNorm (ONNX
// GroupNormalization-21). mean and variance (biased) are [N, num_groups]. is_training changes nothing: both
// outputs are always computed. weft: bfloat16, double, gamma and beta in another float type than x, any rank
// from 2.
#include "arrays.h"
#include "norm.h"

enum { X, GAMMA, BETA };
enum { NUM_GROUPS, DATA_FORMAT, EPS, IS_TRAINING };

static weft_status group_norm_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  bool ranked = !weft_shape_is_unknown_rank(x);
  weft_dim channels = -1;
  int64_t groups = weft_node_int(it->desc, NUM_GROUPS);
  WEFT_TRY(weft__expect_rank(it, X, 2, WEFT_MAX_RANK));
  size_t axis = ranked ? weft__channel_axis(weft_node_str(it->desc, DATA_FORMAT), x->rank) : 0;
  if (ranked)
    channels = x->dim[axis];
  WEFT_TRY(weft__channel_params(it, GAMMA, BETA, &channels));
  if (channels >= 0 && channels % groups) {
    return weft_fail(it->d, WEFT_E_SHAPE,
                     "attribute 'num_groups': %lld channels cannot be split into %lld groups",
                     (long long)channels, (long long)groups);
  }
  weft_shape_copy(it->out[0], x);
  if (ranked)
    it->out[0]->dim[axis] = channels;
  for (uint32_t i = 1; i < it->n_out; i++) {
    it->out[i]->rank = 2;
    it->out[i]->dim[0] = ranked ? x->dim[0] : -1;
    it->out[i]->dim[1] = groups;
    it->out_format[i] = WEFT_ND;
  }
  it->out_format[0] = it->in_format[0];
  return WEFT_OK;
}

typedef struct place {
  weft_norm_groups by;
  size_t spots;  // elements of a channel
  bool last;
} place;

// Lanes are seen through a shape of [N, groups, members, spots] or [N, spots, groups, members].
static size_t param_of(const void *ctx, size_t lane, size_t k) {
  const place *p = ctx;
  return weft__norm_channel(p->by, lane, p->last ? k % p->by.members : k / p->spots);
}

static weft_status group_norm_ref(const weft_call *c) {
  const weft_shape *s = &c->in[X]->layout.origin;
  size_t axis = weft__channel_axis(weft_node_str(c->desc, DATA_FORMAT), s->rank);
  place p = {.last = axis > 1};
  p.by = weft__norm_split((size_t)s->dim[axis], (size_t)weft_node_int(c->desc, NUM_GROUPS));
  p.spots = p.last ? weft__prod(s, 1, axis) : weft__prod(s, 2, s->rank);
  const int64_t groups = (int64_t)p.by.groups;
  const int64_t members = (int64_t)p.by.members;
  weft_shape split = {.rank = 4, .dim = {s->dim[0], groups, members, (int64_t)p.spots}};
  if (p.last) {
    split.dim[1] = (int64_t)p.spots;
    split.dim[2] = groups;
    split.dim[3] = members;
  }
  weft_lanes l;
  weft__lanes_init(&l, &split, p.last ? 10 : 12);
  weft_affine a = {.lanes = &l,
                   .epsilon = (double)weft_node_float(c->desc, EPS),
                   .scale = GAMMA,
                   .shift = BETA,
                   .param = param_of,
                   .ctx = &p};
  return weft__normalise_lanes(c, &a);
}

WEFT_OP(group_norm) = {
    WEFT_OP_HEAD,
    .name = "GroupNorm",
    .summary = "normalisation of groups of channels of each image",
    .in = PORTS({"x", "T"}, {"gamma", "U"}, {"beta", "U"}),
    .out = PORTS({"y", "T"}, {"mean", "T"}, {"variance", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}, {"U", WEFT_FLOATS}),
    .attrs = ATTRS({"num_groups", "Int", NULL, "min 1"},
                   {"data_format", "String", "\"NCHW\"", "one of NCHW|NHWC|NCDHW|NDHWC"},
                   {"eps", "Float", "0.0001f"}, {"is_training", "Bool", "true"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = group_norm_infer,
    .ref = group_norm_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,4,1]{1,3,5,9}, f32[4]{1,2,3,4}, f32[4]{0,0,0,1} num_groups=2 eps=0.0"
        " -> f32[1,4,1]{-1,2,-3,5}, f32[1,2]{2,7}, f32[1,2]{1,4}",
        "f32[1,2,2]{1,1,3,3}, f32[2]{1,2}, f32[2]{0,10} num_groups=1 data_format=\"NHWC\" eps=0.0"
        " -> f32[1,2,2]{-1,8,1,12}, f32[1,1]{2}, f32[1,1]{1}",
        "f32[2,2,2]{1,3,5,9,0,2,nan,1}, f32[2]{1,1}, f32[2]{0,0} num_groups=2 eps=0.0"
        " -> f32[2,2,2]{-1,1,-1,1,-1,1,nan,nan}, f32[2,2]{2,7,1,nan}, f32[2,2]{1,4,1,nan}",
        "f16[0,2,4], f16[2], f16[2] num_groups=2 -> f16[0,2,4], f16[0,2], f16[0,2]",
        "f32[-1,-1,4], f32[8], f32[8] num_groups=4 -> f32[-1,8,4], f32[-1,4], f32[-1,4]",
        "f32[1,3,4], f32[3], f32[3] num_groups=2 -> _, _, _"
        " !! E_SHAPE 3 channels cannot be split into 2 groups",
        "f32[1,2,4], f32[2], f32[2] num_groups=0 -> _, _, _ !! E_RANGE num_groups must >= 1"),
};
// SPDX-License-Identifier: Apache-2.0
