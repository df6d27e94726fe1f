// sm_places.cpp - definitions and tiling of operators in users' style that move elements, and of those whose
// own sources bring a tiling function or infer an unusual shape.
#include "graph/operator_reg.h"
#include "infershape_elewise_util.h"
#include "sm_tiling.h"

namespace optiling {
// One block: what it finds before, it has to know. Coordinates by rows only.
static ge::graphStatus SmTilingNonZero(gert::TilingContext *context) {
  const gert::Shape &x = context->GetInputShape(0)->GetStorageShape();
  if (x.GetDimNum() > 8 || *context->GetAttrs()->GetBool(0))
    return ge::GRAPH_FAILED;
  SmShapes data;
  int64_t dims[8] = {};
  SmPut(x, x.GetDimNum(), dims);
  data.set_rank(static_cast<uint32_t>(x.GetDimNum()));
  data.set_x(dims);
  return SmSave(context, data, 1);
}
// p: strides, then rows above and columns before. Of NCHW.
static ge::graphStatus SmTilingConv(gert::TilingContext *context) {
  SmShapes data;
  if (SmShapesOf(context, 1, data) != ge::GRAPH_SUCCESS)
    return ge::GRAPH_FAILED;
  const auto *strides = context->GetAttrs()->GetListInt(0);
  const auto *pads = context->GetAttrs()->GetListInt(1);
  const bool same = strcmp(context->GetAttrs()->GetStr(2), "SAME") == 0;
  const gert::Shape &x = context->GetInputShape(0)->GetStorageShape();
  const gert::Shape &w = context->GetInputShape(1)->GetStorageShape();
  const gert::Shape &y = context->GetOutputShape(0)->GetStorageShape();
  int64_t p[8] = {};
  for (size_t i = 0; i < 2; i++) {
    const int64_t all = (y.GetDim(2 + i) - 1) * strides->GetData()[i] + w.GetDim(2 + i) - x.GetDim(2 + i);
    p[i] = strides->GetData()[i];
    p[2 + i] = same ? (all > 0 ? all / 2 : 0) : pads->GetData()[2 * i];
  }
  data.set_p(p);
  return SmSave(context, data);
}
// p: elements of x, of y.
static ge::graphStatus SmTilingAgain(gert::TilingContext *context) {
  SmShapes data;
  int64_t p[8] = {context->GetInputShape(0)->GetStorageShape().GetShapeSize(),
                  context->GetOutputShape(0)->GetStorageShape().GetShapeSize()};
  data.set_p(p);
  return SmSave(context, data);
}
// y: the turned shape; p: how far apart its neighbours lie in x.
static ge::graphStatus SmTilingTranspose(gert::TilingContext *context) {
  const gert::Shape &x = context->GetInputShape(0)->GetStorageShape();
  const auto *perm = context->GetAttrs()->GetListInt(0);
  const size_t rank = x.GetDimNum();
  int64_t dims[8] = {}, p[8] = {};
  if (rank > 8 || rank == 0)
    return ge::GRAPH_FAILED;
  for (size_t i = 0; i < rank; i++) {
    const auto from = static_cast<size_t>(perm->GetData()[i]);
    dims[i] = x.GetDim(from);
    p[i] = SmProduct(x, from + 1, rank);
  }
  SmShapes data;
  data.set_rank(static_cast<uint32_t>(rank));
  data.set_y(dims);
  data.set_p(p);
  return SmSave(context, data);
}
IMPL_OP_OPTILING(SmNonZero).Tiling(SmTilingNonZero);
IMPL_OP_OPTILING(SmConv).Tiling(SmTilingConv);
IMPL_OP_OPTILING(SmListAttrs).Tiling(SmTilingAgain);
IMPL_OP_OPTILING(SmShapeProbe).Tiling(SmTilingAgain);
IMPL_OP_OPTILING(SmTranspose).Tiling(SmTilingTranspose);
}  // namespace optiling

// A prototype only: OpDef has no lists of texts.
namespace ge {
REG_OP(SmListAttrs)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(lf, ListFloat, {1.0f})
    .ATTR(lb, ListBool, {true, false})
    .ATTR(ls, ListString, {"a", "bc"})
    .ATTR(lli, ListListInt, {{1, 2}, {3}})
    .ATTR(s, String, "xyz")
    .ATTR(t, Type, DT_INT32)
    .ATTR(v, Tensor, Tensor())
    .OP_END_FACTORY_REG(SmListAttrs)
}  // namespace ge

namespace ops {
static ge::graphStatus InferSame(gert::InferDataTypeContext *context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
IMPL_OP_INFERSHAPE(SmCompile).InferShape(Ops::Base::InferShape4Elewise).InferDataType(InferSame);
IMPL_OP_INFERSHAPE(SmTplKey).InferShape(Ops::Base::InferShape4Elewise).InferDataType(InferSame);

using ge::DT_BF16;
using ge::DT_FLOAT;
using ge::DT_FLOAT16;
using ge::DT_INT32;
using ge::DT_INT64;
SM_OP(SmNonZero, SM_IN("x", DT_FLOAT) this->Output("y")
                     .ParamType(REQUIRED)
                     .DataType({DT_INT64})
                     .OutputShapeDependOnCompute();
      this->Attr("transpose").AttrType(OPTIONAL).Bool(false);)
SM_OP(SmConv,
      SM_IN("x", DT_FLOAT) SM_IN("filter", DT_FLOAT) SM_OUT("y", DT_FLOAT) this->Attr("strides").ListInt();
      this->Attr("pads").AttrType(OPTIONAL).ListInt({0, 0, 0, 0});
      this->Attr("padding").AttrType(OPTIONAL).String("");)
SM_OP(SmPad, SM_IN("x", DT_FLOAT) SM_IN("paddings", DT_INT32) SM_OUT("y", DT_FLOAT) this->Attr("mode")
                 .AttrType(OPTIONAL)
                 .String("constant");)
SM_OP(SmShapeProbe,
      SM_IN("x", DT_FLOAT) SM_MAY("other", DT_FLOAT) SM_OUT("y", DT_FLOAT) this->Attr("what").Int();)
SM_OP(SmTranspose, SM_IN("x", DT_FLOAT) SM_OUT("y", DT_FLOAT) this->Attr("perm").ListInt();)
SM_OP(SmCompile, SM_IN("x", DT_FLOAT) SM_OUT("y", DT_FLOAT))
SM_OP(SmTplKey, SM_IN("x", DT_FLOAT, DT_FLOAT16, DT_BF16) SM_MAY("bias", DT_FLOAT, DT_FLOAT, DT_FLOAT)
                    SM_OUT("y", DT_FLOAT, DT_FLOAT16, DT_BF16) this->Attr("tile")
                        .Int();
      this->Attr("mode").Int();)
}  // namespace ops
// SPDX-License-Identifier: Apache-2.0
