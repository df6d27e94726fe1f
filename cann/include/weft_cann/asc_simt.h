// weft_cann/asc_simt.h - functions on the vector unit: asc_vf_call runs one on registers, or, with a number
// of threads before the arguments, once for each thread. Threads of a block run one after another, each until
// it ends or waits for the others: the order is always the same, and what threads add needs no lock.
#pragma once
#include <cmath>

#include "weft_cann/asc_kernel.h"
#include "weft_cann/asc_pairs.h"
#include "weft_cann/asc_reg_math.h"

#define LAUNCH_BOUND(...)
#ifndef __launch_bounds__
#define __launch_bounds__(...)
#endif

// Tiling data where it is, without a copy.
#ifndef __tiling_data_ptr__
#define __tiling_data_ptr__ const
#endif
#ifndef GET_TILING_DATA_PTR_WITH_STRUCT
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, address) const type *name = (const type *)(address)
#endif

struct dim3 {
  constexpr dim3(uint32_t xIn = 1, uint32_t yIn = 1, uint32_t zIn = 1) : x(xIn), y(yIn), z(zIn) {}
  uint32_t x, y, z;
};
namespace cce {
using ::dim3;
}

namespace weft_asc {
// A dimension of the calling thread, its number or how many there are; also a dim3.
struct ThreadWord {
  struct Part {
    int dim;
    bool number;
    operator uint32_t() const {
      const weft_asc_thread *t = weft_asc_thread_current();
      return number ? t->at[dim] : t->count[dim];
    }
  };
  Part x, y, z;
};
struct BlockWord {
  struct Part {
    int what;  // 0: the block's number, 1: how many, 2: neither, a dimension that is not used
    operator uint32_t() const {
      return static_cast<uint32_t>(what == 0   ? AscendC::GetBlockIdx()
                                   : what == 1 ? AscendC::GetBlockNum()
                                               : 1);
    }
  };
  Part x, y, z;
};

template <auto fn, typename... Args>
void RunThreads(dim3 threads, weft_asc_at at, Args &&...args) {
  auto body = [&] { fn(args...); };
  const uint32_t count[3] = {threads.x, threads.y, threads.z};
  weft_asc_threads_run([](void *arg) { (*static_cast<decltype(body) *>(arg))(); }, &body, count, at);
}
template <auto fn, bool with_threads>
struct FunctionCall {
  template <typename... Args>
  static void Run(Args &&...args) {
    fn(std::forward<Args>(args)...);
  }
};
template <auto fn>
struct FunctionCall<fn, true> {
  template <typename Threads, typename... Args>
  static void Run(Threads &&threads, Args &&...args) {
    RunThreads<fn>(dim3(threads), Here(), args...);
  }
};
}  // namespace weft_asc

// The threads come first where the function has one parameter fewer than there are arguments.
template <auto funcPtr, typename... Args>
void asc_vf_call(Args &&...args) {
  weft_asc::FunctionCall<funcPtr, !std::is_invocable<decltype(funcPtr), Args &...>::value>::Run(
      std::forward<Args>(args)...);
}

inline constexpr weft_asc::ThreadWord threadIdx = {{0, true}, {1, true}, {2, true}};
inline constexpr weft_asc::ThreadWord blockDim = {{0, false}, {1, false}, {2, false}};
inline constexpr weft_asc::BlockWord blockIdx = {{0}, {2}, {2}};
inline constexpr weft_asc::BlockWord gridDim = {{1}, {2}, {2}};
constexpr int warpSize = 32;

inline void asc_syncthreads(weft_asc_at at = weft_asc::Here()) {
  weft_asc_threads_wait(false, at);
}
inline void asc_threadfence() {}
inline void asc_threadfence_block() {}

// ---- atomic changes: a thread is never interrupted, so each is a plain one ----

namespace weft_asc {
// Blocks run at once: global memory is changed in the order of blocks.
template <typename T, typename F>
T Change(T *address, F f, weft_asc_at at) {
  const weft_asc_core *core = weft_asc_current();
  const uint8_t *ub = core ? core->memory[WEFT_ASC_UB] : nullptr;
  const uint8_t *byte = reinterpret_cast<const uint8_t *>(address);
  const bool local = ub && byte >= ub && byte < ub + core->capacity[WEFT_ASC_UB];
  if (!local)
    weft_asc_turn(at);
  const T before = *address;
  *address = f(before);
  return before;
}
}  // namespace weft_asc
#define WEFT_ASC_SIMT_ATOMIC(name, expression)                                          \
  template <typename T>                                                                 \
  T name(T *address, weft_asc::Same<T> val, weft_asc_at at = weft_asc::Here()) {        \
    return weft_asc::Change(                                                            \
        address, [&]([[maybe_unused]] T x) { return static_cast<T>(expression); }, at); \
  }
