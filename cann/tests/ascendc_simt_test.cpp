// Functions of threads: their numbers, barriers, warps and atomic changes.
#include <vector>

#include "check.h"
#include "kernel_operator.h"

namespace {
__simt_vf__ LAUNCH_BOUND(256) inline void Numbers(__gm__ uint32_t *out) {
  const uint32_t i = threadIdx.x + blockDim.x * threadIdx.y;
  out[i] = i * 10 + AscendC::Simt::GetThreadNum<1>();
}
__global__ __aicore__ void numbers(uint32_t *out) {
  asc_vf_call<Numbers>(dim3{50, 3}, out);
}

// A sum as a tree: every step waits for all threads.
__simt_vf__ inline void Tree(__ubuf__ float *x, __gm__ float *sum) {
  const uint32_t i = threadIdx.x;
  for (uint32_t step = blockDim.x / 2; step; step /= 2) {
    asc_syncthreads();
    if (i < step)
      x[i] += x[i + step];
  }
  if (i == 0)
    *sum = x[0];
}
__simt_vf__ inline void Fill(__ubuf__ float *x) {
  x[threadIdx.x] = static_cast<float>(threadIdx.x);
}
__global__ __aicore__ void tree(float *sum) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 4096);
  __ubuf__ float *x = (__ubuf__ float *)buffer.Get<float>().GetPhyAddr();
  AscendC::Simt::VF_CALL<Fill>(AscendC::Simt::Dim3(512), x);
  AscendC::Simt::VF_CALL<Tree>(AscendC::Simt::Dim3(512), x, sum);
}

__simt_vf__ inline void Warps(__gm__ int32_t *sum, __gm__ int32_t *next, __gm__ int32_t *count) {
  const int32_t i = static_cast<int32_t>(threadIdx.x);
  sum[i] = asc_reduce_add(i);
  next[i] = asc_shfl_down(i, 1);
  asc_atomic_add(count, 2);
}
__global__ __aicore__ void warps(int32_t *sum, int32_t *next, int32_t *count) {
  asc_vf_call<Warps>(dim3(64), sum, next, count);
}

__simt_vf__ inline void Apart() {
  if (threadIdx.x == 0)
    asc_syncthreads();
  else
    asc_shfl_up(1, 1);
}
__global__ __aicore__ void apart() {
  asc_vf_call<Apart>(dim3(4));
}
}  // namespace

TEST(SimtNumbers) {
  std::vector<uint32_t> out(150);
  CHECK_EQ(weft_asc::call("numbers", __FILE__, __LINE__, numbers, 1, nullptr, nullptr)(out.data()), 0);
  for (uint32_t i = 0; i < 150; i++)
    CHECK_EQ(out[i], i * 10 + 3);
}
TEST(SimtBarrier) {
  float sum = 0;
  CHECK_EQ(weft_asc::call("tree", __FILE__, __LINE__, tree, 1, nullptr, nullptr)(&sum), 0);
  CHECK_EQ(sum, 511.0f * 256);
}
TEST(SimtWarps) {
  int32_t sum[64], next[64], count = 0;
  CHECK_EQ(weft_asc::call("warps", __FILE__, __LINE__, warps, 3, nullptr, nullptr)(sum, next, &count), 0);
  CHECK_EQ(sum[31], 31 * 16);
  CHECK_EQ(sum[32], 31 * 16 + 1024);
  CHECK_EQ(next[30], 31);
  CHECK_EQ(next[31], 31);
  CHECK_EQ(count, 3 * 64 * 2);
}
TEST(SimtApart) {
  CHECK_EQ(weft_asc::call("apart", __FILE__, __LINE__, apart, 1, nullptr, nullptr)(), WEFT_ASC_KERNEL);
  CHECK_EQ(strstr(weft_asc_error(), "different barriers") != nullptr, true);
}
TEST(SimtNumbersOfDivisors) {
  for (uint32_t d : {1u, 2u, 3u, 7u, 641u, 65537u, 0x7fffffffu, 0x80000001u}) {
    uint32_t magic, shift;
    AscendC::GetUintDivMagicAndShift(magic, shift, d);
    for (uint32_t x : {0u, 1u, 6u, 640u, 641u, 123456789u, 0xfffffffeu, 0xffffffffu})
      CHECK_EQ(AscendC::Simt::UintDiv(x, magic, shift), x / d);
  }
  CHECK_EQ(erfinvf(erff(0.7f)) - 0.7f < 1e-6f, true);
  CHECK_EQ(__umulhi(0xffffffffu, 0xffffffffu), 0xfffffffeu);
  CHECK_EQ(__mul_i32toi64(0xffffffffu, 0xffffffffu), 0xfffffffe00000001u);
  CHECK_EQ(__mul_i32toi64(-3, 1 << 30), -(int64_t{3} << 30));
}
// SPDX-License-Identifier: Apache-2.0
