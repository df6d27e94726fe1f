// The cube unit: products of fractals against plain sums, loads that transpose, results that are converted.
#include <cmath>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

namespace {
using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TPosition;

// C [m, n] = A [m, k] * B [k, n]: A and B come as columns of fractals in L1, as DataCopy makes them from ND.
template <typename T, typename R>
struct Shape {
  uint32_t m, n, k;
  T *a, *b;
  R *c, *bias;
  AscendC::QuantMode_t quant;
  uint64_t scale;
  bool relu, twice;
  bool bursts, fractals;  // FixpipeParams; C as columns of fractals
};
template <typename T>
void ToFractals(LocalTensor<T> dst, const T *src, uint32_t rows, uint32_t columns) {
  constexpr uint32_t c0 = 32 / sizeof(T);
  const uint32_t high = (rows + 15) / 16 * 16;
  for (uint32_t i = 0; i < high; i++) {
    for (uint32_t j = 0; j < (columns + c0 - 1) / c0 * c0; j++) {
      const bool inside = i < rows && j < columns;
      dst.SetValue((j / c0 * high + i) * c0 + j % c0, inside ? src[i * columns + j] : static_cast<T>(0));
    }
  }
}
// The same by the old parameters: fractals of 16 columns as bursts of blocks.
template <typename T, typename Acc, typename R>
void FixpipeOfBursts(const GlobalTensor<R> &out, const LocalTensor<Acc> &c1, const Shape<T, R> &s,
                     uint32_t m1) {
  AscendC::FixpipeParams<Acc> p(static_cast<uint16_t>((s.n + 15) / 16), static_cast<uint16_t>(s.m * 2),
                                static_cast<uint16_t>((m1 * 16 - s.m) * 2), s.fractals ? 1 : s.n);
  p.quantParams = {s.quant};
  p.quantParams.deqScalar = s.scale;
  p.reluEn = s.relu;
  p.nz2ndParams.nz2ndEn = !s.fractals;
  p.nz2ndParams.ndNum = 1;
  p.nz2ndParams.originalNSize = static_cast<uint16_t>(s.n);
  AscendC::Fixpipe(out, c1, p);
}
template <typename T, typename Acc, typename R>
__global__ __aicore__ void product(Shape<T, R> s) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  constexpr uint32_t c0 = 32 / sizeof(T);
  const uint32_t m1 = (s.m + 15) / 16, k1 = (s.k + c0 - 1) / c0;
  AscendC::TPipe pipe;
  AscendC::TQue<TPosition::A1, 1> qa;
  AscendC::TQue<TPosition::B1, 1> qb;
  AscendC::TQue<TPosition::A2, 1> qa2;
  AscendC::TQue<TPosition::B2, 1> qb2;
  AscendC::TQue<TPosition::CO1, 1> qc;
  pipe.InitBuffer(qa, 1, 32768);
  pipe.InitBuffer(qb, 1, 32768);
  pipe.InitBuffer(qa2, 1, 32768);
  pipe.InitBuffer(qb2, 1, 32768);
  pipe.InitBuffer(qc, 1, 65536);
  LocalTensor<T> a1 = qa.AllocTensor<T>(), b1 = qb.AllocTensor<T>();
  ToFractals(a1, s.a, s.m, s.k);
  ToFractals(b1, s.b, s.k, s.n);
  AscendC::PipeBarrier<PIPE_ALL>();
  LocalTensor<T> a2 = qa2.AllocTensor<T>(), b2 = qb2.AllocTensor<T>();
  for (uint32_t row = 0; row < m1; row++) {
    AscendC::LoadData2DParams p;
    p.startIndex = static_cast<uint16_t>(row);
    p.repeatTimes = static_cast<uint8_t>(k1);
    p.srcStride = static_cast<uint16_t>(m1);
    AscendC::LoadData(a2[row * k1 * 16 * c0], a1, p);
  }
  AscendC::LoadData2DParamsV2 p;
  p.mStep = static_cast<uint16_t>((s.k + 15) / 16);
  p.kStep = static_cast<uint16_t>((s.n + c0 - 1) / c0);
  p.srcStride = p.mStep;
  p.dstStride = static_cast<uint16_t>((s.n + 15) / 16);
  p.ifTranspose = true;
  AscendC::LoadData(b2, b1, p);
  AscendC::PipeBarrier<PIPE_ALL>();
  LocalTensor<Acc> c1 = qc.AllocTensor<Acc>();
  AscendC::MmadParams mm;
  mm.m = static_cast<uint16_t>(s.m);
  mm.n = static_cast<uint16_t>(s.n);
  mm.k = static_cast<uint16_t>(s.k);
  mm.disableGemv = true;
  AscendC::Mmad(c1, a2, b2, mm);
  mm.cmatrixInitVal = false;
  if (s.twice)
    AscendC::Mmad(c1, a2, b2, mm);
  AscendC::PipeBarrier<PIPE_ALL>();
  GlobalTensor<R> out;
  out.SetGlobalBuffer(s.c, s.fractals ? (s.n + 15) / 16 * (s.m * 16 + 32 / sizeof(R)) : s.m * s.n);
  AscendC::FixpipeParamsV220 f;
  f.mSize = mm.m;
  f.nSize = mm.n;
  f.srcStride = static_cast<uint16_t>(m1 * 16);
  f.dstStride = s.n;
  f.quantPre = s.quant;
  f.deqScalar = s.scale;
  f.reluEn = s.relu;
  if (!s.bursts)
    AscendC::Fixpipe(out, c1, f);
  else
    FixpipeOfBursts(out, c1, s, m1);
}

