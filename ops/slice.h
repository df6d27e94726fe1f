// slice.h - begin:end:step cuts along axes, for every operator that slices. Layer: ops.
// Begins and ends count from the end when negative and are clamped to the axis, as in numpy.
#pragma once
#include "dims_move.h"

// What becomes of one axis of x, in output order; `fresh` is a new axis of size 1 and uses none of x.
// begin, end, step are literals, symbols (taken to be >= 0) or WEFT_DIM_INVALID.
typedef struct weft_cut {
  int64_t begin, end, step;
  bool from_first, to_last;  // begin, end do not count
  bool single;               // the element at begin, and the axis disappears
  bool fresh;
} weft_cut;
typedef struct weft_cuts {
  size_t n;
  weft_cut cut[2 * WEFT_MAX_RANK];
} weft_cuts;

// begin, end, strides and masks as StridedSlice has them, for a rank that is known.
typedef struct weft_stride_spec {
  size_t n;                                     // entries of begin and end
  const int64_t *begin, *end, *axes, *strides;  // axes, strides NULL: 0, 1, 2, ... and all 1
  int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
} weft_stride_spec;
weft_status weft__cuts_of_spec(weft_diag *d, const weft_stride_spec *s, size_t rank, weft_cuts *out);

weft_status weft__cuts_shape(weft_diag *d, weft_symbols *p, const weft_cuts *cuts, const weft_shape *x,
                             weft_shape *out);
weft_status weft__cuts_view(weft_diag *d, const weft_cuts *cuts, const weft_shape *x,
                            weft_view *out);  // all known

// StridedSlice and its later versions: inputs begin and end are numbers 1 and 2; axes, strides by port, -1:
// none.
// The mask attributes are slots 0 to 4.
weft_status weft__strided_slice_infer(weft_infer *it, int axes_port, int strides_port);
weft_status weft__strided_slice_elems(weft_infer *it, int axes_port, int strides_port);
weft_status weft__strided_slice_ref(const weft_call *c, int axes_port, int strides_port);
// SPDX-License-Identifier: Apache-2.0
