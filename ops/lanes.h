// lanes.h - a tensor cut into lanes: a lane is all elements that differ only in the chosen axes. Reductions,
// softmax, normalisations, cumulative sums and sorts are functions of one lane. Layer: ops.
#pragma once
#include "op.h"

typedef struct weft_lanes {
  size_t n,
      elems;  // lanes, elements in each; lane i belongs to output element i of a reduction over the axes
  size_t kept_rank, cut_rank;  // neighbouring axes are merged
  size_t kept_dim[WEFT_MAX_RANK], kept_stride[WEFT_MAX_RANK];
  size_t cut_dim[WEFT_MAX_RANK], cut_stride[WEFT_MAX_RANK];
} weft_lanes;
void weft__lanes_init(weft_lanes *l, const weft_shape *shape, uint32_t axes);  // axes: a bit mask
size_t weft__lane_start(const weft_lanes *l, size_t lane);  // element offset of the lane's first element
size_t weft__lane_step(const weft_lanes *l, size_t k);      // of its k-th, from the first
void weft__lane_load(const weft_lanes *l, size_t lane, weft_dtype t, const void *data, double *out);
void weft__lane_store(const weft_lanes *l, size_t lane, weft_dtype t, void *data, const double *v);
// Runs f over every lane of input 0 into output 0: v has n elements and is changed in place.
typedef void (*weft_lane_fn)(double *v, size_t n, const void *ctx);
weft_status weft__each_lane(const weft_call *c, uint32_t axes, weft_lane_fn f, const void *ctx);
// Mean and population variance, in two passes; NaN for no elements.
void weft__moments(const double *v, size_t n, double *out_mean, double *out_variance);
// The axis that input `in` (one integer) names: *out_known false when its value is not known yet or the rank
// is not.
weft_status weft__in_axis(const weft_infer *it, uint32_t in, const weft_shape *s, size_t *out,
                          bool *out_known);
// SPDX-License-Identifier: Apache-2.0
