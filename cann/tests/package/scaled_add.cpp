// scaled_add.cpp - z = scale (x + y), as a user of CANN writes it: prototype, shape and type inference, and
// an implementation that runs anywhere.
#include "graph/custom_op.h"
#include "log/log.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "weft_cann/examples.h"

namespace ops {
static ge::graphStatus InferShapeScaledAdd(gert::InferShapeContext *context) {
  const gert::Shape *x = context->GetInputShape(0);
  OP_CHECK_NULL_WITH_CONTEXT(context, x);
  OP_CHECK_IF(x->GetDimNum() > 3, OP_LOGE(context, "rank %zu is above 3", x->GetDimNum()),
              return ge::GRAPH_FAILED);
  *context->GetOutputShape(0) = *x;
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(ScaledAdd).InferShape(InferShapeScaledAdd).InferOutDataTypeSameWithFirstInput();

class ScaledAdd : public OpDef {
 public:
  explicit ScaledAdd(const char *name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_INT32})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Input("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_INT32})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("z")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_INT32})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("scale").AttrType(OPTIONAL).Float(2.0f);
    this->Attr("mode").AttrType(OPTIONAL).String("plain");
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(ScaledAdd);
}  // namespace ops

class ScaledAdd : public ge::EagerExecuteOp {
 public:
  ge::graphStatus Execute(gert::EagerOpExecutionContext *context) override {
    const gert::Tensor *x = context->GetInputTensor(0);
    const gert::Tensor *y = context->GetInputTensor(1);
    OP_CHECK_IF(x->GetDataType() != ge::DT_FLOAT, OP_LOGE(context, "only float is there"),
                return ge::GRAPH_FAILED);
    gert::Tensor *z = context->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), x->GetDataType());
    OP_CHECK_NULL_WITH_CONTEXT(context, z);
    float scale = 0;
    memcpy(&scale, context->GetAttrs()->GetFloat(0), sizeof scale);
    for (int64_t i = 0; i < x->GetShapeSize(); i++)
      z->GetData<float>()[i] = scale * (x->GetData<float>()[i] + y->GetData<float>()[i]);
    return ge::GRAPH_SUCCESS;
  }
};
REG_AUTO_MAPPING_OP(ScaledAdd);
WEFT_CANN_EXAMPLES(ScaledAdd, "f32[2]{1,2}, f32[2]{3,4} -> f32[2]{8,12}",
                   "f32[1,3]{1,2,3}, f32[1,3]{4,5,6} scale=0.5 mode=\"plain\" -> f32[1,3]{2.5,3.5,4.5}",
                   "f32[1,1,1,2], f32[2] !! E_SHAPE rank 4 is above 3");
// SPDX-License-Identifier: Apache-2.0
