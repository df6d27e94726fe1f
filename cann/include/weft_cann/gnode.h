// weft_cann/gnode.h - what a graph holds, and ge::GNode, a node of one as programs look at it.
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

namespace weft_own {
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
inline graphStatus Failed(weft_status status, const char *text) {
  weft_diag d = {};
  (void)weft_fail(&d, status, "%s", text);
  return Failed(d);
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
}  // namespace weft_own

class GraphImpl {
 public:
  std::string name;
  std::vector<weft_own::NodePtr> nodes;  // in the order they came
  std::vector<weft_own::NodePtr> inputs;
  std::vector<weft_own::Link> outputs;
  std::vector<weft_own::NodePtr> targets;
  std::map<std::string, AttrValue> attrs;
  std::vector<GraphPtr> subgraphs;  // that AddSubGraph named
  std::weak_ptr<GraphImpl> parent;
  std::weak_ptr<weft_own::Node> parent_node;
  bool iterates = false;

  bool Has(const weft_own::NodePtr &node) const { return known_.count(node.get()) != 0; }
  void Add(const weft_own::NodePtr &node) {
    if (known_.insert(node.get()).second)
      nodes.push_back(node);
  }
  // The node, what it needs, and what reads it.
  void AddConnected(const weft_own::NodePtr &node) {
    std::vector<weft_own::NodePtr> open = {node};
    while (!open.empty()) {
      const weft_own::NodePtr next = open.back();
      open.pop_back();
      if (!known_.insert(next.get()).second)
        continue;
      nodes.push_back(next);
      for (const weft_own::Instance &input : next->inputs) {
        if (input.link.from && !Has(input.link.from))
          open.push_back(input.link.from);
      }
      for (const weft_own::NodePtr &before : next->after) {
        if (!Has(before))
          open.push_back(before);
      }
      for (const auto &reader : next->readers) {
        const weft_own::NodePtr there = reader.lock();
        if (there && !Has(there))
          open.push_back(there);
      }
    }
  }
  void Remove(const weft_own::NodePtr &node) {
    known_.erase(node.get());
    nodes.erase(std::remove(nodes.begin(), nodes.end(), node), nodes.end());
    inputs.erase(std::remove(inputs.begin(), inputs.end(), node), inputs.end());
    targets.erase(std::remove(targets.begin(), targets.end(), node), targets.end());
    const auto of_node = [&node](const weft_own::Link &link) { return link.from == node; };
    outputs.erase(std::remove_if(outputs.begin(), outputs.end(), of_node), outputs.end());
  }
  weft_own::NodePtr Find(const std::string &node_name) const {
    for (const weft_own::NodePtr &node : nodes) {
      if (node->name == node_name)
        return node;
    }
    return nullptr;
  }

 private:
  std::set<const weft_own::Node *> known_;
};

class NodeImpl {
 public:
  weft_own::NodePtr node;
  std::weak_ptr<GraphImpl> graph;
};

// A node of a graph.
class GNode {
 public:
  GNode() : impl_(std::make_shared<NodeImpl>()) {}
  GNode(const weft_own::NodePtr &node, const GraphImplPtr &graph) : GNode() {
    impl_->node = node;
    impl_->graph = graph;
  }
  graphStatus GetType(AscendString &type) const { return Text(&weft_own::Node::type, type); }
  graphStatus GetName(AscendString &name) const { return Text(&weft_own::Node::name, name); }

