// resize.h - resampling of a tensor along some of its axes: what the attributes and inputs of Resize say,
// output shapes, and the reference kernel. Layer: ops.
#pragma once
#include "dims_move.h"
#include "image/resize.rule.h"

typedef struct weft_resize {
  weft_resize_rule rule;
  size_t n;                    // axes
  size_t axis[WEFT_MAX_RANK];  // of x
  // What the inputs say, one value for each axis; NULL or n_sizes -1: not given or not known.
  const weft_tensor *scales, *roi;
  int64_t sizes[WEFT_MAX_RANK], n_sizes;
} weft_resize;

// Output dims for axes r->axis of x; dims that cannot be known are -1. E_RANGE, E_SHAPE, E_OVERFLOW.
weft_status weft__resize_dims(weft_symbols *p, weft_diag *d, const weft_resize *r, const weft_shape *x,
                              weft_shape *out);
weft_status weft__resize_run(const weft_call *c, const weft_resize *r);
// SPDX-License-Identifier: Apache-2.0
