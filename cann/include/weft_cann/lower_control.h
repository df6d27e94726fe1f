// weft_cann/lower_control.h - control flow that weft has in another form: While is a Loop whose condition is
// computed before it and at the end of each turn; Case is a chain of Ifs; a partitioned call is the nodes of
// its sub-graph.
#pragma once
#include "weft_cann/lower.h"

namespace ge {
namespace weft_own {
inline bool Lowering::IsControl(const Node &node) const {
  static const char *const types[] = {"While",         "StatelessWhile",  "Case",
                                      "StatelessCase", "PartitionedCall", "StatefulPartitionedCall"};
  for (const char *type : types) {
    if (node.type == type)
      return true;
  }
  return false;
}

// The values of a dynamic input.
inline weft_status Lowering::Many(const Node &node, const char *port, std::vector<weft_value *> *values) {
  const uint32_t n = CountOf(node.inputs, port);
  for (uint32_t i = 0; i < n; i++)
    WEFT_TRY(In(node, InstanceName(port, i), values));
  return WEFT_OK;
}
inline weft_status Lowering::GraphOf(const Node &node, const char *slot, size_t i, const GraphImpl **graph) {
  auto found = node.subgraphs.find(slot);
  if (found == node.subgraphs.end() || i >= found->second.size() || !found->second[i]->WeftImpl())
    return weft_fail(d_, WEFT_E_MISSING, "it has no sub-graph '%s'", slot);
  *graph = found->second[i]->WeftImpl().get();
  return WEFT_OK;
}
// The nodes of a sub-graph, here.
inline weft_status Lowering::Inline(const GraphImpl &graph, const std::vector<weft_value *> &in,
                                    std::vector<weft_value *> *out) {
  Lowering inside(env_, to_, d_);
  inside.names_ = names_;
  inside.Bind(in);
  return inside.Lower(graph, out);
}
// A value that can be had now becomes one bool.
inline weft_status Lowering::AsBool(const std::string &name, weft_value *value, weft_value **out) {
  const weft_named_attr type = {"dst_type", weft_attr_int(WEFT_BOOL)};
  const std::string unique = Name(name);
  const weft_use use = {unique.c_str(), &type, 1, nullptr, nullptr};
  weft_node *cast = nullptr;
  WEFT_TRY(weft_graph_add(to_, "Cast", &use, &value, 1, &cast, d_));
  *out = weft_node_out(cast, 0);
  return WEFT_OK;
}
inline weft_status Lowering::Condition(const Node &node, const std::vector<weft_value *> &in,
                                       weft_value **cond) {
  const GraphImpl *graph = nullptr;
  std::vector<weft_value *> out;
  WEFT_TRY(GraphOf(node, "cond", 0, &graph));
  WEFT_TRY(Inline(*graph, in, &out));
  if (out.size() != 1)
    return weft_fail(d_, WEFT_E_SHAPE, "its sub-graph 'cond' has %zu outputs, expected 1", out.size());
  return AsBool(node.name + "_goes_on", out[0], cond);
}
// An input of a body: whatever comes.
inline weft_value *Lowering::Anything(const std::string &name) {
  weft_tensor_desc desc;
  if (AnyShape(WEFT_UNDEFINED, WEFT_ND, &desc))
    return nullptr;
  return weft_graph_input_desc(to_, Name(name).c_str(), &desc, d_);
}
inline weft_status Lowering::Turn(const Node &node, size_t n) {
  weft_value *turn = weft_graph_input(to_, Name("turn").c_str(), WEFT_INT64, nullptr, 0, d_);
  weft_value *goes_on = weft_graph_input(to_, Name("goes_on").c_str(), WEFT_BOOL, nullptr, 0, d_);
  if (!turn || !goes_on)
    return d_->status;
  std::vector<weft_value *> in;
  for (size_t i = 0; i < n; i++) {
    in.push_back(Anything("carried"));
    if (!in.back())
      return d_->status;
  }
  const GraphImpl *body = nullptr;
  std::vector<weft_value *> out;
  weft_value *cond = nullptr;
  WEFT_TRY(GraphOf(node, "body", 0, &body));
  WEFT_TRY(Inline(*body, in, &out));
  if (out.size() != n)
    return weft_fail(d_, WEFT_E_SHAPE, "its sub-graph 'body' has %zu outputs, the node %zu inputs",
                     out.size(), n);
  WEFT_TRY(Condition(node, out, &cond));
  WEFT_TRY(weft_graph_output(to_, cond, d_));
  for (weft_value *value : out)
    WEFT_TRY(weft_graph_output(to_, value, d_));
  return WEFT_OK;
}
inline weft_status Lowering::While(const Node &node, std::vector<weft_value *> *out) {
  std::vector<weft_value *> in = {nullptr};
  WEFT_TRY(Many(node, "input", &in));
  const auto n = static_cast<uint32_t>(in.size() - 1);
  WEFT_TRY(Condition(node, std::vector<weft_value *>(in.begin() + 1, in.end()), &in[0]));
  const uint32_t in_counts[] = {0, 1, n, 0};  // M, cond, v, input
  const uint32_t out_counts[] = {n, 0};       // v_final, scan
  const std::string name = Name(node.name);
  const weft_use use = {name.c_str(), nullptr, 0, in_counts, out_counts};
  weft_node *loop = nullptr;
  weft_graph *inside = nullptr;
  WEFT_TRY(weft_graph_add(to_, "Loop", &use, in.data(), in.size(), &loop, d_));
  WEFT_TRY(weft_node_add_graph(loop, 0, "body", &inside, d_));
  Lowering turn(env_, inside, d_);
  WEFT_TRY(turn.Turn(node, n));
  for (uint32_t i = 0; i < n; i++)
    out->push_back(weft_node_out(loop, i));
  return WEFT_OK;
}

// Branch `from` and those behind it: in[0] is the index, the rest what the branches take.
inline weft_status Lowering::Branches(const Node &node, size_t from, uint32_t n_out,
                                      const std::vector<weft_value *> &in, std::vector<weft_value *> *out) {
  const GraphImpl *branch = nullptr;
  const GraphImpl *next = nullptr;
  WEFT_TRY(GraphOf(node, "branches", from, &branch));
  const bool last = node.subgraphs.at("branches").size() == from + 1;
  if (last)
    return Inline(*branch, std::vector<weft_value *>(in.begin() + 1, in.end()), out);
  WEFT_TRY(GraphOf(node, "branches", from + 1, &next));
  weft_value *chosen = nullptr;
  WEFT_TRY(Chosen(node, static_cast<int32_t>(from), in[0], &chosen));
  std::vector<weft_value *> all = {chosen};
  all.insert(all.end(), in.begin(), in.end());
  const uint32_t in_counts[] = {1, static_cast<uint32_t>(in.size())};
  const std::string name = Name(node.name);
  const weft_use use = {name.c_str(), nullptr, 0, in_counts, &n_out};
  weft_node *made = nullptr;
  WEFT_TRY(weft_graph_add(to_, "If", &use, all.data(), all.size(), &made, d_));
  for (const uint32_t slot : {0u, 1u}) {
    weft_graph *inside = nullptr;
    WEFT_TRY(weft_node_add_graph(made, slot, slot ? "others" : "branch", &inside, d_));
    Lowering lowering(env_, inside, d_);
    WEFT_TRY(lowering.Branch(node, from, slot != 0, n_out, in.size()));
  }
  for (uint32_t i = 0; i < n_out; i++)
    out->push_back(weft_node_out(made, i));
  return WEFT_OK;
}
inline weft_status Lowering::Branch(const Node &node, size_t i, bool others, uint32_t n_out, size_t n_in) {
  std::vector<weft_value *> in;
  std::vector<weft_value *> out;
  for (size_t k = 0; k < n_in; k++) {
    in.push_back(Anything(k ? "input" : "branch_index"));
    if (!in.back())
      return d_->status;
  }
  const GraphImpl *branch = nullptr;
  WEFT_TRY(GraphOf(node, "branches", i, &branch));
  if (others)
    WEFT_TRY(Branches(node, i + 1, n_out, in, &out));
  else
    WEFT_TRY(Inline(*branch, std::vector<weft_value *>(in.begin() + 1, in.end()), &out));
  if (out.size() != n_out)
    return weft_fail(d_, WEFT_E_SHAPE, "its branch %zu has %zu outputs, the node %u", i, out.size(), n_out);
  for (weft_value *value : out)
    WEFT_TRY(weft_graph_output(to_, value, d_));
  return WEFT_OK;
}
// Is the index `i`?
inline weft_status Lowering::Chosen(const Node &node, int32_t i, weft_value *index, weft_value **chosen) {
  weft_tensor number;
  weft_tensor_init(&number, nullptr);
  WEFT_TRY(weft_tensor_borrow(&number, WEFT_INT32, nullptr, 0, &i, sizeof i, d_));
  const std::string name = Name(node.name + "_number");
  weft_value *in[] = {index, weft_graph_const(to_, name.c_str(), &number, WEFT_CONST_COPY, d_)};
  if (!in[1])
    return d_->status;
  return weft_graph_op1(to_, "Equal", Name(node.name + "_chosen").c_str(), in, 2, chosen, d_);
}

inline weft_status Lowering::Control(const Node &node) {
  std::vector<weft_value *> in;
  std::vector<weft_value *> out;
  if (node.type == "While" || node.type == "StatelessWhile") {
    WEFT_TRY(While(node, &out));
  } else if (node.type == "Case" || node.type == "StatelessCase") {
    WEFT_TRY(In(node, "branch_index", &in));
    WEFT_TRY(Many(node, "input", &in));
    WEFT_TRY(Branches(node, 0, CountOf(node.outputs, "output"), in, &out));
  } else {
    const GraphImpl *called = nullptr;
    WEFT_TRY(Many(node, "args", &in));
    WEFT_TRY(GraphOf(node, "f", 0, &called));
    WEFT_TRY(Inline(*called, in, &out));
  }
  for (const Instance &output : node.outputs) {
    size_t k = 0;
    while (k < out.size() && output.name != InstanceName("output", static_cast<uint32_t>(k)))
      k++;
    made_[&node].push_back(k < out.size() ? out[k] : nullptr);
  }
  return WEFT_OK;
}
}  // namespace weft_own
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
