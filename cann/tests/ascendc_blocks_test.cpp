// Blocks that wait for each other through words of global memory, layouts, groups of threads, loads whose
// parameters stand in words, modes of the chip.
#include <vector>

#include "check.h"
#include "kernel_operator.h"
#include "simt_api/cooperative_groups.h"

using namespace AscendC;

namespace {
constexpr uint32_t kBlocks = 5, kTurns = 3;
int32_t words[1024];
int32_t seen[kBlocks * kTurns + 1];

void Launch(void (*kernel)(), uint32_t blocks) {
  std::fill(std::begin(words), std::end(words), 0);
  std::fill(std::begin(seen), std::end(seen), 0);
  CHECK_EQ(weft_asc::call("blocks", __FILE__, __LINE__, kernel, blocks, nullptr, nullptr)(), 0);
}

// Each block hands on one more than it got.
void Chain() {
  GlobalTensor<int32_t> workspace;
  LocalTensor<int32_t> none;
  const auto block = static_cast<int32_t>(GetBlockIdx());
  workspace.SetGlobalBuffer(words, 1024);
  for (int32_t turn = 0; turn < static_cast<int32_t>(kTurns); turn++) {
    if (block > 0)
      IBWait(workspace, none, block - 1, turn);
    seen[block + 1] = seen[block] + 1;
    IBSet(workspace, none, block, turn);
  }
}
// Blocks in their order, time after time.
void Turns() {
  GlobalTensor<int32_t> workspace;
  LocalTensor<int32_t> none;
  workspace.SetGlobalBuffer(words, 1024);
  InitDetermineComputeWorkspace(workspace, none);
  for (uint32_t turn = 0; turn < kTurns; turn++) {
    WaitPreBlock(workspace, none);
    seen[seen[0] + 1] = static_cast<int32_t>(GetBlockIdx());
    seen[0]++;
    NotifyNextBlock(workspace, none);
  }
}
int32_t ranks[96], all[96], any[96];
void Threads() {
  const auto block = cooperative_groups::this_thread_block();
  const auto tile = cooperative_groups::tiled_partition<8>(block);
  const unsigned int i = block.thread_rank();
  ranks[i] = static_cast<int32_t>(tile.meta_group_rank() * 8 + tile.thread_rank());
  all[i] = tile.all(i / 8 != 3 || i % 8 != 5);
  any[i] = tile.any(i == 17);
  tile.sync();
  block.sync();
  ranks[i] += block.group_index() * 1000 + static_cast<int32_t>(block.num_threads()) * 0;
}
void Groups() {
  asc_vf_call<Threads>(dim3(48, 2));
}
}  // namespace

