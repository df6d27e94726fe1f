// twice_kernel.h - what the host side calls.
#pragma once
#include "weft/op.h"

WEFT_API void twice_kernel(const float *x, float *y, size_t n);
// SPDX-License-Identifier: Apache-2.0
