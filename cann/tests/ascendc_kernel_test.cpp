// Kernels of the documents' kind, run block by block.
#include <vector>

#include "check.h"
#include "kernel_operator.h"

namespace {
constexpr int32_t kBuffers = 2;

class Add {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t tiles) {
    block_ = total / AscendC::GetBlockNum();
    tiles_ = tiles;
    tile_ = block_ / tiles / kBuffers;
    x_.SetGlobalBuffer((__gm__ float *)x + block_ * AscendC::GetBlockIdx(), block_);
    y_.SetGlobalBuffer((__gm__ float *)y + block_ * AscendC::GetBlockIdx(), block_);
    z_.SetGlobalBuffer((__gm__ float *)z + block_ * AscendC::GetBlockIdx(), block_);
    pipe_.InitBuffer(in_x_, kBuffers, tile_ * sizeof(float));
    pipe_.InitBuffer(in_y_, kBuffers, tile_ * sizeof(float));
    pipe_.InitBuffer(out_, kBuffers, tile_ * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t i = 0; i < tiles_ * kBuffers; i++) {
      CopyIn(i);
      Compute();
      CopyOut(i);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t i) {
    AscendC::LocalTensor<float> x = in_x_.AllocTensor<float>();
    AscendC::LocalTensor<float> y = in_y_.AllocTensor<float>();
    AscendC::DataCopy(x, x_[i * tile_], tile_);
    AscendC::DataCopy(y, y_[i * tile_], tile_);
    in_x_.EnQue(x);
    in_y_.EnQue(y);
  }
  __aicore__ inline void Compute() {
    AscendC::LocalTensor<float> x = in_x_.DeQue<float>();
    AscendC::LocalTensor<float> y = in_y_.DeQue<float>();
    AscendC::LocalTensor<float> z = out_.AllocTensor<float>();
    AscendC::Add(z, x, y, tile_);
    out_.EnQue<float>(z);
    in_x_.FreeTensor(x);
    in_y_.FreeTensor(y);
  }
  __aicore__ inline void CopyOut(uint32_t i) {
    AscendC::LocalTensor<float> z = out_.DeQue<float>();
    AscendC::DataCopy(z_[i * tile_], z, tile_);
    out_.FreeTensor(z);
  }
  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::QuePosition::VECIN, kBuffers> in_x_, in_y_;
  AscendC::TQue<AscendC::QuePosition::VECOUT, kBuffers> out_;
  AscendC::GlobalTensor<float> x_, y_, z_;
  uint32_t block_, tiles_, tile_;
};

__global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total) {
  Add op;
  op.Init(x, y, z, total, 4);
  op.Process();
}

template <typename T>
GM_ADDR Bytes(std::vector<T> &v) {
  return reinterpret_cast<GM_ADDR>(v.data());
}
}  // namespace

TEST(AddInTiles) {
  std::vector<float> x(16384), y(16384), z(16384);
  for (size_t i = 0; i < x.size(); i++) {
    x[i] = static_cast<float>(i);
    y[i] = 0.5f;
  }
  CHECK_EQ(weft_asc::call("add", __FILE__, __LINE__, add, 8, nullptr, nullptr)(Bytes(x), Bytes(y), Bytes(z),
                                                                               16384u),
           0);
  for (size_t i = 0; i < x.size(); i++)
    CHECK_EQ(z[i], x[i] + 0.5f);
}

// ---- what cannot go on says so ----

namespace {
__global__ __aicore__ void take_from_nothing() {
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue;
  pipe.InitBuffer(queue, 1, 64);
  AscendC::LocalTensor<float> t = queue.DeQue<float>();
  t.SetValue(0, 1.0f);
}
__global__ __aicore__ void one_waits() {
  if (AscendC::GetBlockIdx() == 1)
    AscendC::SyncAll();
}
__global__ __aicore__ void all_wait(int32_t *sum, int32_t *seen) {
  const int64_t i = AscendC::GetBlockIdx();
  sum[i] = static_cast<int32_t>(i) + 1;
  AscendC::SyncAll();
  int32_t all = 0;
  for (int64_t j = 0; j < AscendC::GetBlockNum(); j++)
    all += sum[j];
  seen[i] = all;
}
__global__ __aicore__ void add_floats(float *sum) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 32);
  AscendC::LocalTensor<float> t = buffer.Get<float>();
  AscendC::Duplicate(t, 1.0f / (1 + AscendC::GetBlockIdx()), 8);
  AscendC::GlobalTensor<float> out;
  out.SetGlobalBuffer(sum, 8);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::SetAtomicAdd<float>();
  AscendC::DataCopy(out, t, 8);
  AscendC::SetAtomicNone();
}
__global__ __aicore__ void say() {
  AscendC::printf("block %d\n", (int)AscendC::GetBlockIdx());
}

bool Says(const char *text) {
  return strstr(weft_asc_error(), text) != nullptr;
}
}  // namespace

TEST(QueueWithoutTensor) {
  CHECK_EQ(weft_asc::call("take", __FILE__, __LINE__, take_from_nothing, 2, nullptr, nullptr)(),
           WEFT_ASC_KERNEL);
  CHECK_EQ(Says("DeQue: nothing was put into the queue"), true);
  CHECK_EQ(Says("ascendc_kernel_test.cpp"), true);
  CHECK_EQ(Says("of 2"), true);
}

// An object that keeps a copy of the kernel's pipe.
class KeepsAPipe {
 public:
  void Init(AscendC::TPipe given) {
    pipe_ = given;
    pipe_.InitBuffer(buffer_, 256);
  }
  void Store(GM_ADDR z) {
    AscendC::GlobalTensor<float> out;
    out.SetGlobalBuffer((__gm__ float *)z, 8);
    AscendC::LocalTensor<float> t = buffer_.Get<float>();
    AscendC::Duplicate(t, 3.0f, 8);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(out, t, 8);
  }

 private:
  AscendC::TPipe pipe_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
};
TEST(PipesAreCopied) {
  std::vector<float> z(8);
  void (*kernel)(GM_ADDR) = [](GM_ADDR to) {
    AscendC::TPipe pipe;
    KeepsAPipe object;
    object.Init(pipe);
    object.Store(to);
  };
  CHECK_EQ(weft_asc::call("keeps", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(Bytes(z)), 0);
  CHECK(z == std::vector<float>(8, 3.0f));
}

TEST(Barrier) {
  int32_t sum[40] = {}, seen[40] = {};
  CHECK_EQ(weft_asc::call("all", __FILE__, __LINE__, all_wait, 40, nullptr, nullptr)(sum, seen), 0);
  for (int32_t s : seen)
    CHECK_EQ(s, 820);
  CHECK_EQ(weft_asc::call("one", __FILE__, __LINE__, one_waits, 3, nullptr, nullptr)(), WEFT_ASC_KERNEL);
  CHECK_EQ(Says("waits for ever"), true);
  CHECK_EQ(Says("SyncAll"), true);
}

TEST(AtomicsInTheOrderOfBlocks) {
  float want = 0;
  for (int i = 0; i < 50; i++)
    want += 1.0f / (1 + i);
  for (int turn = 0; turn < 20; turn++) {
    float sum[8] = {};
    CHECK_EQ(weft_asc::call("sum", __FILE__, __LINE__, add_floats, 50, nullptr, nullptr)(sum), 0);
    CHECK_EQ(sum[0], want);
  }
}

TEST(Print) {
  CHECK_EQ(weft_asc::call("say", __FILE__, __LINE__, say, 3, nullptr, nullptr)(), 0);
}
// SPDX-License-Identifier: Apache-2.0
