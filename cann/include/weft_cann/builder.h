// weft_cann/builder.h - makes contexts as weft makes them, for tests that call an operator's functions
// directly. Tensors, ranges, compile info and platform are borrowed: they outlive the context.
#pragma once
#include <vector>

#include "weft_cann/attr_block.h"
#include "weft_cann/registry.h"

namespace gert {
namespace detail {
// Type and format of a port's instance.
struct Described {
  ge::DataType type = ge::DT_MAX;
  StorageFormat format;
  bool exists = false;
};

// Everything that a context points at, in one object.
class Contents {
 public:
  Contents(const std::string &type, const std::string &name) : type_(type), name_(name) {}
  ~Contents() {
    for (AsyncAnyValue &value : values_) {
      if (value.deleter)
        value.deleter(value.data.pointer);
    }
  }
  Contents(const Contents &) = delete;
  Contents &operator=(const Contents &) = delete;

  void Node(const std::vector<uint32_t> &in_ports, const std::vector<uint32_t> &out_ports,
            const std::vector<Described> &in, const std::vector<Described> &out, const AttrBlock &attrs) {
    size_t bytes = 0;
    (void)ComputeNodeInfo::CalcSize(in_ports.size(), out_ports.size(), in.size(), out.size(), bytes);
    const size_t attr_bytes = (attrs.Size() + 7) / 8 * 8;
    node_.assign((bytes + attr_bytes + 7) / 8, 0);
    auto *node = reinterpret_cast<ComputeNodeInfo *>(node_.data());
    node->Init(in_ports.size(), out_ports.size(), in.size(), out.size(), attr_bytes, name_.c_str(),
               type_.c_str());
    uint32_t from = 0;
    for (size_t i = 0; i < in_ports.size(); i++) {
      *node->MutableInputInstanceInfo(i) = AnchorInstanceInfo(from, in_ports[i]);
      from += in_ports[i];
    }
    from = 0;
    for (size_t i = 0; i < out_ports.size(); i++) {
      *node->MutableOutputInstanceInfo(i) = AnchorInstanceInfo(from, out_ports[i]);
      from += out_ports[i];
    }
    for (size_t i = 0; i < in.size(); i++)
      Describe(node->MutableInputTdInfo(i), in[i]);
    for (size_t i = 0; i < out.size(); i++)
      Describe(node->MutableOutputTdInfo(i), out[i]);
    attrs.Write(node->MutableAttrs());
  }
  // A row of values, all zero; then they are reached by Input and Output.
  void Row(size_t inputs, size_t outputs) {
    values_.assign(inputs + outputs, AsyncAnyValue{{nullptr}, nullptr});
    const size_t words = offsetof(KernelRunContext, values) / 8 + values_.size() + 1;
    context_.assign(words, 0);
    KernelRunContext *context = Get();
    context->input_size = inputs;
    context->output_size = outputs;
    context->compute_node_info = node_.data();
    auto **row = reinterpret_cast<AsyncAnyValue **>(context_.data() + offsetof(KernelRunContext, values) / 8);
    for (size_t i = 0; i < values_.size(); i++)
      row[i] = &values_[i];
    context->output_start = row + inputs;
    inputs_ = inputs;
  }
  AsyncAnyValue &Input(size_t i) { return values_[i]; }
  AsyncAnyValue &Output(size_t i) { return values_[inputs_ + i]; }
  KernelRunContext *Get() { return reinterpret_cast<KernelRunContext *>(context_.data()); }
  // Deleted with the context.
  template <typename T>
  void Own(AsyncAnyValue &value, T *object) {
    value.data.pointer = object;
    value.deleter = [](void *p) { delete static_cast<T *>(p); };
  }

