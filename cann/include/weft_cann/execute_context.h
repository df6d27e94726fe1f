// weft_cann/execute_context.h - what the functions of OpExecuteFunc and Op2StageExecuteFuncs see: tensors of
// inputs, then of outputs. weft calls none of them (an operator without kernel for the machine runs on the
// CPU): these sources compile, and a program that makes such a context serves it through its Host.
#pragma once
#include <vector>

#include "weft_cann/context.h"

namespace gert {
using rtStream = void *;
using OpApiParamsDeleter = void (*)(void *);

// The calls that need somebody: behind the tensors lies a pointer to one.
class OpExecuteHost {
 public:
  virtual void *MallocWorkspace(size_t bytes) = 0;
  virtual void FreeWorkspace() = 0;
  virtual ge::graphStatus SetParams(void *params, OpApiParamsDeleter deleter) = 0;
  virtual ge::graphStatus SetWorkspaceSizes(const std::vector<uint64_t> &bytes) = 0;
  virtual void *Params() = 0;
  virtual const TypedContinuousVector<size_t> *WorkspaceSizes() = 0;
  virtual const TypedContinuousVector<TensorData *> *WorkspaceAddrs() = 0;
  virtual rtStream Stream() = 0;
  virtual bool Deterministic() = 0;
  virtual const char *AllowHf32() = 0;
  virtual int32_t PrecisionMode() = 0;

 protected:
  ~OpExecuteHost() = default;
};

namespace weft_execute {
// What the three contexts share. Without a host their calls answer nullptr, false, 0 or GRAPH_FAILED.
class TensorsContext : public ExtendedKernelContext {
 public:
  const Tensor *GetInputTensor(const size_t index) const {
    return index < GetComputeNodeInputNum() ? GetInputPointer<Tensor>(index) : nullptr;
  }
  const Tensor *GetRequiredInputTensor(const size_t ir_index) const {
    return GetDynamicInputTensor(ir_index, 0);
  }
  const Tensor *GetOptionalInputTensor(const size_t ir_index) const {
    return GetDynamicInputTensor(ir_index, 0);
  }
  const Tensor *GetDynamicInputTensor(const size_t ir_index, const size_t relative_index) const {
    return GetDynamicInputPointer<Tensor>(ir_index, relative_index);
  }
  const Tensor *GetOutputTensor(const size_t index) const {
    return index < GetComputeNodeOutputNum() ? GetInputPointer<Tensor>(GetComputeNodeInputNum() + index)
                                             : nullptr;
  }
  const Tensor *GetRequiredOutputTensor(const size_t ir_index) const {
    return GetDynamicOutputTensor(ir_index, 0);
  }
  const Tensor *GetDynamicOutputTensor(const size_t ir_index, const size_t relative_index) const {
    const AnchorInstanceInfo *port = GetIrOutputInstanceInfo(ir_index);
    if (!port || relative_index >= port->GetInstanceNum())
      return nullptr;
    return GetOutputTensor(port->GetInstanceStart() + relative_index);
  }

 protected:
  OpExecuteHost *Host() const {
    return GetInputValue<OpExecuteHost *>(GetComputeNodeInputNum() + GetComputeNodeOutputNum());
  }
};
}  // namespace weft_execute

class OpExecuteContext : public weft_execute::TensorsContext {
 public:
  rtStream GetStream() const { return Host() ? Host()->Stream() : nullptr; }
  void *GetOpExecuteFunc() const { return nullptr; }
  // Until FreeWorkspace.
  void *MallocWorkspace(const size_t size) { return Host() ? Host()->MallocWorkspace(size) : nullptr; }
  void FreeWorkspace() {
    if (Host())
      Host()->FreeWorkspace();
  }
  bool GetDeterministic() const { return Host() && Host()->Deterministic(); }
  const char *GetAllowHf32() const { return Host() ? Host()->AllowHf32() : nullptr; }
  int32_t GetPrecisionMode() const { return Host() ? Host()->PrecisionMode() : 0; }
};

// The first of two stages: it says how much memory the second needs, and leaves it what it found out.
class OpExecutePrepareContext : public weft_execute::TensorsContext {
 public:
  bool GetDeterministic() const { return Host() && Host()->Deterministic(); }
  const char *GetAllowHf32() const { return Host() ? Host()->AllowHf32() : nullptr; }
  int32_t GetPrecisionMode() const { return Host() ? Host()->PrecisionMode() : 0; }
  template <typename T>
  ge::graphStatus SetOpApiParamsWithDefaultDeleter(T *const params) {
    return SetOpApiParams(params, [](void *made) { delete static_cast<T *>(made); });
  }
  ge::graphStatus SetOpApiParams(void *const params, const OpApiParamsDeleter deleter) {
    return Host() ? Host()->SetParams(params, deleter) : ge::GRAPH_FAILED;
  }
  ge::graphStatus SetWorkspaceSizes(const std::vector<uint64_t> &ws_sizes) {
    return Host() ? Host()->SetWorkspaceSizes(ws_sizes) : ge::GRAPH_FAILED;
  }
};

class OpExecuteLaunchContext : public weft_execute::TensorsContext {
 public:
  void *GetOpApiParams() const { return Host() ? Host()->Params() : nullptr; }
  const TypedContinuousVector<size_t> *GetWorkspaceSizes() const {
    return Host() ? Host()->WorkspaceSizes() : nullptr;
  }
  const TypedContinuousVector<TensorData *> *GetWorkspaceAddrs() const {
    return Host() ? Host()->WorkspaceAddrs() : nullptr;
  }
  rtStream GetStream() const { return Host() ? Host()->Stream() : nullptr; }
};
static_assert(sizeof(OpExecuteContext) == 48 && sizeof(OpExecutePrepareContext) == 48 &&
                  sizeof(OpExecuteLaunchContext) == 48,
              "layouts");
}  // namespace gert
// SPDX-License-Identifier: Apache-2.0
