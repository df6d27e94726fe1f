// weft_cann/op_def_class.h - ops::OpDef and its parts: an operator described in the constructor of a class.
// What contradicts itself is kept as it was said: who reads it reports it.
#pragma once
#include <list>
#include <map>
#include <string>
#include <vector>

#include "weft_cann/registry.h"

namespace ge {
class Operator;
}

namespace optiling {
using OP_CHECK_FUNC = ge::graphStatus (*)(const ge::Operator &, ge::AscendString &);
using PARAM_GENERALIZE_FUNC = ge::graphStatus (*)(const ge::Operator &, const ge::AscendString &,
                                                  ge::AscendString &);
// Registers a check of an older kind; weft has no use for its answer.
class OpCheckFuncHelper {
 public:
  OpCheckFuncHelper(const ge::AscendString &, const ge::AscendString &, OP_CHECK_FUNC) {}
  OpCheckFuncHelper(const ge::AscendString &, PARAM_GENERALIZE_FUNC) {}
};
}  // namespace optiling

#define FUNC_CHECK_SUPPORTED     "check_supported"
#define FUNC_OP_SELECT_FORMAT    "op_select_format"
#define FUNC_GET_OP_SUPPORT_INFO "get_op_support_info"
#define FUNC_GET_SPECIFIC_INFO   "get_op_specific_info"

namespace ops {
enum class AttrDataType {
  ATTR_DT_BOOL = 0,
  ATTR_DT_FLOAT,
  ATTR_DT_INT,
  ATTR_DT_STR,
  ATTR_DT_LIST_BOOL,
  ATTR_DT_LIST_FLOAT,
  ATTR_DT_LIST_INT,
  ATTR_DT_LIST_LIST_INT,
  ATTR_DT_MAX
};
enum class CommentSection : uint32_t {
  CATEGORY = 0,
  BRIEF,
  CONSTRAINTS,
  RESTRICTIONS,
  SEE,
  THIRDPARTYFWKCOMPAT,
  SECTION_MAX
};
enum class DependScope : uint32_t { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FollowType : uint32_t { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class FormatCheckOption : uint32_t { DEFAULT = 0, STRICT = 1, MAX };
enum class HcclServerType : uint32_t { AICPU = 0, AICORE, CCU, MAX };
enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class ScalarType : uint32_t {
  UINT64 = 0,
  INT64,
  UINT32,
  INT32,
  UINT16,
  INT16,
  UINT8,
  INT8,
  FLOAT32,
  FLOAT16,
  INVALID_DTYPE = static_cast<uint32_t>(-1)
};

union ScalarNum {
  ScalarNum() : value_u64(0) {}
  explicit ScalarNum(uint64_t value) : value_u64(value) {}
  explicit ScalarNum(int64_t value) : value_i64(value) {}
  explicit ScalarNum(float value) : value_f32(value) {}
  uint64_t value_u64;
  int64_t value_i64;
  float value_f32;
};
// A number and its type; one for a floating type is kept as a float.
struct ScalarVar {
  ScalarVar() : scalar_type(ScalarType::INVALID_DTYPE) {}
  ScalarVar(ScalarType type, uint64_t value) : scalar_type(type), scalar_num(value) { Convert(value); }
  ScalarVar(ScalarType type, int64_t value) : scalar_type(type), scalar_num(value) { Convert(value); }
  ScalarVar(ScalarType type, int value) : ScalarVar(type, static_cast<int64_t>(value)) {}
  ScalarVar(ScalarType type, unsigned int value) : ScalarVar(type, static_cast<uint64_t>(value)) {}
  ScalarVar(ScalarType type, float value) : scalar_type(type), scalar_num(static_cast<int64_t>(value)) {
    Convert(value);
  }
  ScalarVar(ScalarType type, double value) : ScalarVar(type, static_cast<float>(value)) {}
  bool operator==(const ScalarVar &other) const {
    return scalar_type == other.scalar_type && scalar_num.value_u64 == other.scalar_num.value_u64;
  }
  ScalarType scalar_type;
  ScalarNum scalar_num;

