// weft_cann/custom_op.h - operators that run as C++: they allocate their outputs while they run, so that
// shapes may depend on data (EagerExecuteOp), and may infer shapes by virtual functions (ShapeInferOp).
// REG_AUTO_MAPPING_OP binds a class to the operator type of its name.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weft_cann/context.h"

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
class UpdateArgsContext;
class AnnotatedArgsContext;
}  // namespace gert

namespace ge {
class BaseCustomOp {
 public:
  virtual ~BaseCustomOp() noexcept = default;
};
class EagerExecuteOp : virtual public BaseCustomOp {
 public:
  virtual graphStatus Execute(gert::EagerOpExecutionContext *context) = 0;
};
class ShapeInferOp : virtual public BaseCustomOp {
 public:
  virtual graphStatus InferShape(gert::InferShapeContext *context) = 0;
  virtual graphStatus InferDataType(gert::InferDataTypeContext *context) = 0;
};
class CompilableOp : virtual public BaseCustomOp {
 public:
  virtual graphStatus Compile(gert::OpCompileContext *context) = 0;
};
class PortableOp : virtual public BaseCustomOp {
 public:
  virtual graphStatus Serialize(std::vector<uint8_t> &buffer) = 0;
  virtual graphStatus Deserialize(const std::vector<uint8_t> &buffer) = 0;
};
class ArgsUpdater : virtual public BaseCustomOp {
 public:
  virtual graphStatus UpdateHostArgs(gert::UpdateArgsContext *context) = 0;
};
class AnnotatedArgsOp : virtual public BaseCustomOp {
 public:
  virtual graphStatus DeclareLaunchArgs(gert::AnnotatedArgsContext &context) = 0;
};

namespace weft_cann {
using CustomOpTable = std::map<std::string, std::unique_ptr<BaseCustomOp> (*)()>;
// The classes that REG_AUTO_MAPPING_OP named in this shared object.
WEFT_CANN_OWN inline CustomOpTable &CustomOps() {
  static CustomOpTable table;
  return table;
}
template <typename T>
bool AddCustomOp(const char *type) {
  CustomOps()[type] = []() -> std::unique_ptr<BaseCustomOp> {
    return std::unique_ptr<BaseCustomOp>(new T());
  };
  return true;
}
}  // namespace weft_cann
}  // namespace ge

// Everything that says REG_AUTO_MAPPING_OP is a package of weft's.
#include "weft_cann/package.h"

#define REG_AUTO_MAPPING_OP(custom_op_class)                   \
  static const bool VAR_UNUSED custom_op_class##MappedToWeft = \
      ::ge::weft_cann::AddCustomOp<custom_op_class>(#custom_op_class)
// SPDX-License-Identifier: Apache-2.0
