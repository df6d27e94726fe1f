// weft_cann/eager_context.h - what a custom operator runs with: it allocates its outputs while it runs, so
// that their shapes may depend on data.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "weft_cann/context.h"
#include "weft_cann/custom_op_table.h"

namespace gert {
using rtStream = void *;

// Behind inputs: the allocator and the stream; behind outputs: workspaces and arguments.
class EagerOpExecutionContext : public ExtendedKernelContext {
 public:
  enum class AdditionalInputIndex : uint32_t { kDeviceAllocator, kStream, kNum };
  enum class AdditionalOutputIndex : uint32_t { kWorkSpace, kArgsHandler, kNum };

  // Who serves the calls below: what runs the operator puts one where the allocator is.
  class Host {
   public:
    virtual Tensor *MallocOutput(size_t i, const StorageShape &shape, const StorageFormat &format,
                                 ge::DataType type) = 0;
    virtual void *MallocWorkSpace(size_t bytes) = 0;
    virtual Tensor *OutputIsInput(size_t output, size_t input) = 0;

   protected:
    ~Host() = default;
  };

  // Not nullptr; on the CPU everything is in order by itself.
  rtStream GetStream() const {
    return GetInputValue<rtStream>(GetComputeNodeInputNum() +
                                   static_cast<size_t>(AdditionalInputIndex::kStream));
  }
  const Tensor *GetInputTensor(size_t i) const { return IsInput(i) ? GetInputPointer<Tensor>(i) : nullptr; }
  const Tensor *GetRequiredInputTensor(size_t ir) const { return GetDynamicInputTensor(ir, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir) const { return GetDynamicInputTensor(ir, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir, size_t k) const {
    return GetDynamicInputPointer<Tensor>(ir, k);
  }
  // An output with room for `shape`; its real shape may be written into the tensor afterwards, smaller than
  // that. nullptr: there is no such output, or no memory.
  Tensor *MallocOutputTensor(size_t i, const StorageShape &shape, const StorageFormat &format,
                             ge::DataType type) {
    Host *host = GetHost();
    return host ? host->MallocOutput(i, shape, format, type) : nullptr;
  }
  // The output is the input: same memory, same shape.
  Tensor *MakeOutputRefInput(size_t output, size_t input) const {
    Host *host = GetHost();
    return host ? host->OutputIsInput(output, input) : nullptr;
  }
  // Released when the run is over.
  void *MallocWorkSpace(size_t bytes) {
    Host *host = GetHost();
    return host ? host->MallocWorkSpace(bytes) : nullptr;
  }
  const Tensor *GetOutputTensor(size_t i) const { return GetOutputPointer<Tensor>(i); }

 private:
  Host *GetHost() const { return GetInputValue<Host *>(GetComputeNodeInputNum()); }
};

class OpCompileContext : public ExtendedKernelContext {
 public:
  const Tensor *GetInputTensor(size_t i) const { return IsInput(i) ? GetInputPointer<Tensor>(i) : nullptr; }
  const Tensor *GetRequiredInputTensor(size_t ir) const { return GetDynamicInputPointer<Tensor>(ir, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir) const { return GetDynamicInputPointer<Tensor>(ir, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir, size_t k) const {
    return GetDynamicInputPointer<Tensor>(ir, k);
  }
  const Tensor *GetOutputTensor(size_t i) const { return GetOutputPointer<Tensor>(i); }
  const Tensor *GetRequiredOutputTensor(size_t ir) const { return GetDynamicOutputPointer<Tensor>(ir, 0); }
  const Tensor *GetDynamicOutputTensor(size_t ir, size_t k) const {
    return GetDynamicOutputPointer<Tensor>(ir, k);
  }
};
}  // namespace gert
// SPDX-License-Identifier: Apache-2.0
