// Functions above the instructions beside plain loops in double: means by Welford's way, running sums,
// columns that become fractals, words on exactness, the largest of what blocks write, memory that nothing has
// taken.
#include <cmath>
#include <functional>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

using namespace AscendC;

namespace {
using Work = std::function<void()>;
const Work *now;
void RunNow() {
  (*now)();
}
// `work` as a kernel of so many blocks.
void Launch(const Work &work, uint32_t blocks = 1) {
  now = &work;
  if (weft_asc::call("parts", __FILE__, __LINE__, RunNow, blocks, nullptr, nullptr)()) {
    std::cerr << weft_asc_error() << "\n";
    CHECK_EQ(std::string("no kernel that fails"), "");
  }
}
// Tensors one behind the other in UB.
struct Room {
  template <typename T>
  LocalTensor<T> Take(uint32_t n) {
    return all.Alloc<TPosition::VECCALC, T>(n);
  }
  template <typename T>
  LocalTensor<T> Hold(const std::vector<T> &from) {
    LocalTensor<T> t = Take<T>(static_cast<uint32_t>(from.size()));
    for (uint32_t i = 0; i < from.size(); i++)
      t.SetValue(i, from[i]);
    return t;
  }
  LocalMemAllocator<Hardware::UB> all;
};
bool Near(double got, double want, double tolerance) {
  return std::fabs(got - want) <= tolerance * std::fmax(1.0, std::fabs(want));
}
double Number(uint32_t i) {
  return static_cast<double>(i * 37 % 101) / 8 - 5;
}

constexpr WelfordUpdateConfig kInPlace = {true};
constexpr WelfordFinalizeConfig kCorrected = {true};
// `rows` of `columns` numbers, of which `used` are computed: means and squared deviations of each column.
template <typename T>
void CheckWelford(uint32_t rows, uint32_t columns, uint32_t used, bool corrected) {
  std::vector<float> mean(columns, 0.5f), deviations(columns, 0.25f), result(2);
  Launch([&] {
    Room room;
    PipeBarrier<PIPE_ALL>();
    LocalTensor<float> m = room.Hold(std::vector<float>(columns, 0.0f));
    LocalTensor<float> d = room.Hold(std::vector<float>(columns, 0.0f));
    for (uint32_t row = 0; row < rows; row++) {
      LocalTensor<T> x = room.Take<T>(columns);
      for (uint32_t i = 0; i < columns; i++)
        x.SetValue(i, T(static_cast<float>(Number(row * columns + i))));
      PipeBarrier<PIPE_ALL>();
      WelfordUpdate<T, float, false, kInPlace>(m, d, m, d, x,
                                               {1, columns, used, 1.0f / static_cast<float>(row + 1)});
      PipeBarrier<PIPE_ALL>();
    }
    LocalTensor<float> out_m = room.Take<float>(8), out_v = room.Take<float>(8);
    const auto all = static_cast<float>(rows * used);
    const WelfordFinalizePara para = {rows,    used,         0, 0, 0, 0, 1.0f / static_cast<float>(used),
                                      1 / all, 1 / (all - 1)};
    if (corrected)
      WelfordFinalize<false, kCorrected>(out_m, out_v, m, d, para);
    else
      WelfordFinalize(out_m, out_v, m, d, para);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < columns; i++) {
      mean[i] = m.GetValue(i);
      deviations[i] = d.GetValue(i);
    }
    result = {out_m.GetValue(0), out_v.GetValue(0)};
  });
  double whole = 0, squares = 0;
  for (uint32_t i = 0; i < used; i++) {
    double sum = 0, apart = 0;
    for (uint32_t row = 0; row < rows; row++)
      sum += Number(row * columns + i);
    for (uint32_t row = 0; row < rows; row++)
      apart += std::pow(Number(row * columns + i) - sum / rows, 2);
    CHECK(Near(static_cast<double>(mean[i]), sum / rows, 1e-5));
    CHECK(Near(static_cast<double>(deviations[i]), apart, 1e-5));
    whole += sum;
  }
  const double n = rows * used;
  for (uint32_t i = 0; i < used * rows; i++)
    squares += std::pow(Number(i / used * columns + i % used) - whole / n, 2);
  CHECK(Near(static_cast<double>(result[0]), whole / n, 1e-5));
  CHECK(Near(static_cast<double>(result[1]), squares / (corrected ? n - 1 : n), 1e-5));
  for (uint32_t i = used; i < columns; i++)
    CHECK(mean[i] == 0 && deviations[i] == 0);
}

