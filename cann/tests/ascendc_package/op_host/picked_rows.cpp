// picked_rows.cpp - an operator whose kernel is a template, with the tiling key for its arguments.
#include "../op_kernel/picked_rows_key.h"
#include "picked_rows_tiling.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"

namespace optiling {
static ge::graphStatus TilingPickedRows(gert::TilingContext *context) {
  PickedRowsTilingData data;
  data.set_total(static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize()));
  data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(data.GetDataSize());
  context->SetBlockDim(1);
  const auto type = static_cast<uint32_t>(context->GetInputDesc(0)->GetDataType());
  ASCENDC_TPL_SEL_PARAM(context, type, type, *context->GetAttrs()->GetBool(0));
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(PickedRows).Tiling(TilingPickedRows);
}  // namespace optiling

namespace ops {
static ge::graphStatus InferShapePickedRows(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(PickedRows).InferShape(InferShapePickedRows).InferOutDataTypeSameWithFirstInput();

class PickedRows : public OpDef {
 public:
  explicit PickedRows(const char *name) : OpDef(name) {
    const std::vector<ge::DataType> types = {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32};
    const std::vector<ge::Format> formats = {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND};
    this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Output("y").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Attr("pairs").AttrType(OPTIONAL).Bool(false);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(PickedRows);
}  // namespace ops
// SPDX-License-Identifier: Apache-2.0
