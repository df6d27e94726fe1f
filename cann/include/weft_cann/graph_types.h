// weft_cann/graph_types.h - shapes, descriptions, tensors and attribute values of graphs (namespace ge).
// Copies share what they hold, as in CANN; TensorDesc is copied with its contents.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weft_cann/types.h"

namespace ge {
// Dims; without any it is a scalar. {-2}: unknown rank.
class Shape {
 public:
  Shape() = default;
  explicit Shape(const std::vector<int64_t> &dims) : dims_(dims) {}
  size_t GetDimNum() const { return IsUnknownRank() ? 0 : dims_.size(); }
  // 0 for an axis that is not there.
  int64_t GetDim(size_t i) const { return i < dims_.size() ? dims_[i] : 0; }
  graphStatus SetDim(size_t i, int64_t value) {
    if (i >= dims_.size())
      return GRAPH_FAILED;
    dims_[i] = value;
    return GRAPH_SUCCESS;
  }
  std::vector<int64_t> GetDims() const { return dims_; }
  // The product; 0 for a scalar, as in CANN; -1: a dim is unknown, or it does not fit.
  int64_t GetShapeSize() const {
    int64_t size = dims_.empty() ? 0 : 1;
    for (int64_t dim : dims_) {
      if (dim < 0 || __builtin_mul_overflow(size, dim, &size))
        return -1;
    }
    return size;
  }

 private:
  bool IsUnknownRank() const { return dims_.size() == 1 && dims_[0] == UNKNOWN_DIM_NUM; }
  std::vector<int64_t> dims_;
};

class TensorDesc {
 public:
  TensorDesc() = default;
  explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType type = DT_FLOAT) {
    Update(shape, format, type);
  }
  void Update(const Shape &shape, Format format = FORMAT_ND, DataType type = DT_FLOAT) {
    shape_ = shape;
    format_ = format;
    type_ = type;
  }
  Shape GetShape() const { return shape_; }
  void SetShape(const Shape &shape) { shape_ = shape; }
  graphStatus SetUnknownDimNumShape() {
    shape_ = Shape({UNKNOWN_DIM_NUM});
    return GRAPH_SUCCESS;
  }
  graphStatus SetShapeRange(const std::vector<std::pair<int64_t, int64_t>> &range) {
    range_ = range;
    return GRAPH_SUCCESS;
  }
  graphStatus GetShapeRange(std::vector<std::pair<int64_t, int64_t>> &range) const {
    range = range_;
    return GRAPH_SUCCESS;
  }
  Format GetFormat() const { return format_; }
  void SetFormat(Format format) { format_ = format; }
  Shape GetOriginShape() const { return origin_shape_; }
  void SetOriginShape(const Shape &shape) { origin_shape_ = shape; }
  Format GetOriginFormat() const { return origin_format_; }
  void SetOriginFormat(Format format) { origin_format_ = format; }
  DataType GetDataType() const { return type_; }
  void SetDataType(DataType type) { type_ = type; }
  std::string GetName() const { return name_; }
  graphStatus GetName(AscendString &name) const {
    name = AscendString(name_.c_str());
    return GRAPH_SUCCESS;
  }
  void SetName(const std::string &name) { name_ = name; }
  void SetName(const char_t *name) { name_ = name ? name : ""; }
  void SetSize(int64_t size) { size_ = size; }
  int64_t GetSize() const { return size_; }
  int64_t GetRealDimCnt() const { return real_dims_; }
  void SetRealDimCnt(const int64_t dims) { real_dims_ = dims; }
  void SetPlacement(Placement placement) { placement_ = placement; }
  Placement GetPlacement() const { return placement_; }
  void SetConstData(std::unique_ptr<uint8_t[]> data, const size_t &bytes) {
    const_data_ = std::shared_ptr<uint8_t[]>(std::move(data));
    const_bytes_ = bytes;
  }
  bool GetConstData(uint8_t **data, size_t &bytes) const {
    *data = const_data_.get();
    bytes = const_bytes_;
    return const_data_ != nullptr;
  }
  void SetExpandDimsRule(const AscendString &rule) { expand_dims_ = rule; }
  graphStatus GetExpandDimsRule(AscendString &rule) const {
    rule = expand_dims_;
    return GRAPH_SUCCESS;
  }
  void SetReuseInputIndex(const uint32_t) {}

