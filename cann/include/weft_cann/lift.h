// weft_cann/lift.h - from weft's graph to ge::Graph: what importers and files give, as nodes that a program
// may look at and change. Constants point into weft's graph, which lives as long as one of them.
#pragma once
#include <fstream>

#include "weft/infer.h"
#include "weft/model.h"
#include "weft_cann/lower_control.h"

namespace ge {
namespace weft_own {
// The environment, held for as long as this lives.
class HeldEnv {
 public:
  explicit HeldEnv(weft_diag *d) : env_(weft_ge_env_take(weft_package_entry, d)) {}
  ~HeldEnv() { weft_ge_env_give(env_); }
  HeldEnv(const HeldEnv &) = delete;
  HeldEnv &operator=(const HeldEnv &) = delete;
  weft_env *Get() const { return env_; }

 private:
  weft_env *env_;
};
// A graph of weft's, with its environment; copies are the same.
class HeldGraph {
 public:
  HeldGraph() = default;
  HeldGraph(std::shared_ptr<HeldEnv> env, weft_graph *graph)
      : graph_(graph, [env](weft_graph *last) { weft_graph_destroy(last); }) {}
  weft_graph *Get() const { return graph_.get(); }

 private:
  std::shared_ptr<weft_graph> graph_;
};

inline TensorDesc DescOf(const weft_value *value) {
  weft_tensor_desc desc;
  weft_value_expected(value, &desc);
  TensorDesc given(ShapeOf(desc.layout.origin), static_cast<Format>(desc.format),
                   static_cast<DataType>(desc.dtype));
  given.SetOriginShape(given.GetShape());
  given.SetOriginFormat(static_cast<Format>(desc.origin_format));
  given.SetName(weft_value_name(value));
  std::vector<std::pair<int64_t, int64_t>> range;
  for (size_t i = 0; desc.has_range && i < desc.min.rank && i < WEFT_MAX_RANK; i++)
    range.emplace_back(desc.min.dim[i], desc.max.dim[i]);
  (void)given.SetShapeRange(range);
  return given;
}
// The same memory.
inline Tensor TensorOf(const weft_tensor &from, const HeldGraph &owner) {
  TensorDesc desc(ShapeOf(from.layout.origin), static_cast<Format>(from.format),
                  static_cast<DataType>(from.dtype));
  desc.SetOriginShape(desc.GetShape());
  Tensor tensor(desc);
  (void)tensor.ResetData(static_cast<uint8_t *>(from.data), from.bytes, [owner](uint8_t *) {});
  return tensor;
}

// A node of an operator: its ports and attributes, nothing connected.
inline NodePtr NodeOf(const weft_proto *proto, const char *name) {
  static const PortKind kinds[] = {PortKind::kRequired, PortKind::kOptional, PortKind::kDynamic};
  const weft_op *op = weft_proto_op(proto);
  auto node = std::make_shared<Node>();
  node->name = name;
  node->type = op->name;
  for (uint32_t i = 0; i < weft_proto_n_in(proto); i++)
    node->in.push_back({weft_proto_in(proto, i)->name, "", kinds[weft_proto_in(proto, i)->kind]});
  for (uint32_t i = 0; i < weft_proto_n_out(proto); i++)
    node->out.push_back({weft_proto_out(proto, i)->name, "", kinds[weft_proto_out(proto, i)->kind]});
  for (uint32_t i = 0; i < weft_proto_n_attr(proto); i++) {
    const weft_attr_decl *attr = weft_proto_attr(proto, i);
    node->attrs.push_back({attr->name, attr->type, true, AttrValue()});
  }
  for (const char *const *slot = op->graphs; slot && *slot; slot++)
    node->graphs.emplace_back(*slot);
  return node;
}
inline NodePtr DataNode(const std::string &name, const TensorDesc &desc, size_t index) {
  auto node = std::make_shared<Node>();
  Instance port;
  node->name = name;
  node->type = "Data";
  port.desc = desc;
  port.described = desc.GetDataType() != DT_UNDEFINED;
  port.name = "x";
  node->in.push_back({"x", "", PortKind::kRequired});
  node->inputs.push_back(port);
  port.name = "y";
  node->out.push_back({"y", "", PortKind::kRequired});
  node->outputs.push_back(port);
  node->attrs.push_back({"index", "Int", true, AttrValue()});
  (void)node->values["index"].SetAttrValue(static_cast<int64_t>(index));
  return node;
}
// An instance for each that a node of weft's has; an absent optional port has one, too.
inline void AddInstances(const std::vector<DeclaredPort> &ports, const weft_port_span *spans,
                         std::vector<Instance> *list) {
  for (size_t p = 0; p < ports.size(); p++) {
    const bool dynamic = ports[p].kind == PortKind::kDynamic;
    const uint32_t count = dynamic ? spans[p].count : 1;
    for (uint32_t k = 0; k < count; k++) {
      Instance instance;
      instance.name = dynamic ? InstanceName(ports[p].name, k) : ports[p].name;
      list->push_back(instance);
    }
  }
}

class Lifting {
 public:
  Lifting(const HeldGraph &owner, weft_diag *d) : owner_(owner), d_(d) {}

