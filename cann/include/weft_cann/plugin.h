// weft_cann/plugin.h - REGISTER_CUSTOM_OP: how the plug-ins of other frameworks' parsers say which of their
// operators becomes which. weft reads models by itself and finds an operator by its name, attributes by
// theirs (examples/custom_operator); plug-ins compile, fill a table of the shared object that they are in,
// and are never called.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weft_cann/operator.h"

namespace google {
namespace protobuf {
class Message;
}
}  // namespace google
namespace ge {
class Graph;
}
#ifndef FMK_FUNC_HOST_VISIBILITY
#define FMK_FUNC_HOST_VISIBILITY
#define FMK_FUNC_DEV_VISIBILITY
#endif

namespace domi {
using Status = uint32_t;
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;
constexpr Status PARAM_INVALID = 50331649;
enum FrameworkType {
  CAFFE = 0,
  MINDSPORE = 1,
  TENSORFLOW = 3,
  ANDROID_NN = 4,
  ONNX = 5,
  FRAMEWORK_RESERVED = 6
};
enum DynamicType : int16_t { kInvalid = 0, kInput = 1, kOutput = 2 };
enum OmgMoveTypeToAttr {
  OMG_MOVE_TYPE_DTYPE = 0,
  OMG_MOVE_TYPE_VALUE,
  OMG_MOVE_TYPE_SHAPE,
  OMG_MOVE_TYPE_FORMAT
};

struct DynamicInputOutputInfo {
  DynamicInputOutputInfo() = default;
  DynamicInputOutputInfo(const DynamicType kind, const char *const port, const int64_t port_len,
                         const char *const attr, const int64_t attr_len)
      : type(kind), port_name(port), port_name_len(port_len), attr_name(attr), attr_name_len(attr_len) {}
  DynamicType type = kInvalid;
  const char *port_name = nullptr;
  int64_t port_name_len = 0;
  const char *attr_name = nullptr;
  int64_t attr_name_len = 0;
};

using ParseParamFunc = std::function<Status(const google::protobuf::Message *, ge::Operator &)>;
using ParseParamByOpFunc = std::function<Status(const ge::Operator &, ge::Operator &)>;
using FusionParseParamFunc =
    std::function<Status(const std::vector<const google::protobuf::Message *>, ge::Operator &)>;
using FusionParseParamByOpFunc = std::function<Status(const std::vector<ge::Operator> &, ge::Operator &)>;
using ParseSubgraphFunc = std::function<Status(const std::string &, const ge::Graph &)>;
using ParseSubgraphFuncV2 = std::function<Status(const ge::AscendString &, const ge::Graph &)>;
using ParseOpToGraphFunc = std::function<Status(const ge::Operator &, ge::Graph &)>;
using AutoMappingSubgraphIOIndexFunc =
    std::function<Status(const ge::Graph &, const std::function<Status(int32_t, int32_t &)> &,
                         const std::function<Status(int32_t, int32_t &)> &)>;

// An operator of another framework. Setters return the object itself.
class OpRegistrationData {
 public:
  explicit OpRegistrationData(const char *type) : type_(type ? type : "") {}
  explicit OpRegistrationData(const std::string &type) : type_(type) {}
  OpRegistrationData &FrameworkType(const domi::FrameworkType &framework) {
    framework_ = framework;
    return *this;
  }
  OpRegistrationData &OriginOpType(const char *name) { return OriginOpType(std::string(name ? name : "")); }
  OpRegistrationData &OriginOpType(const std::string &name) {
    names_.push_back(name);
    return *this;
  }
  OpRegistrationData &OriginOpType(const std::initializer_list<std::string> &names) {
    names_.insert(names_.end(), names.begin(), names.end());
    return *this;
  }
  OpRegistrationData &OriginOpType(const std::vector<ge::AscendString> &names) {
    for (const ge::AscendString &name : names)
      names_.emplace_back(name.GetString());
    return *this;
  }
  OpRegistrationData &ParseParamsFn(const ParseParamFunc &function) { return Keep(parse_, function); }
  OpRegistrationData &ParseParamsByOperatorFn(const ParseParamByOpFunc &function) {
    return Keep(parse_by_operator_, function);
  }
  OpRegistrationData &FusionParseParamsFn(const FusionParseParamFunc &function) {
    return Keep(fusion_, function);
  }
  OpRegistrationData &FusionParseParamsFn(const FusionParseParamByOpFunc &function) {
    return Keep(fusion_by_operator_, function);
  }
  OpRegistrationData &ParseSubgraphPostFn(const ParseSubgraphFunc &function) {
    return Keep(subgraph_, function);
  }
  OpRegistrationData &ParseSubgraphPostFn(const ParseSubgraphFuncV2 &function) {
    return Keep(subgraph_v2_, function);
  }
  OpRegistrationData &ParseOpToGraphFn(const ParseOpToGraphFunc &function) {
    return Keep(to_graph_, function);
  }
  OpRegistrationData &ImplyType(const domi::ImplyType &imply) { return Keep(imply_, imply); }
  OpRegistrationData &DelInputWithCond(int32_t, const char *, bool) { return *this; }
  OpRegistrationData &DelInputWithOriginalType(int32_t, const char *) { return *this; }
  OpRegistrationData &InputReorderVector(const std::vector<int32_t> &) { return *this; }
  const std::string &Type() const { return type_; }
  domi::FrameworkType Framework() const { return framework_; }
  const std::vector<std::string> &Names() const { return names_; }
  const ParseParamFunc &ParseFunction() const { return parse_; }
  const ParseParamByOpFunc &ParseByOperatorFunction() const { return parse_by_operator_; }
  const ParseOpToGraphFunc &ToGraphFunction() const { return to_graph_; }

