// weft_cann/graph_class.h - ge::Graph and ge::GNode. A graph is a handle of nodes (weft_cann/operator.h), its
// inputs and outputs; copies are the same graph. Nothing of it is weft's own graph yet: a session, a build or
// a file lowers it (weft_cann/lower.h), and what is wrong with it is said then.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <ostream>
#include <set>

#include "weft_cann/engine.h"
#include "weft_cann/operator.h"

// The registrations of this program (weft_cann/package.h); nullptr where it has none.
extern "C" __attribute__((weak, visibility("default"))) const weft_package *weft_package_entry(
    const weft_host *host);

namespace ge {
class Graph;
class GNode;
class GraphImpl;
class NodeImpl;
using GraphPtr = std::shared_ptr<Graph>;
using ConstGraphPtr = std::shared_ptr<const Graph>;
using GNodePtr = std::shared_ptr<GNode>;
using GraphImplPtr = std::shared_ptr<GraphImpl>;

namespace weft_cann {
using NodePtr = std::shared_ptr<Node>;

// What a failure says is kept for GEGetErrorMsg, and goes to stderr, where ASCEND_GLOBAL_LOG_LEVEL lets
// errors through (below 4, or not set).
inline void SayError(const char *text) {
  const char *level = getenv("ASCEND_GLOBAL_LOG_LEVEL");
  if (!level || *level < '4')
    fprintf(stderr, "GE: %s\n", text);
}
inline graphStatus Failed(const weft_diag &d) {
  (void)weft_ge_failed(&d);
  SayError(d.text);
  return GRAPH_FAILED;
}
template <typename... Args>
graphStatus Failed(weft_status status, const char *format, Args... args) {
  weft_diag d = {};
  (void)weft_fail(&d, status, format, args...);
  return Failed(d);
}
// The same of a function of weft_cann/engine.h, which has kept its text.
inline graphStatus Result(weft_status status) {
  if (!status)
    return GRAPH_SUCCESS;
  SayError(weft_ge_error());
  return GRAPH_FAILED;
}

// A weft_write_fn into a std::string.
inline weft_status AppendText(void *ctx, const char *text, size_t bytes) {
  static_cast<std::string *>(ctx)->append(text, bytes);
  return WEFT_OK;
}

// Builds a node's sub-graphs, once.
void BuildSubgraphs(Node &node);
}  // namespace weft_cann

class GraphImpl {
 public:
  std::string name;
  std::vector<weft_cann::NodePtr> nodes;  // in the order they came
  std::vector<weft_cann::NodePtr> inputs;
  std::vector<weft_cann::Link> outputs;
  std::vector<weft_cann::NodePtr> targets;
  std::map<std::string, AttrValue> attrs;
  std::vector<GraphPtr> subgraphs;  // that AddSubGraph named
  std::weak_ptr<GraphImpl> parent;
  std::weak_ptr<weft_cann::Node> parent_node;
  bool iterates = false;

  bool Has(const weft_cann::NodePtr &node) const { return known_.count(node.get()) != 0; }
  void Add(const weft_cann::NodePtr &node) {
    if (known_.insert(node.get()).second)
      nodes.push_back(node);
  }
  // The node, what it needs, and what reads it.
  void AddConnected(const weft_cann::NodePtr &node) {
    std::vector<weft_cann::NodePtr> open = {node};
    while (!open.empty()) {
      const weft_cann::NodePtr next = open.back();
      open.pop_back();
      if (!known_.insert(next.get()).second)
        continue;
      nodes.push_back(next);
      for (const weft_cann::Instance &input : next->inputs) {
        if (input.link.from && !Has(input.link.from))
          open.push_back(input.link.from);
      }
      for (const weft_cann::NodePtr &before : next->after) {
        if (!Has(before))
          open.push_back(before);
      }
      for (const auto &reader : next->readers) {
        const weft_cann::NodePtr there = reader.lock();
        if (there && !Has(there))
          open.push_back(there);
      }
    }
  }
  void Remove(const weft_cann::NodePtr &node) {
    known_.erase(node.get());
    nodes.erase(std::remove(nodes.begin(), nodes.end(), node), nodes.end());
    inputs.erase(std::remove(inputs.begin(), inputs.end(), node), inputs.end());
    targets.erase(std::remove(targets.begin(), targets.end(), node), targets.end());
    const auto of_node = [&node](const weft_cann::Link &link) { return link.from == node; };
    outputs.erase(std::remove_if(outputs.begin(), outputs.end(), of_node), outputs.end());
  }
  weft_cann::NodePtr Find(const std::string &node_name) const {
    for (const weft_cann::NodePtr &node : nodes) {
      if (node->name == node_name)
        return node;
    }
    return nullptr;
  }

