// bench_ascendc.cpp - kernels in Ascend C beside weft's own for the same operator: x + y, and that with exp
// and a product, in one pass over UB; sums, softmax and layer norm of rows. It prints; the goal is half of
// weft's speed, a ratio of 2.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench.h"
#include "bench_ascendc_rows.h"
#include "kernel_operator.h"

using namespace AscendC;

namespace {
constexpr int kRounds = 21;
constexpr uint32_t kTile = 2048;

// One block's part in tiles, double buffered; Compute makes z of x and y.
template <typename Compute>
class Elementwise {
 public:
  void Run(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total) {
    const uint32_t part = total / GetBlockNum();
    GlobalTensor<float> gx, gy, gz;
    gx.SetGlobalBuffer((__gm__ float *)x + part * GetBlockIdx(), part);
    gy.SetGlobalBuffer((__gm__ float *)y + part * GetBlockIdx(), part);
    gz.SetGlobalBuffer((__gm__ float *)z + part * GetBlockIdx(), part);
    pipe_.InitBuffer(in_x_, 2, kTile * sizeof(float));
    pipe_.InitBuffer(in_y_, 2, kTile * sizeof(float));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(float));
    for (uint32_t at = 0; at < part; at += kTile)
      Tile(gx[at], gy[at], gz[at], std::min(part - at, kTile));
  }

 private:
  void Tile(const GlobalTensor<float> &gx, const GlobalTensor<float> &gy, const GlobalTensor<float> &gz,
            uint32_t n) {
    LocalTensor<float> x = in_x_.AllocTensor<float>();
    LocalTensor<float> y = in_y_.AllocTensor<float>();
    DataCopy(x, gx, n);
    DataCopy(y, gy, n);
    in_x_.EnQue(x);
    in_y_.EnQue(y);
    x = in_x_.DeQue<float>();
    y = in_y_.DeQue<float>();
    LocalTensor<float> z = out_.AllocTensor<float>();
    Compute::Make(z, x, y, static_cast<int32_t>(n));
    in_x_.FreeTensor(x);
    in_y_.FreeTensor(y);
    out_.EnQue(z);
    z = out_.DeQue<float>();
    DataCopy(gz, z, n);
    out_.FreeTensor(z);
  }
  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_x_, in_y_;
  TQue<TPosition::VECOUT, 2> out_;
};
struct Sum {
  static void Make(LocalTensor<float> &z, LocalTensor<float> &x, LocalTensor<float> &y, int32_t n) {
    Add(z, x, y, n);
  }
};
struct ExpOfSum {
  static void Make(LocalTensor<float> &z, LocalTensor<float> &x, LocalTensor<float> &y, int32_t n) {
    Add(z, x, y, n);
    Exp(z, z, n);
    Mul(z, z, y, n);
  }
};
void kernel_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total) {
  Elementwise<Sum>().Run(x, y, z, total);
}
void kernel_exp(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total) {
  Elementwise<ExpOfSum>().Run(x, y, z, total);
}

void Check(weft_status s, const weft_diag &d) {
  if (s)
    bench_die(&d);
}

using Values = std::vector<float>;

// weft's own program for the same: the inputs' shapes, then what the text makes of them.
class Own {
 public:
  explicit Own(const std::string &text) {
    Check(weft_env_create(nullptr, &env_, &d_), d_);
    Check(weft_graph_parse(env_, text.data(), text.size(), "bench", &graph_, &d_), d_);
    Check(weft_compile(graph_, nullptr, &program_, &d_), d_);
    Check(weft_exec_create(program_, nullptr, &exec_, &d_), d_);
  }
  void Run(const std::vector<Values *> &from, Values &to) {
    std::vector<weft_tensor> t(from.size() + 1);
    std::vector<const weft_tensor *> in;
    for (size_t i = 0; i <= from.size(); i++) {
      weft_tensor_desc desc;
      Values &v = i < from.size() ? *from[i] : to;
      if (!(i < from.size() ? weft_program_input(program_, i, &desc)
                            : weft_program_output(program_, 0, &desc)))
        exit(1);
      weft_tensor_init(&t[i], nullptr);
      const weft_shape &s = desc.layout.origin;
      Check(weft_tensor_borrow(&t[i], WEFT_FLOAT, s.dim, s.rank, v.data(), v.size() * sizeof(float), &d_),
            d_);
      if (i < from.size())
        in.push_back(&t[i]);
    }
    weft_tensor *out[1] = {&t[from.size()]};
    Check(weft_exec_run(exec_, in.data(), in.size(), out, 1, &d_), d_);
  }

 private:
  weft_diag d_ = {};
  weft_env *env_;
  weft_graph *graph_;
  weft_program *program_;
  weft_exec *exec_;
};

GM_ADDR Bytes(Values &v) {
  return reinterpret_cast<GM_ADDR>(v.data());
}
double FarthestApart(const Values &a, const Values &b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); i++)
    most = std::max(most, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}
