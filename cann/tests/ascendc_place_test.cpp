// Elements by place, the library's mathematics and the scalar helpers, beside plain loops.
#include <cmath>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

using namespace AscendC;

namespace {
// 1024 floats in, out and for work, in one block; what is not written stays 0.
using Body = void (*)(LocalTensor<float> &out, LocalTensor<float> &in, LocalTensor<float> &work);
std::vector<float> g_out;
std::vector<float> g_in;
Body g_body;
void kernel_body() {
  TPipe pipe;
  TBuf<TPosition::VECCALC> a, b, c;
  pipe.InitBuffer(a, 4096);
  pipe.InitBuffer(b, 4096);
  pipe.InitBuffer(c, 4096);
  LocalTensor<float> x = a.Get<float>(), y = b.Get<float>(), work = c.Get<float>();
  Duplicate(y, 0.0f, 1024);
  Duplicate(work, 0.0f, 1024);
  PipeBarrier<PIPE_ALL>();
  for (uint32_t i = 0; i < 1024; i++)
    x.SetValue(i, g_in[i]);
  PipeBarrier<PIPE_ALL>();
  g_body(y, x, work);
  PipeBarrier<PIPE_ALL>();
  for (uint32_t i = 0; i < 1024; i++)
    g_out[i] = y.GetValue(i);
}
const std::vector<float> &Run(Body body) {
  g_in.resize(1024);
  for (size_t i = 0; i < 1024; i++)
    g_in[i] = static_cast<float>(i) / 64.0f - 4.0f;
  g_out.assign(1024, 0);
  g_body = body;
  const int rc = weft_asc::call("place", __FILE__, __LINE__, kernel_body, 1, nullptr, nullptr)();
  if (rc)
    std::cerr << weft_asc_error() << "\n";
  CHECK_EQ(rc, 0);
  return g_out;
}
bool Near(float a, float b) {
  return std::fabs(a - b) <= 2e-6f * (1 + std::fabs(b));
}
}  // namespace

TEST(BrcbAndIndex) {
  const auto &y = Run([](LocalTensor<float> &out, LocalTensor<float> &in, LocalTensor<float> &) {
    Brcb(out, in, 2, BrcbRepeatParams(1, 8));
    LocalTensor<int32_t> places = out[256].ReinterpretCast<int32_t>();
    CreateVecIndex(places, 5, 100);
  });
  for (size_t i = 0; i < 128; i++)
    CHECK_EQ(y[i], g_in[i / 8]);
  int32_t place;
  memcpy(&place, &y[256 + 99], 4);
  CHECK_EQ(place, 104);
}

TEST(GatherAndScatter) {
  const auto &y = Run([](LocalTensor<float> &out, LocalTensor<float> &in, LocalTensor<float> &work) {
    LocalTensor<uint32_t> places = work.ReinterpretCast<uint32_t>();
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 64; i++)
      places.SetValue(i, (i * 7 % 64) * 4);
    PipeBarrier<PIPE_ALL>();
    Gather(out, in, places, 0, 64u);
    Scatter(out[128], in, places, 0, 64u);
    Gather(out[256], in, places, 64, uint64_t{8}, uint8_t{1}, uint16_t{8});
  });
  for (size_t i = 0; i < 64; i++) {
    CHECK_EQ(y[i], g_in[i * 7 % 64]);
    CHECK_EQ(y[128 + i * 7 % 64], g_in[i]);
    CHECK_EQ(y[256 + i], i < 8 ? g_in[i * 7 % 64 + 16] : 0.0f);
  }
}

TEST(GatherMaskPatterns) {
  const auto &y = Run([](LocalTensor<float> &out, LocalTensor<float> &in, LocalTensor<float> &work) {
    uint64_t n = 0;
    GatherMask(out, in, uint8_t{1}, false, 0, GatherMaskParams(1, 2, 8, 0), n);
    ascendc_assert(n == 64);
    GatherMask(out[128], in, uint8_t{6}, true, 10, GatherMaskParams(1, 1, 8, 0), n);
    ascendc_assert(n == 2);
    LocalTensor<uint32_t> bits = work.ReinterpretCast<uint32_t>();
    Duplicate(bits, 0x10000001u, 8);
    GatherMask(out[256], in, bits, true, 64, GatherMaskParams(1, 1, 8, 0), n);
    ascendc_assert(n == 4);
    DeInterleave(out[512], out[768], in, in[64], 64);
    Interleave(out[576], out[640], out[512], out[768], 64);
  });
  for (size_t i = 0; i < 64; i++)
    CHECK_EQ(y[i], g_in[2 * i]);
  CHECK_EQ(y[128], g_in[3]);
  CHECK_EQ(y[129], g_in[7]);
  CHECK_EQ(y[257], g_in[28]);
  CHECK_EQ(y[258], g_in[32]);
  for (size_t i = 0; i < 64; i++) {
    CHECK_EQ(y[512 + i], g_in[2 * i]);
    CHECK_EQ(y[768 + i], g_in[2 * i + 1]);
    CHECK_EQ(y[576 + i], g_in[i]);
  }
}

