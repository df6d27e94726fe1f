// Copies in several dimensions, loops around copies, scalar names and lists of tensors.
#include <vector>

#include "check.h"
#include "kernel_operator.h"

namespace {
// 3 rows of 4 out of [3][5], turned round, with a border of one at the start of rows and two at the end of
// columns.
template <const AscendC::NdDmaConfig &config>
__global__ __aicore__ void bordered(float *x, float *y) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 1024);
  AscendC::LocalTensor<float> t = buffer.Get<float>();
  AscendC::GlobalTensor<float> g;
  g.SetGlobalBuffer(x, 15);
  AscendC::MultiCopyParams<float, 2> p = {{{1, 5}, {8, 1}, {4, 3}, {1, 0}, {0, 2}}, -1.0f};
  AscendC::DataCopy<float, 2, config>(t, g, p);
  AscendC::PipeBarrier<PIPE_ALL>();
  for (uint32_t i = 0; i < 40; i++)
    y[i] = i % 8 < 5 ? t.GetValue(i) : 0;
}
constexpr AscendC::NdDmaConfig kNearest = {true};

__global__ __aicore__ void looped(int32_t *x, int32_t *y) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 1024);
  AscendC::LocalTensor<int32_t> t = buffer.Get<int32_t>();
  AscendC::GlobalTensor<int32_t> g, out;
  g.SetGlobalBuffer(x, 64);
  out.SetGlobalBuffer(y, 48);
  AscendC::SetLoopModePara({2, 3, 32, 64, 80, 128}, AscendC::DataCopyMVType::OUT_TO_UB);
  AscendC::DataCopyPad(t, g, {1, 32, 0, 0, 0}, AscendC::DataCopyPadExtParams<int32_t>());
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::ResetLoopModePara(AscendC::DataCopyMVType::OUT_TO_UB);
  AscendC::DataCopyPad(out, t, {6, 32, 1, 0, 0});
}
}  // namespace

TEST(MultiCopy) {
  std::vector<float> x(15), y(40), z(40);
  for (size_t i = 0; i < 15; i++)
    x[i] = static_cast<float>(i);
  CHECK_EQ(weft_asc::call("bordered", __FILE__, __LINE__, bordered<AscendC::kDefaultNdDmaConfig>, 1, nullptr,
                          nullptr)(x.data(), y.data()),
           0);
  CHECK_EQ(weft_asc::call("bordered", __FILE__, __LINE__, bordered<kNearest>, 1, nullptr, nullptr)(x.data(),
                                                                                                   z.data()),
           0);
  for (int column = 0; column < 5; column++) {
    for (int row = 0; row < 5; row++) {
      const size_t at = static_cast<size_t>(column * 8 + row);
      const bool inside = column > 0 && row < 3;
      const int from = (row < 3 ? row : 2) * 5 + (column > 0 ? column - 1 : 0);
      CHECK_EQ(y[at], inside ? static_cast<float>(from) : -1.0f);
      CHECK_EQ(z[at], static_cast<float>(from));
    }
  }
}
TEST(LoopsAroundACopy) {
  std::vector<int32_t> x(64), y(48);
  for (size_t i = 0; i < 64; i++)
    x[i] = static_cast<int32_t>(i);
  const int rc =
      weft_asc::call("looped", __FILE__, __LINE__, looped, 1, nullptr, nullptr)(x.data(), y.data());
  if (rc)
    printf("%s\n", weft_asc_error());
  CHECK_EQ(rc, 0);
  for (int outer = 0; outer < 3; outer++) {
    for (int i = 0; i < 16; i++)
      CHECK_EQ(y[static_cast<size_t>(outer * 16 + i)], outer * 20 + i);
  }
}
TEST(ScalarNames) {
  CHECK_EQ(AscendC::ScalarGetCountOfValue<1>(0xf0f), 8);
  CHECK_EQ(AscendC::ScalarGetCountOfValue<0>(0xf0f), 56);
  CHECK_EQ(AscendC::ScalarCountLeadingZero(1), 63);
  CHECK_EQ(AscendC::ScalarGetSFFValue<1>(8), 3);
  CHECK_EQ(AscendC::ScalarGetSFFValue<1>(0), -1);
  AscendC::SetCtrlSpr<48, 50>(5);
  AscendC::SetCtrlSpr<60, 60>(1);
  const int64_t set = AscendC::GetCtrlSpr<48, 50>();
  CHECK_EQ(set, 5);
  CHECK_EQ(static_cast<float>(AscendC::NumericLimits<half>::Max()), 65504.0f);
  CHECK_EQ(__hisnan(AscendC::NumericLimits<bfloat16_t>::QuietNaN()), true);
}
TEST(ListOfTensors) {
  float a[2] = {1, 2}, b[1] = {3};
  uint64_t words[8] = {
      6 * 8, 2, 5, 7, 1ull << 32 | 1, 9, reinterpret_cast<uint64_t>(a), reinterpret_cast<uint64_t>(b)};
  AscendC::ListTensorDesc list(words);
  CHECK_EQ(list.GetSize(), 2u);
  CHECK_EQ(list.GetDataPtr<float>(1)[0], 3.0f);
  uint64_t shape[4];
  AscendC::TensorDesc<float> desc;
  desc.SetShapeAddr(shape);
  list.GetDesc(desc, 0);
  CHECK_EQ(desc.GetDim(), 2u);
  CHECK_EQ(desc.GetShape(1), 7u);
  list.GetDesc(desc, 1);
  CHECK_EQ(desc.GetIndex(), 1u);
  CHECK_EQ(desc.GetShape(0), 9u);
}
// SPDX-License-Identifier: Apache-2.0
