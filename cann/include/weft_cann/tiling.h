// weft_cann/tiling.h - what a tiling function is called with: how a launch is cut into blocks, and the opaque
// record that the kernel reads.
#pragma once
#include <set>  // tiling sources use it without including it

#include "weft_cann/context.h"
#include "weft_cann/kernel_words.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {
// Types that AppendConvertedAttrVal knows.
enum class AttrDataType : int32_t {
  kBool = 0,
  kString,
  kInt32,
  kInt64,
  kUint32,
  kFloat32,
  kFloat16,
  kListBool,
  kListString,
  kListInt32,
  kListInt64,
  kListUint32,
  kListFloat32,
  kListFloat16,
  kListListInt32,
  kListListInt64,
  kBfloat16,
  kInt8,
  kInt16,
  kListInt8,
  kListInt16,
  kListListBool,
  kListListFloat16,
  kListBfloat16,
  kListListBfloat16,
  kListListFloat32,
  kListListInt8,
  kListListInt16,
  kUint8,
  kListUint8,
  kListListUint8,
  kUint16,
  kListUint16,
  kListListUint16,
  kListListUint32,
  kUint64,
  kListUint64,
  kListListUint64,
  kTypeEnd
};

// The record: so many bytes of room, so many in use. Nothing is aligned.
class TilingData {
 public:
  size_t GetCapacity() const { return capacity_; }
  size_t GetDataSize() const { return data_size_; }
  void SetDataSize(const size_t size) { data_size_ = size; }
  void *GetData() { return data_; }
  const void *GetData() const { return data_; }
  // GRAPH_FAILED, and nothing changes, when there is no room left.
  template <typename T, typename std::enable_if<std::is_standard_layout<T>::value, int>::type = 0>
  ge::graphStatus Append(const T &data) {
    return Append(&data, 1);
  }
  template <typename T, typename std::enable_if<std::is_standard_layout<T>::value, int>::type = 0>
  ge::graphStatus Append(const T *data, size_t count) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, sizeof(T), &bytes))
      return ge::GRAPH_FAILED;
    void *to = Expand(bytes);
    if (!to)
      return ge::GRAPH_FAILED;
    memcpy(to, data, bytes);
    return ge::GRAPH_SUCCESS;
  }
  // So many bytes more; nullptr when there is no room left.
  void *Expand(size_t size) {
    if (data_size_ > capacity_ || size > capacity_ - data_size_)
      return nullptr;
    void *from = static_cast<uint8_t *>(data_) + data_size_;
    data_size_ += size;
    return from;
  }
  // A record in one block with its room, which begins behind it.
  static std::unique_ptr<uint8_t[]> CreateCap(const size_t capacity) {
    size_t total_size = 0;
    if (CalcTotalSize(capacity, total_size) != ge::GRAPH_SUCCESS)
      return nullptr;
    std::unique_ptr<uint8_t[]> block(new (std::nothrow) uint8_t[total_size]());
    if (block)
      reinterpret_cast<TilingData *>(block.get())->Init(capacity, block.get() + sizeof(TilingData));
    return block;
  }
  static ge::graphStatus CalcTotalSize(const size_t capacity, size_t &total_size) {
    return __builtin_add_overflow(capacity, sizeof(TilingData), &total_size) ? ge::GRAPH_FAILED
                                                                             : ge::GRAPH_SUCCESS;
  }
  void Init(const size_t capacity, void *const data) {
    capacity_ = capacity;
    data_size_ = 0;
    data_ = data;
    memset(reserved_, 0, sizeof reserved_);
  }
  // An attribute in another type: integers and floats, single or in lists. GRAPH_FAILED: no such attribute,
  // no room, or a pair of types that is not converted.
  ge::graphStatus AppendConvertedAttrVal(const RuntimeAttrs *attrs, const size_t i, const AttrDataType from,
                                         const AttrDataType to) {
    if (!attrs)
      return ge::GRAPH_FAILED;
    switch (from) {
      case AttrDataType::kBool:
        return AppendAs(attrs->GetBool(i), to);
      case AttrDataType::kInt64:
        return AppendAs(attrs->GetInt(i), to);
      case AttrDataType::kInt32:
        return AppendAs(attrs->GetAttrPointer<int32_t>(i), to);
      case AttrDataType::kFloat32:
        return AppendAs(attrs->GetFloat(i), to);
      default:
        return ge::GRAPH_FAILED;
    }
  }
  TilingData(const TilingData &) = delete;
  TilingData(TilingData &&) = delete;
  TilingData operator=(const TilingData &) = delete;
  TilingData operator=(TilingData &&) = delete;

 private:
  template <typename From>
  ge::graphStatus AppendAs(const From *at, AttrDataType to) {
    if (!at)
      return ge::GRAPH_FAILED;
    From value;
    memcpy(&value, at, sizeof value);
    switch (to) {
      case AttrDataType::kBool:
        return Append(static_cast<bool>(value));
      case AttrDataType::kInt8:
        return Append(static_cast<int8_t>(value));
      case AttrDataType::kUint8:
        return Append(static_cast<uint8_t>(value));
      case AttrDataType::kInt16:
        return Append(static_cast<int16_t>(value));
      case AttrDataType::kUint16:
        return Append(static_cast<uint16_t>(value));
      case AttrDataType::kInt32:
        return Append(static_cast<int32_t>(value));
      case AttrDataType::kUint32:
        return Append(static_cast<uint32_t>(value));
      case AttrDataType::kInt64:
        return Append(static_cast<int64_t>(value));
      case AttrDataType::kUint64:
        return Append(static_cast<uint64_t>(value));
      case AttrDataType::kFloat32:
        return Append(static_cast<float>(value));
      default:
        return ge::GRAPH_FAILED;
    }
  }
  size_t capacity_;
  size_t data_size_;
  void *data_;
  [[maybe_unused]] uint8_t reserved_[40];
};

