// window.h - the arithmetic of sliding windows that convolutions and pools share: sizes for known, unknown
// and symbolic dims, and the padding of the SAME modes. Nothing overflows: sizes that do not fit are
// E_OVERFLOW. Layer: ops.
#pragma once
#include "op.h"
#include "window.rule.h"

typedef struct weft_window {  // along one axis
  weft_dim kernel;            // elements; >= 1, unknown or symbolic
  // >= 1
  int64_t stride;
  int64_t dilation;
  // padding, >= 0; used with WEFT_PAD_EXPLICIT
  int64_t begin;
  int64_t end;
} weft_window;

// An axis that windows go over.
typedef struct weft_window_axis {
  const char *what;  // its name in messages
  weft_dim in;       // elements; unknown or symbolic ones, too
  weft_window window;
  weft_pad_mode mode;
  bool ceil;     // weft__window_out
  int64_t more;  // weft__window_in: elements behind the last window
} weft_window_axis;

// Number of windows over `in` elements. Floor, or ceil without windows that start in the end padding:
//   floor  (in + begin + end - span) / stride + 1            span = dilation * (kernel - 1) + 1
//   ceil   min(ceil((in + begin + end - span) / stride), floor((in + begin - 1) / stride)) + 1
//   SAME   ceil(in / stride)
// A known result below 1 is E_SHAPE; `what` names the axis. Unknown or symbolic dims give such a result.
weft_status weft__window_out(weft_symbols *p, weft_diag *d, const weft_window_axis *a, weft_dim *out);
// The same the other way round, for transposed convolution: stride * (in - 1) + more + span - begin - end;
// SAME: in * stride, or without padding where the windows cover less.
weft_status weft__window_in(weft_symbols *p, weft_diag *d, const weft_window_axis *a, weft_dim *out);
// Known sizes: replaces begin and end by what the mode means.
void weft__window_resolve(weft_window *w, weft_pad_mode mode, int64_t in, int64_t out);
int64_t weft__window_span(const weft_window *w);  // of a known kernel that weft__window_out accepted
// The kernel positions that lie inside [0, in) for the window that starts at `start`: *out_first and the
// count.
int64_t weft__window_clip(const weft_window *w, int64_t start, int64_t in, int64_t *out_first);
// SPDX-License-Identifier: Apache-2.0
