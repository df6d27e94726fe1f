// weft_cann/platform_ascendc.h - PlatformAscendC: cores, memories and generation of the processor that a
// tiling function tiles for, read from a PlatFormInfos. Documented: SocVersion's and the memory types' names
// and numbers, and how CalcTschBlockDim divides. The workspaces of libraries are weft's assumption.
#pragma once
#include "weft_cann/platform.h"

namespace platform_ascendc {
enum class CoreMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, FB, BT, RESERVED };
enum class ReservedSize { RESERVED_SIZE_8K = 0, RESERVED_SIZE_16K, RESERVED_SIZE_32K };
enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B,
  ASCEND310P,
  ASCEND310B,
  ASCEND950,
  ASCEND910_95 = 4,
  ASCEND910_55 = 5,
  AS31XM1 = 5,
  ASCEND031,
  ASCEND035,
  ASCEND310,
  ASCEND610,
  ASCEND610Lite,
  ASCEND910_93,
  BS9SX1A,
  BS9SX2A,
  HI3796CV300CS,
  HI3796CV300ES,
  MC61AM21A,
  MC62,
  SD3403,
  KIRINX90,
  KIRIN9030,
  MC32DM11A,
  ASCEND350,
  RESERVED_VERSION = 99999
};

// A platform as kernels see it. A platform that says nothing has no cores and no memory.
class PlatformAscendC {
 public:
  PlatformAscendC() = delete;
  ~PlatformAscendC() noexcept = default;
  explicit PlatformAscendC(fe::PlatFormInfos *platformInfo) : infos_(platformInfo) {}
  // Of split processors the vector cores where a kernel is told to be one of theirs; cube cores otherwise.
  uint32_t GetCoreNum() const { return infos_ ? infos_->GetCoreNum() : 0; }
  uint32_t GetCoreNumAic() const { return Cores(IsSplit() ? "cube_core_cnt" : "ai_core_cnt"); }
  uint32_t GetCoreNumAiv() const { return Cores(IsSplit() ? "vector_core_cnt" : "ai_core_cnt"); }
  // Vector cores that work beside cores of both kinds: ascend310p has some.
  uint32_t GetCoreNumVector() const {
    return GetSocVersion() == SocVersion::ASCEND310P ? Cores("vector_core_cnt") : 0;
  }
  // Blocks of a kernel in which a cube core works with aivCoreNum / aicCoreNum vector cores.
  uint32_t CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const {
    if (!aicCoreNum || !aivCoreNum || aicCoreNum > aivCoreNum)
      return sliceNum;
    const uint32_t ratio = aivCoreNum / aicCoreNum;
    return sliceNum / ratio + (sliceNum % ratio != 0);
  }
  uint32_t CalcTschNumBlocks(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const {
    return CalcTschBlockDim(sliceNum, aicCoreNum, aivCoreNum);
  }
  uint32_t GetLibApiWorkSpaceSize() const {
    std::string text;
    if (Text("weft", "library_workspace", text))
      return static_cast<uint32_t>(strtoul(text.c_str(), nullptr, 10));
    const weft_cann::Soc *soc =
        Text("version", "Short_SoC_version", text) ? weft_cann::FindSoc(text) : nullptr;
    if (soc && soc->library_workspace)
      return static_cast<uint32_t>(soc->library_workspace);
    return IsSplit() ? 16u << 20 : 2u << 20;
  }
  uint32_t GetResCubeGroupWorkSpaceSize() const { return 1u << 20; }
  uint32_t GetResGroupBarrierWorkSpaceSize() const { return 1u << 20; }
  void GetCoreMemSize(const CoreMemType &memType, uint64_t &size) const {
    size = 0;
    if (!infos_ || memType >= CoreMemType::RESERVED)
      return;
    if (memType == CoreMemType::FB || memType == CoreMemType::BT) {
      size = Number("AICoreSpec", memType == CoreMemType::FB ? "fb_size" : "bt_size");
      return;
    }
    infos_->GetLocalMemSize(static_cast<fe::LocalMemType>(memType), size);
    if (memType == CoreMemType::UB) {
      const uint64_t kept = reserved_ + (GetCurNpuArch() == NpuArch::DAV_2201 ? kKeptOf2201 : 0);
      size -= size < kept ? size : kept;
    }
  }
  void GetCoreMemBw(const CoreMemType &memType, uint64_t &bwSize) const {
    bwSize = 0;
    if (infos_ && memType < CoreMemType::FB)
      infos_->GetLocalMemBw(static_cast<fe::LocalMemType>(memType), bwSize);
  }
  // So much less of UB is left.
  void ReserveLocalMemory(ReservedSize size) { reserved_ = 8192u << static_cast<unsigned>(size); }
  SocVersion GetSocVersion() const {
    static const std::map<std::string, SocVersion> versions = {{"Ascend910", SocVersion::ASCEND910},
                                                               {"Ascend910B", SocVersion::ASCEND910B},
                                                               {"Ascend310P", SocVersion::ASCEND310P},
                                                               {"Ascend310B", SocVersion::ASCEND310B},
                                                               {"Ascend950", SocVersion::ASCEND950},
                                                               {"Ascend910_95", SocVersion::ASCEND950},
                                                               {"Ascend310", SocVersion::ASCEND310},
                                                               {"Ascend610", SocVersion::ASCEND610},
                                                               {"Ascend610Lite", SocVersion::ASCEND610Lite},
                                                               {"Ascend910_93", SocVersion::ASCEND910_93},
                                                               {"Ascend910_55", SocVersion::ASCEND910_55},
                                                               {"AS31XM1", SocVersion::AS31XM1},
                                                               {"Ascend031", SocVersion::ASCEND031},
                                                               {"Ascend035", SocVersion::ASCEND035},
                                                               {"BS9SX1A", SocVersion::BS9SX1A},
                                                               {"BS9SX2A", SocVersion::BS9SX2A},
                                                               {"Hi3796CV300CS", SocVersion::HI3796CV300CS},
                                                               {"Hi3796CV300ES", SocVersion::HI3796CV300ES},
                                                               {"MC61AM21A", SocVersion::MC61AM21A},
                                                               {"MC62", SocVersion::MC62},
                                                               {"SD3403", SocVersion::SD3403},
                                                               {"KirinX90", SocVersion::KIRINX90},
                                                               {"Kirin9030", SocVersion::KIRIN9030},
                                                               {"MC32DM11A", SocVersion::MC32DM11A},
                                                               {"Ascend350", SocVersion::ASCEND350}};
    std::string text;
    auto found = Text("version", "Short_SoC_version", text) ? versions.find(text) : versions.end();
    return found == versions.end() ? SocVersion::RESERVED_VERSION : found->second;
  }
  // The architecture that the platform names, or that of its generation.
  NpuArch GetCurNpuArch() const {
    if (const uint64_t named = Number("version", "NpuArch"))
      return static_cast<NpuArch>(named);
    std::string text;
    const weft_cann::Soc *soc =
        Text("version", "Short_SoC_version", text) ? weft_cann::FindSoc(text) : nullptr;
    return soc ? soc->arch : NpuArch::DAV_RESV;
  }
  uint32_t GetVecRegLen() const { return 256; }

 private:
  bool Text(const char *label, const char *key, std::string &text) const {
    return infos_ && infos_->GetPlatformRes(label, key, text);
  }
  uint64_t Number(const char *label, const char *key) const {
    std::string text;
    return Text(label, key, text) ? strtoull(text.c_str(), nullptr, 10) : 0;
  }
  // A platform of a test often has cores of one kind only.
  uint32_t Cores(const char *key) const {
    const uint64_t n = Number("SoCInfo", key);
    return static_cast<uint32_t>(n ? n : Number("SoCInfo", "ai_core_cnt"));
  }
  bool IsSplit() const {
    return Number("AICoreSpec", "cube_vector_split") != 0 ||
           Number("SoCInfo", "vector_core_cnt") > Number("SoCInfo", "ai_core_cnt");
  }
  fe::PlatFormInfos *infos_;
  static constexpr uint64_t kKeptOf2201 = 256;  // bytes of UB that operators of Ascend910B do not get
  uint32_t reserved_ = 0;
};
static_assert(sizeof(PlatformAscendC) == 16, "layouts");

// The processor without a context: the one of PlatformInfoManager, or by name (until then, and later calls
// have the first one's). nullptr: none is called so.
class PlatformAscendCManager {
 public:
  WEFT_CANN_OWN static PlatformAscendC *GetInstance() { return GetInstance(nullptr); }
  WEFT_CANN_OWN static PlatformAscendC *GetInstance(const char *customSocVersion) {
    static fe::PlatFormInfos infos;
    static std::unique_ptr<PlatformAscendC> platform;
    static std::mutex lock;
    std::lock_guard<std::mutex> held(lock);
    fe::OptionalInfos optional;
    auto &manager = fe::PlatformInfoManager::Instance();
    if (platform)
      return platform.get();
    const uint32_t failed = customSocVersion ? manager.GetPlatformInfos(customSocVersion, infos, optional)
                                             : manager.GetPlatformInfoWithOutSocVersion(infos, optional);
    if (!failed)
      platform = std::make_unique<PlatformAscendC>(&infos);
    return platform.get();
  }
};
}  // namespace platform_ascendc

#ifndef ASCENDC_ASSERT
#define ASCENDC_ASSERT(cond, behavior) \
  do {                                 \
    if (!(cond)) {                     \
      behavior;                        \
      abort();                         \
    }                                  \
  } while (0)
#endif
// SPDX-License-Identifier: Apache-2.0
