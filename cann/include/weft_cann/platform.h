// weft_cann/platform.h - a processor as tiling functions are told of it. A PlatFormInfos is texts under a
// label and a key, as in a product's configuration file; whoever tests a tiling function fills one by
// SetPlatformRes, and PlatformOf fills one from the table in soc.h.
#pragma once
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "weft_cann/base.h"
#include "weft_cann/soc.h"

// Users' sources take these names from here.
using std::map;
using std::string;
using std::vector;

namespace fe {
enum class LocalMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, RESERVED };
using TypeMap = std::map<std::string, std::vector<std::string>>;
using TextMap = std::map<std::string, std::string>;

// How an operator is compiled. Copies share what they hold.
class OptionalInfosImpl {
 public:
  std::string soc_version;
  std::string core_type;
  std::string l1_fusion_flag;
  uint32_t ai_core_num = 0;
  TypeMap fixpipe;
};
using OptionalInfosImplPtr = std::shared_ptr<OptionalInfosImpl>;
class OptionalInfos {
 public:
  bool Init() {
    (void)It();
    return true;
  }
  std::string GetSocVersion() { return It().soc_version; }
  std::string GetCoreType() { return It().core_type; }
  uint32_t GetAICoreNum() { return It().ai_core_num; }
  std::string GetL1FusionFlag() { return It().l1_fusion_flag; }
  TypeMap GetFixPipeDtypeMap() { return It().fixpipe; }
  void SetFixPipeDtypeMap(const TypeMap &fixpipe_dtype_map) { It().fixpipe = fixpipe_dtype_map; }
  void SetSocVersion(std::string soc_version) { It().soc_version = std::move(soc_version); }
  void SetSocVersionWithLock(std::string soc_version) { SetSocVersion(std::move(soc_version)); }
  void SetCoreType(std::string core_type) { It().core_type = std::move(core_type); }
  void SetAICoreNum(uint32_t ai_core_num) { It().ai_core_num = ai_core_num; }
  void SetL1FusionFlag(std::string l1_fusion_flag) { It().l1_fusion_flag = std::move(l1_fusion_flag); }

 private:
  OptionalInfosImpl &It() {
    if (!impl_)
      impl_ = std::make_shared<OptionalInfosImpl>();
    return *impl_;
  }
  OptionalInfosImplPtr impl_;
};

class PlatFormInfosImpl {
 public:
  std::mutex lock;
  std::map<std::string, TextMap> text;
  TypeMap ai_core_types;
  TypeMap vector_core_types;
  TypeMap fixpipe;
};
using PlatFormInfosImplPtr = std::shared_ptr<PlatFormInfosImpl>;
// A processor. Copies share its texts; the number of cores is each copy's own.
class PlatFormInfos {
 public:
  bool Init() {
    (void)It();
    return true;
  }
  TypeMap GetAICoreIntrinsicDtype() { return It().ai_core_types; }
  TypeMap GetVectorCoreIntrinsicDtype() { return It().vector_core_types; }
  void SetAICoreIntrinsicDtype(TypeMap &intrinsic_dtypes) { It().ai_core_types = intrinsic_dtypes; }
  void SetVectorCoreIntrinsicDtype(TypeMap &intrinsic_dtypes) { It().vector_core_types = intrinsic_dtypes; }
  TypeMap GetFixPipeDtypeMap() { return It().fixpipe; }
  void SetFixPipeDtypeMap(const TypeMap &fixpipe_dtype_map) { It().fixpipe = fixpipe_dtype_map; }

