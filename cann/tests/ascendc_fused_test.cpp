// Instructions with two names beside plain loops: results that are converted, blocks by place, truth values,
// the compare register, slices, matrices out of fractals, the gradient of softmax, axes that change places.
#include <algorithm>
#include <cmath>
#include <string>

#include "check.h"
#include "kernel_operator.h"

using namespace AscendC;

namespace {
// One block with four tensors of 16 KB; what `body` does in it.
template <typename Body>
void InBlock(Body body) {
  static Body *now;
  now = &body;
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[4];
    LocalTensor<float> t[4];
    for (int i = 0; i < 4; i++) {
      pipe.InitBuffer(buffers[i], 16384);
      t[i] = buffers[i].Get<float>();
    }
    (*now)(t);
  };
  const int status = weft_asc::call("fused", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)();
  CHECK_EQ(std::string(status ? weft_asc_error() : ""), std::string());
}
void Settle() {
  PipeBarrier<PIPE_ALL>();
  SetFlag<HardEvent::V_S>(EVENT_ID0);
  WaitFlag<HardEvent::V_S>(EVENT_ID0);
  SetFlag<HardEvent::S_V>(EVENT_ID0);
  WaitFlag<HardEvent::S_V>(EVENT_ID0);
}
template <typename T>
T Sample(uint32_t i, uint32_t seed) {
  const int step = static_cast<int>((i * 37 + seed * 13) % 101) - 50;
  return static_cast<T>(std::is_integral<T>::value ? static_cast<float>(step) : static_cast<float>(step) / 8);
}
template <typename T>
void FillSamples(const LocalTensor<T> &t, uint32_t n, uint32_t seed) {
  for (uint32_t i = 0; i < n; i++)
    t.SetValue(i, Sample<T>(i, seed));
}
// To whole numbers to the nearest, ties to even, within their range.
template <typename T>
double Narrowed(double x) {
  if constexpr (std::is_integral<T>::value) {
    const double low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
    return std::min(high, std::max(low, std::nearbyint(x)));
  } else {
    return static_cast<double>(static_cast<float>(static_cast<T>(static_cast<float>(x))));
  }
}
template <typename T>
double Number(T x) {
  return static_cast<double>(static_cast<float>(x));
}

enum class Which { kAdd, kSub, kMul };
template <typename T>
double Plain(Which which, T a, T b) {
  const double x = Number(a), y = Number(b);
  if (which == Which::kMul)
    return x * y;
  return std::max(0.0, which == Which::kAdd ? x + y : x - y);
}
template <typename T, typename U, typename... Form>
void Fused(Which which, const LocalTensor<T> &dst, const LocalTensor<U> &a, const LocalTensor<U> &b,
           Form... form) {
  if (which == Which::kAdd)
    AddReluCast(dst, a, b, form...);
  else if (which == Which::kSub)
    SubReluCast(dst, a, b, form...);
  else
    MulCast(dst, a, b, form...);
}
template <typename T, typename U>
void Converted(Which which) {
  InBlock([which](LocalTensor<float> *t) {
    const auto a = t[0].ReinterpretCast<U>(), b = t[1].ReinterpretCast<U>();
    const auto c = t[2].ReinterpretCast<T>();
    constexpr uint32_t lanes = 256 / sizeof(U), narrow = 32 / sizeof(T), wide = 32 / sizeof(U);
    const auto right = [&](uint32_t to, uint32_t from) {
      const double want = Narrowed<T>(Narrowed<U>(Plain(which, a.GetValue(from), b.GetValue(from))));
      CHECK_EQ(Number(c.GetValue(to)), want);
    };
    FillSamples(a, 1024, 3);
    FillSamples(b, 1024, 8);
    FillSamples(c, 2048, 5);
    Settle();
    for (const uint32_t n : {1u, 7u, 600u, 1024u}) {
      Settle();
      Fused(which, c, a, b, n);
      Settle();
      for (uint32_t i = 0; i < n; i++)
        right(i, i);
    }
    // Three repeats, the destination's apart; 21 lanes of each.
    const auto step = static_cast<uint8_t>(lanes / narrow + 1);
    FillSamples(c, 2048, 5);
    Settle();
    Fused(which, c, a, b, uint64_t{21}, static_cast<uint8_t>(3), BinaryRepeatParams(1, 1, 1, step, 8, 8));
    Settle();
    for (uint32_t i = 0; i < 3 * lanes; i++) {
      const uint32_t to = i / lanes * step * narrow + i % lanes;
      if (i % lanes < 21)
        right(to, i);
      else
        CHECK_EQ(Number(c.GetValue(to)), Number(Sample<T>(to, 5)));
    }
    // Lanes as bits, blocks of the first source two apart.
    uint64_t bits[2] = {0x5555555555555555, sizeof(U) == 2 ? 0x3333333333333333 : 0};
    Settle();
    Fused(which, c, a, a, bits, static_cast<uint8_t>(1), BinaryRepeatParams(1, 2, 2, 8, 16, 16));
    Settle();
    for (uint32_t i = 0; i < lanes; i++) {
      const U x = a.GetValue(i / wide * 2 * wide + i % wide);
      if (bits[i / 64] >> (i % 64) & 1)
        CHECK_EQ(Number(c.GetValue(i)), Narrowed<T>(Narrowed<U>(Plain(which, x, x))));
    }
  });
}
}  // namespace