WEFT_ASC_SIMT_ATOMIC(asc_atomic_add, AscendC::Reg::AddOf(x, val))
WEFT_ASC_SIMT_ATOMIC(asc_atomic_sub, AscendC::Reg::SubOf(x, val))
WEFT_ASC_SIMT_ATOMIC(asc_atomic_max, AscendC::Reg::MaxOf(x, val))
WEFT_ASC_SIMT_ATOMIC(asc_atomic_min, AscendC::Reg::MinOf(x, val))
WEFT_ASC_SIMT_ATOMIC(asc_atomic_and, AscendC::Reg::AndOf(x, val))
WEFT_ASC_SIMT_ATOMIC(asc_atomic_or, AscendC::Reg::OrOf(x, val))
WEFT_ASC_SIMT_ATOMIC(asc_atomic_xor, AscendC::Reg::XorOf(x, val))
WEFT_ASC_SIMT_ATOMIC(asc_atomic_exch, val)
WEFT_ASC_SIMT_ATOMIC(asc_atomic_inc, x >= val ? static_cast<T>(0) : static_cast<T>(x + 1))
WEFT_ASC_SIMT_ATOMIC(asc_atomic_dec, x == 0 || x > val ? val : static_cast<T>(x - 1))
#undef WEFT_ASC_SIMT_ATOMIC
template <typename T>
T asc_atomic_cas(T *address, weft_asc::Same<T> compare, weft_asc::Same<T> val,
                 weft_asc_at at = weft_asc::Here()) {
  return weft_asc::Change(
      address, [&](T x) { return x == compare ? val : x; }, at);
}

// ---- loads and stores with a hint for the cache ----

template <typename T>
T asc_ldcg(const T *address) {
  return *address;
}
template <typename T>
T asc_ldca(const T *address) {
  return *address;
}
template <typename T>
void asc_stcg(T *address, weft_asc::Same<T> val) {
  *address = val;
}
template <typename T>
void asc_stwt(T *address, weft_asc::Same<T> val) {
  *address = val;
}

// ---- between the 32 threads of a warp ----

namespace weft_asc {
inline uint32_t LaneId() {
  const weft_asc_thread *t = weft_asc_thread_current();
  return (t->at[0] + t->count[0] * (t->at[1] + t->count[1] * t->at[2])) % 32;
}
template <typename T>
T Exchange(T value, uint32_t lane, weft_asc_at at) {
  const uint64_t bits = weft_asc_threads_exchange(Bits(value), lane, at);
  T got;
  memcpy(&got, &bits, sizeof got);
  return got;
}
// Every thread gets the same: pairs, then pairs of those.
template <typename T, typename F>
T ReduceWarp(T value, F f, weft_asc_at at) {
  for (uint32_t step = 1; step < 32; step *= 2)
    value = f(value, Exchange(value, LaneId() ^ step, at));
  return value;
}
}  // namespace weft_asc
template <typename T>
T asc_shfl(T var, int32_t src, int32_t width = 32, weft_asc_at at = weft_asc::Here()) {
  const uint32_t lane = weft_asc::LaneId(), w = static_cast<uint32_t>(width);
  return weft_asc::Exchange(var, lane / w * w + static_cast<uint32_t>(src) % w, at);
}
template <typename T>
T asc_shfl_up(T var, uint32_t delta, int32_t width = 32, weft_asc_at at = weft_asc::Here()) {
  const uint32_t lane = weft_asc::LaneId(), w = static_cast<uint32_t>(width);
  return weft_asc::Exchange(var, lane % w < delta ? lane : lane - delta, at);
}
template <typename T>
T asc_shfl_down(T var, uint32_t delta, int32_t width = 32, weft_asc_at at = weft_asc::Here()) {
  const uint32_t lane = weft_asc::LaneId(), w = static_cast<uint32_t>(width);
  return weft_asc::Exchange(var, lane % w + delta >= w ? lane : lane + delta, at);
}
template <typename T>
T asc_shfl_xor(T var, int32_t laneMask, int32_t width = 32, weft_asc_at at = weft_asc::Here()) {
  const uint32_t lane = weft_asc::LaneId(), w = static_cast<uint32_t>(width);
  const uint32_t other = lane ^ static_cast<uint32_t>(laneMask);
  return weft_asc::Exchange(var, other / w == lane / w ? other : lane, at);
}
template <typename T>
T asc_reduce_add(T val, weft_asc_at at = weft_asc::Here()) {
  return weft_asc::ReduceWarp(
      val, [](T a, T b) { return AscendC::Reg::AddOf(a, b); }, at);
}
template <typename T>
T asc_reduce_max(T val, weft_asc_at at = weft_asc::Here()) {
  return weft_asc::ReduceWarp(
      val, [](T a, T b) { return AscendC::Reg::MaxOf(a, b); }, at);
}
template <typename T>
T asc_reduce_min(T val, weft_asc_at at = weft_asc::Here()) {
  return weft_asc::ReduceWarp(
      val, [](T a, T b) { return AscendC::Reg::MinOf(a, b); }, at);
}

