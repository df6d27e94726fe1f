// Kernels that are a graph of vector functions beside plain loops over their elements, with the tiling that
// the host's side of the same graph makes.
#include "weft_cann/op_util.h"
#include "weft_cann/tiling_key.h"
#include "weft_cann/types.h"
// As before the source of a package's kernel.
#define DT_UNDEFINED 28
#define DT_INT32     3
#define DT_INT64     9
#include "atvoss/broadcast/broadcast_sch.h"
#include "atvoss/elewise/elewise_sch.h"
#include "atvoss/reduce/reduce_sch.h"
#include "atvoss/reduce/reduce_tiling.h"
#undef DT_UNDEFINED
#undef DT_INT32
#undef DT_INT64

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/context_builder/op_tiling_context_builder.h"
#include "check.h"

using namespace Ops::Base;

namespace {
// A function of the kernel's own.
template <typename T>
struct Twice : Vec::ElemwiseUnaryOP<T, T> {
  Twice(AscendC::LocalTensor<T> &dst, AscendC::LocalTensor<T> &src, uint32_t count) {
    AscendC::Add(dst, src, src, static_cast<int32_t>(count));
  }
};

// (2 x + 1.5 y) var0, and var1 where x is less than y
template <typename T, template <typename> class Copy>
struct Mixed {
  using Factor = MAKE_CONST(float, 1.5);
  using X = Bind<Vec::Cast<float, T, 0>, Bind<Copy<T>, Placeholder::In0<T>>>;
  using Y = Bind<Vec::Cast<float, T, 0>, Bind<Copy<T>, Placeholder::In1<T>>>;
  using Sum = Bind<Vec::Add<float>, Bind<Twice<float>, X>, Bind<Vec::Muls<float>, Y, Factor>>;
  using Scaled = Bind<Vec::Muls<float>, Sum, Placeholder::Var<float, 0>>;
  using Less = Bind<Vec::Compare<uint8_t, float, 0>, X, Y>;
  using Other = Bind<Vec::Duplicate<float>, Placeholder::Var<float, 1>>;
  using Chosen = Bind<Vec::Select<uint8_t, float, 2>, Less, Other, Scaled>;
  using Out = Bind<Vec::CopyOut<T>, Placeholder::Out0<T>, Bind<Vec::Cast<T, float, 1>, Chosen>>;
  using OpDag = DAGSch<Elems<Out>, void, MemOptCfg<MemLevel::LEVEL_2>>;
};
float MixedPlain(float x, float y) {
  return x < y ? -7.25f : (2 * x + 1.5f * y) * 0.5f;
}
float SampleOf(size_t i) {
  return (static_cast<float>(i * 37 % 101) - 50) / 4;
}

using Work = std::function<void()>;
const Work *work_now;
void RunWork() {
  (*work_now)();
}
void Launch(const Work &work, int64_t blocks) {
  work_now = &work;
  const int status =
      weft_asc::call("graph", __FILE__, __LINE__, RunWork, static_cast<uint32_t>(blocks), nullptr, nullptr)();
  CHECK_EQ(std::string(status ? weft_asc_error() : ""), std::string());
}
template <typename T>
std::vector<T> Samples(size_t n, size_t seed) {
  std::vector<T> all(n);
  for (size_t i = 0; i < n; i++)
    all[i] = static_cast<T>(SampleOf(i + seed));
  return all;
}
template <typename T>
GM_ADDR At(std::vector<T> &v) {
  return reinterpret_cast<GM_ADDR>(v.data());
}
template <typename T>
void CheckSame(const std::vector<T> &got, const std::function<float(size_t)> &want) {
  for (size_t i = 0; i < got.size(); i++) {
    if (static_cast<float>(got[i]) == static_cast<float>(static_cast<T>(want(i))))
      continue;
    std::cerr << "element " << i << ": " << static_cast<float>(got[i]) << ", expected " << want(i) << "\n";
    CHECK_EQ(std::string("another number"), "");
    return;
  }
}
ElewiseTilingData Dealt(int64_t n, int64_t bits) {
  ElewiseTilingParams params;
  params.coreNum = 3;
  params.shape = {n};
  params.ubSize = 190 * 1024;
  params.computeMap = {{0, {32, 16, {0}, {bits}}}};
  ElewiseTilingData data;
  CHECK_EQ(ElewiseTiling(params, data), ge::GRAPH_SUCCESS);
  return data;
}

template <typename T>
void CheckElements(int64_t n) {
  using Dag = typename Mixed<T, Vec::CopyIn>::OpDag;
  std::vector<T> x = Samples<T>(n, 0), y = Samples<T>(n, 9), z(n), w(n), v(n);
  const ElewiseTilingData d = Dealt(n, Dag::kBitsOfElement);
  EleBaseTilingData whole = {};
  whole.dim0 = d.dim0;
  whole.blockFormer = d.blockFormer;
  Launch(
      [&] {
        AscendC::TPipe pipe;
        ElementwiseSch<0UL, Dag> sch(&whole, &pipe);
        sch.template SetVar<float, 0>(0.5f);
        sch.template SetVar<float, 1>(-7.25f);
        sch.Init(At(x), At(y), At(z));
        sch.Process();
      },
      d.blockNum);
  EleBaseTilingData32B scalars = {
      d.dim0, static_cast<int32_t>(d.coreNum), static_cast<int32_t>(d.ubFormer), {}};
  const float numbers[] = {0.5f, -7.25f};
  memcpy(scalars.scalarData, numbers, sizeof numbers);
  Launch(
      [&] {
        ElementwiseSchWithScalar<EleBaseTilingData32B, 0UL, Dag> sch(&scalars);
        sch.Init(At(x), At(y), At(w));
        sch.Process();
      },
      d.blockNum);
  const EleBaseTilingData16B brief = {d.dim0, static_cast<int32_t>(d.coreNum),
                                      static_cast<int32_t>(d.ubFormer)};
  Launch(
      [&] {
        ElementwiseSch16B<0UL, Dag> sch(&brief);
        sch.template SetVar<float, 0>(0.5f);
        sch.template SetVar<float, 1>(-7.25f);
        sch.Init(At(x), At(y), At(v));
        sch.Process();
      },
      d.blockNum);
  for (const std::vector<T> &got : {z, w, v})
    CheckSame<T>(got,
                 [&](size_t i) { return MixedPlain(static_cast<float>(x[i]), static_cast<float>(y[i])); });
}

// The tiling that the host's side writes, for a kernel to read.
template <typename Dag>
struct BroadcastTiled {
  std::vector<char> bytes;
  uint64_t schedule = 0;
  int64_t blocks = 0;
};
gert::Tensor Described(const gert::Shape &shape) {
  gert::StorageShape both;
  both.MutableOriginShape() = shape;
  both.MutableStorageShape() = shape;
  return {both, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnHost, ge::DT_FLOAT, nullptr};
}
template <typename Dag>
BroadcastTiled<Dag> TileBroadcast(const gert::Shape &x, const gert::Shape &y, const gert::Shape &out,
                                  bool scalars) {
  gert::Tensor a = Described(x), b = Described(y), c = Described(out);
  BroadcastCompileInfo info = {true, 3, 190 * 1024};
  fe::PlatFormInfos platform;
  const auto room = gert::TilingData::CreateCap(4096);
  gert::OpTilingContextBuilder builder;
  builder.OpType("Graph").OpName("graph").IONum(2, 1).InputTensors({&a, &b}).OutputTensors({&c});
  auto holder = builder.CompileInfo(&info)
                    .PlatformInfo(&platform)
                    .TilingData(reinterpret_cast<gert::TilingData *>(room.get()))
                    .Build();
  BroadcastTiled<Dag> tiled;
  gert::TilingContext *context = holder.GetContext();
  CHECK(context != nullptr);
  BroadcastBaseTiling<Dag> tiling(context);
  if (scalars) {
    tiling.SetScalar(0.5f);
    tiling.SetScalar(-7.25f);
  }
  CHECK_EQ(tiling.DoTiling(), ge::GRAPH_SUCCESS);
  tiled.schedule = tiling.GetSchMode();
  tiled.blocks = context->GetBlockDim();
  const auto *raw = context->GetRawTilingData();
  const char *data = static_cast<const char *>(raw->GetData());
  tiled.bytes.assign(data, data + raw->GetDataSize());
  return tiled;
}
template <uint64_t mode, typename Dag, typename T>
void RunMode(BroadcastTiled<Dag> &tiled, std::vector<T> &x, std::vector<T> &y, std::vector<T> &z) {
  Launch(
      [&] {
        BroadcastSch<mode, Dag> sch(tiled.bytes.data());
        sch.template SetVar<float, 0>(0.5f);
        sch.template SetVar<float, 1>(-7.25f);
        sch.Process(At(x), At(y), At(z));
      },
      tiled.blocks);
}
size_t Under(const gert::Shape &in, const gert::Shape &out, size_t i) {
  size_t place = 0, step = 1;
  for (size_t axis = out.GetDimNum(); axis-- > 0;) {
    const size_t index = i % static_cast<size_t>(out.GetDim(axis));
    i /= static_cast<size_t>(out.GetDim(axis));
    const size_t ahead = out.GetDimNum() - in.GetDimNum();
    const int64_t dim = axis < ahead ? 1 : in.GetDim(axis - ahead);
    place += dim == 1 ? 0 : index * step;
    step *= static_cast<size_t>(dim);
  }
  return place;
}
template <typename T, template <typename> class Copy>
void CheckBroadcast(const gert::Shape &sx, const gert::Shape &sy, const gert::Shape &out, bool scalars,
                    uint64_t schedule) {
  using Dag = typename Mixed<T, Copy>::OpDag;
  std::vector<T> x = Samples<T>(sx.GetShapeSize(), 0), y = Samples<T>(sy.GetShapeSize(), 9),
                 z(out.GetShapeSize());
  BroadcastTiled<Dag> tiled = TileBroadcast<Dag>(sx, sy, out, scalars);
  CHECK_EQ(tiled.schedule, schedule);
  switch (tiled.schedule) {
    case 0:
      RunMode<0>(tiled, x, y, z);
      break;
    case 1:
      RunMode<1>(tiled, x, y, z);
      break;
    case 3:
      RunMode<3>(tiled, x, y, z);
      break;
    case 7:
      RunMode<7>(tiled, x, y, z);
      break;
    default:
      RunMode<8>(tiled, x, y, z);
  }
  CheckSame<T>(z, [&](size_t i) {
    return MixedPlain(static_cast<float>(x[Under(sx, out, i)]), static_cast<float>(y[Under(sy, out, i)]));
  });
}
}  // namespace