  // Who makes an input, and by which of its outputs; nullptr: nobody.
  std::pair<GNodePtr, int32_t> GetInDataNodesAndPortIndexs(const int32_t index) const {
    const weft_own::Instance *input = In(index);
    if (!input || !input->link.from)
      return {nullptr, 0xFF};
    return {Handle(input->link.from), static_cast<int32_t>(input->link.output)};
  }
  // Who reads an output, and by which of its inputs.
  std::vector<std::pair<GNodePtr, int32_t>> GetOutDataNodesAndPortIndexs(const int32_t index) const {
    std::vector<std::pair<GNodePtr, int32_t>> all;
    for (const weft_own::NodePtr &reader : Readers()) {
      for (size_t i = 0; i < reader->inputs.size(); i++) {
        const weft_own::Link &link = reader->inputs[i].link;
        if (link.from == impl_->node && link.output == static_cast<uint32_t>(index))
          all.emplace_back(Handle(reader), static_cast<int32_t>(i));
      }
    }
    return all;
  }
  std::vector<GNodePtr> GetInControlNodes() const {
    std::vector<GNodePtr> all;
    if (impl_->node) {
      for (const weft_own::NodePtr &before : impl_->node->after)
        all.push_back(Handle(before));
    }
    return all;
  }
  std::vector<GNodePtr> GetOutControlNodes() const {
    std::vector<GNodePtr> all;
    for (const weft_own::NodePtr &reader : Readers()) {
      if (std::count(reader->after.begin(), reader->after.end(), impl_->node))
        all.push_back(Handle(reader));
    }
    return all;
  }
  // The value of an input that a constant makes.
  graphStatus GetInputConstData(const int32_t index, Tensor &data) const {
    const weft_own::Instance *input = In(index);
    if (!input || !input->link.from)
      return GRAPH_FAILED;
    const std::string &type = input->link.from->type;
    if (type != "Const" && type != "Constant")
      return GRAPH_FAILED;
    return weft_own::AttrOf(*input->link.from, "value", data);
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
    return impl_->node ? weft_own::AttrOf(*impl_->node, name.GetString(), value) : GRAPH_FAILED;
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

  const weft_own::NodePtr &WeftNode() const { return impl_->node; }

 private:
  GNodePtr Handle(const weft_own::NodePtr &node) const {
    return std::make_shared<GNode>(node, impl_->graph.lock());
  }
  weft_own::Instance *In(int32_t i) const { return At(impl_->node ? &impl_->node->inputs : nullptr, i); }
  weft_own::Instance *Out(int32_t i) const { return At(impl_->node ? &impl_->node->outputs : nullptr, i); }
  static weft_own::Instance *At(std::vector<weft_own::Instance> *list, int32_t i) {
    return list && i >= 0 && static_cast<size_t>(i) < list->size() ? &(*list)[static_cast<size_t>(i)]
                                                                   : nullptr;
  }
  static graphStatus Desc(const weft_own::Instance *port, TensorDesc &desc) {
    if (!port)
      return GRAPH_FAILED;
    desc = port->desc;
    return GRAPH_SUCCESS;
  }
  static graphStatus Update(weft_own::Instance *port, const TensorDesc &desc) {
    if (!port)
      return GRAPH_FAILED;
    port->desc = desc;
    port->described = true;
    return GRAPH_SUCCESS;
  }
  static graphStatus PortAttr(const weft_own::Instance *port, const AscendString &name, AttrValue &value) {
    if (!port || !port->attrs.count(name.GetString()))
      return GRAPH_FAILED;
    value = port->attrs.at(name.GetString());
    return GRAPH_SUCCESS;
  }
  static graphStatus SetPortAttr(weft_own::Instance *port, const AscendString &name, const AttrValue &value) {
    if (!port)
      return GRAPH_FAILED;
    port->attrs[name.GetString()] = value.Copy();
    return GRAPH_SUCCESS;
  }
  static graphStatus IndexOf(const std::vector<weft_own::Instance> &list, const AscendString &name,
                             int32_t &index) {
    for (size_t i = 0; i < list.size(); i++) {
      if (name == list[i].name.c_str()) {
        index = static_cast<int32_t>(i);
        return GRAPH_SUCCESS;
      }
    }
    return GRAPH_FAILED;
  }
  static graphStatus IndexesOf(const std::vector<weft_own::Instance> &list, const AscendString &port,
                               std::vector<int32_t> &indexes) {
    indexes.clear();
    int32_t index = 0;
    for (uint32_t k = 0;; k++) {
      const std::string name = weft_own::InstanceName(port.GetString(), k);
      if (IndexOf(list, name.c_str(), index) != GRAPH_SUCCESS)
        return k ? GRAPH_SUCCESS : GRAPH_FAILED;
      indexes.push_back(index);
    }
  }
  graphStatus Text(std::string weft_own::Node::*member, AscendString &text) const {
    if (!impl_->node)
      return GRAPH_FAILED;
    text = AscendString(((*impl_->node).*member).c_str());
    return GRAPH_SUCCESS;
  }
  // Each once, those of this graph.
  std::vector<weft_own::NodePtr> Readers() const {
    std::vector<weft_own::NodePtr> all;
    const GraphImplPtr graph = impl_->graph.lock();
    if (!impl_->node)
      return all;
    for (const auto &reader : impl_->node->readers) {
      const weft_own::NodePtr there = reader.lock();
      const bool here = there && (!graph || graph->Has(there));
      if (here && !std::count(all.begin(), all.end(), there))
        all.push_back(there);
    }
    return all;
  }
  std::shared_ptr<NodeImpl> impl_;
};
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
