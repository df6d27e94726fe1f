// weft_cann/op_def.h - OP_ADD: enters a class derived from ops::OpDef into a table of the shared object, and
// makes that a package of weft's.
#pragma once
#include "weft_cann/op_def_table.h"

// The entry of the package takes longer to compile than a definition does: CMake compiles it once
// (entry.cpp).
#ifndef WEFT_CANN_ENTRY_APART
#include "weft_cann/package_op_def.h"
#include "weft_cann/package_tiling.h"
#endif

namespace ops {
namespace detail {
template <typename T>
bool AddOpDef(const char *type, const char *file = "", int line = 0) {
  OpDefs()[type] = {[](const char *name) -> OpDef { return T(name); }, file, line};
  return true;
}
}  // namespace detail
}  // namespace ops

#define OP_ADD(op_type, ...)                          \
  static const bool VAR_UNUSED op_type##AddedToWeft = \
      ::ops::detail::AddOpDef<op_type>(#op_type, __FILE__, __LINE__)
// SPDX-License-Identifier: Apache-2.0
