// resize.rule.h - where each output of Resize lies along an axis, which element is nearest to it, and what
// the elements around it weigh. Pure: the operator and its kernels resample by this. Coordinates are double,
// except those of the nearest mode: they are rounded to float after every step, the precision of `scales`, so
// that 2 / (1/3) is 6 and not less.
#pragma once
#include <math.h>
#include <string.h>

#include "op_slots.h"
#include "weft/op.h"

// The texts of attributes, in the order of the enums below.
#define WEFT_RESIZE_MODES "nearest|linear|cubic"
#define WEFT_RESIZE_PLACES \
  "half_pixel|pytorch_half_pixel|align_corners|asymmetric|tf_crop_and_resize|half_pixel_symmetric|" \
  "tf_half_pixel_for_nn"
#define WEFT_RESIZE_ROUNDS "round_prefer_floor|round_prefer_ceil|floor|ceil|simple"
#define WEFT_RESIZE_POLICIES "stretch|not_larger|not_smaller"

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

typedef struct weft_resize_rule {
  weft_resize_mode mode;
  weft_resize_place place;
  weft_resize_round round;
  weft_resize_policy policy;
  bool antialias, exclude_outside;
  double cubic_a, extrapolation;
} weft_resize_rule;

// One axis of at least one element.
typedef struct weft_resize_axis {
  size_t in, out;
  double scale;
  double length;      // what `out` is before it is rounded
  double start, end;  // the region of interest, in parts of the axis
} weft_resize_axis;

// Number of the attribute's text in a list of names, by '|'. Inference has checked that it is one of them.
static inline int weft__resize_choice(const weft_op_desc *n, uint32_t slot, const char *names) {
  const char *s = weft_node_str(n, slot);
  size_t bytes = s ? strlen(s) : 0;
  for (int i = 0; s; i++) {
    size_t m = strcspn(names, "|");
    if (m == bytes && !memcmp(names, s, m))
      return i;
    if (!names[m])
      break;
    names += m + 1;
  }
  return 0;
}

static inline weft_resize_rule weft__resize_rule(const weft_op_desc *n) {
  return (weft_resize_rule){
      .mode = (weft_resize_mode)weft__resize_choice(n, WEFT_SLOT_RESIZE_MODE, WEFT_RESIZE_MODES),
      .place = (weft_resize_place)weft__resize_choice(n, WEFT_SLOT_RESIZE_COORDINATE_TRANSFORMATION_MODE,
                                                      WEFT_RESIZE_PLACES),
      .round = (weft_resize_round)weft__resize_choice(n, WEFT_SLOT_RESIZE_NEAREST_MODE, WEFT_RESIZE_ROUNDS),
      .policy = (weft_resize_policy)weft__resize_choice(n, WEFT_SLOT_RESIZE_KEEP_ASPECT_RATIO_POLICY,
                                                        WEFT_RESIZE_POLICIES),
      .antialias = weft_node_int(n, WEFT_SLOT_RESIZE_ANTIALIAS) != 0,
      .exclude_outside = weft_node_int(n, WEFT_SLOT_RESIZE_EXCLUDE_OUTSIDE) != 0,
      .cubic_a = (double)weft_node_float(n, WEFT_SLOT_RESIZE_CUBIC_COEFF_A),
      .extrapolation = (double)weft_node_float(n, WEFT_SLOT_RESIZE_EXTRAPOLATION_VALUE)};
}

// ---- axes ----
// Element k of the input `scales`, whose precision is float whatever it is stored as.
static inline double weft__resize_scale(const weft_tensor *scales, size_t k) {
  return (double)(float)weft_load_f64(scales->dtype, scales->data, k);
}

static inline weft_resize_axis weft__resize_by_scale(size_t in, size_t out, double scale) {
  return (weft_resize_axis){in, out, scale, scale * (double)in, 0, 1};
}

static inline weft_resize_axis weft__resize_by_size(size_t in, size_t out) {
  return (weft_resize_axis){in, out, (double)out / (double)in, (double)out, 0, 1};
}

// ---- coordinates ----
static inline double weft__resize_to(bool narrow, double v) {
  return narrow ? (double)(float)v : v;
}

