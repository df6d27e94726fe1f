// weft_cann/context.h - what an operator's functions are called with. A context is a KernelRunContext seen
// through a class without members or virtual functions: a row of values, inputs first, and a description of
// the node.
#pragma once
#include "weft_cann/attrs.h"

using FreeCallback = void (*)(void *);

// A value: up to 8 bytes in place, larger ones behind the pointer.
struct AsyncAnyValue {
  union {
    void *pointer;
    unsigned char inplace[8];
  } data;
  FreeCallback deleter;
};

struct KernelRunContext {
  size_t input_size;
  size_t output_size;
  const void *compute_node_info;
  const void *kernel_extend_info;
  AsyncAnyValue **output_start;  // &values[input_size]
  AsyncAnyValue *values[1];      // input_size + output_size of them
};

namespace gert {
// One value of a context.
class Chain {
 public:
  using Deleter = void (*)(void *);
  template <typename T>
  const T *GetPointer() const {
    return static_cast<const T *>(Place<T>());
  }
  template <typename T>
  T *GetPointer() {
    return static_cast<T *>(const_cast<void *>(Place<T>()));
  }
  template <typename T, typename std::enable_if<(sizeof(T) <= sizeof(void *)), int>::type = 0>
  const T &GetValue() const {
    return *GetPointer<T>();
  }
  template <typename T, typename std::enable_if<(sizeof(T) <= sizeof(void *)), int>::type = 0>
  T &GetValue() {
    return *GetPointer<T>();
  }
  void Set(void *const data, const Deleter deleter) {
    FreeResource();
    any_value_.data.pointer = data;
    any_value_.deleter = deleter;
  }
  template <typename T, typename std::enable_if<(!std::is_array<T>::value), int>::type = 0>
  void SetWithDefaultDeleter(T *data) {
    Set(data, [](void *p) { delete static_cast<T *>(p); });
  }
  template <typename T, typename PureT = typename std::remove_extent<T>::type,
            typename std::enable_if<std::is_array<T>::value, int>::type = 0>
  void SetWithDefaultDeleter(PureT *data) {
    Set(data, [](void *p) { delete[] static_cast<PureT *>(p); });
  }
  bool HasDeleter() const { return any_value_.deleter != nullptr; }

 private:
  template <typename T>
  const void *Place() const {
    if (sizeof(T) <= sizeof(void *))
      return any_value_.data.inplace;
    return any_value_.data.pointer;
  }
  void FreeResource() {
    if (any_value_.deleter)
      any_value_.deleter(any_value_.data.pointer);
    any_value_.deleter = nullptr;
  }
  AsyncAnyValue any_value_;
};

// A row of values: what every context is.
class KernelContext {
 public:
  size_t GetInputNum() const { return context_.input_size; }
  size_t GetOutputNum() const { return context_.output_size; }
  const Chain *GetInput(const size_t i) const { return i < context_.input_size ? At(i) : nullptr; }
  Chain *MutableInput(const size_t i) const { return i < context_.input_size ? At(i) : nullptr; }
  Chain *GetOutput(const size_t i) { return Output(i); }
  const Chain *GetOutput(const size_t i) const { return Output(i); }
  Chain *GetOutput2(const size_t i) { return Output(i); }
  template <typename T>
  const T GetInputValue(size_t i) const {
    const Chain *chain = GetInput(i);
    return chain ? chain->GetValue<T>() : T{};
  }
  template <typename T>
  const T *GetInputPointer(size_t i) const {
    const Chain *chain = GetInput(i);
    return chain ? chain->GetPointer<T>() : nullptr;
  }
  template <typename T>
  T *MutableInputPointer(size_t i) const {
    Chain *chain = MutableInput(i);
    return chain ? chain->GetPointer<T>() : nullptr;
  }
  const char *GetInputStrPointer(const size_t i) const {
    const Chain *chain = GetInput(i);
    return chain ? chain->GetValue<const char *>() : nullptr;
  }
  const void *GetComputeNodeExtend() const { return context_.compute_node_info; }
  const void *GetKernelExtend() const { return context_.kernel_extend_info; }
  template <typename T>
  T *GetOutputPointer(size_t i) {
    Chain *chain = GetOutput(i);
    return chain ? chain->GetPointer<T>() : nullptr;
  }
  template <typename T>
  const T *GetOutputPointer(size_t i) const {
    const Chain *chain = GetOutput(i);
    return chain ? chain->GetPointer<T>() : nullptr;
  }
  KernelRunContext *GetContext() { return &context_; }
  const KernelRunContext *GetContext() const { return &context_; }
  static bool IsInlineSize(const size_t size) { return size <= sizeof(void *); }

