// resize.h - what Resize asks for, of shapes that are known. Where each output of an axis lies in the input,
// and what its elements weigh, is the operator's own rule.
#pragma once
#include "cpu/rows/rows.h"
#include "image/resize.rule.h"

typedef struct weft__resampling {
  weft_resize_rule rule;
  size_t rank;
  weft_resize_axis axis[WEFT_MAX_RANK];
} weft__resampling;

// Why not; NULL: read. Without regions of interest; dtypes are not looked at.
const char *weft__resize_read(const weft_tiling *t, weft__resampling *out);
static inline bool weft__resize_changes(const weft_resize_axis *a) {
  return a->in != a->out || a->scale != 1;
}
// Is it done row by row (resize.c), not axis by axis (resize_axes.c)?
bool weft__resize_by_rows(const weft__resampling *r);
// SPDX-License-Identifier: Apache-2.0
