// Quantisation beside plain loops: one factor, one for each column, groups of rows, transposed, padded rows,
// scales of 64 bits, tails, saturation.
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

using namespace AscendC;

namespace {
// Runs `body` in a block with tensors of `bytes` each, which hold nothing.
void InBlock(const std::function<void(TBuf<TPosition::VECCALC> *)> &body) {
  static const std::function<void(TBuf<TPosition::VECCALC> *)> *now;
  now = &body;
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[4];
    for (auto &buffer : buffers)
      pipe.InitBuffer(buffer, 8192);
    (*now)(buffers);
  };
  const int rc = weft_asc::call("quant", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)();
  if (rc)
    std::cerr << weft_asc_error() << "\n";
  CHECK_EQ(rc, 0);
}
template <typename T, typename F>
LocalTensor<T> Filled(TBuf<TPosition::VECCALC> &buffer, uint32_t n, F value) {
  LocalTensor<T> t = buffer.Get<T>(n);
  for (uint32_t i = 0; i < n; i++)
    t.SetValue(i, static_cast<T>(value(i)));
  PipeBarrier<PIPE_ALL>();
  return t;
}
// The vector unit's results are read by the scalar unit.
void Done() {
  PipeBarrier<PIPE_ALL>();
}
float X(uint32_t i) {
  return static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 4;
}
float Scale(uint32_t i) {
  return 0.5F + static_cast<float>(i % 7);
}
float Offset(uint32_t i) {
  return static_cast<float>(i % 5) - 2;
}
int8_t Int8(float x) {
  x = std::nearbyint(static_cast<float>(half(x)));
  return static_cast<int8_t>(std::fmin(std::fmax(x, -128.0F), 127.0F));
}
template <typename T>
void QuantOf(uint32_t n) {
  InBlock([n](auto *b) {
    auto x = Filled<T>(b[0], n, X);
    auto y = b[1].template Get<int8_t>();
    AscendQuant<T>(y, x, 10.0F, -3.0F, n);
    Done();
    for (uint32_t i = 0; i < n; i++)
      CHECK_EQ(y.GetValue(i), Int8(X(i) * 10 - 3));
  });
}
template <typename T>
void QuantOfColumns(uint32_t rows, uint32_t columns) {
  InBlock([=](auto *b) {
    auto x = Filled<T>(b[0], rows * columns, X);
    auto scale = Filled<T>(b[1], columns, Scale);
    auto offset = Filled<T>(b[2], columns, Offset);
    auto y = b[3].template Get<int8_t>();
    AscendQuant<T>(y, x, scale, offset, columns, rows * columns);
    Done();
    for (uint32_t i = 0; i < rows * columns; i++)
      CHECK_EQ(y.GetValue(i), Int8(X(i) * Scale(i % columns) + Offset(i % columns)));
    Done();
    AscendQuant<T>(y, x, scale, static_cast<T>(2.0F), columns, rows * columns);
    Done();
    CHECK_EQ(y.GetValue(columns - 1), Int8(X(columns - 1) * Scale(columns - 1) + 2));
  });
}
template <typename T>
void DequantOf(uint32_t rows, uint32_t n, uint32_t used) {
  InBlock([=](auto *b) {
    const uint32_t in_block = 32 / sizeof(T);
    const uint32_t from = (n + 7) / 8 * 8, to = (n + in_block - 1) / in_block * in_block;
    auto x =
        Filled<int32_t>(b[0], rows * from, [](uint32_t i) { return static_cast<int32_t>(i * 37) - 300; });
    auto scale = Filled<float>(b[1], n, Scale);
    auto wide = Filled<uint64_t>(b[2], n, [](uint32_t i) {
      const float value = Scale(i);
      uint32_t bits;
      memcpy(&bits, &value, sizeof bits);
      return bits | 0xabcdull << 32;
    });
    auto y = b[3].template Get<T>();
    for (int form = 0; form < 3; form++) {
      Done();
      if (form == 0)
        AscendDequant(y, x, scale, DequantParams{rows, n, used});
      else if (form == 1)
        AscendDequant(y, x, wide, DequantParams{rows, n, used});
      else
        AscendDequant(y, x, 0.25F, DequantParams{rows, n, used});
      Done();
      for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t i = 0; i < used; i++) {
          const float value = static_cast<float>(static_cast<int32_t>((row * from + i) * 37) - 300);
          CHECK_EQ(static_cast<float>(y.GetValue(row * to + i)),
                   static_cast<float>(T(value * (form == 2 ? 0.25F : Scale(i)))));
        }
      }
    }
  });
}
int8_t Small(uint32_t i) {
  return static_cast<int8_t>(i * 37 % 101 - 50);
}
// k x n, or transposed n x k, with a factor for each n and each of `groups` pieces of k.
template <bool transposed>
void AntiQuantOf(uint32_t k, uint32_t n, uint32_t groups) {
  InBlock([=](auto *b) {
    auto x = Filled<int8_t>(b[0], k * n, Small);
    auto scale = Filled<half>(b[1], n * groups, Scale);
    auto offset = Filled<half>(b[2], n * groups, Offset);
    auto y = b[3].template Get<half>();
    const uint32_t high = transposed ? n : groups, wide = transposed ? groups : n;
    AscendAntiQuant<int8_t, half, transposed>(y, x, offset, scale, k, {high, wide, high, wide});
    Done();
    for (uint32_t i = 0; i < k * n; i++) {
      const uint32_t at_k = transposed ? i % k : i / n, at_n = transposed ? i / k : i % n;
      const uint32_t group = at_k / (k / groups);
      const uint32_t place = transposed ? at_n * groups + group : group * n + at_n;
      CHECK_EQ(static_cast<float>(y.GetValue(i)),
               static_cast<float>(half((static_cast<float>(Small(i)) + Offset(place)) * Scale(place))));
    }
  });
}
}  // namespace