TEST(FusedResultsAreConverted) {
  Converted<half, float>(Which::kAdd);
  Converted<int8_t, half>(Which::kAdd);
  Converted<half, float>(Which::kSub);
  Converted<int8_t, half>(Which::kSub);
  Converted<int8_t, half>(Which::kMul);
  Converted<uint8_t, half>(Which::kMul);
}

TEST(FusedSumsAreScaled) {
  InBlock([](LocalTensor<float> *t) {
    const auto a = t[0].ReinterpretCast<int32_t>(), b = t[1].ReinterpretCast<int32_t>();
    const auto c = t[2].ReinterpretCast<half>();
    FillSamples(a, 512, 3);
    FillSamples(b, 512, 8);
    SetDeqScale(static_cast<half>(0.25F));
    Settle();
    AddDeqRelu(c, a, b, 300);
    AddDeqRelu(c[512], a, b, uint64_t{64}, static_cast<uint8_t>(2), BinaryRepeatParams(1, 1, 1, 4, 8, 8));
    SetDeqScale(static_cast<half>(1.0F));
    Settle();
    for (uint32_t i = 0; i < 300; i++) {
      const double want = Narrowed<half>(Plain(Which::kAdd, a.GetValue(i), b.GetValue(i)) / 4);
      CHECK_EQ(Number(c.GetValue(i)), want);
      if (i < 128)
        CHECK_EQ(Number(c.GetValue(512 + i)), want);
    }
  });
}

TEST(FusedProductsWithANumber) {
  InBlock([](LocalTensor<float> *t) {
    static constexpr BinaryConfig kFirst = {0};
    const auto c = t[2].ReinterpretCast<half>();
    FillSamples(t[0], 512, 3);
    t[1].SetValue(0, 1.5F);
    Settle();
    FusedMulsCast(c, t[0], 1.5F, 300u);
    FusedMulsCast(c[1024], t[0], t[1], 300u);
    FusedMulsCast<BinaryDefaultType, BinaryDefaultType, kFirst>(c[2048], 1.5F, t[0], 300u);
    Settle();
    for (uint32_t i = 0; i < 300; i++) {
      const double want = Narrowed<half>(1.5 * Number(t[0].GetValue(i)));
      for (const uint32_t from : {0u, 1024u, 2048u})
        CHECK_EQ(Number(c.GetValue(from + i)), want);
    }
  });
}