 private:
  Shape shape_;
  Format format_ = FORMAT_ND;
  Shape origin_shape_;
  Format origin_format_ = FORMAT_ND;
  DataType type_ = DT_FLOAT;
  std::string name_;
  std::vector<std::pair<int64_t, int64_t>> range_;
  int64_t size_ = 0;
  int64_t real_dims_ = 0;
  Placement placement_ = kPlacementHost;
  std::shared_ptr<uint8_t[]> const_data_;
  size_t const_bytes_ = 0;
  AscendString expand_dims_;
};

// A description and bytes. Copies are the same tensor; Clone makes another.
class Tensor {
 public:
  using DeleteFunc = std::function<void(uint8_t *)>;
  Tensor() : impl_(std::make_shared<Impl>()) {}
  explicit Tensor(const TensorDesc &desc) : Tensor() { impl_->desc = desc; }
  Tensor(const TensorDesc &desc, const std::vector<uint8_t> &data) : Tensor(desc) { (void)SetData(data); }
  Tensor(const TensorDesc &desc, const uint8_t *data, size_t size) : Tensor(desc) {
    (void)SetData(data, size);
  }
  Tensor(TensorDesc &&desc, std::vector<uint8_t> &&data) : Tensor(desc) { (void)SetData(std::move(data)); }

  TensorDesc GetTensorDesc() const { return impl_->desc; }
  graphStatus SetTensorDesc(const TensorDesc &desc) {
    impl_->desc = desc;
    return GRAPH_SUCCESS;
  }
  const uint8_t *GetData() const { return impl_->At(); }
  uint8_t *GetData() { return impl_->At(); }
  size_t GetSize() const { return impl_->bytes; }
  // Hands the memory to the caller and leaves the tensor without any.
  std::unique_ptr<uint8_t[], DeleteFunc> ResetData() {
    auto memory = std::make_shared<std::shared_ptr<uint8_t>>(impl_->memory);
    std::unique_ptr<uint8_t[], DeleteFunc> data(impl_->At(), [memory](uint8_t *) { memory->reset(); });
    impl_->memory.reset();
    impl_->bytes = 0;
    return data;
  }
  graphStatus SetData(std::vector<uint8_t> &&data) { return SetData(data.data(), data.size()); }
  graphStatus SetData(const std::vector<uint8_t> &data) { return SetData(data.data(), data.size()); }
  // Copied.
  graphStatus SetData(const uint8_t *data, size_t size) {
    if (!data && size)
      return GRAPH_FAILED;
    std::shared_ptr<uint8_t> memory(new uint8_t[size + 1], std::default_delete<uint8_t[]>());
    if (size)
      memcpy(memory.get(), data, size);
    impl_->memory = memory;
    impl_->bytes = size;
    return GRAPH_SUCCESS;
  }
  graphStatus SetData(const std::string &text) { return SetData(std::vector<std::string>{text}); }
  graphStatus SetData(const char_t *text) { return SetData(std::string(text ? text : "")); }
  // Strings: a head each (where its text begins, counted from the buffer's begin; its bytes), then the texts
  // with their zeros.
  graphStatus SetData(const std::vector<std::string> &texts) {
    std::vector<uint8_t> all(texts.size() * 16);
    for (size_t i = 0; i < texts.size(); i++) {
      const int64_t head[2] = {static_cast<int64_t>(all.size()), static_cast<int64_t>(texts[i].size())};
      memcpy(all.data() + i * 16, head, sizeof head);
      all.insert(all.end(), texts[i].c_str(), texts[i].c_str() + texts[i].size() + 1);
    }
    return SetData(all);
  }
  graphStatus SetData(const std::vector<AscendString> &texts) {
    std::vector<std::string> all;
    for (const AscendString &text : texts)
      all.emplace_back(text.GetString(), text.GetLength());
    return SetData(all);
  }
  // Taken over: `deleter` is called with it when the last copy goes.
  graphStatus SetData(uint8_t *data, size_t size, const DeleteFunc &deleter) {
    impl_->memory = std::shared_ptr<uint8_t>(data, deleter);
    impl_->bytes = size;
    return GRAPH_SUCCESS;
  }
  graphStatus ResetData(uint8_t *data, size_t size, const DeleteFunc &deleter) {
    return SetData(data, size, deleter);
  }
  // GRAPH_FAILED: there are not as many bytes as shape and type say.
  graphStatus IsValid() {
    const Shape shape = impl_->desc.GetShape();
    const int64_t elements = shape.GetDims().empty() ? 1 : shape.GetShapeSize();
    const int64_t bytes = GetSizeInBytes(elements, impl_->desc.GetDataType());
    const bool text = impl_->desc.GetDataType() == DT_STRING;
    return text || bytes < 0 || static_cast<size_t>(bytes) == impl_->bytes ? GRAPH_SUCCESS : GRAPH_FAILED;
  }
  size_t GetShapeDimNum() const { return impl_->desc.GetShape().GetDims().size(); }
  graphStatus SetShapeDimNum(const size_t rank) {
    impl_->desc.SetShape(Resized(impl_->desc.GetShape(), rank));
    return GRAPH_SUCCESS;
  }
  graphStatus SetShapeDim(const size_t i, const int64_t dim) {
    Shape shape = impl_->desc.GetShape();
    const graphStatus status = shape.SetDim(i, dim);
    impl_->desc.SetShape(shape);
    return status;
  }
  int64_t GetShapeDim(const size_t i) const { return impl_->desc.GetShape().GetDim(i); }
  size_t GetOriginShapeDimNum() const { return impl_->desc.GetOriginShape().GetDims().size(); }
  graphStatus SetOriginShapeDimNum(const size_t rank) {
    impl_->desc.SetOriginShape(Resized(impl_->desc.GetOriginShape(), rank));
    return GRAPH_SUCCESS;
  }
  graphStatus SetOriginShapeDim(const size_t i, const int64_t dim) {
    Shape shape = impl_->desc.GetOriginShape();
    const graphStatus status = shape.SetDim(i, dim);
    impl_->desc.SetOriginShape(shape);
    return status;
  }
  int64_t GetOriginShapeDim(const size_t i) const { return impl_->desc.GetOriginShape().GetDim(i); }
  graphStatus SetFormat(const Format &format) {
    impl_->desc.SetFormat(format);
    return GRAPH_SUCCESS;
  }
  Format GetFormat() const { return impl_->desc.GetFormat(); }
  graphStatus SetOriginFormat(const Format &format) {
    impl_->desc.SetOriginFormat(format);
    return GRAPH_SUCCESS;
  }
  Format GetOriginFormat() const { return impl_->desc.GetOriginFormat(); }
  graphStatus SetDataType(const DataType &type) {
    impl_->desc.SetDataType(type);
    return GRAPH_SUCCESS;
  }
  DataType GetDataType() const { return impl_->desc.GetDataType(); }
  graphStatus SetPlacement(const Placement &placement) {
    impl_->desc.SetPlacement(placement);
    return GRAPH_SUCCESS;
  }
  Placement GetPlacement() const { return impl_->desc.GetPlacement(); }
  graphStatus SetExpandDimsRule(const AscendString &rule) {
    impl_->desc.SetExpandDimsRule(rule);
    return GRAPH_SUCCESS;
  }
  graphStatus GetExpandDimsRule(AscendString &rule) const { return impl_->desc.GetExpandDimsRule(rule); }
  Tensor Clone() const { return Tensor(impl_->desc, impl_->At(), impl_->bytes); }

