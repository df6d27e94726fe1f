// weft_cann/operator.h - ge::Operator (a node of a graph: what it is called, what it is connected to, its
// attributes) and OperatorFactory. Operators are handles: copies are the same node. REG_OP is in
// weft_cann/operator_reg.h.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weft_cann/graph_types.h"

#ifndef FORCE_INLINE
#define FORCE_INLINE inline __attribute__((always_inline))
#endif

namespace ge {
class Operator;
class Graph;
using SubgraphBuilder = std::function<Graph()>;

namespace weft_own {
enum class PortKind { kRequired, kOptional, kDynamic };
// A declared input or output. `types` is the text of REG_OP: a symbol in quotes or an expression.
struct DeclaredPort {
  std::string name;
  std::string types;
  PortKind kind;
};
struct DeclaredAttr {
  std::string name;
  std::string type;
  bool required;
  AttrValue value;
};
struct DeclaredType {
  std::string name;
  std::vector<DataType> types;
  bool each = false;                 // every instance its own (ListTensorType)
  std::vector<std::string> promote;  // or: what these promote to
};

struct Node;
struct Link {
  std::shared_ptr<Node> from;
  uint32_t output = 0;
};
struct Instance {
  std::string name;
  TensorDesc desc;
  Link link;
  bool described = false;  // `desc` was given
  std::map<std::string, AttrValue> attrs;
};
// What an Operator is a handle of.
struct Node {
  std::string name;
  std::string type;
  std::vector<DeclaredPort> in;
  std::vector<DeclaredPort> out;
  std::vector<DeclaredAttr> attrs;
  std::vector<DeclaredType> symbols;
  std::vector<std::string> graphs;
  std::vector<Instance> inputs;
  std::vector<Instance> outputs;
  std::map<std::string, AttrValue> values;
  std::vector<std::shared_ptr<Node>> after;  // nodes that run before it
  std::map<std::string, std::vector<SubgraphBuilder>> graph_builders;
  // what the builders made, when a graph took the node in
  std::map<std::string, std::vector<std::shared_ptr<Graph>>> subgraphs;
  std::vector<std::weak_ptr<Node>> readers;  // of its outputs; some of them may read something else by now
};

inline std::string NameOf(const std::string &name) {
  return name;
}
inline std::string NameOf(const char *name) {
  return name ? name : "";
}
inline std::string NameOf(const AscendString &name) {
  return name.GetString();
}
inline Instance *FindInstance(std::vector<Instance> &list, const std::string &name) {
  for (Instance &instance : list) {
    if (instance.name == name)
      return &instance;
  }
  return nullptr;
}
// "x0", "x1": instances of a dynamic port.
inline std::string InstanceName(const std::string &port, uint32_t i) {
  return port + std::to_string(i);
}

// What was set, or the default; nullptr: neither.
inline const AttrValue *FindAttr(const Node &node, const std::string &name) {
  auto found = node.values.find(name);
  if (found != node.values.end())
    return &found->second;
  for (const DeclaredAttr &attr : node.attrs) {
    if (attr.name == name && !attr.required)
      return &attr.value;
  }
  return nullptr;
}
template <typename T>
graphStatus AttrOf(const Node &node, const std::string &name, T &value) {
  const AttrValue *found = FindAttr(node, name);
  return found ? found->GetAttrValue(value) : GRAPH_FAILED;
}
inline graphStatus AttrOf(const Node &node, const std::string &name, AttrValue &value) {
  const AttrValue *found = FindAttr(node, name);
  if (!found)
    return GRAPH_FAILED;
  value = *found;
  return GRAPH_SUCCESS;
}

// What each step of a REG_OP chain ends with, so that the next one may begin with a dot.
struct Step {
  void Then() const {}
};
}  // namespace weft_own

class Operator {
 public:
  Operator() : node_(std::make_shared<weft_own::Node>()) {}
  explicit Operator(const std::string &type) : Operator(type, type) {}
  explicit Operator(const char_t *type) : Operator(weft_own::NameOf(type)) {}
  Operator(const std::string &name, const std::string &type) : Operator() {
    node_->name = name;
    node_->type = type;
  }
  Operator(const AscendString &name, const AscendString &type)
      : Operator(weft_own::NameOf(name), weft_own::NameOf(type)) {}
  Operator(const char_t *name, const char_t *type)
      : Operator(weft_own::NameOf(name), weft_own::NameOf(type)) {}
  virtual ~Operator() noexcept = default;

  bool IsEmpty() const { return node_->type.empty(); }
  std::string GetName() const { return node_->name; }
  graphStatus GetName(AscendString &name) const {
    name = AscendString(node_->name.c_str());
    return GRAPH_SUCCESS;
  }
  std::string GetOpType() const { return node_->type; }
  graphStatus GetOpType(AscendString &type) const {
    type = AscendString(node_->type.c_str());
    return GRAPH_SUCCESS;
  }

