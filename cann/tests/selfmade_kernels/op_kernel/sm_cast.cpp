// sm_cast.cpp - float to half or to whole numbers, towards zero.
#include "rows.h"

extern "C" __global__ __aicore__ void sm_cast(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  constexpr uint32_t kTile = 1024;
  const uint64_t total = Product(data.x, data.rank);
  RowIn<DTYPE_X> in;
  RowOut<DTYPE_Y> out;
  in.Init(pipe, x, kTile);
  out.Init(pipe, y, kTile);
  for (uint64_t at = uint64_t{kTile} * GetBlockIdx(); at < total; at += uint64_t{kTile} * GetBlockNum()) {
    const auto n = static_cast<uint32_t>(total - at < kTile ? total - at : kTile);
    LocalTensor<DTYPE_X> a = in.Get(at, n);
    LocalTensor<DTYPE_Y> b = out.Make();
    Cast(b, a, ORIG_DTYPE_Y == DT_INT32 ? RoundMode::CAST_TRUNC : RoundMode::CAST_NONE, n);
    in.Free(a);
    out.Put(b, at, n);
  }
}
// SPDX-License-Identifier: Apache-2.0
