// scatter.h - updates written into a tensor at places that come as data. Layer: ops.
#pragma once
#include "gather.h"

#define WEFT_SCATTER_REDUCTIONS "one of none|add|mul|max|min"
// Output 0 is `data` (NULL: zeros) with block j of `updates` (of `block` elements) put at block to[j]:
// written, or
// combined as `reduction` says, in the order of the updates. Floats are combined in double and rounded once.
// to: checked.
weft_status weft__scatter(const weft_call *c, const weft_tensor *data, const weft_tensor *updates,
                          size_t block, const int64_t *to, size_t n, const char *reduction);
// The places of index tuples: tuple j of `indices` (rank >= 1) in the leading axes of `shape`.
weft_status weft__tuple_places(const weft_call *c, uint32_t indices, const weft_shape *shape, bool negative,
                               int64_t **out, size_t *out_n, size_t *out_block);
// indices of rank q, updates of shape indices[:-1] + data[k:], as the ND scatters have it.
weft_status weft__scatter_nd_check(weft_infer *it, const weft_shape *data, const weft_shape *indices,
                                   const weft_shape *updates);
// SPDX-License-Identifier: Apache-2.0