 private:
  // The row is longer than the array that C++ can declare: it is reached through its address, as bytes.
  Chain *At(size_t i) const {
    const char *row = reinterpret_cast<const char *>(&context_) + offsetof(KernelRunContext, values);
    AsyncAnyValue *value;
    memcpy(&value, row + i * sizeof value, sizeof value);
    return reinterpret_cast<Chain *>(value);
  }
  Chain *Output(size_t i) const { return i < context_.output_size ? At(context_.input_size + i) : nullptr; }
  KernelRunContext context_;
};

// Which instances an operator's declared port got: from where, how many (0: an absent optional one).
class AnchorInstanceInfo {
 public:
  AnchorInstanceInfo() : AnchorInstanceInfo(0, 0) {}
  AnchorInstanceInfo(const uint32_t start, const uint32_t count)
      : instance_start_(start), instantiation_num_(count), reserved_{} {}
  size_t GetInstanceNum() const { return instantiation_num_; }
  size_t GetInstanceStart() const { return instance_start_; }
  void SetInstanceStart(const uint32_t start) { instance_start_ = start; }
  void SetInstantiationNum(const uint32_t count) { instantiation_num_ = count; }

 private:
  uint32_t instance_start_;
  uint32_t instantiation_num_;
  [[maybe_unused]] uint8_t reserved_[40];
};

// Type and format of an input or output. One that nobody described has type DT_MAX and format FORMAT_MAX.
class CompileTimeTensorDesc {
 public:
  CompileTimeTensorDesc() : data_type_(ge::DT_MAX), storage_format_(), is_exist_(0), reserved_{} {}
  ge::DataType GetDataType() const { return data_type_; }
  const StorageFormat &GetFormat() const { return storage_format_; }
  ge::Format GetOriginFormat() const { return storage_format_.GetOriginFormat(); }
  ge::Format GetStorageFormat() const { return storage_format_.GetStorageFormat(); }
  ExpandDimsType GetExpandDimsType() const { return storage_format_.GetExpandDimsType(); }
  void SetDataType(const ge::DataType type) { data_type_ = type; }
  void SetStorageFormat(const ge::Format format) { storage_format_.SetStorageFormat(format); }
  void SetOriginFormat(const ge::Format format) { storage_format_.SetOriginFormat(format); }
  void SetExpandDimsType(const ExpandDimsType &expand) { storage_format_.SetExpandDimsType(expand); }
  void SetExist(bool is_exist) { is_exist_ = is_exist; }
  bool IsExist() const { return is_exist_ != 0; }

