#include <cstdio>

#include "scale.h"

int main() {
  const int32_t x[5] = {1, -2, 3, -4, 5};
  int32_t y[5] = {};
  LaunchScale(2, x, y, 5, nullptr);
  std::printf("%d %d %d %d %d\n", y[0], y[1], y[2], y[3], y[4]);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