template <typename T>
std::vector<T> Numbers(uint32_t n, int range, uint32_t seed) {
  std::vector<T> v(n);
  for (T &x : v) {
    seed = seed * 1664525 + 1013904223;
    x = static_cast<T>(static_cast<int>(seed >> 16) % (2 * range + 1) - range);
  }
  return v;
}
uint64_t Scale(float scale) {
  uint32_t bits;
  memcpy(&bits, &scale, sizeof bits);
  return bits;
}
// How the result comes out: by sizes, by bursts into rows, by bursts into columns of fractals.
enum Way { BY_SIZES, BY_BURSTS, BY_FRACTALS };
template <typename T, typename Acc, typename R>
void CheckProduct(uint32_t m, uint32_t n, uint32_t k, AscendC::QuantMode_t quant, float scale, bool relu,
                  bool twice, Way way = BY_SIZES) {
  const uint32_t column = m * 16 + 32 / sizeof(R);  // of fractals, and the block behind it
  std::vector<T> a = Numbers<T>(m * k, 9, 1), b = Numbers<T>(k * n, 9, 2);
  std::vector<R> c(way == BY_FRACTALS ? (n + 15) / 16 * column : m * n);
  Shape<T, R> s = {m,
                   n,
                   k,
                   a.data(),
                   b.data(),
                   c.data(),
                   nullptr,
                   quant,
                   Scale(scale),
                   relu,
                   twice,
                   way != BY_SIZES,
                   way == BY_FRACTALS};
  const int rc = weft_asc::call("product", __FILE__, __LINE__, product<T, Acc, R>, 1, nullptr, nullptr)(s);
  if (rc)
    printf("%s\n", weft_asc_error());
  CHECK_EQ(rc, 0);
  for (uint32_t i = 0; i < m; i++) {
    for (uint32_t j = 0; j < n; j++) {
      float want = 0;
      for (uint32_t p = 0; p < k; p++)
        want += static_cast<float>(a[i * k + p]) * static_cast<float>(b[p * n + j]);
      want *= (twice ? 2 : 1) * scale;
      want = relu && want < 0 ? 0 : want;
      if (sizeof(R) == 1)
        want = std::fmin(std::fmax(std::rint(want), -128), 127);
      const R got = c[way == BY_FRACTALS ? j / 16 * column + i * 16 + j % 16 : i * n + j];
      CHECK_EQ(static_cast<float>(got), static_cast<float>(static_cast<R>(want)));
    }
  }
}
}  // namespace

TEST(CubeProducts) {
  CheckProduct<half, float, float>(16, 16, 16, NoQuant, 1, false, false);
  CheckProduct<half, float, float>(33, 40, 50, NoQuant, 1, false, true);
  CheckProduct<half, float, half>(20, 16, 32, F322F16, 1, true, false);
  CheckProduct<bfloat16_t, float, bfloat16_t>(5, 7, 19, F322BF16, 1, false, false);
  CheckProduct<float, float, float>(18, 32, 48, NoQuant, 1, false, true);
  CheckProduct<int8_t, int32_t, int32_t>(17, 32, 64, NoQuant, 1, false, true);
  CheckProduct<int8_t, int32_t, half>(16, 32, 32, DEQF16, 0.25f, false, false);
  CheckProduct<int8_t, int32_t, int8_t>(16, 32, 32, REQ8, 0.125f, true, false);
}
TEST(CubeResultsByBursts) {
  CheckProduct<half, float, float>(33, 40, 50, NoQuant, 1, false, false, BY_BURSTS);
  CheckProduct<half, float, half>(20, 16, 32, F322F16, 1, true, false, BY_BURSTS);
  CheckProduct<int8_t, int32_t, int8_t>(16, 32, 32, REQ8, 0.125f, true, false, BY_BURSTS);
  CheckProduct<half, float, float>(16, 16, 16, NoQuant, 1, false, false, BY_FRACTALS);
  CheckProduct<half, float, half>(20, 48, 32, F322F16, 1, true, false, BY_FRACTALS);
  CheckProduct<int8_t, int32_t, half>(18, 32, 32, DEQF16, 0.25f, false, false, BY_FRACTALS);
}

