// lrn.h - LRN's attributes as kernels read them.
#pragma once
#include "cpu/rows/rows.h"

typedef struct weft__lrn {
  weft__lrn_window window;
  uint8_t from;  // WEFT__STORE_*
  uint8_t to;
  const weft__rows_ops *vec;
} weft__lrn;
const char *weft__lrn_read(const weft_tiling *t, weft__lrn *out);  // why not; NULL: read
// SPDX-License-Identifier: Apache-2.0
