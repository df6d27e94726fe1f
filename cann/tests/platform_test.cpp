// platform_test.cpp - processors by name, platforms that a test fills, and the class of tiling steps.
#include "check.h"
#include "op_host/tiling_base_class.h"
#include "op_host/util/platform_util.h"
#include "op_tiling_context_builder.h"
#include "platform/platform_info.h"
#include "tiling/platform/platform_ascendc.h"

using platform_ascendc::CoreMemType;
using platform_ascendc::PlatformAscendC;
using platform_ascendc::SocVersion;

static uint64_t PlatformBytes(const PlatformAscendC &platform, CoreMemType memory) {
  uint64_t bytes = 1;
  platform.GetCoreMemSize(memory, bytes);
  return bytes;
}

TEST(platform_by_name) {
  fe::PlatFormInfos infos;
  fe::OptionalInfos optional;
  auto &manager = fe::PlatformInfoManager::Instance();
  CHECK_EQ(manager.GetPlatformInfos("Ascend910B3", infos, optional), 0u);
  PlatformAscendC platform(&infos);
  CHECK(platform.GetSocVersion() == SocVersion::ASCEND910B);
  CHECK(platform.GetCurNpuArch() == NpuArch::DAV_2201);
  CHECK_EQ(platform.GetCoreNumAic() * 2, platform.GetCoreNumAiv());
  CHECK_EQ(PlatformBytes(platform, CoreMemType::UB), 196352u);
  platform.ReserveLocalMemory(platform_ascendc::ReservedSize::RESERVED_SIZE_16K);
  CHECK_EQ(PlatformBytes(platform, CoreMemType::UB), 196352u - 16384u);
  CHECK_EQ(PlatformBytes(platform, CoreMemType::L1), 524288u);
  CHECK_EQ(PlatformBytes(platform, CoreMemType::RESERVED), 0u);
  CHECK_EQ(platform.GetLibApiWorkSpaceSize(), 16777216u);
  CHECK_EQ(optional.GetAICoreNum(), platform.GetCoreNumAic());
  CHECK(manager.GetPlatformInfos("Ascend910_9392", infos, optional) == 0);
  CHECK(PlatformAscendC(&infos).GetSocVersion() == SocVersion::ASCEND910_93);
  CHECK(manager.GetPlatformInfos("Ascend910_9589", infos, optional) == 0);
  CHECK(PlatformAscendC(&infos).GetSocVersion() == SocVersion::ASCEND950);
  CHECK(manager.GetPlatformInfos("npusim", infos, optional) == 0);
  CHECK(PlatformAscendC(&infos).GetSocVersion() == SocVersion::RESERVED_VERSION);
  CHECK_EQ(infos.GetCoreNum(), 8u);
  CHECK(manager.GetPlatformInfos("Ascend1", infos, optional) != 0);
  fe::PlatformInfo info;
  fe::OptionalInfo option;
  CHECK_EQ(manager.GetPlatformInfo("ascend310p", info, option), 0u);
  CHECK_EQ(info.ai_core_spec.ub_size, 262144u);
  CHECK_EQ(info.str_info.short_soc_version, "Ascend310P");
}