  // false, and nothing is written: no such text.
  bool GetPlatformRes(const std::string &label, const std::string &key, std::string &val) {
    auto found = It().text.find(label);
    if (found == It().text.end())
      return false;
    auto text = found->second.find(key);
    if (text == found->second.end())
      return false;
    val = text->second;
    return true;
  }
  bool GetPlatformRes(const std::string &label, TextMap &res) {
    auto found = It().text.find(label);
    if (found == It().text.end())
      return false;
    res = found->second;
    return true;
  }
  bool GetPlatformResWithLock(const std::string &label, const std::string &key, std::string &val) {
    std::lock_guard<std::mutex> held(It().lock);
    return GetPlatformRes(label, key, val);
  }
  bool GetPlatformResWithLock(const std::string &label, TextMap &res) {
    std::lock_guard<std::mutex> held(It().lock);
    return GetPlatformRes(label, res);
  }
  bool GetPlatformResWithLock(std::map<std::string, TextMap> &res) {
    std::lock_guard<std::mutex> held(It().lock);
    res = It().text;
    return true;
  }
  // All texts of a label.
  void SetPlatformRes(const std::string &label, TextMap &res) { It().text[label] = res; }
  void SetPlatformResWithLock(const std::string &label, TextMap &res) {
    std::lock_guard<std::mutex> held(It().lock);
    SetPlatformRes(label, res);
  }

  uint32_t GetCoreNum() const { return core_num_; }
  uint32_t GetCoreNumWithLock() const { return core_num_; }
  void SetCoreNum(const uint32_t &core_num) { core_num_ = core_num; }
  void SetCoreNumByCoreType(const std::string &core_type) { core_num_ = GetCoreNumByType(core_type); }
  uint32_t GetCoreNumByType(const std::string &core_type) {
    const bool vector = core_type == "VectorCore" || core_type == "AIV";
    return static_cast<uint32_t>(Number("SoCInfo", vector ? "vector_core_cnt" : "ai_core_cnt"));
  }
  // 0: not told.
  void GetLocalMemSize(const LocalMemType &mem_type, uint64_t &size) {
    static const char *const keys[] = {"l0_a_size", "l0_b_size", "l0_c_size",  "l1_size",
                                       "l2_size",   "ub_size",   "memory_size"};
    const auto at = static_cast<size_t>(mem_type);
    const bool shared = mem_type == LocalMemType::L2 || mem_type == LocalMemType::HBM;
    size = at < sizeof keys / sizeof *keys ? Number(shared ? "SoCInfo" : "AICoreSpec", keys[at]) : 0;
  }
  // Bytes a clock; 0: not told.
  void GetLocalMemBw(const LocalMemType &mem_type, uint64_t &bw_size) {
    const bool l2 = mem_type == LocalMemType::L2;
    const bool known = l2 || mem_type == LocalMemType::HBM;
    bw_size = known ? Number("AICoreMemoryRates", l2 ? "l2_rate" : "ddr_rate") : 0;
  }
  // Lines of "label", tab, "key", tab, "text".
  std::string SaveToBuffer() {
    std::string all;
    for (const auto &label : It().text) {
      for (const auto &text : label.second)
        all += label.first + "\t" + text.first + "\t" + text.second + "\n";
    }
    return all;
  }
  bool LoadFromBuffer(const char *buf_ptr, const size_t buf_len) {
    const std::string all(buf_ptr ? buf_ptr : "", buf_ptr ? buf_len : 0);
    std::map<std::string, TextMap> read;
    for (size_t at = 0; at < all.size();) {
      const size_t end = all.find('\n', at);
      const size_t key = all.find('\t', at);
      const size_t text = key < end ? all.find('\t', key + 1) : end;
      if (end == std::string::npos || text >= end)
        return false;
      read[all.substr(at, key - at)][all.substr(key + 1, text - key - 1)] =
          all.substr(text + 1, end - text - 1);
      at = end + 1;
    }
    It().text = read;
    return buf_ptr != nullptr;
  }

 private:
  PlatFormInfosImpl &It() {
    if (!impl_)
      impl_ = std::make_shared<PlatFormInfosImpl>();
    return *impl_;
  }
  // The number that a text begins with; 0: none.
  uint64_t Number(const std::string &label, const std::string &key) {
    std::string text;
    if (!GetPlatformRes(label, key, text) || text.empty() || text[0] < '0' || text[0] > '9')
      return 0;
    return strtoull(text.c_str(), nullptr, 10);
  }
  uint32_t core_num_ = 0;
  PlatFormInfosImplPtr impl_;
};

