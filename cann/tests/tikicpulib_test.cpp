// tikicpulib_test.cpp - kernels' unit tests in the style of CANN's twin of the chip, with the frame of this
// repository instead of gtest's.
#include "tikicpulib.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "check.h"

#include "weft_cann/kernel_records.h"
// A record of the host's, as the test and the kernel see it.
BEGIN_TILING_DATA_DEF(TwinRecord)
TILING_DATA_FIELD_DEF(uint8_t, kind)
TILING_DATA_FIELD_DEF(float, factor)
TILING_DATA_FIELD_DEF_ARR(int64_t, 3, dims)
END_TILING_DATA_DEF

using namespace AscendC;

namespace {
struct AddTiling {
  uint32_t n;
  uint32_t tile;
};

template <typename T>
class KernelAdd {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddTiling &tiling) {
    n_ = tiling.n / GetBlockNum();
    tile_ = tiling.tile;
    x_.SetGlobalBuffer((__gm__ T *)x + n_ * GetBlockIdx(), n_);
    y_.SetGlobalBuffer((__gm__ T *)y + n_ * GetBlockIdx(), n_);
    z_.SetGlobalBuffer((__gm__ T *)z + n_ * GetBlockIdx(), n_);
    pipe_.InitBuffer(in_x_, 2, tile_ * sizeof(T));
    pipe_.InitBuffer(in_y_, 2, tile_ * sizeof(T));
    pipe_.InitBuffer(out_, 2, tile_ * sizeof(T));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = 0; at < n_; at += tile_) {
      LocalTensor<T> x = in_x_.AllocTensor<T>();
      LocalTensor<T> y = in_y_.AllocTensor<T>();
      DataCopy(x, x_[at], tile_);
      DataCopy(y, y_[at], tile_);
      in_x_.EnQue(x);
      in_y_.EnQue(y);
      x = in_x_.DeQue<T>();
      y = in_y_.DeQue<T>();
      LocalTensor<T> z = out_.AllocTensor<T>();
      if (TILING_KEY_IS(2))
        Sub(z, x, y, tile_);
      else
        Add(z, x, y, tile_);
      out_.EnQue(z);
      in_x_.FreeTensor(x);
      in_y_.FreeTensor(y);
      z = out_.DeQue<T>();
      DataCopy(z_[at], z, tile_);
      out_.FreeTensor(z);
    }
  }

 private:
  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_x_, in_y_;
  TQue<TPosition::VECOUT, 2> out_;
  GlobalTensor<T> x_, y_, z_;
  uint32_t n_, tile_;
};
}  // namespace

template <typename T>
__global__ __aicore__ void add_typed(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
  (void)workspace;
  GET_TILING_DATA_WITH_STRUCT(AddTiling, data, tiling);
  KernelAdd<T> op;
  op.Init(x, y, z, data);
  op.Process();
}
extern "C" __global__ __aicore__ void add_float(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                GM_ADDR tiling) {
  add_typed<float>(x, y, z, workspace, tiling);
}
// Launches by hand stand apart from the twin.
#ifndef ASCENDC_CPU_DEBUG
void add_float_do(void *stream, uint8_t *x, uint8_t *y, uint8_t *z) {
  add_float<<<8, nullptr, stream>>>(x, y, z, nullptr, nullptr);
}
#endif
#ifndef __CCE_KT_TEST__
#error "the twin is a test"
#endif
extern "C" __global__ __aicore__ void takes_too_many(GM_ADDR) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> queue;
  pipe.InitBuffer(queue, 1, 256);
  queue.AllocTensor<float>();
  queue.AllocTensor<float>();
}

template <typename T, typename Kernel>
static void AddIsRight(Kernel kernel, uint32_t blocks, uint64_t key) {
  const AddTiling values = {512, 64};
  uint8_t *x = (uint8_t *)AscendC::GmAlloc(values.n * sizeof(T));
  uint8_t *y = (uint8_t *)AscendC::GmAlloc(values.n * sizeof(T));
  uint8_t *z = (uint8_t *)AscendC::GmAlloc(values.n * sizeof(T));
  uint8_t *workspace = (uint8_t *)AscendC::GmAlloc(16 * 1024 * 1024);
  uint8_t *tiling = (uint8_t *)AscendC::GmAlloc(sizeof values);
  memcpy(tiling, &values, sizeof values);
  for (uint32_t i = 0; i < values.n; i++) {
    ((T *)x)[i] = (T)(float)(i % 50);
    ((T *)y)[i] = (T)3.0F;
  }
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  ICPU_SET_TILING_KEY(key);
  ICPU_RUN_KF(kernel, blocks, x, y, z, workspace, tiling);
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < values.n; i++)
    wrong += (float)((T *)z)[i] != (float)(i % 50) + (key == 2 ? -3 : 3);
  CHECK_EQ(wrong, 0u);
  for (uint8_t *memory : {x, y, z, workspace, tiling})
    AscendC::GmFree((void *)memory);
}

