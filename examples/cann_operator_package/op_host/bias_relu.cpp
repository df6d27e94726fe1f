// bias_relu.cpp - y = max(x + bias, 0): definition, inference of the shape, and tiling. Blocks have a
// multiple of 256 elements, so that each begins at a border of 32 bytes in any type.
#include "bias_relu_tiling.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "weft_cann/examples.h"

namespace optiling {
static constexpr uint32_t kMostBlocks = 8;
static constexpr uint32_t kStep = 256;
static constexpr uint32_t kTile = 4096;

static ge::graphStatus Tiling(gert::TilingContext *context) {
  const int64_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
  if (total < 0 || total > 1LL << 31)
    return ge::GRAPH_FAILED;
  const auto n = static_cast<uint32_t>(total);
  const uint32_t each = ((n + kMostBlocks - 1) / kMostBlocks + kStep - 1) / kStep * kStep;
  BiasReluTilingData data;
  data.set_total(n);
  data.set_block_length(each ? each : kStep);
  data.set_tile_length(kTile);
  data.set_bias(*context->GetAttrs()->GetFloat(0));
  auto *raw = context->GetRawTilingData();
  data.SaveToBuffer(raw->GetData(), raw->GetCapacity());
  raw->SetDataSize(data.GetDataSize());
  context->SetBlockDim(n ? (n + each - 1) / each : 1);
  context->SetTilingKey(0);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(BiasRelu).Tiling(Tiling);
}  // namespace optiling

namespace ops {
static ge::graphStatus InferShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(BiasRelu).InferShape(InferShape).InferOutDataTypeSameWithFirstInput();

class BiasRelu : public OpDef {
 public:
  explicit BiasRelu(const char *name) : OpDef(name) {
    Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    Attr("bias").AttrType(OPTIONAL).Float(0.0f);
    AICore().AddConfig("ascend910b");
  }
};
OP_ADD(BiasRelu);
WEFT_CANN_EXAMPLES(BiasRelu, "f32[5]{-3,-1,0,1,2} bias=0.5 -> f32[5]{0,0,0.5,1.5,2.5}",
                   "f16[2,2]{-3,-1,0,1} bias=-0.5 -> f16[2,2]{0,0,0,0.5}", "f32[0]{} -> f32[0]{}");
}  // namespace ops
// SPDX-License-Identifier: Apache-2.0
