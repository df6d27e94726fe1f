// where_like_custom_kernel.h - what the host code needs of the kernel: its tiling record and the launch
// wrapper.
#pragma once
#include "weft/op.h"

// What the host tells the kernel. Plain numbers: a kernel never sees host-side structures (R352).
typedef struct where_tiling {
  uint64_t elems, rank, dim[WEFT_MAX_RANK];
} where_tiling;

// Device-side shape report (R151): shape[0] = 2, shape[1] = true_count, shape[2] = rank(x).
enum { WHERE_SHAPE_WORDS = 3 };

// Queues the kernel: y gets the coordinates, shape_buffer the actual shape.
weft_status where_like_custom_launch(const weft_call *c, const void *x, void *y, void *shape_buffer,
                                     const where_tiling *t);
// SPDX-License-Identifier: Apache-2.0
