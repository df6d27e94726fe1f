// weft_cann/asc_small_floats.h - floating-point numbers of 8 bits and less: made from a float by rounding to
// the nearest, ties to even, and read as one. hifloat8_t and pairs of 4 bits are bits to be copied.
#pragma once
#include <cmath>

#include "weft_cann/asc_types.h"

namespace weft_asc {
// `fraction` bits after the point, exponents from `bias` below zero; `last` is the largest number.
struct SmallFormat {
  int fraction, bias;
  float largest;
  uint8_t last, infinity, nan;
};
constexpr SmallFormat kE5M2 = {2, 15, 57344.0f, 0x7b, 0x7c, 0x7e};
constexpr SmallFormat kE4M3 = {3, 7, 448.0f, 0x7e, 0x7f, 0x7f};

inline uint8_t SmallOf(const SmallFormat &f, float value) {
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  const float x = std::fabs(value);
  if (x != x)
    return static_cast<uint8_t>(sign | f.nan);
  int exponent = x > 0 ? std::ilogb(x) : 1 - f.bias;
  exponent = exponent < 1 - f.bias ? 1 - f.bias : exponent;
  // Units of the last place; one that carries is the next exponent's first.
  const float units = std::rint(std::ldexp(x, f.fraction - exponent));
  if (x > f.largest && (std::isinf(x) || std::ldexp(units, exponent - f.fraction) > f.largest))
    return static_cast<uint8_t>(sign | f.infinity);
  const int whole = static_cast<int>(units) + ((exponent + f.bias - 1) << f.fraction);
  return static_cast<uint8_t>(sign | whole);
}
inline float OfSmall(const SmallFormat &f, uint8_t bits) {
  const int magnitude = bits & 0x7f;
  const float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (magnitude > f.last)
    return magnitude == f.infinity && f.infinity != f.nan ? sign * INFINITY : NAN;
  const int field = magnitude >> f.fraction;
  const int low = magnitude & ((1 << f.fraction) - 1);
  const int units = field ? low | 1 << f.fraction : low;
  return sign * std::ldexp(static_cast<float>(units), (field ? field : 1) - f.bias - f.fraction);
}
}  // namespace weft_asc

#define WEFT_ASC_FLOAT8(name, format)                                                           \
  struct name {                                                                                 \
    name() = default;                                                                           \
    template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0> \
    name(T value) : bits(weft_asc::SmallOf(weft_asc::format, static_cast<float>(value))) {}     \
    operator float() const { return weft_asc::OfSmall(weft_asc::format, bits); }                \
    uint8_t bits;                                                                               \
  };
WEFT_ASC_FLOAT8(fp8_e5m2_t, kE5M2)
WEFT_ASC_FLOAT8(fp8_e4m3fn_t, kE4M3)
#undef WEFT_ASC_FLOAT8
#define WEFT_ASC_ONLY_BITS(name) \
  struct name {                  \
    uint8_t bits;                \
  };
WEFT_ASC_ONLY_BITS(hifloat8_t)
WEFT_ASC_ONLY_BITS(fp8_e8m0_t)
WEFT_ASC_ONLY_BITS(fp4x2_e2m1_t)
WEFT_ASC_ONLY_BITS(fp4x2_e1m2_t)
#undef WEFT_ASC_ONLY_BITS
// Two numbers of 32 bits, and of 16: words of dav-3510 alone. Kernels for other chips may have their own.
#if WEFT_ASC_ARCH == 3510
struct complex64 {
  float real, imag;
};
struct complex32 {
  half real, imag;
};
#endif

namespace AscendC {
using ::fp4x2_e1m2_t;
using ::fp4x2_e2m1_t;
using ::fp8_e4m3fn_t;
using ::fp8_e5m2_t;
using ::fp8_e8m0_t;
using ::hifloat8_t;
// Copies and moves see their bits.
#define WEFT_ASC_AS_BITS(T, value)                  \
  template <>                                       \
  struct DtypeOf<T> {                               \
    static constexpr weft_asc_dtype kValue = value; \
  };
WEFT_ASC_AS_BITS(fp8_e5m2_t, WEFT_ASC_U8)
WEFT_ASC_AS_BITS(fp8_e4m3fn_t, WEFT_ASC_U8)
WEFT_ASC_AS_BITS(hifloat8_t, WEFT_ASC_U8)
WEFT_ASC_AS_BITS(fp8_e8m0_t, WEFT_ASC_U8)
WEFT_ASC_AS_BITS(fp4x2_e2m1_t, WEFT_ASC_U8)
WEFT_ASC_AS_BITS(fp4x2_e1m2_t, WEFT_ASC_U8)
#if WEFT_ASC_ARCH == 3510
WEFT_ASC_AS_BITS(complex32, WEFT_ASC_U32)
WEFT_ASC_AS_BITS(complex64, WEFT_ASC_U64)
#endif
#undef WEFT_ASC_AS_BITS
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
