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
inline bool operator==(half2 a, half2 b) {
  return a.x == b.x && a.y == b.y;
}
inline bool operator==(bfloat16x2_t a, bfloat16x2_t b) {
  return a.x == b.x && a.y == b.y;
}
#endif
// SPDX-License-Identifier: Apache-2.0