TEST(platform_of_a_test) {
  fe::PlatFormInfos infos;
  CHECK(infos.Init());
  std::map<std::string, std::string> chip = {{"ai_core_cnt", "20"}, {"vector_core_cnt", "40"}};
  std::map<std::string, std::string> core = {{"ub_size", "1000"}, {"l1_size", "many"}};
  infos.SetPlatformRes("SoCInfo", chip);
  infos.SetPlatformRes("AICoreSpec", core);
  infos.SetCoreNumByCoreType("VectorCore");
  const PlatformAscendC platform(&infos);
  CHECK_EQ(platform.GetCoreNum(), 40u);
  CHECK_EQ(platform.GetCoreNumAiv(), 40u);
  CHECK_EQ(platform.GetCoreNumAic(), 20u);
  CHECK_EQ(PlatformBytes(platform, CoreMemType::UB), 1000u);
  CHECK_EQ(PlatformBytes(platform, CoreMemType::L1), 0u);
  CHECK_EQ(platform.CalcTschBlockDim(41, 20, 40), 21u);
  CHECK_EQ(platform.CalcTschBlockDim(41, 0, 40), 41u);
  CHECK_EQ(platform.CalcTschBlockDim(0xFFFFFFFF, 20, 40), 0x80000000u);
  std::string text = "before";
  CHECK(!infos.GetPlatformRes("SoCInfo", "no_such_key", text));
  CHECK_EQ(text, "before");
  fe::PlatFormInfos copy;
  const std::string saved = infos.SaveToBuffer();
  CHECK(copy.LoadFromBuffer(saved.data(), saved.size()));
  CHECK(copy.GetPlatformRes("AICoreSpec", "ub_size", text) && text == "1000");
  CHECK(!copy.LoadFromBuffer(saved.data(), saved.size() - 2));
  CHECK(!copy.LoadFromBuffer(nullptr, 5));
  CHECK_EQ(PlatformAscendC(nullptr).GetCoreNum(), 0u);
}

class PlatformSteps : public Ops::Base::TilingBaseClass {
 public:
  using TilingBaseClass::TilingBaseClass;
  bool capable = true;

 protected:
  bool IsCapable() override { return capable; }
  ge::graphStatus GetPlatformInfo() override {
    aicoreParams_.ubSize = Ops::Base::GetUbSize(context_);
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus GetShapeAttrsInfo() override { return ge::GRAPH_SUCCESS; }
  ge::graphStatus DoOpTiling() override { return context_->SetBlockDim(3); }
  ge::graphStatus DoLibApiTiling() override { return ge::GRAPH_SUCCESS; }
  uint64_t GetTilingKey() const override { return aicoreParams_.ubSize; }
  ge::graphStatus GetWorkspaceSize() override { return ge::GRAPH_SUCCESS; }
  ge::graphStatus PostTiling() override { return ge::GRAPH_SUCCESS; }
};

TEST(platform_tiling_steps) {
  gert::Tensor x({{3, 5}, {3, 5}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnHost, ge::DT_FLOAT, nullptr);
  static int info;
  fe::PlatFormInfos infos = weft_cann::PlatformOf(*weft_cann::FindSoc("ascend910b"));
  gert::OpTilingContextBuilder builder;
  builder.OpType("A").OpName("n").IONum(1, 1).InputTensors({&x}).OutputTensors({&x}).TilingDataSize(64);
  auto holder = builder.CompileInfo(&info).PlatformInfo(&infos).Build();
  PlatformSteps steps(holder.GetContext());
  CHECK_EQ(steps.DoTiling(), ge::GRAPH_SUCCESS);
  CHECK_EQ(holder.GetContext()->GetTilingKey(), 196352u);
  CHECK_EQ(holder.GetContext()->GetBlockDim(), 3u);
  steps.capable = false;
  CHECK_EQ(steps.DoTiling(), ge::GRAPH_PARAM_INVALID);
  CHECK(!Ops::Base::IsRegbaseSocVersion(holder.GetContext()));
  CHECK_EQ(Ops::Base::EnsureNotScalar(gert::Shape()).GetDimNum(), 1u);
}
// A test that only names the processor gets what the processor has.
TEST(platform_workspace_goes_by_the_name) {
  fe::PlatFormInfos infos;
  std::map<std::string, std::string> version = {{"Short_SoC_version", "Ascend910B"}};
  infos.SetPlatformRes("version", version);
  CHECK_EQ(platform_ascendc::PlatformAscendC(&infos).GetLibApiWorkSpaceSize(), 16777216u);
  version = {{"Short_SoC_version", "Ascend310P"}};
  infos.SetPlatformRes("version", version);
  CHECK_EQ(platform_ascendc::PlatformAscendC(&infos).GetLibApiWorkSpaceSize(), 2097152u);
}
// SPDX-License-Identifier: Apache-2.0
