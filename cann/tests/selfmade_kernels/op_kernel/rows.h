// rows.h - rows of numbers between global memory and the vector unit, one at a time.
#pragma once
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class RowIn {
 public:
  __aicore__ inline void Init(TPipe &pipe, GM_ADDR from, uint32_t most) {
    g_.SetGlobalBuffer((__gm__ T *)from);
    pipe.InitBuffer(queue_, 2, (most * sizeof(T) + 31) / 32 * 32);
  }
  __aicore__ inline LocalTensor<T> Get(uint64_t at, uint32_t n) {
    LocalTensor<T> row = queue_.template AllocTensor<T>();
    DataCopyPad(row, g_[at], DataCopyExtParams(1, n * sizeof(T), 0, 0, 0), DataCopyPadExtParams<T>());
    queue_.EnQue(row);
    return queue_.template DeQue<T>();
  }
  __aicore__ inline void Free(LocalTensor<T> &row) { queue_.FreeTensor(row); }
  __aicore__ inline T At(uint64_t at) { return g_.GetValue(at); }

 private:
  TQue<TPosition::VECIN, 2> queue_;
  GlobalTensor<T> g_;
};

template <typename T>
class RowOut {
 public:
  __aicore__ inline void Init(TPipe &pipe, GM_ADDR to, uint32_t most) {
    g_.SetGlobalBuffer((__gm__ T *)to);
    pipe.InitBuffer(queue_, 2, (most * sizeof(T) + 31) / 32 * 32);
  }
  __aicore__ inline LocalTensor<T> Make() { return queue_.template AllocTensor<T>(); }
  __aicore__ inline void Put(LocalTensor<T> row, uint64_t at, uint32_t n) {
    queue_.EnQue(row);
    row = queue_.template DeQue<T>();
    DataCopyPad(g_[at], row, DataCopyExtParams(1, n * sizeof(T), 0, 0, 0));
    queue_.FreeTensor(row);
  }

 private:
  TQue<TPosition::VECOUT, 2> queue_;
  GlobalTensor<T> g_;
};

// Rows that go out as they came in.
template <typename T>
class RowCopy {
 public:
  __aicore__ inline void Init(TPipe &pipe, GM_ADDR from, GM_ADDR to, uint32_t most) {
    from_.SetGlobalBuffer((__gm__ T *)from);
    to_.SetGlobalBuffer((__gm__ T *)to);
    pipe.InitBuffer(queue_, 2, (most * sizeof(T) + 31) / 32 * 32);
  }
  __aicore__ inline void Copy(uint64_t from, uint64_t to, uint32_t n, uint32_t times = 1) {
    LocalTensor<T> row = queue_.template AllocTensor<T>();
    const DataCopyExtParams size(1, n * sizeof(T), 0, 0, 0);
    DataCopyPad(row, from_[from], size, DataCopyPadExtParams<T>());
    queue_.template EnQue<TPosition::GM, TPosition::VECIN, T>(row);
    row = queue_.template DeQue<TPosition::GM, TPosition::VECIN, T>();
    queue_.template EnQue<TPosition::VECOUT, TPosition::GM, T>(row);
    row = queue_.template DeQue<TPosition::VECOUT, TPosition::GM, T>();
    for (uint32_t i = 0; i < times; i++)
      DataCopyPad(to_[to + uint64_t{i} * n], row, size);
    queue_.FreeTensor(row);
  }

 private:
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> queue_;
  GlobalTensor<T> from_, to_;
};

// A number that the vector unit made, for the scalar unit, and the other way.
template <HardEvent event>
__aicore__ inline void Order() {
  const TEventID id = GetTPipePtr()->FetchEventID(event);
  SetFlag<event>(id);
  WaitFlag<event>(id);
}
__aicore__ inline uint64_t Product(const int64_t *dims, uint32_t n) {
  uint64_t all = 1;
  for (uint32_t i = 0; i < n; i++)
    all *= static_cast<uint64_t>(dims[i]);
  return all;
}
// SPDX-License-Identifier: Apache-2.0