 private:
  std::set<const weft_cann::Node *> known_;
};

class NodeImpl {
 public:
  weft_cann::NodePtr node;
  std::weak_ptr<GraphImpl> graph;
};

// A node of a graph.
class GNode {
 public:
  GNode() : impl_(std::make_shared<NodeImpl>()) {}
  GNode(const weft_cann::NodePtr &node, const GraphImplPtr &graph) : GNode() {
    impl_->node = node;
    impl_->graph = graph;
  }
  graphStatus GetType(AscendString &type) const { return Text(&weft_cann::Node::type, type); }
  graphStatus GetName(AscendString &name) const { return Text(&weft_cann::Node::name, name); }

  // Who makes an input, and by which of its outputs; nullptr: nobody.
  std::pair<GNodePtr, int32_t> GetInDataNodesAndPortIndexs(const int32_t index) const {
    const weft_cann::Instance *input = In(index);
    if (!input || !input->link.from)
      return {nullptr, 0xFF};
    return {Handle(input->link.from), static_cast<int32_t>(input->link.output)};
  }
  // Who reads an output, and by which of its inputs.
  std::vector<std::pair<GNodePtr, int32_t>> GetOutDataNodesAndPortIndexs(const int32_t index) const {
    std::vector<std::pair<GNodePtr, int32_t>> all;
    for (const weft_cann::NodePtr &reader : Readers()) {
      for (size_t i = 0; i < reader->inputs.size(); i++) {
        const weft_cann::Link &link = reader->inputs[i].link;
        if (link.from == impl_->node && link.output == static_cast<uint32_t>(index))
          all.emplace_back(Handle(reader), static_cast<int32_t>(i));
      }
    }
    return all;
  }
  std::vector<GNodePtr> GetInControlNodes() const {
    std::vector<GNodePtr> all;
    if (impl_->node) {
      for (const weft_cann::NodePtr &before : impl_->node->after)
        all.push_back(Handle(before));
    }
    return all;
  }
  std::vector<GNodePtr> GetOutControlNodes() const {
    std::vector<GNodePtr> all;
    for (const weft_cann::NodePtr &reader : Readers()) {
      if (std::count(reader->after.begin(), reader->after.end(), impl_->node))
        all.push_back(Handle(reader));
    }
    return all;
  }
  // The value of an input that a constant makes.
  graphStatus GetInputConstData(const int32_t index, Tensor &data) const {
    const weft_cann::Instance *input = In(index);
    if (!input || !input->link.from)
      return GRAPH_FAILED;
    const std::string &type = input->link.from->type;
    if (type != "Const" && type != "Constant")
      return GRAPH_FAILED;
    return weft_cann::AttrOf(*input->link.from, "value", data);
  }
  graphStatus GetInputIndexByName(const AscendString &name, int32_t &index) {
    return impl_->node ? IndexOf(impl_->node->inputs, name, index) : GRAPH_FAILED;
  }
  graphStatus GetOutputIndexByName(const AscendString &name, int32_t &index) {
    return impl_->node ? IndexOf(impl_->node->outputs, name, index) : GRAPH_FAILED;
  }
  graphStatus GetDynamicInputIndexesByName(const AscendString &name, std::vector<int32_t> &indexes) {
    return impl_->node ? IndexesOf(impl_->node->inputs, name, indexes) : GRAPH_FAILED;
  }
  graphStatus GetDynamicOutputIndexesByName(const AscendString &name, std::vector<int32_t> &indexes) {
    return impl_->node ? IndexesOf(impl_->node->outputs, name, indexes) : GRAPH_FAILED;
  }
  size_t GetInputsSize() const { return impl_->node ? impl_->node->inputs.size() : 0; }
  size_t GetOutputsSize() const { return impl_->node ? impl_->node->outputs.size() : 0; }
  graphStatus GetInputDesc(const int32_t index, TensorDesc &desc) const { return Desc(In(index), desc); }
  graphStatus GetOutputDesc(const int32_t index, TensorDesc &desc) const { return Desc(Out(index), desc); }
  graphStatus UpdateInputDesc(const int32_t index, const TensorDesc &desc) { return Update(In(index), desc); }
  graphStatus UpdateOutputDesc(const int32_t index, const TensorDesc &desc) {
    return Update(Out(index), desc);
  }

