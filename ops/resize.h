// resize.h - resampling of a tensor along some of its axes: what the attributes and inputs of Resize say,
// output shapes, and the kernel. Layer: ops.
#pragma once
#include "dims_move.h"

typedef enum { WEFT_RESIZE_NEAREST, WEFT_RESIZE_LINEAR, WEFT_RESIZE_CUBIC } weft_resize_mode;
typedef enum {
  WEFT_RESIZE_HALF_PIXEL,
  WEFT_RESIZE_PYTORCH_HALF_PIXEL,
  WEFT_RESIZE_ALIGN_CORNERS,
  WEFT_RESIZE_ASYMMETRIC,
  WEFT_RESIZE_TF_CROP,
  WEFT_RESIZE_HALF_PIXEL_SYMMETRIC,
  WEFT_RESIZE_TF_HALF_PIXEL
} weft_resize_place;
typedef enum {
  WEFT_RESIZE_ROUND_FLOOR,
  WEFT_RESIZE_ROUND_CEIL,
  WEFT_RESIZE_FLOOR,
  WEFT_RESIZE_CEIL,
  WEFT_RESIZE_SIMPLE
} weft_resize_round;
typedef enum { WEFT_RESIZE_STRETCH, WEFT_RESIZE_NOT_LARGER, WEFT_RESIZE_NOT_SMALLER } weft_resize_policy;

typedef struct weft_resize {
  weft_resize_mode mode;
  weft_resize_place place;
  weft_resize_round round;
  weft_resize_policy policy;
  bool antialias, exclude_outside;
  double cubic_a, extrapolation;
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
