// weft_cann/asc_sync.h - order: flags between the pipes of a core, barriers and flags between cores.
#pragma once
#include "weft_cann/asc_queue.h"

namespace weft_asc {
struct EventPipes {
  int source, target;
};
constexpr EventPipes PipesOf(AscendC::HardEvent e) {
  constexpr int S = WEFT_ASC_PIPE_S, V = WEFT_ASC_PIPE_V, M = WEFT_ASC_PIPE_M, MTE1 = WEFT_ASC_PIPE_MTE1;
  constexpr int MTE2 = WEFT_ASC_PIPE_MTE2, MTE3 = WEFT_ASC_PIPE_MTE3, FIX = WEFT_ASC_PIPE_FIX;
#define WEFT_ASC_EVENT(source, target)        \
  case AscendC::HardEvent::source##_##target: \
    return {source, target};
  switch (e) {
    WEFT_ASC_EVENT(MTE2, V)
    WEFT_ASC_EVENT(MTE3, V)
    WEFT_ASC_EVENT(V, MTE2)
    WEFT_ASC_EVENT(V, MTE3)
    WEFT_ASC_EVENT(S, V)
    WEFT_ASC_EVENT(V, S)
    WEFT_ASC_EVENT(S, MTE2)
    WEFT_ASC_EVENT(S, MTE3)
    WEFT_ASC_EVENT(MTE2, S)
    WEFT_ASC_EVENT(MTE3, S)
    WEFT_ASC_EVENT(MTE2, MTE3)
    WEFT_ASC_EVENT(MTE3, MTE2)
    WEFT_ASC_EVENT(MTE2, MTE1)
    WEFT_ASC_EVENT(MTE1, MTE2)
    WEFT_ASC_EVENT(MTE1, M)
    WEFT_ASC_EVENT(M, MTE1)
    WEFT_ASC_EVENT(M, V)
    WEFT_ASC_EVENT(V, M)
    WEFT_ASC_EVENT(M, FIX)
    WEFT_ASC_EVENT(FIX, M)
    WEFT_ASC_EVENT(FIX, MTE2)
    WEFT_ASC_EVENT(FIX, MTE3)
    WEFT_ASC_EVENT(MTE3, MTE1)
    WEFT_ASC_EVENT(MTE1, MTE3)
    WEFT_ASC_EVENT(MTE2, M)
    WEFT_ASC_EVENT(M, MTE2)
    WEFT_ASC_EVENT(FIX, S)
    WEFT_ASC_EVENT(S, FIX)
    WEFT_ASC_EVENT(M, S)
    WEFT_ASC_EVENT(S, M)
    WEFT_ASC_EVENT(MTE1, V)
    WEFT_ASC_EVENT(V, MTE1)
    WEFT_ASC_EVENT(MTE2, FIX)
    WEFT_ASC_EVENT(FIX, V)
    WEFT_ASC_EVENT(V, FIX)
    WEFT_ASC_EVENT(MTE1, FIX)
    WEFT_ASC_EVENT(FIX, MTE1)
    WEFT_ASC_EVENT(MTE3, FIX)
    WEFT_ASC_EVENT(S, MTE1)
    WEFT_ASC_EVENT(MTE1, S)
    WEFT_ASC_EVENT(MTE1, MTE1)
    WEFT_ASC_EVENT(MTE2, MTE2)
    WEFT_ASC_EVENT(MTE3, MTE3)
    WEFT_ASC_EVENT(V, V)
    default:
      return {S, S};
  }
#undef WEFT_ASC_EVENT
}
}  // namespace weft_asc

namespace AscendC {
template <HardEvent evt>
TEventID TPipe::AllocEventID(weft_asc_at at) {
  constexpr weft_asc::EventPipes p = weft_asc::PipesOf(evt);
  return static_cast<TEventID>(weft_asc_event_alloc(p.source, p.target, true, at));
}
template <HardEvent evt>
void TPipe::ReleaseEventID(TEventID id, weft_asc_at at) {
  constexpr weft_asc::EventPipes p = weft_asc::PipesOf(evt);
  weft_asc_event_release(p.source, p.target, id, at);
}
inline TEventID TPipe::FetchEventID(HardEvent evt, weft_asc_at at) {
  const weft_asc::EventPipes p = weft_asc::PipesOf(evt);
  return static_cast<TEventID>(weft_asc_event_alloc(p.source, p.target, false, at));
}
template <HardEvent evt>
TEventID TPipe::FetchEventID(weft_asc_at at) {
  constexpr weft_asc::EventPipes p = weft_asc::PipesOf(evt);
  return static_cast<TEventID>(weft_asc_event_alloc(p.source, p.target, false, at));
}

template <HardEvent event>
void SetFlag(int32_t eventID, weft_asc_at at = weft_asc::Here()) {
  constexpr weft_asc::EventPipes p = weft_asc::PipesOf(event);
  weft_asc_flag_set(p.source, p.target, eventID, at);
}
template <HardEvent event>
void WaitFlag(int32_t eventID, weft_asc_at at = weft_asc::Here()) {
  constexpr weft_asc::EventPipes p = weft_asc::PipesOf(event);
  weft_asc_flag_wait(p.source, p.target, eventID, at);
}
// Mutexes between pipes, of which a core has 32.
inline MutexID AllocMutexID(weft_asc_at at = weft_asc::Here()) {
  weft_asc_core *core = weft_asc_current();
  for (MutexID id = 0; core && id < sizeof core->mutex_pipe; id++) {
    if (core->mutexes >> id & 1)
      continue;
    core->mutexes |= 1u << id;
    core->mutex_pipe[id] = 0;
    return id;
  }
  weft_asc_fail(at, "AllocMutexID: all mutexes are taken");
  return 0;
}
inline void ReleaseMutexID(MutexID id, weft_asc_at at = weft_asc::Here()) {
  weft_asc_core *core = weft_asc_current();
  if (core && (id >= sizeof core->mutex_pipe || !(core->mutexes >> id & 1)))
    weft_asc_fail(at, "ReleaseMutexID: %d was not taken by AllocMutexID", id);
  if (core && id < sizeof core->mutex_pipe)
    core->mutexes &= ~(1u << id);
}
// What `pipe` does behind Lock comes after what the pipe that unlocked before did.
struct Mutex {
  template <pipe_t pipe>
  static void Lock(MutexID id, weft_asc_at at = weft_asc::Here()) {
    const int last = LastOf(id, at);
    if (last < 0 || last == pipe)
      return;
    weft_asc_flag_pass(last, pipe, at);
  }
  template <pipe_t pipe>
  static void Unlock(MutexID id, weft_asc_at at = weft_asc::Here()) {
    LastOf(id, at);
    weft_asc_core *core = weft_asc_current();
    if (core && id < sizeof core->mutex_pipe)
      core->mutex_pipe[id] = static_cast<uint8_t>(pipe + 1);
  }

