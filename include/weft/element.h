// weft/element.h - elements of tensors, inline: for kernels and packages, which link against nothing. The
// library's weft_load_f64, weft_store_f64, ... (weft/dtype.h) are these functions.
// Integer arithmetic only, so that rounding modes and denormal flags of the CPU do not matter. With a dtype
// that the compiler knows, what is left is the code for that dtype. Pure; data may lie at any address.
#pragma once
#include <string.h>

#include "weft/dtype.h"
#ifdef __cplusplus
extern "C" {
#endif

// ---- f16 and bf16: codes of 16 bits. NaN stays NaN and comes out quiet ----
static inline float weft_f32_of_bits(uint32_t u) {
  float v;
  memcpy(&v, &u, sizeof v);
  return v;
}
static inline uint32_t weft_f32_bits(float v) {  // the IEEE code of v
  uint32_t u;
  memcpy(&u, &v, sizeof u);
  return u;
}
static inline double weft_f64_of_bits(uint64_t u) {  // the number that an IEEE code stands for
  double v;
  memcpy(&v, &u, sizeof v);
  return v;
}
static inline uint64_t weft_f64_bits(double v) {  // the IEEE code of v
  uint64_t u;
  memcpy(&u, &v, sizeof u);
  return u;
}
static inline float weft_f16_value(uint16_t code) {  // the float that an f16 code stands for, exactly
  uint32_t sign = (uint32_t)(code & 0x8000) << 16, m = code & 0x7FFF;
  if (m >= 0x7C00)
    return weft_f32_of_bits(sign | 0x7F800000 | (m > 0x7C00 ? 0x400000u : 0u) | (m & 0x3FF) << 13);
  if (m >= 0x0400) return weft_f32_of_bits(sign | ((m << 13) + ((127u - 15u) << 23)));
  float v = (float)m * 5.9604644775390625e-8f;  // 2^-24: subnormals are whole numbers of it
  return sign ? -v : v;
}
static inline uint16_t weft_f16_code(float v) {  // rounds to nearest, ties to even; overflow gives infinity
  uint32_t u = weft_f32_bits(v), sign = u >> 16 & 0x8000, m = u & 0x7FFFFFFF;
  if (m >= 0x38800000) {    // 2^-14: normal, or too large
    if (m >= 0x477FF000) {  // 65520, half way past 65504
      if (m <= 0x7F800000) return (uint16_t)(sign | 0x7C00);
      return (uint16_t)(sign | 0x7E00 | (m >> 13 & 0x3FF));
    }
    m -= (127u - 15u) << 23;
    return (uint16_t)(sign | (m + 0xFFF + (m >> 13 & 1)) >> 13);
  }
  if (m <= 0x33000000) return (uint16_t)sign;  // up to 2^-25, half the smallest subnormal
  uint32_t shift = 126 - (m >> 23);            // 14..24
  uint32_t significand = (m & 0x7FFFFF) | 0x800000, code = significand >> shift;
  uint32_t rest = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
  code += rest > half || (rest == half && (code & 1)) ? 1u : 0u;
  return (uint16_t)(sign | code);
}
static inline float weft_bf16_value(uint16_t code) {  // the float that a bf16 code stands for, exactly
  uint32_t u = (uint32_t)code << 16;
  if ((u & 0x7FFFFFFF) > 0x7F800000) u |= 0x400000;
  return weft_f32_of_bits(u);
}
static inline uint16_t weft_bf16_code(float v) {  // rounds to nearest, ties to even; NaN stays NaN
  uint32_t u = weft_f32_bits(v);
  if ((u & 0x7FFFFFFF) > 0x7F800000) return (uint16_t)(u >> 16 | 0x40);
  return (uint16_t)((u + 0x7FFF + (u >> 16 & 1)) >> 16);
}

// ---- any float of 4 to 16 bits ----
// A code without its sign bit counts the non-negative values in order: rounding that carries out of the
// mantissa lands on the next exponent, and one past the largest finite code is infinity (IEEE types) or NaN
// (the FN types).
//
// Overflow: IEEE types go to infinity and types without infinity to NaN, with `saturate` both to the largest
// finite value, infinities included (ONNX Cast). Types without NaN (float6, float4) always saturate, and NaN
// becomes the largest value (ONNX float4). E8M0 has no sign: the magnitude is encoded, half way goes to the
// larger power (OCP MX, ONNX), and zero becomes 2^-127. NaN keeps its sign and as much of its payload as
// fits.
enum {
  WEFT_FLOAT_NONE,
  WEFT_FLOAT_IEEE,    // infinities and NaNs above the largest code
  WEFT_FLOAT_FN,      // one NaN (with either sign) above the largest code, no infinity
  WEFT_FLOAT_FNUZ,    // the code of -0 is the only NaN; no infinity, no negative zero
  WEFT_FLOAT_FINITE,  // every code is a number
  WEFT_FLOAT_E8M0,    // a power of two; 255 is NaN
};
typedef struct weft_float_format {
  uint8_t kind, bits, mantissa, bias;  // bits: sign included
  uint16_t max;                        // the largest finite code, without sign
} weft_float_format;
#define WEFT_FLOAT_FORMAT(dtype, kind, bits, mantissa, bias, max)               \
  case WEFT_##dtype: {                                                          \
    const weft_float_format f = {WEFT_FLOAT_##kind, bits, mantissa, bias, max}; \
    return f;                                                                   \
  }
// kind WEFT_FLOAT_NONE: it is not one of these
static inline weft_float_format weft_float_format_of(weft_dtype t) {
  switch (t) {
    WEFT_FLOAT_FORMAT(FLOAT16, IEEE, 16, 10, 15, 0x7BFF)
    WEFT_FLOAT_FORMAT(BF16, IEEE, 16, 7, 127, 0x7F7F)
    WEFT_FLOAT_FORMAT(FLOAT8_E5M2, IEEE, 8, 2, 15, 0x7B)
    WEFT_FLOAT_FORMAT(FLOAT8_E4M3FN, FN, 8, 3, 7, 0x7E)
    WEFT_FLOAT_FORMAT(FLOAT8_E5M2FNUZ, FNUZ, 8, 2, 16, 0x7F)
    WEFT_FLOAT_FORMAT(FLOAT8_E4M3FNUZ, FNUZ, 8, 3, 8, 0x7F)
    WEFT_FLOAT_FORMAT(FLOAT8_E8M0, E8M0, 8, 0, 127, 0xFE)
    WEFT_FLOAT_FORMAT(FLOAT6_E3M2, FINITE, 6, 2, 3, 0x1F)
    WEFT_FLOAT_FORMAT(FLOAT6_E2M3, FINITE, 6, 3, 1, 0x1F)
    WEFT_FLOAT_FORMAT(FLOAT4_E2M1, FINITE, 4, 1, 1, 0x7)
    WEFT_FLOAT_FORMAT(FLOAT4_E1M2, FINITE, 4, 2, 1, 0x7)
    WEFT_FLOAT_FORMAT(UNDEFINED, NONE, 0, 0, 0, 0)
    default:
      return weft_float_format_of(WEFT_UNDEFINED);
  }
}
#undef WEFT_FLOAT_FORMAT

// The code nearest to a finite magnitude (bits of a double), ties to even; may pass f.max by any amount.
static inline uint32_t weft_float_nearest(weft_float_format f, uint64_t magnitude) {
  const uint64_t mask = (UINT64_C(1) << 52) - 1;
  int exponent = (int)(magnitude >> 52) - 1023;
  int lowest = 1 - f.bias;                           // exponent of the smallest normal number
  if (exponent < lowest - f.mantissa - 1) return 0;  // below half the smallest subnormal; f64 subnormals too
  if (exponent > 128) return UINT16_MAX;             // beyond every format here
  uint64_t significand = (magnitude & mask) | (mask + 1);
  int base = exponent > lowest ? exponent : lowest;
  int shift = 52 - f.mantissa + (base - exponent);  // 42..53
  uint64_t code = significand >> shift;
  uint64_t rest = significand & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
  if (rest > half || (rest == half && (code & 1))) code++;
  return (uint32_t)code + ((uint32_t)(base - lowest) << f.mantissa);  // the hidden bit counts as one exponent
}
// of the bits of a positive double; half up
static inline uint32_t weft_float_e8m0_code(uint64_t magnitude, bool saturate) {
  if (magnitude > UINT64_C(0x7FF0000000000000)) return 0xFF;
  int exponent = (int)(magnitude >> 52) - 1023;
  if (magnitude >> 51 & 1) exponent++;  // 1.5 or more; between 2^-127 and 2^-126, too
  if (exponent > 127) return saturate ? 0xFE : 0xFF;
  return exponent < -127 ? 0 : (uint32_t)(exponent + 127);
}
// the code of a NaN that has the bits u in double; the largest number where the format has no NaN
static inline uint32_t weft_float_nan_code(weft_float_format f, uint32_t sign, uint64_t u) {
  const uint64_t mask = (UINT64_C(1) << 52) - 1;
  if (f.kind == WEFT_FLOAT_FN) return sign | (f.max + 1u);
  if (f.kind == WEFT_FLOAT_FNUZ) return 1u << (f.bits - 1);
  if (f.kind != WEFT_FLOAT_IEEE) return f.max;
  return sign | (f.max + 1u) | 1u << (f.mantissa - 1) | (uint32_t)((u & mask) >> (52 - f.mantissa));
}
// Rounds to nearest, ties to even. 0 for a format that is none.
static inline uint32_t weft_float_code(weft_float_format f, double v, bool saturate) {
  const uint64_t infinity = UINT64_C(0x7FF0000000000000);
  uint64_t u = weft_f64_bits(v), magnitude = u & ~(UINT64_C(1) << 63);
  if (f.kind == WEFT_FLOAT_NONE) return 0;
  if (f.kind == WEFT_FLOAT_E8M0) return weft_float_e8m0_code(magnitude, saturate);
  uint32_t sign = (uint32_t)(u >> 63) << (f.bits - 1);
  if (magnitude > infinity) return weft_float_nan_code(f, sign, u);
  uint32_t code = magnitude == infinity ? UINT16_MAX : weft_float_nearest(f, magnitude);
  if (code > f.max) {
    if (saturate || f.kind == WEFT_FLOAT_FINITE) return sign | f.max;
    return f.kind == WEFT_FLOAT_FNUZ ? 1u << (f.bits - 1) : sign | (f.max + 1u);
  }
  return code || f.kind != WEFT_FLOAT_FNUZ ? sign | code : 0;
}
// Exact. 0 for a format that is none.
static inline double weft_float_value(weft_float_format f, uint32_t bits) {
  const uint64_t quiet = UINT64_C(0x7FF8000000000000), infinity = UINT64_C(0x7FF0000000000000);
  if (f.kind == WEFT_FLOAT_NONE) return 0;
  if (f.kind == WEFT_FLOAT_E8M0)
    return weft_f64_of_bits((bits & 0xFF) == 0xFF ? quiet : (uint64_t)(1023 - 127 + (bits & 0xFF)) << 52);
  uint32_t top = 1u << (f.bits - 1), code = bits & (top - 1);
  uint32_t mantissa = code & ((1u << f.mantissa) - 1), exponent = code >> f.mantissa;
  uint64_t sign = bits & top ? UINT64_C(1) << 63 : 0, fraction = (uint64_t)mantissa << (52 - f.mantissa);
  if (f.kind == WEFT_FLOAT_FNUZ && sign && !code) return weft_f64_of_bits(quiet);
  if (code > f.max)
    return weft_f64_of_bits(sign | (f.kind == WEFT_FLOAT_IEEE && !mantissa ? infinity : quiet | fraction));
  if (exponent) return weft_f64_of_bits(sign | (uint64_t)(1023 - f.bias + (int)exponent) << 52 | fraction);
  // zero and subnormals
  double v = (double)mantissa * weft_f64_of_bits((uint64_t)(1024 - f.bias - f.mantissa) << 52);
  return sign ? -v : v;
}
static inline uint16_t weft_f16_code_f64(double v) {  // one rounding, not two
  return (uint16_t)weft_float_code(weft_float_format_of(WEFT_FLOAT16), v, false);
}
static inline uint16_t weft_bf16_code_f64(double v) {  // one rounding, not two
  return (uint16_t)weft_float_code(weft_float_format_of(WEFT_BF16), v, false);
}

// ---- raw bits of one element ----
// Types below a byte are packed low bits first over the whole buffer, so a 6-bit element may straddle two
// bytes; no byte outside the element's own is touched.
static inline uint32_t weft_elem_bits(weft_dtype t) {  // weft_dtype_bits, inline; 0: no size
  switch (t) {
#define WEFT_X(name, number, bits, serial, text) \
  case number:                                   \
    return bits;
    WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
    default:
      return 0;
  }
}
static inline uint64_t weft_elem_get_bits(uint32_t bits, const void *data, size_t i) {  // bits: 1 to 64
  uint8_t b = 0;
  uint16_t h = 0;
  uint32_t w = 0;
  uint64_t u = 0;
  if (bits == 8) return memcpy(&b, (const char *)data + i, 1), b;
  if (bits == 16) return memcpy(&h, (const char *)data + i * 2, 2), h;
  if (bits == 32) return memcpy(&w, (const char *)data + i * 4, 4), w;
  if (bits == 64) return memcpy(&u, (const char *)data + i * 8, 8), u;
  // per eight elements, so that the product cannot overflow
  const uint8_t *p = (const uint8_t *)data + i / 8 * bits;
  uint32_t at = (uint32_t)(i % 8) * bits, shift = at % 8;
  w = p[at / 8];
  if (shift + bits > 8) w |= (uint32_t)p[at / 8 + 1] << 8;
  return w >> shift & ((1u << bits) - 1);
}
// the low `bits` of v
static inline void weft_elem_put_bits(uint32_t bits, void *data, size_t i, uint64_t v) {
  uint8_t b = (uint8_t)v;
  uint16_t h = (uint16_t)v;
  uint32_t w = (uint32_t)v;
  if (bits == 8) {
    memcpy((char *)data + i, &b, 1);
  } else if (bits == 16) {
    memcpy((char *)data + i * 2, &h, 2);
  } else if (bits == 32) {
    memcpy((char *)data + i * 4, &w, 4);
  } else if (bits == 64) {
    memcpy((char *)data + i * 8, &v, 8);
  } else {
    uint8_t *p = (uint8_t *)data + i / 8 * bits;
    uint32_t at = (uint32_t)(i % 8) * bits, shift = at % 8, mask = ((1u << bits) - 1) << shift;
    p += at / 8, w = w << shift & mask;
    p[0] = (uint8_t)((p[0] & ~mask) | w);
    if (shift + bits > 8) p[1] = (uint8_t)((p[1] & ~(mask >> 8)) | w >> 8);
  }
}

// ---- elements as numbers ----
// The caller keeps `i` inside the buffer. Quantised types are read as their integers; types without the asked
// view give 0 and are not written.
#define WEFT_ELEM_SIGNED                                                                              \
  (WEFT_DT(INT8) | WEFT_DT(INT16) | WEFT_DT(INT32) | WEFT_DT(INT64) | WEFT_DT(INT4) | WEFT_DT(INT2) | \
   WEFT_DT(QINT8) | WEFT_DT(QINT16) | WEFT_DT(QINT32) | WEFT_DT(DUAL_SUB_INT8))
#define WEFT_ELEM_UNSIGNED                                                                                  \
  (WEFT_DT(UINT8) | WEFT_DT(UINT16) | WEFT_DT(UINT32) | WEFT_DT(UINT64) | WEFT_DT(UINT4) | WEFT_DT(UINT2) | \
   WEFT_DT(UINT1) | WEFT_DT(QUINT8) | WEFT_DT(QUINT16) | WEFT_DT(DUAL_SUB_UINT8) | WEFT_DT(BOOL))
// is t one of s?
static inline bool weft_elem_in(weft_dtype t, weft_dtype_set s) { return t < 64 && (s >> t & 1); }
// An integer extended to 64 bits by its own sign; bool is 0 or 1. 0 for other dtypes.
static inline uint64_t weft_elem_integer(weft_dtype t, const void *data, size_t i) {
  switch (t) {
    case WEFT_INT8:
    case WEFT_QINT8:
    case WEFT_DUAL_SUB_INT8:
      return (uint64_t)(int64_t)(int8_t)weft_elem_get_bits(8, data, i);
    case WEFT_INT16:
    case WEFT_QINT16:
      return (uint64_t)(int64_t)(int16_t)weft_elem_get_bits(16, data, i);
    case WEFT_INT32:
    case WEFT_QINT32:
      return (uint64_t)(int64_t)(int32_t)weft_elem_get_bits(32, data, i);
    case WEFT_INT64:
    case WEFT_UINT64:
      return weft_elem_get_bits(64, data, i);
    case WEFT_UINT32:
      return weft_elem_get_bits(32, data, i);
    case WEFT_UINT16:
    case WEFT_QUINT16:
      return weft_elem_get_bits(16, data, i);
    case WEFT_UINT8:
    case WEFT_QUINT8:
    case WEFT_DUAL_SUB_UINT8:
      return weft_elem_get_bits(8, data, i);
    case WEFT_BOOL:
      return weft_elem_get_bits(8, data, i) != 0;
    case WEFT_INT4:
      return (weft_elem_get_bits(4, data, i) ^ 8) - 8;
    case WEFT_UINT4:
      return weft_elem_get_bits(4, data, i);
    case WEFT_INT2:
      return (weft_elem_get_bits(2, data, i) ^ 2) - 2;
    case WEFT_UINT2:
      return weft_elem_get_bits(2, data, i);
    case WEFT_UINT1:
      return weft_elem_get_bits(1, data, i);
    default:
      return 0;
  }
}
static inline void weft_elem_put_integer(weft_dtype t, void *data, size_t i, uint64_t v) {  // wraps
  uint32_t bits = weft_elem_in(t, WEFT_ELEM_SIGNED | WEFT_ELEM_UNSIGNED) ? weft_elem_bits(t) : 0;
  if (bits) weft_elem_put_bits(bits, data, i, t == WEFT_BOOL ? v != 0 : v);
}
static inline int64_t weft_f64_to_i64(double v) {  // truncates and saturates, NaN to 0
  if (v != v) return 0;
  if (v >= 9223372036854775808.0) return INT64_MAX;
  return v < -9223372036854775808.0 ? INT64_MIN : (int64_t)v;
}
static inline uint64_t weft_f64_to_u64(double v) {  // the same without sign: below 0 gives 0
  if (!(v > 0)) return 0;  // NaN as well
  return v >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)v;
}
static inline double weft_elem_float(weft_dtype t, const void *data, size_t i) {  // of a floating-point type
  if (t == WEFT_FLOAT) return (double)weft_f32_of_bits((uint32_t)weft_elem_get_bits(32, data, i));
  if (t == WEFT_DOUBLE) return weft_f64_of_bits(weft_elem_get_bits(64, data, i));
  if (t == WEFT_FLOAT16) return (double)weft_f16_value((uint16_t)weft_elem_get_bits(16, data, i));
  if (t == WEFT_BF16) return (double)weft_bf16_value((uint16_t)weft_elem_get_bits(16, data, i));
  weft_float_format f = weft_float_format_of(t);
  return f.kind ? weft_float_value(f, (uint32_t)weft_elem_get_bits(f.bits, data, i)) : 0;
}
// Rounds once; what is too large becomes infinity or NaN.
static inline void weft_elem_put_float(weft_dtype t, void *data, size_t i, double v) {
  if (t == WEFT_FLOAT) {
    weft_elem_put_bits(32, data, i, weft_f32_bits((float)v));
  } else if (t == WEFT_DOUBLE) {
    weft_elem_put_bits(64, data, i, weft_f64_bits(v));
  } else {
    weft_float_format f = weft_float_format_of(t);
    if (f.kind) weft_elem_put_bits(f.bits, data, i, weft_float_code(f, v, false));
  }
}

