// sm_range.cpp - start, start + delta, ...
#include "rows.h"

extern "C" __global__ __aicore__ void sm_range(GM_ADDR start, GM_ADDR limit, GM_ADDR delta, GM_ADDR y,
                                               GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  constexpr uint32_t kTile = 512;
  const auto total = static_cast<uint64_t>(data.y[data.rank - 1]);
  GlobalTensor<float> first, step;
  first.SetGlobalBuffer((__gm__ float *)start, 1);
  step.SetGlobalBuffer((__gm__ float *)delta, 1);
  RowOut<float> out;
  out.Init(pipe, y, kTile);
  for (uint64_t at = uint64_t{kTile} * GetBlockIdx(); at < total; at += uint64_t{kTile} * GetBlockNum()) {
    const auto n = static_cast<int32_t>(total - at < kTile ? total - at : kTile);
    LocalTensor<float> row = out.Make();
    ArithProgression(row, first.GetValue(0) + static_cast<float>(at) * step.GetValue(0), step.GetValue(0), n);
    out.Put(row, at, n);
  }
  (void)limit;
}
// SPDX-License-Identifier: Apache-2.0
