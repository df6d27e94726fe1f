// bias_relu.cpp - the kernel: a block takes its part tile by tile, in two buffers each way.
#include "kernel_operator.h"

using namespace AscendC;

class BiasRelu {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t total, uint32_t block, uint32_t tile,
                              float bias) {
    const uint32_t first = block * GetBlockIdx();
    length_ = first >= total ? 0 : total - first < block ? total - first : block;
    tile_ = tile;
    bias_ = bias;
    x_.SetGlobalBuffer((__gm__ DTYPE_X *)x + first, length_);
    y_.SetGlobalBuffer((__gm__ DTYPE_Y *)y + first, length_);
    pipe_.InitBuffer(in_, 2, tile * sizeof(DTYPE_X));
    pipe_.InitBuffer(out_, 2, tile * sizeof(DTYPE_Y));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = 0; at < length_; at += tile_) {
      const uint32_t n = length_ - at < tile_ ? length_ - at : tile_;
      CopyIn(at, n);
      Compute(n);
      CopyOut(at, n);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t at, uint32_t n) {
    LocalTensor<DTYPE_X> x = in_.AllocTensor<DTYPE_X>();
    DataCopyPad(x, x_[at], DataCopyExtParams(1, n * sizeof(DTYPE_X), 0, 0, 0),
                DataCopyPadExtParams<DTYPE_X>(false, 0, 0, 0));
    in_.EnQue(x);
  }
  __aicore__ inline void Compute(uint32_t n) {
    LocalTensor<DTYPE_X> x = in_.DeQue<DTYPE_X>();
    LocalTensor<DTYPE_Y> y = out_.AllocTensor<DTYPE_Y>();
    Adds(y, x, static_cast<DTYPE_X>(bias_), n);
    Relu(y, y, n);
    out_.EnQue(y);
    in_.FreeTensor(x);
  }
  __aicore__ inline void CopyOut(uint32_t at, uint32_t n) {
    LocalTensor<DTYPE_Y> y = out_.DeQue<DTYPE_Y>();
    DataCopyPad(y_[at], y, DataCopyExtParams(1, n * sizeof(DTYPE_Y), 0, 0, 0));
    out_.FreeTensor(y);
  }
  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECOUT, 2> out_;
  GlobalTensor<DTYPE_X> x_;
  GlobalTensor<DTYPE_Y> y_;
  uint32_t length_ = 0, tile_ = 0;
  float bias_ = 0;
};

extern "C" __global__ __aicore__ void bias_relu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  BiasRelu op;
  op.Init(x, y, data.total, data.block_length, data.tile_length, data.bias);
  op.Process();
}
// SPDX-License-Identifier: Apache-2.0
