// weft_cann/custom_op.h - operators that run as C++: they allocate their outputs while they run, so that
// shapes may depend on data (EagerExecuteOp), and may infer shapes by virtual functions (ShapeInferOp).
// REG_AUTO_MAPPING_OP binds a class to the operator type of its name.
#pragma once
#include "weft_cann/eager_context.h"
#include "weft_cann/execute.h"
#include "weft_cann/launch_binary.h"
#include "weft_cann/portable.h"

// Everything that says REG_AUTO_MAPPING_OP is a package of weft's.
#ifndef WEFT_CANN_ENTRY_APART
#include "weft_cann/package_entry.h"
#endif

namespace ge {
namespace weft_own {
// What a class implements is known here and nowhere else: no type information is needed at run time.
template <typename Interface, typename T>
Interface *As(T *object) {
  if constexpr (std::is_convertible<T *, Interface *>::value)
    return object;
  else
    return nullptr;
}
template <typename T>
bool AddCustomOp(const char *type) {
  CustomOps()[type] = []() -> CustomOp {
    auto made = std::make_unique<T>();
    CustomOp op;
    op.infers = As<ShapeInferOp>(made.get());
    op.executes = As<EagerExecuteOp>(made.get());
    op.compiles = As<CompilableOp>(made.get());
    op.annotates = As<AnnotatedArgsOp>(made.get());
    op.carries = As<PortableOp>(made.get());
    if (op.carries) {
      op.save = ::weft_cann::SavePortable;
      op.load = ::weft_cann::LoadPortable;
    }
    if constexpr (std::is_convertible<T *, AnnotatedArgsOp *>::value)
      op.launch = ::weft_cann::LaunchBinary;
    op.compiled = std::make_shared<CompiledFor>();
    op.execute = ::weft_cann::Execute;
    op.object = std::move(made);
    return op;
  };
  return true;
}
}  // namespace weft_own
}  // namespace ge

#define REG_AUTO_MAPPING_OP(custom_op_class)                   \
  static const bool VAR_UNUSED custom_op_class##MappedToWeft = \
      ::ge::weft_own::AddCustomOp<custom_op_class>(#custom_op_class)
// SPDX-License-Identifier: Apache-2.0
