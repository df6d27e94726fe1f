// weft_cann/shape.h - gert::Shape and what is made of it. A Shape is a weft_shape and a StorageShape a
// weft_layout, bit for bit, so that operators read and write weft's memory directly. A scalar has rank 0.
// Rank unknown: one dim of -2. A dim unknown: -1.
#pragma once
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "weft/shape.h"
#include "weft_cann/types.h"

namespace gert {
// Up to 25 dims and their number. Dims beyond the number stay where they are: SetDimNum brings them back, and
// GetDim(i) reads them for i < 25. Assignment takes over the live ones only.
struct Shape {
  static constexpr size_t kMaxDimNum = 25;
  static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

  Shape() : dim_num_(0), dims_{}, reserved_{} {}
  // More than 25 dims make a scalar.
  Shape(const std::initializer_list<int64_t> &dims) : Shape() {
    if (dims.size() > kMaxDimNum)
      return;
    for (int64_t dim : dims)
      dims_[dim_num_++] = dim;
  }
  Shape(const Shape &other) : Shape() { *this = other; }
  Shape &operator=(const Shape &other) {
    dim_num_ = other.dim_num_;
    memmove(dims_, other.dims_, Live(dim_num_) * sizeof(int64_t));
    return *this;
  }

  // Equal ranks and live dims.
  bool operator==(const Shape &other) const {
    if (dim_num_ != other.dim_num_)
      return false;
    return memcmp(dims_, other.dims_, Live(dim_num_) * sizeof(int64_t)) == 0;
  }
  bool operator!=(const Shape &other) const { return !(*this == other); }

  // The product of the dims as they are, unknown ones included: 1 for a scalar, kInvalidDimValue when it does
  // not fit.
  int64_t GetShapeSize() const {
    int64_t size = 1;
    bool fits = true;
    for (size_t i = 0; i < Live(dim_num_); i++) {
      if (dims_[i] == 0)
        return 0;
      fits = fits && !__builtin_mul_overflow(size, dims_[i], &size);
    }
    return fits ? size : kInvalidDimValue;
  }
  bool IsScalar() const { return dim_num_ == 0; }
  void SetScalar() { dim_num_ = 0; }
  size_t GetDimNum() const { return dim_num_; }
  void SetDimNum(const size_t dim_num) { dim_num_ = dim_num; }

  // kInvalidDimValue for i >= 25.
  int64_t GetDim(const size_t i) const { return i < kMaxDimNum ? dims_[i] : kInvalidDimValue; }
  // Must be below 25.
  const int64_t &operator[](const size_t i) const { return dims_[i]; }
  int64_t &operator[](const size_t i) { return dims_[i]; }

  // Beyond the rank it makes the rank i - not i + 1, as in CANN. Nothing happens for i >= 25.
  void SetDim(size_t i, const int64_t value) {
    if (i >= kMaxDimNum)
      return;
    dims_[i] = value;
    dim_num_ = dim_num_ < i ? i : dim_num_;
  }
  // A 26th dim is ignored.
  Shape &AppendDim(const int64_t value) {
    if (dim_num_ < kMaxDimNum)
      dims_[dim_num_++] = value;
    return *this;
  }

 private:
  static size_t Live(size_t dim_num) { return dim_num < kMaxDimNum ? dim_num : kMaxDimNum; }
  size_t dim_num_;
  int64_t dims_[kMaxDimNum];
  [[maybe_unused]] uint8_t reserved_[40];
};

// The shape that a model means, and that of the tensor as it is stored (packed formats differ).
// GetShape and MutableShape mean the first of them.
struct StorageShape {
  StorageShape() : reserved_{} {}
  StorageShape(const std::initializer_list<int64_t> &origin, const std::initializer_list<int64_t> &storage)
      : origin_shape_(origin), storage_shape_(storage), reserved_{} {}
  const Shape &GetOriginShape() const { return origin_shape_; }
  const Shape &GetShape() const { return origin_shape_; }
  const Shape &GetStorageShape() const { return storage_shape_; }
  Shape &MutableShape() { return origin_shape_; }
  Shape &MutableOriginShape() { return origin_shape_; }
  Shape &MutableStorageShape() { return storage_shape_; }
  bool operator==(const StorageShape &other) const {
    return origin_shape_ == other.origin_shape_ && storage_shape_ == other.storage_shape_;
  }
  bool operator!=(const StorageShape &other) const { return !(*this == other); }

