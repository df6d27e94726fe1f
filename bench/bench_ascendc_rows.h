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

// What a row becomes: Make(out, row, work, columns), `kWide`: as wide as it came, or one number. Computes in
// float: rows of half are cast there and back.
template <typename T, typename Compute>
class Rows {
 public:
  void Run(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t count, uint32_t columns) {
    const uint32_t wide = Compute::kWide ? columns : kTogether;
    n_ = columns;
    gx_.SetGlobalBuffer((__gm__ T *)x, uint64_t{count} * columns);
    gy_.SetGlobalBuffer((__gm__ T *)y, Compute::kWide ? uint64_t{count} * columns : count);
    pipe_.InitBuffer(in_, 2, columns * sizeof(T));
    pipe_.InitBuffer(out_, 2, wide * sizeof(T));
    pipe_.InitBuffer(work_, columns * 4 + 64);
    if (kNarrow) {
      pipe_.InitBuffer(in_floats_, columns * 4);
      pipe_.InitBuffer(out_floats_, wide * 4);
    }
    compute_.template Init<T>(pipe_, gamma, beta, columns);
    const uint32_t part = (count + GetBlockNum() * kTogether - 1) / (GetBlockNum() * kTogether) * kTogether;
    const uint32_t first = part * GetBlockIdx();
    for (uint32_t i = first; i < std::min(count, first + part); i += kTogether)
      Some(i, std::min(kTogether, std::min(count, first + part) - i));
  }

 private:
  static constexpr bool kNarrow = sizeof(T) < 4;
  static constexpr uint32_t kTogether = 8;

  // Numbers of a few rows go out together: at least 16 bytes.
  void Some(uint32_t first, uint32_t count) {
    if (Compute::kWide) {
      for (uint32_t i = first; i < first + count; i++)
        Put(Made(i), uint64_t{i} * n_, n_);
      return;
    }
    LocalTensor<T> numbers = out_.template AllocTensor<T>();
    LocalTensor<float> floats = Floats(numbers, out_floats_);
    for (uint32_t i = 0; i < count; i++) {
      LocalTensor<T> row = Get(first + i);
      LocalTensor<float> wide = Widened(row);
      compute_.Make(floats, wide, work_.Get<float>(), n_);
      const float number = FirstOf(floats);
      in_.FreeTensor(row);
      sums_[i] = number;
    }
    for (uint32_t i = 0; i < count; i++)
      floats.SetValue(i, sums_[i]);
    Order<HardEvent::S_V>();
    Narrow(numbers, floats, count);
    Order<HardEvent::S_MTE3>();
    Put(numbers, first, count);
  }
  LocalTensor<T> Get(uint32_t i) {
    LocalTensor<T> row = in_.template AllocTensor<T>();
    DataCopy(row, gx_[uint64_t{i} * n_], n_);
    in_.EnQue(row);
    return in_.template DeQue<T>();
  }
  LocalTensor<T> Made(uint32_t i) {
    LocalTensor<T> row = Get(i);
    LocalTensor<T> made = out_.template AllocTensor<T>();
    LocalTensor<float> wide = Widened(row);
    LocalTensor<float> floats = Floats(made, out_floats_);
    compute_.Make(floats, wide, work_.Get<float>(), n_);
    Narrow(made, floats, n_);
    in_.FreeTensor(row);
    return made;
  }
  void Put(LocalTensor<T> made, uint64_t at, uint32_t n) {
    out_.EnQue(made);
    made = out_.template DeQue<T>();
    DataCopyPad(gy_[at], made, DataCopyExtParams(1, n * static_cast<uint32_t>(sizeof(T)), 0, 0, 0));
    out_.FreeTensor(made);
  }
  // The tensor itself, or where its numbers are as floats.
  LocalTensor<float> Floats(LocalTensor<T> &t, TBuf<TPosition::VECCALC> &buffer) {
    if constexpr (kNarrow)
      return buffer.Get<float>();
    else
      return t;
  }
  LocalTensor<float> Widened(LocalTensor<T> &row) {
    LocalTensor<float> floats = Floats(row, in_floats_);
    if constexpr (kNarrow)
      Cast(floats, row, RoundMode::CAST_NONE, n_);
    return floats;
  }
  void Narrow(LocalTensor<T> &to, LocalTensor<float> &floats, uint32_t n) {
    if constexpr (kNarrow)
      Cast(to, floats, RoundMode::CAST_RINT, n);
  }
  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECOUT, 2> out_;
  TBuf<TPosition::VECCALC> work_, in_floats_, out_floats_;
  GlobalTensor<T> gx_, gy_;
  Compute compute_;
  uint32_t n_ = 0;
  float sums_[kTogether] = {};
};

struct Sum {
  static constexpr bool kWide = false;
  template <typename T>
  void Init(TPipe &, GM_ADDR, GM_ADDR, uint32_t) {}
  void Make(LocalTensor<float> &z, LocalTensor<float> &x, LocalTensor<float> work, uint32_t n) {
    ReduceSum(z, x, work, static_cast<int32_t>(n));
  }
};
struct Softmax {
  static constexpr bool kWide = true;
  template <typename T>
  void Init(TPipe &pipe, GM_ADDR, GM_ADDR, uint32_t) {
    pipe.InitBuffer(number_, 64);
  }
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
  template <typename T>
  void Init(TPipe &pipe, GM_ADDR gamma, GM_ADDR beta, uint32_t n) {
    GlobalTensor<T> from[2];
    pipe.InitBuffer(number_, 64);
    pipe.InitBuffer(factors_, 2 * n * 4);
    from[0].SetGlobalBuffer((__gm__ T *)gamma, n);
    from[1].SetGlobalBuffer((__gm__ T *)beta, n);
    LocalTensor<float> both = factors_.Get<float>();
    LocalTensor<T> numbers = both.ReinterpretCast<T>();
    if constexpr (sizeof(T) < 4) {
      pipe.InitBuffer(narrow_, 2 * n * sizeof(T));
      numbers = narrow_.Get<T>();
    }
    DataCopy(numbers, from[0], n);
    DataCopy(numbers[n], from[1], n);
    Order<HardEvent::MTE2_V>();
    if constexpr (sizeof(T) < 4)
      Cast(both, numbers, RoundMode::CAST_NONE, 2 * n);
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
  TBuf<TPosition::VECCALC> number_, factors_, narrow_;
};

// The same two by the functions of the library.
struct SoftMaxCall {
  static constexpr bool kWide = true;
  template <typename T>
  void Init(TPipe &, GM_ADDR, GM_ADDR, uint32_t) {}
  void Make(LocalTensor<float> &z, LocalTensor<float> &x, LocalTensor<float>, uint32_t columns) {
    const SoftMaxShapeInfo row = {1, columns, 1, columns};
    SoftMax<float>(z, x, row, row);
  }
};
struct LayerNormCall : LayerNorm {
  void Make(LocalTensor<float> &z, LocalTensor<float> &x, LocalTensor<float>, uint32_t columns) {
    LocalTensor<float> beside = number_.Get<float>();
    LocalTensor<float> both = factors_.Get<float>();
    const LayerNormPara row = {1, columns, columns};
    AscendC::LayerNorm<float, float>(z, beside, beside[8], x, both, both[columns], 1e-5f, row, 0);
  }
};

template <typename T, typename Compute>
void Kernel(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t count, uint32_t columns) {
  Rows<T, Compute>().Run(x, gamma, beta, y, count, columns);
}
}  // namespace rows
// SPDX-License-Identifier: Apache-2.0
