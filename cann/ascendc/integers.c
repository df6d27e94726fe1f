// integers.c - loops over integers and doubles. Sums and products wrap; a division by zero gives zero, and
// shifts by the width or more give what shifting one by one would.
#include "loops.h"

#define LOOP_VECTOR(suffix, T, U, name, expression)                                         \
  static void name##_##suffix##_vector(void *dst, const void *a, const void *b, size_t n) { \
    T *out = dst;                                                                           \
    const T *first = a;                                                                     \
    const T *second = b;                                                                    \
    for (size_t i = 0; i < n; i++) {                                                        \
      const T x = first[i];                                                                 \
      const T y = second[i];                                                                \
      const T d = out[i];                                                                   \
      (void)d;                                                                              \
      out[i] = (T)(expression);                                                             \
    }                                                                                       \
  }
#define LOOP_SCALAR(suffix, T, U, name, expression)                                         \
  static void name##_##suffix##_scalar(void *dst, const void *a, const void *b, size_t n) { \
    T *out = dst;                                                                           \
    const T *first = a;                                                                     \
    const T y = *(const T *)b;                                                              \
    for (size_t i = 0; i < n; i++) {                                                        \
      const T x = first[i];                                                                 \
      const T d = out[i];                                                                   \
      (void)d;                                                                              \
      out[i] = (T)(expression);                                                             \
    }                                                                                       \
  }
#define LOOP_EACH(suffix, T, U, name, expression) \
  LOOP_VECTOR(suffix, T, U, name, expression)     \
  LOOP_SCALAR(suffix, T, U, name, expression)
#define LOOP_ONE(suffix, T, U, name, expression)                                            \
  static void name##_##suffix##_vector(void *dst, const void *a, const void *b, size_t n) { \
    T *out = dst;                                                                           \
    const T *first = a;                                                                     \
    (void)b;                                                                                \
    for (size_t i = 0; i < n; i++) {                                                        \
      const T x = first[i];                                                                 \
      out[i] = (T)(expression);                                                             \
    }                                                                                       \
  }

#define WIDTH(T)     (8 * sizeof(T))
#define IS_SIGNED(T) ((T)-1 < (T)1)
// Without a comparison that is always false for types without a sign.
static inline int below_zero(int64_t x) {
  return x < 0;
}
#define NEGATIVE(T)      (IS_SIGNED(T) && below_zero((int64_t)x))
#define POSITIVE(T, sum) ((T)(sum) != 0 && !(IS_SIGNED(T) && below_zero((int64_t)(T)(sum))))
#define SHIFTED_OUT(T)   (NEGATIVE(T) ? (T)-1 : (T)0)
// The bit that went out last is added: to the nearest, halves up.
#define SHIFTED_ROUND(T, U)                                                \
  (y == 0                    ? (U)x                                        \
   : (uint64_t)y > WIDTH(T)  ? (U)0                                        \
   : (uint64_t)y == WIDTH(T) ? (U)SHIFTED_OUT(T) + ((U)(x >> (y - 1)) & 1) \
                             : (U)(x >> y) + ((U)(x >> (y - 1)) & 1))

