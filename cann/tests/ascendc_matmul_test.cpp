// Matmul objects against plain sums: types, transposition, formats, tiles, tails, batches, both kinds of
// cores.
#include <vector>

#include "check.h"
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

namespace {
using AscendC::GlobalTensor;
using AscendC::TPosition;

template <typename T, typename R, typename BT>
struct Case {
  int32_t m, n, k;
  T *a, *b;
  R *c;
  BT *bias;
  bool transposeA, transposeB;
  int way;
};
template <typename T, typename R, typename BT>
TCubeTiling TilingOf(const Case<T, R, BT> &c) {
  TCubeTiling t;
  t.M = t.singleCoreM = c.m;
  t.N = t.singleCoreN = c.n;
  t.Ka = t.Kb = t.singleCoreK = c.k;
  t.baseM = 16;
  t.baseN = 32;
  t.baseK = 16;
  return t;
}
enum { ALL, TILES, SEQUENTIAL, ADDED };
template <CubeFormat format, typename T, typename R, typename BT>
__global__ __aicore__ void multiply(Case<T, R, BT> c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  AscendC::TPipe pipe;
  AscendC::Matmul<AscendC::MatmulType<TPosition::GM, format, T, true>,
                  AscendC::MatmulType<TPosition::GM, format, T>,
                  AscendC::MatmulType<TPosition::GM, CubeFormat::ND, R>,
                  AscendC::MatmulType<TPosition::GM, CubeFormat::ND, BT>, CFG_MDL>
      mm;
  TCubeTiling tiling = TilingOf(c);
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
  if (AscendC::GetBlockIdx())
    return;
  GlobalTensor<T> a, b;
  GlobalTensor<R> to;
  a.SetGlobalBuffer(c.a);
  b.SetGlobalBuffer(c.b);
  to.SetGlobalBuffer(c.c, static_cast<uint64_t>(c.m * c.n));
  mm.SetTensorA(a, c.transposeA);
  mm.SetTensorB(b, c.transposeB);
  if (c.bias) {
    GlobalTensor<BT> bias;
    bias.SetGlobalBuffer(c.bias, static_cast<uint64_t>(c.n));
    mm.SetBias(bias);
  }
  if (c.way == TILES) {
    while (mm.Iterate())
      mm.GetTensorC(to);
  } else if (c.way == ADDED) {
    mm.IterateAll(to);
    mm.IterateAll(to, 1);
  } else {
    mm.IterateAll(to);
  }
  mm.End();
}

template <typename T>
std::vector<T> Numbers(int32_t n, int range, uint32_t seed) {
  std::vector<T> v(static_cast<size_t>(n));
  for (T &x : v) {
    seed = seed * 1664525 + 1013904223;
    x = static_cast<T>(static_cast<int>(seed >> 16) % (2 * range + 1) - range);
  }
  return v;
}
// As stored: element (row, column) of [rows, columns].
template <CubeFormat format, typename T>
size_t At(int32_t row, int32_t column, int32_t rows, int32_t columns) {
  constexpr int32_t c0 = 32 / static_cast<int32_t>(sizeof(T));
  if (format == CubeFormat::NZ)
    return static_cast<size_t>((column / c0 * ((rows + 15) / 16 * 16) + row) * c0 + column % c0);
  return static_cast<size_t>(row * columns + column);
}
template <CubeFormat format, typename T, typename R, typename BT>
void CheckMatmul(int32_t m, int32_t n, int32_t k, bool ta, bool tb, bool with_bias, int way) {
  std::vector<T> a = Numbers<T>((m + 15) * (k + 31) * 2, 7, 3), b = Numbers<T>((k + 31) * (n + 31) * 2, 7, 4);
  std::vector<BT> bias = Numbers<BT>(n, 50, 5);
  std::vector<R> c(static_cast<size_t>(m * n));
  Case<T, R, BT> s = {m, n, k, a.data(), b.data(), c.data(), with_bias ? bias.data() : nullptr, ta, tb, way};
  const int rc =
      weft_asc::call("multiply", __FILE__, __LINE__, multiply<format, T, R, BT>, 1, nullptr, nullptr)(s);
  if (rc)
    printf("%s\n", weft_asc_error());
  CHECK_EQ(rc, 0);
  for (int32_t i = 0; i < m; i++) {
    for (int32_t j = 0; j < n; j++) {
      float want = with_bias ? static_cast<float>(bias[static_cast<size_t>(j)]) : 0;
      for (int32_t p = 0; p < k; p++) {
        const T x = a[ta ? At<format, T>(p, i, k, m) : At<format, T>(i, p, m, k)];
        const T y = b[tb ? At<format, T>(j, p, n, k) : At<format, T>(p, j, k, n)];
        want += static_cast<float>(x) * static_cast<float>(y);
      }
      want *= way == ADDED ? 2 : 1;
      CHECK_EQ(static_cast<float>(c[static_cast<size_t>(i * n + j)]),
               static_cast<float>(static_cast<R>(want)));
    }
  }
}
}  // namespace

