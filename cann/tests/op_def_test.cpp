// op_def_test.cpp - what OpDef says and what becomes of it: columns, free choices, follows, overrides of a
// SoC.
#include "check.h"
#include "register/op_def_registry.h"

namespace ops {
class CheckDef : public OpDef {
 public:
  explicit CheckDef(const char *name) : OpDef(name) {
    this->Input("a").DataType({ge::DT_FLOAT, ge::DT_INT8}).Format({ge::FORMAT_ND, ge::FORMAT_NCHW});
    this->Input("c").ParamType(OPTIONAL).DataTypeList({ge::DT_INT32, ge::DT_INT64}).ValueDepend(OPTIONAL);
    this->Output("y").Follow("a");
    this->Attr("scales").AttrType(OPTIONAL).ListFloat({1.0f, 0.25f});
    this->Attr("groups").AttrType(OPTIONAL).ListListInt({{1, 2}, {}, {3}});
    this->Attr("axis").Int();
    OpAICoreConfig config("ascend950");
    config.Input("a").DataType({ge::DT_BF16}).Format({ge::FORMAT_ND});
    this->AICore().AddConfig("ascend910b").AddConfig("ascend910b");
    this->AICore().AddConfig("ascend950", config);
  }
};
OP_ADD(CheckDef);
}  // namespace ops

static std::string Types(const ops::PortSpec &port) {
  std::string text;
  for (ge::DataType type : port.types)
    text += std::to_string(static_cast<int>(type)) + " ";
  return text;
}

TEST(op_def_ports_keep_their_first_object) {
  ops::OpDef def("X");
  ops::OpParamDef &first = def.Input("a");
  for (int i = 0; i < 100; i++)
    def.Input(("b" + std::to_string(i)).c_str());
  CHECK(&def.Input("a") == &first);
  CHECK_EQ(static_cast<int>(first.Spec().kind), 2);
}

TEST(op_def_attributes_as_text) {
  ops::CheckDef def("CheckDef");
  CHECK_EQ(def.Attrs().front().Spec().value, "[1,0.25]");
  CHECK_EQ(std::next(def.Attrs().begin(), 1)->Spec().value, "[[1,2],[],[3]]");
  CHECK_EQ(std::string(std::next(def.Attrs().begin(), 1)->Spec().ConfigType()), "listListInt");
  CHECK(std::next(def.Attrs().begin(), 2)->Spec().required);
}

TEST(op_def_lists_multiply_columns) {
  ops::CheckDef def("CheckDef");
  const auto merged = ops::detail::MergePorts(def, "ascend910b");
  CHECK_EQ(merged.problem, "");
  CHECK_EQ(Types(merged.inputs[0]), "0 0 2 2 ");
  CHECK_EQ(Types(merged.inputs[1]), "3 9 3 9 ");
  CHECK_EQ(Types(merged.outputs[0]), "0 0 2 2 ");
  CHECK_EQ(static_cast<int>(merged.outputs[0].formats[2]), 0);
  CHECK_EQ(static_cast<int>(merged.inputs[1].formats[3]), 2);
  CHECK_EQ(def.AICoreSpec().Configs().size(), 2u);
}

TEST(op_def_override_of_a_soc) {
  ops::CheckDef def("CheckDef");
  const auto merged = ops::detail::MergePorts(def, "ascend950");
  CHECK_EQ(Types(merged.inputs[0]), "27 27 ");
  CHECK_EQ(Types(merged.outputs[0]), "27 27 ");
}

TEST(op_def_columns_that_do_not_fit_empty_the_tables) {
  ops::OpDef def("Bad");
  def.Input("a").DataType({ge::DT_FLOAT, ge::DT_INT8});
  def.Output("y").DataType({ge::DT_FLOAT});
  const auto merged = ops::detail::MergePorts(def, nullptr);
  CHECK_EQ(merged.problem, "port 'y' has 1 data types, ports before it have 2");
  CHECK_EQ(merged.inputs[0].types.size(), 0u);
}
// SPDX-License-Identifier: Apache-2.0
