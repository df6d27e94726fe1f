// scaled_sum.cpp - the kernel of ScaledSum, as a user of Ascend C writes it.
#include "kernel_operator.h"

using namespace AscendC;

class KernelScaledSum {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint64_t total, uint32_t block, uint32_t tile,
                              float scale) {
    const uint64_t first = static_cast<uint64_t>(block) * GetBlockIdx();
    length_ = first >= total ? 0 : total - first < block ? static_cast<uint32_t>(total - first) : block;
    tile_ = tile;
    scale_ = scale;
    x_.SetGlobalBuffer((__gm__ DTYPE_X *)x + first, length_);
    y_.SetGlobalBuffer((__gm__ DTYPE_Y *)y + first, length_);
    z_.SetGlobalBuffer((__gm__ DTYPE_Z *)z + first, length_);
    pipe_.InitBuffer(in_x_, 2, tile * sizeof(DTYPE_X));
    pipe_.InitBuffer(in_y_, 2, tile * sizeof(DTYPE_Y));
    pipe_.InitBuffer(out_, 2, tile * sizeof(DTYPE_Z));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = 0; at < length_; at += tile_)
      Tile(at, length_ - at < tile_ ? length_ - at : tile_);
  }

 private:
  __aicore__ inline void Tile(uint32_t at, uint32_t n) {
    const DataCopyExtParams row(1, n * sizeof(DTYPE_X), 0, 0, 0);
    const DataCopyPadExtParams<DTYPE_X> pad(false, 0, 0, 0);
    LocalTensor<DTYPE_X> x = in_x_.AllocTensor<DTYPE_X>();
    LocalTensor<DTYPE_Y> y = in_y_.AllocTensor<DTYPE_Y>();
    DataCopyPad(x, x_[at], row, pad);
    DataCopyPad(y, y_[at], row, pad);
    in_x_.EnQue(x);
    in_y_.EnQue(y);
    x = in_x_.DeQue<DTYPE_X>();
    y = in_y_.DeQue<DTYPE_Y>();
    LocalTensor<DTYPE_Z> z = out_.AllocTensor<DTYPE_Z>();
    Muls(z, y, static_cast<DTYPE_Z>(scale_), n);
    Add(z, x, z, n);
    out_.EnQue(z);
    in_x_.FreeTensor(x);
    in_y_.FreeTensor(y);
    z = out_.DeQue<DTYPE_Z>();
    DataCopyPad(z_[at], z, row);
    out_.FreeTensor(z);
  }
  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_x_, in_y_;
  TQue<TPosition::VECOUT, 2> out_;
  GlobalTensor<DTYPE_X> x_, y_, z_;
  uint32_t length_, tile_;
  float scale_;
};

extern "C" __global__ __aicore__ void scaled_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
#if ORIG_DTYPE_X != DT_FLOAT && ORIG_DTYPE_X != DT_FLOAT16
#error "ScaledSum is for float and half"
#endif
  if (TILING_KEY_IS(1) || TILING_KEY_IS(2)) {
    KernelScaledSum op;
    op.Init(x, y, z, data.total, data.block_length, data.tile_length, data.scale);
    op.Process();
  }
  (void)workspace;
}
// SPDX-License-Identifier: Apache-2.0
