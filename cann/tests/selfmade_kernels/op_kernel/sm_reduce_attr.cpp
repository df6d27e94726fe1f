// sm_reduce_attr.cpp - sums along neighbouring axes; axes are an attribute.
#include "sums.h"

extern "C" __global__ __aicore__ void sm_reduce_attr(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  SumAxes(x, y, data);
}
// SPDX-License-Identifier: Apache-2.0
