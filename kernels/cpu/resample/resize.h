// resize.h - what Resize asks for, of shapes that are known: where each output of an axis lies in the input.
// The operator's own rules: ops/resize.c.
#pragma once
#include "cpu/rows/rows.h"

enum { WEFT__RESIZE_NEAREST, WEFT__RESIZE_LINEAR, WEFT__RESIZE_CUBIC };
typedef struct weft__resize_axis {
  size_t in, out;
  double scale, length;
} weft__resize_axis;
typedef struct weft__resampling {
  size_t rank;
  weft__resize_axis axis[WEFT_MAX_RANK];
  int mode, place, round;
  bool antialias, exclude_outside;
  double cubic_a;
} weft__resampling;

// Why not; NULL: read. Without regions of interest; dtypes are not looked at.
const char *weft__resize_read(const weft_tiling *t, weft__resampling *out);
static inline bool weft__resize_changes(const weft__resize_axis *a) {
  return a->in != a->out || a->scale != 1;
}
// Where an output index lies in the input; nearest rounds to float after every step.
double weft__resize_place(const weft__resampling *r, const weft__resize_axis *a, size_t index);
// The index next to x that there is.
static inline uint32_t weft__resize_clamped(double x, size_t n) {
  return x > 0 ? (x < (double)(n - 1) ? (uint32_t)x : (uint32_t)(n - 1)) : 0;
}
// Is it done row by row (resize.c), not axis by axis (resize_axes.c)?
bool weft__resize_by_rows(const weft__resampling *r);
