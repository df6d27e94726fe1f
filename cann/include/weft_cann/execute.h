// weft_cann/execute.h - EagerExecuteOp's Execute as weft_op.execute: the context's calls for memory go to the
// weft that runs the operator.
#pragma once
#include <dlfcn.h>
#include <deque>

#include "weft_cann/adaptor.h"
#include "weft_cann/eager_context.h"

namespace weft_cann {
// Serves a running operator from weft's call.
class CallHost : public gert::EagerOpExecutionContext::Host {
 public:
  explicit CallHost(const weft_call *call)
      : call_(call), outputs_(call->n_out), pages_(call->n_out), status_(WEFT_OK) {}
  gert::Tensor *MallocOutput(size_t i, const gert::StorageShape &shape, const gert::StorageFormat &format,
                             ge::DataType type) override {
    if (i >= call_->n_out) {
      Fail(call_->host->fail(call_->d, WEFT_E_INVALID, "MallocOutputTensor(%zu): the operator has %u outputs",
                             i, call_->n_out));
      return nullptr;
    }
    weft_layout layout;
    memcpy(static_cast<void *>(&layout), &shape, sizeof layout);
    Fail(call_->host->out_alloc(call_, static_cast<uint32_t>(i), DtypeOf(type), &layout,
                                static_cast<weft_format>(format.GetStorageFormat())));
    if (status_)
      return nullptr;
    pages_[i] = nullptr;
    const int64_t bytes = ge::GetSizeInBytes(shape.GetStorageShape().GetShapeSize(), type);
    void *data = call_->out[i] && bytes >= kPageBytes ? call_->out[i]->data : Spare(i, bytes);
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
    const gert::StorageFormat format(static_cast<ge::Format>(from->origin_format),
                                     static_cast<ge::Format>(from->format), gert::ExpandDimsType());
    gert::Tensor *to = MallocOutput(output, shape, format, static_cast<ge::DataType>(from->dtype));
    if (to && to->GetAddr() && from->bytes)
      memcpy(to->GetAddr(), from->data, from->bytes);
    return to;
  }
  const gert::KernelArgs *KeepArgs(const void *args, size_t bytes) override {
    spare_.emplace_back(bytes + 1);
    if (bytes)
      memcpy(spare_.back().data(), args, bytes);
    args_.emplace_back();
    args_.back().args_data = spare_.back().data();
    args_.back().args_size = bytes;
    return &args_.back();
  }
  const gert::KernelArgs *KeptArgs(size_t i) const override { return i < args_.size() ? &args_[i] : nullptr; }
  ge::graphStatus AddLaunch(const gert::AnnotatedKernelLaunchInfo &info,
                            gert::AnnotatedKernelArgs &&args) override {
    launches_.emplace_back(info, std::move(args));
    return ge::GRAPH_SUCCESS;
  }
  using Launches = std::deque<std::pair<gert::AnnotatedKernelLaunchInfo, gert::AnnotatedKernelArgs>>;
  Launches &DeclaredLaunches() { return launches_; }
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
      TakePage(i);
      weft_shape shape;
      memcpy(static_cast<void *>(&shape), &outputs_[i]->GetOriginShape(), sizeof shape);
      Fail(call_->host->out_set_shape(call_, i, &shape));
    }
    return status_;
  }

 private:
  void Fail(weft_status status) { status_ = status_ ? status_ : status; }
  // Where an output that nobody reads is written, or a small one at first: a device's memory comes in pages,
  // so that kernels which write a whole tile where there are a few numbers go unnoticed there.
  void *Spare(size_t i, int64_t bytes) {
    const size_t room = static_cast<size_t>(bytes > kPageBytes ? bytes : kPageBytes);
    spare_.emplace_back(room + kAlignBytes);
    const size_t off = reinterpret_cast<uintptr_t>(spare_.back().data()) % kAlignBytes;
    pages_[i] = spare_.back().data() + (kAlignBytes - off) % kAlignBytes;
    return pages_[i];
  }
  void TakePage(uint32_t i) {
    weft_tensor *to = call_->out[i];
    if (!to || !pages_[i] || !to->bytes)
      return;
    memcpy(to->data, pages_[i], to->bytes < size_t{kPageBytes} ? to->bytes : size_t{kPageBytes});
  }
  static constexpr int64_t kPageBytes = 4096;
  static constexpr size_t kAlignBytes = 64;
  const weft_call *call_;
  std::vector<std::unique_ptr<gert::Tensor>> outputs_;
  std::vector<uint8_t *> pages_;  // of outputs that are not where weft wants them
  std::deque<std::vector<uint8_t>> spare_;
  std::deque<gert::KernelArgs> args_;
  Launches launches_;
  weft_status status_;
};

