#include "check.h"
#include "weft/dtype.h"

// A buffer of `bits * n` bits at an odd address, in a block of its exact size so that ASan sees every byte
// too far.
static uint8_t *odd_buffer(size_t bytes, uint8_t **out_block) {
  *out_block = malloc(bytes + 1);
  memset(*out_block, 0xA5, bytes + 1);
  return *out_block + 1;
}

static const weft_dtype INTS[] = {WEFT_INT8,   WEFT_INT16,  WEFT_INT32,  WEFT_INT64, WEFT_UINT8,
                                  WEFT_UINT16, WEFT_UINT32, WEFT_UINT64, WEFT_INT4,  WEFT_UINT4,
                                  WEFT_INT2,   WEFT_UINT2,  WEFT_UINT1,  WEFT_QINT8, WEFT_QINT16,
                                  WEFT_QINT32, WEFT_QUINT8, WEFT_QUINT16};

static bool has_sign(weft_dtype t) {
  return weft_dtype_is_signed(t) || t == WEFT_QINT8 || t == WEFT_QINT16 || t == WEFT_QINT32;
}

TEST(r187_integers_wrap_on_store_i64_and_saturate_on_store_f64) {
  static const double HOSTILE[] = {
      NAN,   INFINITY, -INFINITY, 1e300, -1e300, 0x1p63,  -0x1p63, 0x1p64, -0x1p64, 2.75, -2.75, 0.5, -0.5,
      127.9, 128,      -128.9,    255.9, 256,    -0x1p31, 0x1p31,  0x1p32, 7.5,     8,    -8.5,  -9};
  for (size_t k = 0; k < sizeof INTS; k++) {
    weft_dtype t = INTS[k];
    uint32_t bits = weft_dtype_bits(t);
    uint8_t *block;
    uint8_t *p = odd_buffer((size_t)weft_dtype_bytes(5, t), &block);
    double max = ldexp(1, (int)bits - has_sign(t)) - 1, min = has_sign(t) ? -ldexp(1, (int)bits - 1) : 0;
    for (size_t i = 0; i < sizeof HOSTILE / sizeof *HOSTILE; i++) {
      double v = HOSTILE[i], want = isnan(v) ? 0 : trunc(v);
      want = want > max ? max : want < min ? min : want;
      weft_store_f64(t, p, 3, v);
      CHECK_F64(weft_load_f64(t, p, 3), want, bits == 64 ? 1024 : 0);  // 2^63-1 is no double
    }
    for (int64_t v = -300; v <= 300; v++) {
      uint64_t mask = UINT64_MAX >> (64 - bits);
      uint64_t u = (uint64_t)v & mask;
      if (has_sign(t) && (u >> (bits - 1) & 1))
        u |= ~mask;
      weft_store_i64(t, p, 4, v);
      CHECK_INT(weft_load_i64(t, p, 4), (int64_t)u);
      CHECK(weft_load_u64(t, p, 4) == u);
      weft_store_u64(t, p, 2, (uint64_t)v);
      CHECK_INT(weft_load_i64(t, p, 2), (int64_t)u);
    }
    free(block);
  }
}

TEST(integer_extremes) {
  uint64_t cell;
  weft_store_f64(WEFT_INT64, &cell, 0, 1e19);
  CHECK_INT(weft_load_i64(WEFT_INT64, &cell, 0), INT64_MAX);
  weft_store_f64(WEFT_INT64, &cell, 0, -1e19);
  CHECK_INT(weft_load_i64(WEFT_INT64, &cell, 0), INT64_MIN);
  weft_store_f64(WEFT_UINT64, &cell, 0, 1e20);
  CHECK(weft_load_u64(WEFT_UINT64, &cell, 0) == UINT64_MAX);
  CHECK_F64(weft_load_f64(WEFT_UINT64, &cell, 0), 0x1p64, 0);
  weft_store_u64(WEFT_UINT64, &cell, 0, UINT64_C(1) << 63);
  CHECK_F64(weft_load_f64(WEFT_UINT64, &cell, 0), 0x1p63, 0);
  static const double V[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 2.9, -2.9, -0.9};
  static const int64_t I[] = {0, INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, 2, -2, 0};
  static const uint64_t U[] = {0, UINT64_MAX, 0, UINT64_MAX, 0, 2, 0, 0};
  for (size_t i = 0; i < 8; i++) {
    weft_store_f64(WEFT_DOUBLE, &cell, 0, V[i]);
    CHECK_INT(weft_load_i64(WEFT_DOUBLE, &cell, 0), I[i]);
    CHECK(weft_load_u64(WEFT_DOUBLE, &cell, 0) == U[i]);
  }
}

