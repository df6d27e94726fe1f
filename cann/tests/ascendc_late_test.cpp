// A copy into UB may be made late, and UB cleared late: a kernel that keeps the rules never sees either. Each
// kernel here changes global memory, or UB, between a DataCopy and what reads it.
#include <cstring>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

using namespace AscendC;

namespace {
constexpr uint32_t kN = 2048;  // floats of a tile: long enough to be late

GM_ADDR Bytes(std::vector<float> &v) {
  return reinterpret_cast<GM_ADDR>(v.data());
}
template <HardEvent event>
void Order() {
  const TEventID id = GetTPipePtr()->FetchEventID(event);
  SetFlag<event>(id);
  WaitFlag<event>(id);
}

// x comes in; Change(x's global memory, x in UB) happens; what x was then goes to y.
template <typename Change>
void Between(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float *)x, kN);
  gy.SetGlobalBuffer((__gm__ float *)y, kN);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in, out;
  pipe.InitBuffer(in, kN * 4);
  pipe.InitBuffer(out, kN * 4);
  LocalTensor<float> from = in.Get<float>();
  LocalTensor<float> to = out.Get<float>();
  DataCopy(from, gx, kN);
  Change::Make(gx, (__gm__ float *)x, from, to);
  PipeBarrier<PIPE_ALL>();
  Adds(to, from, 0.0f, kN);
  Order<HardEvent::V_MTE3>();
  DataCopy(gy, to, kN);
}
struct CopyOverIt {
  static void Make(GlobalTensor<float> &gx, __gm__ float *, LocalTensor<float> &, LocalTensor<float> &to) {
    Duplicate(to, 9.0f, kN);
    Order<HardEvent::V_MTE3>();
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(gx, to, kN);
    Order<HardEvent::MTE3_V>();
  }
};
struct SetAValue {
  static void Make(GlobalTensor<float> &gx, __gm__ float *, LocalTensor<float> &, LocalTensor<float> &) {
    Order<HardEvent::MTE2_S>();
    gx.SetValue(3, 9.0f);
    gx(4) = 9.0f;
  }
};
struct StoreByPointer {
  static void Make(GlobalTensor<float> &, __gm__ float *x, LocalTensor<float> &, LocalTensor<float> &) {
    Order<HardEvent::MTE2_S>();
    x[5] = 9.0f;
  }
};
struct StoreBehindABarrier {
  static void Make(GlobalTensor<float> &, __gm__ float *x, LocalTensor<float> &, LocalTensor<float> &) {
    PipeBarrier<PIPE_ALL>();
    x[5] = 9.0f;
  }
};
template <typename Change>
int RunBetween(std::vector<float> &y) {
  std::vector<float> x(kN, 1.0f);
  y.assign(kN, 0.0f);
  return weft_asc::call("between", __FILE__, __LINE__, (Between<Change>), 1, nullptr, nullptr)(Bytes(x),
                                                                                               Bytes(y));
}

// Parts of x in UB change; all of it is read afterwards.
void Parts(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float *)x, kN);
  gy.SetGlobalBuffer((__gm__ float *)y, kN);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in, out;
  pipe.InitBuffer(in, kN * 4);
  pipe.InitBuffer(out, kN * 4);
  LocalTensor<float> from = in.Get<float>();
  LocalTensor<float> to = out.Get<float>();
  DataCopy(from, gx, kN);
  Order<HardEvent::MTE2_V>();
  Adds(from, from, 1.0f, 64);             // the front of it, in place
  Duplicate(from[128], 7.0f, 64);         // over a part
  Adds(to, from[1024], 0.0f, kN - 1024);  // a part, from its middle
  Adds(to[1024], from, 0.0f, 1024);
  Order<HardEvent::V_MTE3>();
  DataCopy(gy, to, kN);
}

// Twice as many tiles as buffers: each tile's copy is over the one before it.
void Twice(GM_ADDR x, GM_ADDR y, uint32_t tiles) {
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float *)x, tiles * kN);
  gy.SetGlobalBuffer((__gm__ float *)y, tiles * kN);
  TPipe pipe;
  TQue<TPosition::VECIN, 2> in;
  TQue<TPosition::VECOUT, 2> out;
  pipe.InitBuffer(in, 2, kN * 4);
  pipe.InitBuffer(out, 2, kN * 4);
  for (uint32_t i = 0; i < tiles; i++) {
    LocalTensor<float> from = in.AllocTensor<float>();
    DataCopy(from, gx[i * kN], kN);
    in.EnQue(from);
    from = in.DeQue<float>();
    LocalTensor<float> to = out.AllocTensor<float>();
    Muls(from, from, 2.0f, kN);
    Add(to, from, from, kN);
    out.EnQue(to);
    in.FreeTensor(from);
    to = out.DeQue<float>();
    DataCopy(gx[i * kN], to, kN);  // over where it came from
    DataCopy(gy[i * kN], to, kN);
    out.FreeTensor(to);
  }
}