 private:
  ge::DataType data_type_;
  StorageFormat storage_format_;
  uint8_t is_exist_;
  [[maybe_unused]] uint8_t reserved_[39];
};

// A node: its names and counts; behind it in one block the instances of the ports, the descriptions of inputs
// and outputs, and the attributes. ComputeNodeInfo lays the block out, in this order: inputs'
// AnchorInstanceInfo, inputs' and outputs' CompileTimeTensorDesc, attributes, outputs' AnchorInstanceInfo.
class ComputeNodeInfo {
 public:
  const ge::char_t *GetNodeType() const { return node_type_; }
  const ge::char_t *GetNodeName() const { return node_name_; }
  size_t GetIrInputsNum() const { return ir_inputs_num_; }
  size_t GetIrOutputsNum() const { return ir_outputs_num_; }
  size_t GetInputsNum() const { return inputs_num_; }
  size_t GetOutputsNum() const { return outputs_num_; }
  const AnchorInstanceInfo *GetInputInstanceInfo(const size_t ir) const {
    return MutableInputInstanceInfo(ir);
  }
  const AnchorInstanceInfo *GetOutputInstanceInfo(const size_t ir) const {
    return MutableOutputInstanceInfo(ir);
  }
  const CompileTimeTensorDesc *GetInputTdInfo(const size_t i) const { return MutableInputTdInfo(i); }
  const CompileTimeTensorDesc *GetOutputTdInfo(const size_t i) const { return MutableOutputTdInfo(i); }
  const RuntimeAttrs *GetAttrs() const { return MutableAttrs(); }
  void SetNodeType(const ge::char_t *type) { node_type_ = type; }
  void SetNodeName(const ge::char_t *name) { node_name_ = name; }
  AnchorInstanceInfo *MutableInputInstanceInfo(const size_t ir) const {
    return ir < ir_inputs_num_ ? At<AnchorInstanceInfo>(ir * sizeof(AnchorInstanceInfo)) : nullptr;
  }
  AnchorInstanceInfo *MutableOutputInstanceInfo(const size_t ir) const {
    const size_t from = AttrsAt() + runtime_attr_size_;
    return ir < ir_outputs_num_ ? At<AnchorInstanceInfo>(from + ir * sizeof(AnchorInstanceInfo)) : nullptr;
  }
  CompileTimeTensorDesc *MutableInputTdInfo(const size_t i) const {
    return i < inputs_num_ ? At<CompileTimeTensorDesc>(DescsAt() + i * sizeof(CompileTimeTensorDesc))
                           : nullptr;
  }
  CompileTimeTensorDesc *MutableOutputTdInfo(const size_t i) const {
    const size_t from = DescsAt() + inputs_num_ * sizeof(CompileTimeTensorDesc);
    return i < outputs_num_ ? At<CompileTimeTensorDesc>(from + i * sizeof(CompileTimeTensorDesc)) : nullptr;
  }
  RuntimeAttrs *MutableAttrs() const { return At<RuntimeAttrs>(AttrsAt()); }

