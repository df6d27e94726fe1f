// Words of dav-3510 alone: pairs of 16-bit numbers that threads add, compare, exchange and load.
#include <string>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

namespace {
constexpr uint32_t kThreads = 64;
template <typename P, typename T>
struct Results {
  P sum, less, largest, smallest, before, after, next[kThreads], loaded[kThreads];
};
template <typename T>
T Of(float x) {
  return static_cast<T>(x);
}
// Every thread adds (1, 2), takes (2, 0.5), offers (i, -i), and looks at its neighbour's pair.
template <typename P, typename T>
__simt_vf__ __aicore__ void Pairs(Results<P, T> *r) {
  const uint32_t i = AscendC::Simt::GetThreadIdx();
  const P mine = {Of<T>(static_cast<float>(i)), Of<T>(-static_cast<float>(i))};
  asc_atomic_add(&r->sum, P{Of<T>(1.0f), Of<T>(2.0f)});
  asc_atomic_sub(&r->less, P{Of<T>(2.0f), Of<T>(0.5f)});
  asc_atomic_max(&r->largest, mine);
  asc_atomic_min(&r->smallest, mine);
  r->next[i] = asc_shfl_down(mine, 1);
  asc_stcg(&r->loaded[i], asc_ldcg(&mine));
  if (i == 0) {
    r->before = asc_atomic_exch(&r->after, P{Of<T>(3.0f), Of<T>(4.0f)});
    asc_atomic_cas(&r->after, P{Of<T>(3.0f), Of<T>(4.0f)}, P{Of<T>(5.0f), Of<T>(6.0f)});
    asc_atomic_cas(&r->after, P{Of<T>(3.0f), Of<T>(4.0f)}, P{Of<T>(7.0f), Of<T>(8.0f)});
  }
}
template <typename P, typename T>
__global__ __aicore__ void PairsKernel(Results<P, T> *r) {
  AscendC::Simt::VF_CALL<Pairs<P, T>>(AscendC::Simt::Dim3{kThreads}, r);
}
template <typename P>
void CheckPair(P got, float x, float y) {
  CHECK_EQ(static_cast<float>(got.x), x);
  CHECK_EQ(static_cast<float>(got.y), y);
}
template <typename P, typename T>
void CheckPairs() {
  std::vector<Results<P, T>> all(1);
  Results<P, T> &r = all[0];
  memset(static_cast<void *>(&r), 0, sizeof r);
  CHECK_EQ(weft_asc::call("pairs", __FILE__, __LINE__, PairsKernel<P, T>, 1, nullptr, nullptr)(&r), 0);
  CheckPair(r.sum, 64, 128);
  CheckPair(r.less, -128, -32);
  CheckPair(r.largest, 63, 0);
  CheckPair(r.smallest, 0, -63);
  CheckPair(r.before, 0, 0);
  CheckPair(r.after, 5, 6);
  for (uint32_t i = 0; i < kThreads; i++) {
    const auto x = static_cast<float>(i), next = static_cast<float>(i % 32 == 31 ? i : i + 1);
    CheckPair(r.loaded[i], x, -x);
    CheckPair(r.next[i], next, -next);
  }
}
}  // namespace

namespace {
template <typename T, typename U>
void CheckDistances() {
  static std::vector<float> got;
  got.assign(50, 0);
  void (*kernel)() = [] {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> from, to;
    pipe.InitBuffer(from, 1024);
    pipe.InitBuffer(to, 1024);
    AscendC::LocalTensor<U> x = from.Get<U>();
    AscendC::LocalTensor<T> y = to.Get<T>();
    for (uint32_t i = 0; i < 50; i++)
      x.SetValue(i, U{Of<T>(3.0f * static_cast<float>(i)), Of<T>(-4.0f * static_cast<float>(i))});
    AscendC::SetFlag<AscendC::HardEvent::S_V>(EVENT_ID0);
    AscendC::WaitFlag<AscendC::HardEvent::S_V>(EVENT_ID0);
    AscendC::Abs(y, x, 50);
    AscendC::SetFlag<AscendC::HardEvent::V_S>(EVENT_ID0);
    AscendC::WaitFlag<AscendC::HardEvent::V_S>(EVENT_ID0);
    for (uint32_t i = 0; i < 50; i++)
      got[i] = static_cast<float>(y.GetValue(i));
  };
  CHECK_EQ(weft_asc::call("distances", __FILE__, __LINE__, kernel, 1, nullptr, nullptr)(), 0);
  for (uint32_t i = 0; i < 50; i++)
    CHECK_EQ(got[i], 5.0f * static_cast<float>(i));
}
}  // namespace

TEST(LaterChipComplexNumbers) {
  CheckDistances<float, complex64>();
  CheckDistances<half, complex32>();
}
TEST(LaterChipPairs) {
  CheckPairs<half2, half>();
  CheckPairs<bfloat16x2_t, bfloat16_t>();
}
// SPDX-License-Identifier: Apache-2.0
