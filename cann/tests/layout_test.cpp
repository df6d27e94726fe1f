// layout_test.cpp - sizes and offsets that libraries built against CANN's own headers rely on, and the
// packing of attributes.
#include "base/context_builder/op_infer_shape_context_builder.h"
#include "check.h"
#include "exe_graph/runtime/kernel_run_context.h"

using namespace gert;

TEST(layout_sizes) {
  CHECK_EQ(sizeof(Shape), 248u);
  CHECK_EQ(sizeof(StorageShape), 536u);
  CHECK_EQ(sizeof(Tensor), 752u);
  CHECK_EQ(sizeof(TensorData), 72u);
  CHECK_EQ(sizeof(CompileTimeTensorDesc), 144u);
  CHECK_EQ(sizeof(ComputeNodeInfo), 88u);
  CHECK_EQ(sizeof(ContinuousVector), 64u);
  CHECK_EQ(sizeof(TilingData), 64u);
}

TEST(layout_vector_data_begin_before_the_end) {
  auto block = ContinuousVector::Create<int64_t>(4);
  auto *vector = reinterpret_cast<ContinuousVector *>(block.get());
  CHECK_EQ(static_cast<char *>(vector->MutableData()) - reinterpret_cast<char *>(vector), 56);
  CHECK_EQ(vector->SetSize(4), ge::GRAPH_SUCCESS);
  CHECK_EQ(vector->SetSize(5), ge::GRAPH_PARAM_OUT_OF_RANGE);
  CHECK_EQ(vector->GetSize(), 4u);
}

TEST(layout_tensor_begins_with_its_origin_shape) {
  Tensor tensor({{2, 3}, {4, 4}}, {ge::FORMAT_NCHW, ge::FORMAT_NC1HWC0, {}}, kOnHost, ge::DT_FLOAT16,
                nullptr);
  CHECK_EQ(tensor.GetShapeSize(), 16);
  CHECK_EQ(tensor.GetSize(), 32u);
  CHECK_EQ(reinterpret_cast<const Shape *>(&tensor)->GetDim(1), 3);
  CHECK_EQ(
      reinterpret_cast<const char *>(&tensor.GetStorageShape()) - reinterpret_cast<const char *>(&tensor),
      248);
}

TEST(layout_attributes_are_packed_without_padding) {
  Tensor x({{2}, {2}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, kOnHost, ge::DT_FLOAT, nullptr);
  OpInferShapeContextBuilder builder;
  builder.OpType("A").OpName("n").IONum(2, 1).InputTensors({&x, &x});
  builder.AppendAttr(true).AppendAttr(int64_t(5)).AppendAttr(ge::AscendString("ab"));
  builder.AppendAttr(std::vector<int64_t>{7, 8});
  auto holder = builder.Build();
  const RuntimeAttrs *attrs = holder.GetContext()->GetAttrs();
  CHECK_EQ(attrs->GetAttrNum(), 4u);
  const char *first = attrs->GetAttrPointer<char>(0);
  CHECK_EQ(attrs->GetAttrPointer<char>(1) - first, 1);
  CHECK_EQ(attrs->GetAttrPointer<char>(2) - first, 9);
  CHECK_EQ(attrs->GetAttrPointer<char>(3) - first, 12);
  CHECK_EQ(std::string(attrs->GetStr(2)), "ab");
  int64_t five = 0;
  memcpy(&five, attrs->GetInt(1), sizeof five);
  CHECK_EQ(five, 5);
  CHECK_EQ(attrs->GetListInt(3)->GetSize(), 2u);
  CHECK(attrs->GetInt(4) == nullptr);
}

TEST(layout_infer_shape_has_a_value_behind_its_inputs) {
  Tensor x({{2}, {2}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, kOnHost, ge::DT_FLOAT, nullptr);
  OpInferShapeContextBuilder builder;
  auto holder = builder.OpType("A").OpName("n").IONum(2, 1).InputTensors({&x, &x}).Build();
  auto *row = reinterpret_cast<KernelRunContext *>(holder.GetContext());
  CHECK_EQ(row->input_size, 3u);
  CHECK_EQ(row->output_size, 1u);
  CHECK_EQ(reinterpret_cast<char *>(row->output_start) - reinterpret_cast<char *>(&row->values[0]), 24);
  auto *node = reinterpret_cast<const char *>(holder.GetContext()->GetComputeNodeInfo());
  CHECK_EQ(reinterpret_cast<const char *>(holder.GetContext()->GetAttrs()) - node, 608);
}
// SPDX-License-Identifier: Apache-2.0
