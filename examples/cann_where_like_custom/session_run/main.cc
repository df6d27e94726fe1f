// main.cc - builds Data -> WhereLikeCustom, adds it to a session, runs it, and prints what came out.
#include <iostream>
#include <map>
#include <vector>

#include "all_ops.h"
#include "ge/ge_api.h"
#include "graph/graph.h"
#include "where_like_custom.h"

namespace {
constexpr uint32_t kGraphId = 0;

// The shape is open, so that the graph runs with whatever comes.
ge::Graph BuildGraph() {
  const ge::TensorDesc input_desc(ge::Shape({-1}), ge::FORMAT_ND, ge::DT_BOOL);
  const ge::TensorDesc output_desc(ge::Shape({-1, -1}), ge::FORMAT_ND, ge::DT_INT64);
  auto data = ge::op::Data("x").set_attr_index(0);
  data.update_input_desc_x(input_desc);
  data.update_output_desc_y(input_desc);
  auto where = ge::op::WhereLikeCustom("where").set_input_x(data);
  where.update_input_desc_x(input_desc);
  where.update_output_desc_y(output_desc);
  ge::Graph graph("where_like_custom");
  graph.SetInputs({data}).SetOutputs({where});
  return graph;
}

ge::Tensor BuildInput() {
  const std::vector<uint8_t> mask = {1, 0, 1, 0, 1, 0, 0, 1};
  const ge::TensorDesc desc(ge::Shape({static_cast<int64_t>(mask.size())}), ge::FORMAT_ND, ge::DT_BOOL);
  return ge::Tensor(desc, mask.data(), mask.size());
}

void Print(const ge::Tensor &y) {
  const std::vector<int64_t> dims = y.GetTensorDesc().GetShape().GetDims();
  const auto *values = reinterpret_cast<const int64_t *>(y.GetData());
  std::cout << "output shape: [";
  for (size_t i = 0; i < dims.size(); i++)
    std::cout << (i ? ", " : "") << dims[i];
  std::cout << "]\noutput values:";
  for (size_t i = 0; i < y.GetSize() / sizeof(int64_t); i++)
    std::cout << " " << values[i];
  std::cout << std::endl;
}

int Failed(const char *what) {
  std::cerr << what << " failed: " << ge::GEGetErrorMsgV2().GetString() << std::endl;
  return 1;
}

int Run() {
  const std::map<ge::AscendString, ge::AscendString> options;
  ge::Session session(options);
  std::vector<ge::Tensor> outputs;
  if (session.AddGraph(kGraphId, BuildGraph()) != ge::SUCCESS)
    return Failed("AddGraph");
  if (session.RunGraph(kGraphId, {BuildInput()}, outputs) != ge::SUCCESS)
    return Failed("RunGraph");
  if (outputs.size() != 1)
    return Failed("the number of outputs");
  Print(outputs[0]);
  return 0;
}
}  // namespace

int main() {
  const std::map<ge::AscendString, ge::AscendString> options = {{"ge.exec.deviceId", "0"},
                                                                {"ge.graphRunMode", "0"}};
  if (ge::GEInitialize(options) != ge::SUCCESS)
    return Failed("GEInitialize");
  const int status = Run();
  ge::GEFinalize();
  return status;
}
// SPDX-License-Identifier: Apache-2.0