 private:
  static Shape Resized(const Shape &shape, size_t rank) {
    std::vector<int64_t> dims = shape.GetDims();
    dims.resize(rank);
    return Shape(dims);
  }
  struct Impl {
    TensorDesc desc;
    std::shared_ptr<uint8_t> memory;
    size_t bytes = 0;
    uint8_t *At() const { return memory.get(); }
  };
  std::shared_ptr<Impl> impl_;
};

// Attributes' types as prototypes name them.
using OpInt = int64_t;
using OpFloat = float32_t;
using OpString = std::string;
using OpAscendString = AscendString;
using OpBool = bool;
using OpTensor = Tensor;
using OpType = DataType;
using OpListInt = std::vector<int64_t>;
using OpListFloat = std::vector<float32_t>;
using OpListString = std::vector<std::string>;
using OpListAscendString = std::vector<AscendString>;
using OpListBool = std::vector<bool>;
using OpListTensor = std::vector<Tensor>;
using OpListType = std::vector<DataType>;
using OpListListInt = std::vector<std::vector<int64_t>>;
class OpBytes : public std::vector<uint8_t> {
 public:
  using std::vector<uint8_t>::vector;
};

// A value of one of those types; integers and strings of other widths and kinds are converted.
class AttrValue {
 public:
  using INT = int64_t;
  using FLOAT = float;
  using STR = std::string;
  using Value =
      std::variant<std::monostate, OpInt, OpFloat, OpBool, OpString, OpTensor, OpType, OpListInt, OpListFloat,
                   OpListString, OpListBool, OpListTensor, OpListType, OpListListInt, OpBytes>;

