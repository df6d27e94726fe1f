// weft_cann/package.h - makes the registrations of a shared object a package of weft's: each operator that
// has a prototype (OP_ADD, REG_OP) becomes a weft_op, whose functions build the contexts that the C++
// functions expect. Whatever says OP_ADD, REG_OP or REG_AUTO_MAPPING_OP has the package entry in it; nothing
// is to be written for it.
#pragma once
#include <cctype>
#include <cinttypes>

#include "weft/op.h"
#include "weft_cann/builder.h"
#include "weft_cann/custom_op.h"
#include "weft_cann/log.h"
#include "weft_cann/op_def.h"
#include "weft_cann/operator.h"

namespace weft_cann {
using Functions = gert::OpImplKernelRegistry::OpImplFunctionsV2;

// Tiling: package_tiling.h. What was made for each processor that an operator was tiled for.
class Tilings;
inline std::shared_ptr<Tilings> NewTilings(const char *type);
inline weft_status Tile(weft_tiling *t);

// An operator of the package. `op` comes first: weft hands its address back with every call.
struct Operator {
  weft_op op = {};
  Functions functions;
  std::unique_ptr<ge::BaseCustomOp> custom;
  std::shared_ptr<Tilings> tilings;  // behind the functions: its objects are theirs to delete
  std::deque<std::string> texts;
  std::vector<weft_port> in;
  std::vector<weft_port> out;
  std::vector<weft_attr_decl> attrs;
  std::vector<weft_symbol> symbols;
  std::deque<std::vector<weft_column>> columns;

  const char *Keep(const std::string &text) {
    texts.push_back(text);
    return texts.back().c_str();
  }
};
inline const Operator *OperatorOf(const weft_op_desc *desc) {
  return reinterpret_cast<const Operator *>(desc->op);
}

// The first error that an operator logs becomes what weft reports; more of them follow as notes.
class ErrorLog {
 public:
  ErrorLog(const weft_host *host, weft_diag *diag) : host_(host), diag_(diag), before_(CurrentLogSink()) {
    CurrentLogSink() = {&ErrorLog::Line, this};
  }
  ~ErrorLog() { CurrentLogSink() = before_; }
  ErrorLog(const ErrorLog &) = delete;
  ErrorLog &operator=(const ErrorLog &) = delete;
  // What to return for a status of the operator's function; OK for GRAPH_SUCCESS.
  weft_status Status(UINT32 status, weft_status failed, const weft_op_desc *desc, const char *what) {
    if (status == ge::GRAPH_SUCCESS)
      return WEFT_OK;
    if (!said_.empty())
      return host_->fail(diag_, failed, "%s", said_.c_str());
    return host_->fail(diag_, failed, "%s of %s returned %" PRIu32 " and logged no error: OP_LOGE says why",
                       what, desc->type, status);
  }