// Where output `index` lies in the input.
static inline double weft__resize_place(const weft_resize_rule *r, const weft_resize_axis *a, size_t index) {
  const bool f = r->mode == WEFT_RESIZE_NEAREST;
  const double x = (double)index;
  const double scale = weft__resize_to(f, a->scale);
  const double last = (double)(a->in - 1);
  const double middle = weft__resize_to(f, weft__resize_to(f, x + 0.5) / scale);
  const double half = weft__resize_to(f, middle - 0.5);
  switch (r->place) {
    case WEFT_RESIZE_HALF_PIXEL:
      return half;
    case WEFT_RESIZE_PYTORCH_HALF_PIXEL:
      return a->length > 1 ? half : 0;
    case WEFT_RESIZE_ALIGN_CORNERS:
      return a->length == 1 ? 0 : weft__resize_to(f, x * last / weft__resize_to(f, a->length - 1));
    case WEFT_RESIZE_ASYMMETRIC:
      return weft__resize_to(f, x / scale);
    case WEFT_RESIZE_TF_HALF_PIXEL:
      return middle;
    case WEFT_RESIZE_TF_CROP:
      if (a->length == 1)
        return weft__resize_to(f, (a->start + a->end) * last / 2);
      return weft__resize_to(f, a->start * last + x * (a->end - a->start) * last / (a->length - 1));
    case WEFT_RESIZE_HALF_PIXEL_SYMMETRIC:
      return weft__resize_to(f,
                             (double)a->in / 2 * (1 - (double)a->out / a->length) + (x + 0.5) / scale - 0.5);
  }
  return half;
}

// Is what lies at x extrapolated? Other modes than tf_crop_and_resize repeat the border.
static inline bool weft__resize_outside(const weft_resize_rule *r, const weft_resize_axis *a, double x) {
  return r->place == WEFT_RESIZE_TF_CROP && !(x >= 0 && x <= (double)(a->in - 1));
}

// The element next to x that there is; of NaN the first.
static inline size_t weft__resize_clamped(double x, size_t n) {
  if (!(x > 0))
    return 0;
  return x < (double)(n - 1) ? (size_t)x : n - 1;
}

static inline size_t weft__resize_nearest(const weft_resize_rule *r, const weft_resize_axis *a, double x) {
  const double low = floor(x);
  const double part = x - low;
  switch (r->round) {
    case WEFT_RESIZE_ROUND_FLOOR:
      return weft__resize_clamped(part > 0.5 ? low + 1 : low, a->in);
    case WEFT_RESIZE_ROUND_CEIL:
      return weft__resize_clamped(part >= 0.5 ? low + 1 : low, a->in);
    case WEFT_RESIZE_FLOOR:
      return weft__resize_clamped(low, a->in);
    case WEFT_RESIZE_CEIL:
      return weft__resize_clamped(ceil(x), a->in);
    case WEFT_RESIZE_SIMPLE:
      return weft__resize_clamped(a->scale < 1 ? ceil(x) : low, a->in);
  }
  return 0;
}

// ---- weighted sums ----
// By how much the filter is narrower than 1: below 1 it is wider, as antialiasing makes it.
static inline double weft__resize_filter(const weft_resize_rule *r, const weft_resize_axis *a) {
  if (!r->antialias)
    return 1;
  return a->scale < 1 ? a->scale : 1;
}

// An output is made of 2 * reach elements, from floor(x) + 1 - reach on. May be infinite.
static inline double weft__resize_reach(const weft_resize_rule *r, const weft_resize_axis *a) {
  const double support = r->mode == WEFT_RESIZE_LINEAR ? 1 : 2;
  return -floor(-support / weft__resize_filter(r, a));
}

// The element before clamping that tap k of an output at x takes.
static inline double weft__resize_tap(double x, size_t reach, size_t k) {
  return floor(x) + ((double)(k + 1) - (double)reach);
}

// What an element at the distance x weighs: a triangle, or Keys' cubic convolution with coefficient a.
static inline double weft__resize_weight(const weft_resize_rule *r, double x) {
  const double a = r->cubic_a;
  x = fabs(x);
  if (r->mode == WEFT_RESIZE_LINEAR)
    return x < 1 ? 1 - x : 0;
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// The weights of the 2 * reach taps of an output at x, each to be divided by what is returned.
static inline double weft__resize_weigh(const weft_resize_rule *r, const weft_resize_axis *a, double x,
                                        size_t reach, double *out_w) {
  const double part = x - floor(x);
  const double filter = weft__resize_filter(r, a);
  double sum = 0;
  for (size_t k = 0; k < 2 * reach; k++) {
    const double at = weft__resize_tap(x, reach, k);
    const bool inside = at >= 0 && at <= (double)(a->in - 1);
    const double distance = (double)(k + 1) - (double)reach - part;
    out_w[k] = r->exclude_outside && !inside ? 0 : weft__resize_weight(r, filter * distance);
    sum += out_w[k];
  }
  return r->antialias || r->exclude_outside ? sum : 1;
}
// SPDX-License-Identifier: Apache-2.0
