// sm_add_like.cpp - sums of shapes that fit each other, row by row.
#include "rows.h"

// The row of an operand that belongs to row `row` of the result, in elements.
__aicore__ inline uint64_t RowOf(const int64_t *dims, const int64_t *result, uint32_t rank, uint64_t row) {
  uint64_t place = 0, step = static_cast<uint64_t>(dims[rank - 1]);
  for (uint32_t i = rank - 1; i-- > 0;) {
    place += dims[i] == 1 ? 0 : row % static_cast<uint64_t>(result[i]) * step;
    step *= static_cast<uint64_t>(dims[i]);
    row /= static_cast<uint64_t>(result[i]);
  }
  return place;
}

extern "C" __global__ __aicore__ void sm_add_like(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  const uint32_t last = data.rank - 1;
  const auto n = static_cast<uint32_t>(data.y[last]);
  RowIn<DTYPE_X1> a, b;
  RowOut<DTYPE_Y> out;
  a.Init(pipe, x1, n);
  b.Init(pipe, x2, n);
  out.Init(pipe, y, n);
  const uint64_t rows = n ? Product(data.y, last) : 0;
  for (uint64_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
    const uint64_t at_a = RowOf(data.x, data.y, data.rank, row);
    const uint64_t at_b = RowOf(data.w, data.y, data.rank, row);
    LocalTensor<DTYPE_Y> sum = out.Make();
    const bool whole_a = static_cast<uint32_t>(data.x[last]) == n;
    const bool whole_b = static_cast<uint32_t>(data.w[last]) == n;
    LocalTensor<DTYPE_X1> left = whole_a ? a.Get(at_a, n) : b.Get(at_b, n);
    if (whole_a && whole_b) {
      LocalTensor<DTYPE_X2> right = b.Get(at_b, n);
      Add(sum, left, right, n);
      b.Free(right);
    } else {
      Adds(sum, left, whole_a ? b.At(at_b) : a.At(at_a), n);
    }
    if (whole_a)
      a.Free(left);
    else
      b.Free(left);
    out.Put(sum, row * n, n);
  }
}
// SPDX-License-Identifier: Apache-2.0