// All blocks read all of x, wait for one another, and then each one writes its part of it.
void Meet(GM_ADDR x, GM_ADDR y) {
  const uint32_t part = kN / GetBlockNum();
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float *)x, kN);
  gy.SetGlobalBuffer((__gm__ float *)y + kN * GetBlockIdx(), kN);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in, out;
  pipe.InitBuffer(in, kN * 4);
  pipe.InitBuffer(out, kN * 4);
  LocalTensor<float> from = in.Get<float>();
  LocalTensor<float> to = out.Get<float>();
  DataCopy(from, gx, kN);
  Duplicate(to, 9.0f, kN);
  SyncAll();
  Order<HardEvent::V_MTE3>();
  DataCopy(gx[part * GetBlockIdx()], to, part);
  SyncAll();
  Adds(to, from, 0.0f, kN);
  Order<HardEvent::V_MTE3>();
  DataCopy(gy, to, kN);
}

// The sum of what a block finds in UB, and then leaves something there for the next one.
void Leaves(GM_ADDR y) {
  GlobalTensor<float> gy;
  gy.SetGlobalBuffer((__gm__ float *)y + 8 * GetBlockIdx(), 8);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer, number;
  pipe.InitBuffer(buffer, kN * 4);
  pipe.InitBuffer(number, 32);
  LocalTensor<float> t = buffer.Get<float>();
  LocalTensor<float> sum = number.Get<float>();
  Duplicate(sum, 0.0f, 8);
  if (GetBlockIdx() % 2)  // the part that is written is no page, and what is around it was never touched
    Duplicate(t[100], 1.0f, 500);
  ReduceSum(sum, t, t, kN);
  Order<HardEvent::V_MTE3>();
  DataCopy(gy, sum, 8);
  Order<HardEvent::MTE3_V>();
  Duplicate(t, 5.0f, kN);
}
}  // namespace

TEST(LateCopiesSeeWhatWasThere) {
  std::vector<float> y;
  const std::vector<float> ones(kN, 1.0f);
  CHECK_EQ(RunBetween<CopyOverIt>(y), 0);
  CHECK(y == ones);
  CHECK_EQ(RunBetween<SetAValue>(y), 0);
  CHECK(y == ones);
  CHECK_EQ(RunBetween<StoreByPointer>(y), 0);
  CHECK(y == ones);
  CHECK_EQ(RunBetween<StoreBehindABarrier>(y), 0);
  CHECK(y == ones);
}

TEST(LateCopiesInParts) {
  std::vector<float> x(kN), y(kN), wanted(kN);
  for (uint32_t i = 0; i < kN; i++)
    x[i] = static_cast<float>(i);
  for (uint32_t i = 0; i < 1024; i++) {
    wanted[i] = x[1024 + i];
    wanted[1024 + i] = i < 64 ? x[i] + 1 : i >= 128 && i < 192 ? 7.0f : x[i];
  }
  CHECK_EQ(weft_asc::call("parts", __FILE__, __LINE__, Parts, 1, nullptr, nullptr)(Bytes(x), Bytes(y)), 0);
  CHECK(y == wanted);
}

