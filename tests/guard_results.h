// guard_results.h - are two kernels' results of one node alike?
#pragma once
#include <stdbool.h>

#include "weft/weft.h"

// NaN where the other is, floats near each other, bytes at most one apart, all else equal. `rough`: one of
// them rounds its operands to halves.
bool guard_results_alike(const weft_tensor *t, const void *a, const void *b, bool rough);

// Of a packed output: lanes that exist only there are zero.
bool guard_lanes_empty(const weft_tensor *t, const float *y);
// SPDX-License-Identifier: Apache-2.0
