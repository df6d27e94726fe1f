// atvoss_test.cpp - graphs of vector functions: what they count, and the tilings that are made of them.
#include "atvoss/broadcast/broadcast_tiling.h"
#include "atvoss/elewise/elewise_tiling.h"
#include "atvoss/util/dag.h"
#include "atvoss/util/placeholder.h"
#include "atvoss/util/vec.h"
#include "check.h"

using namespace Ops::Base;

template <typename T>
struct ScaledSum {
  using Two = MAKE_CONST(float, 2.5);
  using X = Bind<Vec::Cast<float, T, 0>, Bind<Vec::CopyInBrc<T>, Placeholder::In0<T>>>;
  using Y = Bind<Vec::Cast<float, T, 0>, Bind<Vec::CopyInBrc<T>, Placeholder::In1<T>>>;
  using Sum = Bind<Vec::Add<float>, X, Bind<Vec::Muls<float>, Y, Two>>;
  using Scale = Bind<Vec::Muls<float>, Sum, Placeholder::In2<float, Placeholder::ScalarAttr<true>>>;
  using Out = Bind<Vec::CopyOut<T>, Placeholder::Out0<T>, Bind<Vec::Cast<T, float, 1>, Scale>>;
  using OpDag = DAGSch<Elems<Out>, void, MemOptCfg<MemLevel::LEVEL_2>>;
};

TEST(atvoss_graph_counts_each_node_once) {
  using Dag = ScaledSum<half>::OpDag;
  CHECK_EQ(+Dag::InputSize, 2);  // a scalar is none
  CHECK_EQ(+Dag::OutputSize, 1);
  CHECK_EQ(+Dag::CopyBrcSize, 2);
  CHECK_EQ(+Dag::kMaxBits, 32);
  CHECK_EQ(+Dag::kMinBits, 16);
  // two for each copy, of two inputs and an output; casts of both inputs, and what is made of the second
  CHECK_EQ(+Dag::kBitsOfElement, 32 * (2 * 3 + 3));
  using Square = Bind<Vec::Mul<float>, ScaledSum<half>::X, ScaledSum<half>::X>;
  CHECK_EQ(+DAGSch<Elems<Square>>::kBitsOfElement, 32 * (2 + 2));
}

// The pieces of all cores are all elements.
static void CheckDealt(const ElewiseTilingData &d) {
  const int64_t tail = d.ubLoopOfTailBlock ? (d.ubLoopOfTailBlock - 1) * d.ubFormer + d.ubTailOfTailBlock : 0;
  CHECK_EQ((d.ubLoopOfFormerBlock - 1) * d.ubFormer + d.ubTailOfFormerBlock, d.blockFormer);
  CHECK_EQ((d.blockNum - 1) * d.blockFormer + tail, d.dim0);
  CHECK(tail > 0 && tail <= d.blockFormer && d.ubFormer <= d.elemNum);
}

TEST(atvoss_elements_are_dealt_out) {
  for (int64_t n : {1, 31, 4096, 4097, 100000, 123456789}) {
    ElewiseTilingParams params;
    params.coreNum = 40;
    params.shape = {n};
    params.ubSize = 190 * 1024;
    params.computeMap = {{7, {32, 16, {1024}, {272}}}};
    ElewiseTilingData data;
    CHECK_EQ(ElewiseTiling(params, data), ge::GRAPH_SUCCESS);
    CHECK_EQ(data.innerKey, 7000100u);
    CHECK(data.blockNum <= 40);
    CHECK(data.elemNum * 272 / 8 + 1024 <= params.ubSize);
    CheckDealt(data);
  }
}

TEST(atvoss_what_cannot_be_dealt_out_fails) {
  ElewiseTilingParams params;
  ElewiseTilingData data;
  params.coreNum = 0;
  params.shape = {8};
  params.ubSize = 4096;
  CHECK_EQ(ElewiseTiling(params, data), ge::GRAPH_FAILED);
  params.computeMap = {{1, {32, 32, {0}, {64}}}};
  CHECK_EQ(ElewiseTiling(params, data), ge::GRAPH_FAILED);
  params.coreNum = 2;
  CHECK_EQ(ElewiseTiling(params, data), ge::GRAPH_SUCCESS);
  params.ubSize = 100;
  CHECK_EQ(ElewiseTiling(params, data), ge::GRAPH_FAILED);
  params.ubSize = 4096;
  params.shape = {0};
  CHECK_EQ(ElewiseTiling(params, data), ge::GRAPH_FAILED);
}

