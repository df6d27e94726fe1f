// weft_cann/kept_node.h - what contexts say of one node, laid out once and kept with it (weft_kept_take of
// weft/op.h): its names, the instances of its ports, its attributes, and the rows of values that its contexts
// have. A call writes into it only what differs from call to call: shapes, types, formats, addresses. One
// call has it at a time; another one at the same time makes its own.
#pragma once
#include <memory>
#include <vector>

#include "weft/op.h"
#include "weft_cann/attr_block.h"
#include "weft_cann/registry.h"

namespace weft_cann {
struct Operator;

// The values of a context in one block: the context, the addresses of its values, the values.
class Row {
 public:
  void Make(const gert::ComputeNodeInfo *node, size_t inputs, size_t outputs) {
    const size_t n = inputs + outputs;
    const size_t head = offsetof(KernelRunContext, values) / sizeof(uint64_t) + n + 1;
    block_.reset(new uint64_t[head + n * sizeof(AsyncAnyValue) / sizeof(uint64_t)]());
    values_ = reinterpret_cast<AsyncAnyValue *>(block_.get() + head);
    inputs_ = inputs;
    auto **at = reinterpret_cast<AsyncAnyValue **>(block_.get() +
                                                   offsetof(KernelRunContext, values) / sizeof(uint64_t));
    for (size_t i = 0; i < n; i++)
      at[i] = &values_[i];
    auto *context = reinterpret_cast<KernelRunContext *>(block_.get());
    context->input_size = inputs;
    context->output_size = outputs;
    context->compute_node_info = node;
    context->output_start = at + inputs;
  }
  bool IsMade() const { return block_ != nullptr; }
  AsyncAnyValue &Input(size_t i) { return values_[i]; }
  AsyncAnyValue &Output(size_t i) { return values_[inputs_ + i]; }
  template <typename Context>
  Context *As() {
    return reinterpret_cast<Context *>(block_.get());
  }

 private:
  std::unique_ptr<uint64_t[]> block_;
  AsyncAnyValue *values_ = nullptr;
  size_t inputs_ = 0;
};

// What an operator says may be any number: one that no dtype has stays such a one.
inline weft_dtype DtypeOf(ge::DataType type) {
  const auto number = static_cast<uint32_t>(type);
  return static_cast<weft_dtype>(number < 255 ? number : 255);
}

inline void AppendAttr(gert::detail::AttrBlock &block, const weft_attr *attr) {
  switch (attr ? attr->type : static_cast<weft_attr_type>(WEFT_VT_NONE)) {
    case WEFT_VT_INT:
    case WEFT_VT_TYPE:
      block.Value(attr->u.i);
      break;
    case WEFT_VT_FLOAT:
      block.Value(attr->u.f);
      break;
    case WEFT_VT_BOOL:
      block.Value(static_cast<uint8_t>(attr->u.b));
      break;
    case WEFT_VT_STRING:
      block.Text(attr->u.s ? attr->u.s : "");
      break;
    case WEFT_VT_LIST_INT:
    case WEFT_VT_LIST_TYPE:
      block.List(std::vector<int64_t>(attr->u.ints, attr->u.ints + attr->n));
      break;
    case WEFT_VT_LIST_FLOAT:
      block.List(std::vector<float>(attr->u.floats, attr->u.floats + attr->n));
      break;
    case WEFT_VT_LIST_BOOL:
      block.List(std::vector<uint8_t>(attr->u.bools, attr->u.bools + attr->n));
      break;
    case WEFT_VT_LIST_STRING: {
      std::vector<ge::AscendString> texts;
      for (size_t i = 0; i < attr->n; i++)
        texts.emplace_back(attr->u.strs[i].text, attr->u.strs[i].bytes);
      block.Texts(texts);
      break;
    }
    case WEFT_VT_LIST_LIST_INT: {
      std::vector<std::vector<int64_t>> lists;
      for (size_t i = 0; i < attr->n; i++)
        lists.emplace_back(attr->u.int_lists[i].v, attr->u.int_lists[i].v + attr->u.int_lists[i].n);
      block.Lists(lists);
      break;
    }
    default:
      block.Value(int64_t{0});
      break;
  }
}
inline void AppendAttr(gert::detail::AttrBlock &block, const ge::AnyValue &value) {
  switch (value.GetKind()) {
    case ge::AnyValue::kFloat:
      block.Value(value.Float());
      break;
    case ge::AnyValue::kBool:
      block.Value(static_cast<uint8_t>(value.Int()));
      break;
    case ge::AnyValue::kString:
      block.Text(value.Text().c_str());
      break;
    case ge::AnyValue::kInts:
      block.List(value.Ints());
      break;
    case ge::AnyValue::kFloats:
      block.List(value.Floats());
      break;
    default:
      block.Value(value.Int());
      break;
  }
}

class KeptNode {
 public:
  // n_declared: attributes before those of PrivateAttr.
  KeptNode(const weft_op_desc *desc, const gert::OpImplKernelRegistry::OpImplFunctions &functions,
           uint32_t n_declared)
      : n_in_(desc->n_in), n_out_(desc->n_out), inputs_(desc->n_in) {
    gert::detail::AttrBlock attrs;
    for (uint32_t i = 0; i < desc->n_attr && i < n_declared; i++)
      AppendAttr(attrs, desc->attr[i]);
    AppendPrivate(attrs, desc, functions);
    Layout(desc, attrs);
    shape_.Make(Info(), n_in_ + 1, n_out_);  // behind the inputs: the function itself, which nobody reads
    for (uint32_t i = 0; i < n_in_; i++)
      shape_.Input(i).data.pointer = &inputs_[i];
  }
  KeptNode(const KeptNode &) = delete;
  KeptNode &operator=(const KeptNode &) = delete;

