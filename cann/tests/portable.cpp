// Twofold, a CompilableOp and PortableOp: what Compile makes (here: a number) is in a program's file, and a
// program that is loaded does not compile it again. WEFT_TEST_NO_COMPILER: as on a machine without a
// compiler.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "graph/custom_op.h"
#include "graph/operator_reg.h"

namespace ge {
REG_OP(Twofold)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(Twofold);

class Twofold : public EagerExecuteOp, public ShapeInferOp, public CompilableOp, public PortableOp {
 public:
  graphStatus InferShape(gert::InferShapeContext *context) override {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
  }
  graphStatus InferDataType(gert::InferDataTypeContext *context) override {
    return context->SetOutputDataType(0, context->GetInputDataType(0));
  }
  graphStatus Compile(gert::OpCompileContext *context) override {
    const gert::Tensor *x = context->GetInputTensor(0);
    if (getenv("WEFT_TEST_NO_COMPILER") || !x || x->GetOriginShape().GetDimNum() != 1)
      return GRAPH_FAILED;
    times_ = 2;
    return GRAPH_SUCCESS;
  }
  graphStatus Serialize(std::vector<uint8_t> &buffer) override {
    buffer.assign({'T', 0, times_});
    return times_ ? GRAPH_SUCCESS : GRAPH_FAILED;
  }
  graphStatus Deserialize(const std::vector<uint8_t> &buffer) override {
    if (buffer.size() != 3 || buffer[0] != 'T')
      return GRAPH_FAILED;
    times_ = buffer[2];
    return GRAPH_SUCCESS;
  }
  graphStatus Execute(gert::EagerOpExecutionContext *context) override {
    const gert::Tensor *x = context->GetInputTensor(0);
    gert::Tensor *y = context->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), x->GetDataType());
    if (!y)
      return GRAPH_FAILED;
    for (int64_t i = 0; i < x->GetShapeSize(); i++)
      y->GetData<float>()[i] = static_cast<float>(times_) * x->GetData<float>()[i];
    return GRAPH_SUCCESS;
  }

 private:
  uint8_t times_ = 0;
};
REG_AUTO_MAPPING_OP(Twofold);
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