  // Bytes of the block without attributes and outputs' instances. GRAPH_FAILED: more than fits.
  static ge::graphStatus CalcSize(const size_t ir_inputs, const size_t inputs, const size_t outputs,
                                  size_t &total) {
    return CalcSize(ir_inputs, 0, inputs, outputs, total);
  }
  static ge::graphStatus CalcSize(const size_t ir_inputs, const size_t ir_outputs, const size_t inputs,
                                  const size_t outputs, size_t &total) {
    size_t ports = 0;
    size_t ports_bytes = 0;
    size_t tensors = 0;
    size_t tensors_bytes = 0;
    const bool too_many = __builtin_add_overflow(ir_inputs, ir_outputs, &ports) ||
                          __builtin_mul_overflow(ports, sizeof(AnchorInstanceInfo), &ports_bytes) ||
                          __builtin_add_overflow(inputs, outputs, &tensors) ||
                          __builtin_mul_overflow(tensors, sizeof(CompileTimeTensorDesc), &tensors_bytes) ||
                          __builtin_add_overflow(ports_bytes, tensors_bytes, &total) ||
                          __builtin_add_overflow(total, sizeof(ComputeNodeInfo), &total);
    return too_many ? ge::GRAPH_FAILED : ge::GRAPH_SUCCESS;
  }
  void Init(const size_t ir_inputs, const size_t inputs, const size_t outputs, const ge::char_t *name,
            const ge::char_t *type) {
    Init(ir_inputs, 0, inputs, outputs, 0, name, type);
  }
  void Init(const size_t ir_inputs, const size_t ir_outputs, const size_t inputs, const size_t outputs,
            const size_t attr_size, const ge::char_t *name, const ge::char_t *type) {
    node_type_ = type;
    node_name_ = name;
    ir_inputs_num_ = ir_inputs;
    inputs_num_ = inputs;
    outputs_num_ = outputs;
    ir_outputs_num_ = ir_outputs;
    runtime_attr_size_ = attr_size;
    memset(reserved_, 0, sizeof reserved_);
    place_holder = 0;
    for (size_t i = 0; i < ir_inputs; i++)
      new (MutableInputInstanceInfo(i)) AnchorInstanceInfo();
    for (size_t i = 0; i < ir_outputs; i++)
      new (MutableOutputInstanceInfo(i)) AnchorInstanceInfo();
    for (size_t i = 0; i < inputs; i++)
      new (MutableInputTdInfo(i)) CompileTimeTensorDesc();
    for (size_t i = 0; i < outputs; i++)
      new (MutableOutputTdInfo(i)) CompileTimeTensorDesc();
  }
  ComputeNodeInfo() = delete;
  ComputeNodeInfo(const ComputeNodeInfo &) = delete;
  ComputeNodeInfo(ComputeNodeInfo &&) = delete;
  ComputeNodeInfo &operator=(const ComputeNodeInfo &) = delete;
  ComputeNodeInfo &operator=(ComputeNodeInfo &&) = delete;

 private:
  static constexpr size_t kBehind = 80;  // where the block goes on: at place_holder
  size_t DescsAt() const { return ir_inputs_num_ * sizeof(AnchorInstanceInfo); }
  size_t AttrsAt() const { return DescsAt() + (inputs_num_ + outputs_num_) * sizeof(CompileTimeTensorDesc); }
  template <typename T>
  T *At(size_t bytes) const {
    return reinterpret_cast<T *>(const_cast<char *>(reinterpret_cast<const char *>(this)) + kBehind + bytes);
  }
  const ge::char_t *node_type_;
  const ge::char_t *node_name_;
  size_t ir_inputs_num_;
  size_t inputs_num_;
  size_t outputs_num_;
  size_t ir_outputs_num_;
  size_t runtime_attr_size_;
  [[maybe_unused]] uint8_t reserved_[24];
  uint64_t place_holder;
};

class KernelExtendInfo {
 public:
  const ge::char_t *GetKernelName() const { return kernel_name_; }
  void SetKernelName(const ge::char_t *name) { kernel_name_ = name; }
  const ge::char_t *GetKernelType() const { return kernel_type_; }
  void SetKernelType(const ge::char_t *const type) { kernel_type_ = type; }
  KernelExtendInfo() = delete;
  KernelExtendInfo(const KernelExtendInfo &) = delete;
  KernelExtendInfo(KernelExtendInfo &&) = delete;
  KernelExtendInfo &operator=(const KernelExtendInfo &) = delete;
  KernelExtendInfo &operator=(KernelExtendInfo &&) = delete;

