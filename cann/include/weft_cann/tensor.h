// weft_cann/tensor.h - gert::Tensor (shape, format, type and the memory of a tensor) and the vectors that
// contexts carry: their elements lie behind their heads in one block.
#pragma once
#include <memory>
#include <new>

#include "weft_cann/shape.h"

namespace gert {
enum TensorPlacement : int32_t {
  kOnDeviceHbm = 0,
  kOnHost = 1,
  kFollowing = 2,  // behind the Tensor itself, in one block with it
  kOnDeviceP2p = 3,
  kTensorPlacementEnd = 4
};
enum TensorOperateType : int32_t {
  kGetTensorAddress = 0,
  kFreeTensor = 1,
  kPlusShareCount = 2,
  kTensorOperateType = 3
};
enum class TensorVersion : uint8_t { kTensorV1 = 0, kTensorV2 = 1 };

using TensorAddress = void *;
using ConstTensorAddressPtr = const void *;
// Answers for memory that somebody manages: where it is, one user more, one user less.
using TensorAddrManager = ge::graphStatus (*)(TensorAddress, TensorOperateType, void **);

// Memory, how much of it, where, and who manages it (nobody: borrowed).
class TensorData {
 public:
  explicit TensorData(TensorAddress addr = nullptr, const TensorAddrManager manager = nullptr)
      : TensorData(addr, manager, 0, kTensorPlacementEnd) {}
  explicit TensorData(TensorAddress addr, const TensorAddrManager manager, size_t size,
                      TensorPlacement placement)
      : addr_(addr), manager_(manager), size_(size), placement_(placement), reserved_0_(0), reserved_1_{} {}
  TensorData(const TensorData &) = delete;
  TensorData(TensorData &&other) noexcept : TensorData() { Take(other); }
  TensorData &operator=(const TensorData &) = delete;
  TensorData &operator=(TensorData &&other) noexcept {
    if (this != &other) {
      (void)Free();
      Take(other);
    }
    return *this;
  }
  ~TensorData() noexcept { (void)Free(); }

  TensorAddress GetAddr() const {
    if (!manager_ || !addr_)
      return addr_;
    void *at = nullptr;
    return manager_(addr_, kGetTensorAddress, &at) == ge::GRAPH_SUCCESS ? at : nullptr;
  }
  size_t GetSize() const { return size_; }
  void SetSize(const size_t size) { size_ = size; }
  TensorPlacement GetPlacement() const { return placement_; }
  void SetPlacement(const TensorPlacement placement) { placement_ = placement; }
  ge::graphStatus Free() {
    if (!manager_)
      return ge::GRAPH_SUCCESS;
    const ge::graphStatus status = manager_(addr_, kFreeTensor, nullptr);
    if (status == ge::GRAPH_SUCCESS) {
      addr_ = nullptr;
      manager_ = nullptr;
    }
    return status;
  }
  ge::graphStatus SetAddr(const ConstTensorAddressPtr addr, TensorAddrManager manager) {
    const ge::graphStatus status = Free();
    if (status != ge::GRAPH_SUCCESS)
      return status;
    addr_ = const_cast<TensorAddress>(addr);
    manager_ = manager;
    return ge::GRAPH_SUCCESS;
  }
  bool IsSharedWith(const TensorData &other) const {
    const bool same = addr_ == other.addr_ && manager_ == other.manager_;
    return same && size_ == other.size_ && placement_ == other.placement_;
  }
  // One user more of the other's memory.
  ge::graphStatus ShareFrom(const TensorData &other) {
    if (IsSharedWith(other))
      return ge::GRAPH_SUCCESS;
    const ge::graphStatus status = Free();
    if (status != ge::GRAPH_SUCCESS)
      return status;
    addr_ = other.addr_;
    manager_ = other.manager_;
    size_ = other.size_;
    placement_ = other.placement_;
    return manager_ ? manager_(addr_, kPlusShareCount, nullptr) : ge::GRAPH_SUCCESS;
  }
  // Hands the memory and its manager to the caller.
  TensorAddress Release(TensorAddrManager &manager) {
    TensorAddress addr = addr_;
    manager = manager_;
    addr_ = nullptr;
    manager_ = nullptr;
    return addr;
  }

