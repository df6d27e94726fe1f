// weft_cann/test.h - tests of operators without a test library: TEST, CHECK and CHECK_EQ (weft_cann/check.h),
// and a node that calls the functions that the program under test registered for its type.
//
//   TEST(adds_equal_shapes) {
//     weft_cann::TestNode node("AddCustom");
//     node.Input(ge::DT_FLOAT, {8, 16}).Input(ge::DT_FLOAT, {8, 16}).Outputs(1);
//     CHECK_EQ(node.InferShape(), ge::GRAPH_SUCCESS);
//     CHECK_EQ(node.Shape(0), gert::Shape({8, 16}));
//   }
#pragma once
#include <deque>

#include "weft_cann/check.h"
#include "weft_cann/builder.h"
#include "weft_cann/log.h"
#include "weft_cann/op_def_table.h"

namespace check {
template <>
struct Shown<gert::Shape> {
  static void To(std::ostream &to, const gert::Shape &shape) {
    to << "[";
    for (size_t i = 0; i < shape.GetDimNum(); i++)
      to << (i ? ", " : "") << shape.GetDim(i);
    to << "]";
  }
};
template <>
struct Shown<ge::DataType> {
  static void To(std::ostream &to, const ge::DataType &type) {
    to << ge::TypeUtils::DataTypeToSerialString(type);
  }
};
}  // namespace check

namespace weft_cann {
// A use of an operator: inputs in the order of their ports, then attributes in theirs.
class TestNode {
 public:
  explicit TestNode(const char *type) : type_(type) {
    auto functions = gert::detail::Ops().find(type_);
    if (functions != gert::detail::Ops().end())
      functions_ = functions->second;
    auto def = ops::detail::OpDefs().find(type_);
    if (def == ops::detail::OpDefs().end())
      return;
    ops::OpDef described = def->second.make(type);
    TakeFunctions(functions_, described);
  }
  TestNode &Input(ge::DataType type, const gert::Shape &shape, const void *values = nullptr) {
    counts_.push_back(0);
    return Instance(type, shape, values);
  }
  // An optional input that is left out; a dynamic one, whose instances follow.
  TestNode &NoInput() {
    counts_.push_back(0);
    return *this;
  }
  // One more tensor for the port that was named last.
  TestNode &Instance(ge::DataType type, const gert::Shape &shape, const void *values = nullptr) {
    if (counts_.empty())
      counts_.push_back(0);
    counts_.back()++;
    gert::StorageShape both;
    both.MutableOriginShape() = shape;
    both.MutableStorageShape() = shape;
    const gert::StorageFormat nd(ge::FORMAT_ND, ge::FORMAT_ND, gert::ExpandDimsType());
    tensors_.emplace_back(both, nd, gert::kOnHost, type, const_cast<void *>(values));
    return *this;
  }
  // So many output ports, each with one tensor.
  TestNode &Outputs(size_t n) {
    n_out_ = n;
    return *this;
  }
  template <typename T>
  TestNode &Attr(const T &value) {
    attrs_.push_back(std::make_unique<Held<T>>(value));
    return *this;
  }

  // GRAPH_FAILED, too, where no function was registered. What the function logs is in Said().
  ge::graphStatus InferShape() {
    gert::OpInferShapeContextBuilder builder;
    Describe(builder);
    std::vector<gert::Tensor *> inputs;
    for (gert::Tensor &tensor : tensors_)
      inputs.push_back(&tensor);
    builder.InputTensors(inputs);
    shapes_.assign(n_out_, gert::Shape());
    auto holder = builder.Build();
    gert::InferShapeContext *context = holder.GetContext();
    const ge::graphStatus status = Call(functions_.infer_shape, context, "InferShape");
    for (size_t i = 0; i < n_out_ && context; i++)
      shapes_[i] = *context->GetOutputShape(i);
    return status;
  }
  ge::graphStatus InferDataType() {
    gert::OpInferDataTypeContextBuilder builder;
    Describe(builder);
    for (size_t i = 0; i < tensors_.size(); i++)
      builder.InputTensorDesc(i, tensors_[i].GetDataType(), ge::FORMAT_ND, ge::FORMAT_ND);
    types_.assign(n_out_, ge::DT_UNDEFINED);
    auto holder = builder.Build();
    gert::InferDataTypeContext *context = holder.GetContext();
    const ge::graphStatus status = Call(functions_.infer_datatype, context, "InferDataType");
    for (size_t i = 0; i < n_out_ && context; i++)
      types_[i] = context->GetOutputDataType(i);
    return status;
  }
  gert::Shape Shape(size_t output) const { return output < shapes_.size() ? shapes_[output] : gert::Shape(); }
  ge::DataType DataType(size_t output) const {
    return output < types_.size() ? types_[output] : ge::DT_UNDEFINED;
  }
  const std::string &Said() const { return said_; }
  // Did the last call log this?
  bool Said(const char *text) const { return said_.find(text) != std::string::npos; }

 private:
  using Shapes = gert::OpInferShapeContextBuilder;
  using Types = gert::OpInferDataTypeContextBuilder;
  struct Value {
    virtual ~Value() = default;
    virtual void Append(Shapes &builder) const = 0;
    virtual void Append(Types &builder) const = 0;
  };
  template <typename T>
  struct Held : Value {
    explicit Held(const T &value) : held(value) {}
    void Append(Shapes &builder) const override { (void)builder.AppendAttr(held); }
    void Append(Types &builder) const override { (void)builder.AppendAttr(held); }
    T held;
  };
  template <typename Builder>
  void Describe(Builder &builder) const {
    builder.OpType(type_.c_str()).OpName("node");
    builder.IOInstanceNum(counts_, std::vector<uint32_t>(n_out_, 1));
    for (const auto &attr : attrs_)
      attr->Append(builder);
  }
  template <typename Function, typename Context>
  ge::graphStatus Call(Function function, Context *context, const char *what) {
    said_ = function ? "" : std::string("no ") + what + " is registered for " + type_;
    if (!function || !context)
      return ge::GRAPH_FAILED;
    const LogSink before = CurrentLogSink();
    CurrentLogSink() = {&TestNode::Line, this};
    const ge::graphStatus status = function(context);
    CurrentLogSink() = before;
    return status;
  }
  static void Line(void *self, int level, const char *text) {
    if (level >= DLOG_ERROR)
      static_cast<TestNode *>(self)->said_ += std::string(text) + "\n";
  }
  std::string type_;
  gert::OpImplKernelRegistry::OpImplFunctions functions_;
  std::vector<uint32_t> counts_;
  std::deque<gert::Tensor> tensors_;
  std::vector<std::unique_ptr<Value>> attrs_;
  size_t n_out_ = 0;
  std::vector<gert::Shape> shapes_;
  std::vector<ge::DataType> types_;
  std::string said_;
};
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
