// weft_cann/graph_class.h - ge::Graph. A graph is a handle of nodes (weft_cann/operator.h), its
// inputs and outputs; copies are the same graph. Nothing of it is weft's own graph yet: a session, a build or
// a file lowers it (weft_cann/lower.h), and what is wrong with it is said then.
#pragma once
#include "weft_cann/gnode.h"

namespace ge {
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
    std::vector<weft_own::Link> links;
    for (const auto &output : outputs) {
      const weft_own::NodePtr &node = output.first.WeftNode();
      if (!node || output.second < 0)
        return weft_own::Failed(WEFT_E_INVALID, "SetOutputs of graph '%s': output %zu is no node",
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
    const weft_own::NodePtr node = impl_ ? impl_->Find(weft_own::NameOf(name)) : nullptr;
    if (!node)
      return GRAPH_FAILED;
    op = Operator(node);
    return GRAPH_SUCCESS;
  }
  template <typename Name>
  graphStatus FindOpByType(const Name &type, std::vector<Operator> &ops) const {
    for (const weft_own::NodePtr &node : Nodes()) {
      if (node->type == weft_own::NameOf(type))
        ops.push_back(Operator(node));
    }
    return GRAPH_SUCCESS;
  }
  graphStatus GetAllOpName(std::vector<std::string> &names) const {
    for (const weft_own::NodePtr &node : Nodes())
      names.push_back(node->name);
    return GRAPH_SUCCESS;
  }
  graphStatus GetAllOpName(std::vector<AscendString> &names) const {
    for (const weft_own::NodePtr &node : Nodes())
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
    for (const weft_own::NodePtr &node : Nodes())
      all.emplace_back(node, impl_);
    return all;
  }
  // Those of nodes, theirs, and what AddSubGraph named.
  std::vector<GraphPtr> GetAllSubgraphs() const {
    std::vector<GraphPtr> all;
    if (!impl_)
      return all;
    all = impl_->subgraphs;
    for (const weft_own::NodePtr &node : impl_->nodes) {
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
    const weft_own::NodePtr gone = node.WeftNode();
    if (!impl_ || !gone || !impl_->Has(gone))
      return GRAPH_FAILED;
    for (const weft_own::NodePtr &other : impl_->nodes) {
      for (weft_own::Instance &input : other->inputs) {
        if (input.link.from == gone)
          input.link = {};
      }
      other->after.erase(std::remove(other->after.begin(), other->after.end(), gone), other->after.end());
    }
    for (weft_own::Instance &input : gone->inputs)
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
    const weft_own::NodePtr reader = to.WeftNode();
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
    weft_own::Link &link = reader->inputs[static_cast<size_t>(input)].link;
    if (link.from != from.WeftNode() || link.output != static_cast<uint32_t>(output))
      return GRAPH_FAILED;
    link = {};
    return GRAPH_SUCCESS;
  }
  GNodePtr FindNodeByName(const AscendString &name) const {
    const weft_own::NodePtr node = impl_ ? impl_->Find(name.GetString()) : nullptr;
    return node ? std::make_shared<GNode>(node, impl_) : nullptr;
  }
  ConstGraphPtr GetParentGraph() const {
    const GraphImplPtr parent = impl_ ? impl_->parent.lock() : nullptr;
    return parent ? std::make_shared<const Graph>(parent) : nullptr;
  }
  GNodePtr GetParentNode() const {
    const weft_own::NodePtr node = impl_ ? impl_->parent_node.lock() : nullptr;
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
    return Save(weft_own::NameOf(file));
  }
  template <typename Name>
  graphStatus LoadFromFile(const Name &file) {
    return Load(weft_own::NameOf(file));
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
  const std::vector<weft_own::NodePtr> &Nodes() const {
    static const std::vector<weft_own::NodePtr> none;
    return impl_ ? impl_->nodes : none;
  }
  void Take(const weft_own::NodePtr &node) {
    const size_t before = Impl().nodes.size();
    Impl().AddConnected(node);
    for (size_t i = before; i < impl_->nodes.size(); i++)
      Adopt(impl_->nodes[i]);
  }
  // Its sub-graphs become this graph's.
  void Adopt(const weft_own::NodePtr &node);
  void AddOutput(const weft_own::NodePtr &node, uint32_t output) {
    Impl().outputs.push_back({node, output});
    Take(node);
  }
  void AddOutputs(const weft_own::NodePtr &node) {
    for (uint32_t i = 0; i < node->outputs.size(); i++)
      AddOutput(node, i);
    if (node->outputs.empty()) {
      Impl().targets.push_back(node);
      Take(node);
    }
  }
  void SetLinks(const std::vector<weft_own::Link> &links) {
    Impl().outputs.clear();
    for (const weft_own::Link &link : links)
      AddOutput(link.from, link.output);
  }
  static uint32_t NumberOf(const weft_own::NodePtr &node, const std::string &output) {
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