  template <typename T>
  graphStatus GetAttr(const AscendString &name, T &value) const {
    return impl_->node ? weft_cann::AttrOf(*impl_->node, name.GetString(), value) : GRAPH_FAILED;
  }
  template <typename T>
  graphStatus SetAttr(const AscendString &name, const T &value) const {
    if (!impl_->node)
      return GRAPH_FAILED;
    AttrValue stored;
    (void)stored.SetAttrValue(value);
    impl_->node->values[name.GetString()] = stored;
    return GRAPH_SUCCESS;
  }
  bool HasAttr(const AscendString &name) {
    AttrValue value;
    return GetAttr(name, value) == GRAPH_SUCCESS;
  }
  // Attributes of one input or output.
  graphStatus GetOutputAttr(const AscendString &name, uint32_t index, AttrValue &value) const {
    return PortAttr(Out(static_cast<int32_t>(index)), name, value);
  }
  graphStatus SetOutputAttr(const AscendString &name, uint32_t index, const AttrValue &value) {
    return SetPortAttr(Out(static_cast<int32_t>(index)), name, value);
  }
  graphStatus GetInputAttr(const AscendString &name, uint32_t index, AttrValue &value) const {
    return PortAttr(In(static_cast<int32_t>(index)), name, value);
  }
  graphStatus SetInputAttr(const AscendString &name, uint32_t index, const AttrValue &value) {
    return SetPortAttr(In(static_cast<int32_t>(index)), name, value);
  }

  graphStatus GetSubgraph(uint32_t index, GraphPtr &graph) const {
    std::vector<GraphPtr> all;
    (void)GetALLSubgraphs(all);
    if (index >= all.size())
      return GRAPH_FAILED;
    graph = all[index];
    return GRAPH_SUCCESS;
  }
  // In the order of the prototype's slots.
  graphStatus GetALLSubgraphs(std::vector<GraphPtr> &graphs) const {
    if (!impl_->node)
      return GRAPH_FAILED;
    for (const std::string &slot : impl_->node->graphs) {
      auto found = impl_->node->subgraphs.find(slot[0] == '*' ? slot.substr(1) : slot);
      if (found != impl_->node->subgraphs.end())
        graphs.insert(graphs.end(), found->second.begin(), found->second.end());
    }
    return GRAPH_SUCCESS;
  }
  graphStatus SetSubgraph(const AscendString &slot, const Graph &subgraph);
  graphStatus SetSubgraphs(const AscendString &slot, const std::vector<Graph> &subgraphs);

  const weft_cann::NodePtr &WeftNode() const { return impl_->node; }

