// weft_cann/asc_kernel.h - what a kernel knows of its launch: block, core, tiling, workspaces; printf and
// asserts.
#pragma once
#include <cstdio>
#include <cstring>

#include "weft_cann/asc_vector.h"

// Which cores take part. KERNEL_TASK_TYPE_DEFAULT is a statement of its own: kernels leave its semicolon out.
#define KERNEL_TYPE_AIV_ONLY           WEFT_ASC_TASK_AIV
#define KERNEL_TYPE_AIC_ONLY           WEFT_ASC_TASK_AIC
#define KERNEL_TYPE_MIX_AIV_1_0        WEFT_ASC_TASK_AIV
#define KERNEL_TYPE_MIX_AIC_1_0        WEFT_ASC_TASK_AIC
#define KERNEL_TYPE_MIX_AIC_1_1        WEFT_ASC_TASK_MIX_1_1
#define KERNEL_TYPE_MIX_AIC_1_2        WEFT_ASC_TASK_MIX_1_2
#define KERNEL_TYPE_AICORE             WEFT_ASC_TASK_AIV
#define KERNEL_TYPE_VECTORCORE         WEFT_ASC_TASK_AIV
#define KERNEL_TYPE_MIX_AICORE         WEFT_ASC_TASK_AIV
#define KERNEL_TYPE_MIX_VECTOR_CORE    WEFT_ASC_TASK_AIV
#define KERNEL_TASK_TYPE_DEFAULT(type) weft_asc_task(type);
#define KERNEL_TASK_TYPE(key, type)              \
  do {                                           \
    if (AscendC::TilingKey() == (uint64_t)(key)) \
      weft_asc_task(type);                       \
  } while (0);

#define TILING_KEY_IS(key)            (AscendC::TilingKey() == (uint64_t)(key))
#define REGISTER_TILING_DEFAULT(type) using WeftAscTilingDefault = type
#define REGISTER_TILING_FOR_TILINGKEY(...)
#define REGISTER_NONE_TILING
// A header that stands in front of the kernel may have its own: unit tests bring such ones.
#ifndef GET_TILING_DATA
#define GET_TILING_DATA(name, address) \
  WeftAscTilingDefault name;           \
  AscendC::TilingFrom(&name, sizeof(name), address)
#endif
#ifndef GET_TILING_DATA_WITH_STRUCT
#define GET_TILING_DATA_WITH_STRUCT(type, name, address) \
  type name;                                             \
  AscendC::TilingFrom(&name, sizeof(name), address)
#endif
#ifndef GET_TILING_DATA_MEMBER
#define GET_TILING_DATA_MEMBER(type, member, name, address) \
  decltype(type::member) name;                              \
  AscendC::TilingFrom(&name, sizeof(name), (address) + offsetof(type, member))
#endif

#define ASCEND_IS_AIV (AscendC::IsVectorCore())
#define ASCEND_IS_AIC (!AscendC::IsVectorCore())

namespace AscendC {
inline int64_t GetBlockIdx() {
  const weft_asc_core *core = weft_asc_current();
  return core ? core->block : 0;
}
inline int64_t GetBlockNum() {
  const weft_asc_core *core = weft_asc_current();
  return core ? core->blocks : 0;
}
inline int64_t GetSubBlockIdx() {
  const weft_asc_core *core = weft_asc_current();
  return core ? core->sub_block : 0;
}
inline int64_t GetSubBlockNum() {
  const weft_asc_core *core = weft_asc_current();
  return core ? core->sub_blocks : 1;
}
inline int64_t GetTaskRation() {
  return GetSubBlockNum();
}
inline int64_t GetTaskRatio() {
  return GetSubBlockNum();
}
inline bool IsVectorCore() {
  const weft_asc_core *core = weft_asc_current();
  return !core || core->kind == WEFT_ASC_AIV;
}
inline uint64_t TilingKey() {
  const weft_asc_core *core = weft_asc_current();
  return core ? core->tiling_key : 0;
}
inline void TilingFrom(void *to, size_t bytes, const void *from) {
  memcpy(to, from, bytes);
}
inline int64_t GetSystemCycle() {
#if defined(__x86_64__)
  return static_cast<int64_t>(__builtin_ia32_rdtsc());
#else
  return 0;
#endif
}
constexpr uint32_t GetDataBlockSizeInBytes() {
  return 32;
}
inline uint32_t GetUBSizeInBytes() {
  const weft_asc_core *core = weft_asc_current();
  return core ? core->capacity[WEFT_ASC_UB] : 0;
}
inline TPipe *GetTPipePtr() {
  const weft_asc_core *core = weft_asc_current();
  return core ? static_cast<TPipe *>(core->pipe) : nullptr;
}
inline void InitSocState() {
  SetAtomicNone();
  SetMaskNorm();
  ResetMask();
}
inline void Trap(weft_asc_at at = weft_asc::Here()) {
  weft_asc_fail(at, "the kernel called Trap");
}
// The system's part of a workspace is empty here.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
  return workspace;
}
inline void SetSysWorkspace(GM_ADDR) {}
inline void SetSysWorkspaceForce(GM_ADDR) {}
inline GM_ADDR GetSysWorkSpacePtr() {
  return nullptr;
}