 private:
  static void Describe(CompileTimeTensorDesc *desc, const Described &from) {
    desc->SetDataType(from.type);
    desc->SetOriginFormat(from.format.GetOriginFormat());
    desc->SetStorageFormat(from.format.GetStorageFormat());
    desc->SetExpandDimsType(from.format.GetExpandDimsType());
    desc->SetExist(from.exists);
  }
  std::string type_;
  std::string name_;
  std::vector<uint64_t> node_;
  std::vector<uint64_t> context_;
  std::vector<AsyncAnyValue> values_;
  size_t inputs_ = 0;
};
}  // namespace detail

// Owns what a builder made. GetContext() is nullptr when something was missing.
template <typename Context>
class ContextHolder {
 public:
  ContextHolder() = default;
  explicit ContextHolder(std::shared_ptr<detail::Contents> contents) : contents_(std::move(contents)) {}
  Context *GetContext() { return contents_ ? reinterpret_cast<Context *>(contents_->Get()) : nullptr; }

 private:
  std::shared_ptr<detail::Contents> contents_;
};

// What the builders have in common. Attributes count by their order.
template <typename T>
class OpContextBuilderBase {
 public:
  OpContextBuilderBase(const OpContextBuilderBase<T> &) = delete;
  OpContextBuilderBase<T> &operator=(const OpContextBuilderBase<T> &) = delete;
  virtual ~OpContextBuilderBase() = default;

  T &OpType(const ge::AscendString &type) {
    type_ = type.GetString();
    return Self();
  }
  T &OpName(const ge::AscendString &name) {
    name_ = name.GetString();
    return Self();
  }
  // So many declared inputs and outputs, each with one instance.
  T &IONum(size_t inputs, size_t outputs) {
    return IOInstanceNum(std::vector<uint32_t>(inputs, 1), std::vector<uint32_t>(outputs, 1));
  }
  // The instances of each declared port: 0 for an absent optional one.
  T &IOInstanceNum(const std::vector<uint32_t> &inputs, const std::vector<uint32_t> &outputs) {
    in_ports_ = inputs;
    out_ports_ = outputs;
    in_.resize(Sum(inputs));
    out_.resize(Sum(outputs));
    return Self();
  }
  T &AppendAttr(bool value) {
    attrs_.Value(static_cast<uint8_t>(value));
    return Self();
  }
  T &AppendAttr(int64_t value) {
    attrs_.Value(value);
    return Self();
  }
  T &AppendAttr(float value) {
    attrs_.Value(value);
    return Self();
  }
  T &AppendAttr(const ge::AscendString &value) {
    attrs_.Text(value.GetString());
    return Self();
  }
  T &AppendAttr(const std::vector<bool> &value) {
    attrs_.Bools(value);
    return Self();
  }
  T &AppendAttr(const std::vector<int64_t> &value) {
    attrs_.List(value);
    return Self();
  }
  T &AppendAttr(const std::vector<float> &value) {
    attrs_.List(value);
    return Self();
  }
  T &AppendAttr(const std::vector<ge::AscendString> &value) {
    attrs_.Texts(value);
    return Self();
  }
  T &AppendAttr(const std::vector<std::vector<int64_t>> &value) {
    attrs_.Lists(value);
    return Self();
  }
  T &AppendAttr(const std::vector<std::vector<float>> &value) {
    attrs_.Lists(value);
    return Self();
  }

 protected:
  OpContextBuilderBase() = default;
  T &Self() { return static_cast<T &>(*this); }
  static size_t Sum(const std::vector<uint32_t> &counts) {
    size_t sum = 0;
    for (uint32_t count : counts)
      sum += count;
    return sum;
  }
  T &DescribeInput(size_t i, ge::DataType type, const StorageFormat &format) {
    if (i < in_.size())
      in_[i] = {type, format, true};
    return Self();
  }
  T &DescribeOutput(size_t i, ge::DataType type, const StorageFormat &format) {
    if (i < out_.size())
      out_[i] = {type, format, true};
    return Self();
  }
  void DescribeInput(size_t i, const Tensor &tensor) {
    (void)DescribeInput(i, tensor.GetDataType(), tensor.GetFormat());
  }
  // Tests give more than they declared: each is a port of its own.
  void AtLeast(size_t inputs, size_t outputs) {
    for (; !in_ports_.empty() && in_.size() < inputs; in_.resize(in_.size() + 1))
      in_ports_.push_back(1);
    for (; !out_ports_.empty() && out_.size() < outputs; out_.resize(out_.size() + 1))
      out_ports_.push_back(1);
  }
  // nullptr: the type, the name or the inputs are missing.
  std::shared_ptr<detail::Contents> Begin() const {
    if (type_.empty() || name_.empty() || in_ports_.empty())
      return nullptr;
    auto contents = std::make_shared<detail::Contents>(type_, name_);
    contents->Node(in_ports_, out_ports_, in_, out_, attrs_);
    return contents;
  }
  std::vector<detail::Described> in_;
  std::vector<detail::Described> out_;

