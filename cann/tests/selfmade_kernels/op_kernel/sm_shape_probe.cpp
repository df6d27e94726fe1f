// sm_shape_probe.cpp - x again and again, in the shape that the probe finds.
#include "again.h"

extern "C" __global__ __aicore__ void sm_shape_probe(GM_ADDR x, GM_ADDR other, GM_ADDR y, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  FillAgain(x, y, data);
  (void)other;
}
// SPDX-License-Identifier: Apache-2.0
