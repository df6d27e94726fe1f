// sm_norm.cpp - each row less its mean, over its deviation; gamma and beta where they are there.
#include "rows.h"

// The sum of a row, for the scalar unit.
__aicore__ inline float SumOf(const LocalTensor<float> &work, const LocalTensor<float> &row, uint32_t n) {
  ReduceSum(work, row, work, n);
  Order<HardEvent::V_S>();
  const float sum = work.GetValue(0);
  Order<HardEvent::S_V>();
  return sum;
}
__aicore__ inline void PutNumber(RowOut<float> &out, uint64_t at, float number) {
  LocalTensor<float> one = out.Make();
  Duplicate(one, number, 8);
  out.Put(one, at, 1);
}

extern "C" __global__ __aicore__ void sm_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean,
                                              GM_ADDR rstd, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  const auto n = static_cast<uint32_t>(data.p[1]);
  RowIn<float> in, scale, shift;
  RowOut<float> out, means, deviations;
  TBuf<TPosition::VECCALC> buffer;
  in.Init(pipe, x, n);
  scale.Init(pipe, gamma, n);
  shift.Init(pipe, beta, n);
  out.Init(pipe, y, n);
  means.Init(pipe, mean, 8);
  deviations.Init(pipe, rstd, 8);
  pipe.InitBuffer(buffer, n * 4 + 32);
  LocalTensor<float> work = buffer.Get<float>();
  for (uint64_t i = GetBlockIdx(); i < static_cast<uint64_t>(data.p[0]); i += GetBlockNum()) {
    LocalTensor<float> row = in.Get(i * n, n);
    LocalTensor<float> result = out.Make();
    const float middle = SumOf(work, row, n) / static_cast<float>(n);
    Adds(row, row, -middle, n);
    Mul(result, row, row, n);
    const float factor = 1.0f / sqrt(SumOf(work, result, n) / static_cast<float>(n) + data.number);
    Muls(result, row, factor, n);
    in.Free(row);
    if (data.p[2]) {
      LocalTensor<float> by = scale.Get(0, n);
      Mul(result, result, by, n);
      scale.Free(by);
    }
    if (data.p[3]) {
      LocalTensor<float> by = shift.Get(0, n);
      Add(result, result, by, n);
      shift.Free(by);
    }
    out.Put(result, i * n, n);
    PutNumber(means, i, middle);
    PutNumber(deviations, i, factor);
  }
}
// SPDX-License-Identifier: Apache-2.0