 private:
  std::string type_;
  std::string name_;
  std::vector<uint32_t> in_ports_;
  std::vector<uint32_t> out_ports_;
  detail::AttrBlock attrs_;
};

class OpInferShapeContextBuilder : public OpContextBuilderBase<OpInferShapeContextBuilder> {
 public:
  OpInferShapeContextBuilder &OutputTensorDesc(size_t i, ge::DataType type, ge::Format origin,
                                               ge::Format storage,
                                               const ExpandDimsType &expand = ExpandDimsType()) {
    AtLeast(0, i < kMostOutputs ? i + 1 : 0);
    return DescribeOutput(i, type, StorageFormat(origin, storage, expand));
  }
  OpInferShapeContextBuilder &InputTensors(const std::vector<Tensor *> &inputs) {
    inputs_ = inputs;
    AtLeast(inputs.size(), 0);
    for (size_t i = 0; i < inputs.size(); i++)
      DescribeInput(i, *inputs[i]);
    return *this;
  }
  ContextHolder<InferShapeContext> Build() {
    auto contents = Begin();
    if (!contents)
      return {};
    // behind the inputs: the function itself, which nobody reads
    contents->Row(in_.size() + 1, out_.size());
    for (size_t i = 0; i < in_.size() && i < inputs_.size(); i++)
      contents->Input(i).data.pointer = inputs_[i];
    for (size_t i = 0; i < out_.size(); i++)
      contents->Own(contents->Output(i), new Tensor());
    return ContextHolder<InferShapeContext>(contents);
  }

 private:
  static constexpr size_t kMostOutputs = 1024;
  std::vector<Tensor *> inputs_;
};

class OpInferDataTypeContextBuilder : public OpContextBuilderBase<OpInferDataTypeContextBuilder> {
 public:
  OpInferDataTypeContextBuilder &InputTensorDesc(size_t i, ge::DataType type, ge::Format origin,
                                                 ge::Format storage,
                                                 const ExpandDimsType &expand = ExpandDimsType()) {
    return DescribeInput(i, type, StorageFormat(origin, storage, expand));
  }
  OpInferDataTypeContextBuilder &OutputTensorDesc(size_t i, ge::Format origin, ge::Format storage,
                                                  const ExpandDimsType &expand = ExpandDimsType()) {
    return DescribeOutput(i, ge::DT_UNDEFINED, StorageFormat(origin, storage, expand));
  }
  ContextHolder<InferDataTypeContext> Build() {
    auto contents = Begin();
    if (!contents)
      return {};
    contents->Row(in_.size(), out_.size());
    for (size_t i = 0; i < in_.size(); i++)
      Put(contents->Input(i), in_[i].exists ? in_[i].type : ge::DT_UNDEFINED);
    for (size_t i = 0; i < out_.size(); i++)
      Put(contents->Output(i), ge::DT_UNDEFINED);
    return ContextHolder<InferDataTypeContext>(contents);
  }

