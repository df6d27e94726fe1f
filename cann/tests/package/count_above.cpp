// count_above.cpp - the places of the elements above a limit: the output's shape depends on the data (class
// 3). The output is allocated for the worst case, and its shape is written when it is known.
#include "graph/custom_op.h"
#include "graph/operator_reg.h"
#include "weft_cann/examples.h"

namespace ge {
REG_OP(CountAbove)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(places, TensorType({DT_INT64}))
    .ATTR(limit, Float, 0)
    .OP_END_FACTORY_REG(CountAbove)
}  // namespace ge

namespace user {
class CountAbove : public ge::EagerExecuteOp, public ge::ShapeInferOp {
 public:
  ge::graphStatus InferShape(gert::InferShapeContext *context) override {
    *context->GetOutputShape(0) = {-1};
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus InferDataType(gert::InferDataTypeContext *context) override {
    return context->SetOutputDataType(0, ge::DT_INT64);
  }
  ge::graphStatus Execute(gert::EagerOpExecutionContext *context) override {
    const gert::Tensor *x = context->GetInputTensor(0);
    const int64_t n = x->GetShapeSize();
    const gert::StorageShape most({n}, {n});
    gert::Tensor *places = context->MallocOutputTensor(0, most, x->GetFormat(), ge::DT_INT64);
    if (places == nullptr)
      return ge::GRAPH_FAILED;
    float limit = 0;
    memcpy(&limit, context->GetAttrs()->GetFloat(0), sizeof limit);
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
      if (x->GetData<float>()[i] > limit)
        places->GetData<int64_t>()[found++] = i;
    }
    places->MutableOriginShape() = gert::Shape({found});
    places->MutableStorageShape() = gert::Shape({found});
    return ge::GRAPH_SUCCESS;
  }
};
REG_AUTO_MAPPING_OP(CountAbove);
WEFT_CANN_EXAMPLES(CountAbove, "f32[4]{1,-2,3,0} -> i64[2]{0,2}", "f32[0]{} limit=2.0 -> i64[0]{}");
}  // namespace user
// SPDX-License-Identifier: Apache-2.0
