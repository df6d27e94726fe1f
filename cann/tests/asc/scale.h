#pragma once
#include <cstdint>

constexpr int32_t kScale = 3;
// y = kScale * x in `blocks` parts, on a stream.
void LaunchScale(uint32_t blocks, const int32_t *x, int32_t *y, uint32_t n, void *stream);
// SPDX-License-Identifier: Apache-2.0