// ---- numbers ----

#define ASCRT_INF_F __builtin_inff()
#define ASCRT_NAN_F __builtin_nanf("")
inline float __half2float(const half x) {
  return static_cast<float>(x);
}
inline float __bfloat162float(const bfloat16_t x) {
  return static_cast<float>(x);
}
inline half __float2half(const float x) {
  return half(x);
}
inline half __float2half_rn(const float x) {
  return half(x);
}
inline half __float2half_rn_sat(const float x) {
  return half(x > 65504.0f ? 65504.0f : x < -65504.0f ? -65504.0f : x);
}
inline bfloat16_t __float2bfloat16(const float x) {
  return bfloat16_t(x);
}
inline bfloat16_t __float2bfloat16_rn(const float x) {
  return bfloat16_t(x);
}
inline bfloat16_t __float2bfloat16_rn_sat(const float x) {
  const float largest = static_cast<float>(bfloat16_t::OfBits(0x7f7f));
  return bfloat16_t(x > largest ? largest : x < -largest ? -largest : x);
}
inline bool __hisnan(half x) {
  return (x.Bits() & 0x7fff) > 0x7c00;
}
inline bool __hisnan(bfloat16_t x) {
  return (x.Bits() & 0x7fff) > 0x7f80;
}
// Templates, so that a unit test may bring functions of its own by these names.
template <int = 0>
unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>(uint64_t{x} * y >> 32);
}
template <int = 0>
int __mulhi(int x, int y) {
  return static_cast<int>(int64_t{x} * y >> 32);
}
// The whole product.
template <int = 0>
uint64_t __mul_i32toi64(uint32_t x, uint32_t y) {
  return uint64_t{x} * y;
}
template <int = 0>
int64_t __mul_i32toi64(int32_t x, int32_t y) {
  return int64_t{x} * y;
}
struct uint2 {
  unsigned int x, y;
};
inline unsigned int __float_as_uint(const float x) {
  return AscendC::Reg::ToBits(x);
}
inline float __uint_as_float(const unsigned int x) {
  return AscendC::Reg::FromBits<float>(x);
}
inline int __float_as_int(const float x) {
  return static_cast<int>(AscendC::Reg::ToBits(x));
}
inline float __int_as_float(const int x) {
  return AscendC::Reg::FromBits<float>(static_cast<uint32_t>(x));
}
inline float rsqrtf(float x) {
  return 1 / sqrtf(x);
}
// The inverse of erff: a start of three digits, then Newton's steps in double.
inline float erfinvf(float x) {
  if (!(x > -1 && x < 1))
    return x == 1 ? INFINITY : x == -1 ? -INFINITY : NAN;
  const double w = std::log((1.0 - x) * (1.0 + x));
  const double u = 2 / (3.14159265358979 * 0.147) + w / 2;
  double y = std::copysign(std::sqrt(std::sqrt(u * u - w / 0.147) - u), x);
  for (int i = 0; i < 4; i++)
    y -= (std::erf(y) - x) / (1.1283791670955126 * std::exp(-y * y));
  return static_cast<float>(y);
}
#define WEFT_ASC_HALF_FUNCTION(name, function)          \
  inline half name(half x) {                            \
    return half(function(static_cast<float>(x)));       \
  }                                                     \
  inline bfloat16_t name(bfloat16_t x) {                \
    return bfloat16_t(function(static_cast<float>(x))); \
  }