  // Connects an input to output 0, a named or a numbered output of another node. Nothing happens, but a
  // missing input is found when the graph is built, when one of them does not exist.
  template <typename Name>
  Operator &SetInput(const Name &input, const Operator &from) {
    return Connect(weft_own::FindInstance(node_->inputs, weft_own::NameOf(input)), from, 0);
  }
  Operator &SetInput(const std::string &input, const Operator &from, const std::string &output) {
    return Connect(weft_own::FindInstance(node_->inputs, input), from, OutputIndex(from, output));
  }
  Operator &SetInput(const char_t *input, const Operator &from, const char_t *output) {
    return SetInput(weft_own::NameOf(input), from, weft_own::NameOf(output));
  }
  Operator &SetInput(const std::string &input, const Operator &from, uint32_t output) {
    return Connect(weft_own::FindInstance(node_->inputs, input), from, output);
  }
  Operator &SetInput(const char_t *input, const Operator &from, uint32_t output) {
    return SetInput(weft_own::NameOf(input), from, output);
  }
  Operator &SetInput(uint32_t input, const Operator &from, uint32_t output) {
    return Connect(input < node_->inputs.size() ? &node_->inputs[input] : nullptr, from, output);
  }
  Operator &SetInput(const char_t *port, uint32_t i, const Operator &from) {
    return SetInput(weft_own::InstanceName(weft_own::NameOf(port), i), from);
  }
  Operator &SetInput(const char_t *port, uint32_t i, const Operator &from, const char_t *output) {
    return SetInput(weft_own::InstanceName(weft_own::NameOf(port), i), from, weft_own::NameOf(output));
  }
  Operator &AddControlInput(const Operator &before) {
    node_->after.push_back(before.node_);
    before.node_->readers.push_back(node_);
    return *this;
  }

  TensorDesc GetInputDesc(const std::string &name) const { return DescOf(node_->inputs, name); }
  TensorDesc GetInputDescByName(const char_t *name) const { return GetInputDesc(weft_own::NameOf(name)); }
  TensorDesc GetInputDesc(uint32_t i) const { return DescAt(node_->inputs, i); }
  graphStatus TryGetInputDesc(const std::string &name, TensorDesc &desc) const {
    const weft_own::Instance *found = weft_own::FindInstance(node_->inputs, name);
    if (!found)
      return GRAPH_FAILED;
    desc = found->desc;
    return GRAPH_SUCCESS;
  }
  graphStatus TryGetInputDesc(const char_t *name, TensorDesc &desc) const {
    return TryGetInputDesc(weft_own::NameOf(name), desc);
  }
  template <typename Name, typename std::enable_if<!std::is_integral<Name>::value, int>::type = 0>
  graphStatus UpdateInputDesc(const Name &name, const TensorDesc &desc) {
    return Update(weft_own::FindInstance(node_->inputs, weft_own::NameOf(name)), desc);
  }
  graphStatus UpdateInputDesc(const uint32_t i, const TensorDesc &desc) {
    return Update(i < node_->inputs.size() ? &node_->inputs[i] : nullptr, desc);
  }
  TensorDesc GetOutputDesc(const std::string &name) const { return DescOf(node_->outputs, name); }
  TensorDesc GetOutputDescByName(const char_t *name) const { return GetOutputDesc(weft_own::NameOf(name)); }
  TensorDesc GetOutputDesc(uint32_t i) const { return DescAt(node_->outputs, i); }
  template <typename Name, typename std::enable_if<!std::is_integral<Name>::value, int>::type = 0>
  graphStatus UpdateOutputDesc(const Name &name, const TensorDesc &desc) {
    return Update(weft_own::FindInstance(node_->outputs, weft_own::NameOf(name)), desc);
  }
  graphStatus UpdateOutputDesc(const uint32_t i, const TensorDesc &desc) {
    return Update(i < node_->outputs.size() ? &node_->outputs[i] : nullptr, desc);
  }
  template <typename Name>
  TensorDesc GetDynamicInputDesc(const Name &port, uint32_t i) const {
    return GetInputDesc(weft_own::InstanceName(weft_own::NameOf(port), i));
  }
  template <typename Name>
  graphStatus UpdateDynamicInputDesc(const Name &port, uint32_t i, const TensorDesc &desc) {
    return UpdateInputDesc(weft_own::InstanceName(weft_own::NameOf(port), i), desc);
  }
  template <typename Name>
  TensorDesc GetDynamicOutputDesc(const Name &port, uint32_t i) const {
    return GetOutputDesc(weft_own::InstanceName(weft_own::NameOf(port), i));
  }
  template <typename Name>
  graphStatus UpdateDynamicOutputDesc(const Name &port, uint32_t i, const TensorDesc &desc) {
    return UpdateOutputDesc(weft_own::InstanceName(weft_own::NameOf(port), i), desc);
  }
  template <typename Name>
  int32_t GetDynamicInputNum(const Name &port) const {
    return CountOf(node_->inputs, weft_own::NameOf(port));
  }
  template <typename Name>
  int32_t GetDynamicOutputNum(const Name &port) const {
    return CountOf(node_->outputs, weft_own::NameOf(port));
  }
  size_t GetInputsSize() const { return node_->inputs.size(); }
  size_t GetOutputsSize() const { return node_->outputs.size(); }

