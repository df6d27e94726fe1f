// The oracle: the values of a type are computed from its definition with ldexp (exact), sorted by code. The
// right code of x is the nearest value in exact arithmetic: sums and halves of neighbours fit a double with
// room to spare, so comparing x with their midpoint has no rounding.
#include "check.h"
#include "weft/dtype.h"

typedef enum { IEEE, FN, FNUZ, FINITE } kind;
typedef struct type {
  weft_dtype dtype;
  int exponent_bits, mantissa_bits, bias;
  kind kind;
} type;
static const type TYPES[] = {
    {WEFT_FLOAT16, 5, 10, 15, IEEE},        {WEFT_BF16, 8, 7, 127, IEEE},
    {WEFT_FLOAT8_E5M2, 5, 2, 15, IEEE},     {WEFT_FLOAT8_E4M3FN, 4, 3, 7, FN},
    {WEFT_FLOAT8_E5M2FNUZ, 5, 2, 16, FNUZ}, {WEFT_FLOAT8_E4M3FNUZ, 4, 3, 8, FNUZ},
    {WEFT_FLOAT6_E3M2, 3, 2, 3, FINITE},    {WEFT_FLOAT6_E2M3, 2, 3, 1, FINITE},
    {WEFT_FLOAT4_E2M1, 2, 1, 1, FINITE},    {WEFT_FLOAT4_E1M2, 1, 2, 1, FINITE},
};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

static int width(const type *t) {
  return 1 + t->exponent_bits + t->mantissa_bits;
}

static uint32_t max_code(const type *t) {
  uint32_t top = (1u << (width(t) - 1)) - 1;  // the largest code without sign
  if (t->kind == IEEE)
    return top - (1u << t->mantissa_bits);
  return t->kind == FN ? top - 1 : top;
}

// Of a code without sign, extended past the largest by the same rule.
static double value(const type *t, uint32_t code) {
  int exponent = (int)(code >> t->mantissa_bits);
  int mantissa = (int)(code & ((1u << t->mantissa_bits) - 1));
  if (exponent == 0)
    return ldexp(mantissa, 1 - t->bias - t->mantissa_bits);
  return ldexp(mantissa + (1 << t->mantissa_bits), exponent - t->bias - t->mantissa_bits);
}

static uint32_t sign_bit(const type *t) {
  return 1u << (width(t) - 1);
}

// What a magnitude that rounds past the largest code becomes.
static uint32_t overflow_code(const type *t, bool negative) {
  uint32_t s = negative ? sign_bit(t) : 0;
  switch (t->kind) {
    case IEEE:
    case FN:
      return s | (max_code(t) + 1);
    case FNUZ:
      return sign_bit(t);
    default:
      return s | max_code(t);
  }
}

static void check_code(const type *t, double x, uint32_t magnitude) {
  for (int negative = 0; negative < 2; negative++) {
    uint32_t want = magnitude | (negative ? sign_bit(t) : 0);
    if (t->kind == FNUZ && magnitude == 0)
      want = 0;
    uint32_t saturated = want;
    if (magnitude > max_code(t)) {
      want = overflow_code(t, negative);
      saturated = max_code(t) | (negative ? sign_bit(t) : 0);
    }
    double v = negative ? -x : x;
    CHECK_INT(weft_float_encode(t->dtype, v, false), want);
    CHECK_INT(weft_float_encode(t->dtype, v, true), saturated);
    if (t->dtype == WEFT_FLOAT16) {
      CHECK_INT(weft_f16_from_f64(v), want);
      if ((double)(float)v == v)
        CHECK_INT(weft_f16_from_f32((float)v), want);
    }
    if (t->dtype == WEFT_BF16) {
      CHECK_INT(weft_bf16_from_f64(v), want);
      if ((double)(float)v == v)
        CHECK_INT(weft_bf16_from_f32((float)v), want);
    }
  }
}