// Means of different numbers of numbers: two lengths, or one of each.
void CheckJoin(bool by_counts) {
  const std::vector<float> means = {1, 2, 4, -3, 0.5f}, deviations = {0, 1, 2, 8, 0.25f};
  const std::vector<int32_t> counts =
      by_counts ? std::vector<int32_t>{1, 2, 3, 4, 5} : std::vector<int32_t>{4, 4, 4, 3, 3};
  float got[2] = {};
  double n = 0, sum = 0, squares = 0;
  for (size_t i = 0; i < 5; i++) {
    n += counts[i];
    sum += counts[i] * static_cast<double>(means[i]);
  }
  for (size_t i = 0; i < 5; i++)
    squares +=
        static_cast<double>(deviations[i]) + counts[i] * std::pow(static_cast<double>(means[i]) - sum / n, 2);
  Launch([&] {
    Room room;
    LocalTensor<float> m = room.Hold(means), d = room.Hold(deviations);
    LocalTensor<int32_t> c = room.Hold(counts);
    LocalTensor<float> out_m = room.Take<float>(8), out_v = room.Take<float>(8);
    PipeBarrier<PIPE_ALL>();
    const WelfordFinalizePara para = {1, 5, 4, 3, 3, 2, 0, static_cast<float>(1 / n), 0};
    if (by_counts)
      WelfordFinalize(out_m, out_v, m, d, c, para);
    else
      WelfordFinalize(out_m, out_v, m, d, para);
    PipeBarrier<PIPE_ALL>();
    got[0] = out_m.GetValue(0);
    got[1] = out_v.GetValue(0);
  });
  CHECK(Near(static_cast<double>(got[0]), sum / n, 1e-6));
  CHECK(Near(static_cast<double>(got[1]), squares / n, 1e-6));
}

constexpr CumSumConfig kRight = {true, false, true};
constexpr CumSumConfig kDown = {false, false, true};
template <typename T, const CumSumConfig &config>
void CheckCumSum(uint32_t rows, uint32_t columns, double tolerance) {
  const bool down = !config.isLastAxis;
  std::vector<T> got(rows * columns), last(columns);
  Launch([&] {
    Room room;
    LocalTensor<T> x = room.Take<T>(rows * columns), y = room.Take<T>(rows * columns);
    LocalTensor<T> end = room.Take<T>(columns);
    for (uint32_t i = 0; i < rows * columns; i++)
      x.SetValue(i, T(static_cast<float>(Number(i))));
    PipeBarrier<PIPE_ALL>();
    CumSum<T, config>(y, end, x, CumSumInfo{rows, columns});
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < rows * columns; i++)
      got[i] = y.GetValue(i);
    for (uint32_t i = 0; i < columns; i++)
      last[i] = end.GetValue(i);
  });
  std::vector<double> want(rows * columns);
  for (uint32_t i = 0; i < rows * columns; i++) {
    const bool first = down ? i < columns : i % columns == 0;
    want[i] = Number(i) + (first ? 0 : want[down ? i - columns : i - 1]);
    CHECK(Near(static_cast<double>(static_cast<float>(got[i])), want[i], tolerance));
  }
  for (uint32_t i = 0; i < columns; i++)
    CHECK_EQ(static_cast<float>(last[i]), static_cast<float>(got[(rows - 1) * columns + i]));
}