// One after the other, so that both see the same machine.
template <typename Launch>
void Compare(const char *name, uint32_t n, Own &own, const std::vector<Values *> &from, Values &mine,
             Values &theirs, Launch launch) {
  double ours[kRounds], kernels[kRounds];
  for (int i = -2; i < kRounds; i++) {
    const double start = bench_now_ns();
    own.Run(from, mine);
    const double middle = bench_now_ns();
    if (launch())
      fprintf(stderr, "%s\n", weft_asc_error());
    if (i < 0)
      continue;
    ours[i] = middle - start;
    kernels[i] = bench_now_ns() - middle;
  }
  const double a = bench_summary(ours, kRounds).median / 1e3;
  const double b = bench_summary(kernels, kRounds).median / 1e3;
  const double apart = FarthestApart(mine, theirs);
  printf("%-16s %9u %12.1f %12.1f %7.2f   %s%.1g\n", name, n, a, b, b / a, apart > 1e-4 ? "APART BY " : "",
         apart);
}
void Measure(const char *name, const std::string &nodes, void (*kernel)(GM_ADDR, GM_ADDR, GM_ADDR, uint32_t),
             uint32_t n) {
  Values x(n, 0.25f), y(n, 0.5f), z(n), w(n);
  const uint32_t blocks = n >= 1u << 18 ? 8 : 1;
  const std::string size = std::to_string(n);
  Own own("graph \"g\" { input x: f32[" + size + "] input y: f32[" + size + "] " + nodes + " output z }");
  Compare(name, n, own, {&x, &y}, z, w, [&] {
    return weft_asc::call(name, __FILE__, __LINE__, kernel, blocks, nullptr, nullptr)(Bytes(x), Bytes(y),
                                                                                      Bytes(w), n);
  });
}
using RowKernel = void (*)(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, uint32_t, uint32_t);
void MeasureRows(const char *name, const std::string &nodes, RowKernel kernel, uint32_t count,
                 uint32_t columns) {
  const uint32_t n = count * columns;
  const bool wide = kernel != rows::Kernel<rows::Sum>;
  const uint32_t blocks = n >= 1u << 18 ? 8 : 1;
  Values x(n), gamma(columns, 1.5f), beta(columns, 0.25f), z(wide ? n : count), w(z.size());
  for (uint32_t i = 0; i < n; i++)
    x[i] = static_cast<float>(i * 37 % 101) / 64.0f;
  const std::string row = "f32[" + std::to_string(columns) + "]";
  Own own("graph \"g\" { input x: f32[" + std::to_string(count) + "," + std::to_string(columns) +
          "] input gamma: " + row + " input beta: " + row + " " + nodes + " output z }");
  Compare(name, n, own, {&x, &gamma, &beta}, z, w, [&] {
    return weft_asc::call(name, __FILE__, __LINE__, kernel, blocks, nullptr, nullptr)(
        Bytes(x), Bytes(gamma), Bytes(beta), Bytes(w), count, columns);
  });
}
}  // namespace

// An argument: rows whose name begins with it only.
int main(int argc, char **argv) {
  const struct {
    const char *name, *nodes;
    void (*kernel)(GM_ADDR, GM_ADDR, GM_ADDR, uint32_t);
  } of_elements[] = {
      {"x + y", "node a: Add(x, y) -> z", kernel_sum},
      {"exp(x + y) * y", "node a: Add(x, y) -> s node b: Exp(s) -> e node c: Mul(e, y) -> z", kernel_exp},
  };
  const struct {
    const char *name, *nodes;
    RowKernel kernel;
  } of_rows[] = {
      {"sums of rows", "const a: i64[1]{1} node s: ReduceSum(x, a) -> z", rows::Kernel<rows::Sum>},
      {"softmax", "node s: SoftmaxV2(x) {axes=[-1]} -> z", rows::Kernel<rows::Softmax>},
      {"layer norm",
       "node s: LayerNorm(x, gamma, beta) {begin_norm_axis=1, begin_params_axis=1, epsilon=1e-5} -> z, m, v",
       rows::Kernel<rows::LayerNorm>},
  };
  printf("%-16s %9s %12s %12s %7s   median us of %d; how far apart\n", "", "floats", "weft's own", "Ascend C",
         "ratio", kRounds);
  const std::string only = argc > 1 ? argv[1] : "";
  const auto wanted = [&](const char *name) { return !only.compare(0, only.size(), name, 0, only.size()); };
  for (const auto &row : of_elements) {
    for (const uint32_t n : {1u << 14, 1u << 18, 1u << 22})
      wanted(row.name) ? Measure(row.name, row.nodes, row.kernel, n) : void();
  }
  for (const auto &row : of_rows) {
    for (const uint32_t count : {16u, 256u, 4096u})
      wanted(row.name) ? MeasureRows(row.name, row.nodes, row.kernel, count, 1024) : void();
  }
}
// SPDX-License-Identifier: Apache-2.0