  weft_status Lift(const weft_graph *from, Graph *to) {
    const GraphImplPtr impl = to->ImplPtr();
    if (impl->name.empty())
      impl->name = weft_graph_name(from);
    for (size_t i = 0; i < weft_graph_n_inputs(from); i++)
      WEFT_TRY(Input(weft_graph_input_at(from, i), i, *impl));
    for (size_t i = 0; i < weft_graph_n_consts(from); i++)
      WEFT_TRY(Const(weft_graph_const_at(from, i), *impl));
    for (weft_node *node = weft_graph_first(from); node; node = weft_node_next(node))
      WEFT_TRY(Add(node, impl));
    for (weft_node *node = weft_graph_first(from); node; node = weft_node_next(node))
      Connect(node);
    for (size_t i = 0; i < weft_graph_n_outputs(from); i++)
      impl->outputs.push_back(LinkOf(weft_graph_output_at(from, i)));
    return WEFT_OK;
  }

 private:
  weft_status TensorsOnly(const weft_value *value) {
    weft_tensor_desc desc;
    weft_value_desc(value, &desc);
    if (desc.kind == WEFT_KIND_TENSOR)
      return WEFT_OK;
    return weft_fail(d_, WEFT_E_UNSUPPORTED, "'%s' is no tensor: a ge::Graph has no Data or Const for it",
                     weft_value_name(value));
  }
  weft_status Input(const weft_value *value, size_t index, GraphImpl &impl) {
    WEFT_TRY(TensorsOnly(value));
    const NodePtr node = DataNode(weft_value_name(value), DescOf(value), index);
    impl.Add(node);
    impl.inputs.push_back(node);
    links_[value] = {node, 0};
    return WEFT_OK;
  }
  weft_status Const(const weft_value *value, GraphImpl &impl) {
    WEFT_TRY(TensorsOnly(value));
    auto node = std::make_shared<Node>();
    node->name = weft_value_name(value);
    node->type = "Const";
    node->out.push_back({"y", "", PortKind::kRequired});
    node->outputs.emplace_back();
    node->outputs[0].name = "y";
    node->attrs.push_back({"value", "Tensor", true, AttrValue()});
    (void)node->values["value"].SetAttrValue(TensorOf(*weft_value_data(value), owner_));
    node->outputs[0].desc = DescOf(value);
    impl.Add(node);
    links_[value] = {node, 0};
    return WEFT_OK;
  }
  weft_status Add(const weft_node *from, const GraphImplPtr &impl) {
    const weft_op_desc *desc = weft_node_desc(from);
    const NodePtr node = NodeOf(weft_node_proto(from), weft_node_name(from));
    AddInstances(node->in, desc->in_port, &node->inputs);
    AddInstances(node->out, desc->out_port, &node->outputs);
    for (size_t i = 0; i < weft_node_n_attrs(from); i++) {
      const char *name;
      const weft_attr *attr = weft_node_attr_at(from, i, &name);
      if (attr && attr->type != WEFT_VT_NONE)
        WEFT_TRY(Attr(*node, name, *attr));
    }
    impl->Add(node);
    nodes_[from] = node;
    Outputs(from, *node);
    return Subgraphs(from, node, impl);
  }
  // Instances that weft has, by the places that they have here.
  template <typename Use>
  static void Each(const std::vector<DeclaredPort> &ports, const weft_port_span *spans, const Use &use) {
    uint32_t here = 0;
    for (size_t p = 0; p < ports.size(); p++) {
      for (uint32_t k = 0; k < spans[p].count; k++)
        use(here + k, spans[p].start + k);
      here += ports[p].kind == PortKind::kDynamic ? spans[p].count : 1;
    }
  }
  void Outputs(const weft_node *from, Node &node) {
    Each(node.out, weft_node_desc(from)->out_port, [&](uint32_t here, uint32_t there) {
      const weft_value *value = weft_node_out(from, there);
      node.outputs[here].desc = DescOf(value);
      links_[value] = {nodes_[from], here};
    });
  }
  void Connect(const weft_node *from) {
    const NodePtr node = nodes_[from];
    Each(node->in, weft_node_desc(from)->in_port, [&](uint32_t here, uint32_t there) {
      const weft_value *value = weft_node_in(from, there);
      if (!value)
        return;
      node->inputs[here].link = LinkOf(value);
      node->inputs[here].desc = DescOf(value);
      node->inputs[here].link.from->readers.push_back(node);
    });
    for (size_t i = 0; i < weft_node_n_controls(from); i++)
      node->after.push_back(nodes_[weft_node_control_at(from, i)]);
  }
  Link LinkOf(const weft_value *value) const { return links_.at(value); }
  weft_status Subgraphs(const weft_node *from, const NodePtr &node, const GraphImplPtr &impl) {
    // a dynamic slot has as many as are left
    const uint32_t n = weft_node_n_graphs(from);
    for (uint32_t i = 0; i < n; i++) {
      const size_t slot = std::min<size_t>(i, node->graphs.size() - 1);
      const std::string &name = node->graphs[slot];
      auto graph = std::make_shared<Graph>(weft_graph_name(weft_node_graph_at(from, i)));
      Lifting inside(owner_, d_);
      WEFT_TRY(inside.Lift(weft_node_graph_at(from, i), graph.get()));
      graph->ImplPtr()->parent = impl;
      graph->ImplPtr()->parent_node = node;
      node->subgraphs[name[0] == '*' ? name.substr(1) : name].push_back(graph);
    }
    return WEFT_OK;
  }
  weft_status Attr(Node &node, const char *name, const weft_attr &attr) {
    AttrValue &to = node.values[name];
    switch (attr.type) {
      case WEFT_VT_INT:
        return Set(to, attr.u.i);
      case WEFT_VT_TYPE:
        return Set(to, static_cast<DataType>(attr.u.i));
      case WEFT_VT_FLOAT:
        return Set(to, attr.u.f);
      case WEFT_VT_BOOL:
        return Set(to, attr.u.b);
      case WEFT_VT_STRING:
        return Set(to, std::string(attr.u.s, attr.n));
      case WEFT_VT_TENSOR:
        return Set(to, TensorOf(*attr.u.tensor, owner_));
      case WEFT_VT_LIST_INT:
        return Set(to, std::vector<int64_t>(attr.u.ints, attr.u.ints + attr.n));
      case WEFT_VT_LIST_FLOAT:
        return Set(to, std::vector<float>(attr.u.floats, attr.u.floats + attr.n));
      case WEFT_VT_LIST_BOOL:
        return Set(to, std::vector<bool>(attr.u.bools, attr.u.bools + attr.n));
      default:
        return List(node, name, attr, to);
    }
  }
  weft_status List(const Node &node, const char *name, const weft_attr &attr, AttrValue &to) {
    std::vector<std::string> texts;
    std::vector<std::vector<int64_t>> lists;
    std::vector<DataType> types;
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < attr.n && attr.type == WEFT_VT_LIST_STRING; i++)
      texts.emplace_back(attr.u.strs[i].text, attr.u.strs[i].bytes);
    for (size_t i = 0; i < attr.n && attr.type == WEFT_VT_LIST_LIST_INT; i++)
      lists.emplace_back(attr.u.int_lists[i].v, attr.u.int_lists[i].v + attr.u.int_lists[i].n);
    for (size_t i = 0; i < attr.n && attr.type == WEFT_VT_LIST_TYPE; i++)
      types.push_back(static_cast<DataType>(attr.u.ints[i]));
    for (size_t i = 0; i < attr.n && attr.type == WEFT_VT_LIST_TENSOR; i++)
      tensors.push_back(TensorOf(*attr.u.tensors[i], owner_));
    switch (attr.type) {
      case WEFT_VT_LIST_STRING:
        return Set(to, texts);
      case WEFT_VT_LIST_LIST_INT:
        return Set(to, lists);
      case WEFT_VT_LIST_TYPE:
        return Set(to, types);
      case WEFT_VT_LIST_TENSOR:
        return Set(to, tensors);
      default:
        return weft_fail(d_, WEFT_E_UNSUPPORTED,
                         "node '%s' (%s): attribute '%s': a ge::Graph has none of the type %s",
                         node.name.c_str(), node.type.c_str(), name, weft_attr_type_name(attr.type));
    }
  }
  template <typename T>
  static weft_status Set(AttrValue &to, const T &value) {
    (void)to.SetAttrValue(value);
    return WEFT_OK;
  }
  HeldGraph owner_;
  weft_diag *d_;
  std::map<const weft_value *, Link> links_;
  std::map<const weft_node *, NodePtr> nodes_;
};

// Loads by `load`, which gets the environment, and lifts what it gives.
template <typename Load>
graphStatus LoadInto(Graph &graph, const Load &load) {
  weft_diag d = {};
  auto env = std::make_shared<HeldEnv>(&d);
  weft_graph *loaded = nullptr;
  if (!env->Get() || load(env->Get(), &loaded, &d))
    return Failed(d);
  const HeldGraph owner(env, loaded);
  Graph lifted(graph.GetName().c_str());
  Lifting lifting(owner, &d);
  if (lifting.Lift(loaded, &lifted))
    return Failed(d);
  graph = lifted;
  return GRAPH_SUCCESS;
}
// Lowers, and hands weft's graph to `use`.
template <typename Use>
graphStatus WithLowered(const Graph &graph, const Use &use) {
  weft_diag d = {};
  auto env = std::make_shared<HeldEnv>(&d);
  weft_graph *lowered = nullptr;
  if (!env->Get() || Lower(graph, env->Get(), nullptr, 0, &lowered, &d))
    return Failed(d);
  const HeldGraph owner(env, lowered);
  return use(lowered, &d) ? Failed(d) : GRAPH_SUCCESS;
}
inline weft_status WriteFile(const std::string &path, const std::string &text, weft_diag *d) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return file ? WEFT_OK : weft_fail(d, WEFT_E_IO, "'%s' cannot be written", path.c_str());
}

