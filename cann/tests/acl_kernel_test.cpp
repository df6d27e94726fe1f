// acl_kernel_test.cpp - kernels in Ascend C compiled by aclrtc*, found by name and launched, and what goes
// wrong.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_compile.h"
#include "check.h"

namespace {
const char *const kSource = R"(
#include "kernel_operator.h"
)"
                            "#inc"
                            "lude \"factor.h\""
                            R"(
struct Shape { int64_t n; float add; };
extern "C" __global__ __aicore__ void scale(GM_ADDR x, uint8_t factor, GM_ADDR y, Shape shape) {
  for (int64_t i = AscendC::GetBlockIdx(); i < shape.n; i += AscendC::GetBlockNum())
    reinterpret_cast<float *>(y)[i] = kFactor * factor * reinterpret_cast<float *>(x)[i] + shape.add;
}
extern "C" __global__ __aicore__ void nothing() {}
namespace inner {
__global__ __aicore__ void count(GM_ADDR y) {
  reinterpret_cast<uint32_t *>(y)[AscendC::GetBlockIdx()] = AscendC::GetBlockNum();
}
}
extern "C" __global__ __aicore__ void wrong(GM_ADDR y) {
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue;
  pipe.InitBuffer(queue, 1, 256);
  queue.AllocTensor<float>();
  queue.AllocTensor<float>();
}
)";
struct Shape {
  int64_t n;
  float add;
};
struct Args {
  const void *x;
  uint8_t factor;
  void *y;
  Shape shape;
};

std::string Said() {
  const char *text = aclGetRecentErrMsg();
  return text ? text : "";
}
bool Has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}
std::vector<char> Compile(const char *source, const char *option, std::string *log = nullptr) {
  const char *const header = "constexpr float kFactor = 2;\n";
  const char *const name = "factor.h";
  aclrtcProg prog = nullptr;
  std::vector<char> bin;
  size_t bytes = 0;
  CHECK_EQ(aclrtcCreateProg(&prog, source, "scale.asc", 1, &header, &name), int(ACL_SUCCESS));
  const aclError code = aclrtcCompileProg(prog, 1, &option);
  if (log) {
    CHECK_EQ(aclrtcGetCompileLogSize(prog, &bytes), int(ACL_SUCCESS));
    log->resize(bytes);
    CHECK_EQ(aclrtcGetCompileLog(prog, &(*log)[0]), int(ACL_SUCCESS));
  }
  if (code == ACL_SUCCESS) {
    CHECK_EQ(aclrtcGetBinDataSize(prog, &bytes), int(ACL_SUCCESS));
    bin.resize(bytes);
    CHECK_EQ(aclrtcGetBinData(prog, bin.data()), int(ACL_SUCCESS));
  } else {
    CHECK(aclrtcGetBinDataSize(prog, &bytes) != ACL_SUCCESS);
  }
  CHECK_EQ(aclrtcDestroyProg(&prog), int(ACL_SUCCESS));
  CHECK(prog == nullptr);
  return bin;
}
const std::vector<char> &Binary() {
  static const std::vector<char> bin = Compile(kSource, "--npu-arch=dav-2201");
  return bin;
}
aclrtFuncHandle Function(aclrtBinHandle bin, const char *name) {
  aclrtFuncHandle f = nullptr;
  CHECK_EQ(aclrtBinaryGetFunction(bin, name, &f), int(ACL_SUCCESS));
  return f;
}
}  // namespace

TEST(acl_rtc_compiles) {
  CHECK(Binary().size() > 1000);
  CHECK(Compile(kSource, "--npu-arch=dav-2201") == Binary());
}

