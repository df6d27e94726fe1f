// convert.c - one element type into another by AscendC::RoundMode. Integers saturate, and NaN becomes 0.
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "loops.h"

enum { ROUND_NONE, ROUND_RINT, ROUND_FLOOR, ROUND_CEIL, ROUND_AWAY, ROUND_TRUNC, ROUND_ODD };
enum { PIECE = 256 };

double asc_element(const void *src, weft_asc_dtype t) {
  union {
    float f;
    uint16_t h;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    double d;
  } x;
  memcpy(&x, src, asc_dtype_bytes(t));
  switch (t) {
    case WEFT_ASC_F32:
      return (double)x.f;
    case WEFT_ASC_F16:
      asc_float_loops_plain.of_half(&x.f, &x.h, 1);
      return (double)x.f;
    case WEFT_ASC_BF16:
      asc_float_loops_plain.of_bf16(&x.f, &x.h, 1);
      return (double)x.f;
    case WEFT_ASC_I8:
      return x.i8;
    case WEFT_ASC_U8:
      return x.u8;
    case WEFT_ASC_I16:
      return x.i16;
    case WEFT_ASC_U16:
      return x.u16;
    case WEFT_ASC_I32:
      return x.i32;
    case WEFT_ASC_U32:
      return x.u32;
    case WEFT_ASC_I64:
      return (double)x.i64;
    case WEFT_ASC_U64:
      return (double)x.u64;
    case WEFT_ASC_F64:
      return x.d;
    case WEFT_ASC_DTYPES:
      break;
  }
  return 0;
}

// To a whole number.
static double whole(double x, int round) {
  switch (round) {
    case ROUND_FLOOR:
      return floor(x);
    case ROUND_CEIL:
      return ceil(x);
    case ROUND_AWAY:
      return x < 0 ? -floor(0.5 - x) : floor(x + 0.5);
    case ROUND_TRUNC:
      return trunc(x);
    default:
      return rint(x);
  }
}

static int64_t limited(double x, double low, double high) {
  if (isnan(x))
    return 0;
  return (int64_t)(x < low ? low : x > high ? high : x);
}

static void store_integer(void *dst, weft_asc_dtype to, double x) {
  switch (to) {
    case WEFT_ASC_I8:
      *(int8_t *)dst = (int8_t)limited(x, INT8_MIN, INT8_MAX);
      break;
    case WEFT_ASC_U8:
      *(uint8_t *)dst = (uint8_t)limited(x, 0, UINT8_MAX);
      break;
    case WEFT_ASC_I16:
      *(int16_t *)dst = (int16_t)limited(x, INT16_MIN, INT16_MAX);
      break;
    case WEFT_ASC_U16:
      *(uint16_t *)dst = (uint16_t)limited(x, 0, UINT16_MAX);
      break;
    case WEFT_ASC_I32:
      *(int32_t *)dst = (int32_t)limited(x, INT32_MIN, INT32_MAX);
      break;
    case WEFT_ASC_U32:
      *(uint32_t *)dst = (uint32_t)limited(x, 0, UINT32_MAX);
      break;
    case WEFT_ASC_I64:
      *(int64_t *)dst = x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : isnan(x) ? 0 : (int64_t)x;
      break;
    case WEFT_ASC_U64:
      *(uint64_t *)dst = x >= 0x1p64 ? UINT64_MAX : x > 0 ? (uint64_t)x : 0;
      break;
    default:
      break;
  }
}

// ---- into a 16-bit float, other than to the nearest ----

typedef struct narrow_float {
  int digits;    // of the fraction, with the leading one
  int smallest;  // exponent of the smallest normal number
  double largest;
} narrow_float;

static double narrow_to_odd(double down, double scaled, double unit) {
  const bool exact = down == scaled;
  return exact || fmod(down, 2) != 0 ? down * unit : (scaled > down ? down + 1 : down - 1) * unit;
}

// x rounded to what the format holds, as a double.
static double narrowed(double x, const narrow_float *f, int round) {
  if (isnan(x) || isinf(x) || x == 0)
    return x;
  int exponent;
  frexp(x, &exponent);
  const int unit_exponent = WEFT_MAX(exponent - f->digits, f->smallest - f->digits + 1);
  const double unit = ldexp(1, unit_exponent);
  const double scaled = x / unit;
  const double y =
      round == ROUND_ODD ? narrow_to_odd(trunc(scaled), scaled, unit) : whole(scaled, round) * unit;
  if (fabs(y) <= f->largest)
    return y;
  const bool stays = round == ROUND_TRUNC || round == ROUND_ODD || (round == ROUND_FLOOR && y > 0) ||
                     (round == ROUND_CEIL && y < 0);
  return copysign(stays ? f->largest : (double)INFINITY, y);
}