// Any real type and bool, as a double.
static inline double weft_elem_f64(weft_dtype t, const void *data, size_t i) {
  if (weft_elem_in(t, WEFT_ELEM_SIGNED)) return (double)(int64_t)weft_elem_integer(t, data, i);
  if (weft_elem_in(t, WEFT_ELEM_UNSIGNED)) return (double)weft_elem_integer(t, data, i);
  return weft_elem_float(t, data, i);
}
// Floats round once; integers truncate and saturate, NaN to 0; bool: anything but 0 is true, NaN too.
static inline void weft_elem_put_f64(weft_dtype t, void *data, size_t i, double v) {
  if (t == WEFT_BOOL) {
    weft_elem_put_bits(8, data, i, v != 0);
  } else if (weft_elem_in(t, WEFT_ELEM_SIGNED)) {
    int64_t max = INT64_MAX >> (64 - weft_elem_bits(t)), whole = weft_f64_to_i64(v);
    weft_elem_put_integer(t, data, i, (uint64_t)(whole > max ? max : whole < -max - 1 ? -max - 1 : whole));
  } else if (weft_elem_in(t, WEFT_ELEM_UNSIGNED)) {
    uint64_t max = UINT64_MAX >> (64 - weft_elem_bits(t)), whole = weft_f64_to_u64(v);
    weft_elem_put_integer(t, data, i, whole < max ? whole : max);
  } else {
    weft_elem_put_float(t, data, i, v);
  }
}
// Integers exactly, unsigned ones of 64 bits as the same bits; floats truncate and saturate.
static inline int64_t weft_elem_i64(weft_dtype t, const void *data, size_t i) {
  if (weft_elem_in(t, WEFT_ELEM_SIGNED | WEFT_ELEM_UNSIGNED)) return (int64_t)weft_elem_integer(t, data, i);
  return weft_f64_to_i64(weft_elem_float(t, data, i));
}
// Integers wrap. Floats round once: what a double cannot hold is gathered in its last bit first ("round to
// odd").
static inline double weft_odd_f64(uint64_t v) {
  uint32_t shift = 0;
  while (v >> shift >> 53) shift++;
  uint64_t kept = v >> shift, lost = v & ((UINT64_C(1) << shift) - 1);
  return (double)(kept | (lost ? 1u : 0u)) * (double)(UINT64_C(1) << shift);
}
static inline void weft_elem_put_i64(weft_dtype t, void *data, size_t i, int64_t v) {  // of any number type
  if (weft_elem_in(t, WEFT_ELEM_SIGNED | WEFT_ELEM_UNSIGNED))
    weft_elem_put_integer(t, data, i, (uint64_t)v);
  else if (t == WEFT_FLOAT)
    weft_elem_put_bits(32, data, i, weft_f32_bits((float)v));
  else if (t == WEFT_DOUBLE)
    weft_elem_put_bits(64, data, i, weft_f64_bits((double)v));
  else
    weft_elem_put_float(t, data, i, v < 0 ? -weft_odd_f64(0 - (uint64_t)v) : weft_odd_f64((uint64_t)v));
}
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