 private:
  GNodePtr Handle(const weft_cann::NodePtr &node) const {
    return std::make_shared<GNode>(node, impl_->graph.lock());
  }
  weft_cann::Instance *In(int32_t i) const { return At(impl_->node ? &impl_->node->inputs : nullptr, i); }
  weft_cann::Instance *Out(int32_t i) const { return At(impl_->node ? &impl_->node->outputs : nullptr, i); }
  static weft_cann::Instance *At(std::vector<weft_cann::Instance> *list, int32_t i) {
    return list && i >= 0 && static_cast<size_t>(i) < list->size() ? &(*list)[static_cast<size_t>(i)]
                                                                   : nullptr;
  }
  static graphStatus Desc(const weft_cann::Instance *port, TensorDesc &desc) {
    if (!port)
      return GRAPH_FAILED;
    desc = port->desc;
    return GRAPH_SUCCESS;
  }
  static graphStatus Update(weft_cann::Instance *port, const TensorDesc &desc) {
    if (!port)
      return GRAPH_FAILED;
    port->desc = desc;
    port->described = true;
    return GRAPH_SUCCESS;
  }
  static graphStatus PortAttr(const weft_cann::Instance *port, const AscendString &name, AttrValue &value) {
    if (!port || !port->attrs.count(name.GetString()))
      return GRAPH_FAILED;
    value = port->attrs.at(name.GetString());
    return GRAPH_SUCCESS;
  }
  static graphStatus SetPortAttr(weft_cann::Instance *port, const AscendString &name,
                                 const AttrValue &value) {
    if (!port)
      return GRAPH_FAILED;
    port->attrs[name.GetString()] = value.Copy();
    return GRAPH_SUCCESS;
  }
  static graphStatus IndexOf(const std::vector<weft_cann::Instance> &list, const AscendString &name,
                             int32_t &index) {
    for (size_t i = 0; i < list.size(); i++) {
      if (name == list[i].name.c_str()) {
        index = static_cast<int32_t>(i);
        return GRAPH_SUCCESS;
      }
    }
    return GRAPH_FAILED;
  }
  static graphStatus IndexesOf(const std::vector<weft_cann::Instance> &list, const AscendString &port,
                               std::vector<int32_t> &indexes) {
    indexes.clear();
    int32_t index = 0;
    for (uint32_t k = 0;; k++) {
      const std::string name = weft_cann::InstanceName(port.GetString(), k);
      if (IndexOf(list, name.c_str(), index) != GRAPH_SUCCESS)
        return k ? GRAPH_SUCCESS : GRAPH_FAILED;
      indexes.push_back(index);
    }
  }
  graphStatus Text(std::string weft_cann::Node::*member, AscendString &text) const {
    if (!impl_->node)
      return GRAPH_FAILED;
    text = AscendString(((*impl_->node).*member).c_str());
    return GRAPH_SUCCESS;
  }
  // Each once, those of this graph.
  std::vector<weft_cann::NodePtr> Readers() const {
    std::vector<weft_cann::NodePtr> all;
    const GraphImplPtr graph = impl_->graph.lock();
    if (!impl_->node)
      return all;
    for (const auto &reader : impl_->node->readers) {
      const weft_cann::NodePtr there = reader.lock();
      const bool here = there && (!graph || graph->Has(there));
      if (here && !std::count(all.begin(), all.end(), there))
        all.push_back(there);
    }
    return all;
  }
  std::shared_ptr<NodeImpl> impl_;
};

// The bytes of a saved graph.
class GraphBuffer {
 public:
  GraphBuffer() = default;
  GraphBuffer(const GraphBuffer &) = delete;
  GraphBuffer &operator=(const GraphBuffer &) = delete;
  const uint8_t *GetData() const { return data_.data(); }
  size_t GetSize() const { return data_.size(); }
  std::vector<uint8_t> &WeftData() { return data_; }

 private:
  std::vector<uint8_t> data_;
};

class Graph {
 public:
  enum class DumpFormat : uint32_t { kOnnx = 0, kTxt = 1, kReadable = 2 };

  explicit Graph(const std::string &name) { Impl().name = name; }
  explicit Graph(const char_t *name) { Impl().name = name ? name : ""; }
  Graph() = default;
  ~Graph() noexcept = default;
  explicit Graph(const GraphImplPtr &impl) : impl_(impl) {}