TEST(twin_fills_records) {
  TwinRecord record = {};
  const int64_t dims[] = {4, 5, 6};
  record.set_kind(7);
  record.set_factor(0.5F);
  record.set_dims(dims);
  CHECK_EQ(sizeof record, 32u);
  CHECK_EQ(offsetof(TwinRecord, dims), 8u);
  CHECK(record.kind == 7 && record.get_factor() == 0.5F && record.get_dims()[2] == 6);
}
TEST(twin_runs_functions_and_lambdas) {
  AddIsRight<float>(add_float, 8, 1);
  AddIsRight<float>(add_typed<float>, 1, 2);
  AddIsRight<half>(add_typed<half>, 4, 1);
  const auto lambda = [](GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    add_typed<int32_t>(x, y, z, workspace, tiling);
  };
  AddIsRight<int32_t>(lambda, 2, 2);
}
// A name that the standard library has, too.
template <typename T>
__global__ __aicore__ void acosh(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> whole;
  pipe.InitBuffer(whole, 640 * 1024 - 64);  // more than this chip has: the tests' twin has it
  GlobalTensor<T> from, to;
  from.SetGlobalBuffer((__gm__ T *)x, 28);
  to.SetGlobalBuffer((__gm__ T *)y, 28);
  LocalTensor<T> t = whole.Get<T>();
  DataCopy(t, from, 32);  // behind the end there are zeros
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Adds(t, t, (T)1, 32);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(to, t, 32);  // and nothing is written
}
TEST(twin_runs_overloaded_names_and_tails_of_blocks) {
  using namespace std;
  const char *checked = getenv("WEFT_ASC_CHECK");
  if (checked && *checked == '1')
    return;  // there the kernel breaks two rules
  float x[32], y[32];
  for (int i = 0; i < 32; i++) {
    x[i] = (float)i;
    y[i] = -7;
  }
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(acosh<float>, 1, (uint8_t *)x, (uint8_t *)y);
  for (int i = 0; i < 32; i++)
    CHECK_EQ(y[i], i < 28 ? (float)i + 1 : -7.0f);
}
// All of its memory: written by one launch, and zero for the next one, which also takes pointers.
__global__ __aicore__ void fills_all(GM_ADDR found) {
  constexpr uint32_t kFloats = 256 * 1024;
  TPipe pipe;
  TBuf<TPosition::VECCALC> whole;
  pipe.InitBuffer(whole, kFloats * sizeof(float));
  LocalTensor<float> t = whole.Get<float>();
  uint32_t filled = 0;
  const auto *floats = reinterpret_cast<const float *>(t.GetPhyAddr());
  for (uint32_t i = 0; i < kFloats; i++)
    filled += floats[i] != 0.0f;
  *(__gm__ uint32_t *)found = filled;
  SetFlag<HardEvent::S_V>(EVENT_ID0);
  WaitFlag<HardEvent::S_V>(EVENT_ID0);
  Duplicate(t, 3.0f, kFloats);
}
TEST(twin_clears_all_of_its_memory) {
  const char *checked = getenv("WEFT_ASC_CHECK");
  if (checked && *checked == '1')
    return;  // there UB is as large as the chip's
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  for (int launch = 0; launch < 3; launch++) {
    uint32_t found = 7;
    ICPU_RUN_KF(fills_all, 1, (uint8_t *)&found);
    CHECK_EQ(found, 0u);
  }
}
TEST(twin_tells_what_a_kernel_did_wrong) {
  std::string text;
  try {
    uint8_t *x = (uint8_t *)AscendC::GmAlloc(32);
    std::unique_ptr<uint8_t, void (*)(void *)> freed(x, AscendC::GmFree);
    ICPU_RUN_KF(takes_too_many, 1, x);
  } catch (const std::runtime_error &e) {
    text = e.what();
  }
  CHECK(text.find("takes_too_many") != std::string::npos);
  CHECK(text.find("tikicpulib_test.cpp:") != std::string::npos);
  CHECK(AscendC::GmAlloc(SIZE_MAX - 5) == nullptr);
}
// SPDX-License-Identifier: Apache-2.0
