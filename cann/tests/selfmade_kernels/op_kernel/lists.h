// lists.h - lists of tensors as a kernel gets them.
#pragma once
#include "rows.h"

// One of a list: its address and its shape.
template <typename T>
class Listed {
 public:
  __aicore__ inline Listed(ListTensorDesc &list, uint32_t i) {
    TensorDesc<T> desc;
    desc.SetShapeAddr(dims_);
    list.GetDesc(desc, i);
    rank_ = static_cast<uint32_t>(desc.GetDim());
    data_ = list.GetDataPtr<T>(i);
  }
  // Elements of the axes behind and with `axis`.
  __aicore__ inline uint64_t From(uint32_t axis) const {
    uint64_t all = 1;
    for (uint32_t i = axis; i < rank_; i++)
      all *= dims_[i];
    return all;
  }
  __aicore__ inline GM_ADDR Data() const { return (GM_ADDR)data_; }

 private:
  uint64_t dims_[32] = {};
  uint32_t rank_ = 0;
  __gm__ T *data_ = nullptr;
};

// Rows of `n` elements, `from_step` and `to_step` apart.
template <typename T>
__aicore__ inline void CopyRows(GM_ADDR from, uint64_t from_step, GM_ADDR to, uint64_t to_step, uint64_t rows,
                                uint32_t n) {
  constexpr uint32_t kTile = 4096;
  TPipe *pipe = GetTPipePtr();
  pipe->Reset();
  RowCopy<T> copy;
  copy.Init(*pipe, from, to, n < kTile ? n : kTile);
  for (uint64_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
    for (uint32_t at = 0; at < n; at += kTile)
      copy.Copy(row * from_step + at, row * to_step + at, n - at < kTile ? n - at : kTile);
  }
}
// SPDX-License-Identifier: Apache-2.0