  template <typename Name, typename T>
  Operator &SetAttr(const Name &name, const T &value) {
    AttrValue stored;
    (void)stored.SetAttrValue(value);
    node_->values[weft_own::NameOf(name)] = stored;
    return *this;
  }
  Operator &SetAttr(const char_t *name, std::initializer_list<int64_t> &&values) {
    return SetAttr(name, std::vector<int64_t>(values));
  }
  Operator &SetAttr(const std::string &name, std::initializer_list<int64_t> &&values) {
    return SetAttr(name, std::vector<int64_t>(values));
  }
  // What was set, or the default. GRAPH_FAILED: neither, or of another type.
  template <typename Name, typename T>
  graphStatus GetAttr(const Name &name, T &value) const {
    const AttrValue *found = FindAttr(weft_own::NameOf(name));
    return found ? found->GetAttrValue(value) : GRAPH_FAILED;
  }
  template <typename Name>
  graphStatus GetAttr(const Name &name, AttrValue &value) const {
    const AttrValue *found = FindAttr(weft_own::NameOf(name));
    if (!found)
      return GRAPH_FAILED;
    value = *found;
    return GRAPH_SUCCESS;
  }
  const std::map<std::string, std::string> GetAllAttrNamesAndTypes() const {
    std::map<std::string, std::string> all;
    for (const weft_own::DeclaredAttr &attr : node_->attrs)
      all[attr.name] = attr.type;
    for (const auto &value : node_->values)
      all.emplace(value.first, value.second.TypeName());
    return all;
  }
  graphStatus GetAllAttrNamesAndTypes(std::map<AscendString, AscendString> &all) const {
    for (const auto &attr : GetAllAttrNamesAndTypes())
      all[AscendString(attr.first.c_str())] = AscendString(attr.second.c_str());
    return GRAPH_SUCCESS;
  }
  graphStatus GetAllIrAttrNamesAndTypes(std::map<AscendString, AscendString> &all) const {
    for (const weft_own::DeclaredAttr &attr : node_->attrs)
      all[AscendString(attr.name.c_str())] = AscendString(attr.type.c_str());
    return GRAPH_SUCCESS;
  }

  void DynamicInputRegister(const char_t *port, const uint32_t count, bool = true) {
    Instances(node_->inputs, weft_own::NameOf(port), count);
  }
  void DynamicOutputRegister(const char_t *port, const uint32_t count, bool = true) {
    Instances(node_->outputs, weft_own::NameOf(port), count);
  }
  void SetSubgraphBuilder(const char_t *name, uint32_t i, const SubgraphBuilder &builder) {
    auto &list = node_->graph_builders[weft_own::NameOf(name)];
    list.resize(std::max<size_t>(list.size(), i + 1));
    list[i] = builder;
  }
  // The node itself, for what builds graphs, and a handle of one.
  explicit Operator(const std::shared_ptr<weft_own::Node> &node) : node_(node) {}
  const std::shared_ptr<weft_own::Node> &WeftNode() const { return node_; }

 protected:
  void DeclareInput(const char *name, const char *types, weft_own::PortKind kind) {
    node_->in.push_back({name, types, kind});
    if (kind != weft_own::PortKind::kDynamic)
      node_->inputs.push_back({name, TensorDesc(), {}, false, {}});
  }
  void DeclareOutput(const char *name, const char *types, weft_own::PortKind kind) {
    node_->out.push_back({name, types, kind});
    if (kind != weft_own::PortKind::kDynamic)
      node_->outputs.push_back({name, TensorDesc(), {}, false, {}});
  }
  template <typename T>
  void DeclareAttr(const char *name, const char *type, const T &value) {
    weft_own::DeclaredAttr attr = {name, type, false, AttrValue()};
    (void)attr.value.SetAttrValue(value);
    node_->attrs.push_back(attr);
  }
  void DeclareAttr(const char *name, const char *type) {
    node_->attrs.push_back({name, type, true, AttrValue()});
  }
  void DeclareType(const char *name, const TensorType &type) {
    node_->symbols.push_back({name, type.tensor_type_impl_->dt_vec_, false, {}});
  }
  void DeclareType(const char *name, const ListTensorType &type) {
    node_->symbols.push_back({name, type.tensor_type.tensor_type_impl_->dt_vec_, true, {}});
  }
  void DeclareType(const char *name, const Promote &promote) {
    std::vector<std::string> names;
    for (const char *symbol : promote.Syms())
      names.emplace_back(symbol);
    node_->symbols.push_back({name, {}, false, names});
  }
  void DeclareGraph(const char *name) { node_->graphs.emplace_back(name); }