TEST(Transposition) {
  const auto &y = Run([](LocalTensor<float> &out, LocalTensor<float> &in, LocalTensor<float> &work) {
    LocalTensor<half> from = work.ReinterpretCast<half>(), to = work[256].ReinterpretCast<half>();
    Cast(from, in, RoundMode::CAST_NONE, 256);
    Transpose(to, from);
    Cast(out, to, RoundMode::CAST_NONE, 256);
    LocalTensor<float> rows[16], columns[16];
    for (uint32_t i = 0; i < 16; i++) {
      rows[i] = in[i * 8];
      columns[i] = out[256 + i * 8];
    }
    TransDataTo5HD<float>(columns, rows, TransDataTo5HDParams());
  });
  for (size_t i = 0; i < 16; i++) {
    for (size_t j = 0; j < 16; j++)
      CHECK_EQ(y[i * 16 + j], static_cast<float>(half(g_in[j * 16 + i])));
    for (size_t j = 0; j < 8; j++)
      CHECK_EQ(y[256 + j * 16 + i], g_in[i * 8 + j]);
  }
}

// The generator's published answers: counter and key of zeros, counter and key of ones, ten rounds; and
// zeros, seven rounds.
TEST(RandomNumbers) {
  const auto &y = Run([](LocalTensor<float> &out, LocalTensor<float> &, LocalTensor<float> &) {
    constexpr uint32_t kOnes = 0xffffffffu;
    LocalTensor<uint32_t> bits = out.ReinterpretCast<uint32_t>();
    PhiloxRandom<10>(bits, {0, 0}, {0, 0, 0, 0}, 7);
    PhiloxRandom<10>(bits[8], {kOnes, kOnes}, {kOnes, kOnes, kOnes, kOnes}, 4);
    PhiloxRandom(bits[16], {0, 0}, {0, 0, 0, 0}, 4);
    PhiloxRandom<10>(bits[32], {0, 0}, {kOnes, kOnes, kOnes, kOnes}, 8);
    PhiloxRandom<10>(out[24], {0, 0}, {0, 0, 0, 0}, 4);
  });
  const auto bits = [&](size_t i) {
    uint32_t u;
    memcpy(&u, &y[i], sizeof u);
    return u;
  };
  const uint32_t zeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  const uint32_t ones[] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  const uint32_t seven[] = {0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48};
  for (size_t i = 0; i < 4; i++) {
    CHECK_EQ(bits(i), zeros[i]);
    CHECK_EQ(bits(8 + i), ones[i]);
    CHECK_EQ(bits(36 + i), zeros[i]);  // the counter begins anew
    CHECK_EQ(bits(16 + i), seven[i]);
    CHECK_EQ(y[24 + i], static_cast<float>(zeros[i] >> 8) * 0x1p-24f);
  }
}

TEST(Mathematics) {
  const auto &y = Run([](LocalTensor<float> &out, LocalTensor<float> &in, LocalTensor<float> &work) {
    LocalTensor<uint8_t> tmp = work.ReinterpretCast<uint8_t>();
    Sin(out, in, tmp, 64);
    Tanh(out[64], in, 64);
    Erf(out[128], in, tmp, 64);
    Floor(out[192], in, 64);
    Power(out[256], in[512], 2.0f, 64);
    Sigmoid(out[320], in, tmp, 64);
    Round(out[384], in, 64);
    Log(out[448], in[320], 64);
    SoftMaxShapeInfo shape{4, 16, 4, 10};
    SoftMax<float>(out[512], in, shape, shape);
    Mean<float>(out[640], in, MeanParams{2, 32, 20});
  });
  for (size_t i = 0; i < 64; i++) {
    const float x = g_in[i];
    CHECK_EQ(Near(y[i], std::sin(x)), true);
    CHECK_EQ(Near(y[64 + i], std::tanh(x)), true);
    CHECK_EQ(Near(y[128 + i], std::erf(x)), true);
    CHECK_EQ(y[192 + i], std::floor(x));
    CHECK_EQ(Near(y[256 + i], g_in[512 + i] * g_in[512 + i]), true);
    CHECK_EQ(Near(y[320 + i], 1 / (1 + std::exp(-x))), true);
    CHECK_EQ(y[384 + i], std::nearbyint(x));
    CHECK_EQ(Near(y[448 + i], std::log(g_in[320 + i])), true);
  }
  for (size_t r = 0; r < 4; r++) {
    double sum = 0;
    for (size_t i = 0; i < 10; i++)
      sum += std::exp(static_cast<double>(g_in[r * 16 + i]));
    for (size_t i = 0; i < 10; i++)
      CHECK_EQ(Near(y[512 + r * 16 + i],
                    static_cast<float>(std::exp(static_cast<double>(g_in[r * 16 + i])) / sum)),
               true);
  }
  float mean = 0;
  for (size_t i = 0; i < 20; i++)
    mean += g_in[32 + i];
  CHECK_EQ(Near(y[641], mean / 20), true);
}

