// tiling_test.cpp - tiling contexts, the records of BEGIN_TILING_DATA_DEF, and keys made of template
// arguments.
#include "ascendc/host_api/tiling/template_argument.h"
#include "check.h"
#include "op_tiling_context_builder.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CheckInner)
TILING_DATA_FIELD_DEF(int32_t, m);
TILING_DATA_FIELD_DEF(int32_t, n);
TILING_DATA_FIELD_DEF(int32_t, k);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(CheckInnerOp, CheckInner)
BEGIN_TILING_DATA_DEF(CheckRecord)
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF(uint16_t, half);
TILING_DATA_FIELD_DEF_ARR(int64_t, 3, dims);
TILING_DATA_FIELD_DEF_STRUCT(CheckInner, inner);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(CheckOp, CheckRecord)
}  // namespace optiling

TEST(tiling_record_layout) {
  optiling::CheckRecord record;
  CHECK_EQ(record.GetDataSize(), 56u);  // 0, 2, 8, 32 (16 bytes), 48
  record.set_flag(9);
  record.set_half(0x1234);
  const int64_t dims[3] = {1, 2, -3};
  record.set_dims(dims);
  record.inner.set_k(77);
  record.set_scale(0.5f);
  uint8_t bytes[56] = {};
  record.SaveToBuffer(bytes, sizeof bytes);
  CHECK_EQ(static_cast<int>(bytes[0]), 9);
  CHECK_EQ(static_cast<int>(bytes[3]), 0x12);
  CHECK_EQ(static_cast<int>(bytes[40]), 77);
  CHECK_EQ(record.get_dims()[2], -3);
  record.SaveToBuffer(bytes, 55);  // does not fit: nothing happens
}

TEST(tiling_record_copies_are_their_own) {
  optiling::CheckRecord record;
  record.inner.set_m(1);
  optiling::CheckRecord copy = record;
  copy.inner.set_m(2);
  CHECK_EQ(record.inner.get_m(), 1);
  CHECK_EQ(copy.inner.get_m(), 2);
  copy = record;
  CHECK_EQ(copy.inner.get_m(), 1);
  optiling::CheckInner alone;
  alone.set_m(5);
  record.inner = alone;
  uint8_t bytes[56];
  record.SaveToBuffer(bytes, sizeof bytes);
  CHECK_EQ(static_cast<int>(bytes[32]), 5);
}

// An operator that tiles by another one's function hands its nested record over by value.
TEST(tiling_window_that_is_assigned_stays_one) {
  optiling::CheckRecord record;
  optiling::CheckRecord other;
  record.inner.set_m(3);
  other.inner = record.inner;
  CHECK_EQ(other.inner.get_m(), 3);
  other.inner.set_m(4);
  CHECK_EQ(record.inner.get_m(), 4);
}

TEST(tiling_fields_have_places) {
  const std::vector<optiling::FieldPlace> places = optiling::CheckRecord().Places();
  CHECK_EQ(places.size(), 7u);
  CHECK_EQ(places[2].name, "dims");
  CHECK_EQ(places[2].elements, 3u);
  CHECK_EQ(places[4].name, "inner.n");
  CHECK_EQ(places[4].at, 36u);
  CHECK_EQ(places[6].kind, 'f');
}

TEST(tiling_records_are_found_by_name) {
  auto made = optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance("CheckOp");
  CHECK(made && made->GetDataSize() == 56);
  CHECK_EQ(made->GetFieldInfo().size(), 5u);
  CHECK(optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance("NoSuchOp") == nullptr);
}

TEST(tiling_context) {
  gert::Tensor x({{3, 5}, {1, 16, 16}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnHost, ge::DT_FLOAT,
                 nullptr);
  static int info[8];
  auto record = gert::TilingData::CreateCap(24);
  auto sizes = gert::ContinuousVector::Create<size_t>(2);
  gert::OpTilingContextBuilder builder;
  builder.OpType("A").OpName("n").IONum(1, 1).InputTensors({&x}).OutputTensors({&x});
  builder.TilingData(reinterpret_cast<gert::TilingData *>(record.get()));
  builder.Workspace(reinterpret_cast<gert::ContinuousVector *>(sizes.get()));
  CHECK(builder.Build().GetContext() == nullptr);  // neither compile info nor platform
  auto holder = builder.CompileInfo(info).PlatformInfo(info).Build();
  gert::TilingContext *context = holder.GetContext();
  CHECK_EQ(context->GetInputShape(0)->GetStorageShape().GetDimNum(), 3u);
  CHECK(context->GetCompileInfo<int>() == info);
  CHECK_EQ(context->SetTilingKey(77), ge::GRAPH_SUCCESS);
  CHECK_EQ(context->GetTilingKey(), 77u);
  CHECK(context->GetWorkspaceSizes(3) == nullptr);
  context->GetWorkspaceSizes(2)[1] = 9;
  CHECK_EQ(context->GetWorkspaceNum(), 2u);
  gert::TilingData *raw = context->GetRawTilingData();
  CHECK_EQ(raw->Append(int64_t(1)), ge::GRAPH_SUCCESS);
  CHECK_EQ(raw->Append(int32_t(1)), ge::GRAPH_SUCCESS);
  CHECK_EQ(raw->Append(int64_t(2)), ge::GRAPH_SUCCESS);
  CHECK_EQ(raw->Append(int64_t(2)), ge::GRAPH_FAILED);
  CHECK_EQ(raw->GetDataSize(), 20u);
  struct Large {
    char bytes[25];
  };
  CHECK(context->GetTilingData<Large>() == nullptr);
  CHECK(context->GetTilingData<int64_t>() != nullptr);
  CHECK_EQ(raw->GetDataSize(), 8u);
  CHECK(context->GetSimtBlockDim() == nullptr);
}

ASCENDC_TPL_ARGS_DECL(CheckKey, ASCENDC_TPL_DTYPE_DECL(D_T, 0, 1, 27),
                      ASCENDC_TPL_UINT_DECL(TILE, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_MIX, 1, 0, 3, 8,
                                            16)  // no comma
                      ASCENDC_TPL_UINT_DECL(MODE, ASCENDC_TPL_2_BW, ASCENDC_TPL_UI_LIST, 0, 1, 2),
                      ASCENDC_TPL_BOOL_DECL(HAS_BIAS, 0, 1), );
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DTYPE_SEL(D_T, 0)));

TEST(tiling_key_of_template_arguments) {
  CHECK_EQ(GET_TPL_TILING_KEY(0, 8, 1, 0), 66560u);
  CHECK_EQ(GET_TPL_TILING_KEY(27, 16, 2, 1), 394523u);
  CHECK_EQ(GET_TPL_TILING_KEY(0, 9, 1, 0), 0xFFFFFFFFFFFFFFFF);
  CHECK_EQ(g_weft_tiling_key_fields.size(), 4u);
}
// SPDX-License-Identifier: Apache-2.0