TEST(GraphsOfElements) {
  for (const int64_t n : {1, 31, 5000, 30001})
    CheckElements<half>(n);
  CheckElements<float>(20000);
  CheckElements<bfloat16_t>(777);
}

TEST(GraphsThatBroadcast) {
  CheckBroadcast<float, Vec::CopyInBrc>({4, 1, 33}, {1, 5, 33}, {4, 5, 33}, true, 0);
  CheckBroadcast<half, Vec::CopyInBrc>({40, 1, 33}, {5, 1}, {40, 5, 33}, true, 0);
  CheckBroadcast<half, Vec::CopyInBrc>({16, 300}, {16, 1}, {16, 300}, true, 3);
  CheckBroadcast<float, Vec::CopyInBrc>({2, 1, 2, 1, 2, 1}, {1, 3, 1, 3, 1, 3}, {2, 3, 2, 3, 2, 3}, true, 1);
  CheckBroadcast<float, Vec::CopyIn>({4, 1, 33}, {1, 5, 33}, {4, 5, 33}, true, 0);
  CheckBroadcast<float, Vec::CopyInBrc>({7000}, {7000}, {7000}, true, 7);
  CheckBroadcast<half, Vec::CopyInBrc>({9000}, {1}, {9000}, true, 7);
  CheckBroadcast<float, Vec::CopyInBrc>({7000}, {7000}, {7000}, false, 8);
  CheckBroadcast<half, Vec::CopyInBrc>({1}, {9000}, {9000}, false, 8);
}