TEST(acl_rtc_says_what_is_wrong) {
  std::string log;
  CHECK(Compile("extern \"C\" void f() {\n  g();\n}\n", "-g0", &log).empty());
  CHECK(Has(Said(), "'scale.asc' was not compiled"));
  CHECK(Has(log, "scale.asc:2:3: error:"));
  CHECK(Compile("void f(void *s) {\n\n 3 <<<1>>>(2); }\n", "-g0", &log).empty());
  CHECK(Has(log, "scale.asc:3: error: a launch, '<<<', needs the name of a kernel before it"));
  CHECK(Compile(kSource, "--npu-arch=2201", &log).empty());
  CHECK(Has(log, "such as dav-2201"));
  aclrtcProg prog = nullptr;
  const char *const name = "../factor.h";
  CHECK(aclrtcCreateProg(&prog, "", "n", 1, &name, &name) != ACL_SUCCESS);
  CHECK(aclrtcCreateProg(nullptr, "", "n", 0, nullptr, nullptr) != ACL_SUCCESS);
  CHECK(aclrtcCompileProg(&prog, 0, nullptr) != ACL_SUCCESS);
  size_t bytes;
  CHECK(aclrtcGetBinDataSize(&prog, &bytes) != ACL_SUCCESS);
}

TEST(acl_kernels_launch_in_every_way) {
  aclrtBinHandle bin = nullptr;
  CHECK_EQ(aclrtBinaryLoadFromData(Binary().data(), Binary().size(), nullptr, &bin), int(ACL_SUCCESS));
  aclrtFuncHandle f = Function(bin, "scale");
  CHECK(f == Function(bin, "scale"));
  size_t count = 0;
  size_t offset = 0;
  size_t size = 0;
  CHECK_EQ(aclrtFunctionGetParamCount(f, &count), int(ACL_SUCCESS));
  CHECK_EQ(count, 4u);
  CHECK_EQ(aclrtFunctionGetParamInfo(f, 3, &offset, &size), int(ACL_SUCCESS));
  CHECK_EQ(offset, offsetof(Args, shape));
  CHECK_EQ(size, sizeof(Shape));
  CHECK(aclrtFunctionGetParamInfo(f, 4, &offset, &size) != ACL_SUCCESS);
  aclrtStream stream = nullptr;
  CHECK_EQ(aclrtCreateStream(&stream), int(ACL_SUCCESS));
  float x[5] = {1, 2, 3, 4, 5};
  float y[5] = {};
  Args args = {x, 3, y, {5, 0.5F}};
  const auto good = [&] {
    CHECK_EQ(aclrtSynchronizeStream(stream), int(ACL_SUCCESS));
    for (int i = 0; i < 5; i++)
      CHECK_EQ(y[i], 6 * x[i] + 0.5F);
    memset(y, 0, sizeof y);
  };
  CHECK_EQ(aclrtLaunchKernel(f, 2, &args, sizeof args, stream), int(ACL_SUCCESS));
  good();
  CHECK_EQ(aclrtLaunchKernelV2(f, 3, &args, sizeof args, nullptr, stream), int(ACL_SUCCESS));
  good();
  void *each[] = {&args.x, &args.factor, &args.y, &args.shape};
  CHECK_EQ(aclrtLaunchKernelWithArgsArray(f, 7, stream, nullptr, each), int(ACL_SUCCESS));
  good();
  struct {
    Args args;
    float x[5];
  } whole = {args, {1, 2, 3, 4, 5}};
  whole.args.x = nullptr;
  aclrtPlaceHolderInfo holder = {offsetof(Args, x), sizeof(Args)};
  CHECK_EQ(aclrtLaunchKernelWithHostArgs(f, 1, stream, nullptr, &whole, sizeof whole, &holder, 1),
           int(ACL_SUCCESS));
  good();
  holder.addrOffset = sizeof whole - 4;
  CHECK(aclrtLaunchKernelWithHostArgs(f, 1, stream, nullptr, &whole, sizeof whole, &holder, 1) !=
        ACL_SUCCESS);
  aclrtArgsHandle list = nullptr;
  aclrtParamHandle param[4];
  void *buffer = nullptr;
  uint8_t factor = 9;
  CHECK_EQ(aclrtKernelArgsInit(f, &list), int(ACL_SUCCESS));
  CHECK_EQ(aclrtKernelArgsAppendPlaceHolder(list, &param[0]), int(ACL_SUCCESS));
  CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(list, param[0], sizeof x, &buffer), int(ACL_SUCCESS));
  CHECK(aclrtKernelArgsGetPlaceHolderBuffer(list, param[0], sizeof x, &buffer) != ACL_SUCCESS);
  memcpy(buffer, x, sizeof x);
  CHECK_EQ(aclrtKernelArgsAppend(list, &factor, 1, &param[1]), int(ACL_SUCCESS));
  CHECK_EQ(aclrtKernelArgsAppend(list, &args.y, sizeof args.y, &param[2]), int(ACL_SUCCESS));
  CHECK(aclrtLaunchKernelWithConfig(f, 2, stream, nullptr, list, nullptr) != ACL_SUCCESS);
  CHECK(Has(Said(), "kernel 'scale' has 4 arguments, 3 are given"));
  CHECK_EQ(aclrtKernelArgsAppend(list, &args.shape, sizeof args.shape, &param[3]), int(ACL_SUCCESS));
  CHECK_EQ(aclrtKernelArgsParaUpdate(list, param[1], &args.factor, 1), int(ACL_SUCCESS));
  CHECK(aclrtKernelArgsParaUpdate(list, param[0], &args.x, 8) != ACL_SUCCESS);
  CHECK_EQ(aclrtKernelArgsFinalize(list), int(ACL_SUCCESS));
  CHECK(aclrtKernelArgsAppend(list, &factor, 1, &param[1]) != ACL_SUCCESS);
  CHECK_EQ(aclrtLaunchKernelWithConfig(f, 2, stream, nullptr, list, nullptr), int(ACL_SUCCESS));
  good();
  uint32_t places[3] = {};
  void *at = places;
  CHECK_EQ(aclrtLaunchKernel(Function(bin, "count"), 3, &at, sizeof at, nullptr), int(ACL_SUCCESS));
  CHECK_EQ(places[2], 3u);
  CHECK_EQ(aclrtLaunchKernel(Function(bin, "nothing"), 1, nullptr, 0, nullptr), int(ACL_SUCCESS));
  CHECK_EQ(aclrtDestroyStream(stream), int(ACL_SUCCESS));
  CHECK_EQ(aclrtBinaryUnLoad(bin), int(ACL_SUCCESS));
  CHECK(aclrtLaunchKernel(f, 2, &args, sizeof args, nullptr) != ACL_SUCCESS);
  CHECK(aclrtLaunchKernelWithConfig(f, 2, nullptr, nullptr, list, nullptr) != ACL_SUCCESS);
  CHECK(aclrtBinaryUnLoad(bin) != ACL_SUCCESS);
}

