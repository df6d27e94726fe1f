// roi_align.rule.h - where the samples of a region lie in a plane, and between which elements. Pure: the
// operator and its kernel sample by this.
#pragma once
#include <math.h>
#include <string.h>

#include "op_slots.h"
#include "weft/op.h"

typedef struct weft_roi_rule {
  bool half;  // half_pixel shifts by half an element; otherwise a region is at least 1 wide
  double scale, ratio;
  double high, wide;  // outputs of a region
  bool exact;         // x is of double: how many samples are taken is decided in the precision of x
} weft_roi_rule;

// A region: its corner, what an output covers, samples of an output along both axes.
typedef struct weft_roi {
  double y, x;
  double high, wide;
  double ny, nx;
} weft_roi;

static inline weft_roi_rule weft__roi_rule(const weft_op_desc *n, const weft_shape *y, weft_dtype x) {
  const char *place = weft_node_str(n, WEFT_SLOT_ROI_ALIGN_COORDINATE_TRANSFORMATION_MODE);
  return (weft_roi_rule){.half = place && !strcmp(place, "half_pixel"),
                         .scale = (double)weft_node_float(n, WEFT_SLOT_ROI_ALIGN_SPATIAL_SCALE),
                         .ratio = (double)weft_node_int(n, WEFT_SLOT_ROI_ALIGN_SAMPLING_RATIO),
                         .high = (double)y->dim[2],
                         .wide = (double)y->dim[3],
                         .exact = x == WEFT_DOUBLE};
}

// Samples along an axis on which an output covers `size` elements. In double a scale like 0.8f would make
// 2.00000003 of a 2. An infinite box of negative size has no samples.
static inline double weft__roi_samples(const weft_roi_rule *r, double size) {
  if (r->ratio > 0)
    return r->ratio;
  const double n = ceil(r->exact ? size : (double)(float)size);
  return n > 0 ? n : 0;
}

// The region of a box of x1, y1, x2, y2. false: more than 2^24 samples for an output.
static inline bool weft__roi_region(const weft_roi_rule *r, const double box[4], weft_roi *out) {
  const double shift = r->half ? 0.5 : 0;
  out->x = box[0] * r->scale - shift;
  out->y = box[1] * r->scale - shift;
  out->wide = box[2] * r->scale - shift - out->x;
  out->high = box[3] * r->scale - shift - out->y;
  if (!r->half) {
    out->wide = out->wide > 1 ? out->wide : 1;
    out->high = out->high > 1 ? out->high : 1;
  }
  out->wide /= r->wide;
  out->high /= r->high;
  out->ny = weft__roi_samples(r, out->high);
  out->nx = weft__roi_samples(r, out->wide);
  const double samples = out->ny * out->nx;
  if (samples == 0)  // none along one axis: the other may have any number, which nobody should count to
    out->ny = out->nx = 0;
  return samples <= 0x1p24;
}

// How far sample i of n lies from where an output of `size` begins.
static inline double weft__roi_step(double i, double size, double n) {
  return (i + 0.5) * size / n;
}

// A sample at v on an axis of n elements lies between *out_low and the next, by *out_part beyond it: 0 at the
// last one. false: it is further than 1 outside, and 0.
static inline bool weft__roi_between(double v, int64_t n, int64_t *out_low, double *out_part) {
  *out_low = 0;
  *out_part = 0;
  if (!(v >= -1 && v <= (double)n))
    return false;
  v = v > 0 ? v : 0;
  *out_low = (int64_t)v < n - 1 ? (int64_t)v : n - 1;
  if (*out_low < n - 1)
    *out_part = v - (double)*out_low;
  return true;
}
// SPDX-License-Identifier: Apache-2.0