namespace {
__global__ __aicore__ void hf32(float *out) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  LocalTensor<float> a(TPosition::A2, 0, 256), b(TPosition::B2, 0, 256), c(TPosition::CO1, 0, 256);
  for (uint32_t i = 1; i < 128; i++) {
    a.SetValue(i, 0.0f);
    b.SetValue(i, 0.0f);
  }
  a.SetValue(0, 1.0f + 0x1p-13f);
  b.SetValue(0, 1.0f);
  AscendC::MmadParams mm(1, 1, 8, 0, false, true);
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::SetHF32Mode(true);
  AscendC::Mmad(c, a, b, mm);
  AscendC::PipeBarrier<PIPE_ALL>();
  out[0] = c.GetValue(0);
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::SetHF32Mode(false);
  AscendC::Mmad(c, a, b, mm);
  AscendC::PipeBarrier<PIPE_ALL>();
  out[1] = c.GetValue(0);
}
// Patches of 2 x 2 in an image of 3 x 3 with a border of one: 16 rows, 4 x 16 columns.
__global__ __aicore__ void patches(float *out) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  LocalTensor<half> image(TPosition::A1, 0, 9 * 16), a(TPosition::A2, 0, 16 * 64);
  for (uint32_t i = 0; i < 9 * 16; i++)
    image.SetValue(i, static_cast<half>(static_cast<int>(i)));
  AscendC::PipeBarrier<PIPE_ALL>();
  const uint8_t pad[4] = {1, 1, 1, 1};
  AscendC::LoadData3DParamsV2<half> p(pad, 3, 3, 16, 64, 16, 0, 0, 1, 1, 2, 2, 1, 1, false, false, half(-1));
  AscendC::LoadData(a, image, p);
  AscendC::PipeBarrier<PIPE_ALL>();
  for (uint32_t row = 0; row < 16; row++) {
    for (uint32_t column = 0; column < 64; column++)
      out[row * 64 + column] = static_cast<float>(a.GetValue((column / 16 * 16 + row) * 16 + column % 16));
  }
}
__global__ __aicore__ void beyond() {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  LocalTensor<half> a(TPosition::A2, 0, 256), b(TPosition::B2, 0, 256);
  LocalTensor<float> c(TPosition::CO1, 0, 256);
  AscendC::MmadParams mm(2048, 16, 64, 0, false, true);
  AscendC::Mmad(c, a, b, mm);
}
}  // namespace

TEST(CubeHf32) {
  float out[2] = {};
  CHECK_EQ(weft_asc::call("hf32", __FILE__, __LINE__, hf32, 1, nullptr, nullptr)(out), 0);
  CHECK_EQ(out[0], 1.0f);
  CHECK_EQ(out[1], 1.0f + 0x1p-13f);
}
TEST(CubePatches) {
  std::vector<float> out(16 * 64);
  CHECK_EQ(weft_asc::call("patches", __FILE__, __LINE__, patches, 1, nullptr, nullptr)(out.data()), 0);
  for (int row = 0; row < 16; row++) {
    for (int column = 0; column < 64; column++) {
      const int y = row / 4 - 1 + column / 32, x = row % 4 - 1 + column / 16 % 2;
      const bool inside = y >= 0 && y < 3 && x >= 0 && x < 3;
      CHECK_EQ(out[row * 64 + column], inside ? static_cast<float>((y * 3 + x) * 16 + column % 16) : -1.0f);
    }
  }
}
TEST(CubeBeyondItsMemory) {
  CHECK_EQ(weft_asc::call("beyond", __FILE__, __LINE__, beyond, 1, nullptr, nullptr)(), WEFT_ASC_KERNEL);
  CHECK_EQ(strstr(weft_asc_error(), "Mmad's left operand") != nullptr, true);
}
// SPDX-License-Identifier: Apache-2.0