namespace {
// var0 times the sum of 2 x
template <typename T>
struct ScaledSum {
  using X = Bind<Vec::Cast<float, T, 0>, Bind<Vec::CopyIn<T>, Placeholder::In0<T>>>;
  using Sum = Bind<Vec::ReduceSumOp<float>, Bind<Twice<float>, X>>;
  using Scaled = Bind<Vec::Muls<float>, Sum, Placeholder::Var<float, 0>>;
  using OpDag =
      DAGSch<Elems<Bind<Vec::CopyOut<T>, Placeholder::Out0<T>, Bind<Vec::Cast<T, float, 1>, Scaled>>>>;
};
template <typename T, template <typename> class Reduce>
struct Plain {
  using X = Bind<Vec::CopyIn<T>, Placeholder::In0<T>>;
  using OpDag = DAGSch<Elems<Bind<Vec::CopyOut<T>, Placeholder::Out0<T>, Bind<Reduce<T>, X>>>>;
};
// The sum and 0.25, which a function makes of a scalar.
struct RaisedSum {
  using Sum = Bind<Vec::ReduceSumOp<float>, Bind<Vec::CopyIn<float>, Placeholder::In0<float>>>;
  using Raised = Bind<Vec::Add<float>, Sum, Bind<Vec::Duplicate<float>, Placeholder::Var<float, 0>>>;
  using OpDag = DAGSch<Elems<Bind<Vec::CopyOut<float>, Placeholder::Out0<float>, Raised>>>;
};
struct Reduced {
  ReduceOpTmpl::ReduceOpTilingData data = {};
  ReduceTilingKey key;
  int64_t blocks = 0;
};
Reduced TileReduce(const std::vector<int64_t> &shape, const std::vector<int64_t> &axes) {
  const ReduceOpCompileInfo info = {5, 248 * 1024, 128, 32, 256};
  gert::Tensor x = Described({1});
  static int compiled[8];
  fe::PlatFormInfos platform;
  gert::OpTilingContextBuilder builder;
  builder.OpType("Reduce").OpName("reduce").IONum(1, 1).InputTensors({&x}).OutputTensors({&x});
  auto holder = builder.CompileInfo(compiled).PlatformInfo(&platform).Build();
  ReduceOpInputParam param;
  param.inputDtype = param.promoteDtpye = ge::DT_FLOAT;
  param.shape = shape;
  param.axes = axes;
  Reduced r;
  CHECK_EQ(Tiling4ReduceOp(holder.GetContext(), param, r.key, &info, &r.data), ge::GRAPH_SUCCESS);
  r.blocks = r.data.realCoreNum;
  return r;
}
// The elements of each result, in their order.
std::vector<std::vector<size_t>> ElementsOf(const std::vector<int64_t> &shape,
                                            const std::vector<int64_t> &axes) {
  size_t n = 1, results = 1;
  std::vector<bool> gone(shape.size());
  for (const int64_t axis : axes)
    gone[static_cast<size_t>(axis)] = true;
  for (size_t i = 0; i < shape.size(); i++) {
    n *= static_cast<size_t>(shape[i]);
    results *= gone[i] ? 1 : static_cast<size_t>(shape[i]);
  }
  std::vector<std::vector<size_t>> all(results);
  for (size_t i = 0; i < n; i++) {
    size_t rest = i, place = 0, step = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      const size_t dim = static_cast<size_t>(shape[axis]);
      place += gone[axis] ? 0 : rest % dim * step;
      step *= gone[axis] ? 1 : dim;
      rest /= dim;
    }
    all[place].push_back(i);
  }
  return all;
}
template <typename Dag, typename T, bool empty = false, typename V = T>
std::vector<T> RunReduce(const Reduced &r, std::vector<T> &x, size_t results, V nothing = V()) {
  std::vector<T> y(results);
  Reduced now = r;
  Launch(
      [&] {
        AscendC::TPipe pipe;
        ReduceOpTmpl::ReduceSch<true, empty ? 0 : 11, 0, 0, Dag> sch(&now.data);
        sch.template SetVar<float, 0>(0.25f);
        sch.Init(&pipe, At(x), At(y), static_cast<GM_ADDR>(nullptr));
        sch.Process(nothing);
      },
      r.blocks);
  return y;
}
void CheckReduce(const std::vector<int64_t> &shape, const std::vector<int64_t> &axes) {
  const auto elements = ElementsOf(shape, axes);
  const Reduced r = TileReduce(shape, axes);
  size_t n = 0;
  for (const auto &list : elements)
    n += list.size();
  std::vector<float> x = Samples<float>(n, 3);
  std::vector<int32_t> whole(n);
  std::vector<uint8_t> truth(n);
  for (size_t i = 0; i < n; i++) {
    whole[i] = static_cast<int32_t>(i * 7919 % 2003) - 1000;
    truth[i] = i % 5 == 0 ? 3 : 0;
  }
  const auto sums = RunReduce<ScaledSum<float>::OpDag>(r, x, elements.size());
  const auto largest = RunReduce<Plain<int32_t, Vec::ReduceMaxOp>::OpDag>(r, whole, elements.size());
  const auto products = RunReduce<Plain<int32_t, Vec::ReduceProdOp>::OpDag>(r, whole, elements.size());
  const auto any = RunReduce<Plain<uint8_t, Vec::ReduceAnyOp>::OpDag>(r, truth, elements.size());
  const auto all = RunReduce<Plain<uint8_t, Vec::ReduceAllOp>::OpDag>(r, truth, elements.size());
  size_t wrong = 0;
  for (size_t i = 0; i < elements.size(); i++) {
    double sum = 0, size = 0;
    int32_t most = INT32_MIN;
    uint32_t product = 1;
    bool one = false, each = true;
    for (const size_t k : elements[i]) {
      sum += 2 * static_cast<double>(x[k]);
      size += 2 * std::fabs(static_cast<double>(x[k]));
      most = std::max(most, whole[k]);
      product *= static_cast<uint32_t>(whole[k]);
      one = one || truth[k];
      each = each && truth[k];
    }
    wrong += std::fabs(static_cast<double>(sums[i]) - sum / 4) > 1e-6 * size;
    wrong += largest[i] != most || products[i] != static_cast<int32_t>(product);
    wrong += any[i] != (one ? 1 : 0) || all[i] != (each ? 1 : 0);
  }
  CHECK_EQ(wrong, 0u);
}
}  // namespace