 private:
  const ge::char_t *kernel_name_;
  const ge::char_t *kernel_type_;
  [[maybe_unused]] uint8_t reserved_[56];
};

// A context of a node: its names, ports, types, formats and attributes.
// An "ir index" counts declared ports, an "index" the instances that the node has.
class ExtendedKernelContext : protected KernelContext {
 public:
  const CompileTimeTensorDesc *GetInputDesc(const size_t i) const {
    const ComputeNodeInfo *node = GetComputeNodeInfo();
    return node ? node->GetInputTdInfo(i) : nullptr;
  }
  const CompileTimeTensorDesc *GetOptionalInputDesc(const size_t ir) const {
    return GetDynamicInputDesc(ir, 0);
  }
  const CompileTimeTensorDesc *GetRequiredInputDesc(const size_t ir) const {
    return GetDynamicInputDesc(ir, 0);
  }
  const CompileTimeTensorDesc *GetDynamicInputDesc(const size_t ir, const size_t k) const {
    size_t i = 0;
    return InputOf(ir, k, i) ? GetInputDesc(i) : nullptr;
  }
  const CompileTimeTensorDesc *GetOutputDesc(const size_t i) const {
    const ComputeNodeInfo *node = GetComputeNodeInfo();
    return node ? node->GetOutputTdInfo(i) : nullptr;
  }
  const AnchorInstanceInfo *GetIrInputInstanceInfo(const size_t ir) const {
    const ComputeNodeInfo *node = GetComputeNodeInfo();
    return node ? node->GetInputInstanceInfo(ir) : nullptr;
  }
  const AnchorInstanceInfo *GetIrOutputInstanceInfo(const size_t ir) const {
    const ComputeNodeInfo *node = GetComputeNodeInfo();
    return node ? node->GetOutputInstanceInfo(ir) : nullptr;
  }
  size_t GetComputeNodeInputNum() const {
    const ComputeNodeInfo *node = GetComputeNodeInfo();
    return node ? node->GetInputsNum() : 0;
  }
  size_t GetComputeNodeOutputNum() const {
    const ComputeNodeInfo *node = GetComputeNodeInfo();
    return node ? node->GetOutputsNum() : 0;
  }
  const RuntimeAttrs *GetAttrs() const {
    const ComputeNodeInfo *node = GetComputeNodeInfo();
    return node ? node->GetAttrs() : nullptr;
  }
  const ge::char_t *GetNodeType() const {
    const ComputeNodeInfo *node = GetComputeNodeInfo();
    return node ? node->GetNodeType() : nullptr;
  }
  const ge::char_t *GetNodeName() const {
    const ComputeNodeInfo *node = GetComputeNodeInfo();
    return node ? node->GetNodeName() : nullptr;
  }
  const ComputeNodeInfo *GetComputeNodeInfo() const {
    return static_cast<const ComputeNodeInfo *>(GetComputeNodeExtend());
  }
  const ge::char_t *GetKernelName() const {
    const KernelExtendInfo *info = GetExtendInfo();
    return info ? info->GetKernelName() : nullptr;
  }
  const ge::char_t *GetKernelType() const {
    const KernelExtendInfo *info = GetExtendInfo();
    return info ? info->GetKernelType() : nullptr;
  }
  const KernelExtendInfo *GetExtendInfo() const {
    return static_cast<const KernelExtendInfo *>(GetKernelExtend());
  }

