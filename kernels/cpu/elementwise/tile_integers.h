// tile_integers.h - the loops of the tile machine over integers and booleans, for the instruction set that
// this is compiled for; tile_ops.h says what UNARY, BINARY and TERNARY make of a line. What wraps needs one
// loop a size, named b8 to b64, whatever the sign; what looks at the order has one for i8 to i64 and one for
// u8 to u64. W is the unsigned type that numbers are reckoned in: at least an int, which would overflow.
#pragma once
#include "elementwise/divide.rule.h"

#define LOOP1(f, T, R, c, e) UNARY(T, R, f##_##c, e)
#define LOOP2(f, T, R, c, e) BINARY(T, R, f##_##c, e)
#define ENTRY(f, T, R, c, e) [WEFT__T_##c] = f##_##c,

// Shifted by the width or more nothing is left, or the sign.
// clang-format off
#define BITS1(X, f, T, W) \
  X(f, T, T, NEG, 0 - (W)x) X(f, T, T, SQUARE, (W)x * (W)x) X(f, T, T, BIT_NOT, ~(W)x) X(f, T, T, COPY, x)
#define BITS2(X, f, T, W, top) \
  X(f, T, T, ADD, (W)x + (W)z) X(f, T, T, SUB, (W)x - (W)z) X(f, T, T, MUL, (W)x * (W)z) \
  X(f, T, T, BIT_AND, x & z) X(f, T, T, BIT_OR, x | z) X(f, T, T, BIT_XOR, x ^ z) \
  X(f, T, T, SHIFT_LEFT, z > (top) ? 0 : (W)x << (z & (top))) \
  X(f, T, uint8_t, EQ, x == z) X(f, T, uint8_t, NE, x != z)
#define ORDER2(X, f, T) \
  X(f, T, T, MAX, x > z ? x : z) X(f, T, T, MIN, x < z ? x : z) \
  X(f, T, uint8_t, LT, x < z) X(f, T, uint8_t, LE, x <= z) \
  X(f, T, uint8_t, GT, x > z) X(f, T, uint8_t, GE, x >= z)
#define SIGNED1(X, f, T, W) \
  X(f, T, T, ABS, x < 0 ? 0 - (W)x : (W)x) X(f, T, T, RELU, x < 0 ? 0 : x) X(f, T, T, SIGN, (x > 0) - (x < 0))
