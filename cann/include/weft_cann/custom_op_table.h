// weft_cann/custom_op_table.h - what a custom operator implements, and the classes that REG_AUTO_MAPPING_OP
// named (custom_op.h).
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "weft/op.h"
#include "weft_cann/context.h"

namespace gert {
class EagerOpExecutionContext;
class OpCompileContext;
class UpdateArgsContext;
class AnnotatedArgsContext;
struct AnnotatedKernelLaunchInfo;
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

namespace weft_own {
// The shapes and types of inputs that a class has compiled its kernels for; all of them where its kernels
// came from a program's file.
struct CompiledFor {
  std::mutex lock;
  std::set<std::string> inputs;
  bool loaded = false;
};
// An object of a class, and what it is.
struct CustomOp {
  std::unique_ptr<BaseCustomOp> object;
  ShapeInferOp *infers = nullptr;
  EagerExecuteOp *executes = nullptr;
  CompilableOp *compiles = nullptr;
  AnnotatedArgsOp *annotates = nullptr;
  PortableOp *carries = nullptr;
  // "" or what went wrong with a launch that it declared.
  std::string (*launch)(const gert::AnnotatedKernelLaunchInfo &info, std::vector<uint64_t> &args,
                        void *stream) = nullptr;
  std::shared_ptr<CompiledFor> compiled;
  weft_call_fn execute = nullptr;
  weft_status (*save)(const weft_saving *saving) = nullptr;
  weft_status (*load)(const weft_carried *carried) = nullptr;
};
using CustomOpTable = std::map<std::string, CustomOp (*)()>;
// The classes that REG_AUTO_MAPPING_OP named in this shared object.
WEFT_CANN_OWN inline CustomOpTable &CustomOps() {
  static CustomOpTable table;
  return table;
}
}  // namespace weft_own
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