template <typename T>
TilingData &operator<<(TilingData &out, const T &data) {
  (void)out.Append(data);
  return out;
}

struct Dim3 {
  Dim3(const uint32_t dim3_x, const uint32_t dim3_y = 1, const uint32_t dim3_z = 1)
      : x(dim3_x), y(dim3_y), z(dim3_z) {}
  uint32_t x;
  uint32_t y;
  uint32_t z;
};

// Values: inputs, outputs, then compile info, platform, one that nobody uses, deterministic and its level.
class TilingContext : public ExtendedKernelContext {
 public:
  enum TilingOutputIndex : uint32_t {
    kOutputTilingKey = 0,
    kOutputBlockDim = 1,
    kOutputSimdNumBlocks = 1,
    kOutputAtomicCleanFlag = 2,
    kOutputTilingData = 3,
    kOutputWorkspace = 4,
    kOutputTilingCond = 5,
    kOutputScheduleMode = 6,
    kOutputLocalMemorySize = 7,
    kOutputDynUBufSize = 7,
    kOutputAicpuBlockDim = 8,
    kOutputAicpuNumBlocks = 8,
    kOutputSimtBlockDim = 9,
    kOutputSimtGridDim = 10,
    kOutputNum = 11
  };
  enum FallibleTilingOutputIndex : uint32_t { kTilingStatus = kOutputNum, kFallibleOutputNum };
  // Behind inputs and outputs.
  enum TilingInputIndex : uint32_t {
    kCompileInfo,
    kPlatformInfo,
    kUnused,
    kDeterministic,
    kDeterministicLevel
  };

  const void *GetCompileInfo() const { return Behind<const void *>(kCompileInfo); }
  template <typename T>
  const T *GetCompileInfo() const {
    return static_cast<const T *>(GetCompileInfo());
  }
  fe::PlatFormInfos *GetPlatformInfo() const { return Behind<fe::PlatFormInfos *>(kPlatformInfo); }
  int32_t GetDeterministic() const { return Behind<int32_t>(kDeterministic); }
  int32_t GetDeterministicLevel() const { return Behind<int32_t>(kDeterministicLevel); }

  const StorageShape *GetInputShape(const size_t i) const {
    return reinterpret_cast<const StorageShape *>(GetInputTensor(i));
  }
  const Tensor *GetInputTensor(const size_t i) const {
    return IsInput(i) ? GetInputPointer<Tensor>(i) : nullptr;
  }
  const Tensor *GetOptionalInputTensor(const size_t ir) const { return GetDynamicInputTensor(ir, 0); }
  const Tensor *GetDynamicInputTensor(const size_t ir, const size_t k) const {
    return GetDynamicInputPointer<Tensor>(ir, k);
  }
  const StorageShape *GetOptionalInputShape(const size_t ir) const { return GetDynamicInputShape(ir, 0); }
  const Tensor *GetRequiredInputTensor(const size_t ir) const { return GetDynamicInputTensor(ir, 0); }
  const StorageShape *GetRequiredInputShape(const size_t ir) const { return GetDynamicInputShape(ir, 0); }
  const StorageShape *GetDynamicInputShape(const size_t ir, const size_t k) const {
    return reinterpret_cast<const StorageShape *>(GetDynamicInputTensor(ir, k));
  }
  const StorageShape *GetOutputShape(const size_t i) const {
    return reinterpret_cast<const StorageShape *>(OutputTensor(i));
  }

