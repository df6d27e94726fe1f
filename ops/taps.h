// taps.h - linear maps along axes, each output a weighted sum of some elements: resampling of every kind, and
// its gradients, which go the other way. Layer: ops.
#pragma once
#include "image/resize.rule.h"
#include "op.h"

typedef struct weft_taps weft_taps;
struct weft_taps {
  size_t axis, in, out;
  size_t most;  // elements that an output is made of
  // Elements, all below `in`, and weights of one output; how many there are.
  size_t (*fill)(const weft_taps *t, size_t at, size_t *index, double *weight);
  weft_resize_rule rule;  // of weft__taps_resize
  weft_resize_axis along;
  bool stepped;  // places between elements are multiples of 1/1024, as TensorFlow's table of cubics has them
  double scale, shift;  // what other functions need
  bool flag;
  int kind;
};
// y = x through the maps one after the other, in double; `back`: x has the maps' outputs, y their inputs.
// Both tensors have elements, and y the sizes that come out.
weft_status weft__taps_run(const weft_call *c, const weft_tensor *x, weft_tensor *y, const weft_taps *taps,
                           size_t n, bool back);
// As Resize takes its elements. scale: outputs for an input, 0: out / in.
weft_taps weft__taps_resize(const weft_resize_rule *r, size_t axis, size_t in, size_t out, double scale);
// SPDX-License-Identifier: Apache-2.0