 private:
  template <typename T>
  OpRegistrationData &Keep(T &place, const T &value) {
    place = value;
    return *this;
  }
  std::string type_;
  domi::FrameworkType framework_ = FRAMEWORK_RESERVED;
  domi::ImplyType imply_ = domi::ImplyType::INVALID;
  std::vector<std::string> names_;
  ParseParamFunc parse_;
  ParseParamByOpFunc parse_by_operator_;
  FusionParseParamFunc fusion_;
  FusionParseParamByOpFunc fusion_by_operator_;
  ParseSubgraphFunc subgraph_;
  ParseSubgraphFuncV2 subgraph_v2_;
  ParseOpToGraphFunc to_graph_;
};

// The plug-ins of this shared object.
WEFT_CANN_OWN inline std::vector<OpRegistrationData> &Plugins() {
  static std::vector<OpRegistrationData> plugins;
  return plugins;
}
class OpReceiver {
 public:
  OpReceiver(OpRegistrationData &plugin) { Plugins().push_back(plugin); }
};

// Attributes and ports by equal names. weft has no parser to ask: FAILED.
inline Status AutoMappingByOpFn(const ge::Operator &, ge::Operator &) {
  return FAILED;
}
inline Status AutoMappingByOpFnDynamic(const ge::Operator &, ge::Operator &,
                                       const std::vector<DynamicInputOutputInfo> &) {
  return FAILED;
}
inline Status AutoMappingFn(const google::protobuf::Message *, ge::Operator &) {
  return FAILED;
}
inline Status AutoMappingFnDynamic(const google::protobuf::Message *, ge::Operator &,
                                   std::map<std::string, std::pair<std::string, std::string>>, int32_t = -1,
                                   int32_t = -1) {
  return FAILED;
}
inline Status AutoMappingSubgraphIndex(const ge::Graph &, const std::function<int32_t(int32_t)> &,
                                       const std::function<int32_t(int32_t)> &) {
  return FAILED;
}

class FrameworkRegistry {
 public:
  FrameworkRegistry(const FrameworkRegistry &) = delete;
  FrameworkRegistry &operator=(const FrameworkRegistry &) = delete;
  WEFT_CANN_OWN static FrameworkRegistry &Instance() {
    static FrameworkRegistry registry;
    return registry;
  }
  void AddAutoMappingSubgraphIOIndexFunc(domi::FrameworkType framework,
                                         AutoMappingSubgraphIOIndexFunc function) {
    functions_[framework] = std::move(function);
  }
  // Empty: there is none.
  AutoMappingSubgraphIOIndexFunc GetAutoMappingSubgraphIOIndexFunc(domi::FrameworkType framework) {
    auto found = functions_.find(framework);
    return found == functions_.end() ? nullptr : found->second;
  }

 private:
  FrameworkRegistry() = default;
  std::map<domi::FrameworkType, AutoMappingSubgraphIOIndexFunc> functions_;
};
}  // namespace domi

namespace optiling {
class CompileInfoBase {
 public:
  virtual ~CompileInfoBase() noexcept = default;
};
using CompileInfoPtr = std::shared_ptr<CompileInfoBase>;
}  // namespace optiling
namespace ops {
using OpInfo = std::vector<std::tuple<ge::AscendString, ge::AscendString, const uint8_t *, const uint8_t *>>;
}

#define WEFT_CANN_PLUGIN_NAME(counter) weft_plugin_##counter
#define WEFT_CANN_PLUGIN(counter, name) \
  static const ::domi::OpReceiver VAR_UNUSED WEFT_CANN_PLUGIN_NAME(counter) = ::domi::OpRegistrationData(name)
#define REGISTER_CUSTOM_OP(name) WEFT_CANN_PLUGIN(__COUNTER__, name)
// SPDX-License-Identifier: Apache-2.0
