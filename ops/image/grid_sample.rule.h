// grid_sample.rule.h - attributes and coordinate rules of GridSample. Pure: the operator and its kernel
// sample by this.
#pragma once
#include <math.h>

#include "op_slots.h"
#include "weft/op.h"

// Attributes.
enum {
  WEFT__SAMPLE_MODE = WEFT_SLOT_GRID_SAMPLE_INTERPOLATION_MODE,
  WEFT__SAMPLE_PADDING = WEFT_SLOT_GRID_SAMPLE_PADDING_MODE,
  WEFT__SAMPLE_ALIGN = WEFT_SLOT_GRID_SAMPLE_ALIGN_CORNERS,
  WEFT__SAMPLE_CHANNEL_LAST = WEFT_SLOT_GRID_SAMPLE_CHANNEL_LAST,
  WEFT__SAMPLE_PAD_TAPS = WEFT_SLOT_GRID_SAMPLE_PAD_TAPS
};
enum { WEFT__OUTSIDE_ZEROS, WEFT__OUTSIDE_BORDER, WEFT__OUTSIDE_REFLECTION };

// One axis that is sampled. `span` elements from `low` on are x; what lies outside is as `outside` says.
typedef struct weft__sampled_axis {
  double n, low, span;
  int outside;
  bool align;
  bool pad_taps;  // bicubic ones: each by itself, wherever the place is
} weft__sampled_axis;

// Taps along each axis: 1 nearest, 2 linear, 4 cubic.
static inline int weft__sample_taps(const weft_op_desc *n) {
  const char *mode = weft_node_str(n, WEFT__SAMPLE_MODE);
  return !strcmp(mode, "nearest") ? 1 : !strcmp(mode, "bilinear") ? 2 : 4;
}

static inline weft__sampled_axis weft__sampled_axis_of(const weft_op_desc *n, int64_t dim) {
  const char *padding = weft_node_str(n, WEFT__SAMPLE_PADDING);
  bool align = weft_node_bool(n, WEFT__SAMPLE_ALIGN);
  double all = (double)dim;
  return (weft__sampled_axis){.n = all,
                              .low = align ? 0 : -0.5,
                              .span = align ? all - 1 : all,
                              .align = align,
                              .pad_taps = weft_node_bool(n, WEFT__SAMPLE_PAD_TAPS),
                              .outside = !strcmp(padding, "zeros")    ? WEFT__OUTSIDE_ZEROS
                                         : !strcmp(padding, "border") ? WEFT__OUTSIDE_BORDER
                                                                      : WEFT__OUTSIDE_REFLECTION};
}

// The place p mirrored at both ends until it lies inside.
static inline double weft__sample_mirror(const weft__sampled_axis *a, double p) {
  double r = fmod(fabs(p - a->low), 2 * a->span);
  return a->low + (r > a->span ? 2 * a->span - r : r);
}

// The element that stands at place i, a whole number; -1: none, zero is read.
static inline int64_t weft__sample_element(const weft__sampled_axis *a, double i) {
  if (i >= 0 && i <= a->n - 1)
    return (int64_t)i;
  if (a->outside == WEFT__OUTSIDE_ZEROS || a->n == 0)
    return -1;
  if (a->outside == WEFT__OUTSIDE_BORDER)
    return i < 0 ? 0 : (int64_t)a->n - 1;
  if (a->span == 0)
    return 0;
  double v = floor(weft__sample_mirror(a, i) + 0.5);
  return v < 0 ? 0 : v > a->n - 1 ? (int64_t)a->n - 1 : (int64_t)v;
}

// The place that a coordinate of the grid means; NaN is element -1. Sums (taps > 1) bring it back inside when
// the padding does so.
static inline double weft__sample_place(const weft__sampled_axis *a, double v, int taps) {
  double p = a->align ? (v + 1) / 2 * (a->n - 1) : ((v + 1) * a->n - 1) / 2;
  p = isnan(p) ? -1 : p < -0x1p50 ? -0x1p50 : p > 0x1p50 ? 0x1p50 : p;
  const bool inside = p >= a->low && p <= a->low + a->span;
  const bool element_by_element = taps == 1 || (taps == 4 && a->pad_taps);
  if (inside || element_by_element || a->outside == WEFT__OUTSIDE_ZEROS)
    return p;
  if (a->outside == WEFT__OUTSIDE_BORDER)
    return p < 0 ? 0 : p > a->n - 1 ? a->n - 1 : p;
  return a->span <= 0 ? 0 : weft__sample_mirror(a, p);
}

// The weight of an element so far from the place.
static inline double weft__sample_weight(int taps, double distance) {
  const double c = -0.75;
  double x = fabs(distance);
  if (taps == 1)
    return 1;
  if (taps == 2)
    return x < 1 ? 1 - x : 0;
  if (x <= 1)
    return ((c + 2) * x - (c + 3)) * x * x + 1;
  return x < 2 ? ((c * x - 5 * c) * x + 8 * c) * x - 4 * c : 0;
}
// SPDX-License-Identifier: Apache-2.0
