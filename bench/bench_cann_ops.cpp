// bench_cann_ops.cpp - the operators of bench_cann, in CANN's C++: one whose inference is timed, and
// generated ones. It is a package of weft's, as every library with OP_ADD is.
#include <chrono>

#include "op_infer_shape_context_builder.h"
#include "register/op_def_registry.h"

static ge::graphStatus BenchShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus BenchType(gert::InferDataTypeContext *context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}

namespace {
// Two inputs, one output, one attribute, in two combinations of types.
class Generated : public ops::OpDef {
 public:
  explicit Generated(const char *name) : OpDef(name) {
    for (const char *port : {"x", "y"})
      Input(port).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
    Output("z").DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
    Attr("axis").AttrType(ops::OPTIONAL).Int(-1);
    SetInferShape(BenchShape).SetInferDataType(BenchType);
  }
};
}  // namespace

// What n times OP_ADD does while a library is loaded.
extern "C" void bench_cann_add(int n) {
  for (int i = 0; i < n; i++)
    ops::detail::AddOpDef<Generated>(("Generated" + std::to_string(i)).c_str());
}

// Nanoseconds of `calls` calls of the bare function, on a context that is there already.
extern "C" double bench_cann_bare_ns(int calls) {
  const gert::StorageShape shape({8, 64, 32, 32}, {8, 64, 32, 32});
  const gert::StorageFormat nd(ge::FORMAT_ND, ge::FORMAT_ND, gert::ExpandDimsType());
  gert::Tensor x(shape, nd, ge::DT_FLOAT);
  gert::Tensor y(shape, nd, ge::DT_FLOAT);
  gert::OpInferShapeContextBuilder builder;
  auto holder = builder.OpType("Generated0").OpName("node").IONum(2, 1).InputTensors({&x, &y}).Build();
  ge::graphStatus (*volatile function)(gert::InferShapeContext *) = BenchShape;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; i++)
    (void)function(holder.GetContext());
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}
// SPDX-License-Identifier: Apache-2.0
