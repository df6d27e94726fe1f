// context_test.cpp - contexts of inference: instances and declared ports, absent inputs, what builders
// refuse, and registrations that add up.
#include "base/registry/op_impl_space_registry_v2.h"
#include "check.h"
#include "log/log.h"
#include "op_infer_datatype_context_builder.h"
#include "op_infer_shape_context_builder.h"
#include "register/op_impl_registry.h"

using namespace gert;

static ge::graphStatus Copy(InferShapeContext *context) {
  OP_CHECK_NULL_WITH_CONTEXT(context, context->GetInputShape(0));
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
static ge::graphStatus Key(TilingContext *context) {
  return context->SetTilingKey(3);
}
IMPL_OP_INFERSHAPE(CheckCopy).InferShape(Copy).InferOutDataTypeSameWithFirstInput();
IMPL_OP_OPTILING(CheckCopy).Tiling(Key).TilingInputsDataDependency({1});
IMPL_OP(CheckCopy)
    .InputsDataDependency({0, 2})
    .PrivateAttr("extra", int64_t(4))
    .PrivateAttr("extra", int64_t(5));
IMPL_OP(CheckCopy).OutputShapeDependOnCompute({0});

TEST(context_registrations_add_up) {
  const auto *found = OpImplSpaceRegistryV2().GetOpImpl("CheckCopy");
  CHECK(found && found->infer_shape == Copy);
  CHECK(found && found->tiling == Key);
  CHECK_EQ(found->max_tiling_data_size, 2048u);
  CHECK(found->IsInputDataDependency(2) && !found->IsInputDataDependency(1));
  CHECK(found->IsTilingInputDataDependency(1) && !found->IsTilingInputDataDependency(0));
  CHECK(found->IsOutputShapeDependOnCompute(0));
  CHECK_EQ(found->private_attrs.size(), 1u);
  CHECK(OpImplSpaceRegistryV2().GetOpImpl("NoSuchOperator") == nullptr);
}

TEST(context_optional_and_dynamic_ports) {
  Tensor x({{1}, {1}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, kOnHost, ge::DT_FLOAT, nullptr);
  Tensor y({{4}, {4}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, kOnHost, ge::DT_INT32, nullptr);
  OpInferShapeContextBuilder builder;
  builder.OpType("CheckCopy").OpName("n").IOInstanceNum({1, 0, 2}, {1}).InputTensors({&x, &y, &y});
  auto holder = builder.Build();
  InferShapeContext *context = holder.GetContext();
  CHECK_EQ(context->GetComputeNodeInputNum(), 3u);
  CHECK(context->GetOptionalInputShape(1) == nullptr);
  CHECK(context->GetOptionalInputDesc(1) == nullptr);
  CHECK_EQ(context->GetIrInputInstanceInfo(2)->GetInstanceStart(), 1u);
  CHECK_EQ(context->GetDynamicInputShape(2, 1)->GetDim(0), 4);
  CHECK(context->GetDynamicInputShape(2, 2) == nullptr);
  CHECK_EQ(static_cast<int>(context->GetInputDesc(1)->GetDataType()), 3);
  CHECK(context->GetInputShape(3) == nullptr);  // what lies behind the inputs is none
  CHECK(context->GetOutputShape(1) == nullptr);
  CHECK_EQ(context->GetOutputShape(0)->GetDimNum(), 0u);
  CHECK_EQ(static_cast<int>(context->GetOutputDesc(0)->GetDataType()), 43);
  CHECK_EQ(static_cast<int>(context->GetOutputDesc(0)->GetOriginFormat()), 255);
}

// As unit tests of operators have it, which say less than they give.
TEST(context_takes_more_than_was_declared) {
  Tensor tensor({{2, 3}, {2, 3}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, ge::DT_FLOAT);
  OpInferShapeContextBuilder builder;
  builder.OpType("A").OpName("n").IONum(1, 1).OutputTensorDesc(1, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND);
  auto holder = builder.InputTensors({&tensor, &tensor}).Build();
  InferShapeContext *context = holder.GetContext();
  CHECK_EQ(context->GetComputeNodeInputNum(), 2u);
  CHECK_EQ(context->GetInputShape(1)->GetDim(1), 3);
  CHECK_EQ(context->GetRequiredInputShape(1)->GetDim(1), 3);
  CHECK(context->GetInputShape(2) == nullptr);
  CHECK_EQ(context->GetOutputShape(1)->GetDimNum(), 0u);
}

TEST(context_needs_a_type_and_inputs) {
  CHECK(OpInferShapeContextBuilder().OpType("A").IONum(1, 1).Build().GetContext() == nullptr);
  CHECK(OpInferShapeContextBuilder().OpName("n").IONum(1, 1).Build().GetContext() == nullptr);
  CHECK(OpInferShapeContextBuilder().OpType("A").OpName("n").Build().GetContext() == nullptr);
  CHECK(OpInferShapeContextBuilder().OpType("A").OpName("n").IONum(1, 1).Build().GetContext() != nullptr);
}

TEST(context_data_types) {
  OpInferDataTypeContextBuilder builder;
  builder.OpType("CheckCopy").OpName("n").IOInstanceNum({1, 0}, {2});
  auto holder = builder.InputTensorDesc(0, ge::DT_BF16, ge::FORMAT_ND, ge::FORMAT_ND).Build();
  InferDataTypeContext *context = holder.GetContext();
  CHECK_EQ(static_cast<int>(context->GetOptionalInputDataType(1)), 28);
  const auto *found = OpImplSpaceRegistryV2().GetOpImpl("CheckCopy");
  CHECK_EQ(found->infer_datatype(context), ge::GRAPH_SUCCESS);
  CHECK_EQ(static_cast<int>(context->GetOutputDataType(1)), 27);
  CHECK_EQ(context->SetOutputDataType(2, ge::DT_FLOAT), ge::GRAPH_FAILED);
}

TEST(context_errors_reach_who_calls) {
  struct Heard {
    int level;
    std::string text;
  } heard = {0, ""};
  weft_cann::CurrentLogSink() = {[](void *to, int level, const char *text) {
                                   *static_cast<Heard *>(to) = {level, text};
                                 },
                                 &heard};
  auto holder =
      OpInferShapeContextBuilder().OpType("CheckCopy").OpName("node1").IOInstanceNum({0}, {1}).Build();
  CHECK_EQ(Copy(holder.GetContext()), ge::GRAPH_FAILED);
  weft_cann::CurrentLogSink() = {nullptr, nullptr};
  CHECK_EQ(heard.level, DLOG_ERROR);
  CHECK(heard.text.find("CheckCopy:node1: context->GetInputShape(0) is a null pointer (context_test.cpp:") ==
        0);
}

TEST(context_log_of_a_text_alone) {
  std::string heard;
  weft_cann::CurrentLogSink() = {
      [](void *to, int, const char *text) { *static_cast<std::string *>(to) = text; }, &heard};
  OP_LOGE("what there is to say: 100%");
  weft_cann::CurrentLogSink() = {nullptr, nullptr};
  CHECK(heard.find("what there is to say: 100% (context_test.cpp:") != std::string::npos);
}

// Sources of inference name no prototypes: the entry of a package, which is slow to compile, stays out.
#ifdef OP_ADD
#error "register/op_impl_registry.h or log/log.h includes weft_cann/op_def.h"
#endif
// SPDX-License-Identifier: Apache-2.0