 private:
  static int LastOf(MutexID id, weft_asc_at at) {
    const weft_asc_core *core = weft_asc_current();
    if (core && id >= sizeof core->mutex_pipe)
      weft_asc_fail(at, "Mutex: %d is none of the %zu", id, sizeof core->mutex_pipe);
    return core && id < sizeof core->mutex_pipe ? core->mutex_pipe[id] - 1 : -1;
  }
};
inline MutexID TPipe::AllocMutexID(weft_asc_at at) {
  return AscendC::AllocMutexID(at);
}
inline void TPipe::ReleaseMutexID(MutexID id, weft_asc_at at) {
  AscendC::ReleaseMutexID(id, at);
}
template <pipe_t pipe>
void PipeBarrier(weft_asc_at at = weft_asc::Here()) {
  weft_asc_barrier(pipe, at);
}
template <MemDsbT kind>
void DataSyncBarrier(weft_asc_at at = weft_asc::Here()) {
  weft_asc_barrier(WEFT_ASC_PIPE_ALL, at);
}
template <bool isAIVOnly = true>
void SyncAll(weft_asc_at at = weft_asc::Here()) {
  weft_asc_sync_all(isAIVOnly, at);
}
// The form with workspaces needs none of them here.
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t> &, const LocalTensor<int32_t> &, const int32_t = 0,
             weft_asc_at at = weft_asc::Here()) {
  weft_asc_sync_all(isAIVOnly, at);
}
template <uint8_t modeId, pipe_t pipe>
void CrossCoreSetFlag(uint16_t flagId, weft_asc_at at = weft_asc::Here()) {
  weft_asc_cross_set(modeId, pipe, flagId, at);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flagId, weft_asc_at at = weft_asc::Here()) {
  weft_asc_cross_wait(modeId, pipe, flagId, at);
}
// The older name.
template <pipe_t pipe = PIPE_S, uint8_t mode = 0>
void WaitEvent(uint16_t flagId, weft_asc_at at = weft_asc::Here()) {
  weft_asc_cross_wait(mode, pipe, flagId, at);
}
template <pipe_t src, pipe_t dst>
class TQueSync {
 public:
  void SetFlag(TEventID id, weft_asc_at at = weft_asc::Here()) { weft_asc_flag_set(src, dst, id, at); }
  void WaitFlag(TEventID id, weft_asc_at at = weft_asc::Here()) { weft_asc_flag_wait(src, dst, id, at); }
};

template <typename T>
void SetAtomicAdd() {
  if (weft_asc_core *core = weft_asc_current()) {
    core->atomic = WEFT_ASC_ATOMIC_ADD;
    core->atomic_dtype = DtypeOf<T>::kValue;
  }
}
template <typename T>
void SetAtomicMax() {
  SetAtomicAdd<T>();
  if (weft_asc_core *core = weft_asc_current())
    core->atomic = WEFT_ASC_ATOMIC_MAX;
}
template <typename T>
void SetAtomicMin() {
  SetAtomicAdd<T>();
  if (weft_asc_core *core = weft_asc_current())
    core->atomic = WEFT_ASC_ATOMIC_MIN;
}
inline void SetAtomicNone() {
  if (weft_asc_core *core = weft_asc_current())
    core->atomic = WEFT_ASC_STORE;
}
inline void DisableDmaAtomic() {
  SetAtomicNone();
}
// Scalar caches are the process's own: always coherent.
template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_ALL>
void DataCacheCleanAndInvalid(const GlobalTensor<T> &) {}
template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_ALL>
void DataCacheCleanAndInvalid(const LocalTensor<T> &) {}
template <typename T>
void DataCachePreload(const GlobalTensor<uint64_t> &, const T) {}
inline void ICachePreLoad(const int64_t) {}
}  // namespace AscendC
inline void set_flag(pipe_t source, pipe_t target, event_t id, weft_asc_at at = weft_asc::Here()) {
  weft_asc_flag_set(source, target, id, at);
}
inline void wait_flag(pipe_t source, pipe_t target, event_t id, weft_asc_at at = weft_asc::Here()) {
  weft_asc_flag_wait(source, target, id, at);
}
inline void pipe_barrier(pipe_t pipe, weft_asc_at at = weft_asc::Here()) {
  weft_asc_barrier(pipe, at);
}
// SPDX-License-Identifier: Apache-2.0