// ---- CompilableOp: once for the shapes and types of inputs ----

inline void AddInputText(std::string &text, int dtype, const weft_shape &shape) {
  text += std::to_string(dtype) + ":";
  for (uint32_t d = 0; d < shape.rank && shape.rank <= WEFT_MAX_RANK; d++)
    text += std::to_string(shape.dim[d]) + ",";
}
// The node's row has its inputs. `text` names their shapes and types.
inline weft_status CompileOnce(const Operator *op, const weft_op_desc *desc, const std::string &text,
                               Row &row, const weft_host *host, weft_diag *d) {
  std::lock_guard<std::mutex> held(op->custom.compiled->lock);
  if (op->custom.compiled->loaded || op->custom.compiled->inputs.count(text))
    return WEFT_OK;
  ErrorLog log(host, d);
  const UINT32 status = op->custom.compiles->Compile(row.As<gert::OpCompileContext>());
  WEFT_TRY(log.Status(status, WEFT_E_INVALID, desc, "Compile"));
  op->custom.compiled->inputs.insert(text);
  return WEFT_OK;
}
inline weft_status CompileForCall(const weft_call *call, const Operator *op, Row &row) {
  std::string text;
  for (uint32_t i = 0; i < call->n_in; i++)
    AddInputText(text, call->in[i]->dtype, call->in[i]->layout.storage);
  return CompileOnce(op, call->desc, text, row, call->host, call->d);
}

// ---- AnnotatedArgsOp: outputs as they are inferred, then what it declares is launched ----

inline weft_status InferredOutputs(const weft_call *call, const Operator *op, KeptNode &node,
                                   CallHost &host) {
  if (!op->custom.infers)
    return call->host->fail(call->d, WEFT_E_INVALID, "AnnotatedArgsOp needs ShapeInferOp, too");
  std::vector<gert::Shape> shapes(call->n_out);
  Row &row = node.ShapeRow();
  Row &types = node.TypeRow();
  for (uint32_t i = 0; i < call->n_out; i++)
    row.Output(i).data.pointer = &shapes[i];
  for (uint32_t i = 0; i < call->n_in; i++) {
    const auto type = static_cast<ge::DataType>(call->in[i]->dtype);
    memcpy(types.Input(i).data.inplace, &type, sizeof type);
  }
  ErrorLog log(call->host, call->d);
  UINT32 status = op->custom.infers->InferShape(row.As<gert::InferShapeContext>());
  WEFT_TRY(log.Status(status, WEFT_E_SHAPE, call->desc, "InferShape"));
  status = op->custom.infers->InferDataType(types.As<gert::InferDataTypeContext>());
  WEFT_TRY(log.Status(status, WEFT_E_DTYPE, call->desc, "InferDataType"));
  for (uint32_t i = 0; i < call->n_out && !host.Status(); i++) {
    ge::DataType type;
    memcpy(&type, types.Output(i).data.inplace, sizeof type);
    const gert::StorageFormat format(ge::FORMAT_ND, ge::FORMAT_ND, gert::ExpandDimsType());
    gert::StorageShape shape;
    shape.MutableOriginShape() = shapes[i];
    shape.MutableStorageShape() = shapes[i];
    host.MallocOutput(i, shape, format, type);
  }
  return host.Status();
}
inline weft_status LaunchDeclared(const weft_call *call, const Operator *op, KeptNode &node, CallHost &host,
                                  void *stream) {
  Row &row = node.CallRow();
  WEFT_TRY(InferredOutputs(call, op, node, host));
  for (uint32_t i = 0; i < call->n_out; i++)
    row.Output(i).data.pointer = host.Output(i);
  ErrorLog log(call->host, call->d);
  const UINT32 status = op->custom.annotates->DeclareLaunchArgs(*row.As<gert::AnnotatedArgsContext>());
  for (uint32_t i = 0; i < call->n_out; i++)
    row.Output(i).data.pointer = nullptr;
  WEFT_TRY(log.Status(status, WEFT_E_INVALID, call->desc, "DeclareLaunchArgs"));
  for (auto &one : host.DeclaredLaunches()) {
    const std::string wrong = op->custom.launch(one.first, one.second.Values(), stream);
    if (!wrong.empty())
      return call->host->fail(call->d, WEFT_E_INVALID, "kernel '%s': %s",
                              one.first.kernel_name ? one.first.kernel_name : "", wrong.c_str());
  }
  return WEFT_OK;
}