TEST(acl_kernels_refuse) {
  aclrtBinHandle bin = nullptr;
  const char text[] =
      "no shared object, but long enough to hold the head of one, which it does not begin with";
  CHECK(aclrtBinaryLoadFromData(text, sizeof text, nullptr, &bin) != ACL_SUCCESS);
  CHECK(Has(Said(), "no shared object for this machine"));
  std::vector<char> cut(Binary().begin(), Binary().begin() + 100);
  CHECK(aclrtBinaryLoadFromData(cut.data(), cut.size(), nullptr, &bin) != ACL_SUCCESS);
  CHECK(aclrtBinaryLoadFromFile("/nowhere/at/all.so", nullptr, &bin) != ACL_SUCCESS);
  aclrtBinary data = aclrtCreateBinary(Binary().data(), Binary().size());
  CHECK_EQ(aclrtBinaryLoad(data, &bin), int(ACL_SUCCESS));
  CHECK_EQ(aclrtDestroyBinary(data), int(ACL_SUCCESS));
  aclrtFuncHandle f = nullptr;
  CHECK(aclrtBinaryGetFunction(bin, "none", &f) != ACL_SUCCESS);
  CHECK(Has(Said(), "has no kernel 'none'"));
  f = Function(bin, "scale");
  Args args = {};
  CHECK(aclrtLaunchKernel(f, 1, &args, sizeof args - 9, nullptr) != ACL_SUCCESS);
  CHECK(Has(Said(), "the arguments of kernel 'scale' take 40 bytes, 31 are given"));
  CHECK(aclrtLaunchKernel(f, 0, &args, sizeof args, nullptr) != ACL_SUCCESS);
  CHECK(aclrtLaunchKernel(&args, 1, &args, sizeof args, nullptr) != ACL_SUCCESS);
  CHECK_EQ(aclrtBinaryUnLoad(bin), int(ACL_SUCCESS));
}

