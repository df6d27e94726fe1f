// contradicts.cpp - an operator that is described twice, differently; OP_ADD's description counts. Its range
// and its formats are inferred by functions of its own.
#include "graph/infer_format_context.h"
#include "graph/operator_reg.h"
#include "log/log.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"

namespace ge {
REG_OP(Contradicts)
    .INPUT(x, TensorType({DT_FLOAT, DT_INT32}))
    .OPTIONAL_INPUT(y, TensorType({DT_FLOAT}))
    .INPUT(more, TensorType({DT_FLOAT}))
    .OUTPUT(z, TensorType({DT_FLOAT}))
    .ATTR(scale, Int, 2)
    .OP_END_FACTORY_REG(Contradicts)
}  // namespace ge

namespace ops {
// Half as many rows, rounded up.
static ge::graphStatus InferShapeOfContradicts(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  const int64_t rows = context->GetInputShape(0)->GetDim(0);
  context->GetOutputShape(0)->SetDim(0, rows < 0 ? -1 : (rows + 1) / 2);
  // private attributes stand behind the declared one: by name where the node has it, or the default
  const int64_t *more = context->GetAttrs()->GetInt(1);
  const int64_t *under = context->GetAttrs()->GetInt(2);
  OP_CHECK_IF(!more || !under, OP_LOGE(context, "private attributes are missing"), return ge::GRAPH_FAILED);
  int64_t last[2];
  memcpy(&last[0], more, sizeof last[0]);
  memcpy(&last[1], under, sizeof last[1]);
  context->GetOutputShape(0)->AppendDim(last[0]).AppendDim(last[1]);
  return ge::GRAPH_SUCCESS;
}
static ge::graphStatus InferRangeOfContradicts(gert::InferShapeRangeContext *context) {
  const gert::Range<gert::Shape> *x = context->GetInputShapeRange(0);
  gert::Range<gert::Shape> *z = context->GetOutputShapeRange(0);
  *z->GetMin() = *x->GetMin();
  *z->GetMax() = *x->GetMax();
  z->GetMin()->SetDim(0, (x->GetMin()->GetDim(0) + 1) / 2);
  z->GetMax()->SetDim(0, x->GetMax()->GetDim(0) < 0 ? -1 : (x->GetMax()->GetDim(0) + 1) / 2);
  z->GetMin()->AppendDim(11).AppendDim(12);
  z->GetMax()->AppendDim(11).AppendDim(12);
  return ge::GRAPH_SUCCESS;
}
static ge::graphStatus InferFormatOfContradicts(gert::InferFormatContext *context) {
  OP_CHECK_IF(!context->GetRequiredInputFormat(0), OP_LOGE(context, "no format"), return ge::GRAPH_FAILED);
  context->GetOutputFormat(0)->SetOriginFormat(ge::FORMAT_NHWC);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP(Contradicts)
    .InferShape(InferShapeOfContradicts)
    .InferShapeRange(InferRangeOfContradicts)
    .InferFormat(InferFormatOfContradicts)
    .InferOutDataTypeSameWithFirstInput()
    .PrivateAttr("more_dims", int64_t{11})
    .PrivateAttr("_under", int64_t{12});

class Contradicts : public OpDef {
 public:
  explicit Contradicts(const char *name) : OpDef(name) {
    Input("x").DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    Output("z").DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    Attr("scale").AttrType(OPTIONAL).Float(1.5f);
  }
};
OP_ADD(Contradicts);
}  // namespace ops
// SPDX-License-Identifier: Apache-2.0
