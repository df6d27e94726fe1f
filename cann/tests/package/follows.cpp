// follows.cpp - an operator without InferShape: its output follows the shape of an input, names of dims
// included.
#include "graph/custom_op.h"
#include "register/op_def_registry.h"
#include "weft_cann/examples.h"

namespace ops {
class Follows : public OpDef {
 public:
  explicit Follows(const char *name) : OpDef(name) {
    this->Input("x").DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("y").DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).Follow("x", FollowType::SHAPE);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(Follows);
}  // namespace ops

namespace user {
class Follows : public ge::EagerExecuteOp {
 public:
  ge::graphStatus Execute(gert::EagerOpExecutionContext *context) override {
    const gert::Tensor *x = context->GetInputTensor(0);
    gert::Tensor *y = context->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), x->GetDataType());
    if (y == nullptr)
      return ge::GRAPH_FAILED;
    for (int64_t i = 0; i < x->GetShapeSize(); i++)
      y->GetData<float>()[i] = -x->GetData<float>()[i];
    return ge::GRAPH_SUCCESS;
  }
};
REG_AUTO_MAPPING_OP(Follows);
WEFT_CANN_EXAMPLES(Follows, "f32[2]{1,-2} -> f32[2]{-1,2}", "f32[N,3] -> f32[N,3]", "f32[0,2] -> f32[0,2]");
}  // namespace user
// SPDX-License-Identifier: Apache-2.0
