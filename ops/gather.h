// gather.h - elements picked by indices that come as data: all of them are checked before anything moves.
// Layer: ops.
#pragma once
#include "dims_move.h"

// Gather along one axis: y = x[:axis] + indices[batch_dims:] + x[axis+1:]. axis_known false: only ranks are
// known.
weft_status weft__gather_infer(weft_infer *it, const char *what, int64_t axis, bool axis_known,
                               int64_t batch_dims);
weft_status weft__gather_ref(const weft_call *c, const char *what, int64_t axis, int64_t batch_dims,
                             bool negative);
weft_status weft__gather_elems(weft_infer *it, int64_t axis, int64_t batch_dims, bool negative);

// Index `i` of an index tensor, made non-negative; E_RANGE "input 'indices': element 5 is 7, outside [0, 3]".
weft_status weft__checked_index(const weft_call *c, uint32_t in, size_t i, int64_t dim, bool negative,
                                int64_t *out);
// SPDX-License-Identifier: Apache-2.0