TEST(Scalars) {
  CHECK_EQ(ScalarGetCountOfValue<1>(0xF0F0), 8);
  CHECK_EQ(ScalarCountLeadingZero(1), 63);
  CHECK_EQ(ScalarGetSFFValue<1>(8), 3);
  CHECK_EQ((ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(1.25f)), 2);
  CHECK_EQ((ScalarCast<float, int32_t, RoundMode::CAST_RINT>(2.5f)), 2);
  for (const uint32_t divisor : {1u, 2u, 3u, 7u, 255u, 65537u, 0x7fffffffu}) {
    uint32_t magic, shift;
    GetUintDivMagicAndShift(magic, shift, divisor);
    for (const uint32_t x : {0u, 1u, 6u, 12345u, 0x7fffffffu, 0xffffffffu})
      CHECK_EQ(Simt::UintDiv(x, magic, shift), x / divisor);
  }
  CHECK_EQ(static_cast<float>(NumericLimits<half>::Max()), 65504.0f);
  CHECK_EQ(std::isinf(static_cast<float>(NumericLimits<bfloat16_t>::Infinity())), true);
  uint64_t dims[] = {2, 3};
  float data[6];
  uint64_t list[] = {4 * 8, 2, 2, 3, reinterpret_cast<uint64_t>(data)};
  ListTensorDesc tensors(list);
  CHECK_EQ(tensors.GetSize(), 1u);
  CHECK_EQ(tensors.GetDataPtr<float>(0) == data, true);
  TensorDesc<float> desc;
  uint64_t shape[2];
  desc.SetShapeAddr(shape);
  tensors.GetDesc(desc, 0);
  CHECK_EQ(desc.GetDim(), 2u);
  CHECK_EQ(desc.GetShape(1), dims[1]);
}

// A row or a column as often as the target has it, and lists of numbers with a step.
TEST(BroadcastsAndProgressions) {
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 4096);
    pipe.InitBuffer(b, 4096);
    LocalTensor<float> x = a.Get<float>();
    LocalTensor<float> y = b.Get<float>();
    ArithProgression(x, 3.0f, 0.5f, 16);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 16; i++)
      CHECK_EQ(x.GetValue(i), 3.0f + 0.5f * static_cast<float>(i));
    PipeBarrier<PIPE_ALL>();
    const uint32_t to[2] = {5, 8}, column[2] = {5, 1}, row[2] = {1, 8};
    BroadCast<float, 2, 1>(y, x, to, column);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 40; i++)
      CHECK_EQ(y.GetValue(i), x.GetValue(i / 8));
    PipeBarrier<PIPE_ALL>();
    Broadcast<float, 2, 0>(y, x, to, row, x.ReinterpretCast<uint8_t>());
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 40; i++)
      CHECK_EQ(y.GetValue(i), x.GetValue(i % 8));
    PipeBarrier<PIPE_ALL>();
    const uint32_t many[1] = {21}, one[1] = {1};
    BroadCast<float, 1, 0>(y, x, many, one);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 21; i++)
      CHECK_EQ(y.GetValue(i), 3.0f);
    CHECK_EQ(static_cast<int>(g_coreType), static_cast<int>(AIV));
  };
  CHECK_EQ(weft_asc::call("broadcast", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(), 0);
}