TEST(QuantWithOneFactor) {
  for (uint32_t n : {1u, 31u, 32u, 300u}) {
    QuantOf<float>(n);
    QuantOf<half>(n);
  }
}
TEST(QuantWithFactorsOfColumns) {
  QuantOfColumns<float>(1, 32);
  QuantOfColumns<float>(3, 288);
  QuantOfColumns<half>(5, 32);
}
TEST(DequantOfRows) {
  DequantOf<half>(3, 16, 16);
  DequantOf<half>(2, 24, 17);
  DequantOf<bfloat16_t>(1, 300, 290);
  DequantOf<float>(4, 8, 5);
}
TEST(DequantOfCounts) {
  InBlock([](auto *b) {
    auto x = Filled<int32_t>(b[0], 64, [](uint32_t i) { return static_cast<int32_t>(i); });
    auto scale = Filled<float>(b[1], 32, Scale);
    auto y = b[2].template Get<half>();
    AscendDequant<half, float, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(y, x, scale, 64);
    Done();
    for (uint32_t i = 0; i < 64; i++)
      CHECK_EQ(static_cast<float>(y.GetValue(i)), static_cast<float>(i) * Scale(i % 32));
    Done();
    SetDeqScale(half(0.5F));
    CastDeq(y, x, 40);
    Done();
    for (uint32_t i = 0; i < 40; i++)
      CHECK_EQ(static_cast<float>(y.GetValue(i)), static_cast<float>(i) / 2);
  });
}
TEST(AntiQuant) {
  AntiQuantOf<false>(4, 32, 1);
  AntiQuantOf<false>(8, 32, 4);
  AntiQuantOf<true>(64, 4, 1);
  AntiQuantOf<true>(64, 4, 2);
  InBlock([](auto *b) {
    auto x = Filled<int8_t>(b[0], 64, Small);
    auto work = b[1].template Get<uint8_t>();
    auto y = b[2].template Get<bfloat16_t>();
    AscendAntiQuant<int8_t, bfloat16_t, false>(y, x, bfloat16_t(2.0F), bfloat16_t(0.5F), work, 2);
    Done();
    for (uint32_t i = 0; i < 64; i++)
      CHECK_EQ(static_cast<float>(y.GetValue(i)), (static_cast<float>(Small(i)) + 2) / 2);
  });
}
TEST(QuantBeyondMemory) {
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> x = buffer.Get<float>();
    LocalTensor<int8_t> y = buffer.Get<int8_t>();
    AscendQuant<float>(y, x, 1.0F, 0.0F, 1000000);
  };
  CHECK_EQ(weft_asc::call("beyond", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(), WEFT_ASC_KERNEL);
  CHECK_EQ(strstr(weft_asc_error(), "src") != nullptr, true);
}
// SPDX-License-Identifier: Apache-2.0
