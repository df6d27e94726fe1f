// lists.h - operators whose output length depends on the data: true elements and distinct values. Layer: ops.
#pragma once
#include "dims_move.h"

// Output i for a bound, then the shape that was found: everything that is written lies in between (R148,
// R154).
weft_status weft__alloc_found(const weft_call *c, uint32_t i, weft_dtype t, const weft_shape *bound,
                              const weft_shape *found);
// Element counts of input 0's range: 0 beside an empty axis; *out_max -1 when an axis has no bound.
void weft__range_elems(const weft_infer *it, int64_t *out_min, int64_t *out_max);

// Where and NonZero: coordinates of the elements that are not zero, [n, rank] or, transposed, [rank, n].
weft_status weft__nonzero_infer(weft_infer *it, bool transpose);
weft_status weft__nonzero_range(weft_infer *it, bool transpose);
weft_status weft__nonzero_execute(const weft_call *c, weft_dtype t, bool transpose);

// The distinct lanes of a tensor: lane j is x[.., j, ..] along `axis`, or element j of the flat tensor when
// flat.
// NaN equals NaN, 0 equals -0. Found by sorting: single numbers in O(n), others by O(n log n) comparisons.
// Memory is the call's workspace.
typedef struct weft_distinct {
  size_t n_lanes, n;  // lanes of x, distinct ones
  size_t *first;      // n: the lane where value k occurs first
  size_t *id;         // n_lanes: which value the lane has
  size_t *count;      // n
} weft_distinct;
weft_status weft__distinct(const weft_call *c, const weft_tensor *x, bool flat, size_t axis, bool sorted,
                           weft_distinct *out);
// Writes v[0..n) into output i of dtype t, found in a bound of `bound` elements.
weft_status weft__write_counts(const weft_call *c, uint32_t i, weft_dtype t, const size_t *v, size_t n,
                               size_t bound);
// SPDX-License-Identifier: Apache-2.0