 private:
  Shape origin_shape_;
  Shape storage_shape_;
  [[maybe_unused]] uint8_t reserved_[40];
};

// The distances, in elements, between neighbours along each dim of a view.
struct Stride {
  static constexpr size_t kMaxDimNum = 25;
  static constexpr int64_t kInvalidStrideValue = std::numeric_limits<int64_t>::min();

  Stride() : dim_num_(0), strides_{}, reserved_{} {}
  Stride(const std::initializer_list<int64_t> &strides) : Stride() {
    if (strides.size() > kMaxDimNum)
      return;
    for (int64_t stride : strides)
      strides_[dim_num_++] = stride;
  }
  Stride(const Stride &other) : Stride() { *this = other; }
  Stride &operator=(const Stride &other) {
    dim_num_ = other.dim_num_;
    memmove(strides_, other.strides_, Live(dim_num_) * sizeof(int64_t));
    return *this;
  }
  bool operator==(const Stride &other) const {
    if (dim_num_ != other.dim_num_)
      return false;
    return memcmp(strides_, other.strides_, Live(dim_num_) * sizeof(int64_t)) == 0;
  }
  bool operator!=(const Stride &other) const { return !(*this == other); }
  size_t GetDimNum() const { return dim_num_; }
  void SetDimNum(const size_t dim_num) { dim_num_ = dim_num; }
  int64_t GetStride(const size_t i) const { return i < kMaxDimNum ? strides_[i] : kInvalidStrideValue; }
  const int64_t &operator[](const size_t i) const { return strides_[i]; }
  int64_t &operator[](const size_t i) { return strides_[i]; }
  void SetStride(size_t i, const int64_t stride) {
    if (i >= kMaxDimNum)
      return;
    strides_[i] = stride;
    dim_num_ = dim_num_ < i ? i : dim_num_;
  }
  Stride &AppendStride(const int64_t stride) {
    if (dim_num_ < kMaxDimNum)
      strides_[dim_num_++] = stride;
    return *this;
  }

 private:
  static size_t Live(size_t dim_num) { return dim_num < kMaxDimNum ? dim_num : kMaxDimNum; }
  size_t dim_num_;
  int64_t strides_[kMaxDimNum];
  [[maybe_unused]] uint8_t reserved_[40];
};

// The least and the greatest of something; both borrowed.
template <typename T>
class Range {
 public:
  Range() = default;
  Range(T *min, T *max) : min_(min), max_(max) {}
  explicit Range(T *same) : min_(same), max_(same) {}
  bool operator==(const Range<T> &other) const { return Same(min_, other.min_) && Same(max_, other.max_); }
  void SetMin(T *min) { min_ = min; }
  void SetMax(T *max) { max_ = max; }
  const T *GetMin() const { return min_; }
  const T *GetMax() const { return max_; }
  T *GetMin() { return min_; }
  T *GetMax() { return max_; }

 private:
  static bool Same(const T *a, const T *b) { return a == b || (a && b && *a == *b); }
  T *min_ = nullptr;
  T *max_ = nullptr;
  [[maybe_unused]] uint8_t reserved_[40] = {};
};

// Which axes of the stored shape were put in where the origin has none ("1100": the first two).
class ExpandDimsType {
 public:
  using AxisIndex = uint64_t;
  static constexpr size_t kMaxExpandSize = 56;

