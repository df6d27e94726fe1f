// sm_tile.cpp - rows as often as the result has them.
#include "rows.h"

extern "C" __global__ __aicore__ void sm_tile(GM_ADDR x, GM_ADDR multiples, GM_ADDR y, GM_ADDR workspace,
                                              GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  const uint32_t last = data.rank - 1;
  const auto n = static_cast<uint32_t>(data.x[last]);
  RowCopy<float> copy;
  copy.Init(pipe, x, y, n);
  const uint64_t rows = Product(data.y, last);
  for (uint64_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
    uint64_t from = 0, step = n, rest = row;
    for (uint32_t i = last; i-- > 0;) {
      from += rest % static_cast<uint64_t>(data.y[i]) % static_cast<uint64_t>(data.x[i]) * step;
      step *= static_cast<uint64_t>(data.x[i]);
      rest /= static_cast<uint64_t>(data.y[i]);
    }
    copy.Copy(from, row * static_cast<uint64_t>(data.y[last]), n, static_cast<uint32_t>(data.y[last]) / n);
  }
  (void)multiples;
}
// SPDX-License-Identifier: Apache-2.0
