// lrn.h - LRN's attributes as kernels read them.
#pragma once
#include "cpu/rows/rows.h"

typedef struct weft__lrn {
  size_t before, after;  // neighbours
  float alpha, beta, bias;
  uint8_t from, to;  // WEFT__STORE_*
  const weft__rows_ops *vec;
} weft__lrn;
const char *weft__lrn_read(const weft_tiling *t, weft__lrn *out);  // why not; NULL: read
// SPDX-License-Identifier: Apache-2.0
