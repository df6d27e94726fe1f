// float.c - small floating-point types: one encoder and one decoder over a table of formats, and fast paths
// for f16 and bf16 from and to f32. Integer arithmetic only, so rounding modes and denormal flags of the CPU
// do not matter.
//
// A code without its sign bit counts the non-negative values in order: rounding that carries out of the
// mantissa lands on the next exponent, and one past the largest finite code is infinity (IEEE types) or NaN
// (the FN types).
//
// Overflow: IEEE types go to infinity and types without infinity to NaN, with `saturate` both to the largest
// finite value, infinities included (ONNX Cast). Types without NaN (float6, float4) always saturate, and NaN
// becomes the largest value (ONNX float4). E8M0 has no sign: the magnitude is encoded; zero becomes 2^-127.
// NaN keeps its sign and as much of its payload as fits, and comes out quiet.
#include "base/base.h"
#include "weft/dtype.h"

enum { F64_MANTISSA = 52, F64_BIAS = 1023, F32_MANTISSA = 23 };
#define F64_INF   UINT64_C(0x7FF0000000000000)
#define F64_QUIET UINT64_C(0x0008000000000000)
#define F64_SIGN  (UINT64_C(1) << 63)
#define F64_MASK  ((UINT64_C(1) << F64_MANTISSA) - 1)

typedef enum float_kind {
  KIND_NONE,
  KIND_IEEE,    // infinities and NaNs above the largest code
  KIND_FN,      // one NaN (with either sign) above the largest code, no infinity
  KIND_FNUZ,    // the code of -0 is the only NaN; no infinity, no negative zero
  KIND_FINITE,  // every code is a number
  KIND_E8M0,    // a power of two; 255 is NaN
} float_kind;

typedef struct float_format {
  uint8_t kind, bits, mantissa;  // bits: sign included
  uint8_t bias;
  uint16_t max;  // the largest finite code, without sign
} float_format;

static const float_format FORMATS[64] = {
    [WEFT_FLOAT16] = {KIND_IEEE, 16, 10, 15, 0x7BFF},     [WEFT_BF16] = {KIND_IEEE, 16, 7, 127, 0x7F7F},
    [WEFT_FLOAT8_E5M2] = {KIND_IEEE, 8, 2, 15, 0x7B},     [WEFT_FLOAT8_E4M3FN] = {KIND_FN, 8, 3, 7, 0x7E},
    [WEFT_FLOAT8_E5M2FNUZ] = {KIND_FNUZ, 8, 2, 16, 0x7F}, [WEFT_FLOAT8_E4M3FNUZ] = {KIND_FNUZ, 8, 3, 8, 0x7F},
    [WEFT_FLOAT8_E8M0] = {KIND_E8M0, 8, 0, 127, 0xFE},    [WEFT_FLOAT6_E3M2] = {KIND_FINITE, 6, 2, 3, 0x1F},
    [WEFT_FLOAT6_E2M3] = {KIND_FINITE, 6, 3, 1, 0x1F},    [WEFT_FLOAT4_E2M1] = {KIND_FINITE, 4, 1, 1, 0x7},
    [WEFT_FLOAT4_E1M2] = {KIND_FINITE, 4, 2, 1, 0x7},
};

static uint64_t f64_bits(double v) {
  uint64_t u;
  memcpy(&u, &v, sizeof u);
  return u;
}

static double f64_of(uint64_t u) {
  double v;
  memcpy(&v, &u, sizeof v);
  return v;
}

static uint32_t f32_bits(float v) {
  uint32_t u;
  memcpy(&u, &v, sizeof u);
  return u;
}

static float f32_of(uint32_t u) {
  float v;
  memcpy(&v, &u, sizeof v);
  return v;
}

// The code nearest to a finite magnitude, ties to even; may pass f->max by any amount.
static uint32_t nearest_code(const float_format *f, uint64_t magnitude) {
  int exponent = (int)(magnitude >> F64_MANTISSA) - F64_BIAS;
  int lowest = 1 - f->bias;                           // exponent of the smallest normal number
  if (exponent < lowest - f->mantissa - 1) return 0;  // below half the smallest subnormal; f64 subnormals too
  if (exponent > 128) return UINT16_MAX;              // beyond every format here
  uint64_t significand = (magnitude & F64_MASK) | (UINT64_C(1) << F64_MANTISSA);
  int base = WEFT_MAX(exponent, lowest);
  int shift = F64_MANTISSA - f->mantissa + (base - exponent);  // 42..53
  uint64_t code = significand >> shift;
  uint64_t rest = significand & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
  if (rest > half || (rest == half && (code & 1))) code++;
  return (uint32_t)code +
         ((uint32_t)(base - lowest) << f->mantissa);  // the hidden bit counts as one exponent
}

static uint32_t encode_nan(const float_format *f, uint32_t sign, uint64_t u) {
  switch (f->kind) {
    case KIND_IEEE: {
      uint32_t quiet = UINT32_C(1) << (f->mantissa - 1);
      uint32_t payload = (uint32_t)((u & F64_MASK) >> (F64_MANTISSA - f->mantissa));
      return sign | (f->max + 1u) | quiet | payload;
    }
    case KIND_FN:
      return sign | (f->max + 1u);
    case KIND_FNUZ:
      return 1u << (f->bits - 1);
    default:
      return f->max;  // KIND_FINITE
  }
}

