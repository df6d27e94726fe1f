// tiled_add.cpp - an operator with a tiling function as users of CANN write it: compile info from the
// platform, a record of fields, a key, workspaces.
#include "log/log.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(TiledAddPart)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(TiledAddPartOp, TiledAddPart)
BEGIN_TILING_DATA_DEF(TiledAddRecord)
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF_STRUCT(TiledAddPart, part);
TILING_DATA_FIELD_DEF_ARR(int64_t, 2, dims);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(TiledAdd, TiledAddRecord)

struct TiledAddInfo {
  uint32_t cores = 0;
  uint64_t ub = 0;
  int parsed = 0;
};

static ge::graphStatus TilingTiledAdd(gert::TilingContext *context) {
  const auto *info = context->GetCompileInfo<TiledAddInfo>();
  OP_CHECK_NULL_WITH_CONTEXT(context, info);
  const gert::Shape &x = context->GetInputShape(0)->GetStorageShape();
  OP_CHECK_IF(x.GetDimNum() != 2, OP_LOGE(context, "rank %zu is not 2", x.GetDimNum()),
              return ge::GRAPH_FAILED);
  TiledAddRecord record;
  record.set_flag(static_cast<uint8_t>(info->parsed));
  record.part.set_rows(static_cast<uint32_t>(x.GetDim(0)));
  record.part.set_scale(0.5f);
  const int64_t dims[2] = {x.GetDim(0), x.GetDim(1)};
  record.set_dims(dims);
  gert::TilingData *raw = context->GetRawTilingData();
  record.SaveToBuffer(raw->GetData(), raw->GetCapacity());
  raw->SetDataSize(record.GetDataSize());
  size_t *workspaces = context->GetWorkspaceSizes(2);
  workspaces[0] = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetLibApiWorkSpaceSize();
  workspaces[1] = info->ub;
  context->SetScheduleMode(1);
  context->SetBlockDim(info->cores);
  return context->SetTilingKey(7);
}
static ge::graphStatus ParseTiledAdd(gert::TilingParseContext *context) {
  auto *info = context->GetCompiledInfo<TiledAddInfo>();
  OP_CHECK_NULL_WITH_CONTEXT(context, info);
  const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  info->cores = platform.GetCoreNumAiv();
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, info->ub);
  info->parsed++;
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(TiledAdd).Tiling(TilingTiledAdd).TilingParse<TiledAddInfo>(ParseTiledAdd);
}  // namespace optiling

namespace ops {
static ge::graphStatus InferShapeTiledAdd(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(TiledAdd).InferShape(InferShapeTiledAdd).InferOutDataTypeSameWithFirstInput();
class TiledAdd : public OpDef {
 public:
  explicit TiledAdd(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(TiledAdd);
}  // namespace ops
// SPDX-License-Identifier: Apache-2.0