  Graph &SetInputs(const std::vector<Operator> &inputs) {
    Impl().inputs.clear();
    for (const Operator &input : inputs) {
      Impl().inputs.push_back(input.WeftNode());
      Take(input.WeftNode());
    }
    return *this;
  }
  // All outputs of each.
  Graph &SetOutputs(const std::vector<Operator> &outputs) {
    Impl().outputs.clear();
    for (const Operator &output : outputs)
      AddOutputs(output.WeftNode());
    return *this;
  }
  graphStatus SetOutputs(const std::vector<std::pair<GNode, int32_t>> &outputs) {
    std::vector<weft_cann::Link> links;
    for (const auto &output : outputs) {
      const weft_cann::NodePtr &node = output.first.WeftNode();
      if (!node || output.second < 0)
        return weft_cann::Failed(WEFT_E_INVALID, "SetOutputs of graph '%s': output %zu is no node",
                                 GetName().c_str(), links.size());
      links.push_back({node, static_cast<uint32_t>(output.second)});
    }
    SetLinks(links);
    return GRAPH_SUCCESS;
  }
  // Chosen outputs of each; no number stands for all of them.
  Graph &SetOutputs(const std::vector<std::pair<Operator, std::vector<size_t>>> &outputs) {
    Impl().outputs.clear();
    for (const auto &output : outputs) {
      if (output.second.empty())
        AddOutputs(output.first.WeftNode());
      for (size_t i : output.second)
        AddOutput(output.first.WeftNode(), static_cast<uint32_t>(i));
    }
    return *this;
  }
  Graph &SetOutputs(const std::vector<std::pair<Operator, std::string>> &outputs) {
    Impl().outputs.clear();
    for (const auto &output : outputs)
      AddOutput(output.first.WeftNode(), NumberOf(output.first.WeftNode(), output.second));
    return *this;
  }
  Graph &SetOutputs(const std::vector<std::pair<Operator, AscendString>> &outputs) {
    Impl().outputs.clear();
    for (const auto &output : outputs)
      AddOutput(output.first.WeftNode(), NumberOf(output.first.WeftNode(), output.second.GetString()));
    return *this;
  }
  // Nodes that run though nobody reads them.
  Graph &SetTargets(const std::vector<Operator> &targets) {
    Impl().targets.clear();
    for (const Operator &target : targets) {
      Impl().targets.push_back(target.WeftNode());
      Take(target.WeftNode());
    }
    return *this;
  }
  bool IsValid() const { return impl_ && !impl_->nodes.empty(); }
  graphStatus SetValid() {
    (void)Impl();
    return GRAPH_SUCCESS;
  }
  graphStatus AddOp(const Operator &op) {
    Impl().Add(op.WeftNode());
    Adopt(op.WeftNode());
    return GRAPH_SUCCESS;
  }
  GNode AddNodeByOp(const Operator &op) {
    (void)AddOp(op);
    return GNode(op.WeftNode(), impl_);
  }
  template <typename Name>
  graphStatus FindOpByName(const Name &name, Operator &op) const {
    const weft_cann::NodePtr node = impl_ ? impl_->Find(weft_cann::NameOf(name)) : nullptr;
    if (!node)
      return GRAPH_FAILED;
    op = Operator(node);
    return GRAPH_SUCCESS;
  }
  template <typename Name>
  graphStatus FindOpByType(const Name &type, std::vector<Operator> &ops) const {
    for (const weft_cann::NodePtr &node : Nodes()) {
      if (node->type == weft_cann::NameOf(type))
        ops.push_back(Operator(node));
    }
    return GRAPH_SUCCESS;
  }
  graphStatus GetAllOpName(std::vector<std::string> &names) const {
    for (const weft_cann::NodePtr &node : Nodes())
      names.push_back(node->name);
    return GRAPH_SUCCESS;
  }
  graphStatus GetAllOpName(std::vector<AscendString> &names) const {
    for (const weft_cann::NodePtr &node : Nodes())
      names.emplace_back(node->name.c_str());
    return GRAPH_SUCCESS;
  }
  const std::string &GetName() const {
    static const std::string none;
    return impl_ ? impl_->name : none;
  }
  graphStatus GetName(AscendString &name) const {
    name = AscendString(GetName().c_str());
    return GRAPH_SUCCESS;
  }
  void SetNeedIteration(bool iterates) { Impl().iterates = iterates; }

