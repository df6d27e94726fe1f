// norm.h - what normalisations share: parameters with one value a channel. Layer: ops.
#pragma once
#include "lanes.h"
#include "norm.rule.h"
#include "window.h"

// Inputs first..last (by port, absent ones are left out) have one dim each, that of the channels: *channels
// is merged with it.
weft_status weft__channel_params(const weft_infer *it, uint32_t first, uint32_t last, weft_dim *channels);
// Element i of an optional input by port, or `absent`.
double weft__param(const weft_call *c, uint32_t port, size_t i, double absent);
// One output element of a real type, when somebody reads that output.
void weft__put(const weft_call *c, uint32_t out, size_t i, double v);
// y[k] = (x[k] - mean) / sqrt(variance + epsilon) * scale[k] + shift[k] over a lane of input 0 into output 0,
// with parameter index channel(ctx, lane, k).
typedef struct weft_affine {
  const weft_lanes *lanes;
  size_t lane;
  double mean, variance, epsilon;
  uint32_t scale, shift;  // ports
  size_t (*param)(const void *ctx, size_t lane, size_t k);
  const void *ctx;
} weft_affine;
weft_status weft__affine_lane(const weft_call *c, const weft_affine *a);
// Normalises every lane of a->lanes by its own mean and biased variance, which are outputs 1 and 2.
weft_status weft__normalise_lanes(const weft_call *c, weft_affine *a);
// SPDX-License-Identifier: Apache-2.0