  const gert::ComputeNodeInfo *Info() const {
    return reinterpret_cast<const gert::ComputeNodeInfo *>(block_.get());
  }
  gert::Tensor &Input(uint32_t i) { return inputs_[i]; }
  // The row of InferShape: inputs are there, outputs are the caller's.
  Row &ShapeRow() { return shape_; }
  // That of InferDataType, whose values lie in it.
  Row &TypeRow() {
    if (!types_.IsMade())
      types_.Make(Info(), n_in_, n_out_);
    return types_;
  }
  // That of InferFormat: the tensors of the inputs, the formats of the outputs.
  Row &FormatRow() {
    if (formats_.IsMade())
      return formats_;
    formats_.Make(Info(), n_in_, n_out_);
    out_formats_ = std::vector<gert::StorageFormat>(n_out_);
    for (uint32_t i = 0; i < n_in_; i++)
      formats_.Input(i).data.pointer = &inputs_[i];
    for (uint32_t i = 0; i < n_out_; i++)
      formats_.Output(i).data.pointer = &out_formats_[i];
    return formats_;
  }
  gert::StorageFormat &OutputFormat(uint32_t i) { return out_formats_[i]; }
  // That of InferShapeRange: two tensors for each input, the outputs' ranges, which the caller fills.
  Row &RangeRow() {
    if (ranges_.IsMade())
      return ranges_;
    ranges_.Make(Info(), n_in_ + 1, n_out_);
    bounds_ = std::vector<gert::Tensor>(size_t{2} * n_in_);
    in_ranges_.resize(n_in_);
    out_ranges_.resize(n_out_);
    for (uint32_t i = 0; i < n_in_; i++) {
      in_ranges_[i] = gert::TensorRange(&bounds_[2 * i], &bounds_[2 * i + 1]);
      ranges_.Input(i).data.pointer = &in_ranges_[i];
    }
    for (uint32_t i = 0; i < n_out_; i++)
      ranges_.Output(i).data.pointer = &out_ranges_[i];
    return ranges_;
  }
  // That of Execute: behind the inputs who serves it and the stream.
  Row &CallRow() {
    if (calls_.IsMade())
      return calls_;
    calls_.Make(Info(), n_in_ + 2, n_out_ + 2);
    for (uint32_t i = 0; i < n_in_; i++)
      calls_.Input(i).data.pointer = &inputs_[i];
    return calls_;
  }
  // That of Tiling: inputs and outputs as tensors, then what belongs to the operator and the processor.
  Row &TilingRow() {
    if (tilings_.IsMade())
      return tilings_;
    tilings_.Make(Info(), size_t{n_in_} + n_out_ + 5, gert::TilingContext::kOutputNum);
    outputs_ = std::vector<gert::Tensor>(n_out_);
    for (uint32_t i = 0; i < n_in_; i++)
      tilings_.Input(i).data.pointer = &inputs_[i];
    for (uint32_t i = 0; i < n_out_; i++)
      tilings_.Input(n_in_ + i).data.pointer = &outputs_[i];
    return tilings_;
  }
  void SetOutput(uint32_t i, const weft_layout &layout, weft_dtype type, weft_format format) {
    weft_tensor none = {};
    none.origin_format = format;
    Set(outputs_[i], layout.origin, layout.storage, none, type, format);
    DescribeOutput(i, type, format, format);
  }
  gert::Range<gert::Shape> &OutputRange(uint32_t i) { return out_ranges_[i]; }
  void SetRange(uint32_t i, const weft_shape &min, const weft_shape &max, const weft_tensor &value,
                weft_dtype type, weft_format format) {
    Set(bounds_[2 * i], min, min, value, type, format);
    Set(bounds_[2 * i + 1], max, max, value, type, format);
    DescribeInput(i, type, value.origin_format, format);
  }
  void DescribeInput(uint32_t i, weft_dtype type, weft_format origin, weft_format storage) {
    Describe(in_descs_[i], type, origin, storage);
  }
  void DescribeOutput(uint32_t i, weft_dtype type, weft_format origin, weft_format storage) {
    Describe(out_descs_[i], type, origin, storage);
    out_descs_[i].SetExist(true);
  }
  // Before formats are inferred. UNDEFINED: not known, as of an output that was never described.
  void DescribeOutput(uint32_t i, weft_dtype type) {
    out_descs_[i].SetDataType(type == WEFT_UNDEFINED ? ge::DT_MAX : static_cast<ge::DataType>(type));
  }
  // Where no value tells the format that the model means.
  void SetInputFormat(uint32_t i, weft_format format) {
    inputs_[i].SetOriginFormat(static_cast<ge::Format>(format));
    in_descs_[i].SetOriginFormat(static_cast<ge::Format>(format));
  }
  // An input as a tensor: of these shapes, with its values where they are known.
  void SetInput(uint32_t i, const weft_shape &origin, const weft_shape &storage, const weft_tensor &value,
                weft_dtype type, weft_format format) {
    Set(inputs_[i], origin, storage, value, type, format);
    DescribeInput(i, type, value.origin_format, format);
  }