 private:
  template <typename T>
  void Convert(T value) {
    if (scalar_type == ScalarType::FLOAT32 || scalar_type == ScalarType::FLOAT16)
      scalar_num = ScalarNum(static_cast<float>(value));
  }
};

// An input or output as it was described. `types` and `formats` are columns: entry k of all ports together is
// one combination; those of a list are free choices.
struct PortSpec {
  std::string name;
  Option kind = REQUIRED;
  std::vector<ge::DataType> types;
  bool types_are_list = false;
  std::vector<ge::Format> formats;
  bool formats_are_list = false;
  std::vector<ge::DataType> query_types;
  std::vector<ge::Format> query_formats;
  std::vector<ge::Format> unknown_shape_formats;
  std::string value_depend;  // "", "optional", "required"
  DependScope depend_scope = DependScope::ALL;
  std::string follow;
  FollowType follow_type = FollowType::INVALID_TYPE;
  bool ignore_contiguous = false;
  bool auto_contiguous = false;
  bool is_scalar = false;
  bool is_scalar_list = false;
  bool has_to_type = false;
  ge::DataType to_type = ge::DT_UNDEFINED;
  std::string to_name;
  uint32_t version = 0;
  std::vector<ScalarVar> init_values;
  bool has_init_value = false;
  bool shape_depends_on_compute = false;
  std::string comment;
};

class OpParamDef {
 public:
  explicit OpParamDef(const char *name) { spec_.name = name ? name : ""; }
  OpParamDef &ParamType(Option kind) {
    spec_.kind = kind;
    return *this;
  }
  OpParamDef &DataType(std::vector<ge::DataType> types) { return Types(std::move(types), false); }
  OpParamDef &DataTypeList(std::vector<ge::DataType> types) { return Types(std::move(types), true); }
  OpParamDef &Format(std::vector<ge::Format> formats) { return Formats(std::move(formats), false); }
  OpParamDef &FormatList(std::vector<ge::Format> formats) { return Formats(std::move(formats), true); }
  OpParamDef &DataTypeForBinQuery(std::vector<ge::DataType> types) {
    spec_.query_types = std::move(types);
    return *this;
  }
  OpParamDef &FormatForBinQuery(std::vector<ge::Format> formats) {
    spec_.query_formats = std::move(formats);
    return *this;
  }
  OpParamDef &UnknownShapeFormat(std::vector<ge::Format> formats) {
    spec_.unknown_shape_formats = std::move(formats);
    return *this;
  }
  OpParamDef &ValueDepend(Option how) { return ValueDepend(how, DependScope::ALL); }
  OpParamDef &ValueDepend(Option how, DependScope scope) {
    const char *word = how == REQUIRED ? "required" : how == OPTIONAL ? "optional" : "";
    if (scope < DependScope::INVALID_SCOPE) {
      spec_.value_depend = word;
      spec_.depend_scope = scope;
    }
    return *this;
  }
  OpParamDef &IgnoreContiguous() {
    spec_.ignore_contiguous = true;
    return *this;
  }
  OpParamDef &AutoContiguous() {
    spec_.auto_contiguous = true;
    return *this;
  }
  OpParamDef &Scalar() {
    spec_.is_scalar = true;
    return *this;
  }
  OpParamDef &ScalarList() {
    spec_.is_scalar_list = true;
    return *this;
  }
  OpParamDef &To(const ge::DataType type) {
    spec_.has_to_type = true;
    spec_.to_type = type;
    return *this;
  }
  OpParamDef &To(const char *name) {
    spec_.to_name = name ? name : "";
    return *this;
  }
  OpParamDef &Version(uint32_t version) {
    spec_.version = version;
    return *this;
  }
  OpParamDef &InitValue(uint64_t value) { return InitValue(ScalarVar(ScalarType::UINT64, value)); }
  OpParamDef &InitValue(const ScalarVar &value) { return InitValue(std::vector<ScalarVar>{value}); }
  OpParamDef &InitValue(const std::vector<ScalarVar> &values) {
    spec_.has_init_value = true;
    spec_.init_values = values;
    return *this;
  }
  OpParamDef &OutputShapeDependOnCompute() {
    spec_.shape_depends_on_compute = true;
    return *this;
  }
  OpParamDef &Follow(const char *name) { return Follow(name, FollowType::ALL); }
  OpParamDef &Follow(const char *name, FollowType type) {
    if (type < FollowType::INVALID_TYPE) {
      spec_.follow = name ? name : "";
      spec_.follow_type = type;
    }
    return *this;
  }
  OpParamDef &Comment(const char *comment) {
    spec_.comment = comment ? comment : "";
    return *this;
  }
  const PortSpec &Spec() const { return spec_; }

