// sm_pad.cpp - a row with more elements before and behind it. A block makes one element: its number is all
// that tiling says of the result's length.
#include "rows.h"

extern "C" __global__ __aicore__ void sm_pad(GM_ADDR x, GM_ADDR paddings, GM_ADDR y, GM_ADDR workspace,
                                             GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  GlobalTensor<int32_t> sides;
  sides.SetGlobalBuffer((__gm__ int32_t *)paddings, 2);
  const int64_t n = GetBlockNum() - data.left - sides.GetValue(1);
  int64_t from = GetBlockIdx() - data.left;
  RowCopy<float> copy;
  RowOut<float> out;
  copy.Init(pipe, x, y, 8);
  out.Init(pipe, y, 8);
  if (data.mode == 'r')
    from = from < 0 ? -from : from >= n ? 2 * (n - 1) - from : from;
  if (data.mode == 'e')
    from = from < 0 ? 0 : from >= n ? n - 1 : from;
  if (from >= 0 && from < n) {
    copy.Copy(static_cast<uint64_t>(from), GetBlockIdx(), 1);
    return;
  }
  LocalTensor<float> value = out.Make();
  Duplicate(value, static_cast<float>(data.value), 8);
  out.Put(value, GetBlockIdx(), 1);
}
// SPDX-License-Identifier: Apache-2.0
