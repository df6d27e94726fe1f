// weft_cann/lower.h - from ge::Graph to weft's graph. Data become graph inputs, constants constants, every
// other node a node of the operator that the environment has under its type; ports are matched by name. What
// no output and no target needs is left out.
#pragma once
#include "weft_cann/lower_attrs.h"
#include "weft/state.h"

namespace ge {
namespace weft_own {
inline weft_status NoMemory(weft_diag *d) {
  return weft_fail(d, WEFT_E_NOMEM, "out of memory while lowering a graph");
}

// Puts a ge::Graph into a graph of weft's. Several may put theirs into one, with names of their own.
class Lowering {
 public:
  Lowering(weft_env *env, weft_graph *to, weft_diag *d) : env_(env), to_(to), d_(d) {}
  // What is known of inputs that say nothing of themselves.
  void Given(const weft_tensor_desc *in, size_t n) {
    given_ = in;
    n_given_ = n;
  }
  // Values that stand for the inputs, instead of graph inputs.
  void Bind(const std::vector<weft_value *> &values) { bound_ = &values; }

  // Writes what inference found of a node's outputs and inputs into it.
  void Describe(Node &node) const {
    auto found = made_.find(&node);
    for (size_t i = 0; found != made_.end() && i < found->second.size() && i < node.outputs.size(); i++)
      Describe(found->second[i], &node.outputs[i]);
    for (Instance &input : node.inputs) {
      auto from = made_.find(input.link.from.get());
      if (from != made_.end() && input.link.output < from->second.size())
        Describe(from->second[input.link.output], &input);
    }
  }

  weft_status Lower(const GraphImpl &graph, std::vector<weft_value *> *outputs) {
    std::vector<NodePtr> order;
    WEFT_TRY(Order(graph, &order));
    WEFT_TRY(Inputs(DataOf(graph, order), graph.name.c_str()));
    for (const NodePtr &node : order)
      WEFT_TRY(Add(node));
    for (const Link &link : graph.outputs) {
      weft_value *value = nullptr;
      WEFT_TRY(ValueOf(link, "an output of the graph", &value));
      outputs->push_back(value);
    }
    return WEFT_OK;
  }

 private:
  // ---- inputs ----
  // Those of SetInputs, and what is needed beside them; in the order of `index` where that numbers them.
  static std::vector<NodePtr> DataOf(const GraphImpl &graph, const std::vector<NodePtr> &needed) {
    const std::set<NodePtr> live(needed.begin(), needed.end());
    std::vector<NodePtr> all;
    for (const auto *list : {&graph.inputs, &graph.nodes, &needed}) {
      for (const NodePtr &node : *list) {
        const bool wanted = list == &graph.inputs || live.count(node);
        if (IsData(*node) && wanted && !std::count(all.begin(), all.end(), node))
          all.push_back(node);
      }
    }
    std::vector<NodePtr> numbered(all.size());
    for (const NodePtr &node : all) {
      int64_t index = -1;
      (void)AttrOf(*node, "index", index);
      const bool fits = index >= 0 && static_cast<size_t>(index) < numbered.size();
      if (!fits || numbered[static_cast<size_t>(index)])
        return all;
      numbered[static_cast<size_t>(index)] = node;
    }
    return numbered;
  }
  weft_status Inputs(const std::vector<NodePtr> &all, const char *name) {
    if (bound_ && bound_->size() != all.size()) {
      return weft_fail(d_, WEFT_E_SHAPE, "sub-graph '%s' has %zu Data, and is given %zu values", name,
                       all.size(), bound_->size());
    }
    if (n_given_ && n_given_ != all.size())
      return weft_fail(d_, WEFT_E_INVALID, "%zu inputs are given, the graph has %zu", n_given_, all.size());
    for (size_t i = 0; i < all.size(); i++) {
      weft_value *value = nullptr;
      if (bound_)
        value = (*bound_)[i];
      else
        WEFT_TRY(Input(*all[i], i, &value));
      made_[all[i].get()] = {value};
    }
    return WEFT_OK;
  }
  static const Instance *Described(const Node &node) {
    for (const auto *list : {&node.outputs, &node.inputs}) {
      if (!list->empty() && list->front().described)
        return &list->front();
    }
    return nullptr;
  }
  weft_status Input(const Node &node, size_t i, weft_value **value) {
    weft_tensor_desc desc;
    const Instance *described = body_ ? nullptr : Described(node);
    weft_status status = WEFT_OK;
    if (described) {
      status = DescOf(described->desc, &desc, d_);
      if (!status)
        status = RangeOf(described->desc, &desc, d_);
    } else {
      status = Open(i, &desc);
    }
    if (!status) {
      *value = weft_graph_input_desc(to_, Name(node.name).c_str(), &desc, d_);
      status = *value ? WEFT_OK : d_->status;
    }
    if (status)
      weft_note(d_, "while adding input '%s' (%s)", node.name.c_str(), node.type.c_str());
    return status;
  }
  weft_status Open(size_t i, weft_tensor_desc *desc) const {
    weft_dtype type = WEFT_UNDEFINED;
    if (i < n_given_)
      type = given_[i].dtype;
    return AnyShape(type, WEFT_ND, desc);
  }