// The same as plain members.
enum MemoryType { DDR = 0, HBM };
enum L2Type { Cache = 0, Buff };
enum JitCompileMode { REUSE_BINARY = 0, COMPILE_ONLINE, AUTO };
typedef struct tag_str_info {
  std::string aic_version;
  std::string ccec_aic_version;
  std::string ccec_aiv_version;
  std::string is_support_ai_cpu_compiler;
  std::string short_soc_version;
} StrInfo;
typedef struct tag_so_c_info {
  uint32_t ai_core_cnt = 0;
  uint32_t vector_core_cnt = 0;
  uint32_t ai_cpu_cnt = 0;
  MemoryType memory_type = DDR;
  uint64_t memory_size = 0;
  L2Type l2_type = Cache;
  uint64_t l2_size = 0;
  uint32_t l2PageNum = 0;
  uint32_t task_num = 0;
  int32_t arch_type = 0;
  int32_t chip_type = 0;
} SoCInfo;
typedef struct tag_ai_core_spec {
  double cube_freq = 0;
  uint64_t cube_m_size = 0;
  uint64_t cube_n_size = 0;
  uint64_t cube_k_size = 0;
  uint64_t vec_calc_size = 0;
  uint64_t l0_a_size = 0;
  uint64_t l0_b_size = 0;
  uint64_t l0_c_size = 0;
  uint64_t l1_size = 0;
  uint64_t smask_buffer = 0;
  uint64_t ub_size = 0;
  uint64_t ubblock_size = 0;
  uint64_t ubbank_size = 0;
  uint64_t ubbank_num = 0;
  uint64_t ubburst_in_one_block = 0;
  uint64_t ubbank_group_num = 0;
  uint32_t unzip_engines = 0;
  uint32_t unzip_max_ratios = 0;
  uint32_t unzip_channels = 0;
  uint8_t unzip_is_tight = 0;
  uint8_t cube_vector_split = 0;
  uint8_t sparsity = 0;
} AiCoreSpec;
typedef struct tag_ai_core_memory_rates {
  double ddr_rate = 0;
  double ddr_read_rate = 0;
  double ddr_write_rate = 0;
  double l2_rate = 0;
  double l2_read_rate = 0;
  double l2_write_rate = 0;
  double l1_to_l0_a_rate = 0;
  double l1_to_l0_b_rate = 0;
  double l1_to_ub_rate = 0;
  double l0_c_to_ub_rate = 0;
  double ub_to_l2_rate = 0;
  double ub_to_ddr_rate = 0;
  double ub_to_l1_rate = 0;
} AiCoreMemoryRates;
typedef struct tag_vector_core_spec {
  double vec_freq = 0;
  uint64_t vec_calc_size = 0;
  uint64_t smask_buffer = 0;
  uint64_t ub_size = 0;
  uint64_t ubblock_size = 0;
  uint64_t ubbank_size = 0;
  uint64_t ubbank_num = 0;
  uint64_t ubburst_in_one_block = 0;
  uint64_t ubbank_group_num = 0;
  uint64_t vector_reg_size = 0;
  uint64_t predicate_reg_size = 0;
  uint64_t address_reg_size = 0;
  uint64_t alignment_reg_size = 0;
} VectorCoreSpec;
typedef struct tag_vector_core_memory_rates {
  double ddr_rate = 0;
  double ddr_read_rate = 0;
  double ddr_write_rate = 0;
  double l2_rate = 0;
  double l2_read_rate = 0;
  double l2_write_rate = 0;
  double ub_to_l2_rate = 0;
  double ub_to_ddr_rate = 0;
} VectorCoreMemoryRates;
typedef struct tag_cpu_cache {
  uint32_t AICPUSyncBySW = 0;
  uint32_t TSCPUSyncBySW = 0;
} CPUCache;
typedef struct tag_software_spec {
  bool jit_compile_default_value = false;
  JitCompileMode jit_compile_mode = REUSE_BINARY;
} SoftwareSpec;
typedef struct tag_platform_info {
  StrInfo str_info;
  SoCInfo soc_info;
  AiCoreSpec ai_core_spec;
  AiCoreMemoryRates ai_core_memory_rates;
  TypeMap ai_core_intrinsic_dtype_map;
  VectorCoreSpec vector_core_spec;
  VectorCoreMemoryRates vector_core_memory_rates;
  CPUCache cpucache;
  TypeMap vector_core_intrinsic_dtype_map;
  SoftwareSpec software_spec;
} PlatformInfo;
typedef struct tag_optional_info {
  std::string soc_version;
  std::string core_type;
  uint32_t ai_core_num = 0;
  std::string l1_fusion_flag;
} OptionalInfo;
}  // namespace fe

