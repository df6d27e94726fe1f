// difference_test.c - the largest error, passed or not.
#include "check.h"
#include "weft/debug.h"

static void expect_difference(const char *got, const char *want, const char *expected) {
  char text[400];
  weft_difference x = {0};
  weft_tensor t[2];
  weft_diag d = {0};
  const char *of[2] = {got, want};
  for (int i = 0; i < 2; i++) {
    size_t used;
    weft_tensor_init(&t[i], NULL);
    CHECK_OK(weft_tensor_parse(of[i], strlen(of[i]), NULL, &t[i], &used, &d), &d);
  }
  weft_difference_add(&x, &t[0], &t[1]);
  for (int i = 0; i < 2; i++)
    weft_tensor_deinit(&t[i]);
  CHECK_STR(weft_difference_text(&x, text, sizeof text), expected);
}

TEST(the_largest_error_and_where_it_is) {
  expect_difference("f32[2,2]{1,2,3,4.5}", "f32[2,2]{1,2.25,3,4}",
                    "largest error 0.5 at [1,1] (4.5, expected 4), relative 0.125 at [1,1]");
  expect_difference("f32[2]{1.5,100}", "f32[2]{1,99}",
                    "largest error 1 at [1] (100, expected 99), relative 0.5 at [0]");
  expect_difference("i8[3]{1,2,3}", "i8[3]{1,2,5}",
                    "largest error 2 at [2] (3, expected 5), relative 0.4 at [2]");
  expect_difference("f32[]{1}", "f32[]{0}", "largest error 1 at [] (1, expected 0)");
}

TEST(equal_is_said_and_nan_is_infinitely_far) {
  expect_difference("f32[2]{nan,-0}", "f32[2]{nan,0}", "all elements are equal");
  expect_difference("f32[0]", "f32[0]", "all elements are equal");
  expect_difference("f32[2]{1,nan}", "f32[2]{1,2}",
                    "largest error inf at [1] (nan, expected 2), relative inf at [1]");
}

TEST(what_does_not_compare_says_nothing) {
  expect_difference("f32[2]{1,2}", "f32[1,2]{1,2}", "");
  expect_difference("f32[2]{1,2}", "f64[2]{1,2}", "");
  expect_difference("str[1]{\"a\"}", "str[1]{\"b\"}", "");
}
// SPDX-License-Identifier: Apache-2.0
