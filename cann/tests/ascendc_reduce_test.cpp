// Reductions beside plain loops: all forms, element types, masks, strides and tails.
#include <cmath>
#include <limits>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

using namespace AscendC;

namespace {
constexpr int kMost = 1024;
const float *g_in;
float *g_out;

// One block: what `body` does with a tensor of inputs and one of outputs.
template <typename Body>
void InKernel(const std::vector<float> &in, std::vector<float> &out, Body body) {
  static Body *now;
  now = &body;
  g_in = in.data();
  g_out = out.data();
  static uint32_t n_in, n_out;
  n_in = static_cast<uint32_t>(in.size());
  n_out = static_cast<uint32_t>(out.size());
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b, c;
    pipe.InitBuffer(a, kMost * 4);
    pipe.InitBuffer(b, kMost * 4);
    pipe.InitBuffer(c, kMost * 4);
    LocalTensor<float> x = a.Get<float>(), y = b.Get<float>(), work = c.Get<float>();
    for (uint32_t i = 0; i < n_in; i++)
      x.SetValue(i, g_in[i]);
    for (uint32_t i = 0; i < n_out; i++)
      y.SetValue(i, -1.0f);
    PipeBarrier<PIPE_ALL>();
    (*now)(y, x, work);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < n_out; i++)
      g_out[i] = y.GetValue(i);
  };
  CHECK_EQ(weft_asc::call("reduce", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(), 0);
}

std::vector<float> Ramp(size_t n) {
  std::vector<float> x(n);
  for (size_t i = 0; i < n; i++)
    x[i] = static_cast<float>((i * 37) % 101) - 50.0f;
  return x;
}
float SumOf(const float *x, size_t n) {
  float sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += x[i];
  return sum;
}
uint32_t BitsOf(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}
}  // namespace

TEST(ReduceOfAll) {
  for (const int n : {1, 7, 64, 65, 1000}) {
    const std::vector<float> x = Ramp(static_cast<size_t>(n));
    std::vector<float> y(4);
    InKernel(x, y, [n](LocalTensor<float> &out, LocalTensor<float> &in, LocalTensor<float> &work) {
      ReduceSum(out, in, work, n);
      ReduceMax(out[2], in, work, n, true);
    });
    size_t best = 0;
    for (size_t i = 0; i < x.size(); i++)
      best = x[i] > x[best] ? i : best;
    CHECK_EQ(y[0], SumOf(x.data(), x.size()));  // small whole numbers: any order gives the same
    CHECK_EQ(y[1], -1.0f);
    CHECK_EQ(y[2], x[best]);
    CHECK_EQ(BitsOf(y[3]), static_cast<uint32_t>(best));
  }
}

// Wherever the first one stands, and whatever stands behind it.
TEST(ReducePlaces) {
  for (const size_t n : {3, 16, 70, 131, 256}) {
    for (size_t place = 0; place < n; place += n / 3 + 5) {
      std::vector<float> x(n, 1.0f), y(6);
      for (size_t i = place; i < n; i += 2)
        x[i] = 3.0f;
      x[n - 1] = place + 1 == n ? 3.0f : -0.0f;
      if (place)
        x[place - 1] = 0.0f;
      InKernel(x, y, [n](LocalTensor<float> &out, LocalTensor<float> &in, LocalTensor<float> &work) {
        ReduceMax(out, in, work, static_cast<int32_t>(n), true);
        ReduceMin(out[2], in, work, static_cast<int32_t>(n), true);
        float value = 0, where = 0;
        ReduceMax(out[4], in, work, static_cast<int32_t>(n));
        PipeBarrier<PIPE_ALL>();
        GetReduceMaxMinCount(value, where);
        out.SetValue(5, value + static_cast<float>(BitsOf(where)));
      });
      CHECK_EQ(y[0], 3.0f);
      CHECK_EQ(BitsOf(y[1]), static_cast<uint32_t>(place));
      size_t least = 0;
      for (size_t i = 0; i < n; i++)
        least = x[i] < x[least] ? i : least;
      CHECK_EQ(BitsOf(y[3]), static_cast<uint32_t>(least));
      CHECK_EQ(y[5], 3.0f + static_cast<float>(place));
    }
  }
}

TEST(ReduceNanAndInfinity) {
  std::vector<float> x = Ramp(40), y(4);
  x[9] = std::numeric_limits<float>::infinity();
  x[33] = std::numeric_limits<float>::quiet_NaN();
  InKernel(x, y, [](LocalTensor<float> &out, LocalTensor<float> &in, LocalTensor<float> &work) {
    ReduceMax(out, in, work, 40, true);
    ReduceMin(out[2], in, work, 30, true);
  });
  CHECK_EQ(std::isnan(y[0]), true);
  CHECK_EQ(BitsOf(y[1]), 33u);
  CHECK_EQ(std::isfinite(y[2]), true);
}

