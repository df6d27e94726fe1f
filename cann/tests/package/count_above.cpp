// count_above.cpp - the places of the elements above a limit: the output's shape depends on the data (class
// 3). The output is allocated for the worst case, and its shape is written when it is known.
#include <atomic>

#include "graph/custom_op.h"
#include "graph/operator_reg.h"
#include "log/log.h"
#include "platform/platform_infos_def.h"

namespace ge {
REG_OP(CountAbove)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(places, TensorType({DT_INT64}))
    .ATTR(limit, Float, 0)
    .OP_END_FACTORY_REG(CountAbove)
}  // namespace ge

namespace user {
class CountAbove : public ge::EagerExecuteOp, public ge::ShapeInferOp, public ge::CompilableOp {
 public:
  ge::graphStatus Compile(gert::OpCompileContext *context) override {
    fe::PlatFormInfos platform;
    fe::OptionalInfos optional;
    const gert::Tensor *x = context->GetInputTensor(0);
    if (x == nullptr || context->GetPlatformInfos(platform, optional) != ge::GRAPH_SUCCESS)
      return ge::GRAPH_FAILED;
    OP_CHECK_IF(x->GetOriginShape().GetDimNum() != 1,
                OP_LOGE("CountAbove", "rank %zu is not 1", x->GetOriginShape().GetDimNum()),
                return ge::GRAPH_FAILED);
    compiled_ = platform.GetCoreNum() > 0;
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus InferShape(gert::InferShapeContext *context) override {
    *context->GetOutputShape(0) = {-1};
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus InferDataType(gert::InferDataTypeContext *context) override {
    return context->SetOutputDataType(0, ge::DT_INT64);
  }
  ge::graphStatus Execute(gert::EagerOpExecutionContext *context) override {
    if (!compiled_)
      return ge::GRAPH_FAILED;
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

 private:
  std::atomic<bool> compiled_{false};
};
REG_AUTO_MAPPING_OP(CountAbove);
}  // namespace user
// SPDX-License-Identifier: Apache-2.0