namespace weft_cann {
inline fe::PlatFormInfos PlatformOf(const Soc &soc) {
  fe::PlatFormInfos infos;
  const auto text = [](uint64_t n) { return std::to_string(n); };
  fe::TextMap version = {{"SoC_version", soc.short_name},
                         {"Short_SoC_version", soc.short_name},
                         {"NpuArch", text(static_cast<uint32_t>(soc.arch))}};
  fe::TextMap chip = {{"ai_core_cnt", text(soc.cube_cores)},
                      {"cube_core_cnt", text(soc.cube_cores)},
                      {"vector_core_cnt", text(soc.vector_cores)},
                      {"core_type_list", soc.split ? "CubeCore,VectorCore" : "AICore"},
                      {"l2_size", text(soc.l2)},
                      {"memory_size", text(soc.memory)}};
  fe::TextMap core = {{"ub_size", text(soc.ub)},
                      {"l1_size", text(soc.l1)},
                      {"l0_a_size", text(soc.l0_a)},
                      {"l0_b_size", text(soc.l0_b)},
                      {"l0_c_size", text(soc.l0_c)},
                      {"cube_vector_split", soc.split ? "1" : "0"},
                      {"cube_m_size", "16"},
                      {"cube_n_size", "16"},
                      {"cube_k_size", "16"},
                      {"ubblock_size", "32"},
                      {"bt_size", soc.split ? "1024" : "0"},
                      {"fb_size", soc.split ? "2048" : "0"}};
  fe::TextMap own = {{"library_workspace", text(soc.library_workspace)}};
  infos.SetPlatformRes("version", version);
  infos.SetPlatformRes("SoCInfo", chip);
  infos.SetPlatformRes("AICoreSpec", core);
  infos.SetPlatformRes("weft", own);
  infos.SetCoreNum(soc.cube_cores);
  return infos;
}
inline void DescribePlatform(const Soc &soc, fe::PlatformInfo &info) {
  info = fe::PlatformInfo();
  info.str_info.short_soc_version = soc.short_name;
  info.soc_info.ai_core_cnt = soc.cube_cores;
  info.soc_info.vector_core_cnt = soc.vector_cores;
  info.soc_info.memory_type = fe::HBM;
  info.soc_info.memory_size = soc.memory;
  info.soc_info.l2_size = soc.l2;
  info.ai_core_spec.cube_m_size = info.ai_core_spec.cube_n_size = info.ai_core_spec.cube_k_size = 16;
  info.ai_core_spec.l0_a_size = soc.l0_a;
  info.ai_core_spec.l0_b_size = soc.l0_b;
  info.ai_core_spec.l0_c_size = soc.l0_c;
  info.ai_core_spec.l1_size = soc.l1;
  info.ai_core_spec.ub_size = info.vector_core_spec.ub_size = soc.ub;
  info.ai_core_spec.ubblock_size = info.vector_core_spec.ubblock_size = 32;
  info.ai_core_spec.cube_vector_split = soc.split;
}
}  // namespace weft_cann