#define SIGNED2(X, f, T, W, top) X(f, T, T, SHIFT_RIGHT, x >> ((W)z > (top) ? (top) : (W)z))
// Toward 0, and toward the smaller.
#define DIVIDE2(X, f, T) X(f, T, T, DIV, f##_quotient(x, z)) X(f, T, T, FMOD, f##_remainder(x, z))
#define FLOOR2(X, f, T) \
  X(f, T, T, FLOOR_DIV, f##_floor_quotient(x, z)) X(f, T, T, FLOOR_MOD, f##_floor_remainder(x, z))
#define UNSIGNED1(X, f, T) X(f, T, T, SIGN, x > 0)
#define UNSIGNED2(X, f, T, top) X(f, T, T, SHIFT_RIGHT, z > (top) ? 0 : x >> (z & (top)))
#define BOOL1(X, f, T) X(f, T, T, NOT, !x) X(f, T, T, COPY, x)
#define BOOL2(X, f, T) \
  X(f, T, T, AND, (x != 0) & (z != 0)) X(f, T, T, OR, (x != 0) | (z != 0)) \
  X(f, T, T, EQ, (x != 0) == (z != 0)) X(f, T, T, NE, (x != 0) != (z != 0))
// From integers and booleans to whatever has so many bits.
#define CASTS(X, f, T, v) \
  X(f, T, float, TO_F32, v) X(f, T, double, TO_F64, v) X(f, T, uint8_t, TO_BOOL, x != 0) \
  X(f, T, uint8_t, TO_B8, v) X(f, T, uint16_t, TO_B16, v) X(f, T, uint32_t, TO_B32, v) \
  X(f, T, uint64_t, TO_B64, v)
// From floats: truncated toward 0, saturated, NaN is 0.
#define REAL_CASTS(X, f, T) \
  X(f, T, uint8_t, TO_BOOL, x != 0) \
  X(f, T, int8_t, TO_I8, (int32_t)f##_within(x, -128, 127)) \
  X(f, T, uint8_t, TO_U8, (int32_t)f##_within(x, 0, 255)) \
  X(f, T, int16_t, TO_I16, (int32_t)f##_within(x, -32768, 32767)) \
  X(f, T, uint16_t, TO_U16, (int32_t)f##_within(x, 0, 65535)) \
  X(f, T, int32_t, TO_I32, f##_to_i32(x)) \
  X(f, T, uint32_t, TO_U32, (int64_t)f64_within((double)x, 0, 4294967295.0)) \
  X(f, T, int64_t, TO_I64, to_i64((double)x)) X(f, T, uint64_t, TO_U64, to_u64((double)x))
// clang-format on

// NaN is not above `low`, which often is 0.
#define WITHIN(T, f)                             \
  WEFT_INLINE T f##_within(T v, T low, T high) { \
    T x = v > low ? v : low;                     \
    x = x < high ? x : high;                     \
    return low == 0 || v == v ? x : 0;           \
  }
WITHIN(float, f32)
WITHIN(double, f64)
// The largest float below 2^31 is 2147483520.
WEFT_INLINE int32_t f32_to_i32(float v) {
  const int32_t i = (int32_t)f32_within(v, -2147483648.0f, 2147483520.0f);
  return v >= 2147483648.0f ? INT32_MAX : i;
}
WEFT_INLINE int32_t f64_to_i32(double v) {
  return (int32_t)f64_within(v, -2147483648.0, 2147483647.0);
}
WEFT_INLINE int64_t to_i64(double v) {
  return v != v                        ? 0
         : v >= 9223372036854775808.0  ? INT64_MAX
         : v <= -9223372036854775808.0 ? INT64_MIN
                                       : (int64_t)v;
}
WEFT_INLINE uint64_t to_u64(double v) {
  return v >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)f64_within(v, 0, 18446744073709549568.0);
}

// Quotients of 8 and 16 bits are exact in float and those of 32 in double (`real`), which vectors divide;
// what is divided by 0 is divided by 1, and the smallest number by -1 wraps (elementwise/divide.rule.h).
#define REMAINDER(T, W, f)                           \
  WEFT_INLINE T f##_remainder(T x, T z) {            \
    return (T)((W)x - (W)f##_quotient(x, z) * (W)z); \
  }
#define UNSIGNED_DIVISION(T, W, f, of_real, real)        \
  WEFT_INLINE T f##_quotient(T x, T z) {                 \
    return (T)(of_real)((real)x / (real)(z | (z == 0))); \
  }                                                      \
  REMAINDER(T, W, f)
#define SIGNED_DIVISION(T, W, f, of_real, real)                         \
  WEFT_INLINE T f##_quotient(T x, T z) {                                \
    const T by = WEFT_DIVISOR(z), q = (T)(of_real)((real)x / (real)by); \
    return z == -1 ? (T)(0 - (W)x) : q;                                 \
  }                                                                     \
  REMAINDER(T, W, f)                                                    \
  WEFT_INLINE T f##_floor_quotient(T x, T z) {                          \
    const T r = f##_remainder(x, z);                                    \
    return (T)((W)f##_quotient(x, z) - WEFT_FLOOR_IS_BELOW(x, z, r));   \
  }                                                                     \
  WEFT_INLINE T f##_floor_remainder(T x, T z) {                         \
    const T r = f##_remainder(x, z);                                    \
    return (T)((W)r + (W)(WEFT_FLOOR_IS_BELOW(x, z, r) ? z : 0));       \
  }
SIGNED_DIVISION(int8_t, uint32_t, i8, int32_t, float)
SIGNED_DIVISION(int16_t, uint32_t, i16, int32_t, float)
SIGNED_DIVISION(int32_t, uint32_t, i32, int32_t, double)
SIGNED_DIVISION(int64_t, uint64_t, i64, int64_t, int64_t)
UNSIGNED_DIVISION(uint8_t, uint32_t, u8, int32_t, float)
UNSIGNED_DIVISION(uint16_t, uint32_t, u16, int32_t, float)
UNSIGNED_DIVISION(uint32_t, uint32_t, u32, uint32_t, uint32_t)
UNSIGNED_DIVISION(uint64_t, uint64_t, u64, uint64_t, uint64_t)

#define FIND_ZERO(T, f)                 \
  static void f##_ANY_ZERO(ARGS) {      \
    const T *a = a_;                    \
    T any = 0;                          \
    (void)t, (void)b_, (void)c_;        \
    WEFT_LOOP(size_t i = 0; i < n; i++) \
      any |= (T)(a[i] == 0);            \
    if (any)                            \
      *(uint8_t *)y_ = 1;               \
  }

