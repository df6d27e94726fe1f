// Copies of rows with gaps on either side, padded rows, flags between cube and vector cores, rounding,
// caches: beside plain loops.
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

using namespace AscendC;
using complex64 = uint64_t;  // a kernel's own word, for chips that have none

namespace {
constexpr uint32_t kElems = 1024;

void Run(const std::function<void(TPipe &)> &body) {
  static const std::function<void(TPipe &)> *now;
  now = &body;
  void (*kernel)() = [] {
    TPipe pipe;
    (*now)(pipe);
  };
  const int rc = weft_asc::call("copy", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)();
  if (rc)
    std::cerr << weft_asc_error() << "\n";
  CHECK_EQ(rc, 0);
}
template <typename T>
std::vector<T> Numbers() {
  std::vector<T> all(kElems);
  for (uint32_t i = 0; i < kElems; i++)
    all[i] = static_cast<T>(static_cast<float>(i % 1000));
  return all;
}
template <typename T>
GlobalTensor<T> Global(std::vector<T> &values) {
  GlobalTensor<T> g;
  g.SetGlobalBuffer(values.data(), values.size());
  g.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  return g;
}

// In and out by the same rows: lengths and gaps in blocks of 32 bytes.
template <typename T>
void Strided(DataCopyParams in, DataCopyParams out) {
  std::vector<T> x = Numbers<T>(), y(kElems, static_cast<T>(-1.0F)), want = y;
  const uint32_t block = 32 / sizeof(T);
  std::vector<T> local(kElems, static_cast<T>(-2.0F));
  for (uint32_t row = 0; row < in.blockCount; row++) {
    for (uint32_t i = 0; i < in.blockLen * block; i++)
      local[row * (in.blockLen + in.dstStride) * block + i] =
          x[row * (in.blockLen + in.srcStride) * block + i];
  }
  for (uint32_t row = 0; row < out.blockCount; row++) {
    for (uint32_t i = 0; i < out.blockLen * block; i++)
      want[row * (out.blockLen + out.dstStride) * block + i] =
          local[row * (out.blockLen + out.srcStride) * block + i];
  }
  Run([&](TPipe &pipe) {
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, kElems * sizeof(T));
    LocalTensor<T> t = buffer.Get<T>();
    Duplicate(t, static_cast<T>(-2.0F), static_cast<int32_t>(kElems));
    PipeBarrier<PIPE_ALL>();
    DataCopy(t, Global(x), in);
    PipeBarrier<PIPE_ALL>();
    DataCopy(Global(y), t, out);
  });
  for (uint32_t i = 0; i < kElems; i++)
    CHECK_EQ(static_cast<float>(y[i]), static_cast<float>(want[i]));
}
// Rows of `bytes` in global memory, `gap` bytes apart; on the chip each begins at a block.
void Padded(uint32_t rows, uint32_t elems, uint32_t gap, DataCopyPadParams pad) {
  std::vector<float> x = Numbers<float>(), y(kElems, -1.0F);
  const uint32_t wide = pad.isPad ? pad.leftPadding + elems + pad.rightPadding : elems;
  const uint32_t pitch = (wide + 7) / 8 * 8;
  const auto bits = static_cast<uint32_t>(pad.paddingValue);
  float value;
  memcpy(&value, &bits, sizeof value);
  const DataCopyParams p(static_cast<uint16_t>(rows), static_cast<uint16_t>(elems * 4),
                         static_cast<uint16_t>(gap * 4), 0);
  Run([&](TPipe &pipe) {
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, kElems * sizeof(float));
    LocalTensor<float> t = buffer.Get<float>();
    Duplicate(t, 0.0F, static_cast<int32_t>(kElems));
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(t, Global(x), p, pad);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t row = 0; row < rows; row++) {
      for (uint32_t i = 0; i < wide; i++) {
        const uint32_t left = pad.isPad ? pad.leftPadding : 0;
        const bool inside = i >= left && i < left + elems;
        CHECK_EQ(t.GetValue(row * pitch + i), inside ? x[row * (elems + gap) + i - left] : value);
      }
    }
    DataCopyPad(Global(y), t, DataCopyParams(1, static_cast<uint16_t>(wide * 4), 0, 0));
    PipeBarrier<PIPE_ALL>();
    CHECK_EQ(y[wide - 1], t.GetValue(wide - 1));
    CHECK_EQ(y[wide], -1.0F);
  });
}
uint64_t BitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Two vector cores a block leave a number each, the cube core adds them up, and they go on with the sum.
__global__ __aicore__ void between_cores(int32_t *parts, int32_t *sums) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if (ASCEND_IS_AIV) {
    const int64_t block = GetBlockIdx() / 2;
    parts[GetBlockIdx()] = static_cast<int32_t>(10 * block + GetSubBlockIdx() + 1);
    CrossCoreSetFlag<2, PIPE_MTE3>(4);
    CrossCoreWaitFlag(5);
    parts[GetBlockIdx()] += sums[block];
  } else {
    CrossCoreWaitFlag(4);
    sums[GetBlockIdx()] = parts[2 * GetBlockIdx()] + parts[2 * GetBlockIdx() + 1];
    CrossCoreSetFlag<2, PIPE_FIX>(5);
  }
}
}  // namespace

