// turn.h - tensors whose channels come last, seen with channels first, for the passes that move transposes:
// constants and views that can be turned without moving a byte while the model runs.
#pragma once
#include "pass/match.h"

// The order of a transpose that makes channels of axis 1 the last axis, of rank 4 or 5.
bool weft__turn_is_last(const uint8_t *p, size_t rank);
// out[p[i]] = i.
void weft__turn_back(const uint8_t *p, size_t rank, uint8_t *out);
// v as it was before a transpose by p, which gives its element i from axis p[i]: a constant, all its axes
// present.
weft_status weft__turn_constant(weft_pass_run *r, weft_node *at, weft_value *v, const uint8_t *p, size_t rank,
                                weft_value **out);
// Does a transpose by p leave the elements in their order, because what it moves are axes of one element?
bool weft__turn_is_view(const weft_value *v, const uint8_t *p, size_t rank);
// The same as a Reshape.
weft_status weft__turn_view(weft_pass_run *r, weft_node *at, weft_value *v, const uint8_t *p, size_t rank,
                            weft_value **out);
// SPDX-License-Identifier: Apache-2.0
