// where_like_custom_kernel.cpp - the kernel, a function of the CPU.
#include "where_like_custom_kernel.h"

void where_like_custom(void *stream, const void *x, const int64_t *dims, uint64_t rank, void *y,
                       void *shape) {
  (void)stream;  // a function of the CPU runs at once
  const auto *mask = static_cast<const uint8_t *>(x);
  auto *coordinates = static_cast<int64_t *>(y);
  auto *result = static_cast<uint64_t *>(shape);
  int64_t elements = 1;
  uint64_t count = 0;
  for (uint64_t d = 0; d < rank; d++)
    elements *= dims[d];
  for (int64_t i = 0; i < elements; i++) {
    if (!mask[i])
      continue;
    int64_t rest = i;
    for (uint64_t d = rank; d-- > 0; rest /= dims[d])
      coordinates[count * rank + d] = rest % dims[d];
    count++;
  }
  result[0] = 2;
  result[1] = count;
  result[2] = rank;
}
// SPDX-License-Identifier: Apache-2.0