  // ---- order ----
  // Nodes that outputs and targets need, each behind what it reads.
  weft_status Order(const GraphImpl &graph, std::vector<NodePtr> *order) {
    std::vector<NodePtr> roots;
    for (const Link &link : graph.outputs)
      roots.push_back(link.from);
    roots.insert(roots.end(), graph.targets.begin(), graph.targets.end());
    if (roots.empty())
      return weft_fail(d_, WEFT_E_MISSING, "graph '%s' has no outputs: SetOutputs names them",
                       graph.name.c_str());
    std::map<const Node *, int> state;
    for (const NodePtr &root : roots)
      WEFT_TRY(Visit(root, &state, order));
    return WEFT_OK;
  }
  struct Step {
    NodePtr node;
    size_t next;
  };
  static NodePtr Before(const Node &node, size_t i) {
    return i < node.inputs.size() ? node.inputs[i].link.from : node.after[i - node.inputs.size()];
  }
  weft_status Visit(const NodePtr &root, std::map<const Node *, int> *state, std::vector<NodePtr> *order) {
    enum { kNew, kOpen, kDone };
    std::vector<Step> stack = {{root, 0}};
    while (!stack.empty()) {
      Step &top = stack.back();
      const NodePtr node = top.node;
      int &here = (*state)[node.get()];
      if (here == kDone || top.next == node->inputs.size() + node->after.size()) {
        if (here != kDone)
          order->push_back(node);
        here = kDone;
        stack.pop_back();
        continue;
      }
      here = kOpen;
      const NodePtr before = IsData(*node) ? nullptr : Before(*node, top.next);
      top.next++;
      if (!before)
        continue;
      const int there = (*state)[before.get()];
      if (there == kOpen)
        return weft_fail(d_, WEFT_E_CYCLE, "node '%s' (%s) needs its own output", before->name.c_str(),
                         before->type.c_str());
      if (there == kNew)
        stack.push_back({before, 0});
    }
    return WEFT_OK;
  }

