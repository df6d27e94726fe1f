// sm_tiling.h - what the definitions of operators in users' style share.
#pragma once
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "sm_records.h"

namespace optiling {
constexpr uint32_t kBlocks = 4;

// Shapes, right-aligned to `rank` axes.
inline void SmPut(const gert::Shape &s, size_t rank, int64_t (&out)[8]) {
  for (size_t i = 0; i < rank; i++)
    out[i] = i + s.GetDimNum() < rank ? 1 : s.GetDim(i + s.GetDimNum() - rank);
}
inline ge::graphStatus SmSave(gert::TilingContext *context, SmShapes &data, uint32_t blocks = kBlocks) {
  auto raw = context->GetRawTilingData();
  data.SaveToBuffer(raw->GetData(), raw->GetCapacity());
  raw->SetDataSize(data.GetDataSize());
  context->SetBlockDim(blocks);
  context->SetTilingKey(1);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
// Input 0, input `second` and output 0.
inline ge::graphStatus SmShapesOf(gert::TilingContext *context, int second, SmShapes &data) {
  const gert::Shape &x = context->GetInputShape(0)->GetStorageShape();
  const gert::Shape &y = context->GetOutputShape(0)->GetStorageShape();
  size_t rank = x.GetDimNum() > y.GetDimNum() ? x.GetDimNum() : y.GetDimNum();
  rank = rank ? rank : 1;
  int64_t of_x[8] = {}, of_y[8] = {}, of_w[8] = {};
  if (rank > 8)
    return ge::GRAPH_FAILED;
  SmPut(x, rank, of_x);
  SmPut(y, rank, of_y);
  if (second >= 0)
    SmPut(context->GetInputShape(static_cast<size_t>(second))->GetStorageShape(), rank, of_w);
  data.set_rank(static_cast<uint32_t>(rank));
  data.set_x(of_x);
  data.set_y(of_y);
  data.set_w(of_w);
  return ge::GRAPH_SUCCESS;
}
inline int64_t SmProduct(const gert::Shape &s, size_t from, size_t to) {
  int64_t n = 1;
  for (size_t i = from; i < to; i++)
    n *= s.GetDim(i);
  return n;
}
}  // namespace optiling

#define SM_OP(Name, ...)                            \
  class Name : public OpDef {                       \
   public:                                          \
    explicit Name(const char *name) : OpDef(name) { \
      __VA_ARGS__                                   \
      this->AICore().AddConfig("ascend910b");       \
    }                                               \
  };                                                \
  OP_ADD(Name);
#define SM_IN(name, ...)         this->Input(name).ParamType(REQUIRED).DataType({__VA_ARGS__});
#define SM_MAY(name, ...)        this->Input(name).ParamType(OPTIONAL).DataType({__VA_ARGS__});
#define SM_LIST(side, name, ...) this->side(name).ParamType(DYNAMIC).DataType({__VA_ARGS__});
#define SM_OUT(name, ...)        this->Output(name).ParamType(REQUIRED).DataType({__VA_ARGS__});
// SPDX-License-Identifier: Apache-2.0