template <typename... Args>
void printf(const char *format, Args... args) {
  weft_asc_print(format, args...);
}
inline void printf(const char *text) {
  weft_asc_print("%s", text);
}
template <typename... Args>
void PRINTF(const char *format, Args... args) {
  weft_asc_print(format, args...);
}

template <typename Tensor>
void DumpElements(const Tensor &tensor, uint32_t desc, uint32_t count, const char *kind) {
  weft_asc_print("DumpTensor: desc=%u, block=%lld, %s, %u elements\n[", desc,
                 static_cast<long long>(GetBlockIdx()), kind, count);
  for (uint32_t i = 0; i < count; i++)
    weft_asc_print("%s%g", i ? ", " : "", static_cast<double>(*(tensor.begin() + i)));
  weft_asc_print("]\n");
}
template <typename T>
struct DumpRange {
  const T *first;
  const T *begin() const { return first; }
};
template <typename T>
void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize) {
  weft_asc_pointers();
  DumpElements(DumpRange<T>{tensor.Data()}, desc, dumpSize, "on the chip");
}
template <typename T>
void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize) {
  DumpElements(DumpRange<T>{tensor.GetPhyAddr()}, desc, dumpSize, "global memory");
}
// With a shape, of which as many elements are printed.
template <typename T>
void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &shapeInfo) {
  DumpTensor(tensor, desc, static_cast<uint32_t>(std::min<uint64_t>(dumpSize, GetShapeSize(shapeInfo))));
}
template <typename T>
void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &shapeInfo) {
  DumpTensor(tensor, desc, static_cast<uint32_t>(std::min<uint64_t>(dumpSize, GetShapeSize(shapeInfo))));
}
}  // namespace AscendC

using AscendC::GetTPipePtr;
using AscendC::GetUserWorkspace;
using float32_t = float;

namespace AscendC {
// g_coreType == AIC: the kind of core that a block runs on.
struct CoreKind {
  operator int() const {
    const weft_asc_core *core = weft_asc_current();
    return core ? core->kind : AIV;
  }
};
constexpr CoreKind g_coreType = {};
}  // namespace AscendC
inline int64_t get_block_idx() {
  return AscendC::GetBlockIdx();
}
inline int64_t block_idx_of_weft() {
  return AscendC::GetBlockIdx();
}

namespace weft_asc {
inline void AssertionFailed(weft_asc_at at, const char *condition) {
  weft_asc_fail(at, "assertion failed: %s", condition);
}
template <typename... Args>
void AssertionFailed(weft_asc_at at, const char *condition, const char *format, Args... args) {
  char text[1024] = "";
  if constexpr (sizeof...(Args) == 0)
    snprintf(text, sizeof text, "%s", format);
  else
    snprintf(text, sizeof text, format, args...);
  const size_t n = strlen(text);
  if (n && text[n - 1] == '\n')
    text[n - 1] = 0;
  weft_asc_fail(at, "assertion failed: %s: %s", condition, text);
}
}  // namespace weft_asc
// An assertion of a kernel: ascendc_assert(condition[, format, ...]).
#define ascendc_assert(condition, ...)                                            \
  do {                                                                            \
    if (!(condition))                                                             \
      weft_asc::AssertionFailed({__FILE__, __LINE__}, #condition, ##__VA_ARGS__); \
  } while (0)
#undef ASCENDC_ASSERT
#define ASCENDC_ASSERT(condition, ...) ascendc_assert(condition)
#ifndef ASSERT
#define ASSERT(condition, ...) ascendc_assert(condition)
#endif
// SPDX-License-Identifier: Apache-2.0