TEST(CopiesOfRowsWithGaps) {
  Strided<float>({4, 2, 3, 1}, {3, 2, 2, 5});
  Strided<half>({7, 1, 0, 2}, {1, 9, 0, 0});
  Strided<int32_t>({1, 128, 0, 0}, {16, 4, 4, 0});
  Strided<bfloat16_t>({3, 5, 1, 0}, {5, 3, 0, 1});
}
TEST(CopiesOfPaddedRows) {
  Padded(3, 3, 2, {true, 1, 2, BitsOf(7.0F)});
  Padded(5, 8, 0, {false, 0, 0, 0});
  Padded(2, 13, 5, {true, 0, 3, BitsOf(-0.5F)});
  Padded(1, 1, 0, {true, 7, 0, BitsOf(2.0F)});
}
TEST(FlagsBetweenCores) {
  for (uint32_t blocks : {1u, 5u}) {
    std::vector<int32_t> parts(2 * blocks), sums(blocks);
    const int rc = weft_asc::call("between_cores", __FILE__, __LINE__, between_cores, blocks, nullptr,
                                  nullptr)(parts.data(), sums.data());
    if (rc)
      std::cerr << weft_asc_error() << "\n";
    CHECK_EQ(rc, 0);
    for (uint32_t b = 0; b < blocks; b++) {
      const auto first = static_cast<int32_t>(10 * b);
      CHECK_EQ(sums[b], 2 * first + 3);
      CHECK_EQ(parts[2 * b + 1], first + 2 + sums[b]);
    }
  }
}
TEST(FractionsBeyondMemory) {
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> t = buffer.Get<float>();
    Frac(t, t, 100000000);
  };
  CHECK_EQ(weft_asc::call("beyond", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(), WEFT_ASC_KERNEL);
  CHECK_EQ(strstr(weft_asc_error(), "ascendc_copy_test.cpp") != nullptr, true);
}
// Three rows out by address, with a block between them on either side.
TEST(OutByAddress) {
  std::vector<complex64> y(64, 7), want = y;
  Run([&](TPipe &pipe) {
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 512);
    LocalTensor<complex64> t = buffer.Get<complex64>();
    for (uint32_t i = 0; i < 64; i++)
      t.SetValue(i, 100 + i);
    PipeBarrier<PIPE_ALL>();
    DataCopyUB2GMImpl((__gm__ complex64 *)Global(y).GetPhyAddr() + 4, (__ubuf__ complex64 *)t.GetPhyAddr(),
                      {3, 2, 1, 2});
  });
  for (uint32_t row = 0; row < 3; row++) {
    for (uint32_t i = 0; i < 8; i++)
      want[4 + row * 16 + i] = 100 + row * 12 + i;
  }
  CHECK_EQ(y == want, true);
  const DropOutShapeInfo none;
  CHECK_EQ(none.firstAxis + none.srcLastAxis + none.maskLastAxis, 0U);
}
TEST(RoundedUpAndTruncated) {
  std::vector<float> x = Numbers<float>();
  Run([&](TPipe &pipe) {
    TBuf<TPosition::VECCALC> buffers[2];
    for (auto &buffer : buffers)
      pipe.InitBuffer(buffer, kElems * sizeof(float));
    LocalTensor<float> t = buffers[0].Get<float>(), u = buffers[1].Get<float>();
    for (uint32_t i = 0; i < kElems; i++)
      t.SetValue(i, (x[i] - 500) / 7);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(Global(x));
    PipeBarrier<PIPE_ALL>();
    Ceil(u, t, 777);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 777; i++)
      CHECK_EQ(u.GetValue(i), std::ceil(t.GetValue(i)));
    PipeBarrier<PIPE_ALL>();
    Truncate<float, RoundMode::CAST_FLOOR>(u, t, 333);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 333; i++)
      CHECK_EQ(u.GetValue(i), std::floor(t.GetValue(i)));
    PipeBarrier<PIPE_ALL>();
    Frac(u, t, 555);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 555; i++)
      CHECK_EQ(u.GetValue(i), t.GetValue(i) - std::trunc(t.GetValue(i)));
    PipeBarrier<PIPE_ALL>();
    CreateVecIndex(u, 5.0F, uint64_t{1000}, 2, 1, 8);  // no more lanes than there are
    PipeBarrier<PIPE_ALL>();
    CHECK_EQ(u.GetValue(127), 132.0F);
    CHECK_EQ(u.GetValue(128), t.GetValue(128) - std::trunc(t.GetValue(128)));
  });
}
// SPDX-License-Identifier: Apache-2.0