WEFT_ASC_HALF_FUNCTION(hlog, logf)
WEFT_ASC_HALF_FUNCTION(hlog2, log2f)
WEFT_ASC_HALF_FUNCTION(hlog10, log10f)
WEFT_ASC_HALF_FUNCTION(hexp, expf)
WEFT_ASC_HALF_FUNCTION(hsqrt, sqrtf)
WEFT_ASC_HALF_FUNCTION(hrsqrt, rsqrtf)
WEFT_ASC_HALF_FUNCTION(hrint, rintf)
WEFT_ASC_HALF_FUNCTION(hfloor, floorf)
WEFT_ASC_HALF_FUNCTION(hceil, ceilf)
WEFT_ASC_HALF_FUNCTION(htrunc, truncf)
WEFT_ASC_HALF_FUNCTION(hsin, sinf)
WEFT_ASC_HALF_FUNCTION(hcos, cosf)
WEFT_ASC_HALF_FUNCTION(htanh, tanhf)
#undef WEFT_ASC_HALF_FUNCTION

namespace AscendC {
// x / d by what GetUintDivMagicAndShift gave for d.
template <typename T>
void GetUintDivMagicAndShift(T &magic, T &shift, T divisor) {
  constexpr uint32_t bits = sizeof(T) * 8;
  shift = 0;
  while (shift < bits && (static_cast<unsigned __int128>(1) << shift) < divisor)
    shift++;
  const unsigned __int128 one = 1;
  magic = static_cast<T>(((one << bits) * ((one << shift) - divisor)) / divisor + 1);
}
template <auto funcPtr, typename... Args>
void VF_CALL(Args &&...args) {
  ::asc_vf_call<funcPtr>(std::forward<Args>(args)...);
}
// On global memory and, by threads, on the unified buffer; each gives what was there before.
#define WEFT_ASC_SIMT_ATOMIC(Name, name)                                         \
  template <typename T>                                                          \
  T Name(T *address, weft_asc::Same<T> val, weft_asc_at at = weft_asc::Here()) { \
    return name(address, val, at);                                               \
  }
WEFT_ASC_SIMT_ATOMIC(AtomicAdd, asc_atomic_add)
WEFT_ASC_SIMT_ATOMIC(AtomicSub, asc_atomic_sub)
WEFT_ASC_SIMT_ATOMIC(AtomicMax, asc_atomic_max)
WEFT_ASC_SIMT_ATOMIC(AtomicMin, asc_atomic_min)
WEFT_ASC_SIMT_ATOMIC(AtomicAnd, asc_atomic_and)
WEFT_ASC_SIMT_ATOMIC(AtomicOr, asc_atomic_or)
WEFT_ASC_SIMT_ATOMIC(AtomicXor, asc_atomic_xor)
WEFT_ASC_SIMT_ATOMIC(AtomicExch, asc_atomic_exch)
#undef WEFT_ASC_SIMT_ATOMIC
template <typename T>
T AtomicCas(T *address, weft_asc::Same<T> compare, weft_asc::Same<T> val, weft_asc_at at = weft_asc::Here()) {
  return asc_atomic_cas(address, compare, val, at);
}

namespace Simt {
using AscendC::GetBlockIdx;
using AscendC::GetBlockNum;
using Dim3 = ::dim3;
template <auto funcPtr, typename... Args>
void VF_CALL(Dim3 threadNums, Args &&...args) {
  weft_asc::RunThreads<funcPtr>(threadNums, weft_asc::Here(), args...);
}
template <int32_t dim = 0>
uint32_t GetThreadIdx() {
  return weft_asc_thread_current()->at[dim];
}
template <int32_t dim = 0>
uint32_t GetThreadNum() {
  return weft_asc_thread_current()->count[dim];
}
inline uint32_t GetLaneId() {
  return weft_asc::LaneId();
}
inline void ThreadBarrier(weft_asc_at at = weft_asc::Here()) {
  weft_asc_threads_wait(false, at);
}
inline void ThreadFence() {}
template <typename T>
T MulHi(T x, T y) {
  return static_cast<T>(static_cast<unsigned __int128>(x) * y >> (sizeof(T) * 8));
}
template <typename T>
T UintDiv(T dividend, T magic, T shift) {
  constexpr uint32_t bits = sizeof(T) * 8;
  const unsigned __int128 sum = (static_cast<unsigned __int128>(dividend) * magic >> bits) + dividend;
  return static_cast<T>(sum >> shift);
}
#define WEFT_ASC_SIMT_MATH(Name, function)                  \
  template <typename T>                                     \
  T Name(T x) {                                             \
    return static_cast<T>(function(static_cast<float>(x))); \
  }
WEFT_ASC_SIMT_MATH(Log, logf)
WEFT_ASC_SIMT_MATH(Log2, log2f)
WEFT_ASC_SIMT_MATH(Log10, log10f)
WEFT_ASC_SIMT_MATH(Log1p, log1pf)
WEFT_ASC_SIMT_MATH(Exp, expf)
WEFT_ASC_SIMT_MATH(Exp2, exp2f)
WEFT_ASC_SIMT_MATH(Expm1, expm1f)
WEFT_ASC_SIMT_MATH(Sqrt, sqrtf)
WEFT_ASC_SIMT_MATH(Rsqrt, rsqrtf)
WEFT_ASC_SIMT_MATH(Sin, sinf)
WEFT_ASC_SIMT_MATH(Cos, cosf)
WEFT_ASC_SIMT_MATH(Tan, tanf)
WEFT_ASC_SIMT_MATH(Asin, asinf)
WEFT_ASC_SIMT_MATH(Acos, acosf)
WEFT_ASC_SIMT_MATH(Atan, atanf)
WEFT_ASC_SIMT_MATH(Sinh, sinhf)
WEFT_ASC_SIMT_MATH(Cosh, coshf)
WEFT_ASC_SIMT_MATH(Tanh, tanhf)
WEFT_ASC_SIMT_MATH(Asinh, asinhf)
WEFT_ASC_SIMT_MATH(Acosh, acoshf)
WEFT_ASC_SIMT_MATH(Atanh, atanhf)
WEFT_ASC_SIMT_MATH(Erf, erff)
WEFT_ASC_SIMT_MATH(Erfc, erfcf)
WEFT_ASC_SIMT_MATH(Erfinv, erfinvf)
WEFT_ASC_SIMT_MATH(Tgamma, tgammaf)
WEFT_ASC_SIMT_MATH(Lgamma, lgammaf)
WEFT_ASC_SIMT_MATH(Floor, floorf)
WEFT_ASC_SIMT_MATH(Ceil, ceilf)
WEFT_ASC_SIMT_MATH(Round, roundf)
WEFT_ASC_SIMT_MATH(Rint, rintf)
WEFT_ASC_SIMT_MATH(Trunc, truncf)
#undef WEFT_ASC_SIMT_MATH
template <typename T>
T Abs(T x) {
  return Reg::AbsOf(x);
}
template <typename T>
T Max(T x, T y) {
  return Reg::MaxOf(x, y);
}
template <typename T>
T Min(T x, T y) {
  return Reg::MinOf(x, y);
}
template <typename T>
T Pow(T x, T y) {
  return static_cast<T>(powf(static_cast<float>(x), static_cast<float>(y)));
}
template <typename T>
T Mod(T x, T y) {
  return static_cast<T>(fmodf(static_cast<float>(x), static_cast<float>(y)));
}
template <typename T>
T Atan2(T y, T x) {
  return static_cast<T>(atan2f(static_cast<float>(y), static_cast<float>(x)));
}
template <typename T>
T Fma(T x, T y, T z) {
  return Reg::MulAddOf(x, y, z);
}
template <typename T>
bool IsNan(T x) {
  return x != x;
}
template <typename T>
bool IsInf(T x) {
  return std::isinf(static_cast<float>(x));
}
template <typename T>
bool IsFinite(T x) {
  return std::isfinite(static_cast<float>(x));
}
// To another type; without saturation whole numbers keep their low bits.
template <typename T, typename U, RoundMode roundMode, Reg::SatMode satMode = Reg::SatMode::NO_SAT>
T Cast(U x) {
  T to;
  Reg::Convert(&to, &x, satMode, static_cast<int>(roundMode), 1);
  return to;
}
using AscendC::AtomicAdd;
using AscendC::AtomicAnd;
using AscendC::AtomicCas;
using AscendC::AtomicExch;
using AscendC::AtomicMax;
using AscendC::AtomicMin;
using AscendC::AtomicOr;
using AscendC::AtomicSub;
using AscendC::AtomicXor;
}  // namespace Simt
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