TEST(BlocksWaitForWords) {
  Launch(Chain, kBlocks);
  for (uint32_t i = 0; i < kBlocks; i++)
    CHECK_EQ(seen[i + 1], static_cast<int32_t>(i + 1));
  // The word of the last block stays set: nobody takes it, so a second turn of it would wait for ever.
  CHECK_EQ(words[(kBlocks - 1) * 8], 1);
}
TEST(BlocksTakeTurns) {
  Launch(Turns, kBlocks);
  CHECK_EQ(seen[0], static_cast<int32_t>(kBlocks * kTurns));
  for (uint32_t i = 0; i < kBlocks * kTurns; i++)
    CHECK_EQ(seen[i + 1], static_cast<int32_t>(i % kBlocks));
}
TEST(BlocksGroupsOfThreads) {
  Launch(Groups, 1);
  for (int32_t i = 0; i < 96; i++) {
    CHECK_EQ(ranks[i], i);
    CHECK_EQ(all[i], i / 8 != 3);
    CHECK_EQ(any[i], i / 8 == 2);
  }
}
TEST(BlocksLayouts) {
  const auto layout = MakeLayout(MakeShape(4, MakeShape(2, 3)), MakeStride(6, MakeStride(3, 1)));
  CHECK_EQ(layout(MakeCoord(2, MakeCoord(1, 2))), 17);
  CHECK_EQ(Std::get<0>(layout.GetShape()), 4);
  CHECK_EQ(Std::get<1>(Std::get<1>(layout.GetStride())), 1);
}
TEST(BlocksParametersInWords) {
  LoadData2DParamsV2 plain(3, 5, 7, 9, -2, 11, true, 0);
  Load2DBitModeParam a(plain), b;
  b.SetConfig0(a.GetConfig0());
  b.SetConfig1(a.GetConfig1());
  CHECK_EQ(b.GetMStartPosition(), 3u);
  CHECK_EQ(b.GetKStartPosition(), 5u);
  CHECK_EQ(b.GetMStep(), 7);
  CHECK_EQ(b.GetKStep(), 9);
  CHECK_EQ(b.GetSrcStride(), -2);
  CHECK_EQ(b.GetDstStride(), 11);
  b.SetMStartPosition(1);
  b.SetKStartPosition(2);
  b.SetMStep(4);
  b.SetKStep(6);
  b.SetSrcStride(8);
  b.SetDstStride(10);
  b.SetIfTranspose(false);
  CHECK_EQ(b.GetConfig0(), uint64_t{2} << 32 | 1);
  CHECK_EQ(b.GetConfig1(), uint64_t{8} << 32 | 10 << 16 | 6 << 8 | 4);
  CHECK_EQ(b.GetIfTranspose(), uint64_t{0});
  Load3DBitModeParam c, d;
  c.SetKExtension(32);
  c.SetMStartPt(4);
  c.SetFilterH(3);
  c.SetDilationFilterW(2);
  d.SetConfig0(c.GetConfig0());
  d.SetConfig1(c.GetConfig1());
  CHECK_EQ(d.GetKExtension(), 32);
  CHECK_EQ(d.GetMStartPt(), 4);
  CHECK_EQ(d.GetFilterH(), 3);
  CHECK_EQ(d.GetDilationFilterW(), 2);
  CHECK_EQ(d.GetStrideW(), 1);
  CHECK_EQ(LoadData3DParamsV2Pro().filterConfig, Load3DBitModeParam().GetConfig1());
  MmadBitModeParams m, n;
  m.SetM(16);
  m.SetK(48);
  m.SetN(80);
  m.SetCmatrixInitVal(true);
  n.SetConfig0(m.GetConfig0());
  CHECK_EQ(n.GetM() * 10000 + n.GetK() * 100 + n.GetN(), 164880);
  CHECK(n.GetCmatrixInitVal());
}
TEST(BlocksModesAreKept) {
  SetSaturationFlag<SaturationMode::FLOAT8>(false);
  SetSaturationStrategy<OverrideStrategy::USE_GLOBAL>();
  SetScalarCacheMode<CacheRwMode::WRITE, CacheMode::CACHE_MODE_LAST>();
  CHECK(!GetSaturationFlag<SaturationMode::FLOAT8>());
  CHECK(GetSaturationFlag<SaturationMode::CAST>());
  CHECK(GetSaturationStrategy() == OverrideStrategy::USE_GLOBAL);
  CHECK(GetScalarCacheMode<CacheRwMode::WRITE>() == CacheMode::CACHE_MODE_LAST);
  void (*kernel)() = [] {
    uint16_t type = 9, op = 9;
    SetStoreAtomicConfig<AtomicDtype::ATOMIC_S16, AtomicOp::ATOMIC_SUM>();
    GetStoreAtomicConfig(type, op);
    CHECK_EQ(type, static_cast<uint16_t>(AtomicDtype::ATOMIC_S16));
    SetAtomicNone();
    GetStoreAtomicConfig(type, op);
    CHECK_EQ(type, static_cast<uint16_t>(AtomicDtype::ATOMIC_NONE));
    Mutex::Lock<PIPE_MTE3>(0);
    Mutex::Unlock<PIPE_MTE3>(0);
    WriteGmByPassDCache(words + 3, 77);
    CHECK_EQ(ReadGmByPassDCache(words + 3), 77);
  };
  Launch(kernel, 1);
}
// SPDX-License-Identifier: Apache-2.0
