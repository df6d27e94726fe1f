// custom_op.cpp - WhereLikeCustom: how many rows its output has, only the data say. Execute allocates the
// most that there can be, launches the kernel, waits, and reads the real shape from a buffer that the kernel
// wrote.
#include "acl/acl_rt.h"
#include "exe_graph/runtime/eager_op_execution_context.h"
#include "graph/custom_op.h"
#include "where_like_custom.h"
#include "where_like_custom_kernel.h"

namespace ge {
class WhereLikeCustom : public EagerExecuteOp, public ShapeInferOp {
 public:
  graphStatus InferShape(gert::InferShapeContext *context) override {
    const gert::Shape *x = context->GetInputShape(0);
    gert::Shape *y = context->GetOutputShape(0);
    if (x == nullptr || y == nullptr)
      return GRAPH_FAILED;
    const bool unknown_rank = x->GetDimNum() == 1 && x->GetDim(0) == UNKNOWN_DIM_NUM;
    *y = {UNKNOWN_DIM, unknown_rank ? UNKNOWN_DIM : static_cast<int64_t>(x->GetDimNum())};
    return GRAPH_SUCCESS;
  }

  graphStatus InferDataType(gert::InferDataTypeContext *context) override {
    return context->SetOutputDataType(0, DT_INT64);
  }

  graphStatus Execute(gert::EagerOpExecutionContext *context) override {
    const gert::Tensor *x = context->GetInputTensor(0);
    if (x == nullptr)
      return GRAPH_FAILED;
    const gert::Shape &from = x->GetStorageShape();
    const int64_t rank = static_cast<int64_t>(from.GetDimNum());
    const gert::StorageShape most({x->GetShapeSize(), rank}, {x->GetShapeSize(), rank});
    const gert::StorageFormat format(FORMAT_ND, FORMAT_ND, gert::ExpandDimsType());
    gert::Tensor *y = context->MallocOutputTensor(0, most, format, DT_INT64);
    void *shape_buffer = context->MallocWorkSpace(3 * sizeof(uint64_t));
    if (y == nullptr || shape_buffer == nullptr)
      return GRAPH_FAILED;
    WhereLikeCustomShape shape = {from.GetDimNum(), {}};
    for (size_t i = 0; i < from.GetDimNum(); i++)
      shape.dims[i] = from.GetDim(i);
    LaunchWhereLikeCustom(x->GetAddr(), shape, y->GetAddr(), shape_buffer, context->GetStream());
    return TakeShape(context->GetStream(), shape_buffer, y);
  }

 private:
  // What the kernel wrote: {2, rows, columns}.
  static graphStatus TakeShape(void *stream, const void *shape_buffer, gert::Tensor *y) {
    uint64_t shape[3] = {0, 0, 0};
    if (aclrtSynchronizeStream(stream) != ACL_SUCCESS ||
        aclrtMemcpy(shape, sizeof shape, shape_buffer, sizeof shape, ACL_MEMCPY_DEVICE_TO_HOST) !=
            ACL_SUCCESS ||
        shape[0] != 2)
      return GRAPH_FAILED;
    for (size_t i = 0; i < 2; i++) {
      y->MutableOriginShape().SetDim(i, static_cast<int64_t>(shape[1 + i]));
      y->MutableStorageShape().SetDim(i, static_cast<int64_t>(shape[1 + i]));
    }
    y->MutableTensorData().SetSize(shape[1] * shape[2] * sizeof(int64_t));
    return GRAPH_SUCCESS;
  }
};
REG_AUTO_MAPPING_OP(WhereLikeCustom);
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
