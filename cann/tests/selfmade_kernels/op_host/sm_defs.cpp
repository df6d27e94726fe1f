// sm_defs.cpp - definitions and tiling for operators in users' style whose own sources, which lie elsewhere,
// hold inference only: with them and the kernels of op_kernel/ they run.
#include "sm_tiling.h"

namespace optiling {
static ge::graphStatus SmTilingAdd(gert::TilingContext *context) {
  SmShapes data;
  if (SmShapesOf(context, 1, data) != ge::GRAPH_SUCCESS)
    return ge::GRAPH_FAILED;
  return SmSave(context, data);
}
static ge::graphStatus SmTilingShapes(gert::TilingContext *context) {
  SmShapes data;
  if (SmShapesOf(context, -1, data) != ge::GRAPH_SUCCESS)
    return ge::GRAPH_FAILED;
  return SmSave(context, data);
}
// p: outer, reduced, inner. Axes that are neighbours only.
static ge::graphStatus SmReduceBy(gert::TilingContext *context, const int64_t *axes, size_t n) {
  const gert::Shape &x = context->GetInputShape(0)->GetStorageShape();
  const int64_t rank = static_cast<int64_t>(x.GetDimNum());
  uint64_t mask = n ? 0 : (1ull << rank) - 1;
  for (size_t i = 0; i < n; i++)
    mask |= 1ull << ((axes[i] + rank) % rank);
  size_t first = 0;
  while (first < x.GetDimNum() && !(mask >> first & 1))
    first++;
  size_t last = first;
  while (last < x.GetDimNum() && mask >> last & 1)
    last++;
  if (mask >> last)
    return ge::GRAPH_FAILED;
  SmShapes data;
  int64_t p[8] = {SmProduct(x, 0, first), SmProduct(x, first, last), SmProduct(x, last, x.GetDimNum())};
  data.set_p(p);
  return SmSave(context, data);
}
static ge::graphStatus SmTilingReduce(gert::TilingContext *context) {
  const auto *axes = context->GetAttrs()->GetListInt(0);
  return SmReduceBy(context, axes->GetData(), axes->GetSize());
}
static ge::graphStatus SmTilingReduceConst(gert::TilingContext *context) {
  const gert::Tensor *axes = context->GetInputTensor(1);
  if (!axes || !axes->GetAddr())
    return ge::GRAPH_FAILED;
  std::vector<int64_t> values;
  for (int64_t i = 0; i < axes->GetShapeSize(); i++)
    values.push_back(axes->GetData<int32_t>()[i]);
  return SmReduceBy(context, values.data(), values.size());
}
// p: rows, columns, whether gamma and beta are there. number: epsilon.
static ge::graphStatus SmTilingNorm(gert::TilingContext *context) {
  const gert::Shape &x = context->GetInputShape(0)->GetStorageShape();
  const auto *gamma = context->GetOptionalInputShape(1);
  const auto *beta = context->GetOptionalInputShape(2);
  const size_t axes = gamma ? gamma->GetStorageShape().GetDimNum() : 1;
  const size_t begin = x.GetDimNum() - axes;
  SmShapes data;
  int64_t p[8] = {SmProduct(x, 0, begin), SmProduct(x, begin, x.GetDimNum()), gamma != nullptr,
                  beta != nullptr};
  data.set_p(p);
  data.set_number(*context->GetAttrs()->GetFloat(0));
  return SmSave(context, data);
}
// p: rows, columns, k. Along the last axis.
static ge::graphStatus SmTilingTopK(gert::TilingContext *context) {
  const gert::Shape &x = context->GetInputShape(0)->GetStorageShape();
  const gert::Shape &y = context->GetOutputShape(0)->GetStorageShape();
  const size_t last = x.GetDimNum() - 1;
  const int64_t dim = *context->GetAttrs()->GetInt(1);
  SmShapes data;
  if ((dim != -1 && dim != static_cast<int64_t>(last)) || x.GetDim(last) > 1024)
    return ge::GRAPH_FAILED;
  int64_t p[8] = {SmProduct(x, 0, last), x.GetDim(last), y.GetDim(last)};
  data.set_p(p);
  return SmSave(context, data);
}
// p: outer, the gathered axis, inner, indices.
static ge::graphStatus SmTilingGather(gert::TilingContext *context) {
  const gert::Shape &x = context->GetInputShape(0)->GetStorageShape();
  const gert::Tensor *axis = context->GetInputTensor(2);
  if (!axis || !axis->GetAddr() || *context->GetAttrs()->GetInt(0) != 0)
    return ge::GRAPH_FAILED;
  const int64_t rank = static_cast<int64_t>(x.GetDimNum());
  int64_t at = axis->GetDataType() == ge::DT_INT32 ? *axis->GetData<int32_t>() : *axis->GetData<int64_t>();
  at += at < 0 ? rank : 0;
  const auto place = static_cast<size_t>(at);
  SmShapes data;
  int64_t p[8] = {SmProduct(x, 0, place), x.GetDim(place), SmProduct(x, place + 1, x.GetDimNum()),
                  context->GetInputShape(1)->GetStorageShape().GetShapeSize()};
  data.set_p(p);
  return SmSave(context, data);
}

IMPL_OP_OPTILING(SmAddLike).Tiling(SmTilingAdd);
IMPL_OP_OPTILING(SmReduceAttr).Tiling(SmTilingReduce);
IMPL_OP_OPTILING(SmReduceConst).Tiling(SmTilingReduceConst).TilingInputsDataDependency({1});
IMPL_OP_OPTILING(SmNorm).Tiling(SmTilingNorm);
IMPL_OP_OPTILING(SmTopK).Tiling(SmTilingTopK);
IMPL_OP_OPTILING(SmGather).Tiling(SmTilingGather).TilingInputsDataDependency({2});
IMPL_OP_OPTILING(SmTile).Tiling(SmTilingShapes);
IMPL_OP_OPTILING(SmReshape).Tiling(SmTilingShapes);
IMPL_OP_OPTILING(SmRange).Tiling(SmTilingShapes);
IMPL_OP_OPTILING(SmCast).Tiling(SmTilingShapes);
}  // namespace optiling