TEST(FusedBlocksByPlace) {
  InBlock([](LocalTensor<float> *t) {
    const auto offsets = t[1].ReinterpretCast<uint32_t>();
    FillSamples(t[0], 512, 3);
    FillSamples(t[2], 1024, 9);
    for (uint32_t i = 0; i < 24; i++)
      offsets.SetValue(i, (i * 7 % 40) * 32);
    Settle();
    Gatherb(t[2], t[0], offsets, 3, GatherRepeatParams(2, 17));
    Settle();
    for (uint32_t i = 0; i < 24; i++) {
      for (uint32_t k = 0; k < 8; k++) {
        const uint32_t to = (i / 8 * 17 + i % 8 * 2) * 8 + k;
        CHECK_EQ(t[2].GetValue(to), Sample<float>(i * 7 % 40 * 8 + k, 3));
        if (to + 8 < (i / 8 * 17 + 16) * 8)
          CHECK_EQ(t[2].GetValue(to + 8), Sample<float>(to + 8, 9));
      }
    }
  });
}

TEST(FusedTruthValues) {
  InBlock([](LocalTensor<float> *t) {
    const auto c = t[2].ReinterpretCast<bool>();
    const auto d = t[3].ReinterpretCast<bool>();
    for (uint32_t i = 0; i < 100; i++) {
      t[0].SetValue(i, i % 2 ? -0.5F : 0.0F);
      t[1].SetValue(i, i % 3 ? 2.0F : -0.0F);
    }
    Settle();
    LogicalAnd(c, t[0], t[1], 100u);
    LogicalOr(d, t[0], t[1], 100u);
    Settle();
    for (uint32_t i = 0; i < 100; i++) {
      CHECK_EQ(c.GetValue(i), i % 2 && i % 3);
      CHECK_EQ(d.GetValue(i), i % 2 || i % 3);
    }
  });
}

TEST(FusedCompareRegister) {
  InBlock([](LocalTensor<float> *t) {
    const auto bits = t[2].ReinterpretCast<uint64_t>();
    FillSamples(t[0], 64, 3);
    FillSamples(t[1], 64, 8);
    bits.SetValue(0, 0xf0f0f0f0f0f0f0f0);
    bits.SetValue(1, 0);
    Settle();
    SetCmpMask(bits);
    Select<float, SELMODE::VSEL_CMPMASK_SPR>(t[3], t[0], t[1], 1, BinaryRepeatParams());
    GetCmpMask(bits[2]);
    Settle();
    CHECK_EQ(bits.GetValue(2), 0xf0f0f0f0f0f0f0f0);
    for (uint32_t i = 0; i < 64; i++)
      CHECK_EQ(t[3].GetValue(i), (i % 8 >= 4 ? t[0] : t[1]).GetValue(i));
    float largest = 0, alone = 0;
    float place = 0;
    Settle();
    WholeReduceMax(t[3], t[0], 64, 1, 1, 1, 8);
    Settle();
    GetReduceRepeatMaxMinSpr(largest, place);
    GetReduceRepeatMaxMinSpr(alone);
    CHECK_EQ(largest, t[3].GetValue(0));
    CHECK_EQ(alone, largest);
  });
}