  ge::graphStatus SetTilingKey(const uint64_t key) { return Put(kOutputTilingKey, key); }
  uint64_t GetTilingKey() const { return Got<uint64_t>(kOutputTilingKey); }
  ge::graphStatus SetScheduleMode(const uint32_t mode) { return Put(kOutputScheduleMode, mode); }
  uint32_t GetScheduleMode() const { return Got<uint32_t>(kOutputScheduleMode); }
  ge::graphStatus SetBlockDim(const uint32_t blocks) { return Put(kOutputBlockDim, blocks); }
  ge::graphStatus SetSimdNumBlocks(const uint32_t blocks) { return SetBlockDim(blocks); }
  uint32_t GetBlockDim() const { return Got<uint32_t>(kOutputBlockDim); }
  uint32_t GetSimdNumBlocks() const { return GetBlockDim(); }
  ge::graphStatus SetAicpuBlockDim(uint32_t blocks) { return Put(kOutputAicpuBlockDim, blocks); }
  ge::graphStatus SetAicpuNumBlocks(uint32_t blocks) { return SetAicpuBlockDim(blocks); }
  uint32_t GetAicpuBlockDim() const { return Got<uint32_t>(kOutputAicpuBlockDim); }
  uint32_t GetAicpuNumBlocks() const { return GetAicpuBlockDim(); }
  ge::graphStatus SetTilingCond(int32_t cond) { return Put(kOutputTilingCond, cond); }
  int32_t GetTilingCond() const { return Got<int32_t>(kOutputTilingCond, -1); }
  ge::graphStatus SetNeedAtomic(const bool atomic) { return Put(kOutputAtomicCleanFlag, atomic); }
  bool NeedAtomic() const { return Got<bool>(kOutputAtomicCleanFlag); }
  ge::graphStatus SetLocalMemorySize(const uint32_t bytes) { return Put(kOutputLocalMemorySize, bytes); }
  ge::graphStatus SetDynUBufSize(const uint32_t bytes) { return SetLocalMemorySize(bytes); }
  uint32_t GetLocalMemorySize() const { return Got<uint32_t>(kOutputLocalMemorySize); }
  uint32_t GetDynUBufSize() const { return GetLocalMemorySize(); }

  // The record as a T: nullptr when T does not fit. Its size becomes sizeof(T).
  template <typename T>
  T *GetTilingData() {
    TilingData *record = GetRawTilingData();
    if (!record || record->GetCapacity() < sizeof(T))
      return nullptr;
    record->SetDataSize(sizeof(T));
    return static_cast<T *>(record->GetData());
  }
  TilingData *GetRawTilingData() { return Got<TilingData *>(kOutputTilingData); }
  // Asks for so many workspaces and returns where their bytes are to be written: nullptr when there is no
  // room for so many.
  size_t *GetWorkspaceSizes(const size_t count) {
    auto *sizes = Got<TypedContinuousVector<size_t> *>(kOutputWorkspace);
    if (!sizes || sizes->SetSize(count) != ge::GRAPH_SUCCESS)
      return nullptr;
    return sizes->MutableData();
  }
  size_t GetWorkspaceNum() const {
    const auto *sizes = Got<const TypedContinuousVector<size_t> *>(kOutputWorkspace);
    return sizes ? sizes->GetSize() : 0;
  }
  // Copied; what the context holds before is released when the context is.
  ge::graphStatus SetSimtGridDim(const Dim3 &dim) { return PutDim3(kOutputSimtGridDim, dim); }
  const Dim3 *GetSimtGridDim() const { return GetOutputPointer<Dim3>(kOutputSimtGridDim); }
  ge::graphStatus SetSimtBlockDim(const Dim3 &dim) { return PutDim3(kOutputSimtBlockDim, dim); }
  const Dim3 *GetSimtBlockDim() const { return GetOutputPointer<Dim3>(kOutputSimtBlockDim); }