namespace ops {
using ge::DT_FLOAT;
using ge::DT_FLOAT16;
using ge::DT_INT32;
using ge::DT_INT64;
SM_OP(SmAddLike,
      SM_IN("x1", DT_FLOAT, DT_FLOAT16) SM_IN("x2", DT_FLOAT, DT_FLOAT16) SM_OUT("y", DT_FLOAT, DT_FLOAT16))
SM_OP(SmReduceAttr, SM_IN("x", DT_FLOAT) SM_OUT("y", DT_FLOAT) this->Attr("axes").ListInt();
      this->Attr("keep_dims").AttrType(OPTIONAL).Bool(false);)
SM_OP(SmReduceConst, SM_IN("x", DT_FLOAT) SM_IN("axes", DT_INT32)
                         SM_OUT("y", DT_FLOAT) this->Attr("keep_dims")
                             .AttrType(OPTIONAL)
                             .Bool(false);)
SM_OP(SmNorm, SM_IN("x", DT_FLOAT) SM_MAY("gamma", DT_FLOAT) SM_MAY("beta", DT_FLOAT) SM_OUT("y", DT_FLOAT)
                  SM_OUT("mean", DT_FLOAT) SM_OUT("rstd", DT_FLOAT) this->Attr("epsilon")
                      .AttrType(OPTIONAL)
                      .Float(1e-5f);)
SM_OP(SmTopK, SM_IN("x", DT_FLOAT) SM_IN("k", DT_INT32) SM_OUT("values", DT_FLOAT)
                  SM_OUT("indices", DT_INT32) this->Attr("sorted")
                      .AttrType(OPTIONAL)
                      .Bool(true);
      this->Attr("dim").AttrType(OPTIONAL).Int(-1);)
SM_OP(SmGather, SM_IN("x", DT_FLOAT) SM_IN("indices", DT_INT32) SM_IN("axis", DT_INT32)
                    SM_OUT("y", DT_FLOAT) this->Attr("batch_dims")
                        .AttrType(OPTIONAL)
                        .Int(0);)
SM_OP(SmTile, SM_IN("x", DT_FLOAT) SM_IN("multiples", DT_INT64) SM_OUT("y", DT_FLOAT))
SM_OP(SmReshape, SM_IN("x", DT_FLOAT) SM_IN("shape", DT_INT64) SM_OUT("y", DT_FLOAT))
SM_OP(SmRange,
      SM_IN("start", DT_FLOAT) SM_IN("limit", DT_FLOAT) SM_IN("delta", DT_FLOAT) SM_OUT("y", DT_FLOAT))
SM_OP(SmCast, SM_IN("x", DT_FLOAT, DT_FLOAT) SM_OUT("y", DT_FLOAT16, DT_INT32) this->Attr("dst_type")
                  .AttrType(OPTIONAL)
                  .Int(0);)
SM_OP(SmMatmul, SM_IN("x1", DT_FLOAT) SM_IN("x2", DT_FLOAT) SM_OUT("y", DT_FLOAT) this->Attr("transpose_x1")
                    .AttrType(OPTIONAL)
                    .Bool(false);
      this->Attr("transpose_x2").AttrType(OPTIONAL).Bool(false);
      this->Attr("scale").AttrType(OPTIONAL).Float(1.0f);)
}  // namespace ops
// SPDX-License-Identifier: Apache-2.0
