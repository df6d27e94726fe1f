// sort.h - numbers in the order of 64-bit keys. Layer: ops.
#pragma once
#include "op.h"

// Keys order as the doubles do: NaN last, -0 equals 0. Those of falling order are their complements.
uint64_t weft__key_f64(double v);
// Sorts order[0..n), numbers of keys; equal keys stay as they stand. O(n) for each byte in which keys differ.
// *out, the result, lies in `order` or in `spare`, which has room for n too. Errors: when the call is to
// stop; c NULL: it goes on.
weft_status weft__sort_by_key(const weft_call *c, const uint64_t *key, size_t *order, size_t *spare, size_t n,
                              size_t **out);
// SPDX-License-Identifier: Apache-2.0