// What kernels have at hand without a name in front, and tables of halves.
TEST(ScalarsOfTheCompiler) {
  static constexpr half kTable[] = {0, 1, 2048, 65504};
  static constexpr bfloat16_t kOther[] = {-2, 1.5f};
  CHECK_EQ(static_cast<float>(kTable[3]), 65504.0f);
  CHECK_EQ(static_cast<float>(kOther[1]), 1.5f);
  CHECK_EQ(::min(3u, 4), 3u);
  CHECK_EQ(::max(-1, 2), 2);
  CHECK(::GetTPipePtr() == nullptr);
  CHECK_EQ(GetBitCount<1>(0xf0), 4);
  CHECK_EQ(CountLeadingZero(1), 63);
  CHECK_EQ(GetSFFValue<0>(7), 3);
}

TEST(AssertionsEndTheLaunch) {
  void (*kernel)() = [] { ASSERT(GetBlockNum() == 2 && "two blocks"); };
  CHECK_EQ(weft_asc::call("asserts", __FILE__, __LINE__, kernel, 2, nullptr, nullptr)(), 0);
  CHECK(weft_asc::call("asserts", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)() != 0);
  CHECK(strstr(weft_asc_error(), "assertion failed: GetBlockNum() == 2"));
}

// Two matrices of 5 rows and 20 halves become fractals, from global memory and within the chip.
TEST(FractalsOfRows) {
  static half in[2 * 5 * 32];
  for (uint32_t i = 0; i < 320; i++)
    in[i] = static_cast<half>(static_cast<int>(i));
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 4096);
    pipe.InitBuffer(b, 4096);
    LocalTensor<half> x = a.Get<half>();
    LocalTensor<half> y = b.Get<half>();
    GlobalTensor<half> g;
    g.SetGlobalBuffer(in, 320);
    Duplicate(y, static_cast<half>(-1), 2048);
    PipeBarrier<PIPE_ALL>();
    DataCopy(x, g, 320);
    // rows of a column of blocks lie 2 blocks apart, columns of blocks 16 blocks, matrices 1024 halves
    const Nd2NzParams p(2, 5, 20, 160, 32, 16, 2, 1024);
    DataCopy(y, g, p);
    PipeBarrier<PIPE_ALL>();
    for (int round = 0; round < 2; round++) {
      for (uint32_t m = 0; m < 2; m++) {
        for (uint32_t n = 0; n < 5; n++) {
          for (uint32_t d = 0; d < 32; d++) {
            const uint32_t place = m * 1024 + ((d / 16) * 16 + n * 2) * 16 + d % 16;
            const float wanted = d < 20 ? static_cast<float>(m * 160 + n * 32 + d) : 0.0f;
            CHECK_EQ(static_cast<float>(y.GetValue(place)), wanted);
          }
        }
      }
      CHECK_EQ(static_cast<float>(y.GetValue(16)), -1.0f);  // between rows
      PipeBarrier<PIPE_ALL>();
      DataCopy(y, x, p);
      PipeBarrier<PIPE_ALL>();
    }
  };
  CHECK_EQ(weft_asc::call("fractals", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(), 0);
}

TEST(OperatorsOfTensors) {
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[3];
    for (TBuf<TPosition::VECCALC> &b : buffers)
      pipe.InitBuffer(b, 256);
    LocalTensor<float> x = buffers[0].Get<float>(), y = buffers[1].Get<float>(), z = buffers[2].Get<float>();
    LocalTensor<int32_t> whole = buffers[1].Get<int32_t>();
    ArithProgression(x, 0.0f, 1.0f, 64);
    Duplicate(y, 20.0f, 64);
    z = x * y;
    z = z + x;
    LocalTensor<uint8_t> bits = buffers[2].Get<uint8_t>();
    PipeBarrier<PIPE_ALL>();
    CHECK_EQ(z.GetValue(5), 105.0f);
    PipeBarrier<PIPE_ALL>();
    Duplicate(y, 20.0f, 64);
    PipeBarrier<PIPE_V>();
    bits = x >= y;
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 64; i++)
      CHECK_EQ(bits.GetValue(i / 8) >> i % 8 & 1, i >= 20);
    PipeBarrier<PIPE_ALL>();
    // the factor of casts from int32_t to half
    Duplicate(whole, 6, 16);
    SetDeqScale(static_cast<half>(0.25f));
    PipeBarrier<PIPE_ALL>();
    Cast(x.ReinterpretCast<half>(), whole, RoundMode::CAST_NONE, 16);
    PipeBarrier<PIPE_ALL>();
    CHECK_EQ(static_cast<float>(x.ReinterpretCast<half>().GetValue(15)), 1.5f);
  };
  CHECK_EQ(weft_asc::call("operators", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(), 0);
}

