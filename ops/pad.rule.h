// pad.rule.h - which element of x stands at a place that padding adds, or at one that is kept. Pure: Pad,
// PadV3 and their kernel pad by this.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum {
  WEFT_PAD_CONSTANT,
  WEFT_PAD_REFLECT,
  WEFT_PAD_EDGE,
  WEFT_PAD_SYMMETRIC,
  WEFT_PAD_WRAP
} weft_pad_source;

// Of PadV3's attribute: circular and wrap are one.
static inline weft_pad_source weft__pad_source(const char *mode) {
  if (!mode || !strcmp(mode, "constant"))
    return WEFT_PAD_CONSTANT;
  if (!strcmp(mode, "reflect"))
    return WEFT_PAD_REFLECT;
  if (!strcmp(mode, "edge"))
    return WEFT_PAD_EDGE;
  return strcmp(mode, "symmetric") ? WEFT_PAD_WRAP : WEFT_PAD_SYMMETRIC;
}

// Where the count of an axis stands in the list of paddings; side 0 is in front. Contiguous lists have both
// of an axis side by side, others all that are in front and then all that are behind.
static inline size_t weft__pad_count_at(size_t axis, size_t side, size_t rank, bool contiguous) {
  return contiguous ? 2 * axis + side : side * rank + axis;
}

// Places after which an axis of `dim` elements begins again: forwards, and backwards where it is mirrored,
// with its ends once or twice.
static inline int64_t weft__pad_period(weft_pad_source mode, int64_t dim) {
  if (mode == WEFT_PAD_REFLECT)
    return 2 * (dim - 1);
  return mode == WEFT_PAD_SYMMETRIC ? 2 * dim : dim;
}

// What padding sees of an axis: counts below 0 cut elements off first, and what is left is repeated or
// mirrored.
typedef struct weft_pad_axis {
  int64_t first, dim;  // of x: the first element that is left, and how many are
  int64_t before;      // places in front of it
} weft_pad_axis;

static inline int64_t weft__pad_cut(int64_t count, int64_t dim) {
  return count >= 0 ? 0 : count < -dim ? dim : -count;
}

static inline weft_pad_axis weft__pad_axis(int64_t dim, int64_t before, int64_t after) {
  const int64_t first = weft__pad_cut(before, dim);
  const int64_t left = dim - first - weft__pad_cut(after, dim);
  return (weft_pad_axis){first, left > 0 ? left : 0, before > 0 ? before : 0};
}

// The place in an axis of `dim` elements for place i, which may lie outside, however far; -1: the constant.
static inline int64_t weft__pad_place(weft_pad_source mode, int64_t i, int64_t dim) {
  if (i >= 0 && i < dim)
    return i;
  if (mode == WEFT_PAD_CONSTANT || dim <= 0)
    return -1;
  if (mode == WEFT_PAD_EDGE)
    return i < 0 ? 0 : dim - 1;
  const int64_t period = weft__pad_period(mode, dim);
  if (period <= 0)
    return 0;
  i %= period;
  if (i < 0)
    i += period;
  if (i < dim)
    return i;
  return mode == WEFT_PAD_REFLECT ? period - i : period - 1 - i;
}
// SPDX-License-Identifier: Apache-2.0
