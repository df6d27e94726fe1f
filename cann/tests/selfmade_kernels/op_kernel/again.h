// again.h - a tensor's elements as often as the result has room for them, for operators whose point is the
// result's shape.
#pragma once
#include "rows.h"

// data.p: elements of x, of y.
template <typename Data>
__aicore__ inline void FillAgain(GM_ADDR x, GM_ADDR y, const Data &data) {
  TPipe pipe;
  const auto n = static_cast<uint64_t>(data.p[0]);
  const auto total = static_cast<uint64_t>(data.p[1]);
  RowCopy<float> copy;
  copy.Init(pipe, x, y, static_cast<uint32_t>(n));
  for (uint64_t at = n * GetBlockIdx(); at < total; at += n * GetBlockNum())
    copy.Copy(0, at, static_cast<uint32_t>(total - at < n ? total - at : n));
}
// SPDX-License-Identifier: Apache-2.0