  // With those of sub-graphs.
  std::vector<GNode> GetAllNodes() const {
    std::vector<GNode> all = GetDirectNode();
    for (const GraphPtr &graph : GetAllSubgraphs()) {
      const std::vector<GNode> inside = graph->GetDirectNode();
      all.insert(all.end(), inside.begin(), inside.end());
    }
    return all;
  }
  std::vector<GNode> GetDirectNode() const {
    std::vector<GNode> all;
    for (const weft_cann::NodePtr &node : Nodes())
      all.emplace_back(node, impl_);
    return all;
  }
  // Those of nodes, theirs, and what AddSubGraph named.
  std::vector<GraphPtr> GetAllSubgraphs() const {
    std::vector<GraphPtr> all;
    if (!impl_)
      return all;
    all = impl_->subgraphs;
    for (const weft_cann::NodePtr &node : impl_->nodes) {
      for (const auto &slot : node->subgraphs) {
        for (const GraphPtr &graph : slot.second) {
          all.push_back(graph);
          const std::vector<GraphPtr> inside = graph->GetAllSubgraphs();
          all.insert(all.end(), inside.begin(), inside.end());
        }
      }
    }
    return all;
  }
  GraphPtr GetSubGraph(const char *name) const {
    for (const GraphPtr &graph : GetAllSubgraphs()) {
      if (name && graph->GetName() == name)
        return graph;
    }
    return nullptr;
  }
  graphStatus AddSubGraph(const Graph &subgraph) {
    if (!subgraph.impl_ || GetSubGraph(subgraph.GetName().c_str()))
      return GRAPH_FAILED;
    subgraph.impl_->parent = ImplPtr();
    impl_->subgraphs.push_back(std::make_shared<Graph>(subgraph));
    return GRAPH_SUCCESS;
  }
  graphStatus RemoveSubgraph(const char *name) {
    if (!impl_ || !name)
      return GRAPH_FAILED;
    for (size_t i = 0; i < impl_->subgraphs.size(); i++) {
      if (impl_->subgraphs[i]->GetName() == name) {
        impl_->subgraphs.erase(impl_->subgraphs.begin() + static_cast<std::ptrdiff_t>(i));
        return GRAPH_SUCCESS;
      }
    }
    return GRAPH_FAILED;
  }
  // Who reads it reads nothing afterwards.
  graphStatus RemoveNode(GNode &node) {
    const weft_cann::NodePtr gone = node.WeftNode();
    if (!impl_ || !gone || !impl_->Has(gone))
      return GRAPH_FAILED;
    for (const weft_cann::NodePtr &other : impl_->nodes) {
      for (weft_cann::Instance &input : other->inputs) {
        if (input.link.from == gone)
          input.link = {};
      }
      other->after.erase(std::remove(other->after.begin(), other->after.end(), gone), other->after.end());
    }
    for (weft_cann::Instance &input : gone->inputs)
      input.link = {};
    gone->after.clear();
    impl_->Remove(gone);
    return GRAPH_SUCCESS;
  }
  graphStatus RemoveNode(GNode &node, bool contain_subgraph) {
    if (contain_subgraph && node.WeftNode())
      node.WeftNode()->subgraphs.clear();
    return RemoveNode(node);
  }
  graphStatus AddDataEdge(GNode &from, const int32_t output, GNode &to, const int32_t input);
  graphStatus AddControlEdge(GNode &from, GNode &to);
  // Port -1 on both sides: the control edge.
  graphStatus RemoveEdge(GNode &from, const int32_t output, GNode &to, const int32_t input) {
    const weft_cann::NodePtr reader = to.WeftNode();
    if (!reader || !from.WeftNode())
      return GRAPH_FAILED;
    if (output < 0 && input < 0) {
      auto found = std::find(reader->after.begin(), reader->after.end(), from.WeftNode());
      if (found == reader->after.end())
        return GRAPH_FAILED;
      reader->after.erase(found);
      return GRAPH_SUCCESS;
    }
    const bool there = input >= 0 && static_cast<size_t>(input) < reader->inputs.size();
    if (!there)
      return GRAPH_FAILED;
    weft_cann::Link &link = reader->inputs[static_cast<size_t>(input)].link;
    if (link.from != from.WeftNode() || link.output != static_cast<uint32_t>(output))
      return GRAPH_FAILED;
    link = {};
    return GRAPH_SUCCESS;
  }
  GNodePtr FindNodeByName(const AscendString &name) const {
    const weft_cann::NodePtr node = impl_ ? impl_->Find(name.GetString()) : nullptr;
    return node ? std::make_shared<GNode>(node, impl_) : nullptr;
  }
  ConstGraphPtr GetParentGraph() const {
    const GraphImplPtr parent = impl_ ? impl_->parent.lock() : nullptr;
    return parent ? std::make_shared<const Graph>(parent) : nullptr;
  }
  GNodePtr GetParentNode() const {
    const weft_cann::NodePtr node = impl_ ? impl_->parent_node.lock() : nullptr;
    return node ? std::make_shared<GNode>(node, impl_->parent.lock()) : nullptr;
  }
  static GraphPtr ConstructFromInputs(const std::vector<Operator> &inputs, const AscendString &name) {
    GraphPtr graph = std::make_shared<Graph>(name.GetString());
    graph->SetInputs(inputs);
    return graph;
  }
  graphStatus SetAttr(const AscendString &name, const AttrValue &value) {
    Impl().attrs[name.GetString()] = value.Copy();
    return GRAPH_SUCCESS;
  }
  graphStatus GetAttr(const AscendString &name, AttrValue &value) const {
    if (!impl_ || !impl_->attrs.count(name.GetString()))
      return GRAPH_FAILED;
    value = impl_->attrs.at(name.GetString());
    return GRAPH_SUCCESS;
  }
  // Makes this graph a deep copy.
  graphStatus CopyFrom(const Graph &from);