#define BY_BITS(T, W, f, top) \
  FIND_ZERO(T, f)             \
  BITS1(LOOP1, f, T, W)       \
  BITS2(LOOP2, f, T, W, top)  \
  TERNARY(uint8_t, T, f##_SELECT, x != 0 ? z : w)
BY_BITS(uint8_t, uint32_t, b8, 7)
BY_BITS(uint16_t, uint32_t, b16, 15)
BY_BITS(uint32_t, uint32_t, b32, 31)
BY_BITS(uint64_t, uint64_t, b64, 63)

#define BY_ORDER(T, f)  \
  ORDER2(LOOP2, f, T)   \
  CASTS(LOOP1, f, T, x) \
  TERNARY(T, T, f##_CLIP, (x > z ? x : z) < w ? (x > z ? x : z) : w)
#define BY_SIGN(T, W, f, top) \
  BY_ORDER(T, f)              \
  SIGNED1(LOOP1, f, T, W)     \
  DIVIDE2(LOOP2, f, T)        \
  FLOOR2(LOOP2, f, T)         \
  SIGNED2(LOOP2, f, T, W, top)
#define WITHOUT_SIGN(T, f, top) \
  BY_ORDER(T, f)                \
  UNSIGNED1(LOOP1, f, T)        \
  DIVIDE2(LOOP2, f, T)          \
  UNSIGNED2(LOOP2, f, T, top)
BY_SIGN(int8_t, uint32_t, i8, 7)
BY_SIGN(int16_t, uint32_t, i16, 15)
BY_SIGN(int32_t, uint32_t, i32, 31)
BY_SIGN(int64_t, uint64_t, i64, 63)
WITHOUT_SIGN(uint8_t, u8, 7)
WITHOUT_SIGN(uint16_t, u16, 15)
WITHOUT_SIGN(uint32_t, u32, 31)
WITHOUT_SIGN(uint64_t, u64, 63)

BOOL1(LOOP1, flag, uint8_t)
BOOL2(LOOP2, flag, uint8_t)
CASTS(LOOP1, flag, uint8_t, x != 0)
REAL_CASTS(LOOP1, f32, float)
REAL_CASTS(LOOP1, f64, double)

// The table's entries.
#define CAST_ENTRIES(f)                                                                          \
  [WEFT__T_TO_F32] = f##_TO_F32, [WEFT__T_TO_F64] = f##_TO_F64, [WEFT__T_TO_BOOL] = f##_TO_BOOL, \
  [WEFT__T_TO_I8] = f##_TO_B8, [WEFT__T_TO_U8] = f##_TO_B8, [WEFT__T_TO_I16] = f##_TO_B16,       \
  [WEFT__T_TO_U16] = f##_TO_B16, [WEFT__T_TO_I32] = f##_TO_B32, [WEFT__T_TO_U32] = f##_TO_B32,   \
  [WEFT__T_TO_I64] = f##_TO_B64, [WEFT__T_TO_U64] = f##_TO_B64,
#define INTEGER_ENTRIES(b, f) \
  BITS1(ENTRY, b, , )         \
  BITS2(ENTRY, b, , , )       \
  ORDER2(ENTRY, f, )          \
  CAST_ENTRIES(f)             \
  DIVIDE2(ENTRY, f, )         \
  [WEFT__T_ANY_ZERO] = b##_ANY_ZERO, [WEFT__T_SELECT] = b##_SELECT, [WEFT__T_CLIP] = f##_CLIP,
#define SIGNED_ENTRIES(b, f) \
  INTEGER_ENTRIES(b, f) SIGNED1(ENTRY, f, , ) SIGNED2(ENTRY, f, , , ) FLOOR2(ENTRY, f, )
#define UNSIGNED_ENTRIES(b, f)                                                             \
  INTEGER_ENTRIES(b, f)                                                                    \
  UNSIGNED1(ENTRY, f, )                                                                    \
  UNSIGNED2(ENTRY, f, , )                                                                  \
  [WEFT__T_FLOOR_DIV] = f##_DIV, [WEFT__T_FLOOR_MOD] = f##_FMOD, [WEFT__T_ABS] = b##_COPY, \
  [WEFT__T_RELU] = b##_COPY,
#define BOOL_ENTRIES BOOL1(ENTRY, flag, ) BOOL2(ENTRY, flag, ) CAST_ENTRIES(flag)[WEFT__T_SELECT] = b8_SELECT,
// SPDX-License-Identifier: Apache-2.0
