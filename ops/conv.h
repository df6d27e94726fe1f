// conv.h - convolution and transposed convolution over 1 to 3 spatial axes: shapes and the reference kernel,
// shared by the operators that differ only in their attributes. Input 0 is x, input 1 the filter, input 2 an
// optional bias [outputs]. Padding is not part of the sum: a window adds what lies inside the input. Floats
// are summed in double and rounded once, integers wrap in the output's width. Layer: ops.
#pragma once
#include "conv.rule.h"
#include "window.h"

typedef struct weft_conv {
  size_t spatial;   // axes
  bool transposed;  // the filter is [inputs, outputs / groups, ...] then, otherwise [outputs, inputs /
                    // groups, ...]
  bool last;        // channels last: x is N...C and the filter ...IO
  weft_pad_mode mode;
  int64_t groups;
  weft_window w[3];   // kernel: what an attribute says, -1: what the filter says
  int64_t more[3];    // transposed: output padding
  int64_t wanted[3];  // transposed: output sizes; 0: by rule
} weft_conv;

// Spatial values of an attribute with one value (`per` 1) or two for each axis: an empty list gives `dflt`
// everywhere.
weft_status weft__conv_values(weft_diag *d, const weft_op_desc *n, uint32_t slot, size_t count, int64_t dflt,
                              int64_t *out);
weft_status weft__conv_infer(weft_infer *it, const weft_conv *cfg);
weft_status weft__conv_range(weft_infer *it, const weft_conv *cfg);
weft_status weft__conv_run(const weft_call *c, const weft_conv *cfg);
// Reads ONNX's attributes at fixed slots: the rank comes from x or the filter. *out_known false: neither rank
// is known.
weft_status weft__conv_onnx(weft_diag *d, const weft_op_desc *n, const weft_shape *x,
                            const weft_shape *filter, bool transposed, weft_conv *out, bool *out_known);
#define WEFT_CONV_ONNX_ATTRS                                                                      \
  {"auto_pad", "String", "\"NOTSET\"", "one of NOTSET|SAME_UPPER|SAME_LOWER|VALID"},              \
      {"dilations", "ListInt", "{}", "each min 1"}, {"group", "Int", "1", "min 1"},               \
      {"kernel_shape", "ListInt", "{}", "each min 1"}, {"pads", "ListInt", "{}", "each min 0"}, { \
    "strides", "ListInt", "{}", "each min 1"                                                      \
  }
// SPDX-License-Identifier: Apache-2.0
