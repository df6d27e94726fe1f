// sm_lists.cpp - definitions and tiling of operators in users' style with lists of tensors.
#include "sm_tiling.h"

namespace optiling {
// p: outer, the axis that is joined or cut.
static ge::graphStatus SmTilingAlong(gert::TilingContext *context, int64_t axis) {
  const gert::Shape &x = context->GetInputShape(0)->GetStorageShape();
  const int64_t rank = static_cast<int64_t>(x.GetDimNum());
  const auto at = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  SmShapes data;
  int64_t p[8] = {SmProduct(x, 0, at), static_cast<int64_t>(at)};
  data.set_p(p);
  return SmSave(context, data);
}
static ge::graphStatus SmTilingConcat(gert::TilingContext *context) {
  return SmTilingAlong(context, *context->GetAttrs()->GetInt(0));
}
static ge::graphStatus SmTilingSplit(gert::TilingContext *context) {
  return SmTilingAlong(context, *context->GetAttrs()->GetInt(1));
}
// number: alpha.
static ge::graphStatus SmTilingForeach(gert::TilingContext *context) {
  SmShapes data;
  data.set_number(*context->GetAttrs()->GetFloat(0));
  return SmSave(context, data, 1);
}
IMPL_OP_OPTILING(SmConcat).Tiling(SmTilingConcat);
IMPL_OP_OPTILING(SmSplit).Tiling(SmTilingSplit);
IMPL_OP_OPTILING(SmForeachHeavy).Tiling(SmTilingForeach);
}  // namespace optiling

namespace ops {
// y is a list like x; count is as long as there are tensors with elements.
static ge::graphStatus InferForeach(gert::InferShapeContext *context) {
  const size_t n = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
  for (size_t i = 0; i < n; i++)
    *context->GetOutputShape(i) = *context->GetDynamicInputShape(0, i);
  *context->GetOutputShape(n) = {-1};
  return ge::GRAPH_SUCCESS;
}
static ge::graphStatus InferForeachType(gert::InferDataTypeContext *context) {
  const size_t n = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
  for (size_t i = 0; i < n; i++)
    (void)context->SetOutputDataType(i, context->GetDynamicInputDataType(0, i));
  return context->SetOutputDataType(n, ge::DT_INT64);
}
static ge::graphStatus InferForeachRange(gert::InferShapeRangeContext *context) {
  const size_t n = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
  for (size_t i = 0; i < n; i++) {
    *context->GetOutputShapeRange(i)->GetMin() = *context->GetInputShapeRange(i)->GetMin();
    *context->GetOutputShapeRange(i)->GetMax() = *context->GetInputShapeRange(i)->GetMax();
  }
  *context->GetOutputShapeRange(n)->GetMin() = gert::Shape({0});
  *context->GetOutputShapeRange(n)->GetMax() = gert::Shape({static_cast<int64_t>(n)});
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(SmForeachHeavy)
    .InferShape(InferForeach)
    .InferDataType(InferForeachType)
    .InferShapeRange(InferForeachRange);

using ge::DT_FLOAT;
using ge::DT_INT32;
SM_OP(SmConcat,
      SM_LIST(Input, "x", DT_FLOAT, DT_INT32) SM_OUT("y", DT_FLOAT, DT_INT32) this->Attr("concat_dim").Int();
      this->Attr("N").AttrType(OPTIONAL).Int(1);)
SM_OP(SmSplit, SM_IN("x", DT_FLOAT, DT_INT32)
                   SM_LIST(Output, "y", DT_FLOAT, DT_INT32) this->Attr("size_splits")
                       .AttrType(OPTIONAL)
                       .ListInt({});
      this->Attr("split_dim").AttrType(OPTIONAL).Int(0);)
}  // namespace ops
// SPDX-License-Identifier: Apache-2.0