// nValue rows of dValue numbers whose columns lie together.
template <typename T>
void CheckFractals(uint32_t rows, uint32_t columns, uint32_t apart) {
  constexpr uint32_t kBlock = 32 / sizeof(T);
  const uint32_t blocks = (columns + kBlock - 1) / kBlock;
  const uint32_t matrix = blocks * rows * kBlock;
  std::vector<T> x(2 * columns * apart), got(2 * matrix, T(1.0f));
  for (uint32_t i = 0; i < x.size(); i++)
    x[i] = T(static_cast<float>(i % 97));
  Launch([&] {
    Room room;
    LocalTensor<T> t = room.Take<T>(2 * matrix);
    GlobalTensor<T> g;
    g.SetGlobalBuffer(x.data(), x.size());
    const Dn2NzParams p(2, static_cast<uint16_t>(rows), columns, uint64_t{columns} * apart, apart,
                        static_cast<uint16_t>(rows), 1, matrix);
    DataCopy(t, g, p);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < got.size(); i++)
      got[i] = t.GetValue(i);
  });
  for (uint32_t i = 0; i < got.size(); i++) {
    const uint32_t column = i % matrix / (rows * kBlock) * kBlock + i % kBlock;
    const uint32_t row = i % matrix / kBlock % rows;
    const uint32_t from = (i / matrix * columns + column) * apart + row;
    CHECK_EQ(static_cast<float>(got[i]), column < columns ? static_cast<float>(x[from]) : 0.0f);
  }
}
}  // namespace

TEST(WelfordOfColumns) {
  CheckWelford<float>(5, 24, 24, false);
  CheckWelford<float>(3, 72, 65, true);
  CheckWelford<float>(1, 8, 1, false);
  CheckWelford<half>(7, 32, 19, false);
}
TEST(WelfordOfUnequalParts) {
  CheckJoin(true);
  CheckJoin(false);
}
TEST(CumSumOfRowsAndColumns) {
  CheckCumSum<float, kRight>(1, 8, 1e-6);
  CheckCumSum<float, kRight>(5, 40, 1e-6);
  CheckCumSum<float, kDown>(5, 40, 1e-6);
  CheckCumSum<half, kRight>(3, 16, 1e-3);
  CheckCumSum<half, kDown>(17, 16, 1e-3);
}
TEST(ColumnsBecomeFractals) {
  CheckFractals<float>(16, 8, 16);
  CheckFractals<float>(5, 11, 7);
  CheckFractals<half>(3, 33, 4);
  CheckFractals<int8_t>(2, 40, 2);
}

namespace {
constexpr DivConfig kDiv = {DivAlgo::PRECISION_0ULP_FTZ_FALSE};
constexpr SqrtConfig kSqrt = {SqrtAlgo::PRECISION_1ULP_FTZ_TRUE};
constexpr ExpConfig kExp = {ExpAlgo::PRECISION_1ULP_FTZ_FALSE};
constexpr LnConfig kLn = {LnAlgo::INTRINSIC};
constexpr ErfConfig kErf = {ErfAlgo::SUBSECTION_POLYNOMIAL_APPROXIMATION};
}  // namespace
TEST(WordsOnExactness) {
  std::vector<float> got(9 * 64);
  Launch([&] {
    Room room;
    std::vector<float> numbers(64);
    for (uint32_t i = 0; i < 64; i++)
      numbers[i] = static_cast<float>(i + 1) / 16;
    LocalTensor<float> x = room.Hold(numbers), y = room.Take<float>(9 * 64);
    LocalTensor<uint8_t> work = room.Take<uint8_t>(256);
    PipeBarrier<PIPE_ALL>();
    const BinaryRepeatParams two(1, 1, 1, 8, 8, 8);
    const UnaryRepeatParams one(1, 1, 8, 8);
    Div<float, kDiv>(y, x, x, 64);
    Div<float, true, kDiv>(y[64], x, x, uint64_t{64}, 1, two);
    Sqrt<float, kSqrt>(y[128], x, 64);
    Sqrt<float, true, kSqrt>(y[192], x, uint64_t{64}, 1, one);
    Exp<float, kExp>(y[256], x, 64);
    Ln<float, kLn>(y[320], x, 64);
    Erf<float, false, kErf>(y[384], x, work, 64);
    Exp<float, uint8_t{0}>(y[448], x, uint32_t{64});
    Cos(y[512], x, 64);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < got.size(); i++)
      got[i] = y.GetValue(i);
  });
  for (uint32_t i = 0; i < 64; i++) {
    const double x = (i + 1) / 16.0;
    const double want[] = {1,           1,           std::sqrt(x), std::sqrt(x), std::exp(x),
                           std::log(x), std::erf(x), std::exp(x),  std::cos(x)};
    for (uint32_t k = 0; k < 9; k++)
      CHECK(Near(static_cast<double>(got[k * 64 + i]), want[k], 1e-5));
  }
}

