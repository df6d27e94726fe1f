// split.h - cutting a tensor along an axis into parts. Layer: ops.
#pragma once
#include "dims_move.h"

// Output j is input x cut along `axis`, size[j] long (-1: not known). axis_known false: only the rank is
// known.
weft_status weft__split_infer(weft_infer *it, uint32_t x, const char *what, int64_t axis, bool axis_known,
                              const weft_dim *size);
// Equal parts, one an output; E_SHAPE when the dim does not divide.
weft_status weft__split_evenly(weft_infer *it, uint32_t x, const char *what, int64_t axis, bool axis_known);
// The kernel: size NULL: equal parts.
weft_status weft__split_ref(const weft_call *c, uint32_t x, const char *what, int64_t axis,
                            const int64_t *size);
void weft__split_elems(weft_infer *it, uint32_t x, int64_t axis);
// SPDX-License-Identifier: Apache-2.0