  ExpandDimsType() : size_(0), mask_(0), reserved_{} {}
  explicit ExpandDimsType(const ge::char_t *axes) : ExpandDimsType() {
    if (!axes)
      return;
    const size_t size = strlen(axes);
    if (size > kMaxExpandSize)
      return;
    size_ = size;
    for (size_t i = 0; i < size; i++) {
      if (axes[i] == '1')
        SetExpandIndex(i);
    }
  }
  explicit ExpandDimsType(const int64_t mask) : ExpandDimsType() {
    if (mask == 0)
      return;
    size_ = static_cast<uint64_t>(mask) >> kMaxExpandSize & 0xff;
    mask_ = static_cast<uint64_t>(mask) & ((uint64_t{1} << kMaxExpandSize) - 1);
  }
  bool operator==(const ExpandDimsType &other) const { return size_ == other.size_ && mask_ == other.mask_; }
  AxisIndex GetFullSize() const { return size_; }
  void SetExpandIndex(const AxisIndex i) { mask_ |= uint64_t{1} << i; }
  bool IsExpandIndex(const AxisIndex i) const { return mask_ >> i & 1; }
  // Puts dims of 1 in where the mask says; dims that are left over follow.
  ge::graphStatus Expand(const Shape &shape, Shape &out_shape) const {
    Shape out;
    size_t from = 0;
    for (AxisIndex i = 0; i < GetFullSize(); i++) {
      if (IsExpandIndex(i))
        out.AppendDim(1);
      else if (from < shape.GetDimNum())
        out.AppendDim(shape.GetDim(from++));
      else
        return ge::GRAPH_FAILED;
    }
    while (from < shape.GetDimNum())
      out.AppendDim(shape.GetDim(from++));
    out_shape = out;
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus Expand(Shape &shape) const { return Expand(Shape(shape), shape); }

 private:
  uint64_t size_ : 8;
  uint64_t mask_ : kMaxExpandSize;
  [[maybe_unused]] uint8_t reserved_[40];
};

// The format that a model means and the one in which the tensor is stored.
struct StorageFormat {
  StorageFormat() : StorageFormat(ge::FORMAT_MAX, ge::FORMAT_MAX, ExpandDimsType()) {}
  StorageFormat(const ge::Format origin, const ge::Format storage, const ExpandDimsType &expand)
      : origin_format_(origin), storage_format_(storage), expand_dims_type_(expand), reserved_{} {}
  ge::Format GetOriginFormat() const { return origin_format_; }
  void SetOriginFormat(const ge::Format format) { origin_format_ = format; }
  ge::Format GetStorageFormat() const { return storage_format_; }
  void SetStorageFormat(const ge::Format format) { storage_format_ = format; }
  ExpandDimsType GetExpandDimsType() const { return expand_dims_type_; }
  void SetExpandDimsType(const ExpandDimsType &expand) { expand_dims_type_ = expand; }
  ExpandDimsType &MutableExpandDimsType() { return expand_dims_type_; }
  bool operator==(const StorageFormat &other) const {
    const bool formats = origin_format_ == other.origin_format_ && storage_format_ == other.storage_format_;
    return formats && expand_dims_type_ == other.expand_dims_type_;
  }
  bool operator!=(const StorageFormat &other) const { return !(*this == other); }

 private:
  ge::Format origin_format_;
  ge::Format storage_format_;
  ExpandDimsType expand_dims_type_;
  [[maybe_unused]] uint8_t reserved_[40];
};

static_assert(sizeof(Shape) == sizeof(weft_shape) && alignof(Shape) == alignof(weft_shape), "gert::Shape");
static_assert(std::is_standard_layout<Shape>::value, "a Shape is read as a weft_shape");
static_assert(sizeof(StorageShape) == sizeof(weft_layout) && std::is_standard_layout<StorageShape>::value,
              "gert::StorageShape");
static_assert(sizeof(Stride) == 248 && sizeof(ExpandDimsType) == 48 && sizeof(StorageFormat) == 96,
              "layouts");
static_assert(sizeof(Range<Shape>) == 56, "gert::Range");
}  // namespace gert
// SPDX-License-Identifier: Apache-2.0
