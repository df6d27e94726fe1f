// weft_cann/asc_blocks.h - order between blocks through words of global memory, as kernels for one kind of
// core write it: a word that one block sets and another waits for, and blocks that take turns. Each word has
// 32 bytes to itself. Nothing of the unified buffer is needed here.
#pragma once
#include "weft_cann/asc_kernel.h"

namespace weft_asc {
// A word that the block waits on, and when it may go on.
struct BlockWord32 {
  int32_t *word;
  int32_t least;
};
inline int32_t WordOf(const int32_t *word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
inline void SetWord(int32_t *word, int32_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
inline bool WordIsFree(void *arg) {
  return WordOf(static_cast<int32_t *>(arg)) == 0;
}
inline bool WordIsSet(void *arg) {
  return WordOf(static_cast<int32_t *>(arg)) != 0;
}
inline bool WordHasGrown(void *arg) {
  const auto *w = static_cast<const BlockWord32 *>(arg);
  return WordOf(w->word) >= w->least;
}
constexpr uint64_t kWordStep = 8;  // int32_t in 32 bytes
inline int32_t *PairWord(const AscendC::GlobalTensor<int32_t> &workspace, int32_t block, int32_t event) {
  const auto row = static_cast<uint64_t>(AscendC::GetBlockNum()) * static_cast<uint64_t>(event);
  return workspace.GetPhyAddr((row + static_cast<uint64_t>(block)) * kWordStep);
}
}  // namespace weft_asc

namespace AscendC {
// Block `blockIdx` says that it is ready; a word that nobody took yet is waited for.
template <bool isAIVOnly = true>
void IBSet(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &, int32_t blockIdx,
           int32_t eventID, weft_asc_at at = weft_asc::Here()) {
  int32_t *word = weft_asc::PairWord(gmWorkspace, blockIdx, eventID);
  weft_asc_barrier(WEFT_ASC_PIPE_ALL, at);
  weft_asc_wait_for(weft_asc::WordIsFree, word, "IBSet: the word of the block to be taken", at);
  weft_asc::SetWord(word, 1);
}
// Waits until block `blockIdx` said so, and takes the word.
template <bool isAIVOnly = true>
void IBWait(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &, int32_t blockIdx,
            int32_t eventID, weft_asc_at at = weft_asc::Here()) {
  int32_t *word = weft_asc::PairWord(gmWorkspace, blockIdx, eventID);
  weft_asc_wait_for(weft_asc::WordIsSet, word, "IBWait: the word of another block", at);
  weft_asc::SetWord(word, 0);
  weft_asc_barrier(WEFT_ASC_PIPE_ALL, at);
}

// Turns: each block counts in its own word how often it let the next one go on. All blocks begin together.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &,
                                          weft_asc_at at = weft_asc::Here()) {
  weft_asc::SetWord(gmWorkspace.GetPhyAddr(GetBlockIdx() * weft_asc::kWordStep), 0);
  weft_asc_sync_all(true, at);
}
// The block before this one has gone once more than this one; the first one waits for the last.
inline void WaitPreBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &,
                         weft_asc_at at = weft_asc::Here()) {
  const auto block = static_cast<uint64_t>(GetBlockIdx());
  const auto blocks = static_cast<uint64_t>(GetBlockNum());
  const int32_t turns = weft_asc::WordOf(gmWorkspace.GetPhyAddr(block * weft_asc::kWordStep));
  const uint64_t before = block ? block - 1 : blocks - 1;
  weft_asc::BlockWord32 w = {gmWorkspace.GetPhyAddr(before * weft_asc::kWordStep), turns + (block ? 1 : 0)};
  weft_asc_wait_for(weft_asc::WordHasGrown, &w, "WaitPreBlock: the block before this one", at);
}
inline void NotifyNextBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &,
                            weft_asc_at at = weft_asc::Here()) {
  weft_asc_barrier(WEFT_ASC_PIPE_ALL, at);
  int32_t *word = gmWorkspace.GetPhyAddr(static_cast<uint64_t>(GetBlockIdx()) * weft_asc::kWordStep);
  weft_asc::SetWord(word, weft_asc::WordOf(word) + 1);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
