// bench_ascendc.cpp - kernels in Ascend C beside weft's own for the same operator: x + y, and that with exp
// and a product, in one pass over UB; sums, softmax and layer norm of rows; in float and half, on one and two
// threads of each. Rounds of both take turns, so that they see the same machine. The goal is half of weft's
// speed, a ratio of 2.
#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <vector>

#include "bench.h"
#include "bench_ascendc_rows.h"
#include "kernel_operator.h"

using namespace AscendC;

namespace {
constexpr int kMostRounds = 1001;
constexpr uint32_t kTile = 2048;
constexpr uint32_t kBlocks = 8;

// One block's part in tiles, double buffered; Compute makes z of x and y.
template <typename T, typename Compute>
class Elementwise {
 public:
  void Run(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total) {
    const uint32_t part = total / GetBlockNum();
    GlobalTensor<T> gx, gy, gz;
    gx.SetGlobalBuffer((__gm__ T *)x + part * GetBlockIdx(), part);
    gy.SetGlobalBuffer((__gm__ T *)y + part * GetBlockIdx(), part);
    gz.SetGlobalBuffer((__gm__ T *)z + part * GetBlockIdx(), part);
    pipe_.InitBuffer(in_x_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(in_y_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(T));
    for (uint32_t at = 0; at < part; at += kTile)
      Tile(gx[at], gy[at], gz[at], std::min(part - at, kTile));
  }

 private:
  void Tile(const GlobalTensor<T> &gx, const GlobalTensor<T> &gy, const GlobalTensor<T> &gz, uint32_t n) {
    LocalTensor<T> x = in_x_.template AllocTensor<T>();
    LocalTensor<T> y = in_y_.template AllocTensor<T>();
    DataCopy(x, gx, n);
    DataCopy(y, gy, n);
    in_x_.EnQue(x);
    in_y_.EnQue(y);
    x = in_x_.template DeQue<T>();
    y = in_y_.template DeQue<T>();
    LocalTensor<T> z = out_.template AllocTensor<T>();
    Compute::Make(z, x, y, static_cast<int32_t>(n));
    in_x_.FreeTensor(x);
    in_y_.FreeTensor(y);
    out_.EnQue(z);
    z = out_.template DeQue<T>();
    DataCopy(gz, z, n);
    out_.FreeTensor(z);
  }
  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_x_, in_y_;
  TQue<TPosition::VECOUT, 2> out_;
};
struct Sum {
  template <typename T>
  static void Make(LocalTensor<T> &z, LocalTensor<T> &x, LocalTensor<T> &y, int32_t n) {
    Add(z, x, y, n);
  }
};
struct ExpOfSum {
  template <typename T>
  static void Make(LocalTensor<T> &z, LocalTensor<T> &x, LocalTensor<T> &y, int32_t n) {
    Add(z, x, y, n);
    Exp(z, z, n);
    Mul(z, z, y, n);
  }
};
template <typename T, typename Compute>
void kernel_elementwise(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total) {
  Elementwise<T, Compute>().Run(x, y, z, total);
}

void Check(weft_status s, const weft_diag &d) {
  if (s)
    bench_die(&d);
}

// Numbers of a dtype, as weft and kernels see them.
template <typename T>
constexpr const char *kName = sizeof(T) == 4 ? "f32" : "f16";
// Where weft, and aclrtMalloc, put tensors: at multiples of 64 bytes.
template <typename T>
struct Aligned {
  using value_type = T;
  T *allocate(size_t n) { return static_cast<T *>(::operator new(n * sizeof(T), std::align_val_t(64))); }
  void deallocate(T *p, size_t) { ::operator delete(p, std::align_val_t(64)); }
  friend bool operator==(const Aligned &, const Aligned &) { return true; }
  friend bool operator!=(const Aligned &, const Aligned &) { return false; }
};
template <typename T>
using Values = std::vector<T, Aligned<T>>;

// weft's own program for the same: the inputs' shapes, then what the text makes of them.
template <typename T>
class Own {
 public:
  Own(const std::string &text, uint32_t threads) {
    weft_env_options options = {};
    options.threads = threads;
    Check(weft_env_create(&options, &env_, &d_), d_);
    Check(weft_graph_parse(env_, text.data(), text.size(), "bench", &graph_, &d_), d_);
    Check(weft_compile(graph_, nullptr, &program_, &d_), d_);
    Check(weft_exec_create(program_, nullptr, &exec_, &d_), d_);
  }
  ~Own() {
    weft_exec_destroy(exec_);
    weft_program_release(program_);
    weft_env_destroy(env_);
  }
  void Run(const std::vector<Values<T> *> &from, Values<T> &to) {
    std::vector<weft_tensor> t(from.size() + 1);
    std::vector<const weft_tensor *> in;
    for (size_t i = 0; i <= from.size(); i++) {
      weft_tensor_desc desc;
      Values<T> &v = i < from.size() ? *from[i] : to;
      if (!(i < from.size() ? weft_program_input(program_, i, &desc)
                            : weft_program_output(program_, 0, &desc)))
        exit(1);
      weft_tensor_init(&t[i], nullptr);
      const weft_shape &s = desc.layout.origin;
      Check(weft_tensor_borrow(&t[i], desc.dtype, s.dim, s.rank, v.data(), v.size() * sizeof(T), &d_), d_);
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

template <typename... P>
void Launch(const char *name, uint32_t threads, void (*kernel)(P...), P... args) {
  weft_asc_launch launch = weft_asc::LaunchOf(name, __FILE__, __LINE__, kBlocks);
  launch.threads = threads;
  if (weft_asc::Call<void (*)(P...), P...>(kernel, launch, nullptr)(args...))
    fprintf(stderr, "%s\n", weft_asc_error());
}
template <typename T>
GM_ADDR Bytes(Values<T> &v) {
  return reinterpret_cast<GM_ADDR>(v.data());
}
template <typename T>
double FarthestApart(const Values<T> &a, const Values<T> &b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); i++)
    most = std::max(most, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

// Of few numbers more rounds: 41 of twenty microseconds are over before another program is off the core.
int RoundsOf(uint32_t n) {
  return n <= 1u << 16 ? kMostRounds : n <= 1u << 20 ? 201 : 41;
}

// Round by round in turn, `own` and `kernel`.
template <typename First, typename Second>
void Compare(const std::string &head, int rounds, First own, Second kernel) {
  double ours[kMostRounds], kernels[kMostRounds];
  for (int i = -2; i < rounds; i++) {
    const double start = bench_now_ns();
    own();
    const double middle = bench_now_ns();
    kernel();
    if (i < 0)
      continue;
    kernels[i] = bench_now_ns() - middle;
    ours[i] = middle - start;
  }
  const bench_result a = bench_summary(ours, rounds), b = bench_summary(kernels, rounds);
  printf("%s %10.1f %10.1f %7.2f %10.1f %10.1f %7.2f", head.c_str(), a.median / 1e3, b.median / 1e3,
         b.median / a.median, a.min / 1e3, b.min / 1e3, b.min / a.min);
}
template <typename T>
void End(const Values<T> &mine, const Values<T> &theirs) {
  const double apart = FarthestApart(mine, theirs);
  printf("   %s%.1g\n", apart > (sizeof(T) == 4 ? 1e-4 : 1e-2) ? "APART BY " : "", apart);
  fflush(stdout);
}
std::string Head(const char *name, const char *dtype, uint32_t n, uint32_t threads) {
  char head[64];
  snprintf(head, sizeof head, "%-15s %s %9u %2u", name, dtype, n, threads);
  return head;
}

template <typename T, typename Compute>
void MeasureElements(const char *name, const std::string &nodes, uint32_t n, uint32_t threads) {
  Values<T> x(n, T(0.25f)), y(n, T(0.5f)), z(n), w(n);
  const std::string of = std::string(kName<T>) + "[" + std::to_string(n) + "]";
  Own<T> own("graph \"g\" { input x: " + of + " input y: " + of + " " + nodes + " output z }", threads);
  Compare(
      Head(name, kName<T>, n, threads), RoundsOf(n),
      [&] {
        own.Run({&x, &y}, z);
      },
      [&] { Launch(name, threads, kernel_elementwise<T, Compute>, Bytes(x), Bytes(y), Bytes(w), n); });
  End(z, w);
}
template <typename T, typename Compute>
void MeasureRows(const char *name, const std::string &nodes, uint32_t n, uint32_t threads) {
  constexpr uint32_t kColumns = 1024;
  const uint32_t count = n / kColumns;
  Values<T> x(n), gamma(kColumns, T(1.5f)), beta(kColumns, T(0.25f)), z(Compute::kWide ? n : count), w(z);
  for (uint32_t i = 0; i < n; i++)
    x[i] = T(static_cast<float>(i * 37 % 101) / 64.0f);
  const std::string type = kName<T>;
  const std::string row = type + "[" + std::to_string(kColumns) + "]";
  Own<T> own("graph \"g\" { input x: " + type + "[" + std::to_string(count) + "," + std::to_string(kColumns) +
                 "] input gamma: " + row + " input beta: " + row + " " + nodes + " output z }",
             threads);
  Compare(
      Head(name, kName<T>, n, threads), RoundsOf(n),
      [&] {
        own.Run({&x, &gamma, &beta}, z);
      },
      [&] {
        Launch(name, threads, rows::Kernel<T, Compute>, Bytes(x), Bytes(gamma), Bytes(beta), Bytes(w), count,
               kColumns);
      });
  End(z, w);
}

const char kSoftmax[] = "node s: SoftmaxV2(x) {axes=[-1]} -> z";
const char kLayerNorm[] =
    "node s: LayerNorm(x, gamma, beta) {begin_norm_axis=1, begin_params_axis=1, epsilon=1e-5} -> z, m, v";
using MeasureFn = void (*)(const char *, const std::string &, uint32_t, uint32_t);
const struct {
  const char *name, *nodes;
  MeasureFn measure[2];
} kPairs[] = {
    {"x + y", "node a: Add(x, y) -> z", {MeasureElements<float, Sum>, MeasureElements<half, Sum>}},
    {"exp(x + y) * y",
     "node a: Add(x, y) -> s node b: Exp(s) -> e node c: Mul(e, y) -> z",
     {MeasureElements<float, ExpOfSum>, MeasureElements<half, ExpOfSum>}},
    {"sums of rows",
     "const a: i64[1]{1} node s: ReduceSum(x, a) -> z",
     {MeasureRows<float, rows::Sum>, MeasureRows<half, rows::Sum>}},
    {"softmax", kSoftmax, {MeasureRows<float, rows::Softmax>, MeasureRows<half, rows::Softmax>}},
    {"SoftMax", kSoftmax, {MeasureRows<float, rows::SoftMaxCall>, MeasureRows<half, rows::SoftMaxCall>}},
    {"layer norm", kLayerNorm, {MeasureRows<float, rows::LayerNorm>, MeasureRows<half, rows::LayerNorm>}},
    {"LayerNorm",
     kLayerNorm,
     {MeasureRows<float, rows::LayerNormCall>, MeasureRows<half, rows::LayerNormCall>}},
};
}  // namespace

// bench_ascendc [NAME [NUMBERS [THREADS]]]: lines whose name begins so, of so many numbers, on so many
// threads.
int main(int argc, char **argv) {
  const std::string only = argc > 1 ? argv[1] : "";
  const unsigned long numbers = argc > 2 ? strtoul(argv[2], nullptr, 10) : 0;
  const unsigned long on = argc > 3 ? strtoul(argv[3], nullptr, 10) : 0;
  puts("microseconds                        medians                         minima");
  printf("%-15s %3s %9s %2s %10s %10s %7s %10s %10s %7s   %s\n", "", "", "numbers", "on", "weft's own",
         "Ascend C", "ratio", "weft's own", "Ascend C", "ratio", "apart");
  for (const auto &pair : kPairs) {
    if (only.compare(0, only.size(), pair.name, 0, only.size()))
      continue;
    for (const MeasureFn measure : pair.measure) {
      for (const uint32_t n : {1u << 16, 1u << 20, 1u << 24}) {
        for (const uint32_t threads : {1u, 2u}) {
          if ((!numbers || numbers == n) && (!on || on == threads))
            measure(pair.name, pair.nodes, n, threads);
        }
      }
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
