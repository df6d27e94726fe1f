// sm_list_attrs.cpp - x again and again, in the shape that the attributes spell.
#include "again.h"

extern "C" __global__ __aicore__ void sm_list_attrs(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  FillAgain(x, y, data);
}
// SPDX-License-Identifier: Apache-2.0
