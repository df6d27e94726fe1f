// weft_cann/op_def_table.h - the definitions of a shared object, and what one says of an operator's
// functions.
#pragma once
#include "weft_cann/op_def_class.h"

namespace ops {
namespace detail {
// A class that OP_ADD named, and where.
struct AddedOpDef {
  OpDef (*make)(const char *type) = nullptr;
  const char *file = "";
  int line = 0;
};
using OpDefTable = std::map<std::string, AddedOpDef>;
// The operators that OP_ADD named in this shared object.
WEFT_CANN_OWN inline OpDefTable &OpDefs() {
  static OpDefTable table;
  return table;
}
}  // namespace detail
}  // namespace ops

namespace weft_cann {
// Functions that a definition sets count where IMPL_OP set none.
inline void TakeFunctions(gert::OpImplKernelRegistry::OpImplFunctions &functions, ops::OpDef &def) {
  if (!functions.infer_shape)
    functions.infer_shape = def.GetInferShape();
  if (!functions.infer_shape_range)
    functions.infer_shape_range = def.GetInferShapeRange();
  if (!functions.infer_datatype)
    functions.infer_datatype = def.GetInferDataType();
  if (!functions.tiling)
    functions.tiling = def.AICore().GetTiling();
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
