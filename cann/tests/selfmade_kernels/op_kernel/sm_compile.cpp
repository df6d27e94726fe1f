// sm_compile.cpp - -x; the record is a struct that host and kernel share.
#include "rows.h"
#include "selfmade_types.h"

extern "C" __global__ __aicore__ void sm_compile(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA_WITH_STRUCT(optiling::SmPlainTiling, data, tiling);
  ASSERT(GetBlockNum() == data.used);
  TPipe pipe;
  const uint32_t tile = static_cast<uint32_t>(data.ub) / 32;
  RowIn<float> in;
  RowOut<float> out;
  in.Init(pipe, x, tile);
  out.Init(pipe, y, tile);
  // The last block has what the others leave: how much, the tails tell (the total modulo 2, 3, 4, 5).
  const int64_t first = GetBlockIdx() * data.per_core;
  int64_t end = first + data.per_core;
  if (GetBlockIdx() == data.used - 1) {
    const auto fits = [&](int64_t n) {
      return n % 2 == data.tail[0] && n % 3 == data.tail[1] && n % 4 == data.tail[2] && n % 5 == data.tail[3];
    };
    while (!fits(end))
      end--;
  }
  for (int64_t at = first; at < end; at += tile) {
    const auto n = static_cast<uint32_t>(end - at < tile ? end - at : tile);
    LocalTensor<float> row = in.Get(static_cast<uint64_t>(at), n);
    LocalTensor<float> made = out.Make();
    Muls(made, row, -1.0f, n);
    in.Free(row);
    out.Put(made, static_cast<uint64_t>(at), n);
  }
}
// SPDX-License-Identifier: Apache-2.0
