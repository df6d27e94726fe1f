// session_test.cpp - graphs built of operator classes, run by sessions.
#include "check.h"
#include "ge_api.h"
#include "graph.h"
#include "graph/operator_reg.h"

namespace ge {
REG_OP(Data)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(index, Int, 0)
    .OP_END_FACTORY_REG(Data) REG_OP(Add)
    .INPUT(x1, TensorType::ALL())
    .INPUT(x2, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(Add)
}  // namespace ge

TEST(session_adds) {
  CHECK_EQ(ge::GEInitialize(std::map<std::string, std::string>{{"ge.exec.deviceId", "0"}}), ge::SUCCESS);
  {
    ge::Session session(std::map<ge::AscendString, ge::AscendString>{});
    ge::TensorDesc desc(ge::Shape({2}), ge::FORMAT_ND, ge::DT_FLOAT);
    auto a = ge::op::Data("a");
    a.update_input_desc_x(desc);
    auto b = ge::op::Data("b");
    b.update_input_desc_x(desc);
    auto add = ge::op::Add("add").set_input_x1(a).set_input_x2(b);
    ge::Graph graph("g");
    graph.SetInputs({a, b}).SetOutputs(std::vector<ge::Operator>{add});
    CHECK_EQ(session.AddGraph(1, graph), ge::SUCCESS);
    const float x[2] = {1, 2};
    ge::Tensor in(desc, reinterpret_cast<const uint8_t *>(x), sizeof x);
    std::vector<ge::Tensor> out;
    CHECK_EQ(session.RunGraph(1, {in, in}, out), ge::SUCCESS);
    CHECK_EQ(out.size(), 1u);
    CHECK_EQ(reinterpret_cast<const float *>(out[0].GetData())[1], 4.0f);
  }
  CHECK_EQ(ge::GEFinalize(), ge::SUCCESS);
}
// SPDX-License-Identifier: Apache-2.0
