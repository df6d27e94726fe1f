// weft_cann/execute.h - EagerExecuteOp's Execute as weft_op.execute: the context's calls for memory go to the
// weft that runs the operator.
#pragma once
#include <deque>

#include "weft_cann/adaptor.h"
#include "weft_cann/eager_context.h"

namespace weft_cann {
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
    Fail(call_->host->out_alloc(call_, static_cast<uint32_t>(i), DtypeOf(type), &layout,
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
    const gert::StorageFormat format(static_cast<ge::Format>(from->origin_format),
                                     static_cast<ge::Format>(from->format), gert::ExpandDimsType());
    gert::Tensor *to = MallocOutput(output, shape, format, static_cast<ge::DataType>(from->dtype));
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
    Row &row = node->CallRow();
    row.Input(call->n_in).data.pointer = base;
    row.Input(call->n_in + 1).data.pointer = call->stream ? call->stream : &own_stream;
    ErrorLog log(call->host, call->d);
    auto *context = row.As<gert::EagerOpExecutionContext>();
    const UINT32 status = OperatorOf(call->desc)->custom.executes->Execute(context);
    if (host.Status())
      return host.Status();
    WEFT_TRY(log.Status(status, WEFT_E_INVALID, call->desc, "Execute"));
    return host.Finish();
  });
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
