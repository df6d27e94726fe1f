// api_tiling_test.cpp - sizes of the vector library, and the tilings of functions that work in pieces.
#include "check.h"
#include "kernel_tiling/kernel_tiling.h"
#include "tiling/tiling_api.h"

TEST(api_sizes_grow_and_never_wrap) {
  uint32_t last = 0;
  for (int64_t n : {1, 64, 1000, 100000}) {
    uint32_t most = 0;
    uint32_t least = 0;
    AscendC::GetTanhMaxMinTmpSize(ge::Shape({n}), 2, false, most, least);
    CHECK(least > 0 && least <= most && most >= last);
    last = most;
  }
  uint32_t most = 0;
  uint32_t least = 0;
  AscendC::GetReduceSumMaxMinTmpSize(ge::Shape({int64_t{1} << 36}), ge::DT_FLOAT, AscendC::ReducePattern::AR,
                                     true, false, most, least);
  CHECK_EQ(most, UINT32_MAX);
  AscendC::GetExpMaxMinTmpSize(ge::Shape({-1, 4}), 4, false, most, least);
  CHECK_EQ(most, least);
}

TEST(api_softmax_rows_are_all_rows) {
  optiling::SoftMaxTiling record;
  AscendC::tiling::SoftMaxTiling plain;
  for (uint32_t bytes : {1u, 4096u, 100000u}) {
    AscendC::SoftMaxTilingFunc(ge::Shape({37, 100}), 4, bytes, record);
    AscendC::SoftMaxTilingFunc(ge::Shape({37, 100}), 4, bytes, plain);
    CHECK_EQ(plain.rangeM * plain.splitM + plain.tailM, 37u);
    CHECK_EQ(plain.splitSize, plain.splitM * 100);
    CHECK_EQ(record.get_splitM(), plain.splitM);
    CHECK_EQ(record.get_outMaxK(), 8u);
  }
  CHECK_EQ(record.GetDataSize(), sizeof plain);
  AscendC::SoftMaxTilingFunc(ge::Shape({16, 128}), 2, 65536, record);
  CHECK(AscendC::IsBasicBlockInSoftMax(record, 2));
  CHECK(!AscendC::IsBasicBlockInSoftMax(plain, 4));
}

TEST(api_topk_needs_something_to_choose) {
  const platform_ascendc::PlatformAscendC platform(nullptr);
  optiling::TopkTiling tiling;
  const auto mode = AscendC::TopKMode::TOPK_NORMAL;
  CHECK(AscendC::TopKTilingFunc(platform, 64, 2, 5, 4, true, mode, true, tiling));
  CHECK_EQ(tiling.get_allDataSize(), 128);
  CHECK_EQ(tiling.get_kAlignFourBytes(), 8);
  CHECK(!AscendC::TopKTilingFunc(platform, 4, 2, 5, 4, true, mode, true, tiling));
  CHECK(!AscendC::TopKTilingFunc(platform, 0, 2, 0, 4, true, mode, true, tiling));
}

TEST(api_layer_norm_rows) {
  optiling::LayerNormTiling tiling;
  AscendC::GetLayerNormNDTilingInfo(ge::Shape({2, 8, 100}), 65536, 4, false, tiling);
  CHECK_EQ(tiling.get_bLength() * tiling.get_sLength() * tiling.get_hLength(), 1600u);
  CHECK_EQ(tiling.get_bsCurLength(), 16u);
  CHECK_EQ(tiling.get_bshCurLength(), 1600u);
}
// SPDX-License-Identifier: Apache-2.0
