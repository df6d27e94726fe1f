// where_like_custom_kernel.h - what the host calls to launch the kernel.
#pragma once
#include <cstdint>

// By value to the kernel, as all arguments are.
struct WhereLikeCustomShape {
  uint64_t rank;
  int64_t dims[25];
};

// Writes the coordinates of the true elements of x to y, and {2, how many, rank} to shape_buffer. Enqueued on
// the stream: both are there when it was synchronised.
void LaunchWhereLikeCustom(const void *x, const WhereLikeCustomShape &shape, void *y, void *shape_buffer,
                           void *stream);
// SPDX-License-Identifier: Apache-2.0