  // ---- nodes ----
  weft_status Add(const NodePtr &node) {
    if (made_.count(node.get()))
      return WEFT_OK;
    const weft_status status = Make(*node);
    if (status)
      weft_note(d_, "while adding node '%s' (%s)", node->name.c_str(), node->type.c_str());
    return status;
  }
  weft_status Make(const Node &node) {
    if (IsConst(node))
      return Const(node);
    if (node.type == "Variable" && !Linked(node, "x"))
      return Variable(node);
    return IsControl(node) ? Control(node) : Use(node);
  }
  // Points at a tensor's data; large ones stay where they are, with the graph as one more holder.
  weft_status Hold(const Tensor &tensor, weft_tensor *borrowed, int *how) {
    enum { kCopied = 4096 };
    WEFT_TRY(Borrow(tensor, borrowed, d_));
    *how = WEFT_CONST_COPY;
    if (tensor.GetSize() <= kCopied)
      return WEFT_OK;
    auto *holder = new Tensor(tensor);
    const auto drop = [](void *held) { delete static_cast<Tensor *>(held); };
    if (weft_graph_keep(to_, drop, holder)) {
      delete holder;
      return NoMemory(d_);
    }
    *how = WEFT_CONST_BORROW;
    return WEFT_OK;
  }
  weft_status Const(const Node &node) {
    Tensor tensor;
    int how = WEFT_CONST_COPY;
    if (AttrOf(node, "value", tensor) != GRAPH_SUCCESS)
      return weft_fail(d_, WEFT_E_MISSING, "the attribute 'value' has no tensor: set_attr_value gives one");
    weft_tensor borrowed;
    weft_tensor_init(&borrowed, nullptr);
    WEFT_TRY(Hold(tensor, &borrowed, &how));
    weft_value *value = weft_graph_const(to_, Name(node.name).c_str(), &borrowed, how, d_);
    if (!value)
      return d_->status;
    made_[&node] = {value};
    return WEFT_OK;
  }
  // A state of the session (weft/state.h): it begins with its attribute 'value', or with zeros; one with an
  // input x begins with that, and is a node as others.
  weft_status Variable(const Node &node) {
    Tensor tensor;
    int how = WEFT_CONST_COPY;
    weft_tensor first;
    weft_tensor_init(&first, nullptr);
    const bool given = AttrOf(node, "value", tensor) == GRAPH_SUCCESS && tensor.GetSize();
    weft_status status = given ? Hold(tensor, &first, &how) : Zeros(node, &first);
    weft_value *value = nullptr;
    if (!status) {
      value = weft_graph_state(to_, Name(node.name).c_str(), &first, how, d_);
      status = value ? WEFT_OK : d_->status;
    }
    weft_tensor_deinit(&first);
    if (status)
      return status;
    made_[&node] = {value};
    nodes_[&node] = weft_value_node(value, nullptr);
    return WEFT_OK;
  }
  weft_status Zeros(const Node &node, weft_tensor *first) {
    const Instance *described = Described(node);
    if (!described) {
      return weft_fail(d_, WEFT_E_MISSING,
                       "the attribute 'value' has no tensor, and its output is not described: set_attr_value "
                       "or update_output_desc_y");
    }
    const std::vector<int64_t> dims = described->desc.GetShape().GetDims();
    for (const int64_t dim : dims) {
      if (dim < 0)
        return weft_fail(d_, WEFT_E_UNKNOWN,
                         "its shape is not known, and the attribute 'value' has no tensor");
    }
    return weft_tensor_alloc(first, static_cast<weft_dtype>(described->desc.GetDataType()), dims.data(),
                             dims.size(), d_);
  }
  weft_status Use(const Node &node) {
    const weft_proto *proto = nullptr;
    const std::string type = node.type == "StatelessIf" ? "If" : node.type;
    WEFT_TRY(weft_get(env_, type.c_str(), &proto, d_));
    AttrList attrs;
    WEFT_TRY(Attrs(node, proto, &attrs));
    std::vector<uint32_t> in_counts;
    std::vector<uint32_t> out_counts;
    std::vector<weft_value *> in;
    WEFT_TRY(Ins(node, proto, &in_counts, &in));
    Outs(node, proto, &out_counts);
    const std::string name = Name(node.name);
    weft_use use = {name.c_str(), attrs.List(), attrs.Count(), in_counts.data(), out_counts.data()};
    weft_node *made = nullptr;
    WEFT_TRY(weft_graph_add(to_, type.c_str(), &use, in.data(), in.size(), &made, d_));
    WEFT_TRY(Subgraphs(node, proto, made));
    WEFT_TRY(Declare(node, proto, made));
    Keep(node, proto, made);
    return Controls(node, made);
  }
  weft_status Attrs(const Node &node, const weft_proto *proto, AttrList *attrs) {
    for (const auto &value : node.values) {
      const int slot = weft_proto_find_attr(proto, value.first.c_str());
      const bool own = value.first[0] == '_';
      if (slot < 0 && !own) {
        weft_ge_warn("node '%s' (%s): the operator has no attribute '%s': it is left out", node.name.c_str(),
                     node.type.c_str(), value.first.c_str());
        continue;
      }
      const char *type = slot < 0 ? "" : weft_proto_attr(proto, static_cast<uint32_t>(slot))->type;
      WEFT_TRY(attrs->Add(value.first, value.second, type, d_));
    }
    return WEFT_OK;
  }
  static bool Linked(const Node &node, const char *input) {
    const Instance *found = Find(node.inputs, input);
    return found && found->link.from;
  }
  static const Instance *Find(const std::vector<Instance> &list, const std::string &name) {
    for (const Instance &instance : list) {
      if (instance.name == name)
        return &instance;
    }
    return nullptr;
  }
  // Instances of a dynamic port: x0, x1, ...
  static uint32_t CountOf(const std::vector<Instance> &list, const char *port) {
    uint32_t n = 0;
    while (Find(list, InstanceName(port, n)))
      n++;
    return n;
  }
  weft_status Ins(const Node &node, const weft_proto *proto, std::vector<uint32_t> *counts,
                  std::vector<weft_value *> *in) {
    size_t used = 0;
    for (uint32_t p = 0; p < weft_proto_n_in(proto); p++) {
      const weft_port *port = weft_proto_in(proto, p);
      uint32_t count = 0;
      if (port->kind == WEFT_DYNAMIC)
        count = CountOf(node.inputs, port->name);
      for (uint32_t i = 0; i < count; i++)
        WEFT_TRY(In(node, InstanceName(port->name, i), in));
      if (port->kind != WEFT_DYNAMIC) {
        const Instance *found = Find(node.inputs, port->name);
        count = port->kind == WEFT_REQUIRED || (found && found->link.from);
        if (count)
          WEFT_TRY(In(node, port->name, in));
        used += found != nullptr;
      } else {
        used += count;
      }
      counts->push_back(count);
    }
    return used == node.inputs.size() ? WEFT_OK : Stranger(node, proto);
  }
  weft_status In(const Node &node, const std::string &name, std::vector<weft_value *> *in) {
    const Instance *found = Find(node.inputs, name);
    if (!found || !found->link.from)
      return weft_fail(d_, WEFT_E_MISSING, "input '%s' is not connected", name.c_str());
    weft_value *value = nullptr;
    WEFT_TRY(ValueOf(found->link, name.c_str(), &value));
    in->push_back(value);
    return WEFT_OK;
  }
  // An input that weft's prototype does not have.
  weft_status Stranger(const Node &node, const weft_proto *proto) {
    std::string ports;
    for (uint32_t p = 0; p < weft_proto_n_in(proto); p++)
      ports += (p ? ", " : "") + std::string(weft_proto_in(proto, p)->name);
    for (const Instance &input : node.inputs) {
      const bool plain = weft_proto_find_in(proto, input.name.c_str()) >= 0;
      if (!plain && input.link.from && !IsInstance(proto, input.name))
        return weft_fail(d_, WEFT_E_NOT_FOUND, "the operator of %s has no input '%s', but %s",
                         weft_proto_origin(proto), input.name.c_str(), ports.c_str());
    }
    return WEFT_OK;
  }
  static bool IsInstance(const weft_proto *proto, const std::string &name) {
    for (uint32_t p = 0; p < weft_proto_n_in(proto); p++) {
      const weft_port *port = weft_proto_in(proto, p);
      if (port->kind == WEFT_DYNAMIC && name.compare(0, strlen(port->name), port->name) == 0)
        return true;
    }
    return false;
  }
  static void Outs(const Node &node, const weft_proto *proto, std::vector<uint32_t> *counts) {
    for (uint32_t p = 0; p < weft_proto_n_out(proto); p++) {
      const weft_port *port = weft_proto_out(proto, p);
      uint32_t count = 1;
      if (port->kind == WEFT_DYNAMIC)
        count = CountOf(node.outputs, port->name);
      else if (port->kind == WEFT_OPTIONAL)
        count = Find(node.outputs, port->name) != nullptr;
      counts->push_back(count);
    }
  }
  // Its outputs, in the order in which the graph's node numbers them.
  void Keep(const Node &node, const weft_proto *proto, weft_node *made) {
    std::vector<weft_value *> &values = made_[&node];
    const weft_op_desc *desc = weft_node_desc(made);
    std::map<std::string, weft_value *> by_name;
    for (uint32_t p = 0; p < desc->n_out_ports; p++) {
      const weft_port *port = weft_proto_out(proto, p);
      for (uint32_t k = 0; k < desc->out_port[p].count; k++) {
        weft_value *value = weft_node_out(made, desc->out_port[p].start + k);
        by_name[port->kind == WEFT_DYNAMIC ? InstanceName(port->name, k) : port->name] = value;
        if (node.outputs.empty())
          values.push_back(value);
      }
    }
    for (const Instance &output : node.outputs) {
      auto found = by_name.find(output.name);
      values.push_back(found == by_name.end() ? nullptr : found->second);
    }
  }
  weft_status ValueOf(const Link &link, const char *what, weft_value **value) {
    const Node &from = *link.from;
    auto found = made_.find(&from);
    const bool there = found != made_.end() && link.output < found->second.size();
    if (!there || !found->second[link.output])
      return weft_fail(d_, WEFT_E_RANGE, "%s is output %u of node '%s' (%s), which does not have it", what,
                       link.output, from.name.c_str(), from.type.c_str());
    *value = found->second[link.output];
    return WEFT_OK;
  }
  weft_status Controls(const Node &node, weft_node *made) {
    nodes_[&node] = made;
    for (const NodePtr &before : node.after) {
      auto found = nodes_.find(before.get());
      if (found != nodes_.end())
        WEFT_TRY(weft_graph_add_control(to_, found->second, made, d_));
    }
    return WEFT_OK;
  }
  // An operator that infers nothing has what the graph says of its outputs.
  weft_status Declare(const Node &node, const weft_proto *proto, weft_node *made) {
    const weft_op *op = weft_proto_op(proto);
    if (op->infer && op->infer_dtype)
      return WEFT_OK;
    for (uint32_t i = 0; i < node.outputs.size() && i < weft_node_desc(made)->n_out; i++) {
      if (!node.outputs[i].described || op->infer)
        continue;
      weft_tensor_desc desc;
      WEFT_TRY(DescOf(node.outputs[i].desc, &desc, d_));
      WEFT_TRY(weft_value_declare(weft_node_out(made, i), &desc, d_));
    }
    return WEFT_OK;
  }
  // ---- sub-graphs ----
  weft_status Subgraphs(const Node &node, const weft_proto *proto, weft_node *made) {
    const char *const *slots = weft_proto_op(proto)->graphs;
    for (uint32_t s = 0; slots && slots[s]; s++) {
      const char *slot = slots[s] + (slots[s][0] == '*');
      auto found = node.subgraphs.find(slot);
      if (found == node.subgraphs.end())
        return weft_fail(d_, WEFT_E_MISSING, "it has no sub-graph '%s': set_subgraph_builder_%s gives one",
                         slot, slot);
      for (const GraphPtr &graph : found->second)
        WEFT_TRY(Subgraph(*graph->WeftImpl(), slot, s, made));
    }
    return WEFT_OK;
  }
  weft_status Subgraph(const GraphImpl &graph, const char *slot, uint32_t s, weft_node *made) {
    weft_graph *inside = nullptr;
    const std::string name = graph.name.empty() ? slot : graph.name;
    WEFT_TRY(weft_node_add_graph(made, s, name.c_str(), &inside, d_));
    Lowering lowering(env_, inside, d_);
    lowering.body_ = true;
    std::vector<weft_value *> outputs;
    weft_status status = lowering.Lower(graph, &outputs);
    for (size_t i = 0; i < outputs.size() && !status; i++)
      status = weft_graph_output(inside, outputs[i], d_);
    if (status)
      weft_note(d_, "in sub-graph '%s'", name.c_str());
    return status;
  }