 private:
  OpParamDef &Types(std::vector<ge::DataType> types, bool list) {
    spec_.types = std::move(types);
    spec_.types_are_list = list;
    return *this;
  }
  OpParamDef &Formats(std::vector<ge::Format> formats, bool list) {
    spec_.formats = std::move(formats);
    spec_.formats_are_list = list;
    return *this;
  }
  PortSpec spec_;
};

// An attribute; the default stands as text: 0.5, [1,-2,3], [true,false].
struct AttrSpec {
  std::string name;
  AttrDataType type = AttrDataType::ATTR_DT_MAX;
  bool required = true;
  std::string value;
  uint32_t version = 0;
  std::string comment;
  // "int", as configuration files have it, and "Int", as prototypes do.
  const char *ConfigType() const {
    static const char *const names[] = {"bool",      "float",   "int",         "str",      "listBool",
                                        "listFloat", "listInt", "listListInt", "undefined"};
    return names[static_cast<int>(type)];
  }
  const char *PrototypeType() const {
    static const char *const names[] = {"Bool",      "Float",   "Int",         "String",   "ListBool",
                                        "ListFloat", "ListInt", "ListListInt", "Undefined"};
    return names[static_cast<int>(type)];
  }
};

class OpAttrDef {
 public:
  explicit OpAttrDef(const char *name) : name_(name) { spec_.name = name ? name : ""; }
  OpAttrDef &AttrType(Option kind) {
    spec_.required = kind != OPTIONAL;
    return *this;
  }
  OpAttrDef &Bool() { return Set(AttrDataType::ATTR_DT_BOOL, "false"); }
  OpAttrDef &Bool(bool value) { return Set(AttrDataType::ATTR_DT_BOOL, Text(value)); }
  OpAttrDef &Float() { return Set(AttrDataType::ATTR_DT_FLOAT, "0"); }
  OpAttrDef &Float(float value) { return Set(AttrDataType::ATTR_DT_FLOAT, Text(value)); }
  OpAttrDef &Int() { return Set(AttrDataType::ATTR_DT_INT, "0"); }
  OpAttrDef &Int(int64_t value) { return Set(AttrDataType::ATTR_DT_INT, Text(value)); }
  OpAttrDef &String() { return Set(AttrDataType::ATTR_DT_STR, ""); }
  OpAttrDef &String(const char *value) { return Set(AttrDataType::ATTR_DT_STR, value ? value : ""); }
  OpAttrDef &ListBool() { return Set(AttrDataType::ATTR_DT_LIST_BOOL, "[]"); }
  OpAttrDef &ListBool(std::vector<bool> value) { return Set(AttrDataType::ATTR_DT_LIST_BOOL, Text(value)); }
  OpAttrDef &ListFloat() { return Set(AttrDataType::ATTR_DT_LIST_FLOAT, "[]"); }
  OpAttrDef &ListFloat(std::vector<float> value) {
    return Set(AttrDataType::ATTR_DT_LIST_FLOAT, Text(value));
  }
  OpAttrDef &ListInt() { return Set(AttrDataType::ATTR_DT_LIST_INT, "[]"); }
  OpAttrDef &ListInt(std::vector<int64_t> value) { return Set(AttrDataType::ATTR_DT_LIST_INT, Text(value)); }
  OpAttrDef &ListListInt() { return Set(AttrDataType::ATTR_DT_LIST_LIST_INT, "[]"); }
  OpAttrDef &ListListInt(std::vector<std::vector<int64_t>> value) {
    return Set(AttrDataType::ATTR_DT_LIST_LIST_INT, Text(value));
  }
  OpAttrDef &Version(uint32_t version) {
    spec_.version = version;
    return *this;
  }
  OpAttrDef &Comment(const char *comment) {
    spec_.comment = comment ? comment : "";
    return *this;
  }
  ge::AscendString &GetName() const { return name_; }
  bool IsRequired() { return spec_.required; }
  const AttrSpec &Spec() const { return spec_; }

