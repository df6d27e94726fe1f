// weft_cann/tiling_base.h - what tiling functions share: a class whose steps an operator fills in, and short
// questions about the platform of a context.
#pragma once
#include <memory>
#include <sstream>

#include "weft_cann/log.h"
#include "weft_cann/platform_ascendc.h"
#include "weft_cann/registry.h"
#include "weft_cann/tiling.h"

namespace Ops {
namespace Base {
namespace detail {
template <typename T>
platform_ascendc::PlatformAscendC PlatformOfContext(const T *context) {
  return platform_ascendc::PlatformAscendC(context ? context->GetPlatformInfo() : nullptr);
}
}  // namespace detail

// In bytes, or in cores. The sizes of a block, a register and a line of the cache are those of every
// processor that weft knows.
template <typename T>
uint32_t GetUbBlockSize(const T *) {
  return 32;
}
template <typename T>
uint32_t GetVRegSize(const T *context) {
  return detail::PlatformOfContext(context).GetVecRegLen();
}
template <typename T>
uint32_t GetCacheLineSize(const T *) {
  return 128;
}
template <typename T>
uint32_t GetSectorCacheLineSize(const T *) {
  return 32;
}
template <typename T>
uint32_t GetSimtMaxThreadNum(const T *) {
  return 2048;
}
template <typename T>
uint32_t GetUbSize(const T *context) {
  uint64_t size = 0;
  detail::PlatformOfContext(context).GetCoreMemSize(platform_ascendc::CoreMemType::UB, size);
  return static_cast<uint32_t>(size);
}
template <typename T>
uint32_t GetAivCoreNum(const T *context) {
  return detail::PlatformOfContext(context).GetCoreNumAiv();
}
template <typename T>
uint32_t GetWorkspaceSize(const T *context) {
  return detail::PlatformOfContext(context).GetLibApiWorkSpaceSize();
}

// A scalar as a tensor of one element, which has a dim to tile.
inline const gert::Shape &EnsureNotScalar(const gert::Shape &inShape) {
  static const gert::Shape one = {1};
  return inShape.IsScalar() ? one : inShape;
}
// Does the processor compute in vector registers?
inline bool IsRegbaseSocVersion(const gert::TilingContext *context) {
  return detail::PlatformOfContext(context).GetCurNpuArch() == NpuArch::DAV_3510;
}
inline bool IsRegbaseSocVersion(const gert::TilingParseContext *context) {
  return detail::PlatformOfContext(context).GetCurNpuArch() == NpuArch::DAV_3510;
}

struct AiCoreParams {
  uint64_t ubSize = 0;
  uint64_t numBlocks = 0;
  uint64_t aicNum = 0;
  uint64_t l1Size = 0;
  uint64_t l0aSize = 0;
  uint64_t l0bSize = 0;
  uint64_t l0cSize = 0;
};
struct CompileInfoCommon {
  uint32_t aivNum;
  uint32_t aicNum;
  uint64_t ubSize;
  uint64_t l1Size;
  uint64_t l0aSize;
  uint64_t l0bSize;
  uint64_t l0cSize;
  uint64_t l2CacheSize;
  int64_t coreNum;
  int32_t socVersion;
  uint32_t rsvd;
};

// A way to tile an operator, in steps. GRAPH_PARAM_INVALID of DoTiling: this way does not take the shapes,
// another may.
class TilingBaseClass {
 public:
  explicit TilingBaseClass(gert::TilingContext *context) : context_(context) {}
  virtual ~TilingBaseClass() noexcept = default;
  ge::graphStatus DoTiling() {
    if (!context_)
      return ge::GRAPH_FAILED;
    ge::graphStatus status = GetShapeAttrsInfo();
    if (status == ge::GRAPH_SUCCESS)
      status = GetPlatformInfo();
    if (status != ge::GRAPH_SUCCESS)
      return status;
    if (!IsCapable())
      return ge::GRAPH_PARAM_INVALID;
    status = DoOpTiling();
    if (status == ge::GRAPH_SUCCESS)
      status = DoLibApiTiling();
    if (status == ge::GRAPH_SUCCESS)
      status = GetWorkspaceSize();
    if (status == ge::GRAPH_SUCCESS)
      status = PostTiling();
    if (status != ge::GRAPH_SUCCESS)
      return status;
    status = context_->SetTilingKey(GetTilingKey());
    DumpTilingInfo();
    return status;
  }
  virtual void Reset(gert::TilingContext *context) {
    context_ = context;
    ascendcPlatform_.reset();
    numBlocks_ = 0;
    blockDim_ = 0;
    workspaceSize_ = 0;
    tilingKey_ = 0;
    aicoreParams_ = AiCoreParams();
  }

