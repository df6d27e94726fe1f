// graph_test.cpp - prototypes of REG_OP: ports and attributes in order, type texts that are no expressions,
// generated members; tensors of graphs.
#include "check.h"
#include "graph/operator_reg.h"
#include "graph/tensor.h"

namespace ge {
// clang-format off
REG_OP(CheckProto).INPUT(x, "T1").OPTIONAL_INPUT(bias, BasicType())
    .DYNAMIC_INPUT(more, TensorType({DT_FLOAT32, DT_INT8}))
    .OUTPUT(y, "T3").DYNAMIC_OUTPUT(rest, TensorType::ALL())
    .ATTR(axes, ListInt, {0, -1}).ATTR(mode, String, "plain")
    .ATTR(eps, Float, 1e-5f).ATTR(to, Type, DT_FLOAT16).REQUIRED_ATTR(groups, ListListInt).GRAPH(body)
    .DATATYPE(T1, TensorType::NumberType()).DATATYPE(T3, Promote({"T1", "T1"})).OP_END_FACTORY_REG(CheckProto)
// clang-format on
}  // namespace ge

TEST(proto_declares_in_order) {
  const auto node = ge::OperatorFactory::CreateOperator("n", "CheckProto").WeftNode();
  CHECK_EQ(node->in.size(), 3u);
  CHECK_EQ(node->in[1].types, "BasicType()");
  CHECK_EQ(node->in[2].name, "more");
  CHECK_EQ(node->attrs[3].name, "to");
  CHECK(node->attrs[4].required);
  CHECK_EQ(node->symbols[1].promote.size(), 2u);
  CHECK_EQ(node->graphs[0], "body");
  CHECK(!ge::OperatorFactory::IsExistOp("NoSuchOperator"));
}

TEST(proto_members) {
  auto first = ge::op::CheckProto("first");
  auto second = ge::op::CheckProto("second").set_input_x(first).set_attr_axes({3}).set_attr_mode("other");
  second.create_dynamic_input_more(2).set_dynamic_input_more(1, first, "y");
  CHECK_EQ(second.get_attr_axes()[0], 3);
  CHECK_EQ(first.get_attr_axes()[1], -1);
  CHECK_EQ(first.get_attr_eps(), 1e-5f);
  CHECK_EQ(second.GetInputsSize(), 4u);
  CHECK_EQ(second.GetDynamicInputNum("more"), 2);
  CHECK(second.WeftNode()->inputs[3].link.from == first.WeftNode());
  std::vector<std::vector<int64_t>> groups;
  CHECK_EQ(first.GetAttr("groups", groups), ge::GRAPH_FAILED);
  int32_t narrow = 0;
  second.SetAttr("other", 5);
  CHECK_EQ(second.GetAttr("other", narrow), ge::GRAPH_SUCCESS);
  CHECK_EQ(narrow, 5);
  CHECK_EQ(second.GetAllAttrNamesAndTypes().at("groups"), "ListListInt");
}

TEST(proto_handles_share_their_node) {
  ge::op::CheckProto op("n");
  ge::Operator copy = op;
  copy.SetAttr("mode", "changed");
  CHECK_EQ(op.get_attr_mode(), "changed");
}

TEST(graph_tensor) {
  const float data[2] = {1, 2};
  ge::Tensor tensor(ge::TensorDesc(ge::Shape({2})), reinterpret_cast<const uint8_t *>(data), sizeof data);
  CHECK_EQ(tensor.IsValid(), ge::GRAPH_SUCCESS);
  ge::Tensor same = tensor;
  ge::Tensor other = tensor.Clone();
  same.SetShapeDim(0, 3);
  CHECK_EQ(tensor.IsValid(), ge::GRAPH_FAILED);
  CHECK_EQ(other.GetShapeDim(0), 2);
  ge::Tensor texts;
  CHECK_EQ(texts.SetData(std::vector<std::string>{"ab", ""}), ge::GRAPH_SUCCESS);
  CHECK_EQ(texts.GetSize(), 36u);
  int gone = 0;
  uint8_t byte = 0;
  CHECK_EQ(tensor.ResetData(&byte, 1, [&gone](uint8_t *) { gone++; }), ge::GRAPH_SUCCESS);
  CHECK_EQ(same.GetSize(), 1u);
  same = ge::Tensor();
  CHECK_EQ(gone, 0);
  tensor = ge::Tensor();
  CHECK_EQ(gone, 1);
}
// SPDX-License-Identifier: Apache-2.0
