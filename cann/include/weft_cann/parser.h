// weft_cann/parser.h - models of other frameworks as graphs: ONNX by weft's importer; TensorFlow and Caffe
// are refused.
#pragma once
#include "weft_cann/ge_options.h"
#include "weft_cann/ir_build.h"

namespace ge {
namespace weft_own {
using ParserParams = std::map<AscendString, AscendString>;

// What weft's importer does not do is said.
inline std::string TakeParams(const ParserParams &params, std::string *name) {
  std::string shapes;
  for (const auto &param : params) {
    const std::string key = NameOf(param.first);
    if (key == "input_shape")
      shapes = NameOf(param.second);
    else if (key == "output")
      *name = NameOf(param.second);
    else
      weft_ge_warn("aclgrphParseONNX: option '%s' is not known and has no effect", key.c_str());
  }
  return shapes;
}
template <typename Read>
graphStatus ParseOnnx(const ParserParams &params, Graph &graph, const Read &read) {
  std::string name = graph.GetName();
  const std::string shapes = TakeParams(params, &name);
  Graph parsed(name);
  const graphStatus status =
      LoadInto(parsed, [&](weft_env *env, weft_graph **out, weft_diag *d) -> weft_status {
        WEFT_TRY(read(env, out, d));
        weft_status shaped = weft_ge_set_shapes(*out, shapes.c_str(), d);
        if (!shaped)
          shaped = weft_graph_infer(*out, nullptr, nullptr, d);
        if (shaped)
          weft_graph_destroy(*out);
        return shaped;
      });
  if (!status)
    graph = parsed;
  return status;
}
inline graphStatus NoParser(const char *what) {
  return Failed(WEFT_E_UNSUPPORTED, "weft reads no models of %s: convert it to ONNX, and aclgrphParseONNX",
                what);
}
}  // namespace weft_own

inline graphStatus aclgrphParseONNX(const char *model_file, const weft_own::ParserParams &params,
                                    ge::Graph &graph) {
  if (!model_file)
    return GRAPH_PARAM_INVALID;
  return weft_own::ParseOnnx(params, graph, [&](weft_env *env, weft_graph **out, weft_diag *d) {
    return weft_onnx_load(env, model_file, out, d);
  });
}
// The bytes are copied.
inline graphStatus aclgrphParseONNXFromMem(const char *buffer, size_t size,
                                           const weft_own::ParserParams &params, ge::Graph &graph) {
  if (!buffer)
    return GRAPH_PARAM_INVALID;
  return weft_own::ParseOnnx(
      params, graph, [&](weft_env *env, weft_graph **out, weft_diag *d) -> weft_status {
        auto *copy = new std::string(buffer, size);
        const auto drop = [](void *held) { delete static_cast<std::string *>(held); };
        const weft_status status = weft_onnx_read(env, copy->data(), size, "model", out, d);
        if (!status && !weft_graph_keep(*out, drop, copy))
          return WEFT_OK;
        delete copy;
        return status ? status : weft_own::NoMemory(d);
      });
}
inline graphStatus aclgrphParseTensorFlow(const char *, ge::Graph &) {
  return weft_own::NoParser("TensorFlow");
}
inline graphStatus aclgrphParseTensorFlow(const char *, const weft_own::ParserParams &, ge::Graph &) {
  return weft_own::NoParser("TensorFlow");
}
inline graphStatus aclgrphParseCaffe(const char *, const char *, ge::Graph &) {
  return weft_own::NoParser("Caffe");
}
inline graphStatus aclgrphParseCaffe(const char *, const char *, const weft_own::ParserParams &,
                                     ge::Graph &) {
  return weft_own::NoParser("Caffe");
}
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