TEST(every_value_midpoint_and_neighbour_encodes_right) {
  for (size_t i = 0; i < TYPE_COUNT; i++) {
    const type *t = &TYPES[i];
    for (uint32_t c = 0; c <= max_code(t); c++) {
      double v = value(t, c), middle = (v + value(t, c + 1)) / 2;
      check_code(t, v, c);
      check_code(t, middle, c & 1 ? c + 1 : c);
      check_code(t, nextafter(middle, 0), c);
      check_code(t, nextafter(middle, INFINITY), c + 1);
      check_code(t, (double)nextafterf((float)middle, 0), c);
      check_code(t, (double)nextafterf((float)middle, INFINITY), c + 1);
      if (c > 0)
        check_code(t, nextafter(v, 0), c);
      check_code(t, nextafter(v, INFINITY), c);
    }
    check_code(t, 1e300, max_code(t) + 1);
    check_code(t, INFINITY, max_code(t) + 1);
    check_code(t, 5e-324, 0);
    check_code(t, 1e-310, 0);
    check_code(t, 1e-44, 0);
  }
}

TEST(every_code_decodes_right_and_comes_back) {
  for (size_t i = 0; i < TYPE_COUNT; i++) {
    const type *t = &TYPES[i];
    for (uint32_t bits = 0; bits < 1u << width(t); bits++) {
      uint32_t code = bits & (sign_bit(t) - 1);
      bool negative = bits & sign_bit(t);
      double v = weft_float_decode(t->dtype, bits);
      if (t->kind == FNUZ && bits == sign_bit(t)) {
        CHECK(isnan(v));
        CHECK_INT(weft_float_encode(t->dtype, v, true), bits);
      } else if (code <= max_code(t)) {
        double want = value(t, code);
        CHECK(v == (negative ? -want : want));
        CHECK_INT(signbit(v) != 0, negative);
        CHECK_INT(weft_float_encode(t->dtype, v, false), bits);
      } else if (t->kind == IEEE && code == max_code(t) + 1) {
        CHECK(v == (negative ? -INFINITY : INFINITY));
        CHECK_INT(weft_float_encode(t->dtype, v, false), bits);
      } else {
        CHECK(isnan(v));
        uint32_t quiet = t->kind == IEEE ? 1u << (t->mantissa_bits - 1) : 0;
        CHECK_INT(weft_float_encode(t->dtype, v, false), bits | quiet);
      }
    }
  }
}

TEST(f16_and_bf16_by_f32_agree_with_f64) {
  for (uint32_t b = 0; b < 65536; b++) {
    float h = weft_f16_to_f32((uint16_t)b);
    float f = weft_bf16_to_f32((uint16_t)b);
    double hd = weft_float_decode(WEFT_FLOAT16, b), fd = weft_float_decode(WEFT_BF16, b);
    if (isnan(hd)) {
      CHECK(isnan(h));
      CHECK_INT(weft_f16_from_f32(h), b | 0x0200);
    } else {
      CHECK((double)h == hd && !signbit(h) == !signbit(hd));
      CHECK_INT(weft_f16_from_f32(h), b);
    }
    if (isnan(fd)) {
      CHECK(isnan(f));
      CHECK_INT(weft_bf16_from_f32(f), b | 0x40);
    } else {
      CHECK((double)f == fd && !signbit(f) == !signbit(fd));
      CHECK_INT(weft_bf16_from_f32(f), b);
    }
  }
}

TEST(f32_steps_through_the_whole_range_agree_with_f64) {
  // Every 257th float of either sign, infinities and NaNs included.
  for (uint64_t u = 0; u <= UINT32_MAX; u += 257 * 31) {
    uint32_t bits = (uint32_t)u;
    float v;
    memcpy(&v, &bits, sizeof v);
    if (isnan(v)) {
      CHECK(isnan(weft_f16_to_f32(weft_f16_from_f32(v))) && isnan(weft_bf16_to_f32(weft_bf16_from_f32(v))));
      continue;
    }
    CHECK_INT(weft_f16_from_f32(v), weft_f16_from_f64((double)v));
    CHECK_INT(weft_bf16_from_f32(v), weft_bf16_from_f64((double)v));
  }
}

