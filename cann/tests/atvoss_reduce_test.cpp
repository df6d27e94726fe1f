// atvoss_reduce_test.cpp - reductions: which axes become one, and that the pieces of all cores are all
// elements.
#include "atvoss/reduce/reduce_tiling.h"
#include "atvoss/reduce/reduce_tiling_key_decl.h"
#include "check.h"
#include "op_tiling_context_builder.h"

ASCENDC_TPL_ARGS_DECL(CheckReduce, REDUCE_TPL_KEY_DECL(),
                      ASCENDC_TPL_UINT_DECL(further, 4, ASCENDC_TPL_UI_LIST, 7, 9));

using namespace Ops::Base;

static ReduceOpInputParam Param(std::vector<int64_t> shape, std::vector<int64_t> axes) {
  ReduceOpInputParam param;
  param.inputDtype = param.promoteDtpye = ge::DT_FLOAT;
  param.shape = shape;
  param.axes = axes;
  return param;
}

static ge::graphStatus Tile(ReduceOpInputParam param, ReduceTilingKey &key, ReduceOpTilingData &data) {
  const ReduceOpCompileInfo info = {64, 248 * 1024, 128, 32, 256};
  gert::Tensor x({{1}, {1}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnHost, ge::DT_FLOAT, nullptr);
  static int compiled[8];
  fe::PlatFormInfos platform;
  gert::OpTilingContextBuilder builder;
  builder.OpType("CheckReduce").OpName("n").IONum(1, 1).InputTensors({&x}).OutputTensors({&x});
  auto holder = builder.CompileInfo(compiled).PlatformInfo(&platform).Build();
  gert::TilingContext *context = holder.GetContext();
  CHECK(context != nullptr);
  return context ? Tiling4ReduceOp(context, param, key, &info, &data) : ge::GRAPH_FAILED;
}

TEST(reduce_patterns) {
  struct {
    std::vector<int64_t> shape, axes;
    uint32_t pattern;
  } const cases[] = {
      {{100, 48}, {1}, 11},               // AR
      {{100, 48}, {-1}, 11},              //
      {{100, 48}, {0}, 20},               // 1 R A
      {{3, 5, 16, 16}, {1, 2}, 20},       // A RR A
      {{16, 16, 16}, {0, 1, 2}, 11},      // 1 R
      {{2, 4, 128, 128}, {0, 2, 3}, 31},  // 1 R A R
      {{20, 32, 64, 16}, {0, 2}, 80},     // 1 R A R A, with ones ahead up to nine
      {{3, 1, 5}, {1}, 100},              // nothing is reduced
      {{2048, 0, 48}, {1}, 0},
  };
  for (const auto &c : cases) {
    ReduceTilingKey key;
    ReduceOpTilingData data;
    CHECK_EQ(Tile(Param(c.shape, c.axes), key, data), ge::GRAPH_SUCCESS);
    CHECK_EQ(key.patternID, c.pattern);
  }
}

TEST(reduce_pieces_are_all_elements) {
  for (int64_t n : {1, 7, 64, 65, 1000, 300000}) {
    for (int64_t m : {1, 2, 63, 4096, 70000}) {
      for (int64_t axis : {0, 1}) {
        ReduceTilingKey key;
        ReduceOpTilingData d;
        CHECK_EQ(Tile(Param({n, m}, {axis}), key, d), ge::GRAPH_SUCCESS);
        CHECK(d.factorACntPerCore * static_cast<uint64_t>(d.realCoreNum) >= d.factorATotalCnt);
        CHECK(d.factorRCntPerCore * d.groupR >= d.factorRTotalCnt);
        CHECK(d.realCoreNum >= 1 && d.realCoreNum <= 64);
        CHECK_EQ(d.outSize, static_cast<uint64_t>(axis == 0 ? m : n));
        CHECK(d.ubFactorA >= 1 && d.ubFactorR >= 1 && d.basicBlock <= 248 * 1024);
      }
    }
  }
}

TEST(reduce_groups_share_one_result) {
  ReduceTilingKey key;
  ReduceOpTilingData d;
  CHECK_EQ(Tile(Param({65536000}, {0}), key, d), ge::GRAPH_SUCCESS);
  CHECK(d.groupR > 1);
  CHECK_EQ(key.loopARCount, 12u);  // one kept axis, and the reduced one is dealt out
  CHECK_EQ(key.loopInnerARCount, 0u);
  key = {};
  key.batchInvariant = true;
  CHECK_EQ(Tile(Param({65536000}, {0}), key, d), ge::GRAPH_SUCCESS);
  CHECK_EQ(d.groupR, 1u);
  CHECK_EQ(key.loopARCount, 10u);
}

TEST(reduce_what_cannot_be_tiled_fails) {
  ReduceTilingKey key;
  ReduceOpTilingData d;
  CHECK_EQ(Tile(Param({2, 3}, {2}), key, d), ge::GRAPH_FAILED);
  CHECK_EQ(Tile(Param({2, 3}, {-3}), key, d), ge::GRAPH_FAILED);
  CHECK_EQ(Tile(Param({2, -1}, {0}), key, d), ge::GRAPH_FAILED);
  CHECK_EQ(Tile(Param({int64_t{1} << 40, int64_t{1} << 40}, {0}), key, d), ge::GRAPH_FAILED);
  CHECK_EQ(Tile(Param({2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {0, 2, 4, 6, 8}), key, d), ge::GRAPH_FAILED);
  ReduceOpInputParam strides = Param({2, 3}, {0});
  strides.dimStrides = {1};
  CHECK_EQ(Tile(strides, key, d), ge::GRAPH_FAILED);
}

TEST(reduce_keys_go_by_names) {
  ReduceTilingKey key;
  key.patternID = 11;
  key.loopARCount = 10;
  uint64_t result = 0;
  GEN_REDUCE_TILING_KEY(result, key, 9);
  CHECK_EQ(result, 1u | 11u << 1 | 10u << 9 | 1u << 25);
  key.isContiguous = false;
  GEN_REDUCE_TILING_KEY(result, key, 7);
  CHECK_EQ(result, 11u << 1 | 10u << 9);
}
// SPDX-License-Identifier: Apache-2.0