  // Files: weft's own form of a graph, whatever the name ends with. A graph that cannot be lowered cannot be
  // saved; GEGetErrorMsg says why.
  template <typename Name>
  graphStatus SaveToFile(const Name &file) const {
    return Save(weft_cann::NameOf(file));
  }
  template <typename Name>
  graphStatus LoadFromFile(const Name &file) {
    return Load(weft_cann::NameOf(file));
  }
  graphStatus SaveToMem(GraphBuffer &buffer) const;
  graphStatus LoadFromMem(const GraphBuffer &buffer) {
    return LoadFromMem(buffer.GetData(), buffer.GetSize());
  }
  graphStatus LoadFromMem(const uint8_t *data, const size_t len);
  graphStatus LoadFromSerializedModelArray(const void *data, size_t size) {
    return LoadFromMem(static_cast<const uint8_t *>(data), size);
  }
  // kTxt: weft's text form, without the data of large constants; kReadable: a line a node; kOnnx: nodes and
  // values as JSON.
  graphStatus Dump(DumpFormat format, std::ostream &out) const;
  // Into weft_<graph><suffix>.txt or .json of the folder at hand.
  graphStatus DumpToFile(DumpFormat format, const AscendString &suffix) const;

  const GraphImplPtr &WeftImpl() const { return impl_; }
  GraphImplPtr ImplPtr() {
    (void)Impl();
    return impl_;
  }

 private:
  GraphImpl &Impl() {
    if (!impl_)
      impl_ = std::make_shared<GraphImpl>();
    return *impl_;
  }
  const std::vector<weft_cann::NodePtr> &Nodes() const {
    static const std::vector<weft_cann::NodePtr> none;
    return impl_ ? impl_->nodes : none;
  }
  void Take(const weft_cann::NodePtr &node) {
    const size_t before = Impl().nodes.size();
    Impl().AddConnected(node);
    for (size_t i = before; i < impl_->nodes.size(); i++)
      Adopt(impl_->nodes[i]);
  }
  // Its sub-graphs become this graph's.
  void Adopt(const weft_cann::NodePtr &node);
  void AddOutput(const weft_cann::NodePtr &node, uint32_t output) {
    Impl().outputs.push_back({node, output});
    Take(node);
  }
  void AddOutputs(const weft_cann::NodePtr &node) {
    for (uint32_t i = 0; i < node->outputs.size(); i++)
      AddOutput(node, i);
    if (node->outputs.empty()) {
      Impl().targets.push_back(node);
      Take(node);
    }
  }
  void SetLinks(const std::vector<weft_cann::Link> &links) {
    Impl().outputs.clear();
    for (const weft_cann::Link &link : links)
      AddOutput(link.from, link.output);
  }
  static uint32_t NumberOf(const weft_cann::NodePtr &node, const std::string &output) {
    for (uint32_t i = 0; i < node->outputs.size(); i++) {
      if (node->outputs[i].name == output)
        return i;
    }
    return 0xffffffffu;
  }
  graphStatus Save(const std::string &file) const;
  graphStatus Load(const std::string &file);
  GraphImplPtr impl_;
};
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
