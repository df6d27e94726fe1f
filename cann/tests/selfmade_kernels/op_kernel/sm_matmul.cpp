// sm_matmul.cpp - products of matrices: rows of x2 times numbers of x1, added up.
#include "rows.h"

extern "C" __global__ __aicore__ void sm_matmul(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace,
                                                GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  const auto m = static_cast<uint32_t>(data.cube.M);
  const auto n = static_cast<uint32_t>(data.cube.N);
  const auto k = static_cast<uint32_t>(data.cube.K);
  ASSERT(data.flags == 0x1234 && data.split[4] == 5 && data.batch[2] == -3 &&
         "the record is as it was written");
  ASSERT(TILING_KEY_IS(10000) || TILING_KEY_IS(10010));
  GlobalTensor<float> left;
  left.SetGlobalBuffer((__gm__ float *)x1, uint64_t{m} * k);
  RowIn<float> in;
  RowOut<float> out;
  in.Init(pipe, x2, n);
  out.Init(pipe, y, n);
  for (uint32_t row = GetBlockIdx(); row < m; row += GetBlockNum()) {
    LocalTensor<float> sum = out.Make();
    Duplicate(sum, 0.0f, n);
    for (uint32_t i = 0; i < k; i++) {
      LocalTensor<float> right = in.Get(uint64_t{i} * n, n);
      Axpy(sum, right, left.GetValue(data.transA ? uint64_t{i} * m + row : uint64_t{row} * k + i), n);
      in.Free(right);
    }
    Muls(sum, sum, data.alpha, n);
    out.Put(sum, uint64_t{row} * n, n);
  }
}
// SPDX-License-Identifier: Apache-2.0
