// concat.h - joining along an axis, the same for every operator that does it. Layer: ops.
#pragma once
#include "dims_move.h"

// Inputs [first, first+n) joined along `axis` into output 0; axis_known false: only the rank is known.
weft_status weft__concat_infer(weft_infer *it, uint32_t first, uint32_t n, const char *what, int64_t axis,
                               bool axis_known);
weft_status weft__concat_ref(const weft_call *c, uint32_t first, uint32_t n, const char *what, int64_t axis);
void weft__concat_elems(weft_infer *it, uint32_t first, uint32_t n, int64_t axis);
// Inputs [0, n) stacked along a new axis of output 0.
weft_status weft__stack_ref(const weft_call *c, uint32_t n, size_t axis);
void weft__stack_elems(weft_infer *it, uint32_t n, size_t axis);
// SPDX-License-Identifier: Apache-2.0