// Copies nodes, what they say and how they are connected; sub-graphs, too.
class Copying {
 public:
  GraphImplPtr Copy(const GraphImpl &from) {
    auto to = std::make_shared<GraphImpl>();
    to->name = from.name;
    to->iterates = from.iterates;
    for (const auto &attr : from.attrs)
      to->attrs[attr.first] = attr.second.Copy();
    for (const NodePtr &node : from.nodes)
      to->Add(Of(node));
    for (const NodePtr &node : from.inputs)
      to->inputs.push_back(Of(node));
    for (const NodePtr &node : from.targets)
      to->targets.push_back(Of(node));
    for (const Link &link : from.outputs)
      to->outputs.push_back({Of(link.from), link.output});
    for (const GraphPtr &graph : from.subgraphs)
      to->subgraphs.push_back(CopyOf(*graph, to, nullptr));
    for (const auto &pair : copies_)
      Finish(*pair.first, pair.second, to);
    return to;
  }

 private:
  NodePtr Of(const NodePtr &node) {
    NodePtr &copy = copies_[node];
    if (!copy) {
      copy = std::make_shared<Node>(*node);
      copy->readers.clear();
    }
    return copy;
  }
  static AttrValue ValueOf(const AttrValue &value) {
    Tensor tensor;
    if (value.GetAttrValue(tensor) != GRAPH_SUCCESS)
      return value.Copy();
    AttrValue copy;
    (void)copy.SetAttrValue(tensor.Clone());
    return copy;
  }
  static GraphPtr CopyOf(const Graph &graph, const GraphImplPtr &parent, const NodePtr &node) {
    auto copy = std::make_shared<Graph>(Copying().Copy(*graph.WeftImpl()));
    copy->ImplPtr()->parent = parent;
    copy->ImplPtr()->parent_node = node;
    return copy;
  }
  void Finish(const Node &from, const NodePtr &to, const GraphImplPtr &graph) {
    for (Instance &input : to->inputs) {
      auto found = copies_.find(input.link.from);
      input.link.from = found == copies_.end() ? nullptr : found->second;
      if (input.link.from)
        input.link.from->readers.push_back(to);
    }
    for (NodePtr &before : to->after) {
      before = copies_.count(before) ? copies_[before] : before;
      before->readers.push_back(to);
    }
    for (auto &value : to->values)
      value.second = ValueOf(value.second);
    to->subgraphs.clear();
    for (const auto &slot : from.subgraphs) {
      for (const GraphPtr &inside : slot.second)
        to->subgraphs[slot.first].push_back(CopyOf(*inside, graph, to));
    }
  }
  // by address, so that the order of work does not matter; a node is in the list of its graph
  std::map<NodePtr, NodePtr> copies_;
};
}  // namespace weft_own