// ---- Execute ----

// What a kernel did wrong is its stream's error, which an operator need not ask for: asked here, where
// AscendCL is loaded.
inline weft_status StreamFailure(const weft_call *call, void *stream) {
  using Synchronize = int (*)(void *);
  using Text = const char *(*)();
  static const auto synchronize =
      reinterpret_cast<Synchronize>(dlsym(RTLD_DEFAULT, "aclrtSynchronizeStream"));
  static const auto text = reinterpret_cast<Text>(dlsym(RTLD_DEFAULT, "aclGetRecentErrMsg"));
  if (!synchronize || !text || !synchronize(stream))
    return WEFT_OK;
  const char *why = text();
  return call->host->fail(call->d, WEFT_E_INVALID, "a kernel of the operator failed: %s",
                          why ? why : "no reason is given");
}
inline weft_status RunCustom(const weft_call *call, const Operator *op, KeptNode &node, CallHost &host,
                             void *stream) {
  Row &row = node.CallRow();
  if (op->custom.compiles)
    WEFT_TRY(CompileForCall(call, op, row));
  if (!op->custom.executes)
    return LaunchDeclared(call, op, node, host, stream);
  ErrorLog log(call->host, call->d);
  const UINT32 status = op->custom.executes->Execute(row.As<gert::EagerOpExecutionContext>());
  WEFT_TRY(host.Status());
  return log.Status(status, WEFT_E_INVALID, call->desc, "Execute");
}
inline weft_status Execute(const weft_call *call) {
  return Guarded(call->host, call->d, call->desc, "Execute", [call]() -> weft_status {
    NodeUse node(call->desc);
    if (!node.Get())
      return TooOld(call->host, call->d, call->desc);
    for (uint32_t i = 0; i < call->n_in; i++) {
      const weft_tensor *from = call->in[i];
      node->SetInput(i, from->layout.origin, from->layout.storage, *from, from->dtype, from->format);
    }
    CallHost host(call);
    gert::EagerOpExecutionContext::Host *base = &host;
    static char own_stream;
    void *stream = call->stream ? call->stream : &own_stream;
    Row &row = node->CallRow();
    row.Input(call->n_in).data.pointer = base;
    row.Input(call->n_in + 1).data.pointer = stream;
    WEFT_TRY(RunCustom(call, OperatorOf(call->desc), *node.Get(), host, stream));
    WEFT_TRY(StreamFailure(call, stream));
    return host.Finish();
  });
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
