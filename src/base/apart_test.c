// apart_test.c - what is set apart comes back, and what was written beside it is found.
#include "base/apart.h"

#include "base/base.h"
#include "check.h"

enum { BYTES = 200, PARTS = 3 };
typedef struct set {
  _Alignas(64) char memory[512], room[PARTS * 512];
  weft_apart part[PARTS];
} set;

// An output at an odd address, one that is overwritten, and none at all.
static void begin(set *s) {
  for (size_t i = 0; i < sizeof s->memory; i++)
    s->memory[i] = (char)i;
  s->part[0] = (weft_apart){.at = s->memory + 3, .bytes = BYTES, .moves = WEFT_APART_BACK};
  s->part[1] = (weft_apart){.at = NULL, .bytes = 0};
  s->part[2] = (weft_apart){.at = s->memory + 256, .bytes = BYTES, .moves = WEFT_APART_IN | WEFT_APART_BACK};
  weft__apart_begin(s->part, PARTS, s->room);
}

TEST(parts_keep_their_alignment_and_come_back) {
  set s;
  weft_astray stray;
  CHECK(weft__apart_room(BYTES) <= 512);
  begin(&s);
  for (uint32_t i = 0; i < PARTS; i += 2) {
    CHECK_INT((uintptr_t)s.part[i].copy % 64, (uintptr_t)s.part[i].at % 64);
    CHECK(weft__apart_of(s.part, PARTS, s.part[i].at + BYTES - 1) == s.part[i].copy + BYTES - 1);
    CHECK(weft__apart_true(s.part, PARTS, s.part[i].copy + 5) == s.part[i].at + 5);
  }
  CHECK(weft__apart_of(s.part, PARTS, s.memory + 230) == s.memory + 230);
  CHECK(!weft__apart_of(s.part, PARTS, NULL));
  CHECK(!memcmp(s.part[2].copy, s.part[2].at, BYTES));
  memset(s.part[0].copy, 77, BYTES);
  CHECK(weft__apart_end(s.part, PARTS, &stray));
  CHECK_INT(s.memory[2], 2);
  CHECK_INT(s.memory[3], 77);
  CHECK_INT(s.memory[202], 77);
  CHECK_INT((unsigned char)s.memory[203], 203);
  CHECK_INT((unsigned char)s.memory[256 + 9], 9);
}

TEST(what_is_written_beside_a_part_is_found) {
  static const struct {
    // from the part's start
    int part;
    int at;
    bool behind;
    uint32_t near;
  } cases[] = {{0, -1, false, 0}, {0, -64, false, 63}, {2, BYTES, true, 0}, {2, BYTES + 63, true, 63}};
  set s;
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    weft_astray stray;
    begin(&s);
    s.part[cases[i].part].copy[cases[i].at] = 1;
    CHECK(!weft__apart_end(s.part, PARTS, &stray));
    CHECK_INT(stray.part, cases[i].part);
    CHECK_INT(stray.behind, cases[i].behind);
    CHECK_INT(stray.near, cases[i].near);
    CHECK_INT(stray.far, cases[i].near);
  }
  CHECK(weft__apart_room(SIZE_MAX) == SIZE_MAX && weft__apart_room(0) >= 128);
}
// SPDX-License-Identifier: Apache-2.0
