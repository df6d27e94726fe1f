// ragged.h - rows of different lengths: splits [rows + 1] ascend from 0, row r has elements splits[r] to
// splits[r + 1] of the next level. Layer: ops.
#pragma once
#include "sparse.h"

typedef struct weft_splits {
  size_t rows;
  const int64_t *at;  // rows + 1
} weft_splits;
// Checked: they begin with 0, do not fall, and end with `elems`.
weft_status weft__splits_read(const weft_call *c, uint32_t in, size_t elems, weft_splits *out);
// Rows of an input: elements less one; -1, not known.
weft_status weft__splits_rows(const weft_infer *it, uint32_t in, weft_dim *out);
// SPDX-License-Identifier: Apache-2.0
