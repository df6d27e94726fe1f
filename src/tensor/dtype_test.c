#include "check.h"
#include "weft/dtype.h"

static weft_dtype parse(const char *text) {
  return weft_dtype_parse(text, strlen(text));
}

TEST(r180_numbers_are_ascendir_s) {
  CHECK_INT(WEFT_FLOAT, 0);
  CHECK_INT(WEFT_FLOAT16, 1);
  CHECK_INT(WEFT_INT8, 2);
  CHECK_INT(WEFT_INT32, 3);
  CHECK_INT(WEFT_UINT8, 4);
  CHECK_INT(WEFT_INT16, 6);
  CHECK_INT(WEFT_INT64, 9);
  CHECK_INT(WEFT_DOUBLE, 11);
  CHECK_INT(WEFT_BOOL, 12);
  CHECK_INT(WEFT_STRING, 13);
  CHECK_INT(WEFT_BF16, 27);
  CHECK_INT(WEFT_UNDEFINED, 28);
  CHECK_INT(WEFT_INT4, 29);
  CHECK_INT(WEFT_HIFLOAT4, 42);
}

TEST(r188_own_types_stay_clear_of_ascendir_s_next_numbers) {
  CHECK_INT(WEFT_UINT4, 63);
  CHECK_INT(WEFT_FLOAT8_E4M3FNUZ, 62);
  CHECK_INT(WEFT_FLOAT8_E5M2FNUZ, 61);
  for (int64_t n = 43; n < 61; n++)
    CHECK(!weft_dtype_known(n));
  CHECK(!weft_dtype_known(5));
  CHECK(!weft_dtype_known(77));
  CHECK(!weft_dtype_known(-1));
  CHECK(!weft_dtype_known(256));  // would be FLOAT as one byte
  CHECK(!weft_dtype_known(INT64_MIN));
  CHECK(weft_dtype_known(0));
  CHECK(weft_dtype_known(WEFT_UNDEFINED));
}

TEST(r181_serial_strings) {
  CHECK_STR(weft_dtype_serial(WEFT_FLOAT), "DT_FLOAT");
  CHECK_STR(weft_dtype_serial(WEFT_FLOAT16), "DT_FLOAT16");
  CHECK_STR(weft_dtype_serial(WEFT_INT8), "DT_INT8");
  CHECK_STR(weft_dtype_serial(WEFT_BF16), "DT_BFLOAT16");
  CHECK_STR(weft_dtype_serial(WEFT_UNDEFINED), "DT_UNDEFINED");
  CHECK_STR(weft_dtype_serial(5), "UNDEFINED");
  CHECK_STR(weft_dtype_serial(77), "UNDEFINED");
  CHECK_STR(weft_dtype_serial(255), "UNDEFINED");
  CHECK_STR(weft_dtype_name(WEFT_BF16), "bf16");
  CHECK_STR(weft_dtype_name(60), "undefined");
}

TEST(r182_parse) {
  CHECK_INT(parse("DT_FLOAT"), 0);
  CHECK_INT(parse("DT_FLOAT32"), 0);
  CHECK_INT(parse("DT_BF16"), WEFT_BF16);
  CHECK_INT(parse("DT_BFLOAT16"), WEFT_BF16);
  static const char *const UNKNOWN[] = {"XX",        "",        "RESERVED", "UNDEFINED", "DT_UNDEFINED",
                                        "DT_FLOAT ", "DT_FLOA", "dt_float", "FLOAT",     "DT_",
                                        "undefined", "int7",    "DT_MAX",   "f"};
  for (size_t i = 0; i < sizeof UNKNOWN / sizeof *UNKNOWN; i++)
    CHECK_INT(parse(UNKNOWN[i]), WEFT_UNDEFINED);
  CHECK_INT(weft_dtype_parse(NULL, 0), WEFT_UNDEFINED);
  CHECK_INT(weft_dtype_parse("DT_FLOAT\0x", 10), WEFT_UNDEFINED);
  CHECK_INT(weft_dtype_parse("f32[3]", 3), WEFT_FLOAT);  // no terminator needed
}

