// tiled_add.cpp - an operator with a tiling function as users of CANN write it: compile info from the
// platform, a record of fields, a key, workspaces; and a kernel that reads what the function chose.
#include "log/log.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#include "weft_cann/kernel_table.h"

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

// y = x * the record's scale + the number of blocks.
static weft_status RunTiledAdd(const weft_cann::KernelCall &k) {
  struct Record {
    uint8_t flag;
    alignas(8) uint32_t rows;
    float scale;
    int64_t dims[2];
  };
  const auto *record = static_cast<const Record *>(k.tiled->data);
  const bool complete =
      k.tiled->key == 7 && k.tiled->data_bytes == sizeof(Record) && k.tiled->n_workspaces == 2;
  if (!complete || record->rows != record->dims[0]) {
    OP_LOGE("TiledAdd", "key %lu, %zu bytes of data", static_cast<unsigned long>(k.tiled->key),
            k.tiled->data_bytes);
    return WEFT_E_INVALID;
  }
  memset(k.workspace, 1, k.tiled->workspace_bytes[0] + k.tiled->workspace_bytes[1]);
  const auto *x = static_cast<const float *>(k.args[0]);
  auto *y = static_cast<float *>(k.args[1]);
  for (int64_t i = 0; i < record->dims[0] * record->dims[1]; i++)
    y[i] = x[i] * record->scale + static_cast<float>(k.tiled->blocks);
  return WEFT_OK;
}
WEFT_CANN_KERNEL(TiledAdd, RunTiledAdd, "ascend910b");
// SPDX-License-Identifier: Apache-2.0