// The functions of one dtype. U: as wide, without a sign, and at least an int, so that it wraps.
#define INTEGERS(suffix, T, U)                                                                             \
  LOOP_EACH(suffix, T, U, add, (U)x + (U)y)                                                                \
  LOOP_EACH(suffix, T, U, sub, (U)x - (U)y)                                                                \
  LOOP_EACH(suffix, T, U, mul, (U)x *(U)y)                                                                 \
  LOOP_EACH(suffix, T, U, divide, y == 0 ? (T)0 : IS_SIGNED(T) && y == (T)-1 ? (T)(0 - (U)x) : (T)(x / y)) \
  LOOP_EACH(suffix, T, U, modulo, y == 0 || (IS_SIGNED(T) && y == (T)-1) ? (T)0 : (T)(x % y))              \
  LOOP_EACH(suffix, T, U, max, x > y ? x : y)                                                              \
  LOOP_EACH(suffix, T, U, min, x < y ? x : y)                                                              \
  LOOP_EACH(suffix, T, U, and, x &y)                                                                       \
  LOOP_EACH(suffix, T, U, or, x | y)                                                                       \
  LOOP_EACH(suffix, T, U, xor, x ^ y)                                                                      \
  LOOP_VECTOR(suffix, T, U, add_relu, POSITIVE(T, (U)x + (U)y) ? (U)x + (U)y : (U)0)                       \
  LOOP_VECTOR(suffix, T, U, sub_relu, POSITIVE(T, (U)x - (U)y) ? (U)x - (U)y : (U)0)                       \
  LOOP_VECTOR(suffix, T, U, mul_add, (U)d + (U)x * (U)y)                                                   \
  LOOP_VECTOR(suffix, T, U, fused_mul_add, (U)x *(U)d + (U)y)                                              \
  LOOP_VECTOR(suffix, T, U, abs_sub, x > y ? (U)x - (U)y : (U)y - (U)x)                                    \
  LOOP_EACH(suffix, T, U, shift_left, (uint64_t)y >= WIDTH(T) ? (U)0 : (U)x << y)                          \
  LOOP_EACH(suffix, T, U, shift_right, (uint64_t)y >= WIDTH(T) ? SHIFTED_OUT(T) : (T)(x >> y))             \
  LOOP_SCALAR(suffix, T, U, shift_right_round, SHIFTED_ROUND(T, U))                                        \
  LOOP_SCALAR(suffix, T, U, axpy, (U)d + (U)x * (U)y)                                                      \
  LOOP_SCALAR(suffix, T, U, leaky_relu, NEGATIVE(T) ? (U)x *(U)y : (U)x)                                   \
  LOOP_SCALAR(suffix, T, U, duplicate, ((void)x, y))                                                       \
  LOOP_ONE(suffix, T, U, copy, x)                                                                          \
  LOOP_ONE(suffix, T, U, absolute, NEGATIVE(T) ? 0 - (U)x : (U)x)                                          \
  LOOP_ONE(suffix, T, U, relu, NEGATIVE(T) ? (T)0 : x)                                                     \
  LOOP_ONE(suffix, T, U, not, ~x)                                                                          \
  LOOP_ONE(suffix, T, U, negate, 0 - (U)x)                                                                 \
  LOOP_ONE(suffix, T, U, sign, NEGATIVE(T) ? -1 : x != 0)                                                  \
  static const asc_loop vector_##suffix[WEFT_ASC_VECTOR_OP_COUNT] = {                                      \
      [WEFT_ASC_ADD] = add_##suffix##_vector,                                                              \
      [WEFT_ASC_SUB] = sub_##suffix##_vector,                                                              \
      [WEFT_ASC_MUL] = mul_##suffix##_vector,                                                              \
      [WEFT_ASC_DIV] = divide_##suffix##_vector,                                                           \
      [WEFT_ASC_MOD] = modulo_##suffix##_vector,                                                           \
      [WEFT_ASC_MAX] = max_##suffix##_vector,                                                              \
      [WEFT_ASC_MIN] = min_##suffix##_vector,                                                              \
      [WEFT_ASC_AND] = and_##suffix##_vector,                                                              \
      [WEFT_ASC_OR] = or_##suffix##_vector,                                                                \
      [WEFT_ASC_XOR] = xor_##suffix##_vector,                                                              \
      [WEFT_ASC_ADD_RELU] = add_relu_##suffix##_vector,                                                    \
      [WEFT_ASC_SUB_RELU] = sub_relu_##suffix##_vector,                                                    \
      [WEFT_ASC_MUL_ADD] = mul_add_##suffix##_vector,                                                      \
      [WEFT_ASC_FUSED_MUL_ADD] = fused_mul_add_##suffix##_vector,                                          \
      [WEFT_ASC_ABS_SUB] = abs_sub_##suffix##_vector,                                                      \
      [WEFT_ASC_SHIFT_LEFT] = shift_left_##suffix##_vector,                                                \
      [WEFT_ASC_SHIFT_RIGHT] = shift_right_##suffix##_vector,                                              \
      [WEFT_ASC_COPY] = copy_##suffix##_vector,                                                            \
      [WEFT_ASC_ABS] = absolute_##suffix##_vector,                                                         \
      [WEFT_ASC_RELU] = relu_##suffix##_vector,                                                            \
      [WEFT_ASC_NOT] = not_##suffix##_vector,                                                              \
      [WEFT_ASC_NEG] = negate_##suffix##_vector,                                                           \
      [WEFT_ASC_SIGN] = sign_##suffix##_vector,                                                            \
  };                                                                                                       \
  static const asc_loop scalar_##suffix[WEFT_ASC_VECTOR_OP_COUNT] = {                                      \
      [WEFT_ASC_ADD] = add_##suffix##_scalar,                                                              \
      [WEFT_ASC_SUB] = sub_##suffix##_scalar,                                                              \
      [WEFT_ASC_MUL] = mul_##suffix##_scalar,                                                              \
      [WEFT_ASC_DIV] = divide_##suffix##_scalar,                                                           \
      [WEFT_ASC_MOD] = modulo_##suffix##_scalar,                                                           \
      [WEFT_ASC_MAX] = max_##suffix##_scalar,                                                              \
      [WEFT_ASC_MIN] = min_##suffix##_scalar,                                                              \
      [WEFT_ASC_AND] = and_##suffix##_scalar,                                                              \
      [WEFT_ASC_OR] = or_##suffix##_scalar,                                                                \
      [WEFT_ASC_XOR] = xor_##suffix##_scalar,                                                              \
      [WEFT_ASC_SHIFT_LEFT] = shift_left_##suffix##_scalar,                                                \
      [WEFT_ASC_SHIFT_RIGHT] = shift_right_##suffix##_scalar,                                              \
      [WEFT_ASC_SHIFT_RIGHT_ROUND] = shift_right_round_##suffix##_scalar,                                  \
      [WEFT_ASC_AXPY] = axpy_##suffix##_scalar,                                                            \
      [WEFT_ASC_LEAKY_RELU] = leaky_relu_##suffix##_scalar,                                                \
      [WEFT_ASC_DUPLICATE] = duplicate_##suffix##_scalar,                                                  \
  };

