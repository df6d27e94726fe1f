// weft_cann/asc_chip.h - what a kernel says to the chip alone: caches, counters, modes of the scalar unit,
// and when the next kernel of a stream may begin. Results do not depend on it; modes are kept and given back.
#pragma once
#include "weft_cann/asc_kernel.h"

namespace AscendC {
enum class SaturationMode { FLOAT, FLOAT8, INT, CAST };
enum class OverrideStrategy { USE_API, USE_GLOBAL };
enum class EngineType : int32_t { AIC = 1, AIV = 2 };
enum class CoreType : uint8_t { DEFAULT, ON_AIV, ON_AIC };
}  // namespace AscendC

namespace weft_asc {
// Modes that a kernel set. Each thread that runs blocks has its own, and a kernel sets what it reads.
struct ChipModes {
  bool saturation[4] = {true, true, true, true};
  AscendC::OverrideStrategy strategy = AscendC::OverrideStrategy::USE_API;
  AscendC::CacheMode cache[4] = {};
  uint8_t *dump = nullptr;
};
inline ChipModes &Modes() {
  static thread_local ChipModes modes;
  return modes;
}
}  // namespace weft_asc

namespace AscendC {
template <SaturationMode mode>
void SetSaturationFlag(bool enableSat) {
  weft_asc::Modes().saturation[static_cast<int>(mode)] = enableSat;
}
template <SaturationMode mode>
bool GetSaturationFlag() {
  return weft_asc::Modes().saturation[static_cast<int>(mode)];
}
template <OverrideStrategy strategy>
void SetSaturationStrategy() {
  weft_asc::Modes().strategy = strategy;
}
inline OverrideStrategy GetSaturationStrategy() {
  return weft_asc::Modes().strategy;
}
template <CacheRwMode rwMode, CacheMode cacheMode>
void SetScalarCacheMode() {
  weft_asc::Modes().cache[static_cast<int>(rwMode)] = cacheMode;
}
template <CacheRwMode rwMode>
CacheMode GetScalarCacheMode() {
  return weft_asc::Modes().cache[static_cast<int>(rwMode)];
}

// ---- atomic copies, said by their parts ----

template <typename T>
void SetAtomicType() {
  if (weft_asc_core *core = weft_asc_current())
    core->atomic_dtype = DtypeOf<T>::kValue;
}
template <AtomicDtype type, AtomicOp op>
void SetStoreAtomicConfig() {
  if constexpr (type == AtomicDtype::ATOMIC_F32)
    SetAtomicAdd<float>();
  else if constexpr (type == AtomicDtype::ATOMIC_F16)
    SetAtomicAdd<half>();
  else if constexpr (type == AtomicDtype::ATOMIC_S16)
    SetAtomicAdd<int16_t>();
  else if constexpr (type == AtomicDtype::ATOMIC_S32)
    SetAtomicAdd<int32_t>();
  else if constexpr (type == AtomicDtype::ATOMIC_S8)
    SetAtomicAdd<int8_t>();
  else if constexpr (type == AtomicDtype::ATOMIC_BF16)
    SetAtomicAdd<bfloat16_t>();
  else
    SetAtomicNone();
}
inline void GetStoreAtomicConfig(uint16_t &atomicType, uint16_t &atomicOp) {
  const weft_asc_core *core = weft_asc_current();
  const bool adds = core && core->atomic == WEFT_ASC_ATOMIC_ADD;
  atomicOp = static_cast<uint16_t>(AtomicOp::ATOMIC_SUM);
  AtomicDtype type = AtomicDtype::ATOMIC_NONE;
  if (adds && core->atomic_dtype == WEFT_ASC_F32)
    type = AtomicDtype::ATOMIC_F32;
  else if (adds && core->atomic_dtype == WEFT_ASC_F16)
    type = AtomicDtype::ATOMIC_F16;
  else if (adds && core->atomic_dtype == WEFT_ASC_I16)
    type = AtomicDtype::ATOMIC_S16;
  else if (adds && core->atomic_dtype == WEFT_ASC_I32)
    type = AtomicDtype::ATOMIC_S32;
  else if (adds && core->atomic_dtype == WEFT_ASC_I8)
    type = AtomicDtype::ATOMIC_S8;
  else if (adds && core->atomic_dtype == WEFT_ASC_BF16)
    type = AtomicDtype::ATOMIC_BF16;
  atomicType = static_cast<uint16_t>(type);
}

// ---- global memory by the scalar unit ----

template <typename T>
T ReadGmByPassDCache(T *addr, weft_asc_at at = weft_asc::Here()) {
  weft_asc_scalar(addr, sizeof(T), false, true, at);
  return *addr;
}
template <typename T>
void WriteGmByPassDCache(T *addr, weft_asc::Same<T> value, weft_asc_at at = weft_asc::Here()) {
  weft_asc_scalar(addr, sizeof(T), true, true, at);
  *addr = value;
}

// ---- one after another in any case ----

template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
void SetNextTaskStart() {}
template <bool FORCE = false>
void WaitPreTaskEnd() {}
// Runs the function on the core's own kind, and on no other.
template <EngineType engine, auto funPtr, typename... Args>
void Async(Args... args) {
  if (IsVectorCore() == (engine == EngineType::AIV))
    funPtr(args...);
}

// ---- measures ----

template <int count = 1>
void Nop() {}
inline void MetricsProfStart() {}
inline void MetricsProfStop() {}
inline int64_t GetProgramCounter() {
  return 0;
}
inline int64_t GetICachePreloadStatus() {
  return 0;
}
inline void GetArchVersion(uint32_t &coreVersion) {
  coreVersion = WEFT_ASC_ARCH;
}
inline uint32_t GetRuntimeUBSize() {
  return GetUBSizeInBytes();
}
inline uint8_t *SetDumpWorkSpacePtr(uint8_t *workspace) {
  weft_asc::Modes().dump = workspace;
  return workspace;
}
inline uint8_t *GetDumpWorkSpacePtr() {
  return weft_asc::Modes().dump;
}
// Watches addresses of the chip: WEFT_ASC_CHECK=1 watches all of them.
struct CheckLocalMemoryIAParam {
  CheckLocalMemoryIAParam() {}
  CheckLocalMemoryIAParam(const uint8_t enableBitIn, const uint32_t startAddrIn, const uint32_t endAddrIn,
                          const bool isScalarReadIn, const bool isScalarWriteIn, const bool isVectorReadIn,
                          const bool isVectorWriteIn, const bool isMteReadIn, const bool isMteWriteIn,
                          const bool isEnableIn)
      : enableBit(enableBitIn),
        startAddr(startAddrIn),
        endAddr(endAddrIn),
        isScalarRead(isScalarReadIn),
        isScalarWrite(isScalarWriteIn),
        isVectorRead(isVectorReadIn),
        isVectorWrite(isVectorWriteIn),
        isMteRead(isMteReadIn),
        isMteWrite(isMteWriteIn),
        isEnable(isEnableIn) {}
  uint8_t enableBit = 0;
  uint32_t startAddr = 0;
  uint32_t endAddr = 0;
  bool isScalarRead = false;
  bool isScalarWrite = false;
  bool isVectorRead = false;
  bool isVectorWrite = false;
  bool isMteRead = false;
  bool isMteWrite = false;
  bool isEnable = false;
  uint32_t reserved = 0;
};
inline void CheckLocalMemoryIA(const CheckLocalMemoryIAParam &) {}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