 private:
  static void Set(gert::Tensor &to, const weft_shape &origin, const weft_shape &storage,
                  const weft_tensor &value, weft_dtype type, weft_format format) {
    Copy(to.MutableOriginShape(), origin);
    Copy(to.MutableStorageShape(), storage);
    to.SetDataType(static_cast<ge::DataType>(type));
    to.SetOriginFormat(static_cast<ge::Format>(value.origin_format));
    to.SetStorageFormat(static_cast<ge::Format>(format));
    (void)to.MutableTensorData().SetAddr(value.data, nullptr);
    to.SetSize(value.data ? value.bytes : 0);
    to.SetPlacement(gert::kOnHost);
  }
  static void Copy(gert::Shape &to, const weft_shape &from) {
    constexpr size_t usual = 8;  // dims that are copied without a look at how many there are
    auto *at = reinterpret_cast<weft_shape *>(&to);
    at->rank = from.rank;
    if (from.rank <= usual)
      memcpy(at->dim, from.dim, usual * sizeof *from.dim);
    else
      memcpy(at->dim, from.dim, sizeof from.dim);
  }
  static void Describe(gert::CompileTimeTensorDesc &desc, weft_dtype type, weft_format origin,
                       weft_format storage) {
    desc.SetDataType(static_cast<ge::DataType>(type));
    desc.SetOriginFormat(static_cast<ge::Format>(origin));
    desc.SetStorageFormat(static_cast<ge::Format>(storage));
  }
  // Behind the declared attributes, by position: what the node has under the name, or the default.
  static void AppendPrivate(gert::detail::AttrBlock &attrs, const weft_op_desc *desc,
                            const gert::OpImplKernelRegistry::OpImplFunctions &functions) {
    for (const auto &attr : functions.private_attrs) {
      const weft_attr *given = Given(desc, attr.first.GetString());
      if (given)
        AppendAttr(attrs, given);
      else
        AppendAttr(attrs, attr.second);
    }
  }
  static const weft_attr *Given(const weft_op_desc *desc, const char *name) {
    for (uint32_t i = 0; i < desc->n_private; i++) {
      if (!strcmp(desc->private_attr[i].name, name))
        return &desc->private_attr[i].value;
    }
    const int slot = weft_op_find_attr(desc->op, name);
    return slot < 0 ? nullptr : desc->attr[slot];
  }
  void Layout(const weft_op_desc *desc, const gert::detail::AttrBlock &attrs) {
    size_t bytes = 0;
    (void)gert::ComputeNodeInfo::CalcSize(desc->n_in_ports, desc->n_out_ports, n_in_, n_out_, bytes);
    const size_t attr_bytes = (attrs.Size() + 7) / 8 * 8;
    block_.reset(new uint64_t[(bytes + attr_bytes + 7) / 8]());
    auto *node = reinterpret_cast<gert::ComputeNodeInfo *>(block_.get());
    node->Init(desc->n_in_ports, desc->n_out_ports, n_in_, n_out_, attr_bytes,
               desc->name ? desc->name : desc->type, desc->type);
    for (uint32_t i = 0; i < desc->n_in_ports; i++)
      *node->MutableInputInstanceInfo(i) =
          gert::AnchorInstanceInfo(desc->in_port[i].start, desc->in_port[i].count);
    for (uint32_t i = 0; i < desc->n_out_ports; i++)
      *node->MutableOutputInstanceInfo(i) =
          gert::AnchorInstanceInfo(desc->out_port[i].start, desc->out_port[i].count);
    in_descs_ = node->MutableInputTdInfo(0);
    out_descs_ = node->MutableOutputTdInfo(0);
    for (uint32_t i = 0; i < n_in_; i++)
      in_descs_[i].SetExist(true);
    attrs.Write(node->MutableAttrs());
  }
  std::unique_ptr<uint64_t[]> block_;
  uint32_t n_in_;
  uint32_t n_out_;
  gert::CompileTimeTensorDesc *in_descs_ = nullptr;
  gert::CompileTimeTensorDesc *out_descs_ = nullptr;
  std::vector<gert::Tensor> inputs_;
  Row shape_;
  Row types_;
  Row formats_;
  std::vector<gert::StorageFormat> out_formats_;
  Row calls_;
  Row tilings_;
  std::vector<gert::Tensor> outputs_;
  Row ranges_;
  std::vector<gert::Tensor> bounds_;
  std::vector<gert::TensorRange> in_ranges_;
  std::vector<gert::Range<gert::Shape>> out_ranges_;
};

// The description of a call's node, taken and given back.
class NodeUse {
 public:
  inline explicit NodeUse(const weft_op_desc *desc);
  ~NodeUse() {
    if (node_ && !weft_kept_give(desc_, node_))
      delete node_;
  }
  NodeUse(const NodeUse &) = delete;
  NodeUse &operator=(const NodeUse &) = delete;
  KeptNode *operator->() { return node_; }
  // NULL: the weft that calls is older than these headers.
  KeptNode *Get() { return node_; }

 private:
  const weft_op_desc *desc_;
  KeptNode *node_;
};
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