// What a kernel does wrong is the stream's error, once.
TEST(acl_kernels_fail_on_their_stream) {
  aclrtBinHandle bin = nullptr;
  CHECK_EQ(aclrtBinaryLoadFromData(Binary().data(), Binary().size(), nullptr, &bin), int(ACL_SUCCESS));
  aclrtFuncHandle f = Function(bin, "wrong");
  void *y = nullptr;
  aclrtStream streams[2] = {};
  CHECK_EQ(aclrtCreateStream(&streams[0]), int(ACL_SUCCESS));
  for (aclrtStream stream : streams) {
    CHECK_EQ(aclrtLaunchKernel(f, 2, &y, sizeof y, stream), int(ACL_SUCCESS));
    CHECK_EQ(aclrtSynchronizeStream(stream), int(ACL_ERROR_RT_AICORE_EXCEPTION));
    CHECK(Has(Said(), "scale.asc:"));
    CHECK_EQ(aclrtSynchronizeStream(stream), int(ACL_SUCCESS));
  }
  CHECK_EQ(aclrtLaunchKernel(f, 1, &y, sizeof y, streams[0]), int(ACL_SUCCESS));
  CHECK_EQ(aclrtSynchronizeDevice(), int(ACL_ERROR_RT_AICORE_EXCEPTION));
  CHECK_EQ(aclrtSynchronizeDevice(), int(ACL_SUCCESS));
  CHECK_EQ(aclrtLaunchKernel(f, 1, &y, sizeof y, streams[0]), int(ACL_SUCCESS));
  CHECK_EQ(aclrtDestroyStreamForce(streams[0]), int(ACL_SUCCESS));
  CHECK_EQ(aclrtBinaryUnLoad(bin), int(ACL_SUCCESS));
}

TEST(acl_kernels_are_in_profiles) {
  char folder[] = "/tmp/weft_acl_XXXXXX";
  CHECK(mkdtemp(folder) != nullptr);
  uint32_t device = 0;
  aclrtBinHandle bin = nullptr;
  CHECK_EQ(aclrtBinaryLoadFromData(Binary().data(), Binary().size(), nullptr, &bin), int(ACL_SUCCESS));
  CHECK_EQ(aclprofInit(folder, strlen(folder)), int(ACL_SUCCESS));
  aclprofConfig *config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_TASK_TIME);
  CHECK_EQ(aclprofStart(config), int(ACL_SUCCESS));
  CHECK_EQ(aclrtLaunchKernel(Function(bin, "nothing"), 3, nullptr, 0, nullptr), int(ACL_SUCCESS));
  CHECK_EQ(aclrtSynchronizeStream(nullptr), int(ACL_SUCCESS));
  CHECK_EQ(aclprofFinalize(), int(ACL_SUCCESS));
  CHECK_EQ(aclprofDestroyConfig(config), int(ACL_SUCCESS));
  CHECK_EQ(aclrtBinaryUnLoad(bin), int(ACL_SUCCESS));
  std::string said;
  FILE *all = popen(("cat " + std::string(folder) + "/*.csv && rm -r " + folder).c_str(), "r");
  for (int c = all ? fgetc(all) : EOF; c != EOF; c = fgetc(all))
    said += static_cast<char>(c);
  CHECK_EQ(pclose(all), 0);
  CHECK(Has(said, "\nkernel,\"nothing\",3,"));
}
// SPDX-License-Identifier: Apache-2.0