TEST(MatmulOfRows) {
  for (int flags = 0; flags < 4; flags++)
    CheckMatmul<CubeFormat::ND, half, float, float>(33, 50, 40, flags & 1, flags & 2, false, ALL);
  CheckMatmul<CubeFormat::ND, float, float, float>(16, 70, 33, false, true, true, TILES);
  CheckMatmul<CubeFormat::ND, half, half, half>(20, 20, 20, false, false, true, TILES);
  CheckMatmul<CubeFormat::ND, half, float, float>(8, 9, 10, false, false, false, ADDED);
  CheckMatmul<CubeFormat::ND, int8_t, int32_t, int32_t>(30, 33, 65, false, true, true, ALL);
  CheckMatmul<CubeFormat::ND, bfloat16_t, bfloat16_t, float>(5, 6, 7, true, false, true, ALL);
}
TEST(MatmulOfFractals) {
  for (int flags = 0; flags < 4; flags++)
    CheckMatmul<CubeFormat::NZ, half, float, float>(32, 48, 64, flags & 1, flags & 2, false, TILES);
}

namespace {
using Half = AscendC::MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NORMAL>;
using Out = AscendC::MatmulType<TPosition::GM, CubeFormat::ND, float, false, LayoutMode::NORMAL>;
constexpr MatmulConfig kBatch = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(
    MatmulBatchParams{false, BatchMode::BATCH_LESS_THAN_L1, true, BatchOutMode::MULTI_BATCH});
// Three products [2, 4] x [4, 3] whose right side is one for all.
__global__ __aicore__ void batches(half *a, half *b, float *c) {
  AscendC::MatmulImpl<Half, Half, Out, Out, kBatch> mm;
  TCubeTiling t;
  t.M = t.singleCoreM = 2;
  t.N = t.singleCoreN = 3;
  t.Ka = t.Kb = t.singleCoreK = 4;
  t.baseM = t.baseN = 16;
  mm.SetSubBlockIdx(0);
  mm.Init(&t);
  GlobalTensor<half> ga, gb;
  GlobalTensor<float> gc;
  ga.SetGlobalBuffer(a, 24);
  gb.SetGlobalBuffer(b, 12);
  gc.SetGlobalBuffer(c, 18);
  mm.SetTensorA(ga);
  mm.SetTensorB(gb);
  mm.IterateBatch(gc, 3, 1, false);
}
// From the unified buffer into it, with a scale for each column, tile by tile.
__global__ __aicore__ void scaled(half *out) {
  AscendC::TPipe pipe;
  AscendC::TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 4096);
  using Left = AscendC::MatmulType<TPosition::VECIN, CubeFormat::ND, int8_t>;
  AscendC::MatmulImpl<Left, Left, AscendC::MatmulType<TPosition::VECCALC, CubeFormat::ND, half>> mm;
  TCubeTiling t;
  t.M = t.singleCoreM = t.N = t.singleCoreN = t.Ka = t.Kb = t.singleCoreK = 32;
  t.baseM = t.baseN = 16;
  AscendC::LocalTensor<int8_t> x = buffer.GetWithOffset<int8_t>(1024, 0);
  AscendC::LocalTensor<uint64_t> scales = buffer.GetWithOffset<uint64_t>(32, 1024);
  AscendC::LocalTensor<half> y = buffer.GetWithOffset<half>(256, 2048);
  for (uint32_t i = 0; i < 1024; i++)
    x.SetValue(i, static_cast<int8_t>(i % 33 == 0));
  for (uint32_t i = 0; i < 32; i++) {
    const float scale = static_cast<float>(i) * 0.5f;
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    scales.SetValue(i, bits);
  }
  mm.Init(&t);
  mm.SetTensorA(x);
  mm.SetTensorB(x);
  mm.SetQuantVector(scales);
  mm.Iterate();
  mm.Iterate();
  mm.Iterate();
  mm.Iterate();
  mm.GetTensorC(y);
  const AscendC::MatrixOffset place = mm.GetOffsetC();
  out[0] = y.GetValue(17 * 5);
  out[1] = static_cast<half>(place.row + place.col);
  out[2] = static_cast<half>(static_cast<int>(mm.Iterate()));
}
__global__ __aicore__ void short_of_c(float *x) {
  using Type = AscendC::MatmulType<TPosition::GM, CubeFormat::ND, float>;
  AscendC::MatmulImpl<Type, Type, Type> mm;
  TCubeTiling t;
  t.M = t.singleCoreM = t.N = t.singleCoreN = t.Ka = t.Kb = t.singleCoreK = 4;
  GlobalTensor<float> g, c;
  g.SetGlobalBuffer(x, 16);
  c.SetGlobalBuffer(x + 16, 15);
  mm.Init(&t);
  mm.SetTensorA(g);
  mm.SetTensorB(g);
  mm.IterateAll(c);
}
}  // namespace