 private:
  static void Line(void *self, int level, const char *text) {
    auto *log = static_cast<ErrorLog *>(self);
    if (level < DLOG_ERROR)
      return;
    if (log->said_.empty())
      log->said_ = text;
    else
      log->said_ += std::string("; ") + text;
  }
  const weft_host *host_;
  weft_diag *diag_;
  LogSink before_;
  std::string said_;
};

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
      block.Text(std::string(attr->u.s, attr->n).c_str());
      break;
    case WEFT_VT_LIST_INT:
    case WEFT_VT_LIST_TYPE:
      block.List(std::vector<int64_t>(attr->u.ints, attr->u.ints + attr->n));
      break;
    case WEFT_VT_LIST_FLOAT:
      block.List(std::vector<float>(attr->u.floats, attr->u.floats + attr->n));
      break;
    case WEFT_VT_LIST_BOOL:
      block.Bools(std::vector<bool>(attr->u.bools, attr->u.bools + attr->n));
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

inline gert::StorageFormat FormatOf(weft_format origin, weft_format storage) {
  return gert::StorageFormat(static_cast<ge::Format>(origin), static_cast<ge::Format>(storage),
                             gert::ExpandDimsType());
}

// A node as contexts describe it.
inline void DescribeNode(gert::detail::Contents &contents, const weft_op_desc *desc,
                         const std::vector<gert::detail::Described> &in,
                         const std::vector<gert::detail::Described> &out) {
  std::vector<uint32_t> in_ports;
  std::vector<uint32_t> out_ports;
  for (uint32_t i = 0; i < desc->n_in_ports; i++)
    in_ports.push_back(desc->in_port[i].count);
  for (uint32_t i = 0; i < desc->n_out_ports; i++)
    out_ports.push_back(desc->out_port[i].count);
  gert::detail::AttrBlock attrs;
  for (uint32_t i = 0; i < desc->n_attr; i++)
    AppendAttr(attrs, desc->attr[i]);
  for (const auto &attr : OperatorOf(desc)->functions.private_attrs)
    AppendAttr(attrs, attr.second);
  contents.Node(in_ports, out_ports, in, out, attrs);
}

inline std::vector<gert::detail::Described> DescribeInputs(const weft_infer *it) {
  std::vector<gert::detail::Described> in(it->n_in);
  for (uint32_t i = 0; i < it->n_in; i++)
    in[i] = {static_cast<ge::DataType>(it->in_dtype[i]), FormatOf(it->in_format[i], it->in_format[i]), true};
  return in;
}

// A tensor of the origin shape `shape`, its values borrowed; nullptr where they are not known.
inline void SetTensor(gert::Tensor &tensor, const weft_shape *shape, weft_dtype type,
                      const weft_tensor *value) {
  memcpy(static_cast<void *>(&tensor.MutableOriginShape()), shape, sizeof *shape);
  memcpy(static_cast<void *>(&tensor.MutableStorageShape()), shape, sizeof *shape);
  tensor.SetDataType(static_cast<ge::DataType>(type));
  const bool known = value && value->data;
  (void)tensor.MutableTensorData().SetAddr(known ? value->data : nullptr, nullptr);
  tensor.SetSize(known ? value->bytes : 0);
  tensor.SetPlacement(gert::kOnHost);
}

inline weft_status InferShape(weft_infer *it) {
  const Operator *op = OperatorOf(it->desc);
  gert::detail::Contents contents(it->desc->type, it->desc->name ? it->desc->name : it->desc->type);
  DescribeNode(contents, it->desc, DescribeInputs(it), std::vector<gert::detail::Described>(it->n_out));
  contents.Row(it->n_in + 1, it->n_out);
  std::vector<gert::Tensor> inputs(it->n_in);
  for (uint32_t i = 0; i < it->n_in; i++) {
    SetTensor(inputs[i], it->in[i], it->in_dtype[i], it->value[i]);
    inputs[i].MutableFormat() = FormatOf(it->in_format[i], it->in_format[i]);
    contents.Input(i).data.pointer = &inputs[i];
  }
  for (uint32_t i = 0; i < it->n_out; i++) {
    it->out[i]->rank = 0;  // a context's outputs begin as scalars
    contents.Output(i).data.pointer = it->out[i];
  }
  auto *context = reinterpret_cast<gert::InferShapeContext *>(contents.Get());
  ErrorLog log(it->host, it->d);
  UINT32 status = ge::GRAPH_FAILED;
  if (op->functions.infer_shape)
    status = op->functions.infer_shape(context);
  else if (auto *custom = dynamic_cast<ge::ShapeInferOp *>(op->custom.get()))
    status = custom->InferShape(context);
  return log.Status(status, WEFT_E_SHAPE, it->desc, "InferShape");
}

inline weft_status InferDataType(weft_infer *it) {
  const Operator *op = OperatorOf(it->desc);
  gert::detail::Contents contents(it->desc->type, it->desc->name ? it->desc->name : it->desc->type);
  DescribeNode(contents, it->desc, DescribeInputs(it), std::vector<gert::detail::Described>(it->n_out));
  contents.Row(it->n_in, it->n_out);
  const ge::DataType undefined = ge::DT_UNDEFINED;
  for (uint32_t i = 0; i < it->n_in; i++) {
    const auto type = static_cast<ge::DataType>(it->in_dtype[i]);
    memcpy(contents.Input(i).data.inplace, &type, sizeof type);
  }
  for (uint32_t i = 0; i < it->n_out; i++)
    memcpy(contents.Output(i).data.inplace, &undefined, sizeof undefined);
  auto *context = reinterpret_cast<gert::InferDataTypeContext *>(contents.Get());
  ErrorLog log(it->host, it->d);
  UINT32 status = ge::GRAPH_FAILED;
  if (op->functions.infer_datatype)
    status = op->functions.infer_datatype(context);
  else if (auto *custom = dynamic_cast<ge::ShapeInferOp *>(op->custom.get()))
    status = custom->InferDataType(context);
  for (uint32_t i = 0; i < it->n_out && status == ge::GRAPH_SUCCESS; i++) {
    ge::DataType type;
    memcpy(&type, contents.Output(i).data.inplace, sizeof type);
    it->out_dtype[i] = static_cast<weft_dtype>(type);
  }
  return log.Status(status, WEFT_E_DTYPE, it->desc, "InferDataType");
}

// Serves a running operator from weft's call.
class CallHost : public gert::EagerOpExecutionContext::Host {
 public:
  explicit CallHost(const weft_call *call) : call_(call), outputs_(call->n_out), status_(WEFT_OK) {}
  gert::Tensor *MallocOutput(size_t i, const gert::StorageShape &shape, const gert::StorageFormat &format,
                             ge::DataType type) override {
    if (i >= call_->n_out) {
      Fail(call_->host->fail(call_->d, WEFT_E_INVALID, "MallocOutputTensor(%zu): the operator has %u outputs",
                             i, call_->n_out));
      return nullptr;
    }
    weft_layout layout;
    memcpy(static_cast<void *>(&layout), &shape, sizeof layout);
    Fail(call_->host->out_alloc(call_, static_cast<uint32_t>(i), static_cast<weft_dtype>(type), &layout,
                                static_cast<weft_format>(format.GetStorageFormat())));
    if (status_)
      return nullptr;
    void *data = call_->out[i] ? call_->out[i]->data
                               : Spare(ge::GetSizeInBytes(shape.GetStorageShape().GetShapeSize(), type));
    outputs_[i] = std::make_unique<gert::Tensor>(shape, format, gert::kOnHost, type, data);
    return outputs_[i].get();
  }
  void *MallocWorkSpace(size_t bytes) override {
    void *memory = nullptr;
    Fail(call_->host->workspace(call_, bytes, &memory));
    return memory;
  }
  gert::Tensor *OutputIsInput(size_t output, size_t input) override {
    if (input >= call_->n_in)
      return nullptr;
    const weft_tensor *from = call_->in[input];
    gert::StorageShape shape;
    memcpy(static_cast<void *>(&shape), &from->layout, sizeof shape);
    gert::Tensor *to = MallocOutput(output, shape, FormatOf(from->origin_format, from->format),
                                    static_cast<ge::DataType>(from->dtype));
    if (to && to->GetAddr() && from->bytes)
      memcpy(to->GetAddr(), from->data, from->bytes);
    return to;
  }
  gert::Tensor *Output(size_t i) { return outputs_[i].get(); }
  weft_status Status() const { return status_; }
  // Hands the shapes that the operator left in its outputs to weft.
  weft_status Finish() {
    for (uint32_t i = 0; i < call_->n_out && !status_; i++) {
      if (!outputs_[i]) {
        Fail(call_->host->fail(call_->d, WEFT_E_INVALID,
                               "output %u was never allocated: MallocOutputTensor(%u, ...)", i, i));
        break;
      }
      weft_shape shape;
      memcpy(static_cast<void *>(&shape), &outputs_[i]->GetOriginShape(), sizeof shape);
      Fail(call_->host->out_set_shape(call_, i, &shape));
    }
    return status_;
  }