 private:
  void Take(TensorData &other) {
    addr_ = other.addr_;
    manager_ = other.manager_;
    size_ = other.size_;
    placement_ = other.placement_;
    other.addr_ = nullptr;
    other.manager_ = nullptr;
  }
  TensorAddress addr_;
  TensorAddrManager manager_;
  size_t size_;
  TensorPlacement placement_;
  [[maybe_unused]] uint32_t reserved_0_;
  [[maybe_unused]] uint8_t reserved_1_[40];
};

// Begins with its StorageShape, which begins with the origin shape: code casts freely among the three.
class Tensor {
 public:
  Tensor() : Tensor(StorageShape(), StorageFormat(), ge::DT_UNDEFINED) {}
  Tensor(const StorageShape &shape, const StorageFormat &format, ge::DataType type)
      : Tensor(shape, format, kTensorPlacementEnd, type, nullptr, nullptr) {
    tensor_data_.SetSize(0);
  }
  Tensor(const StorageShape &shape, const StorageFormat &format, const TensorPlacement placement,
         const ge::DataType type, TensorAddress addr)
      : Tensor(shape, format, placement, type, addr, nullptr) {}
  // The size becomes that of the stored elements.
  Tensor(const StorageShape &shape, const StorageFormat &format, const TensorPlacement placement,
         const ge::DataType type, TensorAddress addr, TensorAddrManager manager)
      : storage_shape_(shape),
        storage_format_(format),
        version_(TensorVersion::kTensorV1),
        reserved_{},
        data_type_(type),
        tensor_data_(addr, manager, BytesOf(shape, type), placement),
        reserved_field_{} {}

  // Elements of the storage shape.
  int64_t GetShapeSize() const { return storage_shape_.GetStorageShape().GetShapeSize(); }
  template <typename T>
  const T *GetData() const {
    return static_cast<const T *>(GetAddr());
  }
  template <typename T>
  T *GetData() {
    return static_cast<T *>(GetAddr());
  }
  void SetData(TensorData &&data) { tensor_data_ = std::move(data); }
  // nullptr: the values are not known.
  const void *GetAddr() const {
    return Following() ? static_cast<const void *>(this + 1) : tensor_data_.GetAddr();
  }
  void *GetAddr() { return Following() ? static_cast<void *>(this + 1) : tensor_data_.GetAddr(); }
  size_t GetSize() const { return tensor_data_.GetSize(); }
  void SetSize(const size_t size) { tensor_data_.SetSize(size); }
  ge::DataType GetDataType() const { return data_type_; }
  void SetDataType(const ge::DataType type) { data_type_ = type; }

  // A tensor with room for its elements behind it; total_size gets the bytes of the whole block.
  static std::unique_ptr<uint8_t[]> CreateFollowing(const int64_t elements, const ge::DataType type,
                                                    size_t &total_size) {
    const int64_t bytes = ge::GetSizeInBytes(elements, type);
    return bytes < 0 ? nullptr : CreateFollowing(type, static_cast<size_t>(bytes), total_size);
  }
  static std::unique_ptr<uint8_t[]> CreateFollowing(const ge::DataType type, const size_t bytes,
                                                    size_t &total_size) {
    if (__builtin_add_overflow(bytes, sizeof(Tensor), &total_size))
      return nullptr;
    std::unique_ptr<uint8_t[]> block(new (std::nothrow) uint8_t[total_size]);
    if (!block)
      return nullptr;
    Tensor *tensor = new (block.get()) Tensor(StorageShape(), StorageFormat(), kFollowing, type, nullptr);
    tensor->SetSize(bytes);
    return block;
  }

  const Shape &GetStorageShape() const { return storage_shape_.GetStorageShape(); }
  Shape &MutableStorageShape() { return storage_shape_.MutableStorageShape(); }
  const Shape &GetOriginShape() const { return storage_shape_.GetOriginShape(); }
  Shape &MutableOriginShape() { return storage_shape_.MutableOriginShape(); }
  const StorageShape &GetShape() const { return storage_shape_; }
  StorageShape &GetShape() { return storage_shape_; }
  ge::Format GetStorageFormat() const { return storage_format_.GetStorageFormat(); }
  void SetStorageFormat(const ge::Format format) { storage_format_.SetStorageFormat(format); }
  ge::Format GetOriginFormat() const { return storage_format_.GetOriginFormat(); }
  void SetOriginFormat(const ge::Format format) { storage_format_.SetOriginFormat(format); }
  const StorageFormat &GetFormat() const { return storage_format_; }
  StorageFormat &MutableFormat() { return storage_format_; }
  ExpandDimsType GetExpandDimsType() const { return storage_format_.GetExpandDimsType(); }
  void SetExpandDimsType(const ExpandDimsType &expand) { storage_format_.SetExpandDimsType(expand); }
  TensorPlacement GetPlacement() const { return tensor_data_.GetPlacement(); }
  void SetPlacement(const TensorPlacement placement) { tensor_data_.SetPlacement(placement); }
  const TensorData &GetTensorData() const { return tensor_data_; }
  TensorData &MutableTensorData() { return tensor_data_; }
  TensorVersion GetVersion() const { return version_; }

