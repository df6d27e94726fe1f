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
  char other[80] = {0};
  memset(text, 'x', 64);
  memset(other, 'y', 64);
  CHECK_INT(far(text, other, 100), 101);
  CHECK_INT(weft_name_distance(text, 63, other + 1, 100), 63);
}

TEST(long_names_differ_by_what_lies_between) {
  const char *given = "/vision_model/encoder/layers.10/self_attn/k_proj/MatMul_ouput_0";
  const char *name = "/vision_model/encoder/layers.10/self_attn/k_proj/MatMul_output_0_dequantized";
  CHECK_INT(far(given, name, 20), 13);
  CHECK_INT(far("/vision_model/encoder/layers.10/self_attn/k_proj/MatMul_output_1_dequantized", name, 9), 1);
  CHECK_INT(far("aab", "ab", 2), 1);
  CHECK_INT(far("abab", "ab", 2), 2);
  CHECK_INT(far("ba", "ab", 2), 1);
}
// SPDX-License-Identifier: Apache-2.0