 protected:
  // Instance k of declared input `ir`, as the number of an input; false: it has no such instance.
  bool InputOf(size_t ir, size_t k, size_t &out) const {
    const AnchorInstanceInfo *port = GetIrInputInstanceInfo(ir);
    if (!port || k >= port->GetInstanceNum())
      return false;
    out = port->GetInstanceStart() + k;
    return true;
  }
  template <typename T, size_t Offset = 0>
  const T *GetDynamicInputPointer(size_t ir, size_t k) const {
    size_t i = 0;
    return InputOf(ir, k, i) ? GetInputPointer<T>(i + Offset) : nullptr;
  }
  template <typename T, size_t Offset = 0>
  const T *GetDynamicOutputPointer(size_t ir, size_t k) const {
    const AnchorInstanceInfo *port = GetIrOutputInstanceInfo(ir);
    if (!port || k >= port->GetInstanceNum())
      return nullptr;
    return GetOutputPointer<T>(port->GetInstanceStart() + k + Offset);
  }
  bool IsInput(size_t i) const { return i < GetComputeNodeInputNum(); }
};

// Shapes are those that the model means ("origin"). An input's values are there when they are known: its
// tensor's GetAddr() is nullptr otherwise. Outputs begin as scalars.
class InferShapeContext : public ExtendedKernelContext {
 public:
  const Shape *GetInputShape(const size_t i) const {
    return IsInput(i) ? reinterpret_cast<const Shape *>(GetInputPointer<Tensor>(i)) : nullptr;
  }
  const Tensor *GetInputTensor(const size_t i) const {
    return IsInput(i) ? GetInputPointer<Tensor>(i) : nullptr;
  }
  const Tensor *GetOptionalInputTensor(const size_t ir) const {
    return GetDynamicInputPointer<Tensor>(ir, 0);
  }
  const Shape *GetOptionalInputShape(const size_t ir) const { return GetDynamicInputShape(ir, 0); }
  const Shape *GetDynamicInputShape(const size_t ir, const size_t k) const {
    return reinterpret_cast<const Shape *>(GetDynamicInputPointer<Tensor>(ir, k));
  }
  const Tensor *GetDynamicInputTensor(const size_t ir, const size_t k) const {
    return GetDynamicInputPointer<Tensor>(ir, k);
  }
  const Tensor *GetRequiredInputTensor(const size_t ir) const {
    return GetDynamicInputPointer<Tensor>(ir, 0);
  }
  const Shape *GetRequiredInputShape(const size_t ir) const { return GetDynamicInputShape(ir, 0); }
  Shape *GetOutputShape(const size_t i) {
    return reinterpret_cast<Shape *>(GetOutputPointer<StorageShape>(i));
  }
};

class InferDataTypeContext : public ExtendedKernelContext {
 public:
  // DT_UNDEFINED: there is no such input.
  ge::DataType GetInputDataType(const size_t i) const {
    const ge::DataType *type = IsInput(i) ? GetInputPointer<ge::DataType>(i) : nullptr;
    return type ? *type : ge::DT_UNDEFINED;
  }
  ge::DataType GetOptionalInputDataType(const size_t ir) const { return GetDynamicInputDataType(ir, 0); }
  ge::DataType GetDynamicInputDataType(const size_t ir, const size_t k) const {
    size_t i = 0;
    return InputOf(ir, k, i) ? GetInputDataType(i) : ge::DT_UNDEFINED;
  }
  ge::DataType GetRequiredInputDataType(const size_t ir) const { return GetDynamicInputDataType(ir, 0); }
  ge::DataType GetOutputDataType(const size_t i) const {
    const ge::DataType *type = GetOutputPointer<ge::DataType>(i);
    return type ? *type : ge::DT_UNDEFINED;
  }
  // GRAPH_FAILED: there is no such output.
  ge::graphStatus SetOutputDataType(const size_t i, const ge::DataType type) {
    ge::DataType *place = GetOutputPointer<ge::DataType>(i);
    if (!place)
      return ge::GRAPH_FAILED;
    *place = type;
    return ge::GRAPH_SUCCESS;
  }
};

using TensorRange = Range<Tensor>;

// The least and greatest shapes; a greatest dim of -1 has no bound.
class InferShapeRangeContext : public ExtendedKernelContext {
 public:
  const Range<Shape> *GetInputShapeRange(const size_t i) const { return AsShapes(GetInputTensorRange(i)); }
  const TensorRange *GetInputTensorRange(const size_t i) const {
    return IsInput(i) ? GetInputPointer<TensorRange>(i) : nullptr;
  }
  const TensorRange *GetOptionalInputTensorRange(const size_t ir) const {
    return GetDynamicInputTensorRange(ir, 0);
  }
  const Range<Shape> *GetRequiredInputShapeRange(const size_t ir) const {
    return GetDynamicInputShapeRange(ir, 0);
  }
  const TensorRange *GetRequiredInputTensorRange(const size_t ir) const {
    return GetDynamicInputTensorRange(ir, 0);
  }
  const TensorRange *GetDynamicInputTensorRange(const size_t ir, const size_t k) const {
    return GetDynamicInputPointer<TensorRange>(ir, k);
  }
  const Range<Shape> *GetOptionalInputShapeRange(const size_t ir) const {
    return GetDynamicInputShapeRange(ir, 0);
  }
  const Range<Shape> *GetDynamicInputShapeRange(const size_t ir, const size_t k) const {
    return AsShapes(GetDynamicInputTensorRange(ir, k));
  }
  Range<Shape> *GetOutputShapeRange(const size_t i) { return GetOutputPointer<Range<Shape>>(i); }