TEST(LargestOfBlocks) {
  std::vector<float> z(16, -1.0f);
  std::vector<int32_t> w(16, 100);
  Launch(
      [&] {
        Room room;
        std::vector<float> mine(16);
        std::vector<int32_t> whole(16);
        for (uint32_t i = 0; i < 16; i++) {
          mine[i] = static_cast<float>((i * 7 + GetBlockIdx() * 5) % 11) - 4;
          whole[i] = static_cast<int32_t>(i * 31 % 7 * 50 + static_cast<uint32_t>(GetBlockIdx()));
        }
        LocalTensor<float> t = room.Hold(mine);
        LocalTensor<int32_t> u = room.Hold(whole);
        GlobalTensor<float> g;
        GlobalTensor<int32_t> h;
        g.SetGlobalBuffer(z.data(), 16);
        h.SetGlobalBuffer(w.data(), 16);
        PipeBarrier<PIPE_ALL>();
        SetAtomicMax<float>();
        DataCopy(g, t, 16);
        SetAtomicNone();
        SetAtomicMax<int32_t>();
        DataCopy(h, u, 16);
        DisableDmaAtomic();
      },
      3);
  for (uint32_t i = 0; i < 16; i++) {
    float most = -1;
    for (uint32_t block = 0; block < 3; block++)
      most = std::max(most, static_cast<float>((i * 7 + block * 5) % 11) - 4);
    CHECK_EQ(z[i], most);
    CHECK_EQ(w[i], std::max(100, static_cast<int32_t>(i * 31 % 7 * 50 + 2)));
  }
}

TEST(BordersInBraces) {
  std::vector<float> x = {1, 2, 3, 4, 5}, got(8);
  Launch([&] {
    Room room;
    LocalTensor<float> t = room.Take<float>(8);
    GlobalTensor<float> g;
    g.SetGlobalBuffer(x.data(), x.size());
    DataCopyExtParams row(1, 5 * sizeof(float), 0, 0, 0);
    DataCopyPad(t, g[0], row, {true, 1, 2, 0});
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < 8; i++)
      got[i] = t.GetValue(i);
  });
  CHECK(got == std::vector<float>({0, 1, 2, 3, 4, 5, 0, 0}));
}

TEST(MemoryThatNothingHasTaken) {
  uint32_t rest = 0;
  bool there = false, apart = false;
  Launch([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1000);
    LocalTensor<int16_t> free;
    there = PopStackBuffer<int16_t, TPosition::LCM>(free);
    rest = free.GetSize();
    free.SetValue(rest - 1, 7);
    PipeBarrier<PIPE_ALL>();
    apart = free.GetPhyAddr() == buffer.Get<uint8_t>().GetPhyAddr() + 1024 && free.GetValue(rest - 1) == 7;
    free.SetSize(5);
    there = there && free.GetSize() == 5;
  });
  CHECK(there && apart);
  CHECK_EQ(rest, (192u * 1024 - 1024) / 2);
  CHECK_EQ(AlignUp(33, 32u), 64);
  CHECK_EQ(AlignUp(uint64_t{64}, 32), 64);
  CHECK_EQ(AlignUp(0, 32), 0);
  CHECK_EQ(AlignUp(5, 0), 0);
  CHECK_EQ(GetDataBlockSizeInBytes(), 32u);
}
// SPDX-License-Identifier: Apache-2.0
