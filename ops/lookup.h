// lookup.h - where is an element among keys? A table of hashes, made once a call: linear in keys and
// elements. Layer: ops.
#pragma once
#include "op.h"

typedef struct weft__lookup {
  const weft_tensor *keys;
  const int64_t *slot;  // of key numbers; -1: free
  size_t mask;
} weft__lookup;

// Of equal keys the last one counts. The memory lives until the call ends.
weft_status weft__lookup_make(const weft_call *c, const weft_tensor *keys, weft__lookup *out);
// The key that element i of x is, of the keys' dtype: texts byte by byte, a NaN is any NaN. -1: none.
weft_status weft__lookup_find(const weft__lookup *t, const weft_tensor *x, size_t i, weft_diag *d,
                              int64_t *out);
// The same for a number, where the keys are integers.
int64_t weft__lookup_int(const weft__lookup *t, int64_t v);
// SPDX-License-Identifier: Apache-2.0