TEST(sub_byte_elements_are_packed_low_bits_first) {
  uint8_t b[3] = {0, 0, 0};
  static const int64_t V[3] = {1, -2, 7};
  for (size_t i = 0; i < 3; i++)
    weft_store_i64(WEFT_INT4, b, i, V[i]);
  CHECK_INT(b[0], 0xE1);
  CHECK_INT(b[1], 0x07);
  for (size_t i = 0; i < 3; i++)
    CHECK_INT(weft_load_i64(WEFT_INT4, b, i), V[i]);
  CHECK_F64(weft_load_f64(WEFT_INT4, b, 1), -2, 0);
  CHECK_INT(weft_load_i64(WEFT_UINT4, b, 1), 14);
  b[0] = 0x1B;  // 11 10 01 00 from the low end
  static const int64_t I2[4] = {-1, -2, 1, 0};
  for (size_t i = 0; i < 4; i++)
    CHECK_INT(weft_load_i64(WEFT_INT2, b, i), I2[i]);
  for (size_t i = 0; i < 4; i++)
    CHECK_INT(weft_load_i64(WEFT_UINT2, b, i), 3 - (int)i);
  memset(b, 0, 3);
  weft_store_i64(WEFT_UINT1, b, 8, 1);
  CHECK_INT(b[0], 0);
  CHECK_INT(b[1], 1);
  weft_store_i64(WEFT_UINT1, b, 15, 3);
  CHECK_INT(b[1], 0x81);
  memset(b, 0, 3);
  weft_store_f64(WEFT_FLOAT6_E3M2, b, 1, 28);  // code 0x1F in bits 6..11
  CHECK_INT(b[0], 0xC0);
  CHECK_INT(b[1], 0x07);
}

TEST(a_store_touches_only_its_element) {
  static const weft_dtype TYPES[] = {
      WEFT_INT4,        WEFT_INT2,    WEFT_UINT1, WEFT_FLOAT6_E3M2, WEFT_FLOAT6_E2M3, WEFT_FLOAT4_E2M1,
      WEFT_FLOAT4_E1M2, WEFT_FLOAT16, WEFT_INT32, WEFT_UINT4,       WEFT_DOUBLE,      WEFT_FLOAT8_E4M3FN};
  enum { N = 21 };
  for (size_t k = 0; k < sizeof TYPES; k++) {
    weft_dtype t = TYPES[k];
    size_t bytes = (size_t)weft_dtype_bytes(N, t);
    size_t bits = weft_dtype_bits(t);
    for (size_t i = 0; i < N; i++) {
      for (int fill = 0; fill < 2; fill++) {
        uint8_t *block;
        uint8_t *p = odd_buffer(bytes, &block);
        memset(p, fill ? 0xFF : 0, bytes);
        weft_store_f64(t, p, i, 1);
        for (size_t b = 0; b < bytes * 8; b++) {
          if (b >= i * bits && b < (i + 1) * bits)
            continue;
          if ((p[b / 8] >> b % 8 & 1) != fill)
            CHECK_INT(b, -1);
        }
        if (bits > 1 && t != WEFT_INT2)
          CHECK_F64(weft_load_f64(t, p, i), 1, 0);
        free(block);
      }
    }
  }
}

TEST(floats_keep_every_value) {
  static const weft_dtype TYPES[] = {
      WEFT_FLOAT16,         WEFT_BF16,        WEFT_FLOAT8_E5M2, WEFT_FLOAT8_E4M3FN, WEFT_FLOAT8_E5M2FNUZ,
      WEFT_FLOAT8_E4M3FNUZ, WEFT_FLOAT8_E8M0, WEFT_FLOAT6_E3M2, WEFT_FLOAT6_E2M3,   WEFT_FLOAT4_E2M1,
      WEFT_FLOAT4_E1M2};
  for (size_t k = 0; k < sizeof TYPES; k++) {
    weft_dtype t = TYPES[k];
    size_t n = (size_t)1 << weft_dtype_bits(t);
    size_t bytes = (size_t)weft_dtype_bytes((int64_t)n, t);
    uint8_t *block;
    uint8_t *p = odd_buffer(bytes, &block);
    for (size_t i = 0; i < n; i++)
      weft_store_f64(t, p, i, weft_float_decode(t, (uint32_t)i));
    for (size_t i = 0; i < n; i++) {
      double want = weft_float_decode(t, (uint32_t)i), got = weft_load_f64(t, p, i);
      CHECK(got == want || (isnan(got) && isnan(want)));
      CHECK(isnan(want) || !signbit(got) == !signbit(want));
    }
    free(block);
  }
}