 private:
  static void Put(AsyncAnyValue &value, ge::DataType type) { memcpy(value.data.inplace, &type, sizeof type); }
};

class OpInferShapeRangeContextBuilder : public OpContextBuilderBase<OpInferShapeRangeContextBuilder> {
 public:
  OpInferShapeRangeContextBuilder &OutputTensorDesc(size_t i, ge::DataType type, ge::Format origin,
                                                    ge::Format storage,
                                                    const ExpandDimsType &expand = ExpandDimsType()) {
    return DescribeOutput(i, type, StorageFormat(origin, storage, expand));
  }
  OpInferShapeRangeContextBuilder &InputTensorsRange(const std::vector<Range<Tensor> *> &inputs) {
    inputs_ = inputs;
    for (size_t i = 0; i < inputs.size(); i++)
      DescribeInput(i, *inputs[i]->GetMin());
    return *this;
  }
  ContextHolder<InferShapeRangeContext> Build() {
    auto contents = Begin();
    if (!contents)
      return {};
    contents->Row(in_.size() + 1, out_.size());
    for (size_t i = 0; i < in_.size() && i < inputs_.size(); i++)
      contents->Input(i).data.pointer = inputs_[i];
    for (size_t i = 0; i < out_.size(); i++) {
      auto *both = new OutputRange();
      both->range = Range<Shape>(&both->min, &both->max);
      contents->Own(contents->Output(i), both);
    }
    return ContextHolder<InferShapeRangeContext>(contents);
  }

 private:
  struct OutputRange {
    Range<Shape> range;  // first: the context's value is a Range<Shape>
    Shape min;
    Shape max;
  };
  std::vector<Range<Tensor> *> inputs_;
};

class OpTilingContextBuilder : public OpContextBuilderBase<OpTilingContextBuilder> {
 public:
  OpTilingContextBuilder &CompileInfo(const void *info) {
    compile_info_ = info;
    return *this;
  }
  OpTilingContextBuilder &PlatformInfo(const void *info) {
    platform_info_ = info;
    return *this;
  }
  OpTilingContextBuilder &Deterministic(int32_t deterministic) {
    deterministic_ = deterministic;
    return *this;
  }
  OpTilingContextBuilder &DeterministicLevel(int32_t level) {
    level_ = level;
    return *this;
  }
  // The record that the function writes; the context releases it by the deleter, if there is one.
  OpTilingContextBuilder &TilingData(const gert::TilingData *record, Chain::Deleter deleter = nullptr) {
    record_ = record;
    deleter_ = deleter;
    return *this;
  }
  // A record of the context's own with so much room.
  OpTilingContextBuilder &TilingDataSize(size_t bytes) {
    own_record_bytes_ = bytes;
    return *this;
  }
  OpTilingContextBuilder &Workspace(const ContinuousVector *sizes) {
    workspace_ = sizes;
    return *this;
  }
  OpTilingContextBuilder &SimtBlockDim(const Dim3 *dim) {
    simt_block_ = dim;
    return *this;
  }
  OpTilingContextBuilder &SimtGridDim(const Dim3 *dim) {
    simt_grid_ = dim;
    return *this;
  }
  OpTilingContextBuilder &InputTensors(const std::vector<Tensor *> &inputs) {
    inputs_ = inputs;
    for (size_t i = 0; i < inputs.size(); i++)
      DescribeInput(i, *inputs[i]);
    return *this;
  }
  OpTilingContextBuilder &OutputTensors(const std::vector<Tensor *> &outputs) {
    outputs_ = outputs;
    for (size_t i = 0; i < outputs.size(); i++)
      (void)DescribeOutput(i, outputs[i]->GetDataType(), outputs[i]->GetFormat());
    return *this;
  }
  // No context without compile info and platform info.
  ContextHolder<TilingContext> Build() {
    auto contents = compile_info_ && platform_info_ ? Begin() : nullptr;
    if (!contents)
      return {};
    const size_t inputs = in_.size();
    const size_t behind = inputs + out_.size();
    contents->Row(behind + 5, TilingContext::kOutputNum);
    for (size_t i = 0; i < inputs && i < inputs_.size(); i++)
      contents->Input(i).data.pointer = inputs_[i];
    for (size_t i = 0; i < out_.size() && i < outputs_.size(); i++)
      contents->Input(inputs + i).data.pointer = outputs_[i];
    contents->Input(behind + TilingContext::kCompileInfo).data.pointer = const_cast<void *>(compile_info_);
    contents->Input(behind + TilingContext::kPlatformInfo).data.pointer = const_cast<void *>(platform_info_);
    Put(contents->Input(behind + TilingContext::kDeterministic), deterministic_);
    Put(contents->Input(behind + TilingContext::kDeterministicLevel), level_);
    PutRecord(contents->Output(TilingContext::kOutputTilingData));
    contents->Output(TilingContext::kOutputWorkspace).data.pointer =
        const_cast<ContinuousVector *>(workspace_);
    contents->Output(TilingContext::kOutputSimtBlockDim).data.pointer = const_cast<Dim3 *>(simt_block_);
    contents->Output(TilingContext::kOutputSimtGridDim).data.pointer = const_cast<Dim3 *>(simt_grid_);
    return ContextHolder<TilingContext>(contents);
  }

