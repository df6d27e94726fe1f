// divide_rule_test.c - quotients and remainders against what defines them, in 128 bits and without dividing:
// a = q * b + r, |r| < |b|, and the sign that r has.
#include "elementwise/divide.rule.h"

#include "check.h"

__extension__ typedef __int128 wide;

static const int64_t NUMBERS[] = {0,  1,  -1, 2,   -2,   3,         -3,        7,         -7,
                                  10, 63, 64, 127, -128, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
enum { COUNT = sizeof NUMBERS / sizeof *NUMBERS };

// Is r what a leaves, and has it the sign of `like`, or is it 0?
static bool is_remainder(int64_t a, int64_t b, int64_t q, int64_t r, int64_t like) {
  const wide size = r < 0 ? -(wide)r : r;
  const wide most = b < 0 ? -(wide)b : b;
  const bool adds_up = (int64_t)((uint64_t)q * (uint64_t)b + (uint64_t)r) == a;
  return adds_up && size < most && (r == 0 || (r < 0) == (like < 0));
}

TEST(divide_rule_whole_numbers) {
  for (int i = 0; i < COUNT; i++) {
    for (int k = 1; k < COUNT; k++) {
      const int64_t a = NUMBERS[i];
      const int64_t b = NUMBERS[k];
      const char *bad = NULL;
      const int64_t q = weft__quotient_i64(a, b, &bad);
      const int64_t down = weft__floor_quotient_i64(a, b, &bad);
      CHECK(is_remainder(a, b, q, weft__remainder_i64(a, b, &bad), a));
      CHECK(is_remainder(a, b, down, weft__floor_remainder_i64(a, b, &bad), b));
      CHECK(!bad);
    }
  }
}

// The smallest number has no quotient by -1: it wraps.
TEST(divide_rule_smallest) {
  const char *bad = NULL;
  CHECK(weft__quotient_i64(INT64_MIN, -1, &bad) == INT64_MIN);
  CHECK(weft__floor_quotient_i64(INT64_MIN, -1, &bad) == INT64_MIN);
  CHECK_INT(weft__remainder_i64(INT64_MIN, -1, &bad), 0);
  CHECK_INT(weft__floor_remainder_i64(INT64_MIN, -1, &bad), 0);
  CHECK(weft__quotient_u64(UINT64_MAX, 2, &bad) == (uint64_t)INT64_MAX);
  CHECK_INT(weft__remainder_u64(UINT64_MAX, 2, &bad), 1);
  CHECK(!bad);
}

TEST(divide_rule_by_zero) {
  const char *bad = NULL;
  (void)weft__quotient_i64(5, 0, &bad);
  CHECK_STR(bad, "division by zero");
  bad = NULL;
  (void)weft__floor_quotient_i64(-5, 0, &bad);
  CHECK_STR(bad, "division by zero");
  bad = NULL;
  CHECK_INT(weft__quotient_u64(5, 0, &bad), 0);
  CHECK_STR(bad, "division by zero");
  bad = NULL;
  (void)weft__floor_remainder_i64(5, 0, &bad);
  CHECK_STR(bad, "modulo by zero");
  bad = NULL;
  CHECK_INT(weft__remainder_u64(5, 0, &bad), 0);
  CHECK_STR(bad, "modulo by zero");
  CHECK(isnan(weft__remainder_f64(5, 0)) && isnan(weft__floor_remainder_f64(5, 0)));
}

TEST(divide_rule_floats) {
  CHECK_F64(weft__remainder_f64(-7.5, 2), -1.5, 0);
  CHECK_F64(weft__floor_remainder_f64(-7.5, 2), 0.5, 0);
  CHECK_F64(weft__floor_remainder_f64(7.5, -2), -0.5, 0);
  CHECK(signbit(weft__floor_remainder_f64(4, -2)) && !signbit(weft__floor_remainder_f64(-4, 2)));
  CHECK_F64(weft__floor_remainder_f64(5, INFINITY), 5, 0);
  CHECK(weft__floor_remainder_f64(-5, INFINITY) == INFINITY);
}
// SPDX-License-Identifier: Apache-2.0
