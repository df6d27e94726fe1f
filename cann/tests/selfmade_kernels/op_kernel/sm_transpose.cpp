// sm_transpose.cpp - axes in another order: elements that lie apart come in one to a block of 32 bytes, and
// go out side by side.
#include "rows.h"

extern "C" __global__ __aicore__ void sm_transpose(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  constexpr uint32_t kTile = 512;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> queue;
  GlobalTensor<float> from, to;
  pipe.InitBuffer(queue, 2, kTile * 32);
  from.SetGlobalBuffer((__gm__ float *)x);
  to.SetGlobalBuffer((__gm__ float *)y);
  const uint32_t last = data.rank - 1;
  const auto n = static_cast<uint32_t>(data.y[last]);
  const auto apart = static_cast<uint32_t>(data.p[last] - 1) * 4;
  const uint64_t rows = Product(data.y, last);
  for (uint64_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
    uint64_t first = 0, rest = row;
    for (uint32_t i = last; i-- > 0;) {
      first += rest % static_cast<uint64_t>(data.y[i]) * static_cast<uint64_t>(data.p[i]);
      rest /= static_cast<uint64_t>(data.y[i]);
    }
    for (uint32_t at = 0; at < n; at += kTile) {
      const auto some = static_cast<uint16_t>(n - at < kTile ? n - at : kTile);
      LocalTensor<float> spread = queue.AllocTensor<float>();
      DataCopyPad(spread, from[first + at * static_cast<uint64_t>(data.p[last])],
                  DataCopyExtParams(some, 4, apart, 0, 0), DataCopyPadExtParams<float>());
      queue.EnQue(spread);
      spread = queue.DeQue<float>();
      DataCopyPad(to[row * n + at], spread, DataCopyExtParams(some, 4, 0, 0, 0));
      queue.FreeTensor(spread);
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