TEST(ReduceOfRepeats) {
  const std::vector<float> x = Ramp(512);
  std::vector<float> y(64);
  InKernel(x, y, [](LocalTensor<float> &out, LocalTensor<float> &in, LocalTensor<float> &work) {
    (void)work;
    WholeReduceSum(out, in, 64, 4, 1, 1, 8);                                     // 0..3
    WholeReduceSum(out[8], in, 10, 4, 2, 1, 16);                                 // 8, 10, 12, 14
    WholeReduceMax(out[16], in, 64, 4, 1, 1, 8);                                 // 16..23, value and place
    WholeReduceMin(out[24], in, 64, 4, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);  // 24..27
    BlockReduceSum(out[32], in, 2, 64, 1, 1, 8);                                 // 32..47
    const uint64_t odd[2] = {0xAAAAAAAAAAAAAAAA, 0};
    WholeReduceSum(out[48], in, odd, 1, 1, 1, 8);
  });
  for (size_t r = 0; r < 4; r++) {
    const float *repeat = &x[r * 64];
    size_t best = 0, least = 0;
    for (size_t i = 0; i < 64; i++) {
      best = repeat[i] > repeat[best] ? i : best;
      least = repeat[i] < repeat[least] ? i : least;
    }
    CHECK_EQ(y[r], SumOf(repeat, 64));
    CHECK_EQ(y[8 + 2 * r], SumOf(&x[r * 128], 10));
    CHECK_EQ(y[16 + 2 * r], repeat[best]);
    CHECK_EQ(BitsOf(y[17 + 2 * r]), static_cast<uint32_t>(best));
    CHECK_EQ(y[24 + r], repeat[least]);
  }
  for (size_t block = 0; block < 16; block++)
    CHECK_EQ(y[32 + block], SumOf(&x[block * 8], 8));
  float odd = 0;
  for (size_t i = 1; i < 64; i += 2)
    odd += x[i];
  CHECK_EQ(y[48], odd);
}

TEST(ReduceOfPairsAndTypes) {
  const std::vector<float> x = Ramp(256);
  std::vector<float> y(160);
  InKernel(x, y, [](LocalTensor<float> &out, LocalTensor<float> &in, LocalTensor<float> &work) {
    PairReduceSum(out, in, 64, 2, 1, 1, 8);  // 0..63
    LocalTensor<half> h = work.ReinterpretCast<half>();
    Cast(h, in, RoundMode::CAST_NONE, 256);
    LocalTensor<half> r = work[512].ReinterpretCast<half>();
    WholeReduceSum(r, h, 128, 2, 1, 1, 8);
    Cast(out[64], r, RoundMode::CAST_NONE, 2);
    LocalTensor<int32_t> whole = work.ReinterpretCast<int32_t>();
    Cast(whole, in, RoundMode::CAST_RINT, 256);
    LocalTensor<int32_t> most = work[512].ReinterpretCast<int32_t>();
    ReduceMax(most, whole, whole, 256);
    Cast(out[72], most, RoundMode::CAST_NONE, 1);
    const uint32_t shape[2] = {16, 16};
    ReduceSum<float, Pattern::Reduce::AR>(out[80], in, shape, true);   // 80..95
    ReduceSum<float, Pattern::Reduce::RA>(out[96], in, shape, true);   // 96..111
    ReduceMax<float, Pattern::Reduce::RA>(out[112], in, shape, true);  // 112..127
  });
  for (size_t i = 0; i < 64; i++)
    CHECK_EQ(y[i], x[2 * i] + x[2 * i + 1]);
  CHECK_EQ(y[64], SumOf(x.data(), 128));
  CHECK_EQ(y[65], SumOf(&x[128], 128));
  float best = x[0];
  for (const float v : x)
    best = v > best ? v : best;
  CHECK_EQ(y[72], best);
  for (size_t r = 0; r < 16; r++) {
    float column = 0, most = x[r];
    for (size_t i = 0; i < 16; i++) {
      column += x[i * 16 + r];
      most = x[i * 16 + r] > most ? x[i * 16 + r] : most;
    }
    CHECK_EQ(y[80 + r], SumOf(&x[r * 16], 16));
    CHECK_EQ(y[96 + r], column);
    CHECK_EQ(y[112 + r], most);
  }
}
// SPDX-License-Identifier: Apache-2.0
