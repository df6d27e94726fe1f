// near_test.c - distances of names, and where counting ends.
#include "check.h"
#include "weft/base.h"

static size_t far(const char *given, const char *name, size_t most) {
  return weft_name_distance(given, strlen(given), name, most);
}

TEST(letters_that_differ_count) {
  CHECK_INT(far("Relu", "Relu", 3), 0);
  CHECK_INT(far("relu", "ReLU", 3), 0);
  CHECK_INT(far("--thread", "--threads", 3), 1);
  CHECK_INT(far("kitten", "sitting", 9), 3);
  CHECK_INT(far("", "abc", 3), 3);
  CHECK_INT(far("shwo", "show", 3), 1);  // neighbours in each other's place
  CHECK_INT(far("Cnov", "Conv", 1), 1);
  CHECK_INT(far("ca", "abc", 3), 3);
  CHECK_INT(weft_name_distance("--option=x", 8, "--option", 2), 0);
}

TEST(more_than_asked_is_one_more) {
  CHECK_INT(far("kitten", "sitting", 2), 3);
  CHECK_INT(far("a", "abcdef", 2), 3);
  char text[80] = {0};
  memset(text, 'x', 64);
  CHECK_INT(far(text, text, 5), 6);
  CHECK_INT(weft_name_distance(text, 63, text + 1, 5), 0);
}
// SPDX-License-Identifier: Apache-2.0
