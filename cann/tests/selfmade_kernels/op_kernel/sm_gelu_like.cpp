// sm_gelu_like.cpp - gelu by tanh, 1024 numbers a tile.
#include "rows.h"

extern "C" __global__ __aicore__ void sm_gelu_like(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  constexpr uint32_t kTile = 1024;
  RowIn<DTYPE_X> in;
  RowOut<DTYPE_Y> out;
  in.Init(pipe, x, kTile);
  out.Init(pipe, y, kTile);
  for (uint32_t at = GetBlockIdx() * kTile; at < data.totalLength; at += GetBlockNum() * kTile) {
    const uint32_t n = data.totalLength - at < kTile ? data.totalLength - at : kTile;
    LocalTensor<DTYPE_X> a = in.Get(at, n);
    LocalTensor<DTYPE_Y> b = out.Make();
    Gelu(b, a, n);
    in.Free(a);
    out.Put(b, at, n);
  }
}
// SPDX-License-Identifier: Apache-2.0
