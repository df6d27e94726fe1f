// sm_split.cpp - pieces of an axis as tensors of a list.
#include "lists.h"

extern "C" __global__ __aicore__ void sm_split(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  ListTensorDesc list((__gm__ void *)y);
  const auto axis = static_cast<uint32_t>(data.p[1]);
  uint64_t all = 0, at = 0;
  for (uint32_t i = 0; i < list.GetSize(); i++)
    all += Listed<DTYPE_X>(list, i).From(axis);
  for (uint32_t i = 0; i < list.GetSize(); i++) {
    const Listed<DTYPE_X> one(list, i);
    const uint64_t n = one.From(axis);
    CopyRows<DTYPE_X>(x + at * sizeof(DTYPE_X), all, one.Data(), n, data.p[0], static_cast<uint32_t>(n));
    at += n;
  }
}
// SPDX-License-Identifier: Apache-2.0
