// weft_cann/found_shapes.h - kernels that write the shapes of their outputs themselves
// (OutputShapeDependOnCompute): outputs are allocated as large as InferShapeRange lets them become, the
// kernel gets one more address behind them, with nine numbers for each output, and what it left there is the
// shape.
#pragma once
#include <memory>
#include <vector>

#include "weft_cann/package_kernel.h"

namespace weft_cann {
// Of an output: its rank, with bit 31 set for dims of 64 bits, then its dims.
enum { kFoundWords = 9 };
constexpr uint64_t kFoundWide = 0x80000000;

// What inference says of a call's outputs, asked while the call runs.
class CallOutputs {
 public:
  explicit CallOutputs(const weft_call *call)
      : call_(call),
        shape_(call->n_out),
        min_(call->n_out),
        max_(call->n_out),
        dtype_(call->n_out),
        format_(call->n_out, WEFT_ND),
        origin_(call->n_out, WEFT_ND) {
    for (uint32_t i = 0; i < call->n_in; i++) {
      in_.push_back(&call->in[i]->layout.origin);
      in_dtype_.push_back(call->in[i]->dtype);
      in_format_.push_back(call->in[i]->format);
    }
    for (uint32_t i = 0; i < call->n_out; i++) {
      shapes_.push_back(&shape_[i]);
      mins_.push_back(&min_[i]);
      maxs_.push_back(&max_[i]);
      dtype_[i] = call->out[i] ? call->out[i]->dtype : weft_dtype{WEFT_UNDEFINED};
    }
  }
  weft_status Infer() {
    const weft_op *op = call_->desc->op;
    weft_infer it = Context();
    WEFT_TRY(op->infer_dtype ? op->infer_dtype(&it) : WEFT_OK);
    WEFT_TRY(op->infer ? op->infer(&it) : WEFT_OK);
    return op->infer_range ? op->infer_range(&it) : WEFT_OK;
  }
  // The shape where it is known, or else its greatest. False: nothing says how large it can become.
  bool Greatest(uint32_t i, weft_layout &layout) const {
    layout = {};
    const bool ranged = max_[i].rank == shape_[i].rank;
    layout.origin.rank = layout.storage.rank = shape_[i].rank;
    for (size_t d = 0; d < shape_[i].rank; d++) {
      const weft_dim known = shape_[i].dim[d];
      const weft_dim dim = known >= 0 ? known : ranged ? max_[i].dim[d] : -1;
      if (dim < 0)
        return false;
      layout.origin.dim[d] = layout.storage.dim[d] = dim;
    }
    return true;
  }
  weft_dtype Dtype(uint32_t i) const { return dtype_[i]; }
  const weft_shape &Shape(uint32_t i) const { return shape_[i]; }

 private:
  weft_infer Context() {
    weft_infer it = {};
    it.size = sizeof it;
    it.n_in = call_->n_in;
    it.n_out = call_->n_out;
    it.stage = WEFT_STAGE_RUN;
    it.desc = call_->desc;
    it.host = call_->host;
    it.d = call_->d;
    it.in = it.in_min = it.in_max = in_.data();
    it.out = shapes_.data();
    it.out_min = mins_.data();
    it.out_max = maxs_.data();
    it.in_dtype = in_dtype_.data();
    it.out_dtype = dtype_.data();
    it.in_format = in_format_.data();
    it.out_format = format_.data();
    it.out_origin_format = origin_.data();
    it.value = call_->in;
    return it;
  }
  const weft_call *call_;
  std::vector<const weft_shape *> in_;
  std::vector<weft_dtype> in_dtype_;
  std::vector<weft_format> in_format_;
  std::vector<weft_shape> shape_, min_, max_;
  std::vector<weft_shape *> shapes_, mins_, maxs_;
  std::vector<weft_dtype> dtype_;
  std::vector<weft_format> format_, origin_;
};

// A call whose outputs have memory, also those that nobody reads.
class FilledCall {
 public:
  explicit FilledCall(const weft_call *call) : outer_(call), call_(*call), spare_(call->n_out) {}
  weft_status Allocate(const CallOutputs &outputs) {
    for (uint32_t i = 0; i < outer_->n_out; i++) {
      weft_layout layout;
      if (!outputs.Greatest(i, layout)) {
        return outer_->host->fail(outer_->d, WEFT_E_UNKNOWN,
                                  "output %u: its kernel finds its shape, and InferShapeRange of %s says no "
                                  "greatest one to allocate",
                                  i, outer_->desc->type);
      }
      WEFT_TRY(Output(i, outputs.Dtype(i), layout));
    }
    call_.out = out_.data();
    return WEFT_OK;
  }
  const weft_call *Get() const { return &call_; }