 private:
  OpAttrDef &Set(AttrDataType type, const std::string &value) {
    spec_.type = type;
    spec_.value = value;
    return *this;
  }
  static std::string Text(bool value) { return value ? "true" : "false"; }
  static std::string Text(int64_t value) { return std::to_string(value); }
  static std::string Text(float value) {
    char text[32];
    snprintf(text, sizeof text, "%g", static_cast<double>(value));
    return text;
  }
  template <typename T>
  static std::string Text(const std::vector<T> &values) {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); i++) {
      text += i ? "," : "";
      text += Text(static_cast<T>(values[i]));
    }
    return text + "]";
  }
  mutable ge::AscendString name_;
  AttrSpec spec_;
};

namespace detail {
// Found by name, or made; references stay valid.
template <typename T>
T &Named(std::list<T> &list, const char *name) {
  for (T &item : list) {
    if (name && item.Spec().name == name)
      return item;
  }
  list.emplace_back(name);
  return list.back();
}
// Keys in the order in which they came; the last value counts.
class Items {
 public:
  void Set(const char *key, const std::string &value) {
    for (auto &item : items_) {
      if (item.first == key) {
        item.second = value;
        return;
      }
    }
    items_.emplace_back(key, value);
  }
  const std::vector<std::pair<std::string, std::string>> &All() const { return items_; }

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};
}  // namespace detail

// What differs for a SoC: ports that it describes replace the operator's.
class OpAICoreConfig {
 public:
  OpAICoreConfig() = default;
  OpAICoreConfig(const char *) {
    DynamicCompileStaticFlag(true).DynamicFormatFlag(true).DynamicRankSupportFlag(true);
    DynamicShapeSupportFlag(true).NeedCheckSupportFlag(false).PrecisionReduceFlag(true);
  }
  OpParamDef &Input(const char *name) { return detail::Named(inputs_, name); }
  OpParamDef &Output(const char *name) { return detail::Named(outputs_, name); }
  OpAICoreConfig &DynamicCompileStaticFlag(bool flag) { return Flag("dynamicCompileStatic.flag", flag); }
  OpAICoreConfig &DynamicFormatFlag(bool flag) { return Flag("dynamicFormat.flag", flag); }
  OpAICoreConfig &DynamicRankSupportFlag(bool flag) { return Flag("dynamicRankSupport.flag", flag); }
  OpAICoreConfig &DynamicShapeSupportFlag(bool flag) { return Flag("dynamicShapeSupport.flag", flag); }
  OpAICoreConfig &NeedCheckSupportFlag(bool flag) { return Flag("needCheckSupport.flag", flag); }
  OpAICoreConfig &PrecisionReduceFlag(bool flag) { return Flag("precision_reduce.flag", flag); }
  OpAICoreConfig &ExtendCfgInfo(const char *key, const char *value) {
    items_.Set(key, value ? value : "");
    return *this;
  }
  const std::list<OpParamDef> &Inputs() const { return inputs_; }
  const std::list<OpParamDef> &Outputs() const { return outputs_; }
  const std::vector<std::pair<std::string, std::string>> &ConfigItems() const { return items_.All(); }