// Halves come in and become floats; then a part of them changes, and they become floats again.
void Casts(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<half> gx;
  GlobalTensor<float> gy;
  gx.SetGlobalBuffer((__gm__ half *)x, kN);
  gy.SetGlobalBuffer((__gm__ float *)y, 2 * kN);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in, out;
  pipe.InitBuffer(in, kN * 2);
  pipe.InitBuffer(out, kN * 4);
  LocalTensor<half> from = in.Get<half>();
  LocalTensor<float> to = out.Get<float>();
  DataCopy(from, gx, kN);
  Order<HardEvent::MTE2_V>();
  Cast(to, from, RoundMode::CAST_NONE, kN);
  Order<HardEvent::V_MTE3>();
  DataCopy(gy, to, kN);
  Order<HardEvent::MTE3_V>();
  Duplicate(from[64], half(7.0f), 64);
  Cast(to, from, RoundMode::CAST_NONE, kN);
  Order<HardEvent::V_MTE3>();
  DataCopy(gy[kN], to, kN);
}
TEST(LateCopiesThatCastsRead) {
  std::vector<half> x(kN);
  std::vector<float> y(2 * kN), wanted(2 * kN);
  for (uint32_t i = 0; i < kN; i++) {
    wanted[i] = wanted[kN + i] = static_cast<float>(i);
    x[i] = half(wanted[i]);
    if (i >= 64 && i < 128)
      wanted[kN + i] = 7.0f;
  }
  CHECK_EQ(weft_asc::call("casts", __FILE__, __LINE__, Casts, 1, nullptr, nullptr)(
               reinterpret_cast<GM_ADDR>(x.data()), Bytes(y)),
           0);
  CHECK(y == wanted);
}

// Operands that only functions without an instruction of their own read: each of the three is dst once.
template <int place>
void FmaOver(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float *)x, 3 * kN);
  gy.SetGlobalBuffer((__gm__ float *)y, kN);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 3 * kN * 4);
  LocalTensor<float> t = buffer.Get<float>();
  for (uint32_t i = 0; i < 3; i++)
    DataCopy(t[i * kN], gx[i * kN], kN);
  Order<HardEvent::MTE2_V>();
  Fma(t[place * kN], t, t[kN], t[2 * kN], kN);
  Order<HardEvent::V_MTE3>();
  DataCopy(gy, t[place * kN], kN);
}
TEST(LateCopiesThatFmaReads) {
  std::vector<float> x(3 * kN), wanted(kN);
  uint32_t launch = 0;
  for (void (*kernel)(GM_ADDR, GM_ADDR) : {FmaOver<0>, FmaOver<1>, FmaOver<2>}) {
    std::vector<float> y(kN, 1e9f);
    // other numbers than the launch before left in the same places
    launch++;
    for (uint32_t i = 0; i < 3 * kN; i++)
      x[i] = static_cast<float>((i + 7 * launch) % 61) - 30;
    for (uint32_t i = 0; i < kN; i++)
      wanted[i] = x[i] * x[kN + i] + x[2 * kN + i];
    CHECK_EQ(weft_asc::call("fma", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(Bytes(x), Bytes(y)), 0);
    CHECK(y == wanted);
  }
}

// In place: the row of gradients is the result.
void SoftmaxGradOver(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float *)x, 2 * kN);
  gy.SetGlobalBuffer((__gm__ float *)y, kN);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 2 * kN * 4);
  LocalTensor<float> t = buffer.Get<float>();
  DataCopy(t, gx, kN);
  DataCopy(t[kN], gx[kN], kN);
  Order<HardEvent::MTE2_V>();
  const SoftMaxShapeInfo shape = {1, kN, 1, kN};
  SoftmaxGrad<float>(t, t, t[kN], shape, false, shape);
  Order<HardEvent::V_MTE3>();
  DataCopy(gy, t, kN);
}
TEST(LateCopiesThatSoftmaxGradReads) {
  std::vector<float> x(2 * kN), y(kN), wanted(kN);
  float sum = 0;
  for (uint32_t i = 0; i < kN; i++) {
    x[i] = static_cast<float>(i % 5);
    x[kN + i] = static_cast<float>(i % 3);
    sum += x[i] * x[kN + i];
  }
  for (uint32_t i = 0; i < kN; i++)
    wanted[i] = (x[i] - sum) * x[kN + i];
  CHECK_EQ(
      weft_asc::call("grad", __FILE__, __LINE__, SoftmaxGradOver, 1, nullptr, nullptr)(Bytes(x), Bytes(y)),
      0);
  CHECK(y == wanted);
}