TEST(one_rounding_not_two) {
  // A hair above half way between 1 and 1 + 2^-10: through f32 it would fall on the tie and then to even.
  CHECK_INT(weft_f16_from_f64(1 + 0x1p-11 + 0x1p-40), 0x3C01);
  CHECK_INT(weft_f16_from_f32((float)(1 + 0x1p-11 + 0x1p-40)), 0x3C00);
  CHECK_INT(weft_bf16_from_f64(1 + 0x1p-8 + 0x1p-50), 0x3F81);
  CHECK_INT(weft_f16_from_f64(65520 - 1e-9), 0x7BFF);
  CHECK_INT(weft_f16_from_f64(65520), 0x7C00);
}

TEST(extreme_values) {
  CHECK_F64(weft_float_decode(WEFT_FLOAT8_E4M3FN, 0x7E), 448, 0);
  CHECK_F64(weft_float_decode(WEFT_FLOAT8_E5M2, 0x7B), 57344, 0);
  CHECK_F64(weft_float_decode(WEFT_FLOAT8_E4M3FNUZ, 0x7F), 240, 0);
  CHECK_F64(weft_float_decode(WEFT_FLOAT8_E5M2FNUZ, 0x7F), 57344, 0);
  CHECK_F64(weft_float_decode(WEFT_FLOAT6_E3M2, 0x1F), 28, 0);
  CHECK_F64(weft_float_decode(WEFT_FLOAT6_E2M3, 0x1F), 7.5, 0);
  CHECK_F64(weft_float_decode(WEFT_FLOAT4_E2M1, 0x7), 6, 0);
  CHECK_F64(weft_float_decode(WEFT_FLOAT4_E1M2, 0x7), 1.75, 0);
  CHECK_F64(weft_float_decode(WEFT_FLOAT16, 0x7BFF), 65504, 0);
  static const double E2M1[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint32_t i = 0; i < 8; i++)
    CHECK_F64(weft_float_decode(WEFT_FLOAT4_E2M1, i), E2M1[i], 0);
  // NaN where there is none
  CHECK_INT(weft_float_encode(WEFT_FLOAT4_E2M1, NAN, true), 7);
  CHECK_INT(weft_float_encode(WEFT_FLOAT6_E2M3, NAN, false), 0x1F);
  // ONNX Cast with saturate: infinities too
  CHECK_INT(weft_float_encode(WEFT_FLOAT8_E5M2, INFINITY, true), 0x7B);
  CHECK_INT(weft_float_encode(WEFT_FLOAT8_E4M3FN, -INFINITY, true), 0xFE);
  CHECK(isnan(weft_float_decode(WEFT_FLOAT8_E5M2, weft_float_encode(WEFT_FLOAT8_E5M2, NAN, true))));
}

TEST(e8m0) {
  for (uint32_t c = 0; c < 255; c++) {
    double v = weft_float_decode(WEFT_FLOAT8_E8M0, c);
    CHECK(v == ldexp(1, (int)c - 127));
    CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, v, false), c);
    CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, -v, false), c);
    CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, nextafter(1.5 * v, 0), false), c);
    CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, 1.5 * v, false), c + 1);  // half up; past the top it is NaN
    CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, 1.5 * v, true), c == 254 ? 254 : c + 1);
  }
  CHECK(isnan(weft_float_decode(WEFT_FLOAT8_E8M0, 255)));
  CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, NAN, true), 255);
  CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, 0, false), 0);
  CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, 0x1p-128, false), 0);
  CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, 5e-324, false), 0);
  CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, INFINITY, true), 254);
  CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, INFINITY, false), 255);
  CHECK_INT(weft_float_encode(WEFT_FLOAT8_E8M0, 1e300, true), 254);
}

TEST(types_without_conversion_give_zero) {
  static const int NONE[] = {WEFT_HIFLOAT8, WEFT_HIFLOAT4, WEFT_FLOAT, WEFT_DOUBLE, WEFT_INT8, 64, 255};
  for (size_t i = 0; i < sizeof NONE / sizeof *NONE; i++) {
    CHECK_INT(weft_float_encode((weft_dtype)NONE[i], 1.5, true), 0);
    CHECK_F64(weft_float_decode((weft_dtype)NONE[i], 0x3F), 0, 0);
  }
}
// SPDX-License-Identifier: Apache-2.0