  AttrValue() : value_(std::make_shared<Value>()) {}
  template <typename T>
  graphStatus SetAttrValue(const T &value) const {
    *value_ = Of(value);
    return GRAPH_SUCCESS;
  }
  // GRAPH_FAILED: it is of another type.
  template <typename T>
  graphStatus GetAttrValue(T &value) const {
    return Read(value);
  }
  template <typename T, typename Stored>
  graphStatus GetValue(Stored &value) const {
    return Read(value);
  }
  graphStatus GetValue(AscendString &value) const { return Read(value); }
  template <typename T, typename Given>
  static T CreateFrom(Given &&value) {
    return T(std::forward<Given>(value));
  }
  // "Int", "ListFloat", ...; "" for none.
  const char *TypeName() const {
    static const char *const names[] = {"",         "Int",        "Float",    "Bool",        "String",
                                        "Tensor",   "Type",       "ListInt",  "ListFloat",   "ListString",
                                        "ListBool", "ListTensor", "ListType", "ListListInt", "Bytes"};
    return names[value_->index()];
  }
  const Value &Get() const { return *value_; }
  AttrValue Copy() const {
    AttrValue other;
    *other.value_ = *value_;
    return other;
  }

 private:
  static Value Of(int64_t value) { return value; }
  static Value Of(int32_t value) { return static_cast<int64_t>(value); }
  static Value Of(uint32_t value) { return static_cast<int64_t>(value); }
  static Value Of(float value) { return value; }
  static Value Of(double value) { return static_cast<float>(value); }
  static Value Of(bool value) { return value; }
  static Value Of(const char *value) { return std::string(value ? value : ""); }
  static Value Of(const std::string &value) { return value; }
  static Value Of(const AscendString &value) { return std::string(value.GetString(), value.GetLength()); }
  static Value Of(DataType value) { return value; }
  static Value Of(const Tensor &value) { return value; }
  static Value Of(const std::vector<int64_t> &value) { return value; }
  static Value Of(const std::vector<int32_t> &value) { return OpListInt(value.begin(), value.end()); }
  static Value Of(const std::vector<uint32_t> &value) { return OpListInt(value.begin(), value.end()); }
  static Value Of(const std::vector<float> &value) { return value; }
  static Value Of(const std::vector<bool> &value) { return value; }
  static Value Of(const std::vector<std::string> &value) { return value; }
  static Value Of(const std::vector<AscendString> &value) {
    OpListString texts;
    for (const AscendString &text : value)
      texts.emplace_back(text.GetString(), text.GetLength());
    return texts;
  }
  static Value Of(const std::vector<Tensor> &value) { return value; }
  static Value Of(const std::vector<DataType> &value) { return value; }
  static Value Of(const std::vector<std::vector<int64_t>> &value) { return value; }
  static Value Of(const OpBytes &value) { return value; }
  static Value Of(const AttrValue &value) { return *value.value_; }

  template <typename Stored, typename T>
  graphStatus As(T &out) const {
    const Stored *stored = std::get_if<Stored>(value_.get());
    if (!stored)
      return GRAPH_FAILED;
    out = static_cast<T>(*stored);
    return GRAPH_SUCCESS;
  }
  template <typename T>
  graphStatus Read(T &out) const {
    return As<T>(out);
  }
  graphStatus Read(int32_t &out) const { return As<int64_t>(out); }
  graphStatus Read(uint32_t &out) const { return As<int64_t>(out); }
  graphStatus Read(AscendString &out) const {
    const std::string *text = std::get_if<std::string>(value_.get());
    if (!text)
      return GRAPH_FAILED;
    out = AscendString(text->c_str(), text->size());
    return GRAPH_SUCCESS;
  }
  graphStatus Read(std::vector<AscendString> &out) const {
    const OpListString *texts = std::get_if<OpListString>(value_.get());
    if (!texts)
      return GRAPH_FAILED;
    out.clear();
    for (const std::string &text : *texts)
      out.emplace_back(text.c_str(), text.size());
    return GRAPH_SUCCESS;
  }
  graphStatus Read(std::vector<int32_t> &out) const { return ReadInts(out); }
  graphStatus Read(std::vector<uint32_t> &out) const { return ReadInts(out); }
  template <typename T>
  graphStatus ReadInts(std::vector<T> &out) const {
    const OpListInt *values = std::get_if<OpListInt>(value_.get());
    if (!values)
      return GRAPH_FAILED;
    out.clear();
    for (int64_t value : *values)
      out.push_back(static_cast<T>(value));
    return GRAPH_SUCCESS;
  }
  std::shared_ptr<Value> value_;
};
using OpNamedAttrs = AttrValue;
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
