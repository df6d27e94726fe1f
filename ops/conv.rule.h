// conv.rule.h - the slots of ONNX's attributes of convolutions (WEFT_CONV_ONNX_ATTRS; the last two are
// ConvTranspose's), and the padding of a transposed one. Pure: operators and kernels read them by this.
#pragma once
#include "op_slots.h"
#include "window.rule.h"

enum {
  WEFT_CONV_AUTO_PAD,
  WEFT_CONV_DILATIONS,
  WEFT_CONV_GROUP,
  WEFT_CONV_KERNEL_SHAPE,
  WEFT_CONV_PADS,
  WEFT_CONV_STRIDES,
  WEFT_CONV_OUTPUT_PADDING,
  WEFT_CONV_OUTPUT_SHAPE
};

// An axis of a transposed convolution whose padding is not given: it follows from the size of its output.
typedef struct weft_transposed_axis {
  int64_t in, out, stride;
  int64_t reach;  // weft__window_reach
  int64_t more;   // output padding
} weft_transposed_axis;

// What the windows cover beyond the output.
static inline int64_t weft__transposed_padding(const weft_transposed_axis *a) {
  const int64_t all = (a->in - 1) * a->stride + a->reach + a->more;
  return all > a->out ? all - a->out : 0;
}

// What of that lies in front: the odd element unless the mode is SAME_UPPER.
static inline int64_t weft__transposed_begin(weft_pad_mode mode, int64_t total) {
  return mode == WEFT_PAD_SAME_UPPER ? total / 2 : total - total / 2;
}
// SPDX-License-Identifier: Apache-2.0