 private:
  friend class TensorV2;
  bool Following() const { return GetPlacement() == kFollowing; }
  static size_t BytesOf(const StorageShape &shape, ge::DataType type) {
    return static_cast<size_t>(ge::GetSizeInBytes(shape.GetStorageShape().GetShapeSize(), type));
  }
  StorageShape storage_shape_;
  StorageFormat storage_format_;
  TensorVersion version_;
  [[maybe_unused]] uint8_t reserved_[3];
  ge::DataType data_type_;
  TensorData tensor_data_;
  [[maybe_unused]] uint8_t reserved_field_[40];
};

// A tensor that may be a view: distances between elements and where it begins. Its first part is a Tensor.
class TensorV2 {
 public:
  TensorV2() { tensor_.version_ = TensorVersion::kTensorV2; }
  TensorV2(const StorageShape &shape, const StorageFormat &format, ge::DataType type)
      : tensor_(shape, format, type) {
    tensor_.version_ = TensorVersion::kTensorV2;
  }
  TensorV2(const StorageShape &shape, const StorageFormat &format, const TensorPlacement placement,
           const ge::DataType type, TensorAddress addr)
      : TensorV2(shape, format, placement, type, addr, nullptr) {}
  TensorV2(const StorageShape &shape, const StorageFormat &format, const TensorPlacement placement,
           const ge::DataType type, TensorAddress addr, TensorAddrManager manager)
      : TensorV2(shape, format, placement, type, addr, manager, Stride(), 0) {}
  TensorV2(const StorageShape &shape, const StorageFormat &format, const TensorPlacement placement,
           const ge::DataType type, TensorAddress addr, TensorAddrManager manager, const Stride &stride,
           const int64_t offset)
      : tensor_(shape, format, placement, type, addr, manager), stride_(stride), offset_(offset) {
    tensor_.version_ = TensorVersion::kTensorV2;
  }
  int64_t GetShapeSize() const { return tensor_.GetShapeSize(); }
  template <typename T>
  const T *GetData() const {
    return tensor_.GetData<T>();
  }
  template <typename T>
  T *GetData() {
    return tensor_.GetData<T>();
  }
  void SetData(TensorData &&data) { tensor_.SetData(std::move(data)); }
  const void *GetAddr() const { return tensor_.GetAddr(); }
  void *GetAddr() { return tensor_.GetAddr(); }
  size_t GetSize() const { return tensor_.GetSize(); }
  void SetSize(const size_t size) { tensor_.SetSize(size); }
  ge::DataType GetDataType() const { return tensor_.GetDataType(); }
  void SetDataType(const ge::DataType type) { tensor_.SetDataType(type); }
  const Shape &GetStorageShape() const { return tensor_.GetStorageShape(); }
  Shape &MutableStorageShape() { return tensor_.MutableStorageShape(); }
  const Shape &GetOriginShape() const { return tensor_.GetOriginShape(); }
  Shape &MutableOriginShape() { return tensor_.MutableOriginShape(); }
  const StorageShape &GetShape() const { return tensor_.GetShape(); }
  StorageShape &GetShape() { return tensor_.GetShape(); }
  ge::Format GetStorageFormat() const { return tensor_.GetStorageFormat(); }
  void SetStorageFormat(const ge::Format format) { tensor_.SetStorageFormat(format); }
  ge::Format GetOriginFormat() const { return tensor_.GetOriginFormat(); }
  void SetOriginFormat(const ge::Format format) { tensor_.SetOriginFormat(format); }
  const StorageFormat &GetFormat() const { return tensor_.GetFormat(); }
  StorageFormat &MutableFormat() { return tensor_.MutableFormat(); }
  ExpandDimsType GetExpandDimsType() const { return tensor_.GetExpandDimsType(); }
  void SetExpandDimsType(const ExpandDimsType &expand) { tensor_.SetExpandDimsType(expand); }
  TensorPlacement GetPlacement() const { return tensor_.GetPlacement(); }
  void SetPlacement(const TensorPlacement placement) { tensor_.SetPlacement(placement); }
  const TensorData &GetTensorData() const { return tensor_.GetTensorData(); }
  TensorData &MutableTensorData() { return tensor_.MutableTensorData(); }
  TensorVersion GetVersion() const { return tensor_.GetVersion(); }
  const Stride &GetStride() const { return stride_; }
  int64_t GetOffset() const { return offset_; }
  Stride &MutableStride() { return stride_; }
  void SetOffset(const int64_t offset) { offset_ = offset; }