TEST(FusedSlices) {
  static float in[3 * 96], out[2 * 64];
  for (uint32_t i = 0; i < 3 * 96; i++)
    in[i] = static_cast<float>(i);
  InBlock([](LocalTensor<float> *t) {
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer(in, 3 * 96);
    to.SetGlobalBuffer(out, 2 * 64);
    // Of rows 0 and 2 the elements 16..39 and 47..70.
    const SliceInfo source[] = {{16, 70, 7, 3, 96}, {0, 2, 1, 1, 3}};
    const SliceInfo packed[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
    const SliceInfo wide[] = {{8, 55, 0, 3, 64}, {0, 1, 0, 1, 2}};
    DataCopy(t[0], from, packed, source, 2);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(to, t[0], wide, packed, 2);
    PipeBarrier<PIPE_ALL>();
  });
  for (uint32_t row = 0; row < 2; row++) {
    for (uint32_t i = 0; i < 64; i++) {
      const uint32_t place = i - 8;
      const bool inside = i >= 8 && i < 56;
      const uint32_t from = row * 2 * 96 + (place < 24 ? 16 + place : 47 + place - 24);
      CHECK_EQ(out[row * 64 + i], inside ? static_cast<float>(from) : 0.0F);
    }
  }
}

TEST(FusedOutOfFractals) {
  static half out[2 * 20 * 50];
  InBlock([](LocalTensor<float> *t) {
    const auto nz = t[0].ReinterpretCast<half>();
    // Two matrices of 20 x 40, each in three columns of 32 rows of 16.
    for (uint32_t i = 0; i < 2 * 3 * 32 * 16; i++)
      nz.SetValue(i, static_cast<half>(static_cast<float>(i % 1999)));
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    GlobalTensor<half> to;
    to.SetGlobalBuffer(out, 2 * 20 * 50);
    DataCopy(to, nz, Nz2NdParamsFull(2, 20, 40, 6, 32, 50, 1000));
    PipeBarrier<PIPE_ALL>();
  });
  for (uint32_t i = 0; i < 2 * 20 * 50; i++) {
    const uint32_t matrix = i / 1000, row = i % 1000 / 50, column = i % 50;
    const uint32_t from = matrix * 1536 + column / 16 * 512 + row * 16 + column % 16;
    CHECK_EQ(Number(out[i]), column < 40 ? static_cast<double>(from % 1999) : 0.0);
  }
}

TEST(FusedGradientOfSoftmax) {
  struct {
    uint32_t srcM, srcK;
  } tiling = {3, 40};
  InBlock([&](LocalTensor<float> *t) {
    FillSamples(t[0], 120, 3);
    FillSamples(t[1], 120, 8);
    Settle();
    SoftmaxGrad<float>(t[2], t[0], t[1], tiling, false, {3, 40, 3, 36});
    SoftmaxGrad<float>(t[3], t[0], t[1], tiling, true);
    Settle();
    for (uint32_t row = 0; row < 3; row++) {
      double sum = 0, whole = 0;
      for (uint32_t i = 0; i < 40; i++) {
        const double x = Number(t[0].GetValue(row * 40 + i)) * Number(t[1].GetValue(row * 40 + i));
        sum += i < 36 ? x : 0;
        whole += x;
      }
      for (uint32_t i = 0; i < 36; i++) {
        const double y = Number(t[1].GetValue(row * 40 + i));
        CHECK(std::fabs(t[2].GetValue(row * 40 + i) - (Number(t[0].GetValue(row * 40 + i)) - sum) * y) <
              1e-3);
      }
      for (uint32_t i = 0; i < 8; i++)
        CHECK(std::fabs(t[3].GetValue(row * 8 + i) - whole) < 1e-3);
    }
  });
}

TEST(FusedAxesChangePlaces) {
  InBlock([](LocalTensor<float> *t) {
    const auto work = t[3].ReinterpretCast<uint8_t>();
    FillSamples(t[0], 2 * 3 * 40, 3);
    Settle();
    Transpose(t[1], t[0], work, TransposeParamsExt(2, 3, 5, 8, TransposeType::TRANSPOSE_NCHW2NHWC));
    PipeBarrier<PIPE_V>();
    Transpose(t[2], t[1], work, TransposeParamsExt(2, 3, 5, 8, TransposeType::TRANSPOSE_NHWC2NCHW));
    Settle();
    for (uint32_t i = 0; i < 2 * 3 * 40; i++) {
      const uint32_t image = i / 120, channel = i % 120 / 40, place = i % 40;
      CHECK_EQ(t[1].GetValue(image * 120 + place * 3 + channel), t[0].GetValue(i));
      CHECK_EQ(t[2].GetValue(i), t[0].GetValue(i));
    }
  });
}
// SPDX-License-Identifier: Apache-2.0
