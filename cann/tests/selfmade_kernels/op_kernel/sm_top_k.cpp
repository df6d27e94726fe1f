// sm_top_k.cpp - the first k of each row, by Sort of all of it.
#include "rows.h"

extern "C" __global__ __aicore__ void sm_top_k(GM_ADDR x, GM_ADDR k, GM_ADDR values, GM_ADDR indices,
                                               GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  const auto n = static_cast<uint32_t>(data.p[1]);
  const auto taken = static_cast<uint32_t>(data.p[2]);
  const uint32_t repeats = (n + 31) / 32;
  const uint32_t padded = repeats * 32;
  RowIn<float> in;
  RowOut<float> out;
  RowOut<int32_t> out_places;
  TBuf<TPosition::VECCALC> buffers[4];
  in.Init(pipe, x, n);
  out.Init(pipe, values, padded);
  out_places.Init(pipe, indices, padded);
  for (uint32_t i = 0; i < 4; i++)
    pipe.InitBuffer(buffers[i], padded * 8);
  LocalTensor<float> whole = buffers[0].Get<float>();
  LocalTensor<uint32_t> places = buffers[1].Get<uint32_t>();
  LocalTensor<float> pairs = buffers[2].Get<float>();
  LocalTensor<float> work = buffers[3].Get<float>();
  LocalTensor<float> concat;
  for (uint64_t i = GetBlockIdx(); i < static_cast<uint64_t>(data.p[0]); i += GetBlockNum()) {
    LocalTensor<float> row = in.Get(i * n, n);
    LocalTensor<float> first = out.Make();
    LocalTensor<int32_t> numbers = out_places.Make();
    Duplicate(whole, -3.4e38f, padded);
    Adds(whole, row, 0.0f, n);
    in.Free(row);
    CreateVecIndex(places.ReinterpretCast<int32_t>(), 0, padded);
    Concat(concat, whole, work, repeats);
    Sort<float, true>(pairs, concat, places, work, repeats);
    Extract(first, numbers.ReinterpretCast<uint32_t>(), pairs, repeats);
    out.Put(first, i * taken, taken);
    out_places.Put(numbers, i * taken, taken);
  }
  (void)k;
}
// SPDX-License-Identifier: Apache-2.0