 private:
  OpAICoreConfig &Flag(const char *key, bool flag) {
    items_.Set(key, flag ? "true" : "false");
    return *this;
  }
  std::list<OpParamDef> inputs_;
  std::list<OpParamDef> outputs_;
  detail::Items items_;
};

class OpAICoreDef {
 public:
  OpAICoreDef &SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function) {
    tiling_ = function;
    return *this;
  }
  OpAICoreDef &SetCheckSupport(optiling::OP_CHECK_FUNC function) {
    check_support_ = function;
    return *this;
  }
  OpAICoreDef &SetOpSelectFormat(optiling::OP_CHECK_FUNC function) {
    select_format_ = function;
    return *this;
  }
  OpAICoreDef &SetOpSupportInfo(optiling::OP_CHECK_FUNC function) {
    support_info_ = function;
    return *this;
  }
  OpAICoreDef &SetOpSpecInfo(optiling::OP_CHECK_FUNC function) {
    spec_info_ = function;
    return *this;
  }
  OpAICoreDef &SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC function) {
    generalize_ = function;
    return *this;
  }
  OpAICoreDef &LaunchWithZeroEleOutputTensors(bool launch) {
    launch_empty_ = launch;
    return *this;
  }
  gert::OpImplRegisterV2::TilingKernelFunc &GetTiling() { return tiling_; }
  optiling::OP_CHECK_FUNC &GetCheckSupport() { return check_support_; }
  optiling::OP_CHECK_FUNC &GetOpSelectFormat() { return select_format_; }
  optiling::OP_CHECK_FUNC &GetOpSupportInfo() { return support_info_; }
  optiling::OP_CHECK_FUNC &GetOpSpecInfo() { return spec_info_; }
  optiling::PARAM_GENERALIZE_FUNC &GetParamGeneralize() { return generalize_; }
  OpAICoreDef &AddConfig(const char *soc) {
    OpAICoreConfig config(soc);
    return AddConfig(soc, config);
  }
  // A SoC that is added twice is kept once, as it was described last.
  OpAICoreDef &AddConfig(const char *soc, OpAICoreConfig &config) {
    const std::string name = soc ? soc : "";
    configs_.erase(name);
    configs_.emplace(name, config);
    return *this;
  }
  const std::map<std::string, OpAICoreConfig> &Configs() const { return configs_; }
  bool LaunchesEmptyOutputs() const { return launch_empty_; }

 private:
  gert::OpImplRegisterV2::TilingKernelFunc tiling_ = nullptr;
  optiling::OP_CHECK_FUNC check_support_ = nullptr;
  optiling::OP_CHECK_FUNC select_format_ = nullptr;
  optiling::OP_CHECK_FUNC support_info_ = nullptr;
  optiling::OP_CHECK_FUNC spec_info_ = nullptr;
  optiling::PARAM_GENERALIZE_FUNC generalize_ = nullptr;
  bool launch_empty_ = false;
  std::map<std::string, OpAICoreConfig> configs_;
};

namespace detail {
// The items of an engine that runs on a CPU.
template <typename T>
class CpuDef {
 public:
  T &Engine(const char *value) { return Set("opInfo.engine", value); }
  T &FlagPartial(bool flag) { return Set("opInfo.flagPartial", flag ? "True" : "False"); }
  T &ComputeCost(const char *value) { return Set("opInfo.computeCost", value); }
  T &FlagAsync(bool flag) { return Set("opInfo.flagAsync", flag ? "True" : "False"); }
  T &OpKernelLib(const char *value) { return Set("opInfo.opKernelLib", value); }
  T &KernelSo(const char *value) { return Set("opInfo.kernelSo", value); }
  T &FunctionName(const char *value) { return Set("opInfo.functionName", value); }
  T &UserDefined(bool flag) { return Set("opInfo.userDefined", flag ? "True" : "False"); }
  T &ExtendCfgInfo(const char *key, const char *value) { return Set(key, value); }
  const std::vector<std::pair<std::string, std::string>> &ConfigItems() const { return items_.All(); }

