// weft_cann/half.h - the 16-bit floating-point numbers of host code: Ops::Base::fp16_t and
// Ops::Base::bfloat16. Both round to the nearest value, ties to the even one.
#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <type_traits>

namespace Ops {
namespace Base {
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

namespace half_bits {
// Where the compiler can look at a float's bits, tables of 16-bit numbers are constants.
#ifdef __has_builtin
#if __has_builtin(__builtin_bit_cast)
#define WEFT_HALF_CONSTEXPR constexpr
#endif
#endif
#ifdef WEFT_HALF_CONSTEXPR
constexpr uint32_t OfFloat(float value) {
  return __builtin_bit_cast(uint32_t, value);
}
constexpr float ToFloat(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
#else
#define WEFT_HALF_CONSTEXPR inline
inline uint32_t OfFloat(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float ToFloat(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
#endif
WEFT_HALF_CONSTEXPR uint32_t ShiftRounded(uint32_t value, int shift) {
  const uint32_t odd = value >> shift & 1;
  return (value + (1u << (shift - 1)) - 1 + odd) >> shift;
}
WEFT_HALF_CONSTEXPR uint16_t Fp16Of(float value) {
  const uint32_t bits = OfFloat(value);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 0x477ff000)  // from halfway between the largest number and the next one
    return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x33000000)  // less than half of the smallest number
    return static_cast<uint16_t>(sign);
  if (magnitude >= 0x38800000)
    return static_cast<uint16_t>(sign | ShiftRounded(magnitude - 0x38000000, 13));
  const int shift = 126 - static_cast<int>(magnitude >> 23);
  return static_cast<uint16_t>(sign | ShiftRounded((magnitude & 0x7fffff) | 0x800000, shift));
}
WEFT_HALF_CONSTEXPR float OfFp16(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16;
  const uint32_t exponent = bits >> 10 & 0x1f;
  const uint32_t fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return ToFloat(sign | 0x7f800000 | fraction << 13);
  if (exponent)
    return ToFloat(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = static_cast<float>(fraction) / 16777216.0f;
  return sign ? -small : small;
}
WEFT_HALF_CONSTEXPR uint16_t Bf16Of(float value) {
  const uint32_t bits = OfFloat(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fc0;
  return static_cast<uint16_t>(ShiftRounded(bits, 16));
}
WEFT_HALF_CONSTEXPR float OfBf16(uint16_t bits) {
  return ToFloat(static_cast<uint32_t>(bits) << 16);
}
// Towards zero; what does not fit becomes the nearest limit, and NaN 0.
template <typename T>
T ToInteger(float value) {
  using Limits = std::numeric_limits<T>;
  if (value != value)
    return 0;
  if (value >= static_cast<float>(Limits::max()))
    return Limits::max();
  if (value <= static_cast<float>(Limits::min()))
    return Limits::min();
  return static_cast<T>(value);
}
}  // namespace half_bits

// A uint16_t that it is made of is its bits; one that is assigned is a number.
struct tagFp16 {
  uint16_t val = 0;

  tagFp16() = default;
  tagFp16(const uint16_t &bits) : val(bits) {}
  tagFp16(const tagFp16 &other) = default;
  template <typename T>
  tagFp16(const T &value) : val(half_bits::Fp16Of(static_cast<float>(value))) {}
  tagFp16 &operator=(const tagFp16 &other) = default;
  template <typename T>
  typename std::enable_if<std::is_arithmetic<T>::value, tagFp16 &>::type operator=(const T &value) {
    val = half_bits::Fp16Of(static_cast<float>(value));
    return *this;
  }

  tagFp16 operator+(const tagFp16 other) const { return tagFp16(toFloat() + other.toFloat()); }
  tagFp16 operator-(const tagFp16 other) const { return tagFp16(toFloat() - other.toFloat()); }
  tagFp16 operator*(const tagFp16 other) const { return tagFp16(toFloat() * other.toFloat()); }
  tagFp16 operator/(const tagFp16 other) const { return tagFp16(toFloat() / other.toFloat()); }
  tagFp16 operator+=(const tagFp16 other) { return *this = *this + other; }
  tagFp16 operator-=(const tagFp16 other) { return *this = *this - other; }
  tagFp16 operator*=(const tagFp16 other) { return *this = *this * other; }
  tagFp16 operator/=(const tagFp16 other) { return *this = *this / other; }
  bool operator==(const tagFp16 &other) const { return toFloat() == other.toFloat(); }
  bool operator!=(const tagFp16 &other) const { return toFloat() != other.toFloat(); }
  bool operator>(const tagFp16 &other) const { return toFloat() > other.toFloat(); }
  bool operator>=(const tagFp16 &other) const { return toFloat() >= other.toFloat(); }
  bool operator<(const tagFp16 &other) const { return toFloat() < other.toFloat(); }
  bool operator<=(const tagFp16 &other) const { return toFloat() <= other.toFloat(); }

  operator float() const { return toFloat(); }
  operator double() const { return toFloat(); }
  operator signed char() const { return toInt8(); }
  operator unsigned char() const { return toUInt8(); }
  operator short() const { return toInt16(); }
  operator unsigned short() const { return toUInt16(); }
  operator int() const { return toInt32(); }
  operator unsigned int() const { return toUInt32(); }
  operator long() const { return half_bits::ToInteger<long>(toFloat()); }
  operator unsigned long() const { return half_bits::ToInteger<unsigned long>(toFloat()); }

  // 1 and -1 for the infinities, 0 otherwise.
  int IsInf() const { return (val & 0x7fff) != 0x7c00 ? 0 : val & 0x8000 ? -1 : 1; }
  float toFloat() const { return half_bits::OfFp16(val); }
  double toDouble() const { return toFloat(); }
  int8_t toInt8() const { return half_bits::ToInteger<int8_t>(toFloat()); }
  uint8_t toUInt8() const { return half_bits::ToInteger<uint8_t>(toFloat()); }
  int16_t toInt16() const { return half_bits::ToInteger<int16_t>(toFloat()); }
  uint16_t toUInt16() const { return half_bits::ToInteger<uint16_t>(toFloat()); }
  int32_t toInt32() const { return half_bits::ToInteger<int32_t>(toFloat()); }
  uint32_t toUInt32() const { return half_bits::ToInteger<uint32_t>(toFloat()); }
};
using fp16_t = tagFp16;

struct bfloat16 {
  struct from_bits_t {};
  static constexpr uint16_t NAN_VALUE = 0x7FC0;
  uint16_t value;

  static constexpr from_bits_t from_bits() { return from_bits_t(); }
  constexpr bfloat16(uint16_t bits, from_bits_t) : value(bits) {}
  constexpr bfloat16() : value(0) {}
  bfloat16(float v) : value(half_bits::Bf16Of(v)) {}
  explicit bfloat16(const complex64 &v) : bfloat16(v.real()) {}
  explicit bfloat16(const complex128 &v) : bfloat16(static_cast<float>(v.real())) {}
  template <typename T>
  explicit bfloat16(const T &v) : bfloat16(static_cast<float>(v)) {}
  template <typename T>
  bfloat16 &operator=(T v) {
    value = half_bits::Bf16Of(static_cast<float>(v));
    return *this;
  }

  operator float() const { return half_bits::OfBf16(value); }
  template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value &&
                                                           !std::is_same<T, float>::value>::type>
  explicit operator T() const {
    return static_cast<T>(half_bits::OfBf16(value));
  }
  explicit operator complex64() const { return complex64(half_bits::OfBf16(value), 0); }
  explicit operator complex128() const { return complex128(half_bits::OfBf16(value), 0); }

  static bfloat16 round_to_bfloat16(float v) { return bfloat16(v); }
  static bfloat16 epsilon() { return bfloat16(0x3c00, from_bits()); }
  static bfloat16 highest() { return bfloat16(0x7f7f, from_bits()); }
  static bfloat16 lowest() { return bfloat16(0xff7f, from_bits()); }
  static bfloat16 min_positive_normal() { return bfloat16(0x0080, from_bits()); }
  bool IsZero() const { return (value & 0x7fff) == 0; }
};
inline std::ostream &operator<<(std::ostream &os, const bfloat16 &v) {
  return os << static_cast<float>(v);
}
}  // namespace Base
}  // namespace Ops
// SPDX-License-Identifier: Apache-2.0
