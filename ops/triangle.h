// triangle.h - the upper or lower triangle of the matrices in the last two axes; the rest is zero. Layer:
// ops.
#pragma once
#include "dims_move.h"

weft_status weft__triangle_infer(weft_infer *it);  // as input 0, of rank 2 or more
// Keeps column - row >= diagonal (upper) or <= diagonal.
weft_status weft__triangle_ref(const weft_call *c, bool upper, int64_t diagonal);
#define WEFT_TRIANGLE_TYPES  .types = TYPES({"T", WEFT_SET_BASIC | WEFT_DT(BOOL)})
#define WEFT_TRIANGLE_TRAITS (WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_INPLACE)
// SPDX-License-Identifier: Apache-2.0
