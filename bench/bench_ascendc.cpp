// bench_ascendc.cpp - kernels in Ascend C beside weft's own for the same operator: x + y, exp, and the two
// together with a product, each in one pass over UB. It prints; the goal (half of weft's speed) is in
// docs/ascendc.md.
#include <algorithm>
#include <string>
#include <vector>

#include "bench.h"
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

// weft's own program for the same.
class Own {
 public:
  Own(const std::string &nodes, uint32_t n) {
    const std::string size = std::to_string(n);
    const std::string text =
        "graph \"g\" { input x: f32[" + size + "] input y: f32[" + size + "] " + nodes + " output z }";
    Check(weft_env_create(nullptr, &env_, &d_), d_);
    Check(weft_graph_parse(env_, text.data(), text.size(), "bench", &graph_, &d_), d_);
    Check(weft_compile(graph_, nullptr, &program_, &d_), d_);
    Check(weft_exec_create(program_, nullptr, &exec_, &d_), d_);
  }
  void Run(std::vector<float> &x, std::vector<float> &y, std::vector<float> &z) {
    const weft_dim dims[1] = {static_cast<weft_dim>(x.size())};
    std::vector<float> *all[3] = {&x, &y, &z};
    weft_tensor t[3];
    for (int i = 0; i < 3; i++) {
      weft_tensor_init(&t[i], nullptr);
      Check(weft_tensor_borrow(&t[i], WEFT_FLOAT, dims, 1, all[i]->data(), x.size() * sizeof(float), &d_),
            d_);
    }
    const weft_tensor *in[2] = {&t[0], &t[1]};
    weft_tensor *out[1] = {&t[2]};
    Check(weft_exec_run(exec_, in, 2, out, 1, &d_), d_);
  }

 private:
  weft_diag d_ = {};
  weft_env *env_;
  weft_graph *graph_;
  weft_program *program_;
  weft_exec *exec_;
};

// One after the other, so that both see the same machine.
void Measure(const char *name, const char *nodes, void (*kernel)(GM_ADDR, GM_ADDR, GM_ADDR, uint32_t),
             uint32_t n) {
  std::vector<float> x(n, 0.25f), y(n, 0.5f), z(n), w(n);
  const auto bytes = [](std::vector<float> &v) { return reinterpret_cast<GM_ADDR>(v.data()); };
  const uint32_t blocks = n >= 1u << 18 ? 8 : 1;
  Own own(nodes, n);
  double theirs[kRounds], ours[kRounds];
  for (int i = -2; i < kRounds; i++) {
    const double start = bench_now_ns();
    own.Run(x, y, z);
    const double middle = bench_now_ns();
    if (weft_asc::call(name, __FILE__, __LINE__, kernel, blocks, nullptr, nullptr)(bytes(x), bytes(y),
                                                                                   bytes(w), n))
      fprintf(stderr, "%s\n", weft_asc_error());
    if (i < 0)
      continue;
    ours[i] = middle - start;
    theirs[i] = bench_now_ns() - middle;
  }
  const double a = bench_summary(ours, kRounds).median / 1e3;
  const double b = bench_summary(theirs, kRounds).median / 1e3;
  printf("%-16s %9u %12.1f %12.1f %7.2f%s\n", name, n, a, b, b / a, z == w ? "" : "   different bits");
}
}  // namespace

int main() {
  const struct {
    const char *name, *nodes;
    void (*kernel)(GM_ADDR, GM_ADDR, GM_ADDR, uint32_t);
  } rows[] = {
      {"x + y", "node a: Add(x, y) -> z", kernel_sum},
      {"exp(x + y) * y", "node a: Add(x, y) -> s node b: Exp(s) -> e node c: Mul(e, y) -> z", kernel_exp},
  };
  printf("%-16s %9s %12s %12s %7s   median us of %d\n", "", "floats", "weft's own", "Ascend C", "ratio",
         kRounds);
  for (const auto &row : rows) {
    for (const uint32_t n : {1u << 14, 1u << 18, 1u << 22})
      Measure(row.name, row.nodes, row.kernel, n);
  }
}
// SPDX-License-Identifier: Apache-2.0