 private:
  void Fail(weft_status status) { status_ = status_ ? status_ : status; }
  // Where an output that nobody reads is written.
  void *Spare(int64_t bytes) {
    spare_.emplace_back(static_cast<size_t>(bytes > 0 ? bytes : 0) + 1);
    return spare_.back().data();
  }
  const weft_call *call_;
  std::vector<std::unique_ptr<gert::Tensor>> outputs_;
  std::deque<std::vector<uint8_t>> spare_;
  weft_status status_;
};

inline weft_status Execute(const weft_call *call) {
  auto *custom = dynamic_cast<ge::EagerExecuteOp *>(OperatorOf(call->desc)->custom.get());
  gert::detail::Contents contents(call->desc->type, call->desc->name ? call->desc->name : call->desc->type);
  std::vector<gert::detail::Described> in(call->n_in);
  std::vector<gert::Tensor> inputs(call->n_in);
  for (uint32_t i = 0; i < call->n_in; i++) {
    const weft_tensor *from = call->in[i];
    in[i] = {static_cast<ge::DataType>(from->dtype), FormatOf(from->origin_format, from->format), true};
    SetTensor(inputs[i], &from->layout.origin, from->dtype, from);
    memcpy(static_cast<void *>(&inputs[i].MutableStorageShape()), &from->layout.storage,
           sizeof from->layout.storage);
    inputs[i].MutableFormat() = in[i].format;
  }
  DescribeNode(contents, call->desc, in, std::vector<gert::detail::Described>(call->n_out));
  contents.Row(call->n_in + 2, call->n_out + 2);
  for (uint32_t i = 0; i < call->n_in; i++)
    contents.Input(i).data.pointer = &inputs[i];
  CallHost host(call);
  gert::EagerOpExecutionContext::Host *base = &host;
  contents.Input(call->n_in).data.pointer = base;
  static char own_stream;
  contents.Input(call->n_in + 1).data.pointer = call->stream ? call->stream : &own_stream;
  ErrorLog log(call->host, call->d);
  const UINT32 status = custom->Execute(reinterpret_cast<gert::EagerOpExecutionContext *>(contents.Get()));
  if (host.Status())
    return host.Status();
  WEFT_TRY(log.Status(status, WEFT_E_INVALID, call->desc, "Execute"));
  return host.Finish();
}

// Functions that a definition sets count where IMPL_OP set none.
inline void TakeFunctions(Functions &functions, ops::OpDef &def) {
  if (!functions.infer_shape)
    functions.infer_shape = def.GetInferShape();
  if (!functions.infer_shape_range)
    functions.infer_shape_range = def.GetInferShapeRange();
  if (!functions.infer_datatype)
    functions.infer_datatype = def.GetInferDataType();
  if (!functions.tiling)
    functions.tiling = def.AICore().GetTiling();
}

// Makes prototypes.
class PackageBuilder {
 public:
  // What OP_ADD and REG_OP named, each with what IMPL_OP and REG_AUTO_MAPPING_OP say of the same type. Where
  // a type has both kinds of prototype OP_ADD's counts: it has the combinations of types and formats.
  void Build() {
    for (const auto &entry : ops::detail::OpDefs())
      Add(entry.second(entry.first.c_str()));
    std::vector<std::string> prototypes;
    (void)ge::OperatorFactory::GetOpsTypeList(prototypes);
    for (const std::string &type : prototypes) {
      if (!ops::detail::OpDefs().count(type))
        Add(*ge::OperatorFactory::CreateOperator(type, type).WeftNode());
    }
  }
  const std::vector<const weft_op *> &Ops() const { return list_; }