  static void Describe(const weft_value *value, Instance *to) {
    weft_tensor_desc desc;
    if (!value)
      return;
    weft_value_desc(value, &desc);
    to->desc.SetShape(ShapeOf(desc.layout.origin));
    to->desc.SetOriginShape(to->desc.GetShape());
    to->desc.SetDataType(static_cast<DataType>(desc.dtype));
  }
  // ---- control flow: weft_cann/lower_control.h ----
  bool IsControl(const Node &node) const;
  weft_status Control(const Node &node);
  weft_status Many(const Node &node, const char *port, std::vector<weft_value *> *values);
  weft_status GraphOf(const Node &node, const char *slot, size_t i, const GraphImpl **graph);
  weft_status Inline(const GraphImpl &graph, const std::vector<weft_value *> &in,
                     std::vector<weft_value *> *out);
  weft_status AsBool(const std::string &name, weft_value *value, weft_value **out);
  weft_status Condition(const Node &node, const std::vector<weft_value *> &in, weft_value **cond);
  weft_value *Anything(const std::string &name);
  weft_status Turn(const Node &node, size_t n);
  weft_status While(const Node &node, std::vector<weft_value *> *out);
  weft_status Branches(const Node &node, size_t from, uint32_t n_out, const std::vector<weft_value *> &in,
                       std::vector<weft_value *> *out);
  weft_status Branch(const Node &node, size_t i, bool others, uint32_t n_out, size_t n_in);
  weft_status Chosen(const Node &node, int32_t i, weft_value *index, weft_value **chosen);

