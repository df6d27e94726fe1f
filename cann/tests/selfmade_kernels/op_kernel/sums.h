// sums.h - sums along neighbouring axes: rows added up, or each row to one number.
#pragma once
#include "rows.h"

// data.p: outer, reduced, inner.
template <typename Data>
__aicore__ inline void SumAxes(GM_ADDR x, GM_ADDR y, const Data &data) {
  TPipe pipe;
  const auto outer = static_cast<uint64_t>(data.p[0]);
  const auto n = static_cast<uint32_t>(data.p[1]);
  const auto inner = static_cast<uint32_t>(data.p[2]);
  RowIn<float> in;
  RowOut<float> out;
  TBuf<TPosition::VECCALC> buffer;
  in.Init(pipe, x, inner == 1 ? n : inner);
  out.Init(pipe, y, inner);
  pipe.InitBuffer(buffer, (inner == 1 ? n : inner) * 4 + 32);
  LocalTensor<float> work = buffer.Get<float>();
  for (uint64_t i = GetBlockIdx(); i < outer; i += GetBlockNum()) {
    LocalTensor<float> sum = out.Make();
    if (inner == 1) {
      LocalTensor<float> row = in.Get(i * n, n);
      ReduceSum(sum, row, work, n);
      in.Free(row);
    } else {
      Duplicate(sum, 0.0f, inner);
      for (uint32_t k = 0; k < n; k++) {
        LocalTensor<float> row = in.Get((i * n + k) * inner, inner);
        Add(sum, sum, row, inner);
        in.Free(row);
      }
    }
    out.Put(sum, i * inner, inner);
  }
}
// SPDX-License-Identifier: Apache-2.0
