// weft_cann/asc_scalar_math.h - the scalar unit's conversions, and global memory filled element by element.
#pragma once
#include "weft_cann/asc_scalar.h"

namespace weft_asc {
// Any number: a kernel's own function of a name below comes first.
struct AnyWhole {
  template <typename T>
  constexpr AnyWhole(T x) : value(static_cast<int64_t>(x)) {}
  int64_t value;
};
}  // namespace weft_asc
// Which way a branch mostly goes.
#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

namespace AscendC {
// Divided, rounded up.
constexpr int64_t DivCeil(weft_asc::AnyWhole a, weft_asc::AnyWhole b) {
  return b.value ? (a.value + b.value - 1) / b.value : 0;
}
constexpr int64_t CeilDiv(weft_asc::AnyWhole a, weft_asc::AnyWhole b) {
  return DivCeil(a, b);
}
constexpr int64_t CeilDivision(weft_asc::AnyWhole a, weft_asc::AnyWhole b) {
  return DivCeil(a, b);
}
constexpr int64_t Ceil(weft_asc::AnyWhole a, weft_asc::AnyWhole b) {
  return DivCeil(a, b);
}
// The next multiple of b.
constexpr int64_t AlignUp(weft_asc::AnyWhole a, weft_asc::AnyWhole b) {
  return DivCeil(a, b) * b.value;
}
template <typename T, typename U, RoundMode roundMode>
U ScalarCast(T valueIn) {
  const float x = static_cast<float>(valueIn);
  const float whole = roundMode == RoundMode::CAST_FLOOR   ? __builtin_floorf(x)
                      : roundMode == RoundMode::CAST_CEIL  ? __builtin_ceilf(x)
                      : roundMode == RoundMode::CAST_ROUND ? __builtin_roundf(x)
                      : roundMode == RoundMode::CAST_TRUNC ? __builtin_truncf(x)
                      : roundMode == RoundMode::CAST_RINT  ? __builtin_rintf(x)
                                                           : x;
  return static_cast<U>(
      std::is_integral<U>::value ? (roundMode == RoundMode::CAST_NONE ? __builtin_rintf(x) : whole) : x);
}
template <typename T, typename U, RoundMode roundMode>
U Cast(T valueIn) {
  return ScalarCast<T, U, roundMode>(valueIn);
}
inline bfloat16_t ToBfloat16(const float &value) {
  return bfloat16_t(value);
}
inline float ToFloat(const bfloat16_t &value) {
  return value;
}
inline bfloat16_t Cast(const float &value) {
  return bfloat16_t(value);
}
inline float Cast(const bfloat16_t &value) {
  return value;
}
template <int countValue>
int64_t GetBitCount(uint64_t valueIn) {
  return ScalarGetCountOfValue<countValue>(valueIn);
}
inline int64_t CountLeadingZero(uint64_t valueIn) {
  return ScalarCountLeadingZero(valueIn);
}
template <int countValue>
int64_t GetSFFValue(uint64_t valueIn) {
  return ScalarGetSFFValue<countValue>(valueIn);
}
inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn) {
  return valueIn == 0 || valueIn == -1 ? 63 : __builtin_clrsbll(valueIn);
}
// Global memory filled with a number, by the block that calls.
template <typename T>
void InitGlobalMemory(GlobalTensor<T> &gm, const uint64_t size, const T value) {
  for (uint64_t i = 0; i < size; i++)
    gm.SetValue(i, value);
}
template <typename T>
void InitOutput(GlobalTensor<T> gm, uint32_t size, T value = 0) {
  InitGlobalMemory(gm, size, value);
}
template <typename T>
void Fill(GlobalTensor<T> &gm, const uint64_t size, const T value) {
  InitGlobalMemory(gm, size, value);
}
}  // namespace AscendC

// Of two scalars, as the device's compiler has them for all files. Where std::min is seen as well, it is
// taken.
template <typename T, typename... U>
constexpr typename std::enable_if<sizeof...(U) == 1, typename std::common_type<T, U...>::type>::type min(
    T a, U... b) {
  using Both = typename std::common_type<T, U...>::type;
  const Both list[] = {static_cast<Both>(a), static_cast<Both>(b)...};
  return list[1] < list[0] ? list[1] : list[0];
}
template <typename T, typename... U>
constexpr typename std::enable_if<sizeof...(U) == 1, typename std::common_type<T, U...>::type>::type max(
    T a, U... b) {
  using Both = typename std::common_type<T, U...>::type;
  const Both list[] = {static_cast<Both>(a), static_cast<Both>(b)...};
  return list[0] < list[1] ? list[1] : list[0];
}
// SPDX-License-Identifier: Apache-2.0
