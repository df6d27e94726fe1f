// Norms of rows beside plain sums in double: padded rows, tails, halves, without gamma and beta, in place.
#include <cmath>
#include <vector>

#include "check.h"
#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"

using namespace AscendC;

namespace {
constexpr uint32_t kRows = 3;
constexpr float kEpsilon = 1e-3f;

struct Rows {
  std::vector<double> x, mean, variance;
  uint32_t columns, pitch;
  double At(uint32_t row, uint32_t column) const { return x[row * columns + column]; }
};
Rows Make(uint32_t columns, uint32_t pitch) {
  Rows r = {{}, {}, {}, columns, pitch};
  for (uint32_t i = 0; i < kRows * columns; i++)
    r.x.push_back(static_cast<double>(i * 37 % 101) / 8 - 5);
  for (uint32_t row = 0; row < kRows; row++) {
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < columns; i++)
      sum += r.At(row, i);
    r.mean.push_back(sum / columns);
    for (uint32_t i = 0; i < columns; i++)
      squares += (r.At(row, i) - r.mean[row]) * (r.At(row, i) - r.mean[row]);
    r.variance.push_back(squares / columns);
  }
  return r;
}
double Gamma(uint32_t i) {
  return static_cast<double>(i % 5) / 4 + 0.5;
}
double Beta(uint32_t i) {
  return static_cast<double>(i % 3) - 1;
}
bool Near(double got, double wanted, double tolerance) {
  return std::fabs(got - wanted) <= tolerance * std::fmax(1.0, std::fabs(wanted));
}

// Tensors with rows, gamma and beta in T, and what `body` makes of them.
template <typename T, typename Body>
void InBlock(const Rows &rows, Body body) {
  static const Rows *of;
  static Body *now;
  of = &rows;
  now = &body;
  void (*kernel)() = [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[6];
    LocalTensor<T> t[6];
    for (int i = 0; i < 6; i++) {
      pipe.InitBuffer(buffers[i], 16384);
      t[i] = buffers[i].Get<T>();
    }
    for (uint32_t row = 0; row < kRows; row++) {
      for (uint32_t i = 0; i < of->columns; i++)
        t[1].SetValue(row * of->pitch + i, static_cast<T>(static_cast<float>(of->At(row, i))));
    }
    for (uint32_t i = 0; i < of->columns; i++) {
      t[2].SetValue(i, static_cast<T>(static_cast<float>(Gamma(i))));
      t[3].SetValue(i, static_cast<T>(static_cast<float>(Beta(i))));
    }
    PipeBarrier<PIPE_ALL>();
    (*now)(t);
  };
  CHECK_EQ(weft_asc::call("norm", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(), 0);
}

template <typename T>
void CheckRows(const Rows &rows, const LocalTensor<T> &y, bool centred, bool gamma, bool beta,
               double tolerance) {
  for (uint32_t row = 0; row < kRows; row++) {
    const double mean = centred ? rows.mean[row] : 0;
    const double square = rows.variance[row] + (centred ? 0 : rows.mean[row] * rows.mean[row]);
    for (uint32_t i = 0; i < rows.columns; i++) {
      double wanted = (rows.At(row, i) - mean) / std::sqrt(square + kEpsilon);
      wanted = wanted * (gamma ? Gamma(i) : 1) + (beta ? Beta(i) : 0);
      CHECK(
          Near(static_cast<double>(static_cast<float>(y.GetValue(row * rows.pitch + i))), wanted, tolerance));
    }
  }
}
constexpr LayerNormConfig kPlain = {true, true, false, false};
}  // namespace

TEST(NormOfLayers) {
  for (const uint32_t columns : {1u, 7u, 64u, 600u}) {
    const Rows rows = Make(columns, (columns + 15) / 16 * 16);
    InBlock<float>(rows, [&](LocalTensor<float> *t) {
      const LayerNormPara para = {kRows, rows.columns, rows.pitch};
      LayerNorm<float, float>(t[0], t[4], t[5], t[1], t[2], t[3], kEpsilon, para, 0);
      PipeBarrier<PIPE_ALL>();
      CheckRows(rows, t[0], true, true, true, 1e-5);
      for (uint32_t row = 0; row < kRows; row++) {
        CHECK(Near(t[4].GetValue(row), rows.mean[row], 1e-5));
        CHECK(Near(t[5].GetValue(row), 1 / std::sqrt(rows.variance[row] + kEpsilon), 1e-5));
      }
      PipeBarrier<PIPE_ALL>();
      // the second half alone, of a mean and a variance that are given
      for (uint32_t row = 0; row < kRows; row++)
        t[5].SetValue(row, static_cast<float>(rows.variance[row]));
      PipeBarrier<PIPE_ALL>();
      const NormalizePara again = {kRows, rows.columns, rows.pitch};
      Normalize<float, float>(t[0], t[0][3000], t[4], t[5], t[1], t[2], t[3], kEpsilon, again);
      PipeBarrier<PIPE_ALL>();
      CheckRows(rows, t[0], true, true, true, 1e-5);
      PipeBarrier<PIPE_ALL>();
      // in place, without factors, the variance beside it
      LayerNorm<float, float, false, kPlain>(t[1], t[4], t[5], t[1], t[2], t[3], kEpsilon, para, 0);
      PipeBarrier<PIPE_ALL>();
      CheckRows(rows, t[1], true, false, false, 1e-5);
      CHECK(Near(t[5].GetValue(1), rows.variance[1], 1e-5));
    });
  }
}

TEST(NormByTilingInHalves) {
  const Rows rows = Make(60, 64);
  InBlock<half>(rows, [&](LocalTensor<half> *t) {
    AscendC::tiling::LayerNormTiling sizes = {};
    sizes.bLength = 1;
    sizes.sLength = kRows;
    sizes.hLength = 64;
    sizes.originalHLength = 60;
    LayerNorm(t[0], t[4], t[5], t[1], t[2], t[3], static_cast<half>(kEpsilon), sizes);
    PipeBarrier<PIPE_ALL>();
    CheckRows(rows, t[0], true, true, true, 4e-3);
    CHECK(Near(static_cast<double>(static_cast<float>(t[5].GetValue(2))), rows.variance[2], 2e-3));
    PipeBarrier<PIPE_ALL>();
    tiling::RmsNormTiling rms = {};
    rms.bLength = kRows;
    rms.sLength = 1;
    rms.hLength = 64;
    rms.originalHLength = 60;
    RmsNorm(t[0], t[1], t[2], t[3].ReinterpretCast<uint8_t>(), static_cast<half>(kEpsilon), rms);
    PipeBarrier<PIPE_ALL>();
    CheckRows(rows, t[0], false, true, false, 4e-3);
  });
}
// SPDX-License-Identifier: Apache-2.0