static float narrowed_float(double x, weft_asc_dtype to, int round) {
  static const narrow_float half = {11, -14, 65504};
  static const narrow_float bf16 = {8, -126, 0x1.FEp127};
  return (float)narrowed(x, to == WEFT_ASC_F16 ? &half : &bf16, round);
}

static void store(void *dst, weft_asc_dtype to, double x, int round) {
  float f = (float)x;
  switch (to) {
    case WEFT_ASC_F32:
      memcpy(dst, &f, sizeof f);
      break;
    case WEFT_ASC_F64:
      memcpy(dst, &x, sizeof x);
      break;
    case WEFT_ASC_F16:
      f = narrowed_float(x, to, round);
      asc_float_loops_plain.to_half(dst, &f, 1);
      break;
    case WEFT_ASC_BF16:
      f = narrowed_float(x, to, round);
      asc_float_loops_plain.to_bf16(dst, &f, 1);
      break;
    default:
      store_integer(dst, to, x);
      break;
  }
}

static bool is_float(weft_asc_dtype t) {
  return t <= WEFT_ASC_BF16 || t == WEFT_ASC_F64;
}

// Integers into integers: no double holds all of 64 bits.
static void convert_integer(void *dst, weft_asc_dtype to, const void *src, weft_asc_dtype from) {
  if (asc_dtype_bytes(from) == 8 && asc_dtype_bytes(to) == 8) {
    memcpy(dst, src, 8);
    return;
  }
  store_integer(dst, to, asc_element(src, from));
}

static bool convert_nearest(int round) {
  return round == ROUND_NONE || round == ROUND_RINT;
}

// The pairs that kernels use most, by vectors. False: not one of them.
static bool convert_fast(void *dst, weft_asc_dtype to, const void *src, weft_asc_dtype from, int round,
                         size_t n) {
  const asc_float_loops *loops = asc_floats();
  if (to == from && to <= WEFT_ASC_BF16)
    memmove(dst, src, n * asc_dtype_bytes(to));
  else if (to == WEFT_ASC_F32 && from == WEFT_ASC_F16)
    loops->of_half(dst, src, n);
  else if (to == WEFT_ASC_F32 && from == WEFT_ASC_BF16)
    loops->of_bf16(dst, src, n);
  else if (to == WEFT_ASC_F16 && from == WEFT_ASC_F32 && convert_nearest(round))
    loops->to_half(dst, src, n);
  else if (to == WEFT_ASC_BF16 && from == WEFT_ASC_F32 && convert_nearest(round))
    loops->to_bf16(dst, src, n);
  else if (to == WEFT_ASC_F32 && from == WEFT_ASC_I32) {
    const int32_t *in = src;
    float *out = dst;
    for (size_t i = 0; i < n; i++)
      out[i] = (float)in[i];
  } else
    return false;
  return true;
}

void asc_convert(void *dst, weft_asc_dtype to, const void *src, weft_asc_dtype from, int round, size_t n) {
  if (convert_fast(dst, to, src, from, round, n))
    return;
  const size_t wide = asc_dtype_bytes(to);
  const size_t narrow = asc_dtype_bytes(from);
  uint8_t piece[PIECE * 8];
  // A wider result in place of its source would run over elements that are still to be read.
  for (size_t done = 0; done < n; done += PIECE) {
    const size_t part = WEFT_MIN(n - done, (size_t)PIECE);
    memcpy(piece, (const uint8_t *)src + done * narrow, part * narrow);
    for (size_t i = 0; i < part; i++) {
      uint8_t *out = (uint8_t *)dst + (done + i) * wide;
      const uint8_t *in = piece + i * narrow;
      if (!is_float(from) && !is_float(to))
        convert_integer(out, to, in, from);
      else if (is_float(to))
        store(out, to, asc_element(in, from), round);
      else
        store_integer(out, to, whole(asc_element(in, from), round == ROUND_NONE ? ROUND_RINT : round));
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