 private:
  Tensor tensor_;
  Stride stride_;
  int64_t offset_ = 0;
  [[maybe_unused]] uint8_t reserved_field_[40] = {};
};

// A list behind its head. The data begin 8 bytes before the end of the type.
class ContinuousVector {
 public:
  // A block with room for so many T, empty; nullptr when they do not fit.
  template <typename T>
  static std::unique_ptr<uint8_t[]> Create(size_t capacity, size_t &total_size) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(capacity, sizeof(T), &bytes))
      return nullptr;
    if (__builtin_add_overflow(bytes, sizeof(ContinuousVector), &total_size))
      return nullptr;
    std::unique_ptr<uint8_t[]> block(new (std::nothrow) uint8_t[total_size]());
    if (block)
      reinterpret_cast<ContinuousVector *>(block.get())->Init(capacity);
    return block;
  }
  template <typename T>
  static std::unique_ptr<uint8_t[]> Create(const size_t capacity) {
    size_t total_size = 0;
    return Create<T>(capacity, total_size);
  }
  void Init(const size_t capacity) {
    capacity_ = capacity;
    size_ = 0;
    memset(reserved_, 0, sizeof reserved_);
  }
  size_t GetSize() const { return size_; }
  ge::graphStatus SetSize(const size_t size) {
    if (size > capacity_)
      return ge::GRAPH_PARAM_OUT_OF_RANGE;
    size_ = size;
    return ge::GRAPH_SUCCESS;
  }
  size_t GetCapacity() const { return capacity_; }
  const void *GetData() const { return elements; }
  void *MutableData() { return elements; }

 private:
  size_t capacity_;
  size_t size_;
  [[maybe_unused]] uint8_t reserved_[40];

 protected:
  uint8_t elements[8];
};

template <typename T>
class TypedContinuousVector : private ContinuousVector {
 public:
  using ContinuousVector::GetCapacity;
  using ContinuousVector::GetSize;
  using ContinuousVector::SetSize;
  T *MutableData() { return reinterpret_cast<T *>(elements); }
  const T *GetData() const { return reinterpret_cast<const T *>(elements); }
};

// Lists in one block: the offsets of the inner vectors, counted from the block's begin, then the vectors.
class ContinuousVectorVector {
 public:
  void Init(const size_t capacity) {
    capacity_ = capacity;
    size_ = 0;
    memset(reserved_, 0, sizeof reserved_);
    Put(0, GetOverHeadLength(capacity));
  }
  // Appends a vector with room for so many T; nullptr when all places are taken.
  template <typename T>
  ContinuousVector *Add(size_t inner_capacity) {
    if (size_ >= capacity_)
      return nullptr;
    const size_t at = Offset(size_);
    auto *inner = reinterpret_cast<ContinuousVector *>(reinterpret_cast<uint8_t *>(this) + at);
    inner->Init(inner_capacity);
    (void)inner->SetSize(inner_capacity);
    size_++;
    const size_t data_from = sizeof(ContinuousVector) - 8;
    Put(size_, at + data_from + (inner_capacity * sizeof(T) + 7) / 8 * 8);
    return inner;
  }
  const ContinuousVector *Get(const size_t i) const {
    if (i >= size_)
      return nullptr;
    return reinterpret_cast<const ContinuousVector *>(reinterpret_cast<const uint8_t *>(this) + Offset(i));
  }
  size_t GetSize() const { return size_; }
  // Bytes before the first inner vector: the head and an offset more than there are vectors.
  static size_t GetOverHeadLength(const size_t capacity) {
    return sizeof(ContinuousVectorVector) + capacity * sizeof(size_t);
  }

 private:
  size_t Offset(size_t i) const {
    size_t at;
    memcpy(&at, reinterpret_cast<const uint8_t *>(this) + kOffsets + i * sizeof at, sizeof at);
    return at;
  }
  void Put(size_t i, size_t at) {
    memcpy(reinterpret_cast<uint8_t *>(this) + kOffsets + i * sizeof at, &at, sizeof at);
  }
  static constexpr size_t kOffsets = 56;
  size_t capacity_ = 0;
  size_t size_ = 0;
  [[maybe_unused]] uint8_t reserved_[40];
  [[maybe_unused]] size_t offset_[1];
};

static_assert(sizeof(TensorData) == 72 && sizeof(Tensor) == 752 && sizeof(TensorV2) == 1048, "layouts");
static_assert(sizeof(ContinuousVector) == 64 && sizeof(ContinuousVectorVector) == 64, "layouts");
}  // namespace gert
// SPDX-License-Identifier: Apache-2.0