  bool InputIsView(const size_t i) const { return IsView(GetInputTensor(i)); }
  const Stride *GetInputStride(const size_t i) const { return StrideOf(GetInputTensor(i)); }
  int64_t GetInputOffset(const size_t i) const { return OffsetOf(GetInputTensor(i)); }
  bool OutputIsView(const size_t i) const { return IsView(OutputTensor(i)); }
  const Stride *GetOutputStride(const size_t i) const { return StrideOf(OutputTensor(i)); }
  int64_t GetOutputOffset(const size_t i) const { return OffsetOf(OutputTensor(i)); }
  bool OptionalInputIsView(const size_t ir) const { return IsView(GetOptionalInputTensor(ir)); }
  const Stride *GetOptionalInputStride(const size_t ir) const { return StrideOf(GetOptionalInputTensor(ir)); }
  int64_t GetOptionalInputOffset(const size_t ir) const { return OffsetOf(GetOptionalInputTensor(ir)); }
  bool DynamicInputIsView(const size_t ir, const size_t k) const {
    return IsView(GetDynamicInputTensor(ir, k));
  }
  const Stride *GetDynamicInputStride(const size_t ir, const size_t k) const {
    return StrideOf(GetDynamicInputTensor(ir, k));
  }
  int64_t GetDynamicInputOffset(const size_t ir, const size_t k) const {
    return OffsetOf(GetDynamicInputTensor(ir, k));
  }
  bool RequiredInputIsView(const size_t ir) const { return IsView(GetRequiredInputTensor(ir)); }
  const Stride *GetRequiredInputStride(const size_t ir) const { return StrideOf(GetRequiredInputTensor(ir)); }
  int64_t GetRequiredInputOffset(const size_t ir) const { return OffsetOf(GetRequiredInputTensor(ir)); }

 private:
  const Tensor *OutputTensor(size_t i) const {
    return i < GetComputeNodeOutputNum() ? GetInputPointer<Tensor>(GetComputeNodeInputNum() + i) : nullptr;
  }
  template <typename T>
  T Behind(uint32_t k) const {
    return GetInputValue<T>(GetComputeNodeInputNum() + GetComputeNodeOutputNum() + k);
  }
  template <typename T>
  ge::graphStatus Put(uint32_t k, const T value) {
    T *place = GetOutputPointer<T>(k);
    if (!place)
      return ge::GRAPH_FAILED;
    *place = value;
    return ge::GRAPH_SUCCESS;
  }
  template <typename T>
  T Got(uint32_t k, T otherwise = T{}) const {
    const Chain *place = GetOutput(k);
    return place ? place->GetValue<T>() : otherwise;
  }
  ge::graphStatus PutDim3(uint32_t k, const Dim3 &dim) {
    Chain *place = GetOutput(k);
    if (!place)
      return ge::GRAPH_FAILED;
    if (Dim3 *old = place->GetPointer<Dim3>()) {
      *old = dim;
      return ge::GRAPH_SUCCESS;
    }
    Dim3 *copy = new (std::nothrow) Dim3(dim);
    if (!copy)
      return ge::GRAPH_FAILED;
    place->SetWithDefaultDeleter(copy);
    return ge::GRAPH_SUCCESS;
  }
  static const TensorV2 *View(const Tensor *tensor) {
    const bool view = tensor && tensor->GetVersion() == TensorVersion::kTensorV2;
    return view ? reinterpret_cast<const TensorV2 *>(tensor) : nullptr;
  }
  static bool IsView(const Tensor *tensor) {
    const TensorV2 *view = View(tensor);
    return view && view->GetStride().GetDimNum() > 0;
  }
  static const Stride *StrideOf(const Tensor *tensor) {
    const TensorV2 *view = View(tensor);
    return view ? &view->GetStride() : nullptr;
  }
  static int64_t OffsetOf(const Tensor *tensor) {
    const TensorV2 *view = View(tensor);
    return view ? view->GetOffset() : 0;
  }
};

// Called once for an operator and a platform: fills the object that tiling functions read as compile info.
class TilingParseContext : public ExtendedKernelContext {
 public:
  const ge::char_t *GetCompiledJson() const { return GetInputValue<const ge::char_t *>(0); }
  template <typename T>
  T *GetCompiledInfo() {
    Chain *place = GetOutput(0);
    return place ? place->GetValue<T *>() : nullptr;
  }
  fe::PlatFormInfos *GetPlatformInfo() const { return GetInputValue<fe::PlatFormInfos *>(1); }
};

static_assert(sizeof(TilingData) == 64 && sizeof(TilingContext) == 48, "layouts");
}  // namespace gert
// SPDX-License-Identifier: Apache-2.0