namespace fe {
// What tests and infershape code ask for a processor. One in each shared object; a call returns 0, or
// 0xFFFFFFFF for a processor that is not known. Without a name it is the one of SetOptionalCompilationInfo,
// and ascend910b before that.
class PlatformInfoManager {
 public:
  PlatformInfoManager(const PlatformInfoManager &) = delete;
  PlatformInfoManager &operator=(const PlatformInfoManager &) = delete;
  WEFT_CANN_OWN static PlatformInfoManager &Instance() {
    static PlatformInfoManager manager;
    return manager;
  }
  WEFT_CANN_OWN static PlatformInfoManager &GeInstance() { return Instance(); }
  uint32_t InitializePlatformInfo() { return 0; }
  uint32_t Finalize() { return 0; }
  uint32_t GetPlatformInfo(const std::string SoCVersion, PlatformInfo &platform_info,
                           OptionalInfo &opti_compilation_info) {
    const weft_cann::Soc *soc = weft_cann::FindSoc(SoCVersion);
    if (!soc)
      return kFailed;
    weft_cann::DescribePlatform(*soc, platform_info);
    opti_compilation_info.soc_version = SoCVersion;
    opti_compilation_info.core_type = "AiCore";
    opti_compilation_info.ai_core_num = soc->cube_cores;
    return 0;
  }
  uint32_t GetPlatformInfoWithOutSocVersion(PlatformInfo &platform_info,
                                            OptionalInfo &opti_compilation_info) {
    return GetPlatformInfo(Soc(), platform_info, opti_compilation_info);
  }
  void SetOptionalCompilationInfo(OptionalInfo &opti_compilation_info) {
    SetSoc(opti_compilation_info.soc_version);
  }
  uint32_t GetPlatformInfos(const std::string SoCVersion, PlatFormInfos &platform_info,
                            OptionalInfos &opti_compilation_info) {
    opti_compilation_info.SetSocVersion(SoCVersion);
    opti_compilation_info.SetCoreType("AiCore");
    std::lock_guard<std::mutex> held(lock_);
    auto set = infos_.find(SoCVersion);
    const weft_cann::Soc *soc = weft_cann::FindSoc(SoCVersion);
    if (set == infos_.end() && !soc)
      return kFailed;
    platform_info = set != infos_.end() ? set->second : weft_cann::PlatformOf(*soc);
    opti_compilation_info.SetAICoreNum(platform_info.GetCoreNum());
    return 0;
  }
  uint32_t GetPlatformInfoWithOutSocVersion(PlatFormInfos &platform_info,
                                            OptionalInfos &opti_compilation_info) {
    return GetPlatformInfos(Soc(), platform_info, opti_compilation_info);
  }
  void SetOptionalCompilationInfo(OptionalInfos &opti_compilation_info) {
    SetSoc(opti_compilation_info.GetSocVersion());
  }
  uint32_t UpdatePlatformInfos(PlatFormInfos &platform_infos) {
    return UpdatePlatformInfos(Soc(), platform_infos);
  }
  uint32_t UpdatePlatformInfos(const string &soc_version, PlatFormInfos &platform_infos) {
    std::lock_guard<std::mutex> held(lock_);
    infos_[soc_version] = platform_infos;
    return 0;
  }
  uint32_t GetPlatformInstanceByDevice(const uint32_t &device_id, PlatFormInfos &platform_infos) {
    return GetRuntimePlatformInfosByDevice(device_id, platform_infos);
  }
  uint32_t GetRuntimePlatformInfosByDevice(const uint32_t &, PlatFormInfos &platform_infos, bool = false) {
    OptionalInfos optional;
    return GetPlatformInfoWithOutSocVersion(platform_infos, optional);
  }
  uint32_t UpdateRuntimePlatformInfosByDevice(const uint32_t &, PlatFormInfos &platform_infos) {
    return UpdatePlatformInfos(platform_infos);
  }
  uint32_t InitRuntimePlatformInfos(const std::string &SoCVersion) {
    SetSoc(SoCVersion);
    return weft_cann::FindSoc(SoCVersion) ? 0 : kFailed;
  }

 private:
  static constexpr uint32_t kFailed = 0xFFFFFFFF;
  PlatformInfoManager() = default;
  std::string Soc() {
    std::lock_guard<std::mutex> held(lock_);
    return soc_;
  }
  void SetSoc(const std::string &name) {
    std::lock_guard<std::mutex> held(lock_);
    soc_ = name;
  }
  std::mutex lock_;
  std::string soc_ = "Ascend910B";
  std::map<std::string, PlatFormInfos> infos_;
};
static_assert(sizeof(PlatFormInfos) == 24 && sizeof(OptionalInfos) == 16, "layouts");
static_assert(sizeof(AiCoreSpec) == 144 && sizeof(VectorCoreSpec) == 104 && sizeof(SoCInfo) == 56, "layouts");
}  // namespace fe
// What tells weft of it.
#include "weft_cann/platform_source.h"
// SPDX-License-Identifier: Apache-2.0