TEST(GraphsThatReduce) {
  CheckReduce({100, 48}, {1});
  CheckReduce({100, 48}, {0});
  CheckReduce({3, 5, 16, 17}, {1, 2});
  CheckReduce({7, 9, 11}, {0, 1, 2});
  CheckReduce({2, 4, 33, 70}, {0, 2, 3});
  CheckReduce({5, 100000}, {1});
  CheckReduce({3000, 2}, {1});
  CheckReduce({2, 3, 4, 5, 6, 7}, {1, 3, 5});
  // as many results at once as a piece has elements, of which rows of three are fewer
  std::vector<float> x = Samples<float>(3 * 50000, 3);
  const auto raised = RunReduce<RaisedSum::OpDag>(TileReduce({50000, 3}, {1}), x, 50000);
  CheckSame<float>(raised, [&](size_t i) { return x[3 * i] + x[3 * i + 1] + x[3 * i + 2] + 0.25f; });
  std::vector<float> none;
  const auto empty = RunReduce<Plain<float, Vec::ReduceMaxOp>::OpDag, float, true>(TileReduce({12, 0}, {1}),
                                                                                   none, 12, -2.5f);
  CheckSame<float>(empty, [](size_t) { return -2.5f; });
}
// SPDX-License-Identifier: Apache-2.0
