// scaled_sum.cpp - z = x + scale * y, cut into blocks of at most 2048 elements: definition, inference,
// tiling.
#include "scaled_sum_tiling.h"

#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingScaledSum(gert::TilingContext *context) {
  const uint64_t total = static_cast<uint64_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  const float *scale = context->GetAttrs()->GetFloat(0);
  ScaledSumTilingData data;
  const uint64_t blocks = total == 0 ? 1 : (total + 2047) / 2048 < 8 ? (total + 2047) / 2048 : 8;
  data.set_total(total);
  data.set_block_length(static_cast<uint32_t>((total + blocks - 1) / blocks));
  data.set_tile_length(512);
  data.set_scale(*scale);
  data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(data.GetDataSize());
  context->SetBlockDim(static_cast<uint32_t>(blocks));
  context->SetTilingKey(total % 8 ? 2 : 1);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(ScaledSum).Tiling(TilingScaledSum);
}  // namespace optiling

namespace ops {
static ge::graphStatus InferShapeScaledSum(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(ScaledSum).InferShape(InferShapeScaledSum).InferOutDataTypeSameWithFirstInput();

class ScaledSum : public OpDef {
 public:
  explicit ScaledSum(const char *name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Input("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("z")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("scale").AttrType(OPTIONAL).Float(1.0f);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(ScaledSum);
}  // namespace ops
// SPDX-License-Identifier: Apache-2.0