 private:
  Operator &Connect(weft_own::Instance *input, const Operator &from, uint32_t output) {
    if (input) {
      input->link = {from.node_, output};
      from.node_->readers.push_back(node_);
    }
    return *this;
  }
  static uint32_t OutputIndex(const Operator &from, const std::string &name) {
    for (uint32_t i = 0; i < from.node_->outputs.size(); i++) {
      if (from.node_->outputs[i].name == name)
        return i;
    }
    return 0xffffffffu;
  }
  static TensorDesc DescOf(std::vector<weft_own::Instance> &list, const std::string &name) {
    const weft_own::Instance *found = weft_own::FindInstance(list, name);
    return found ? found->desc : TensorDesc();
  }
  static TensorDesc DescAt(const std::vector<weft_own::Instance> &list, uint32_t i) {
    return i < list.size() ? list[i].desc : TensorDesc();
  }
  static graphStatus Update(weft_own::Instance *instance, const TensorDesc &desc) {
    if (!instance)
      return GRAPH_FAILED;
    instance->desc = desc;
    instance->described = true;
    return GRAPH_SUCCESS;
  }
  static int32_t CountOf(std::vector<weft_own::Instance> &list, const std::string &port) {
    int32_t count = 0;
    while (weft_own::FindInstance(list, weft_own::InstanceName(port, static_cast<uint32_t>(count))))
      count++;
    return count;
  }
  static void Instances(std::vector<weft_own::Instance> &list, const std::string &port, uint32_t count) {
    const auto from = static_cast<uint32_t>(CountOf(list, port));
    for (uint32_t i = 0; i < count; i++)
      list.push_back({weft_own::InstanceName(port, from + i), TensorDesc(), {}, false, {}});
  }
  const AttrValue *FindAttr(const std::string &name) const { return weft_own::FindAttr(*node_, name); }
  std::shared_ptr<weft_own::Node> node_;
};
using OperatorPtr = std::shared_ptr<Operator>;

// The prototypes of this shared object.
class OperatorFactory {
 public:
  using Creator = Operator (*)(const std::string &name);
  static Operator CreateOperator(const std::string &name, const std::string &type) {
    auto found = Creators().find(type);
    return found == Creators().end() ? Operator() : found->second.make(name);
  }
  static Operator CreateOperator(const char_t *name, const char_t *type) {
    return CreateOperator(weft_own::NameOf(name), weft_own::NameOf(type));
  }
  static graphStatus GetOpsTypeList(std::vector<std::string> &all) {
    for (const auto &creator : Creators())
      all.push_back(creator.first);
    return GRAPH_SUCCESS;
  }
  static graphStatus GetOpsTypeList(std::vector<AscendString> &all) {
    for (const auto &creator : Creators())
      all.emplace_back(creator.first.c_str());
    return GRAPH_SUCCESS;
  }
  static bool IsExistOp(const std::string &type) { return Creators().count(type) != 0; }
  static bool IsExistOp(const char_t *type) { return IsExistOp(weft_own::NameOf(type)); }
  template <typename T>
  static bool Add(const char *type, const char *file = "", int line = 0) {
    Creators()[type] = {[](const std::string &name) -> Operator { return T(name.c_str()); }, file, line};
    return true;
  }
  // " (file:line)" of its registration; nothing for a type that is not registered here.
  static std::string WeftPlace(const std::string &type) {
    auto found = Creators().find(type);
    if (found == Creators().end() || !*found->second.file)
      return "";
    const char *slash = strrchr(found->second.file, '/');
    return " (" + std::string(slash ? slash + 1 : found->second.file) + ":" +
           std::to_string(found->second.line) + ")";
  }

 private:
  struct Registered {
    Creator make = nullptr;
    const char *file = "";
    int line = 0;
  };
  WEFT_CANN_OWN static std::map<std::string, Registered> &Creators() {
    static std::map<std::string, Registered> creators;
    return creators;
  }
};
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