TEST(MatmulBatches) {
  std::vector<half> a = Numbers<half>(24, 5, 1), b = Numbers<half>(12, 5, 2);
  std::vector<float> c(18);
  CHECK_EQ(weft_asc::call("batches", __FILE__, __LINE__, batches, 1, nullptr, nullptr)(a.data(), b.data(),
                                                                                       c.data()),
           0);
  for (size_t i = 0; i < 6; i++) {
    for (size_t j = 0; j < 3; j++) {
      float want = 0;
      for (size_t p = 0; p < 4; p++)
        want += static_cast<float>(a[i * 4 + p]) * static_cast<float>(b[p * 3 + j]);
      CHECK_EQ(c[i * 3 + j], want);
    }
  }
}
TEST(MatmulScaled) {
  half out[3] = {};
  const int rc = weft_asc::call("scaled", __FILE__, __LINE__, scaled, 1, nullptr, nullptr)(out);
  if (rc)
    printf("%s\n", weft_asc_error());
  CHECK_EQ(rc, 0);
  CHECK_EQ(static_cast<float>(out[0]), 10.5f);
  CHECK_EQ(static_cast<float>(out[1]), 32.0f);
  CHECK_EQ(static_cast<float>(out[2]), 0.0f);
}
TEST(MatmulBeyondItsTensor) {
  float x[32] = {};
  const char *checked = getenv("WEFT_ASC_CHECK");
  if (!checked || *checked != '1')
    return;  // how large a tensor is, only that mode looks at
  CHECK_EQ(weft_asc::call("short", __FILE__, __LINE__, short_of_c, 1, nullptr, nullptr)(x), WEFT_ASC_KERNEL);
  CHECK_EQ(strlen(weft_asc_error()) > 20, true);
}
// SPDX-License-Identifier: Apache-2.0
