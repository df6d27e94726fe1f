// sm_gather.cpp - rows by their numbers.
#include "rows.h"

extern "C" __global__ __aicore__ void sm_gather(GM_ADDR x, GM_ADDR indices, GM_ADDR axis, GM_ADDR y,
                                                GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  const auto n = static_cast<uint64_t>(data.p[1]);
  const auto inner = static_cast<uint32_t>(data.p[2]);
  const auto count = static_cast<uint64_t>(data.p[3]);
  const uint64_t rows = static_cast<uint64_t>(data.p[0]) * count;
  GlobalTensor<int32_t> numbers;
  numbers.SetGlobalBuffer((__gm__ int32_t *)indices, count);
  RowCopy<float> copy;
  copy.Init(pipe, x, y, inner);
  for (uint64_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
    const int64_t index = numbers.GetValue(row % count);
    ASSERT(index >= 0 && index < data.p[1]);
    copy.Copy((row / count * n + static_cast<uint64_t>(index)) * inner, row * inner, inner);
  }
  (void)axis;
}
// SPDX-License-Identifier: Apache-2.0
