// norm_rule_test.c - the rules of windows and normalisations that operators and kernels share, against
// numbers worked out by hand.
#include "norm.rule.h"
#include "conv.rule.h"

#include "check.h"

// Six channels in two groups: lanes 0 and 1 are those of image 0, 2 and 3 those of image 1.
TEST(norm_rule_channels) {
  const weft_norm_groups g = weft__norm_split(6, 2);
  CHECK_INT(g.members, 3);
  CHECK_INT(weft__norm_channel(g, 0, 2), 2);
  CHECK_INT(weft__norm_channel(g, 1, 0), 3);
  CHECK_INT(weft__norm_channel(g, 2, 1), 1);
  CHECK_INT(weft__norm_channel(g, 3, 2), 5);
  CHECK_F64(weft__norm_root(3, 1), 2, 0);
  CHECK_INT(weft__channel_axis("NHWC", 4), 3);
  CHECK_INT(weft__channel_axis("NCHW", 4), 1);
  CHECK_INT(weft__channel_axis(NULL, 4), 1);
  CHECK(weft__channels_last("NLC") && !weft__channels_last("NC") && !weft__channels_last(""));
}

TEST(window_rule_padding) {
  CHECK_INT(weft__pad_mode("NOTSET"), WEFT_PAD_EXPLICIT);
  CHECK_INT(weft__pad_mode("CALCULATED"), WEFT_PAD_EXPLICIT);
  CHECK_INT(weft__pad_mode(NULL), WEFT_PAD_EXPLICIT);
  CHECK_INT(weft__pad_mode("SAME"), WEFT_PAD_SAME_UPPER);
  CHECK_INT(weft__pad_mode("SAME_LOWER"), WEFT_PAD_SAME_LOWER);
  CHECK(weft__pads_same(WEFT_PAD_SAME_LOWER) && !weft__pads_same(WEFT_PAD_VALID));
  CHECK_INT(weft__window_reach(3, 2), 5);
  CHECK_INT(weft__same_padding(4, 4, 1, 4), 3);  // 4 windows of 4 elements reach over 7
  CHECK_INT(weft__same_padding(9, 2, 1, 1), 0);
  CHECK_INT(weft__same_begin(WEFT_PAD_SAME_UPPER, 3), 1);
  CHECK_INT(weft__same_begin(WEFT_PAD_SAME_LOWER, 3), 2);
}

// Two inputs at a stride of 2 under windows of 3 elements cover 5.
TEST(conv_rule_transposed) {
  const weft_transposed_axis a = {.in = 2, .out = 4, .stride = 2, .reach = 3};
  const weft_transposed_axis more = {.in = 2, .out = 3, .stride = 2, .reach = 3, .more = 1};
  const weft_transposed_axis wider = {.in = 2, .out = 9, .stride = 2, .reach = 3};
  CHECK_INT(weft__transposed_padding(&a), 1);
  CHECK_INT(weft__transposed_padding(&more), 3);
  CHECK_INT(weft__transposed_padding(&wider), 0);
  CHECK_INT(weft__transposed_begin(WEFT_PAD_SAME_UPPER, 3), 1);
  CHECK_INT(weft__transposed_begin(WEFT_PAD_SAME_LOWER, 3), 2);
  CHECK_INT(weft__transposed_begin(WEFT_PAD_EXPLICIT, 3), 2);
}
// SPDX-License-Identifier: Apache-2.0
