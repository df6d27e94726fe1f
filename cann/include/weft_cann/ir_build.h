// weft_cann/ir_build.h - offline builds: a graph becomes a program in memory and in a file, which `weft run`
// and weft_program_load run. And what else programs do with graphs without a session: inferring them,
// dumping them, making one of a single operator.
#pragma once
#include <sstream>

#include "weft_cann/bundle_file.h"
#include "weft_cann/ge_options.h"
#include "weft_cann/session.h"

namespace ge {
struct ModelBufferData {
  std::shared_ptr<uint8_t> data = nullptr;
  uint64_t length = 0;
};
struct GraphWithOptions {
  ge::Graph graph;
  std::map<AscendString, AscendString> build_options;
};
using aclmdlModel = void *;

namespace weft_own {
inline void ModelOf(const std::string &bytes, ModelBufferData &model) {
  model.data = std::shared_ptr<uint8_t>(new uint8_t[bytes.size() + 1], std::default_delete<uint8_t[]>());
  model.length = bytes.size();
  memcpy(model.data.get(), bytes.data(), bytes.size());
}
inline graphStatus BuildModel(const Graph &graph, const Options &options, ModelBufferData &model) {
  std::string bytes;
  const graphStatus status =
      Result(weft_ge_build(SourceOf(graph), options.Get(), weft_package_entry, &AppendText, &bytes));
  if (status == GRAPH_SUCCESS)
    ModelOf(bytes, model);
  return status;
}
// A number, or what lies behind it, at the end of a bundle's bytes.
inline void BundlePut(std::string &bytes, uint64_t number) {
  unsigned char eight[8];
  weft_bundle_put(eight, number);
  bytes.append(reinterpret_cast<const char *>(eight), sizeof eight);
}
inline graphStatus BuildBundle(const std::vector<GraphWithOptions> &graphs, ModelBufferData &model) {
  if (graphs.empty() || graphs.size() > WEFT_BUNDLE_MOST_MODELS)
    return Failed(WEFT_E_INVALID, "aclgrphBundleBuildModel: %zu graphs; a bundle has 1 to %d", graphs.size(),
                  static_cast<int>(WEFT_BUNDLE_MOST_MODELS));
  std::vector<ModelBufferData> models(graphs.size());
  for (size_t i = 0; i < graphs.size(); i++) {
    const graphStatus status = BuildModel(graphs[i].graph, Options(graphs[i].build_options), models[i]);
    if (status != GRAPH_SUCCESS)
      return status;
  }
  std::string bytes = WEFT_BUNDLE_MAGIC;
  BundlePut(bytes, WEFT_BUNDLE_VERSION);
  BundlePut(bytes, models.size());
  uint64_t at = WEFT_BUNDLE_HEAD_BYTES + models.size() * WEFT_BUNDLE_ENTRY_BYTES;
  for (const ModelBufferData &one : models) {
    BundlePut(bytes, at);
    BundlePut(bytes, one.length);
    at += one.length;
  }
  for (const ModelBufferData &one : models)
    bytes.append(reinterpret_cast<const char *>(one.data.get()), one.length);
  ModelOf(bytes, model);
  return GRAPH_SUCCESS;
}
inline graphStatus SaveModel(const char *call, const std::string &name, const ModelBufferData &model) {
  weft_diag d = {};
  if (!model.data)
    return Failed(WEFT_E_INVALID, "%s: the model is empty", call);
  const bool ends = name.size() > 3 && name.compare(name.size() - 3, 3, ".om") == 0;
  const std::string bytes(reinterpret_cast<const char *>(model.data.get()), model.length);
  return WriteFile(ends ? name : name + ".om", bytes, &d) ? Failed(d) : GRAPH_SUCCESS;
}
// Infers a lowered graph, and writes what was found into the nodes that it came from.
inline weft_status InferInto(const Graph &graph, weft_env *env, const std::vector<Shape> &shapes,
                             weft_diag *d) {
  weft_graph *lowered = nullptr;
  WEFT_TRY(weft_graph_create(env, "inferred", &lowered, d));
  const std::unique_ptr<weft_graph, void (*)(weft_graph *)> owner(lowered, &weft_graph_destroy);
  Lowering lowering(env, lowered, d);
  std::vector<weft_value *> outputs;
  WEFT_TRY(lowering.Lower(*graph.WeftImpl(), &outputs));
  for (weft_value *output : outputs)
    WEFT_TRY(weft_graph_output(lowered, output, d));
  for (size_t i = 0; i < shapes.size(); i++) {
    weft_value *input = weft_graph_input_at(lowered, i);
    if (!input)
      return weft_fail(d, WEFT_E_INVALID, "%zu shapes are given, the graph has %zu inputs", shapes.size(),
                       weft_graph_n_inputs(lowered));
    weft_tensor_desc desc;
    const TensorDesc given(shapes[i], FORMAT_ND, static_cast<DataType>(weft_value_dtype(input)));
    WEFT_TRY(DescOf(given, &desc, d));
    WEFT_TRY(weft_graph_input_reshape(input, &desc, d));
  }
  WEFT_TRY(weft_graph_infer(lowered, nullptr, nullptr, d));
  for (const NodePtr &node : graph.WeftImpl()->nodes)
    lowering.Describe(*node);
  return WEFT_OK;
}
inline graphStatus Infer(const Graph &graph, const std::vector<Shape> &shapes) {
  weft_diag d = {};
  const HeldEnv env(&d);
  if (!graph.WeftImpl())
    return Failed(WEFT_E_INVALID, "the graph is empty");
  return !env.Get() || InferInto(graph, env.Get(), shapes, &d) ? Failed(d) : GRAPH_SUCCESS;
}
inline graphStatus NotThere(const char *what) {
  return Failed(WEFT_E_UNSUPPORTED, "%s: weft does not have it", what);
}
}  // namespace weft_own

inline graphStatus aclgrphBuildInitialize(std::map<std::string, std::string> options) {
  return weft_own::Result(weft_ge_initialize(WEFT_GE_BUILDS, weft_own::Options(options).Get()));
}
inline graphStatus aclgrphBuildInitialize(std::map<AscendString, AscendString> &options) {
  return weft_own::Result(weft_ge_initialize(WEFT_GE_BUILDS, weft_own::Options(options).Get()));
}
inline void aclgrphBuildFinalize() {
  (void)weft_own::Result(weft_ge_finalize(WEFT_GE_BUILDS));
}
inline graphStatus aclgrphBuildModel(const ge::Graph &graph,
                                     const std::map<std::string, std::string> &options,
                                     ModelBufferData &model) {
  return weft_own::BuildModel(graph, weft_own::Options(options), model);
}
inline graphStatus aclgrphBuildModel(const ge::Graph &graph,
                                     const std::map<AscendString, AscendString> &options,
                                     ModelBufferData &model) {
  return weft_own::BuildModel(graph, weft_own::Options(options), model);
}
// Writes `output_file`.om.
inline graphStatus aclgrphSaveModel(const std::string &output_file, const ModelBufferData &model) {
  return weft_own::SaveModel("aclgrphSaveModel", output_file, model);
}
inline graphStatus aclgrphSaveModel(const char_t *output_file, const ModelBufferData &model) {
  return weft_own::SaveModel("aclgrphSaveModel", weft_own::NameOf(output_file), model);
}
inline graphStatus aclgrphSaveModel(const char_t *, const aclmdlModel *) {
  return weft_own::NotThere("aclgrphSaveModel of an aclmdlModel");
}
// One file of several models, each compiled with its own options; aclmdlBundleLoadFromFile reads it.
inline graphStatus aclgrphBundleBuildModel(const std::vector<ge::GraphWithOptions> &graph_with_options,
                                           ModelBufferData &model) {
  return weft_own::BuildBundle(graph_with_options, model);
}
inline graphStatus aclgrphBundleSaveModel(const char_t *output_file, const ModelBufferData &model) {
  if (!weft_bundle_is(model.data.get(), model.length))
    return weft_own::Failed(WEFT_E_INVALID,
                            "aclgrphBundleSaveModel: aclgrphBundleBuildModel did not make this");
  return weft_own::SaveModel("aclgrphBundleSaveModel", weft_own::NameOf(output_file), model);
}
// Writes what is known of every node's outputs, and so of inputs, into the nodes.
inline graphStatus aclgrphInferShapeAndType(ge::Graph &graph) {
  return weft_own::Infer(graph, {});
}
inline graphStatus aclgrphGetIRVersion(int *major_version, int *minor_version, int *patch_version) {
  if (!major_version || !minor_version || !patch_version)
    return GRAPH_PARAM_INVALID;
  *major_version = 1;
  *minor_version = 0;
  *patch_version = 0;
  return GRAPH_SUCCESS;
}
// Writes weft's text form of the graph to `file`.txt.
inline graphStatus aclgrphDumpGraph(const ge::Graph &graph, const char *file, const size_t len) {
  if (!file)
    return GRAPH_PARAM_INVALID;
  weft_diag d = {};
  std::ostringstream text;
  const graphStatus status = graph.Dump(Graph::DumpFormat::kTxt, text);
  if (status)
    return status;
  return weft_own::WriteFile(std::string(file, len) + ".txt", text.str(), &d) ? weft_own::Failed(d)
                                                                              : GRAPH_SUCCESS;
}
// A graph of one operator: a Data for each input, in the order of its ports.
inline graphStatus aclgrphGenerateForOp(const AscendString &op_type, const std::vector<TensorDesc> &inputs,
                                        const std::vector<TensorDesc> &outputs, Graph &graph) {
  weft_diag d = {};
  const weft_own::HeldEnv env(&d);
  const weft_proto *proto = nullptr;
  if (!env.Get() || weft_get(env.Get(), op_type.GetString(), &proto, &d))
    return weft_own::Failed(d);
  const weft_own::NodePtr node = weft_own::NodeOf(proto, op_type.GetString());
  std::vector<Operator> data;
  for (size_t i = 0; i < inputs.size(); i++) {
    if (i >= node->in.size())
      return weft_own::Failed(WEFT_E_INVALID, "aclgrphGenerateForOp: %zu inputs for %s, which has %zu",
                              inputs.size(), op_type.GetString(), node->in.size());
    const std::string name = node->in[i].name;
    const bool dynamic = node->in[i].kind == weft_own::PortKind::kDynamic;
    weft_own::Instance instance;
    instance.name = dynamic ? weft_own::InstanceName(name, 0) : name;
    instance.desc = inputs[i];
    const weft_own::NodePtr from = weft_own::DataNode("data_" + std::to_string(i), inputs[i], i);
    instance.link = {from, 0};
    node->inputs.push_back(instance);
    from->readers.push_back(node);
    data.push_back(Operator(from));
  }
  for (size_t i = 0; i < node->out.size(); i++) {
    weft_own::Instance instance;
    instance.name = node->out[i].name;
    instance.described = i < outputs.size();
    if (instance.described)
      instance.desc = outputs[i];
    node->outputs.push_back(instance);
  }
  graph.SetInputs(data).SetOutputs(std::vector<Operator>{Operator(node)});
  return GRAPH_SUCCESS;
}

class GeUtils {
 public:
  // Infers the graph for these shapes of its inputs.
  static Status InferShape(const Graph &graph, const std::vector<Shape> &input_shape) {
    return weft_own::Infer(graph, input_shape);
  }
  static Status CheckNodeSupportOnAicore(const GNode &, bool &is_supported, AscendString &reason) {
    is_supported = false;
    reason = "nodes run on the CPU";
    return SUCCESS;
  }
};
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
