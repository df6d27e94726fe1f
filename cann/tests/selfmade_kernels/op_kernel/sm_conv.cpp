// sm_conv.cpp - convolution, one row of the result at a time: rows of x gathered where the window stands,
// times a number of the filter, added up.
#include "rows.h"

struct ConvBuffers {
  RowIn<float> in;
  RowOut<float> out;
  TBuf<TPosition::VECCALC> offsets, picked;
};

// For each column of the window where in a row of x the columns of the result find it; outside: the zero
// behind the row.
__aicore__ inline void PutOffsets(LocalTensor<uint32_t> offsets, uint32_t apart, uint32_t zero, int64_t w,
                                  int64_t out_w, int64_t kernel_w, int64_t stride, int64_t before) {
  for (int64_t k = 0; k < kernel_w; k++) {
    for (int64_t i = 0; i < out_w; i++) {
      const int64_t column = i * stride - before + k;
      const bool inside = column >= 0 && column < w;
      offsets.SetValue(static_cast<uint32_t>(k * apart + i),
                       (inside ? static_cast<uint32_t>(column) : zero) * sizeof(float));
    }
  }
  Order<HardEvent::S_V>();
}

extern "C" __global__ __aicore__ void sm_conv(GM_ADDR x, GM_ADDR filter, GM_ADDR y, GM_ADDR workspace,
                                              GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  const int64_t c = data.x[1], h = data.x[2], w = data.x[3];
  const int64_t kh = data.w[2], kw = data.w[3], oc = data.y[1], oh = data.y[2];
  const auto ow = static_cast<uint32_t>(data.y[3]);
  const auto zero = static_cast<uint32_t>((w + 7) / 8 * 8);
  const uint32_t apart = (ow + 7) / 8 * 8;
  ConvBuffers b;
  b.in.Init(pipe, x, zero + 8);
  b.out.Init(pipe, y, ow);
  pipe.InitBuffer(b.offsets, apart * static_cast<uint32_t>(kw) * sizeof(uint32_t));
  pipe.InitBuffer(b.picked, apart * sizeof(float));
  LocalTensor<uint32_t> offsets = b.offsets.Get<uint32_t>();
  LocalTensor<float> picked = b.picked.Get<float>();
  PutOffsets(offsets, apart, zero, w, ow, kw, data.p[1], data.p[3]);
  GlobalTensor<float> weights;
  weights.SetGlobalBuffer((__gm__ float *)filter, Product(data.w, 4));
  const int64_t rows = data.y[0] * oc * oh;
  for (int64_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
    const int64_t image = row / oh / oc, channel = row / oh % oc, top = row % oh * data.p[0] - data.p[2];
    LocalTensor<float> sum = b.out.Make();
    Duplicate(sum, 0.0f, ow);
    for (int64_t i = 0; i < c * kh; i++) {
      const int64_t line = top + i % kh;
      if (line < 0 || line >= h)
        continue;
      LocalTensor<float> from = b.in.Get(((image * c + i / kh) * h + line) * w, static_cast<uint32_t>(w));
      Duplicate(from[zero], 0.0f, 8);
      for (int64_t k = 0; k < kw; k++) {
        Gather(picked, from, offsets[static_cast<uint32_t>(k * apart)], 0, ow);
        Axpy(sum, picked, weights.GetValue((channel * c * kh + i) * kw + k), ow);
      }
      b.in.Free(from);
    }
    b.out.Put(sum, row * ow, ow);
  }
}
// SPDX-License-Identifier: Apache-2.0
