// pad_rule_test.c - the rules that Pad, LRN's window, pools and DepthToSpace share with their kernels,
// against places written out by hand.
#include "pad.rule.h"
#include "space.rule.h"
#include "window.rule.h"

#include "check.h"

// Places -5 to 7 of three elements a, b, c; '.': the constant.
static const char *pad_row(weft_pad_source mode) {
  static char row[14];
  for (int64_t i = -5; i < 8; i++) {
    const int64_t at = weft__pad_place(mode, i, 3);
    row[i + 5] = (char)(at < 0 ? '.' : 'a' + at);
  }
  return row;
}

TEST(pad_rule_places) {
  CHECK_STR(pad_row(WEFT_PAD_CONSTANT), ".....abc.....");
  CHECK_STR(pad_row(WEFT_PAD_EDGE), "aaaaaabcccccc");
  CHECK_STR(pad_row(WEFT_PAD_REFLECT), "babcbabcbabcb");
  CHECK_STR(pad_row(WEFT_PAD_SYMMETRIC), "bccbaabccbaab");
  CHECK_STR(pad_row(WEFT_PAD_WRAP), "bcabcabcabcab");
  CHECK_INT(weft__pad_place(WEFT_PAD_REFLECT, 9, 1), 0);
  CHECK_INT(weft__pad_place(WEFT_PAD_WRAP, 4, 0), -1);
  CHECK_INT(weft__pad_axis(4, INT64_MIN, INT64_MAX).dim, 0);
}

TEST(pad_rule_names_and_counts) {
  CHECK_INT(weft__pad_source(NULL), WEFT_PAD_CONSTANT);
  CHECK_INT(weft__pad_source("symmetric"), WEFT_PAD_SYMMETRIC);
  CHECK_INT(weft__pad_source("circular"), WEFT_PAD_WRAP);
  CHECK_INT(weft__pad_count_at(1, 1, 3, true), 3);
  CHECK_INT(weft__pad_count_at(1, 1, 3, false), 4);
}

// Three elements two apart from -3 on lie at -3, -1 and 1.
TEST(window_rule_before) {
  CHECK_INT(weft__window_before(3, 2, -3, -3), 0);
  CHECK_INT(weft__window_before(3, 2, -3, -2), 1);
  CHECK_INT(weft__window_before(3, 2, -3, 0), 2);
  CHECK_INT(weft__window_before(3, 2, -3, 1), 2);
  CHECK_INT(weft__window_before(3, 2, -3, 2), 3);
  CHECK_INT(weft__window_before(3, 1, 5, 7), 2);
  CHECK_INT(weft__window_before(3, 1, 5, INT64_MAX), 3);
}

// Eight channels as blocks of 2 x 2 of two: by slow channels 01234567 are (row, column, channel), by fast
// ones (channel, row, column).
TEST(space_rule_steps) {
  const weft_block_steps slow = weft__block_steps(2, 2, false);
  const weft_block_steps fast = weft__block_steps(2, 2, true);
  CHECK_INT(slow.row, 4);
  CHECK_INT(slow.column, 2);
  CHECK_INT(slow.channel, 1);
  CHECK_INT(fast.row, 2);
  CHECK_INT(fast.column, 1);
  CHECK_INT(fast.channel, 4);
  CHECK_INT(weft__image_axes("NCHW").c, 1);
  CHECK_INT(weft__image_axes(NULL).w, 2);
  CHECK(weft__block_is_fast("CRD") && !weft__block_is_fast("DCR") && !weft__block_is_fast(NULL));
}
// SPDX-License-Identifier: Apache-2.0