TEST(r187_float_and_bool) {
  uint8_t *block;
  uint8_t *p = odd_buffer(16, &block);
  weft_store_f64(WEFT_FLOAT, p, 1, 0.1);
  CHECK_F64(weft_load_f64(WEFT_FLOAT, p, 1), (double)0.1f, 0);
  weft_store_f64(WEFT_FLOAT, p, 1, 1e300);
  CHECK(isinf(weft_load_f64(WEFT_FLOAT, p, 1)));
  weft_store_i64(WEFT_FLOAT, p, 0, 16777217);
  CHECK_F64(weft_load_f64(WEFT_FLOAT, p, 0), 16777216, 0);
  weft_store_f64(WEFT_BOOL, p, 0, 0.25);
  CHECK_INT(p[0], 1);
  CHECK_INT(weft_load_i64(WEFT_BOOL, p, 0), 1);
  weft_store_f64(WEFT_BOOL, p, 0, -0.0);
  CHECK_INT(p[0], 0);
  weft_store_f64(WEFT_BOOL, p, 0, NAN);
  CHECK_INT(p[0], 1);
  weft_store_i64(WEFT_BOOL, p, 0, 256);
  CHECK_INT(p[0], 1);
  p[0] = 200;  // any byte but 0 is true
  CHECK_F64(weft_load_f64(WEFT_BOOL, p, 0), 1, 0);
  weft_store_f64(WEFT_FLOAT16, p, 0, 70000);
  CHECK(isinf(weft_load_f64(WEFT_FLOAT16, p, 0)));
  weft_store_f64(WEFT_FLOAT8_E4M3FN, p, 0, 1000);
  CHECK(isnan(weft_load_f64(WEFT_FLOAT8_E4M3FN, p, 0)));
  CHECK_INT(weft_load_i64(WEFT_FLOAT8_E4M3FN, p, 0), 0);
  free(block);
}

TEST(integers_round_once_into_bf16) {
  uint16_t b;
  // Just above half way between two bf16 values; as a double it would be the tie itself, which goes to even.
  int64_t v = (INT64_C(1) << 62) + (INT64_C(1) << 54) + 1;
  weft_store_i64(WEFT_BF16, &b, 0, v);
  CHECK_F64(weft_load_f64(WEFT_BF16, &b, 0), 0x1p62 + 0x1p55, 0);
  weft_store_i64(WEFT_BF16, &b, 0, -v);
  CHECK_F64(weft_load_f64(WEFT_BF16, &b, 0), -0x1p62 - 0x1p55, 0);
  weft_store_i64(WEFT_BF16, &b, 0, v - 1);
  CHECK_F64(weft_load_f64(WEFT_BF16, &b, 0), 0x1p62, 0);
  weft_store_i64(WEFT_BF16, &b, 0, INT64_MIN);
  CHECK_F64(weft_load_f64(WEFT_BF16, &b, 0), -0x1p63, 0);
  weft_store_u64(WEFT_BF16, &b, 0, UINT64_MAX);
  CHECK_F64(weft_load_f64(WEFT_BF16, &b, 0), 0x1p64, 0);
  weft_store_u64(WEFT_BF16, &b, 0, (UINT64_C(1) << 63) + (UINT64_C(1) << 55) + 1);
  CHECK_F64(weft_load_f64(WEFT_BF16, &b, 0), 0x1p63 + 0x1p56, 0);
}

TEST(types_without_the_view_give_zero_and_keep_still) {
  static const int NONE[] = {WEFT_STRING,
                             WEFT_COMPLEX64,
                             WEFT_COMPLEX128,
                             WEFT_HIFLOAT8,
                             WEFT_HIFLOAT4,
                             WEFT_RESOURCE,
                             WEFT_UNDEFINED,
                             WEFT_VARIANT,
                             5,
                             77,
                             255};
  uint8_t b[16];
  uint8_t before[16];
  memset(b, 0x5A, sizeof b);
  memcpy(before, b, sizeof b);
  for (size_t i = 0; i < sizeof NONE / sizeof *NONE; i++) {
    weft_dtype t = (weft_dtype)NONE[i];
    weft_store_f64(t, b, 0, 3);
    weft_store_i64(t, b, 0, 3);
    weft_store_u64(t, b, 0, 3);
    CHECK(memcmp(b, before, sizeof b) == 0);
    CHECK_F64(weft_load_f64(t, b, 0), 0, 0);
    CHECK_INT(weft_load_i64(t, b, 0), 0);
    CHECK(weft_load_u64(t, b, 0) == 0);
  }
}
// SPDX-License-Identifier: Apache-2.0
