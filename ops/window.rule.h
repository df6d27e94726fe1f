// window.rule.h - where the windows of convolutions and pools lie along an axis: padding modes, how SAME
// shares its padding, and on which axis the channels are. Pure: operators and kernels place windows by this.
#pragma once
#include <string.h>

#include "weft/op.h"

typedef enum { WEFT_PAD_EXPLICIT, WEFT_PAD_VALID, WEFT_PAD_SAME_UPPER, WEFT_PAD_SAME_LOWER } weft_pad_mode;

// SPECIFIC, NOTSET, CALCULATED and no name are explicit; SAME is SAME_UPPER.
static inline weft_pad_mode weft__pad_mode(const char *name) {
  if (!name)
    return WEFT_PAD_EXPLICIT;
  if (!strcmp(name, "VALID"))
    return WEFT_PAD_VALID;
  if (!strcmp(name, "SAME") || !strcmp(name, "SAME_UPPER"))
    return WEFT_PAD_SAME_UPPER;
  return strcmp(name, "SAME_LOWER") ? WEFT_PAD_EXPLICIT : WEFT_PAD_SAME_LOWER;
}

static inline bool weft__pads_same(weft_pad_mode mode) {
  return mode == WEFT_PAD_SAME_UPPER || mode == WEFT_PAD_SAME_LOWER;
}

// Elements from the first that a window of a known kernel reads to its last.
static inline int64_t weft__window_reach(int64_t kernel, int64_t dilation) {
  return (kernel - 1) * dilation + 1;
}

// How many elements of a window that begins at `at` lie before `edge`.
static inline int64_t weft__window_before(int64_t kernel, int64_t dilation, int64_t at, int64_t edge) {
  if (edge <= at)
    return 0;
  if (edge - at > (kernel - 1) * dilation)
    return kernel;
  return dilation == 1 ? edge - at : (edge - at + dilation - 1) / dilation;
}

// The padding that SAME needs for `out` windows of so many elements to cover `in`.
static inline int64_t weft__same_padding(int64_t in, int64_t out, int64_t stride, int64_t reach) {
  const int64_t all = (out - 1) * stride + reach;
  return all > in ? all - in : 0;
}

// What of `total` elements of padding lies in front: half, and of SAME_LOWER alone the odd one.
static inline int64_t weft__same_begin(weft_pad_mode mode, int64_t total) {
  return mode == WEFT_PAD_SAME_LOWER ? total - total / 2 : total / 2;
}

// NHWC, NDHWC, NLC.
static inline bool weft__channels_last(const char *data_format) {
  const size_t n = data_format ? strlen(data_format) : 0;
  return n > 2 && data_format[n - 1] == 'C';
}
// SPDX-License-Identifier: Apache-2.0