// A limit as a number and as what fills a tensor, the control register, comparisons that name the result's
// type first.
template <typename T, void (*fill)(const LocalTensor<T> &, uint32_t, weft_asc_at)>
void CheckFilled(const LocalTensor<T> &x, T want) {
  Duplicate(x, static_cast<T>(1), 40);
  PipeBarrier<PIPE_ALL>();
  fill(x, 33, weft_asc::Here());
  PipeBarrier<PIPE_ALL>();
  for (uint32_t i = 0; i < 40; i++) {
    const T got = x.GetValue(i), wanted = i < 33 ? want : static_cast<T>(1);
    CHECK_EQ(memcmp(&got, &wanted, sizeof got), 0);
  }
  PipeBarrier<PIPE_ALL>();
}
#define CHECK_LIMIT(T, name) \
  CheckFilled<T, &NumericLimits<T>::name>(x.ReinterpretCast<T>(), NumericLimits<T>::name())
TEST(LimitsFill) {
  void (*kernel)() = [] {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY)  // without a semicolon, as kernels write it
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[2];
    for (TBuf<TPosition::VECCALC> &b : buffers)
      pipe.InitBuffer(b, 256);
    LocalTensor<float> x = buffers[0].Get<float>();
    CHECK_LIMIT(float, Max);
    CHECK_LIMIT(float, Lowest);
    CHECK_LIMIT(float, Min);
    CHECK_LIMIT(float, Infinity);
    CHECK_LIMIT(float, NegativeInfinity);
    CHECK_LIMIT(float, QuietNaN);
    CHECK_LIMIT(float, DeNormMin);
    CHECK_LIMIT(half, Infinity);
    CHECK_LIMIT(half, SignalingNaN);
    CHECK_LIMIT(bfloat16_t, NegativeInfinity);
    CHECK_LIMIT(int32_t, Lowest);
    CHECK_LIMIT(int16_t, Max);
    CHECK_EQ(NumericLimits<int32_t>::Max(), INT32_MAX);
    set_ctrl(sbitset1(get_ctrl(), 60));
    CHECK_EQ((GetCtrlSpr<60, 60>()), 1);
    set_ctrl(sbitset0(get_ctrl(), 60));
    CHECK_EQ((GetCtrlSpr<60, 60>()), 0);
    LocalTensor<uint8_t> bits = buffers[1].Get<uint8_t>();
    for (uint32_t i = 0; i < 64; i++)
      x.SetValue(i, static_cast<float>(i % 7));
    PipeBarrier<PIPE_ALL>();
    CompareScalar<uint8_t>(bits, x, 3, CMPMODE::GE, 64);
    Compares<uint8_t, uint8_t>(bits[32], x, 3.0f, CMPMODE::LT, 64, 1, UnaryRepeatParams(1, 1, 8, 8));
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 64; i++) {
      CHECK_EQ(bits.GetValue(i / 8) >> i % 8 & 1, i % 7 >= 3);
      CHECK_EQ(bits.GetValue(32 + i / 8) >> i % 8 & 1, i % 7 < 3);
    }
  };
  CHECK_EQ(weft_asc::call("limits", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(), 0);
}
#undef CHECK_LIMIT

// Each change gives what was there before; blocks change global memory in their order.
TEST(AtomicChanges) {
  static int32_t numbers[6];
  static int32_t before[6][6];
  const int32_t begin[6] = {5, 5, 5, 5, 5, 5};
  memcpy(numbers, begin, sizeof numbers);
  void (*kernel)() = [] {
    const auto me = static_cast<int32_t>(GetBlockIdx());
    before[me][0] = AtomicAdd(&numbers[0], me + 1);
    before[me][1] = AtomicMax(&numbers[1], 2 * me);
    before[me][2] = AtomicMin(&numbers[2], 4 - me);
    before[me][3] = AtomicExch(&numbers[3], me);
    before[me][4] = AtomicCas(&numbers[4], me ? 10 + me - 1 : 5, 10 + me);
    before[me][5] = Simt::AtomicAdd(&numbers[5], 1);
  };
  CHECK_EQ(weft_asc::call("atomics", __FILE__, __LINE__, kernel, 6, nullptr, nullptr)(), 0);
  int32_t want[6];
  memcpy(want, begin, sizeof want);
  for (int32_t b = 0; b < 6; b++) {
    for (int i = 0; i < 6; i++)
      CHECK_EQ(before[b][i], want[i]);
    want[0] += b + 1;
    want[1] = std::max(want[1], 2 * b);
    want[2] = std::min(want[2], 4 - b);
    want[3] = b;
    want[4] = 10 + b;
    want[5] += 1;
  }
  CHECK_EQ(memcmp(numbers, want, sizeof want), 0);
}
// SPDX-License-Identifier: Apache-2.0
