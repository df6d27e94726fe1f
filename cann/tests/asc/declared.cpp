// Operators whose kernels are compiled when they first run: Declared names its launch (AnnotatedArgsOp);
// Failing has a kernel that breaks a rule, and does not look whether it did.
#include <vector>

#include "acl/acl_rt.h"
#include "acl/acl_rt_compile.h"
#include "graph/custom_op.h"
#include "graph/operator_reg.h"

namespace {
const char *const kSource = R"(
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y, uint64_t n) {
  for (uint64_t i = AscendC::GetBlockIdx(); i < n; i += AscendC::GetBlockNum())
    reinterpret_cast<float *>(y)[i] = 2 * reinterpret_cast<float *>(x)[i];
}
extern "C" __global__ __aicore__ void fails(GM_ADDR x) {
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue;
  pipe.InitBuffer(queue, 1, 256);
  queue.AllocTensor<float>();
  queue.AllocTensor<float>();
}
)";
std::vector<char> Compile() {
  aclrtcProg prog = nullptr;
  std::vector<char> bin;
  size_t bytes = 0;
  const char *option = "--npu-arch=dav-2201";
  if (aclrtcCreateProg(&prog, kSource, "twice.asc", 0, nullptr, nullptr) != ACL_SUCCESS)
    return bin;
  if (aclrtcCompileProg(prog, 1, &option) == ACL_SUCCESS &&
      aclrtcGetBinDataSize(prog, &bytes) == ACL_SUCCESS) {
    bin.resize(bytes);
    aclrtcGetBinData(prog, bin.data());
  }
  aclrtcDestroyProg(&prog);
  return bin;
}
}  // namespace

namespace ge {
REG_OP(Declared)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(Declared);
REG_OP(Failing)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(Failing);

class LikeItsInput : public ShapeInferOp {
 public:
  graphStatus InferShape(gert::InferShapeContext *context) override {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
  }
  graphStatus InferDataType(gert::InferDataTypeContext *context) override {
    return context->SetOutputDataType(0, context->GetInputDataType(0));
  }
};

class Declared : public CompilableOp, public AnnotatedArgsOp, public LikeItsInput {
 public:
  graphStatus Compile(gert::OpCompileContext *context) override {
    fe::PlatFormInfos platform;
    fe::OptionalInfos optional;
    std::string arch;
    const bool known = context->GetPlatformInfos(platform, optional) == GRAPH_SUCCESS &&
                       platform.GetPlatformResWithLock("version", "NpuArch", arch);
    bin_ = ::Compile();
    return known && arch == "2201" && !bin_.empty() ? GRAPH_SUCCESS : GRAPH_FAILED;
  }
  graphStatus DeclareLaunchArgs(gert::AnnotatedArgsContext &context) override {
    const gert::Tensor *x = context.GetInputTensor(0);
    const gert::Tensor *y = context.GetOutputTensor(0);
    gert::AnnotatedKernelArgs args(gert::InputAddr{0, x->GetAddr()}, gert::OutputAddr{0, y->GetAddr()},
                                   static_cast<uint64_t>(x->GetShapeSize()));
    gert::AnnotatedKernelLaunchInfo info;
    info.kernel_name = "twice";
    info.kernel_bin = bin_.data();
    info.kernel_bin_size = bin_.size();
    info.block_dim = 3;
    return context.AddLaunch(info, std::move(args));
  }

 private:
  std::vector<char> bin_;
};
REG_AUTO_MAPPING_OP(Declared);

class Failing : public EagerExecuteOp, public LikeItsInput {
 public:
  graphStatus Execute(gert::EagerOpExecutionContext *context) override {
    const gert::Tensor *x = context->GetInputTensor(0);
    gert::Tensor *y = context->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), x->GetDataType());
    const std::vector<char> bin = ::Compile();
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle function = nullptr;
    struct {
      const void *x;
    } args = {x->GetAddr()};
    const gert::KernelArgs *kept = context->MallocReadOnlyDevArgs(&args, sizeof args);
    const bool launched =
        y && kept && aclrtBinaryLoadFromData(bin.data(), bin.size(), nullptr, &binary) == ACL_SUCCESS &&
        aclrtBinaryGetFunction(binary, "fails", &function) == ACL_SUCCESS &&
        aclrtLaunchKernelV2(function, 1, kept->args_data, kept->args_size, nullptr, context->GetStream()) ==
            ACL_SUCCESS;
    return launched ? GRAPH_SUCCESS : GRAPH_FAILED;
  }
};
REG_AUTO_MAPPING_OP(Failing);
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
