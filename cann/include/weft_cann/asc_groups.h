// weft_cann/asc_groups.h - groups of threads of a SIMT function: its block, and tiles of a warp.
#pragma once
#include "weft_cann/asc_simt.h"

namespace cooperative_groups {
class thread_block {
 public:
  static void sync(weft_asc_at at = weft_asc::Here()) { asc_syncthreads(at); }
  static int group_index() { return static_cast<int>(AscendC::GetBlockIdx()); }
  static unsigned int thread_rank() {
    const weft_asc_thread *t = weft_asc_thread_current();
    return t->at[0] + t->count[0] * (t->at[1] + t->count[1] * t->at[2]);
  }
  static unsigned int num_threads() {
    const weft_asc_thread *t = weft_asc_thread_current();
    return t->count[0] * t->count[1] * t->count[2];
  }
  static unsigned int size() { return num_threads(); }
};
inline thread_block this_thread_block() {
  return {};
}

// Threads of a warp, `Size` of them: 1, 2, 4 .. 32.
template <unsigned int Size, typename Parent = void>
class thread_block_tile {
 public:
  static_assert(Size && Size <= 32 && !(Size & (Size - 1)), "tiles have 1, 2, 4, 8, 16 or 32 threads");
  static constexpr unsigned int size() { return Size; }
  static constexpr unsigned int num_threads() { return Size; }
  unsigned int thread_rank() const { return weft_asc::LaneId() % Size; }
  unsigned int meta_group_rank() const { return thread_block::thread_rank() / Size; }
  unsigned int meta_group_size() const { return (thread_block::num_threads() + Size - 1) / Size; }
  void sync(weft_asc_at at = weft_asc::Here()) const { (void)weft_asc::Exchange(0, weft_asc::LaneId(), at); }
  template <typename T>
  T shfl(T var, int src, weft_asc_at at = weft_asc::Here()) const {
    return asc_shfl(var, src, static_cast<int32_t>(Size), at);
  }
  template <typename T>
  T shfl_up(T var, unsigned int delta, weft_asc_at at = weft_asc::Here()) const {
    return asc_shfl_up(var, delta, static_cast<int32_t>(Size), at);
  }
  template <typename T>
  T shfl_down(T var, unsigned int delta, weft_asc_at at = weft_asc::Here()) const {
    return asc_shfl_down(var, delta, static_cast<int32_t>(Size), at);
  }
  template <typename T>
  T shfl_xor(T var, unsigned int mask, weft_asc_at at = weft_asc::Here()) const {
    return asc_shfl_xor(var, static_cast<int32_t>(mask), static_cast<int32_t>(Size), at);
  }
  int all(int predicate, weft_asc_at at = weft_asc::Here()) const { return !any(!predicate, at); }
  int any(int predicate, weft_asc_at at = weft_asc::Here()) const {
    int found = predicate != 0;
    for (unsigned int step = 1; step < Size; step *= 2)
      found |= shfl_xor(found, step, at);
    return found;
  }
};
template <unsigned int Size, typename Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return {};
}
template <typename Group>
void sync(const Group &group, weft_asc_at at = weft_asc::Here()) {
  group.sync(at);
}
}  // namespace cooperative_groups
// SPDX-License-Identifier: Apache-2.0