 private:
  T &Set(const char *key, const char *value) {
    items_.Set(key, value ? value : "");
    return static_cast<T &>(*this);
  }
  Items items_;
};
}  // namespace detail

class OpAICPUDef : public detail::CpuDef<OpAICPUDef> {};
class OpHostCPUDef : public detail::CpuDef<OpHostCPUDef> {};

// Operators that communicate, too: the attributes that name groups, and who serves them.
class OpMC2Def {
 public:
  OpMC2Def &HcclGroup(const char *value) { return HcclGroup(std::vector<const char *>{value}); }
  OpMC2Def &HcclGroup(std::vector<const char *> values) {
    for (const char *value : values) {
      const bool is_new = value && std::find(groups_.begin(), groups_.end(), value) == groups_.end();
      if (is_new)
        groups_.emplace_back(value);
    }
    return *this;
  }
  void HcclServerType(enum HcclServerType type, const char *soc = nullptr) {
    servers_[soc ? soc : ""] = type;
  }
  const std::vector<std::string> &Groups() const { return groups_; }

 private:
  std::vector<std::string> groups_;
  std::map<std::string, enum HcclServerType> servers_;
};

class OpDef {
 public:
  explicit OpDef(const char *type) : type_(type ? type : "") {}
  // Made at the first call with a name, the same one afterwards. Their order is the ports' order.
  OpParamDef &Input(const char *name) { return detail::Named(inputs_, name); }
  OpParamDef &Output(const char *name) { return detail::Named(outputs_, name); }
  OpAttrDef &Attr(const char *name) { return detail::Named(attrs_, name); }
  OpDef &Comment(CommentSection section, const char *comment) {
    if (section < CommentSection::SECTION_MAX && comment && *comment)
      comments_.emplace_back(section, comment);
    return *this;
  }
  OpDef &SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function) {
    infer_shape_ = function;
    return *this;
  }
  OpDef &SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc function) {
    infer_shape_range_ = function;
    return *this;
  }
  OpDef &SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function) {
    infer_datatype_ = function;
    return *this;
  }
  gert::OpImplRegisterV2::InferShapeKernelFunc &GetInferShape() { return infer_shape_; }
  gert::OpImplRegisterV2::InferShapeRangeKernelFunc &GetInferShapeRange() { return infer_shape_range_; }
  gert::OpImplRegisterV2::InferDataTypeKernelFunc &GetInferDataType() { return infer_datatype_; }
  OpAICoreDef &AICore() { return aicore_; }
  OpAICPUDef &AICPU() { return aicpu_; }
  OpHostCPUDef &HostCPU() { return host_cpu_; }
  OpMC2Def &MC2() { return mc2_; }
  OpDef &FormatMatchMode(FormatCheckOption option) {
    format_match_ = option;
    return *this;
  }
  OpDef &EnableFallBack() {
    fallback_ = true;
    return *this;
  }
  const std::string &Type() const { return type_; }
  const std::list<OpParamDef> &Inputs() const { return inputs_; }
  const std::list<OpParamDef> &Outputs() const { return outputs_; }
  const std::list<OpAttrDef> &Attrs() const { return attrs_; }
  const OpAICoreDef &AICoreSpec() const { return aicore_; }
  const std::vector<std::pair<CommentSection, std::string>> &Comments() const { return comments_; }

 private:
  std::string type_;
  std::list<OpParamDef> inputs_;
  std::list<OpParamDef> outputs_;
  std::list<OpAttrDef> attrs_;
  std::vector<std::pair<CommentSection, std::string>> comments_;
  gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape_ = nullptr;
  gert::OpImplRegisterV2::InferShapeRangeKernelFunc infer_shape_range_ = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_datatype_ = nullptr;
  OpAICoreDef aicore_;
  OpAICPUDef aicpu_;
  OpHostCPUDef host_cpu_;
  OpMC2Def mc2_;
  FormatCheckOption format_match_ = FormatCheckOption::MAX;
  bool fallback_ = false;
};
}  // namespace ops
// SPDX-License-Identifier: Apache-2.0