static std::string Text(const std::vector<int64_t> &list) {
  std::string text;
  for (int64_t x : list)
    text += std::to_string(x) + " ";
  return text;
}

TEST(atvoss_axes_of_one_kind_become_one) {
  std::vector<std::vector<int64_t>> dims;
  std::vector<std::vector<int64_t>> strides;
  CHECK_EQ(DimensionCollapse({{2, 3, 4, 5}, {4, 5}}, {2, 3, 4, 5}, dims, strides), ge::GRAPH_SUCCESS);
  CHECK_EQ(Text(dims[0]), "6 20 ");
  CHECK_EQ(Text(dims[1]), "1 20 ");
  CHECK_EQ(Text(strides[1]), "0 1 ");
  CHECK_EQ(Text(dims[2]), "6 20 ");
  CHECK_EQ(DimensionCollapse({{}, {}}, {}, dims, strides), ge::GRAPH_SUCCESS);
  CHECK_EQ(Text(dims[2]), "1 ");
  CHECK_EQ(DimensionCollapse({{2, 3}, {2}}, {2, 3}, dims, strides), ge::GRAPH_FAILED);
  CHECK_EQ(DimensionCollapse({{2, 3, 4}}, {3, 4}, dims, strides), ge::GRAPH_FAILED);
}

TEST(atvoss_broadcast_pieces_are_all_elements) {
  BroadcastTilingParams params;
  params.coreNum = 48;
  params.inShape = {{64, 1, 1000}, {64, 300, 1}};
  params.outShape = {64, 300, 1000};
  params.ubSize = 190 * 1024;
  params.computeMap = {{3, {32, 32, {0, 0}, {192, 192}}}};
  BroadcastTilingData data;
  CHECK_EQ(BroadcastTiling(params, data), ge::GRAPH_SUCCESS);
  CHECK_EQ(data.shapeLen, 3);
  CHECK(data.blockNum <= 48);
  CHECK_EQ((data.blockNum - 1) * data.blockFormer + data.blockTail, data.dimProductBeforeUbInner);
  const int64_t axis = data.outputDims[data.ubSplitAxis];
  CHECK_EQ((data.ubOuter - 1) * data.ubFormer + data.ubTail, axis);
  int64_t inner = data.ubFormer;
  for (size_t i = data.ubSplitAxis + 1; i < data.outputDims.size(); i++)
    inner *= data.outputDims[i];
  CHECK(inner <= data.elemNum);
}

TEST(atvoss_scalars_may_come_late) {
  char to[8] = {};
  weft_cuts::Scalars scalars;
  scalars.Add(1.0f);
  CHECK(scalars.CopyTo(to, sizeof to));
  scalars.Add(2.0f);
  float both[2];
  memcpy(both, to, sizeof both);
  CHECK_EQ(both[0] + both[1], 3.0f);
  scalars.Add(3.0f);  // no room: nothing is written
}

// Which kernel is meant goes by the axes of a piece; the output's dims stand behind the inputs'.
TEST(atvoss_broadcast_keys) {
  BroadcastTilingParams params;
  params.coreNum = 64;
  params.ubSize = 262144;
  params.computeMap = {{1, {32, 1, {0, 0}, {128, 128}}}};
  params.inShape = {{1, 1, 1, 1, 1}, {1, 1, 1, 4, 1}, {16, 1, 4, 4, 8}};
  params.outShape = {16, 1, 4, 4, 8};
  BroadcastTilingData data;
  CHECK_EQ(BroadcastTiling(params, data), ge::GRAPH_SUCCESS);
  CHECK_EQ(data.innerKey, 1000100u);
  CHECK_EQ(data.ubFormer, 512);
  CHECK_EQ(data.ubTail, 64);
  CHECK_EQ(Text(data.dims[3]), "64 4 8 ");
  params.inShape = {{1, 9, 6, 1, 7, 10}, {1, 1, 6, 2, 7, 1}, {13, 9, 6, 2, 7, 10}};
  params.outShape = {13, 9, 6, 2, 7, 10};
  CHECK_EQ(BroadcastTiling(params, data), ge::GRAPH_SUCCESS);
  CHECK_EQ(data.innerKey, 1001100u);
  CHECK_EQ(data.ubFormer, 2);
}
// SPDX-License-Identifier: Apache-2.0
