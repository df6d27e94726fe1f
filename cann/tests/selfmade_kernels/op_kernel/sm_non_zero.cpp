// sm_non_zero.cpp - coordinates of the elements that are not zero, and how many there are.
#include "rows.h"

// The coordinates of element `at` behind those that `row` has.
__aicore__ inline void PutPlace(LocalTensor<int64_t> &row, uint32_t behind, const int64_t *dims,
                                uint32_t rank, uint64_t at) {
  for (uint32_t i = rank; i-- > 0;) {
    row.SetValue(behind + i, static_cast<int64_t>(at % static_cast<uint64_t>(dims[i])));
    at /= static_cast<uint64_t>(dims[i]);
  }
}

extern "C" __global__ __aicore__ void sm_non_zero(GM_ADDR x, GM_ADDR y, GM_ADDR found, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  constexpr uint32_t kTile = 256;
  const uint64_t total = Product(data.x, data.rank);
  RowIn<float> in;
  RowOut<int64_t> out;
  in.Init(pipe, x, kTile);
  out.Init(pipe, y, kTile * (data.rank ? data.rank : 1));
  uint64_t n_found = 0;
  for (uint64_t at = 0; at < total; at += kTile) {
    const auto n = static_cast<uint32_t>(total - at < kTile ? total - at : kTile);
    LocalTensor<float> row = in.Get(at, n);
    LocalTensor<int64_t> places = out.Make();
    Order<HardEvent::MTE2_S>();
    Order<HardEvent::MTE3_S>();
    uint32_t here = 0;
    for (uint32_t i = 0; i < n; i++) {
      if (row.GetValue(i) != 0.0f)
        PutPlace(places, here++ * data.rank, data.x, data.rank, at + i);
    }
    Order<HardEvent::S_MTE2>();
    Order<HardEvent::S_MTE3>();
    in.Free(row);
    out.Put(places, n_found * data.rank, here * data.rank);
    n_found += here;
  }
  GlobalTensor<uint64_t> shape;
  shape.SetGlobalBuffer((__gm__ uint64_t *)found, 9);
  shape.SetValue(0, 0x80000002);  // two axes, of 64 bits
  shape.SetValue(1, n_found);
  shape.SetValue(2, data.rank);
}
// SPDX-License-Identifier: Apache-2.0