 private:
  weft_status Output(uint32_t i, weft_dtype dtype, const weft_layout &layout) {
    WEFT_TRY(outer_->host->out_alloc(outer_, i, dtype, &layout, WEFT_ND));
    if (outer_->out[i]) {
      out_.push_back(outer_->out[i]);
      return WEFT_OK;
    }
    weft_tensor &t = spare_[i];
    int64_t bytes = ge::GetSizeInBytes(1, static_cast<ge::DataType>(dtype));
    for (size_t d = 0; d < layout.storage.rank; d++) {
      if (bytes < 0 || __builtin_mul_overflow(bytes, layout.storage.dim[d], &bytes))
        return outer_->host->fail(outer_->d, WEFT_E_LIMIT, "output %u is too large", i);
    }
    t = {};
    t.size = sizeof t;
    t.dtype = dtype;
    t.format = t.origin_format = WEFT_ND;
    t.layout = layout;
    t.bytes = t.capacity = static_cast<size_t>(bytes);
    out_.push_back(&t);
    return outer_->host->workspace(outer_, t.bytes + 1, &t.data);
  }
  const weft_call *outer_;
  weft_call call_;
  std::vector<weft_tensor> spare_;
  std::vector<weft_tensor *> out_;
};

// What the kernel left of output i, checked against what inference knows.
inline weft_status TakeFound(const weft_call *call, const CallOutputs &outputs, uint32_t i,
                             const uint64_t *found) {
  weft_layout most;
  (void)outputs.Greatest(i, most);
  weft_shape shape = outputs.Shape(i);
  const uint64_t rank = found[0] & ~kFoundWide;
  if (rank != shape.rank) {
    return call->host->fail(call->d, WEFT_E_SHAPE,
                            "output %u: the kernel of %s wrote rank %llu to its shapes, inferred is %zu", i,
                            call->desc->type, static_cast<unsigned long long>(rank), shape.rank);
  }
  for (size_t d = 0; d < shape.rank && d + 1 < kFoundWords; d++) {
    const uint64_t dim = found[d + 1];
    const bool known = shape.dim[d] >= 0;
    const auto limit = static_cast<uint64_t>(most.origin.dim[d]);
    if (dim > limit || (known && dim != limit)) {
      return call->host->fail(
          call->d, WEFT_E_SHAPE, "output %u: the kernel of %s wrote %llu for axis %zu, %s %llu", i,
          call->desc->type, static_cast<unsigned long long>(dim), d,
          known ? "inferred is" : "and at most allowed is", static_cast<unsigned long long>(limit));
    }
    shape.dim[d] = static_cast<weft_dim>(dim);
  }
  return call->host->out_set_shape(call, i, &shape);
}
// weft_op.execute of such an operator.
inline weft_status ExecuteKernel(const weft_call *call) {
  return Guarded(call->host, call->d, call->desc, "the kernel", [call]() -> weft_status {
    CallOutputs outputs(call);
    FilledCall filled(call);
    std::vector<uint64_t> found(size_t{call->n_out} * kFoundWords);
    WEFT_TRY(outputs.Infer());
    WEFT_TRY(filled.Allocate(outputs));
    WEFT_TRY(RunTiledKernel(filled.Get(), found.data()));
    for (uint32_t i = 0; i < call->n_out; i++) {
      const uint64_t *words = &found[size_t{i} * kFoundWords];
      if (words[0])
        WEFT_TRY(TakeFound(call, outputs, i, words));
    }
    return WEFT_OK;
  });
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
