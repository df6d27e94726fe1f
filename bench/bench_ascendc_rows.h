// bench_ascendc_rows.h - kernels over rows as the documents write them: a row comes in, instructions make one
// number of it or a row, which goes out. Sums, softmax, layer norm.
#pragma once
#include "kernel_operator.h"

namespace rows {
using namespace AscendC;

template <HardEvent event>
void Order() {
  const TEventID id = GetTPipePtr()->FetchEventID(event);
  SetFlag<event>(id);
  WaitFlag<event>(id);
}
// The number that the vector unit left at the front.
inline float FirstOf(const LocalTensor<float> &t) {
  Order<HardEvent::V_S>();
  const float first = t.GetValue(0);
  Order<HardEvent::S_V>();
  return first;
}

// What a row becomes: Make(out, row, work, columns), `kWide`: as wide as it came, or one number.
template <typename Compute>
class Rows {
 public:
  void Run(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t count, uint32_t columns) {
    const uint32_t wide = Compute::kWide ? columns : kTogether;
    n_ = columns;
    gx_.SetGlobalBuffer((__gm__ float *)x, uint64_t{count} * columns);
    gy_.SetGlobalBuffer((__gm__ float *)y, Compute::kWide ? uint64_t{count} * columns : count);
    pipe_.InitBuffer(in_, 2, columns * 4);
    pipe_.InitBuffer(out_, 2, wide * 4);
    pipe_.InitBuffer(work_, columns * 4 + 64);
    compute_.Init(pipe_, gamma, beta, columns);
    const uint32_t part = (count + GetBlockNum() * kTogether - 1) / (GetBlockNum() * kTogether) * kTogether;
    const uint32_t first = part * GetBlockIdx();
    for (uint32_t i = first; i < std::min(count, first + part); i += kTogether)
      Some(i, std::min(kTogether, std::min(count, first + part) - i));
  }

 private:
  // Numbers of a few rows go out together: at least 32 bytes.
  void Some(uint32_t first, uint32_t count) {
    if (Compute::kWide) {
      for (uint32_t i = first; i < first + count; i++)
        Put(Made(i), uint64_t{i} * n_, n_);
      return;
    }
    LocalTensor<float> numbers = out_.AllocTensor<float>();
    for (uint32_t i = 0; i < count; i++) {
      LocalTensor<float> row = Get(first + i);
      compute_.Make(numbers, row, work_.Get<float>(), n_);
      const float number = FirstOf(numbers);
      in_.FreeTensor(row);
      sums_[i] = number;
    }
    for (uint32_t i = 0; i < count; i++)
      numbers.SetValue(i, sums_[i]);
    Order<HardEvent::S_MTE3>();
    Put(numbers, first, count);
  }
  LocalTensor<float> Get(uint32_t i) {
    LocalTensor<float> row = in_.AllocTensor<float>();
    DataCopy(row, gx_[uint64_t{i} * n_], n_);
    in_.EnQue(row);
    return in_.DeQue<float>();
  }
  LocalTensor<float> Made(uint32_t i) {
    LocalTensor<float> row = Get(i);
    LocalTensor<float> made = out_.AllocTensor<float>();
    compute_.Make(made, row, work_.Get<float>(), n_);
    in_.FreeTensor(row);
    return made;
  }
  void Put(LocalTensor<float> made, uint64_t at, uint32_t n) {
    out_.EnQue(made);
    made = out_.DeQue<float>();
    DataCopyPad(gy_[at], made, DataCopyExtParams(1, n * 4, 0, 0, 0));
    out_.FreeTensor(made);
  }
  static constexpr uint32_t kTogether = 8;
  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECOUT, 2> out_;
  TBuf<TPosition::VECCALC> work_;
  GlobalTensor<float> gx_, gy_;
  Compute compute_;
  uint32_t n_ = 0;
  float sums_[kTogether] = {};
};

struct Sum {
  static constexpr bool kWide = false;
  void Init(TPipe &, GM_ADDR, GM_ADDR, uint32_t) {}
  void Make(LocalTensor<float> &z, LocalTensor<float> &x, LocalTensor<float> work, uint32_t n) {
    ReduceSum(z, x, work, static_cast<int32_t>(n));
  }
};
struct Softmax {
  static constexpr bool kWide = true;
  void Init(TPipe &pipe, GM_ADDR, GM_ADDR, uint32_t) { pipe.InitBuffer(number_, 64); }
  void Make(LocalTensor<float> &z, LocalTensor<float> &x, LocalTensor<float> work, uint32_t columns) {
    LocalTensor<float> number = number_.Get<float>();
    const auto n = static_cast<int32_t>(columns);
    ReduceMax(number, x, work, n);
    Adds(z, x, -FirstOf(number), n);
    Exp(z, z, n);
    ReduceSum(number, z, work, n);
    Muls(z, z, 1.0f / FirstOf(number), n);
  }
  TBuf<TPosition::VECCALC> number_;
};
struct LayerNorm {
  static constexpr bool kWide = true;
  void Init(TPipe &pipe, GM_ADDR gamma, GM_ADDR beta, uint32_t n) {
    GlobalTensor<float> from[2];
    pipe.InitBuffer(number_, 64);
    pipe.InitBuffer(factors_, 2 * n * 4);
    from[0].SetGlobalBuffer((__gm__ float *)gamma, n);
    from[1].SetGlobalBuffer((__gm__ float *)beta, n);
    LocalTensor<float> both = factors_.Get<float>();
    DataCopy(both, from[0], n);
    DataCopy(both[n], from[1], n);
    Order<HardEvent::MTE2_V>();
  }
  void Make(LocalTensor<float> &z, LocalTensor<float> &x, LocalTensor<float> work, uint32_t columns) {
    LocalTensor<float> number = number_.Get<float>();
    LocalTensor<float> both = factors_.Get<float>();
    const auto n = static_cast<int32_t>(columns);
    const float count = static_cast<float>(columns);
    ReduceSum(number, x, work, n);
    Adds(z, x, -FirstOf(number) / count, n);
    Mul(x, z, z, n);
    ReduceSum(number, x, work, n);
    Muls(z, z, 1.0f / std::sqrt(FirstOf(number) / count + 1e-5f), n);
    Mul(z, z, both, n);
    Add(z, z, both[columns], n);
  }
  TBuf<TPosition::VECCALC> number_, factors_;
};

template <typename Compute>
void Kernel(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t count, uint32_t columns) {
  Rows<Compute>().Run(x, gamma, beta, y, count, columns);
}
}  // namespace rows
// SPDX-License-Identifier: Apache-2.0