inline graphStatus Graph::CopyFrom(const Graph &from) {
  if (!from.impl_)
    return weft_own::Failed(WEFT_E_INVALID, "CopyFrom: the graph is empty");
  impl_ = weft_own::Copying().Copy(*from.impl_);
  return GRAPH_SUCCESS;
}
inline graphStatus Graph::SaveToMem(GraphBuffer &buffer) const {
  std::string bytes;
  const graphStatus status = weft_own::WithLowered(*this, [&bytes](weft_graph *graph, weft_diag *d) {
    return weft_graph_save(graph, &weft_own::AppendText, &bytes, d);
  });
  buffer.WeftData().assign(bytes.begin(), bytes.end());
  return status;
}
inline graphStatus Graph::LoadFromMem(const uint8_t *data, const size_t len) {
  if (!data)
    return weft_own::Failed(WEFT_E_INVALID, "LoadFromMem: there are no bytes");
  return weft_own::LoadInto(*this, [&](weft_env *env, weft_graph **out, weft_diag *d) {
    return weft_graph_load(env, data, len, out, d);
  });
}
inline graphStatus Graph::Save(const std::string &file) const {
  return weft_own::WithLowered(*this, [&file](weft_graph *graph, weft_diag *d) {
    std::string bytes;
    const weft_status status = weft_graph_save(graph, &weft_own::AppendText, &bytes, d);
    return status ? status : weft_own::WriteFile(file, bytes, d);
  });
}
inline graphStatus Graph::Load(const std::string &file) {
  return weft_own::LoadInto(*this, [&file](weft_env *env, weft_graph **out, weft_diag *d) {
    return weft_model_load(env, file.c_str(), out, d);
  });
}
inline graphStatus Graph::Dump(DumpFormat format, std::ostream &out) const {
  return weft_own::WithLowered(*this, [&](weft_graph *graph, weft_diag *d) {
    std::string text;
    weft_diag inferring = {};  // shapes are shown where they can be found
    weft_status status = weft_graph_infer(graph, nullptr, nullptr, &inferring);
    if (format == DumpFormat::kTxt)
      status = weft_graph_print(graph, WEFT_TEXT_NO_DATA, &weft_own::AppendText, &text);
    else if (format == DumpFormat::kReadable)
      status = weft_graph_dump(graph, WEFT_DUMP_IR, &weft_own::AppendText, &text);
    else
      status = weft_graph_print_json(graph, &weft_own::AppendText, &text);
    out << text;
    return status ? weft_fail(d, status, "the graph cannot be printed") : WEFT_OK;
  });
}
inline graphStatus Graph::DumpToFile(DumpFormat format, const AscendString &suffix) const {
  const char *ending = format == DumpFormat::kOnnx ? ".json" : ".txt";
  const std::string path = "weft_" + GetName() + suffix.GetString() + ending;
  std::ofstream file(path);
  const graphStatus status = Dump(format, file);
  file.close();
  if (status == GRAPH_SUCCESS && !file)
    return weft_own::Failed(WEFT_E_IO, "'%s' cannot be written", path.c_str());
  return status;
}
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
