// where_like_custom_kernel.h - what the host calls to launch the kernel.
#pragma once
#include <cstdint>

// Writes the coordinates of the true elements of x, whose `rank` dims are given, to y, and {2, how many,
// rank} to shape. Enqueued on the stream: both are there when it was synchronised.
void where_like_custom(void *stream, const void *x, const int64_t *dims, uint64_t rank, void *y, void *shape);
// SPDX-License-Identifier: Apache-2.0