INTEGERS(i8, int8_t, uint32_t)
INTEGERS(u8, uint8_t, uint32_t)
INTEGERS(i16, int16_t, uint32_t)
INTEGERS(u16, uint16_t, uint32_t)
INTEGERS(i32, int32_t, uint32_t)
INTEGERS(u32, uint32_t, uint32_t)
INTEGERS(i64, int64_t, uint64_t)
INTEGERS(u64, uint64_t, uint64_t)

asc_loop asc_integer_loop(weft_asc_vector_op op, weft_asc_dtype dtype, bool scalar) {
  static const asc_loop *const vector[WEFT_ASC_DTYPES] = {
      [WEFT_ASC_I8] = vector_i8,   [WEFT_ASC_U8] = vector_u8,   [WEFT_ASC_I16] = vector_i16,
      [WEFT_ASC_U16] = vector_u16, [WEFT_ASC_I32] = vector_i32, [WEFT_ASC_U32] = vector_u32,
      [WEFT_ASC_I64] = vector_i64, [WEFT_ASC_U64] = vector_u64,
  };
  static const asc_loop *const scalars[WEFT_ASC_DTYPES] = {
      [WEFT_ASC_I8] = scalar_i8,   [WEFT_ASC_U8] = scalar_u8,   [WEFT_ASC_I16] = scalar_i16,
      [WEFT_ASC_U16] = scalar_u16, [WEFT_ASC_I32] = scalar_i32, [WEFT_ASC_U32] = scalar_u32,
      [WEFT_ASC_I64] = scalar_i64, [WEFT_ASC_U64] = scalar_u64,
  };
  const asc_loop *const *table = scalar ? scalars : vector;
  return table[dtype] ? table[dtype][op] : NULL;
}
// SPDX-License-Identifier: Apache-2.0