 protected:
  virtual bool IsCapable() = 0;
  virtual ge::graphStatus GetPlatformInfo() = 0;
  virtual ge::graphStatus GetShapeAttrsInfo() = 0;
  virtual ge::graphStatus DoOpTiling() = 0;
  virtual ge::graphStatus DoLibApiTiling() = 0;
  [[nodiscard]] virtual uint64_t GetTilingKey() const = 0;
  virtual ge::graphStatus GetWorkspaceSize() = 0;
  virtual ge::graphStatus PostTiling() = 0;
  virtual void DumpTilingInfo() { (void)DefaultTilingInfoDump(); }
  int64_t DefaultTilingInfoDump() {
    OP_LOGD(context_, "%s %s", GetTilingContextDebugStr().c_str(), GetTilingDataDebugStr().c_str());
    return 0;
  }
  static uint32_t CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) {
    return platform_ascendc::PlatformAscendC(nullptr).CalcTschBlockDim(sliceNum, aicCoreNum, aivCoreNum);
  }
  // "[2, 3]"
  template <typename T>
  std::string GetShapeDebugStr(const T &shape) const {
    std::ostringstream text;
    text << "[";
    for (size_t i = 0; i < shape.GetDimNum(); i++)
      text << (i ? ", " : "") << shape.GetDim(i);
    return text.str() + "]";
  }
  std::string GetTensorDebugStr(const gert::StorageShape *shape, const gert::CompileTimeTensorDesc *tensor) {
    if (!shape || !tensor)
      return "none";
    return "type " + std::to_string(static_cast<int>(tensor->GetDataType())) + " shape " +
           GetShapeDebugStr(shape->GetStorageShape());
  }
  std::string GetTilingContextDebugStr() {
    std::string text;
    for (size_t i = 0; context_ && i < context_->GetComputeNodeInputNum(); i++)
      text += "input" + std::to_string(i) + ": " +
              GetTensorDebugStr(context_->GetInputShape(i), context_->GetInputDesc(i)) + "; ";
    for (size_t i = 0; context_ && i < context_->GetComputeNodeOutputNum(); i++)
      text += "output" + std::to_string(i) + ": " +
              GetTensorDebugStr(context_->GetOutputShape(i), context_->GetOutputDesc(i)) + "; ";
    return text;
  }
  // Its record as numbers of 32 bits.
  std::string GetTilingDataDebugStr() const {
    const gert::TilingData *record = context_ ? context_->GetRawTilingData() : nullptr;
    std::ostringstream text;
    for (size_t at = 0; record && at + 4 <= record->GetDataSize(); at += 4) {
      int32_t value;
      memcpy(&value, static_cast<const uint8_t *>(record->GetData()) + at, sizeof value);
      text << (at ? ", " : "") << value;
    }
    return text.str();
  }

  gert::TilingContext *context_ = nullptr;
  std::unique_ptr<platform_ascendc::PlatformAscendC> ascendcPlatform_;
  uint32_t numBlocks_ = 0;
  uint32_t blockDim_ = 0;  // the same under its older name: derived classes use one of them
  uint64_t workspaceSize_ = 0;
  uint64_t tilingKey_ = 0;
  AiCoreParams aicoreParams_;
};
static_assert(sizeof(CompileInfoCommon) == 72 && sizeof(TilingBaseClass) == 104, "layouts");
}  // namespace Base
}  // namespace Ops
// SPDX-License-Identifier: Apache-2.0