void SelectByLateBytes(GM_ADDR x, GM_ADDR bytes, GM_ADDR y) {
  GlobalTensor<float> gx, gy;
  GlobalTensor<uint8_t> gm;
  gx.SetGlobalBuffer((__gm__ float *)x, kN);
  gy.SetGlobalBuffer((__gm__ float *)y, kN);
  gm.SetGlobalBuffer((__gm__ uint8_t *)bytes, kN);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in, mask, work;
  pipe.InitBuffer(in, kN * 4);
  pipe.InitBuffer(mask, kN);
  pipe.InitBuffer(work, 256);
  LocalTensor<float> from = in.Get<float>();
  LocalTensor<uint8_t> chosen = mask.Get<uint8_t>();
  DataCopy(from, gx, kN);
  DataCopy(chosen, gm, kN);
  Order<HardEvent::MTE2_V>();
  Select(from, from, 9.0f, chosen, work.Get<uint8_t>(), SelectWithBytesMaskShapeInfo{4, kN / 4, kN / 4});
  Order<HardEvent::V_MTE3>();
  DataCopy(gy, from, kN);
}
TEST(LateCopiesThatSelectReads) {
  std::vector<float> x(kN), y(kN), wanted(kN);
  std::vector<uint8_t> bytes(kN);
  for (uint32_t i = 0; i < kN; i++) {
    x[i] = static_cast<float>(i) + 10;
    bytes[i] = i % 3 == 1;
    wanted[i] = bytes[i] ? 9.0f : x[i];
  }
  CHECK_EQ(weft_asc::call("select", __FILE__, __LINE__, SelectByLateBytes, 1, nullptr, nullptr)(
               Bytes(x), bytes.data(), Bytes(y)),
           0);
  CHECK(y == wanted);
}

// A tensor keeps what it was told of its shape, and so does its copy.
void Shapes(GM_ADDR y) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 256);
  LocalTensor<float> t = buffer.Get<float>();
  const LocalTensor<float> plain = t;
  const uint32_t dims[2] = {4, 16};
  for (uint32_t i = 0; i < 3; i++)
    t.SetShapeInfo(ShapeInfo(2, dims, DataFormat::NZ));
  const LocalTensor<float> copy = t[8];
  // many others change nothing of it
  LocalTensor<float> other = t;
  for (uint32_t i = 0; i < 200; i++) {
    const uint32_t tile[2] = {i, 1};
    other.SetShapeInfo(ShapeInfo(2, tile));
  }
  __gm__ float *to = (__gm__ float *)y;
  to[0] = plain.GetShapeInfo().shapeDim;
  to[1] = copy.GetShapeInfo().shapeDim;
  to[2] = static_cast<float>(copy.GetShapeInfo().shape[1]);
  to[3] = copy.GetShapeInfo().dataFormat == DataFormat::NZ;
  to[4] = static_cast<float>(other.GetShapeInfo().shape[0]);
}
TEST(ShapesOfTensors) {
  std::vector<float> y(5, -1.0f);
  CHECK_EQ(weft_asc::call("shapes", __FILE__, __LINE__, Shapes, 1, nullptr, nullptr)(Bytes(y)), 0);
  CHECK(y == (std::vector<float>{0, 2, 16, 1, 199}));
}

TEST(LateCopiesOverTheirSource) {
  constexpr uint32_t kTiles = 5;
  std::vector<float> x(kTiles * kN), y(x.size()), wanted(x.size());
  for (size_t i = 0; i < x.size(); i++) {
    x[i] = static_cast<float>(i);
    wanted[i] = 4 * x[i];
  }
  CHECK_EQ(
      weft_asc::call("twice", __FILE__, __LINE__, Twice, 1, nullptr, nullptr)(Bytes(x), Bytes(y), kTiles), 0);
  CHECK(y == wanted);
  CHECK(x == wanted);
}

TEST(LateCopiesOfBlocksThatMeet) {
  constexpr uint32_t kBlocks = 4;
  std::vector<float> x(kN, 1.0f), y(kBlocks * kN);
  CHECK_EQ(weft_asc::call("meet", __FILE__, __LINE__, Meet, kBlocks, nullptr, nullptr)(Bytes(x), Bytes(y)),
           0);
  CHECK(y == std::vector<float>(kBlocks * kN, 1.0f));
  CHECK(x == std::vector<float>(kN, 9.0f));
}

// Checked mode says that nobody wrote what is read.
TEST(BlocksFindUbEmpty) {
  constexpr uint32_t kBlocks = 6;
  std::vector<float> y(8 * kBlocks, -1.0f);
  if (weft_asc::call("leaves", __FILE__, __LINE__, Leaves, kBlocks, nullptr, nullptr)(Bytes(y))) {
    CHECK(strstr(weft_asc_error(), "nobody wrote byte"));
    return;
  }
  for (uint32_t i = 0; i < kBlocks; i++)
    CHECK_EQ(y[i * 8], i % 2 ? 500.0f : 0.0f);
}
// SPDX-License-Identifier: Apache-2.0