TEST(parse_every_spelling) {
  static const struct {
    const char *text;
    weft_dtype dtype;
  } CASES[] = {
      {"float", WEFT_FLOAT},
      {"float32", WEFT_FLOAT},
      {"fp32", WEFT_FLOAT},
      {"f32", WEFT_FLOAT},
      {"fp16", WEFT_FLOAT16},
      {"float16", WEFT_FLOAT16},
      {"half", WEFT_FLOAT16},
      {"f16", WEFT_FLOAT16},
      {"bf16", WEFT_BF16},
      {"bfloat16", WEFT_BF16},
      {"int8", WEFT_INT8},
      {"int16", WEFT_INT16},
      {"int32", WEFT_INT32},
      {"int64", WEFT_INT64},
      {"uint8", WEFT_UINT8},
      {"uint16", WEFT_UINT16},
      {"uint32", WEFT_UINT32},
      {"uint64", WEFT_UINT64},
      {"double", WEFT_DOUBLE},
      {"float64", WEFT_DOUBLE},
      {"fp64", WEFT_DOUBLE},
      {"f64", WEFT_DOUBLE},
      {"bool", WEFT_BOOL},
      {"string", WEFT_STRING},
      {"str", WEFT_STRING},
      {"complex64", WEFT_COMPLEX64},
      {"c64", WEFT_COMPLEX64},
      {"complex128", WEFT_COMPLEX128},
      {"int4", WEFT_INT4},
      {"i4", WEFT_INT4},
      {"uint4", WEFT_UINT4},
      {"uint1", WEFT_UINT1},
      {"qint8", WEFT_QINT8},
      {"float8_e4m3fn", WEFT_FLOAT8_E4M3FN},
      {"float8e4m3fn", WEFT_FLOAT8_E4M3FN},
      {"float8_e5m2fnuz", WEFT_FLOAT8_E5M2FNUZ},
      {"float4e2m1", WEFT_FLOAT4_E2M1},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    CHECK_INT(parse(CASES[i].text), CASES[i].dtype);
}

TEST(names_are_unique_and_parse_back) {
  int n = 0;
  for (int i = 0; i < 256; i++) {
    weft_dtype t = (weft_dtype)i;
    if (!weft_dtype_known(i))
      continue;
    n++;
    CHECK_INT(parse(weft_dtype_serial(t)), t);
    CHECK_INT(parse(weft_dtype_name(t)), t);
  }
  CHECK_INT(n, 45);  // 0..42 without 5, and three of weft's own
}

TEST(r185_bytes) {
  CHECK_INT(weft_dtype_bytes(1024, WEFT_FLOAT), 4096);
  CHECK_INT(weft_dtype_bytes(3, WEFT_INT4), 2);
  CHECK_INT(weft_dtype_bytes(9, WEFT_UINT1), 2);
  CHECK_INT(weft_dtype_bytes(1024, WEFT_BOOL), 1024);
  CHECK_INT(weft_dtype_bytes(-1, WEFT_FLOAT), -1);
  CHECK_INT(weft_dtype_bytes(INT64_MAX, WEFT_FLOAT), -1);
  CHECK_INT(weft_dtype_bytes(INT64_MAX / 4, WEFT_FLOAT), INT64_MAX / 4 * 4);
  CHECK_INT(weft_dtype_bytes(INT64_MAX / 4 + 1, WEFT_FLOAT), -1);
  CHECK_INT(weft_dtype_bytes(INT64_MAX, WEFT_INT8), INT64_MAX);
  CHECK_INT(weft_dtype_bytes(INT64_MAX, WEFT_INT4), -1);
  CHECK_INT(weft_dtype_bytes(INT64_MAX, WEFT_UINT1), INT64_MAX / 8 + 1);
  CHECK_INT(weft_dtype_bytes(0, WEFT_INT4), 0);
  CHECK_INT(weft_dtype_bytes(4, WEFT_FLOAT6_E3M2), 3);
  CHECK_INT(weft_dtype_bytes(5, WEFT_FLOAT6_E3M2), 4);
  CHECK_INT(weft_dtype_bytes(3, WEFT_STRING), 48);
  CHECK_INT(weft_dtype_bytes(1, WEFT_STRING_REF), 16);
  CHECK_INT(weft_dtype_bytes(3, WEFT_DUAL), 15);
  CHECK_INT(weft_dtype_bytes(3, WEFT_UNDEFINED), -1);
  CHECK_INT(weft_dtype_bytes(3, 77), -1);
  CHECK_INT(weft_dtype_bytes(3, -1), -1);
}

TEST(r186_size) {
  CHECK_INT(weft_dtype_size(WEFT_FLOAT16), 2);
  CHECK_INT(weft_dtype_size(WEFT_FLOAT), 4);
  CHECK_INT(weft_dtype_size(WEFT_INT64), 8);
  CHECK_INT(weft_dtype_size(WEFT_BOOL), 1);
  CHECK_INT(weft_dtype_size(WEFT_INT4), 1004);
  CHECK_INT(weft_dtype_size(WEFT_UINT1), 1001);
  CHECK_INT(weft_dtype_size(WEFT_FLOAT6_E2M3), 1006);
  CHECK_INT(weft_dtype_size(WEFT_COMPLEX128), 16);
  CHECK_INT(weft_dtype_size(WEFT_DUAL), 5);
  CHECK_INT(weft_dtype_size(WEFT_STRING), -1);
  CHECK_INT(weft_dtype_size(WEFT_STRING_REF), -1);
  CHECK_INT(weft_dtype_size(WEFT_UNDEFINED), -1);
  CHECK_INT(weft_dtype_size(5), -1);
  CHECK_INT(weft_dtype_size(43), -1);
  CHECK_INT(weft_dtype_size(-1), -1);
  CHECK_INT(weft_dtype_size(INT64_MAX), -1);
  CHECK_INT(weft_dtype_bits(WEFT_UNDEFINED), 0);
  CHECK_INT(weft_dtype_bits(200), 0);
}

TEST(r187_the_documents_types_have_size_and_string) {
  static const weft_dtype TYPES[] = {WEFT_FLOAT, WEFT_FLOAT16, WEFT_BF16,  WEFT_INT4,
                                     WEFT_INT8,  WEFT_INT32,   WEFT_INT64, WEFT_BOOL};
  for (size_t i = 0; i < sizeof TYPES; i++) {
    CHECK(weft_dtype_size(TYPES[i]) > 0);
    CHECK_INT(parse(weft_dtype_serial(TYPES[i])), TYPES[i]);
  }
}

TEST(r356_lines_of_block_6) {
  char line[96];
  snprintf(line, sizeof line, "1024 floats occupy %lld bytes", (long long)weft_dtype_bytes(1024, WEFT_FLOAT));
  CHECK_STR(line, "1024 floats occupy 4096 bytes");
  snprintf(line, sizeof line, "float16 occupies %d bytes per element", (int)weft_dtype_size(WEFT_FLOAT16));
  CHECK_STR(line, "float16 occupies 2 bytes per element");
  snprintf(line, sizeof line, "%-9s -> %s", "DT_BF16", weft_dtype_serial(parse("DT_BF16")));
  CHECK_STR(line, "DT_BF16   -> DT_BFLOAT16");
  snprintf(line, sizeof line, "Parsed DT_FLOAT -> enum value: %d", (int)parse("DT_FLOAT"));
  CHECK_STR(line, "Parsed DT_FLOAT -> enum value: 0");
}

TEST(promotion_rules) {
  static const struct {
    weft_dtype a;
    weft_dtype b;
    weft_dtype out;
  } CASES[] = {
      {WEFT_INT8, WEFT_UINT8, WEFT_INT16},
      {WEFT_BOOL, WEFT_INT8, WEFT_INT8},
      {WEFT_BOOL, WEFT_FLOAT, WEFT_FLOAT},
      {WEFT_FLOAT16, WEFT_BF16, WEFT_FLOAT},
      {WEFT_INT64, WEFT_BF16, WEFT_BF16},
      {WEFT_INT64, WEFT_FLOAT16, WEFT_FLOAT16},
      {WEFT_BOOL, WEFT_BF16, WEFT_BF16},
      {WEFT_FLOAT16, WEFT_COMPLEX32, WEFT_COMPLEX32},
      {WEFT_INT32, WEFT_COMPLEX32, WEFT_COMPLEX32},
      {WEFT_FLOAT, WEFT_COMPLEX32, WEFT_COMPLEX64},
      {WEFT_BF16, WEFT_COMPLEX32, WEFT_COMPLEX64},
      {WEFT_DOUBLE, WEFT_COMPLEX64, WEFT_COMPLEX128},
      {WEFT_DOUBLE, WEFT_COMPLEX32, WEFT_COMPLEX128},
      {WEFT_UINT16, WEFT_COMPLEX64, WEFT_COMPLEX64},
      {WEFT_UINT32, WEFT_COMPLEX128, WEFT_COMPLEX128},
      {WEFT_UINT64, WEFT_COMPLEX64, WEFT_COMPLEX128},
      {WEFT_UINT64, WEFT_COMPLEX128, WEFT_COMPLEX128},
      {WEFT_UINT16, WEFT_INT32, WEFT_UNDEFINED},
      {WEFT_UINT16, WEFT_COMPLEX32, WEFT_UNDEFINED},
      {WEFT_INT16, WEFT_UINT8, WEFT_INT16},
      {WEFT_INT32, WEFT_INT64, WEFT_INT64},
      {WEFT_INT32, WEFT_FLOAT, WEFT_FLOAT},
      {WEFT_FLOAT8_E5M2, WEFT_FLOAT, WEFT_UNDEFINED},
      {WEFT_HIFLOAT8, WEFT_FLOAT4_E2M1, WEFT_UNDEFINED},
      {WEFT_STRING, WEFT_STRING, WEFT_STRING},
      {WEFT_STRING, WEFT_FLOAT, WEFT_UNDEFINED},
      {WEFT_QINT8, WEFT_INT8, WEFT_UNDEFINED},
      {WEFT_INT4, WEFT_INT8, WEFT_UNDEFINED},
      {77, 77, WEFT_UNDEFINED},
      {5, WEFT_BOOL, WEFT_UNDEFINED},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    CHECK_INT(weft_dtype_promote(CASES[i].a, CASES[i].b), CASES[i].out);
  }
}

TEST(promotion_is_symmetric_and_idempotent) {
  for (int a = 0; a < 256; a++) {
    for (int b = 0; b < 256; b++) {
      weft_dtype p = weft_dtype_promote((weft_dtype)a, (weft_dtype)b);
      CHECK_INT(weft_dtype_promote((weft_dtype)b, (weft_dtype)a), p);
      if (p != WEFT_UNDEFINED) {
        CHECK_INT(weft_dtype_promote(p, (weft_dtype)a), p);  // an upper bound of both
        CHECK_INT(weft_dtype_promote(p, (weft_dtype)b), p);
      }
    }
    CHECK_INT(weft_dtype_promote((weft_dtype)a, (weft_dtype)a), weft_dtype_known(a) ? a : WEFT_UNDEFINED);
  }
}

TEST(families) {
  CHECK(weft_dtype_is_float(WEFT_BF16) && weft_dtype_is_float(WEFT_FLOAT8_E8M0));
  CHECK(weft_dtype_is_float(WEFT_FLOAT4_E2M1) && weft_dtype_is_float(WEFT_HIFLOAT4));
  CHECK(!weft_dtype_is_float(WEFT_INT4) && !weft_dtype_is_float(WEFT_COMPLEX64) && !weft_dtype_is_float(200));
  CHECK(weft_dtype_is_integer(WEFT_UINT1) && weft_dtype_is_integer(WEFT_UINT4) &&
        weft_dtype_is_integer(WEFT_INT64));
  CHECK(!weft_dtype_is_integer(WEFT_BOOL) && !weft_dtype_is_integer(WEFT_QINT8) &&
        !weft_dtype_is_integer(64));
  CHECK(weft_dtype_is_signed(WEFT_INT2) && !weft_dtype_is_signed(WEFT_UINT8) &&
        !weft_dtype_is_signed(WEFT_FLOAT));
  CHECK(weft_dtype_is_complex(WEFT_COMPLEX32) && !weft_dtype_is_complex(WEFT_FLOAT));
}

TEST(set_text) {
  char buf[256];
  CHECK_STR(weft_dtype_set_text(WEFT_DT(INT32) | WEFT_DT(FLOAT16) | WEFT_DT(FLOAT), buf, sizeof buf),
            "f32|f16|i32");
  CHECK_STR(weft_dtype_set_text(0, buf, sizeof buf), "");
  CHECK_STR(weft_dtype_set_text(WEFT_DT(UINT4) | WEFT_BIT(50), buf, sizeof buf), "u4");
  CHECK_STR(weft_dtype_set_text(WEFT_FLOATS, buf, 6), "f32|f");
  buf[0] = 'x';
  weft_dtype_set_text(WEFT_FLOATS, buf, 0);
  CHECK_INT(buf[0], 'x');
  char all[1024];
  CHECK(strlen(weft_dtype_set_text(WEFT_ANY, all, sizeof all)) > 150);
}
// SPDX-License-Identifier: Apache-2.0
