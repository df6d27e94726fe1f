// weft_cann/asc_pairs.h - two numbers of 16 bits in one word, as threads load, exchange and add them: words
// of dav-3510 alone. Kernels for other chips may have their own.
#pragma once
#include "weft_cann/asc_reg_math.h"

#if WEFT_ASC_ARCH == 3510
struct half2 {
  half x, y;
};
struct bfloat16x2_t {
  bfloat16_t x, y;
};
namespace AscendC {
namespace Reg {
// Each by itself.
#define WEFT_ASC_PAIR(T)                       \
  inline T AddOf(T a, T b) {                   \
    return {AddOf(a.x, b.x), AddOf(a.y, b.y)}; \
  }                                            \
  inline T SubOf(T a, T b) {                   \
    return {SubOf(a.x, b.x), SubOf(a.y, b.y)}; \
  }                                            \
  inline T MaxOf(T a, T b) {                   \
    return {MaxOf(a.x, b.x), MaxOf(a.y, b.y)}; \
  }                                            \
  inline T MinOf(T a, T b) {                   \
    return {MinOf(a.x, b.x), MinOf(a.y, b.y)}; \
  }
WEFT_ASC_PAIR(half2)
WEFT_ASC_PAIR(bfloat16x2_t)
#undef WEFT_ASC_PAIR
}  // namespace Reg
}  // namespace AscendC
namespace AscendC {
// How far complex numbers lie from zero.
template <typename T, typename U>
auto Abs(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t &count,
         weft_asc_at at = weft_asc::Here())
    -> std::enable_if_t<std::is_same<U, complex64>::value || std::is_same<U, complex32>::value> {
  static_assert(sizeof(U) == 2 * sizeof(T), "Abs of complex64 gives float, that of complex32 half");
  weft_asc::Vector(WEFT_ASC_COPY).To(dst).From(src).Count(count).Touch("Abs", at);
  for (int32_t i = 0; i < count; i++) {
    const U x = src.Data()[i];
    dst.Data()[i] = static_cast<T>(std::hypot(static_cast<float>(x.real), static_cast<float>(x.imag)));
  }
}
}  // namespace AscendC
inline bool operator==(half2 a, half2 b) {
  return a.x == b.x && a.y == b.y;
}
inline bool operator==(bfloat16x2_t a, bfloat16x2_t b) {
  return a.x == b.x && a.y == b.y;
}
#endif
// SPDX-License-Identifier: Apache-2.0
