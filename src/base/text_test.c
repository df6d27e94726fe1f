// text_test.c - growing texts, appends, writers, numbers as text.
#include "base/base.h"
#include "base/chars.h"
#include "check.h"

TEST(digits_of_a_number) {
  const uint32_t v[] = {0, 7, 10, 99, 100, 4294967295u};
  const char *const want[] = {"0", "7", "10", "99", "100", "4294967295"};
  for (size_t i = 0; i < WEFT_COUNT(v); i++) {
    char text[11] = {0};
    CHECK_INT(weft__put_u32(text, v[i]), (int64_t)strlen(want[i]));
    CHECK_STR(text, want[i]);
  }
}

TEST(text_grows) {
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft_text t;
  weft__text_init(&t, &a);
  weft__text_add(&t, NULL, 0);
  CHECK_STR(t.v, "");
  for (int i = 0; i < 10000; i++) {
    weft__text_add(&t, "ab", 2);
    weft__text_addf(&t, "%03d", i % 1000);
  }
  CHECK_INT(t.n, 50000);
  CHECK_INT(strlen(t.v), 50000);
  CHECK(!memcmp(t.v + 5 * 1234, "ab234", 5));
  CHECK(count.calls < 16);
  weft__text_deinit(&t);
  CHECK_INT(count.live_blocks, 0);
  CHECK_INT(count.live_bytes, 0);
  weft__text_addf(&t, "%1000d|", 7);  // longer than the room that is tried first
  CHECK_INT(t.n, 1001);
  CHECK_HAS(t.v, "  7|");
  weft__text_deinit(&t);
}

TEST(text_failure_sticks) {
  for (long at = 1;; at++) {
    check_alloc count = {.fail_at = at};
    weft_allocator a = check_allocator(&count);
    weft_text t;
    char before[8];
    weft__text_init(&t, &a);
    for (int i = 0; i < 200; i++) {
      weft__text_add(&t, "0123456789", 10);
      weft__text_addf(&t, "%s", "0123456789");
      weft__text_addf(&t, "%*d", i, 1);
    }
    bool failed = t.failed;
    CHECK_INT(failed, count.calls >= at);
    if (failed) {
      size_t n = t.n;
      memset(before, 0, sizeof before);
      if (n)
        memcpy(before, t.v, 7);
      CHECK_FAILS(weft__text_write(&t, "x", 1), WEFT_E_NOMEM);
      weft__text_addf(&t, "y");
      CHECK_INT(t.n, n);
      CHECK_STR(before, n ? "0123456" : "");
      CHECK_INT(t.v ? strlen(t.v) : 0, n);
    }
    weft__text_deinit(&t);
    CHECK_INT(count.live_blocks, 0);
    if (!failed)
      break;
  }
}

TEST(r333_text_refuses_sizes_that_overflow) {
  weft_text t;
  volatile size_t huge = SIZE_MAX;
  weft__text_init(&t, NULL);
  weft__text_add(&t, "abc", 3);
  weft__text_add(&t, "abc", huge);
  CHECK(t.failed);
  CHECK_STR(t.v, "abc");
  weft__text_deinit(&t);
}

TEST(append_stops_at_capacity) {
  char buf[12];
  size_t at = 0;
  memset(buf, 'g', sizeof buf);
  weft__append(buf, 10, &at, "%s", "abc");
  CHECK_INT(at, 3);
  weft__append(buf, 10, &at, "%s", "defghijkl");
  CHECK_INT(at, 9);
  CHECK_STR(buf, "abcdefghi");
  weft__append(buf, 10, &at, "%d", 5);
  CHECK_STR(buf, "abcdefghi");
  CHECK_INT(buf[10], 'g');
  at = 0;
  weft__append(buf, 0, &at, "x");
  CHECK_INT(at, 0);
  weft__append(buf, 8, &at, "a%s", "算子子");
  CHECK_STR(buf, "a算子");
  CHECK_INT(at, 7);
  at = 0;
  weft__append(buf, 7, &at, "a%s", "算子");
  CHECK_STR(buf, "a算");
}

static weft_status refuse(void *ctx, const char *text, size_t bytes) {
  int *left = ctx;
  (void)text;
  (void)bytes;
  return (*left)-- > 0 ? WEFT_OK : 99;
}

TEST(writers_hand_on_the_status) {
  for (int pieces = 0; pieces < 5; pieces++) {
    int left = pieces;
    CHECK_FAILS(weft__write_quoted(refuse, &left, "ab\ncd", 5), 99);
  }
  int left = 5;
  CHECK_FAILS(weft__write_quoted(refuse, &left, "ab\ncd", 5), WEFT_OK);
  left = 0;
  CHECK_FAILS(weft__write_text(refuse, &left, "x"), 99);
  CHECK_FAILS(weft__writef(refuse, &left, "%d", 1), 99);
}

TEST(writef_holds_a_kibibyte) {
  weft_text t;
  weft__text_init(&t, NULL);
  CHECK_FAILS(weft__writef(weft__text_write, &t, "%*d", 1023, 1), WEFT_OK);
  CHECK_INT(t.n, 1023);
  CHECK_FAILS(weft__writef(weft__text_write, &t, "%*d", 1024, 1), WEFT_E_LIMIT);
  CHECK_INT(t.n, 1023);
  CHECK_FAILS(weft__write_text(weft__text_write, &t, "!"), WEFT_OK);
  CHECK_INT(t.v[1023], '!');
  weft__text_deinit(&t);
}