 private:
  static void Put(AsyncAnyValue &value, int32_t number) {
    memcpy(value.data.inplace, &number, sizeof number);
  }
  void PutRecord(AsyncAnyValue &value) {
    value.data.pointer = const_cast<gert::TilingData *>(record_);
    value.deleter = deleter_;
    if (record_ || !own_record_bytes_)
      return;
    value.data.pointer = gert::TilingData::CreateCap(own_record_bytes_).release();
    value.deleter = [](void *p) { delete[] static_cast<uint8_t *>(p); };
  }
  const void *compile_info_ = nullptr;
  const void *platform_info_ = nullptr;
  int32_t deterministic_ = 0;
  int32_t level_ = 0;
  const gert::TilingData *record_ = nullptr;
  Chain::Deleter deleter_ = nullptr;
  size_t own_record_bytes_ = 0;
  const ContinuousVector *workspace_ = nullptr;
  const Dim3 *simt_block_ = nullptr;
  const Dim3 *simt_grid_ = nullptr;
  std::vector<Tensor *> inputs_;
  std::vector<Tensor *> outputs_;
};

class OpTilingParseContextBuilder : public OpContextBuilderBase<OpTilingParseContextBuilder> {
 public:
  OpTilingParseContextBuilder &InputTensorDesc(size_t i, ge::DataType type, ge::Format origin,
                                               ge::Format storage,
                                               const ExpandDimsType &expand = ExpandDimsType()) {
    return DescribeInput(i, type, StorageFormat(origin, storage, expand));
  }
  OpTilingParseContextBuilder &OutputTensorDesc(size_t i, ge::DataType type, ge::Format origin,
                                                ge::Format storage,
                                                const ExpandDimsType &expand = ExpandDimsType()) {
    return DescribeOutput(i, type, StorageFormat(origin, storage, expand));
  }
  OpTilingParseContextBuilder &CompiledJson(const ge::char_t *json) {
    json_ = json;
    return *this;
  }
  // The object that the function fills.
  OpTilingParseContextBuilder &CompiledInfo(const void *info) {
    info_ = info;
    return *this;
  }
  OpTilingParseContextBuilder &PlatformInfo(const void *info) {
    platform_info_ = info;
    return *this;
  }
  ContextHolder<TilingParseContext> Build() {
    auto contents = Begin();
    if (!contents)
      return {};
    contents->Row(2, 1);
    contents->Input(0).data.pointer = const_cast<ge::char_t *>(json_);
    contents->Input(1).data.pointer = const_cast<void *>(platform_info_);
    contents->Output(0).data.pointer = const_cast<void *>(info_);
    return ContextHolder<TilingParseContext>(contents);
  }

 private:
  const ge::char_t *json_ = nullptr;
  const void *info_ = nullptr;
  const void *platform_info_ = nullptr;
};
}  // namespace gert
// SPDX-License-Identifier: Apache-2.0
