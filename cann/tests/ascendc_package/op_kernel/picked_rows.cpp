// picked_rows.cpp - y = x + the number of its type, and 100 times the place of the vector core that wrote it,
// from 1, where there are two.
#include "kernel_operator.h"
#include "picked_rows_key.h"

template <typename T>
__aicore__ inline T PickedSum(T x, int number) {
  return static_cast<T>(static_cast<float>(x) + static_cast<float>(number));
}

template <typename D_T, int NUMBER, bool PAIRS>
__global__ __aicore__ void picked_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  static_assert(sizeof(D_T) == sizeof(DTYPE_X), "another type than that of the input is instantiated");
  static_assert(NUMBER == ORIG_DTYPE_Y, "another number than that of the output is instantiated");
  GET_TILING_DATA(data, tiling);
  const auto *from = reinterpret_cast<__gm__ D_T *>(x);
  auto *to = reinterpret_cast<__gm__ D_T *>(y);
  if (PAIRS && AscendC::GetSubBlockNum() != 2)
    return;
  if ASCEND_IS_AIC
    return;
  const uint32_t step = PAIRS ? 2 : 1;
  const uint32_t core = PAIRS ? AscendC::GetSubBlockIdx() : 0;
  for (uint32_t i = core; i < data.total; i += step)
    to[i] = PickedSum<D_T>(from[i], NUMBER + (PAIRS ? 100 * (static_cast<int>(core) + 1) : 0));
}
// SPDX-License-Identifier: Apache-2.0