TEST(r334_quoted) {
  static const char text[] = "a\"b\\c\n\t\r\x01\x1f\0/\x7f 算子\xff";
  weft_text t;
  weft__text_init(&t, NULL);
  CHECK_FAILS(weft__write_quoted(weft__text_write, &t, text, sizeof text - 1), WEFT_OK);
  CHECK_STR(t.v, "\"a\\\"b\\\\c\\n\\t\\r\\u0001\\u001f\\u0000/\x7f 算子\xff\"");
  weft__text_deinit(&t);
  CHECK_FAILS(weft__write_quoted(weft__text_write, &t, NULL, 0), WEFT_OK);
  CHECK_STR(t.v, "\"\"");
  weft__text_deinit(&t);
}

#define CHECK_FLOAT(v, text)  CHECK_STR(weft__float_text((v), buf), text)
#define CHECK_DOUBLE(v, text) CHECK_STR(weft__double_text((v), buf), text)

TEST(float_is_shortest) {
  char buf[32];
  CHECK_FLOAT(0.0f, "0");
  CHECK_FLOAT(-0.0f, "-0");
  CHECK_FLOAT(1.0f, "1");
  CHECK_FLOAT(0.1f, "0.1");
  CHECK_FLOAT(-0.5f, "-0.5");
  CHECK_FLOAT(100.0f, "100");
  CHECK_FLOAT(10000.0f, "10000");
  CHECK_FLOAT(100000.0f, "1e+05");
  CHECK_FLOAT(120000.0f, "120000");
  CHECK_FLOAT(1e20f, "1e+20");
  CHECK_FLOAT(16777216.0f, "16777216");
  CHECK_FLOAT(123.456f, "123.456");
  CHECK_FLOAT(0.0001f, "0.0001");
  CHECK_FLOAT(0.00001f, "1e-05");
  CHECK_FLOAT(1.0f / 3, "0.33333334");
  CHECK_FLOAT(3.40282347e38f, "3.4028235e+38");
  CHECK_FLOAT(1.40129846e-45f, "1e-45");
  CHECK_FLOAT(INFINITY, "inf");
  CHECK_FLOAT(-INFINITY, "-inf");
  CHECK_FLOAT(NAN, "nan");
  CHECK_FLOAT(-NAN, "nan");
}

TEST(double_is_shortest) {
  char buf[32];
  CHECK_DOUBLE(0.1, "0.1");
  CHECK_DOUBLE(0.1 + 0.2, "0.30000000000000004");
  CHECK_DOUBLE(1e20, "1e+20");
  CHECK_DOUBLE(1e6, "1e+06");
  CHECK_DOUBLE(1234567.0, "1234567");
  CHECK_DOUBLE(9007199254740993.0, "9007199254740992");
  CHECK_DOUBLE(1.7976931348623157e308, "1.7976931348623157e+308");
  CHECK_DOUBLE(-1.7976931348623157e308, "-1.7976931348623157e+308");
  CHECK_DOUBLE(4.9406564584124654e-324, "5e-324");
  CHECK_DOUBLE(-2.2250738585072014e-308, "-2.2250738585072014e-308");
  CHECK_DOUBLE(1.0 / 3, "0.3333333333333333");
  CHECK_DOUBLE(0.00012345678901234567, "0.00012345678901234567");
  CHECK_DOUBLE(-INFINITY, "-inf");
  CHECK_DOUBLE(-NAN, "nan");
  CHECK_DOUBLE(-0.0, "-0");
}

static int significant_digits(const char *text) {
  int n = 0;
  int zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (!n && *text == '0'))
      continue;
    zeros = *text == '0' ? zeros + 1 : 0;
    n++;
  }
  return n - zeros;
}

// Every text reads back, and has as few digits as the first "%.*g" that reads back.
TEST(numbers_read_back_and_have_fewest_digits) {
  uint64_t random = 42;
  for (int i = 0; i < 20000; i++) {
    char buf[32];
    char plain[64];
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t low = (uint32_t)(random >> 32);
    uint64_t mixed = random ^ random >> 29;
    float f;
    double g, back;
    memcpy(&f, &low, 4);
    memcpy(&g, &mixed, 8);
    if (i % 2) {
      f = (float)(int32_t)(low >> 8) / 64;
      g = (double)(mixed >> 40) / 1000;
    }
    if (i % 16 == 2) {
      // subnormal
      mixed &= UINT64_C(0xFFFFFFFFFFFFF);
      memcpy(&g, &mixed, 8);
    }
    if (f - f == 0) {
      CHECK(strtof(weft__float_text(f, buf), NULL) == f);
      int digits = 1;
      while (snprintf(plain, sizeof plain, "%.*e", digits - 1, (double)f), strtof(plain, NULL) != f)
        digits++;
      CHECK_INT(significant_digits(buf), f != 0 ? digits : 0);
      CHECK(strlen(buf) <= (size_t)digits + 7);
    }
    if (g - g == 0) {
      CHECK(weft__double_parse(weft__double_text(g, buf), &back) && back == g);
      int digits = 1;
      while (snprintf(plain, sizeof plain, "%.*e", digits - 1, g), strtod(plain, NULL) != g)
        digits++;
      CHECK_INT(significant_digits(buf), g != 0 ? digits : 0);
      CHECK(strlen(buf) <= (size_t)digits + 8);
    }
  }
}

TEST(parse_takes_the_whole_text) {
  double v = 0;
  CHECK(weft__double_parse("-1.5e3", &v) && v == -1500);
  CHECK(weft__double_parse("1e999", &v) && isinf(v));
  CHECK(!weft__double_parse("", &v));
  CHECK(!weft__double_parse("1.5x", &v));
  CHECK(!weft__double_parse("1,5", &v));
  CHECK(!weft__double_parse("1.5.5", &v));
}
// SPDX-License-Identifier: Apache-2.0