 private:
  static const Range<Shape> *AsShapes(const TensorRange *range) {
    return reinterpret_cast<const Range<Shape> *>(range);
  }
};

// The formats that the model means (origin) and that tensors are stored in. Inputs' may be written, too.
class InferFormatContext : public ExtendedKernelContext {
 public:
  StorageFormat *GetInputFormat(const size_t i) { return FormatOf(GetInputTensor(i)); }
  StorageFormat *GetRequiredInputFormat(const size_t ir) { return GetDynamicInputFormat(ir, 0); }
  StorageFormat *GetOptionalInputFormat(const size_t ir) { return GetDynamicInputFormat(ir, 0); }
  StorageFormat *GetDynamicInputFormat(const size_t ir, const size_t k) {
    return FormatOf(GetDynamicInputTensor(ir, k));
  }
  const Shape *GetInputShape(const size_t i) const { return ShapeOf(GetInputTensor(i)); }
  const Shape *GetRequiredInputShape(const size_t ir) const { return GetDynamicInputShape(ir, 0); }
  const Shape *GetOptionalInputShape(const size_t ir) const { return GetDynamicInputShape(ir, 0); }
  const Shape *GetDynamicInputShape(const size_t ir, const size_t k) const {
    return ShapeOf(GetDynamicInputTensor(ir, k));
  }
  const Tensor *GetInputTensor(const size_t i) const {
    return IsInput(i) ? GetInputPointer<Tensor>(i) : nullptr;
  }
  const Tensor *GetRequiredInputTensor(const size_t ir) const { return GetDynamicInputTensor(ir, 0); }
  const Tensor *GetOptionalInputTensor(const size_t ir) const { return GetDynamicInputTensor(ir, 0); }
  const Tensor *GetDynamicInputTensor(const size_t ir, const size_t k) const {
    return GetDynamicInputPointer<Tensor>(ir, k);
  }
  StorageFormat *GetOutputFormat(const size_t i) { return GetOutputPointer<StorageFormat>(i); }
  StorageFormat *GetRequiredOutputFormat(const size_t ir) { return GetDynamicOutputFormat(ir, 0); }
  StorageFormat *GetDynamicOutputFormat(const size_t ir, const size_t k) {
    return const_cast<StorageFormat *>(GetDynamicOutputPointer<StorageFormat>(ir, k));
  }

 private:
  static StorageFormat *FormatOf(const Tensor *tensor) {
    return tensor ? &const_cast<Tensor *>(tensor)->MutableFormat() : nullptr;
  }
  static const Shape *ShapeOf(const Tensor *tensor) { return tensor ? &tensor->GetOriginShape() : nullptr; }
};

static_assert(sizeof(AsyncAnyValue) == 16 && sizeof(KernelRunContext) == 48, "layouts");
static_assert(offsetof(KernelRunContext, values) == 40 && sizeof(Chain) == 16, "layouts");
static_assert(sizeof(AnchorInstanceInfo) == 48 && sizeof(CompileTimeTensorDesc) == 144, "layouts");
static_assert(sizeof(ComputeNodeInfo) == 88 && sizeof(KernelExtendInfo) == 72, "layouts");
static_assert(sizeof(InferShapeContext) == 48, "a context is a KernelRunContext");
}  // namespace gert
// SPDX-License-Identifier: Apache-2.0