static uint32_t encode(const float_format *f, double v, bool saturate) {
  uint64_t u = f64_bits(v), magnitude = u & ~F64_SIGN;
  uint32_t sign = (uint32_t)(u >> 63) << (f->bits - 1);
  if (magnitude > F64_INF) return encode_nan(f, sign, u);
  uint32_t code = magnitude == F64_INF ? UINT16_MAX : nearest_code(f, magnitude);
  if (code > f->max) {
    if (saturate || f->kind == KIND_FINITE) {
      code = f->max;
    } else if (f->kind == KIND_FNUZ) {
      return 1u << (f->bits - 1);
    } else {
      code = f->max + 1u;
    }
  }
  if (code == 0 && f->kind == KIND_FNUZ) return 0;
  return sign | code;
}

static double decode(const float_format *f, uint32_t bits) {
  uint32_t top = 1u << (f->bits - 1), code = bits & (top - 1);
  uint64_t sign = bits & top ? F64_SIGN : 0;
  if (f->kind == KIND_FNUZ && sign && code == 0) return f64_of(F64_INF | F64_QUIET);
  uint32_t mantissa = code & ((1u << f->mantissa) - 1), exponent = code >> f->mantissa;
  if (code > f->max) {
    if (f->kind == KIND_IEEE && mantissa == 0) return f64_of(sign | F64_INF);
    uint64_t payload = (uint64_t)mantissa << (F64_MANTISSA - f->mantissa);
    return f64_of(sign | F64_INF | F64_QUIET | payload);
  }
  if (exponent == 0) {  // zero and subnormals: a whole number of the smallest one, exact
    uint64_t unit = (uint64_t)(F64_BIAS + 1 - f->bias - f->mantissa) << F64_MANTISSA;
    double v = (double)mantissa * f64_of(unit);
    return sign ? -v : v;
  }
  return f64_of(sign | (uint64_t)(F64_BIAS - f->bias + (int)exponent) << F64_MANTISSA |
                (uint64_t)mantissa << (F64_MANTISSA - f->mantissa));
}

// Half way goes to the larger power; between 2^-127 and 2^-126 too.
static uint32_t encode_e8m0(double v, bool saturate) {
  uint64_t magnitude = f64_bits(v) & ~F64_SIGN;
  if (magnitude > F64_INF) return 0xFF;
  int exponent = (int)(magnitude >> F64_MANTISSA) - F64_BIAS;
  if ((magnitude & F64_MASK) >= F64_QUIET) exponent++;  // 1.5 or more
  if (magnitude == F64_INF || exponent > 127) return saturate ? 0xFE : 0xFF;
  return exponent < -127 ? 0 : (uint32_t)(exponent + 127);
}

uint32_t weft_float_encode(weft_dtype t, double v, bool saturate) {
  if (t >= WEFT_COUNT(FORMATS) || FORMATS[t].kind == KIND_NONE) return 0;
  if (FORMATS[t].kind == KIND_E8M0) return encode_e8m0(v, saturate);
  return encode(&FORMATS[t], v, saturate);
}

double weft_float_decode(weft_dtype t, uint32_t bits) {
  if (t >= WEFT_COUNT(FORMATS) || FORMATS[t].kind == KIND_NONE) return 0;
  if (FORMATS[t].kind != KIND_E8M0) return decode(&FORMATS[t], bits);
  bits &= 0xFF;
  return f64_of(bits == 0xFF ? F64_INF | F64_QUIET : (uint64_t)(F64_BIAS - 127 + bits) << F64_MANTISSA);
}

// ---- f16 and bf16 ----

uint16_t weft_f16_from_f64(double v) {
  return (uint16_t)encode(&FORMATS[WEFT_FLOAT16], v, false);
}

uint16_t weft_bf16_from_f64(double v) {
  return (uint16_t)encode(&FORMATS[WEFT_BF16], v, false);
}

uint16_t weft_f16_from_f32(float v) {
  uint32_t u = f32_bits(v), sign = u >> 16 & 0x8000, m = u & 0x7FFFFFFF;
  if (m >= 0x38800000) {    // 2^-14: normal, or too large
    if (m >= 0x477FF000) {  // 65520, half way past 65504
      if (m <= 0x7F800000) return (uint16_t)(sign | 0x7C00);
      return (uint16_t)(sign | 0x7E00 | (m >> 13 & 0x3FF));
    }
    m -= (127 - 15) << F32_MANTISSA;
    return (uint16_t)(sign | (m + 0xFFF + (m >> 13 & 1)) >> 13);
  }
  if (m <= 0x33000000) return (uint16_t)sign;  // up to 2^-25, half the smallest subnormal
  uint32_t shift = 126 - (m >> F32_MANTISSA);  // 14..24
  uint32_t significand = (m & 0x7FFFFF) | 0x800000, code = significand >> shift;
  uint32_t rest = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
  code += rest > half || (rest == half && (code & 1));
  return (uint16_t)(sign | code);
}

float weft_f16_to_f32(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000) << 16, m = bits & 0x7FFF;
  if (m >= 0x7C00) return f32_of(sign | 0x7F800000 | (m > 0x7C00 ? 0x400000 : 0) | (m & 0x3FF) << 13);
  if (m >= 0x0400) return f32_of(sign | ((m << 13) + ((127 - 15) << F32_MANTISSA)));
  float v = (float)m * 0x1p-24f;
  return sign ? -v : v;
}

uint16_t weft_bf16_from_f32(float v) {
  uint32_t u = f32_bits(v);
  if ((u & 0x7FFFFFFF) > 0x7F800000) return (uint16_t)(u >> 16 | 0x40);
  return (uint16_t)((u + 0x7FFF + (u >> 16 & 1)) >> 16);
}

float weft_bf16_to_f32(uint16_t bits) {
  uint32_t u = (uint32_t)bits << 16;
  if ((u & 0x7FFFFFFF) > 0x7F800000) u |= 0x400000;
  return f32_of(u);
}
