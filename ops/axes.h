// axes.h - operators that remove or insert axes of size 1: the elements stay as they are. Layer: ops.
#pragma once
#include "dims_move.h"

// Output 0 is input 0 without the given axes (each of size 1). n_axes 0 and all: without every axis of size
// 1.
weft_status weft__squeeze(weft_infer *it, const char *what, const int64_t *axes, size_t n_axes, bool all);
// Output 0 is input 0 with axes of size 1 inserted; axes count in the output.
weft_status weft__unsqueeze(weft_infer *it, const char *what, const int64_t *axes, size_t n_axes);

#define WEFT_AXES_COMMON                                                                               \
  .types = TYPES({"T", WEFT_STORABLE}), .out = PORTS({"y", "T"}), .traits = WEFT_SYMBOLIC | WEFT_VIEW, \
  .infer_value = weft__elems_same, .ref = weft__copy_all
// SPDX-License-Identifier: Apache-2.0