  // A name that the graph does not have yet.
  std::string Name(const std::string &wanted) {
    std::string name = wanted.empty() ? "node" : wanted;
    for (uint32_t k = 1; !names_->insert(name).second; k++)
      name = wanted + "_" + std::to_string(k);
    return name;
  }
  weft_env *env_;
  weft_graph *to_;
  weft_diag *d_;
  const weft_tensor_desc *given_ = nullptr;
  size_t n_given_ = 0;
  const std::vector<weft_value *> *bound_ = nullptr;
  bool body_ = false;  // of a node: its inputs are what comes
  std::shared_ptr<std::set<std::string>> names_ = std::make_shared<std::set<std::string>>();
  std::map<const Node *, std::vector<weft_value *>> made_;
  std::map<const Node *, weft_node *> nodes_;
};

inline weft_status Lower(const Graph &graph, weft_env *env, const weft_tensor_desc *in, size_t n_in,
                         weft_graph **out, weft_diag *d) {
  const GraphImplPtr &impl = graph.WeftImpl();
  if (!impl)
    return weft_fail(d, WEFT_E_INVALID, "the graph is empty: it has neither a name nor nodes");
  const std::string name = impl->name.empty() ? "graph" : impl->name;
  WEFT_TRY(weft_graph_create(env, name.c_str(), out, d));
  Lowering lowering(env, *out, d);
  lowering.Given(in, n_in);
  std::vector<weft_value *> outputs;
  weft_status status = lowering.Lower(*impl, &outputs);
  for (size_t i = 0; i < outputs.size() && !status; i++)
    status = weft_graph_output(*out, outputs[i], d);
  if (!status)
    return WEFT_OK;
  weft_note(d, "in graph '%s'", name.c_str());
  weft_graph_destroy(*out);
  *out = nullptr;
  return status;
}

inline void BuildSubgraphs(Node &node) {
  for (const auto &slot : node.graph_builders) {
    std::vector<GraphPtr> &list = node.subgraphs[slot.first];
    for (size_t i = list.size(); i < slot.second.size(); i++)
      list.push_back(std::make_shared<Graph>(slot.second[i] ? slot.second[i]() : Graph()));
  }
}
}  // namespace weft_own

inline void Graph::Adopt(const weft_own::NodePtr &node) {
  weft_own::BuildSubgraphs(*node);
  for (const auto &slot : node->subgraphs) {
    for (const GraphPtr &graph : slot.second) {
      const GraphImplPtr inside = graph->ImplPtr();
      inside->parent = impl_;
      inside->parent_node = node;
    }
  }
}
inline graphStatus GNode::SetSubgraphs(const AscendString &slot, const std::vector<Graph> &subgraphs) {
  if (!impl_->node)
    return GRAPH_FAILED;
  std::vector<GraphPtr> &list = impl_->node->subgraphs[slot.GetString()];
  list.clear();
  for (const Graph &subgraph : subgraphs) {
    list.push_back(std::make_shared<Graph>(subgraph));
    const GraphImplPtr inside = list.back()->ImplPtr();
    inside->parent = impl_->graph;
    inside->parent_node = impl_->node;
  }
  return GRAPH_SUCCESS;
}
inline graphStatus GNode::SetSubgraph(const AscendString &slot, const Graph &subgraph) {
  return SetSubgraphs(slot, {subgraph});
}
inline graphStatus Graph::AddDataEdge(GNode &from, const int32_t output, GNode &to, const int32_t input) {
  const weft_own::NodePtr source = from.WeftNode();
  const weft_own::NodePtr reader = to.WeftNode();
  const bool given = impl_ && source && reader && output >= 0 && input >= 0;
  if (!given || static_cast<size_t>(input) >= reader->inputs.size())
    return weft_own::Failed(WEFT_E_RANGE, "AddDataEdge: output %d to input %d: there is no such port", output,
                            input);
  weft_own::Link &link = reader->inputs[static_cast<size_t>(input)].link;
  if (link.from)
    return weft_own::Failed(WEFT_E_EXISTS,
                            "AddDataEdge: input %d of node '%s' is connected: RemoveEdge first", input,
                            reader->name.c_str());
  link = {source, static_cast<uint32_t>(output)};
  source->readers.push_back(reader);
  Take(source);
  Take(reader);
  return GRAPH_SUCCESS;
}
inline graphStatus Graph::AddControlEdge(GNode &from, GNode &to) {
  if (!impl_ || !from.WeftNode() || !to.WeftNode())
    return weft_own::Failed(WEFT_E_INVALID, "AddControlEdge: one of the nodes is empty");
  to.WeftNode()->after.push_back(from.WeftNode());
  from.WeftNode()->readers.push_back(to.WeftNode());
  return GRAPH_SUCCESS;
}
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