 private:
  Operator &New(const std::string &type) {
    operators_.emplace_back();
    Operator &op = operators_.back();
    op.op.size = sizeof(weft_op);
    op.op.port_bytes = sizeof(weft_port);
    op.op.attr_bytes = sizeof(weft_attr_decl);
    op.op.symbol_bytes = sizeof(weft_symbol);
    op.op.version = 1;
    op.op.name = op.Keep(type);
    auto functions = gert::detail::Ops().find(type);
    if (functions != gert::detail::Ops().end())
      op.functions = functions->second;
    auto custom = ge::weft_cann::CustomOps().find(type);
    if (custom != ge::weft_cann::CustomOps().end())
      op.custom = custom->second();
    return op;
  }
  void Finish(Operator &op) {
    op.in.push_back({});
    op.out.push_back({});
    op.attrs.push_back({});
    op.op.in = op.in.data();
    op.op.out = op.out.data();
    op.op.attrs = op.attrs.data();
    if (!op.symbols.empty()) {
      op.symbols.push_back({});
      op.op.types = op.symbols.data();
    }
    Attach(op);
    list_.push_back(&op.op);
  }
  void Add(ops::OpDef def) {
    Operator &op = New(def.Type());
    TakeFunctions(op.functions, def);
    const ops::detail::MergedPorts ports = ops::detail::MergePorts(def, nullptr);
    size_t columns = 0;
    for (const ops::PortSpec &port : ports.inputs)
      columns = port.types.size();
    for (size_t i = 0; i < ports.inputs.size(); i++)
      op.in.push_back(Port(op, ports.inputs[i], i, columns));
    for (const ops::PortSpec &port : ports.outputs)
      op.out.push_back(Port(op, port, kNoInput, columns));
    for (const ops::OpAttrDef &attr : def.Attrs())
      op.attrs.push_back(Attr(op, attr.Spec()));
    op.op.n_columns = static_cast<uint32_t>(columns);
    Finish(op);
  }
  // A prototype of REG_OP: types as texts, some of them symbols.
  void Add(const ge::weft_cann::Node &node) {
    Operator &op = New(node.type);
    for (size_t i = 0; i < node.in.size(); i++) {
      op.in.push_back(Port(op, node.in[i]));
      op.in.back().value = Value(op, ops::PortSpec(), i);
    }
    for (const ge::weft_cann::DeclaredPort &port : node.out)
      op.out.push_back(Port(op, port));
    for (const ge::weft_cann::DeclaredAttr &declared : node.attrs) {
      weft_attr_decl attr = {};
      attr.name = op.Keep(declared.name);
      attr.type = op.Keep(declared.type);
      attr.dflt = declared.required ? nullptr : op.Keep(DefaultText(declared.value));
      op.attrs.push_back(attr);
    }
    for (const ge::weft_cann::DeclaredType &type : node.symbols)
      op.symbols.push_back(Symbol(op, type));
    Finish(op);
  }
  static weft_port Port(Operator &op, const ge::weft_cann::DeclaredPort &declared) {
    weft_port port = {};
    port.name = op.Keep(declared.name);
    const bool dynamic = declared.kind == ge::weft_cann::PortKind::kDynamic;
    const bool optional = declared.kind == ge::weft_cann::PortKind::kOptional;
    port.kind = dynamic ? WEFT_DYNAMIC : optional ? WEFT_OPTIONAL : WEFT_REQUIRED;
    const std::string &types = declared.types;
    if (types.size() > 2 && types[0] == '"')
      port.type = op.Keep(types.substr(1, types.size() - 2));
    else
      port.dtypes = TypesOf(types);
    return port;
  }
  static weft_symbol Symbol(Operator &op, const ge::weft_cann::DeclaredType &declared) {
    weft_symbol symbol = {};
    symbol.name = op.Keep(declared.name);
    symbol.each = declared.each;
    for (ge::DataType type : declared.types)
      symbol.set |= weft_dtype_set{1} << static_cast<int>(type);
    std::string names;
    for (const std::string &name : declared.promote)
      names += (names.empty() ? "" : ",") + name;
    if (!names.empty())
      symbol.promote = op.Keep(names);
    return symbol;
  }
  // "TensorType({DT_FLOAT, DT_INT8})", "TensorType::NumberType()", "BasicType()": which types a text names.
  static weft_dtype_set TypesOf(const std::string &text) {
    static const struct {
      const char *name;
      ge::TensorType (*types)();
    } sets[] = {{"ALL()", ge::TensorType::ALL},
                {"QuantifiedType()", ge::TensorType::QuantifiedType},
                {"OrdinaryType()", ge::TensorType::OrdinaryType},
                {"BasicType()", ge::TensorType::BasicType},
                {"RealNumberType()", ge::TensorType::RealNumberType},
                {"IndexNumberType()", ge::TensorType::IndexNumberType},
                {"NumberType()", ge::TensorType::NumberType},
                {"ComplexDataType()", ge::TensorType::ComplexDataType},
                {"IntegerDataType()", ge::TensorType::IntegerDataType},
                {"UnsignedDataType()", ge::TensorType::UnsignedDataType},
                {"SignedDataType()", ge::TensorType::SignedDataType},
                {"FloatingDataType()", ge::TensorType::FloatingDataType},
                {"UnaryDataType()", ge::TensorType::UnaryDataType},
                {"FLOAT()", ge::TensorType::FLOAT}};
    weft_dtype_set all = 0;
    for (const auto &set : sets) {
      const size_t at = text.find(set.name);
      const bool word =
          at != std::string::npos && (at == 0 || !isalnum(static_cast<unsigned char>(text[at - 1])));
      if (!word)
        continue;
      const ge::TensorType named = set.types();  // a temporary would end before the loop
      for (ge::DataType type : named.tensor_type_impl_->dt_vec_)
        all |= weft_dtype_set{1} << static_cast<int>(type);
    }
    for (size_t at = text.find("DT_"); at != std::string::npos; at = text.find("DT_", at + 1)) {
      size_t end = at;
      while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        end++;
      all |= TypeOf(text.substr(at, end - at));
    }
    return all;
  }
  static weft_dtype_set TypeOf(const std::string &name) {
    static const std::map<std::string, int> types = {
#define WEFT_X(name, number, bits, serial, text) {"DT_" #name, number},
        WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
            {"DT_FLOAT32", 0},
        {"DT_BFLOAT16", 27}};
    auto found = types.find(name);
    return found == types.end() ? 0 : weft_dtype_set{1} << found->second;
  }
  static std::string DefaultText(const ge::AttrValue &value) {
    return std::visit([](const auto &held) { return Text(held); }, value.Get());
  }
  static std::string Text(int64_t value) {
    return std::to_string(value);
  }
  static std::string Text(float value) {
    char text[32];
    snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
    return text;
  }
  static std::string Text(bool value) {
    return value ? "true" : "false";
  }
  static std::string Text(const std::string &value) {
    return Quoted(value);
  }
  static std::string Text(ge::DataType value) {
    return ge::TypeUtils::DataTypeToSerialString(value);
  }
  template <typename T>
  static std::string Text(const std::vector<T> &values) {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); i++) {
      text += i ? "," : "";
      text += Text(static_cast<T>(values[i]));
    }
    return text + "]";
  }
  static std::string Text(const ge::Tensor &) {
    return "f32[0]";
  }
  static std::string Text(const ge::OpBytes &) {
    return "\"\"";
  }
  static std::string Text(std::monostate) {
    return "";
  }
  static void Attach(Operator &op) {
    const bool infers = dynamic_cast<ge::ShapeInferOp *>(op.custom.get()) != nullptr;
    if (op.functions.infer_shape || infers)
      op.op.infer = InferShape;
    if (op.functions.infer_datatype || infers)
      op.op.infer_dtype = InferDataType;
    if (op.functions.tiling) {
      op.op.tile = Tile;
      op.tilings = NewTilings(op.op.name);
    }
    if (dynamic_cast<ge::EagerExecuteOp *>(op.custom.get()))
      op.op.execute = Execute;
  }
  static constexpr size_t kNoInput = static_cast<size_t>(-1);
  static weft_port Port(Operator &op, const ops::PortSpec &spec, size_t input, size_t columns) {
    weft_port port = {};
    port.name = op.Keep(spec.name);
    port.kind = spec.kind == ops::DYNAMIC    ? WEFT_DYNAMIC
                : spec.kind == ops::OPTIONAL ? WEFT_OPTIONAL
                                             : WEFT_REQUIRED;
    if (input != kNoInput)
      port.value = Value(op, spec, input);
    for (ge::DataType type : spec.types)
      port.dtypes |= weft_dtype_set{1} << static_cast<int>(type);
    if (columns && spec.types.size() == columns && spec.formats.size() == columns) {
      op.columns.emplace_back();
      for (size_t k = 0; k < columns; k++)
        op.columns.back().push_back(
            {static_cast<weft_dtype>(spec.types[k]), static_cast<weft_format>(spec.formats[k])});
      port.columns = op.columns.back().data();
      port.dtypes = 0;
    }
    return port;
  }
  static uint8_t Value(const Operator &op, const ops::PortSpec &spec, size_t input) {
    unsigned value = 0;
    if (op.functions.IsInputDataDependency(input))
      value |= WEFT_VALUE_INFER;
    if (op.functions.IsTilingInputDataDependency(input))
      value |= WEFT_VALUE_TILING;
    if (!spec.value_depend.empty())
      value |= spec.depend_scope == ops::DependScope::TILING ? WEFT_VALUE_TILING
                                                             : WEFT_VALUE_INFER | WEFT_VALUE_TILING;
    // operators read values that they did not declare: they get what is known
    if (!value && op.functions.infer_shape)
      value = WEFT_VALUE_INFER | WEFT_VALUE_OPTIONAL;
    if (spec.value_depend == "optional")
      value |= WEFT_VALUE_OPTIONAL;
    return static_cast<uint8_t>(value);
  }
  static weft_attr_decl Attr(Operator &op, const ops::AttrSpec &spec) {
    weft_attr_decl attr = {};
    attr.name = op.Keep(spec.name);
    attr.type = spec.PrototypeType();
    if (spec.required)
      return attr;
    const bool text = spec.type == ops::AttrDataType::ATTR_DT_STR;
    attr.dflt = op.Keep(text ? Quoted(spec.value) : spec.value);
    return attr;
  }
  static std::string Quoted(const std::string &text) {
    std::string quoted = "\"";
    for (char c : text) {
      if (c == '"' || c == '\\')
        quoted += '\\';
      quoted += c;
    }
    return quoted + "\"";
  }
  std::deque<Operator> operators_;
  std::vector<const weft_op *> list_;
};
}  // namespace weft_cann
#include "weft_cann/package_tiling.h"

// The package of this shared object; one that a library defines itself takes its place.
extern "C" __attribute__((weak, visibility("default"))) const weft_package *weft_package_entry(
    const weft_host *host) {
  static weft_cann::PackageBuilder builder;
  static weft_section section;
  static weft_package package;
  static const bool built = [] {
    builder.Build();
    section = {WEFT_SECTION_OP, 0, static_cast<uint32_t>(builder.Ops().size()), builder.Ops().data()};
    package = {sizeof(weft_package), WEFT_ABI, "cann", "0", 1, &section};
    return true;
  }();
  return built && host ? &package : nullptr;
}
// SPDX-License-Identifier: Apache-2.0
