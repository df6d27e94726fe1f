// lookup_test.c - operators that look elements up in tables: ml's encoders. What equal is, and that a table
// of many keys is not searched key by key.
#include "check.h"
#include "rows.h"

TEST(keys_that_are_equal_in_odd_ways) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  ROWS_EXAMPLE(&r, "LabelEncoder",
               "f32[4]{nan,-0.0,0,3}, f32[3]{0,nan,5}, i64[3]{1,2,3}, i64[]{-1} -> i64[4]{2,1,1,-1}");
  ROWS_EXAMPLE(
      &r, "LabelEncoder",
      "str[3]{\"\",\"ab\",\"a\"}, str[3]{\"a\",\"\",\"a\"}, i64[3]{1,2,3}, i64[]{-1} -> i64[3]{2,-1,3}");
  ROWS_EXAMPLE(
      &r, "LabelEncoder",
      "u64[2]{18446744073709551615,1}, u64[2]{1,18446744073709551615}, i64[2]{1,2}, i64[]{0} -> i64[2]{2,1}");
  ROWS_EXAMPLE(&r, "OneHotEncoder", "f64[2]{-3.5,9}, i64[3]{-3,9,9} -> f32[2,3]{1,0,0,0,0,1}");
  rows_close(&r);
}

// 100,000 elements among 100,000 keys: 5,000 million comparisons one by one.
TEST(many_keys_take_no_longer_than_they_are_many) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  double begin = check_seconds();
  const char *made = rows_run(&r, "LabelEncoder", NULL,
                              "i64[100000]{0..}; i64[100000]{0..}; i64[100000]{0..}; i64[]{-1}", 1);
  double seconds = check_seconds() - begin;
  CHECK_HAS(made, "i64[100000]{0,1,2");
  if (check_too_long(seconds, 2))
    check_failed(__FILE__, __LINE__, "%g s of the processor", seconds);
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
