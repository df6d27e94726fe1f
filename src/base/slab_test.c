// slab_test.c - slabs, and memory that is given back before it is freed.
#include "base/base.h"
#include "check.h"

TEST(slab_gives_aligned_memory_that_stays) {
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft__slab s;
  char *p[300];
  struct weft__slab_block *b[300];
  weft__slab_init(&s, &a);
  for (size_t i = 0; i < 300; i++) {
    size_t bytes = i % 100 == 99 ? (size_t)3 << 20 : 1 + i * 37;
    p[i] = weft__slab_take(&s, bytes, &b[i]);
    CHECK(p[i] && (uintptr_t)p[i] % 64 == 0);
    memset(p[i], (int)i, bytes);
  }
  for (size_t i = 0; i < 300; i++)
    CHECK_INT((unsigned char)p[i][0], i % 256);
  CHECK((uintptr_t)p[99] % (2 << 20) == 0);  // large ones can be large pages
  CHECK(count.live_blocks < 60);             // few blocks
  weft__slab_deinit(&s);
  CHECK_INT(count.live_blocks, 0);
}

TEST(slab_blocks_go_back_when_all_in_them_did) {
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft__slab s;
  struct weft__slab_block *b[4];
  weft__slab_init(&s, &a);
  for (size_t i = 0; i < 4; i++)
    CHECK(weft__slab_take(&s, i == 1 ? (size_t)2 << 20 : 100, &b[i]) != NULL);
  CHECK(b[0] == b[2] && b[0] != b[1] && b[2] == b[3]);
  weft__slab_give(&s, b[1]);
  CHECK_INT(count.live_blocks, 2);  // a block and its head
  weft__slab_give(&s, b[0]);
  weft__slab_give(&s, b[3]);
  CHECK_INT(count.live_blocks, 2);
  weft__slab_give(&s, b[2]);
  CHECK_INT(count.live_blocks, 0);
  CHECK(weft__slab_take(&s, 10, NULL) != NULL);  // it goes on
  CHECK(!weft__slab_take(&s, SIZE_MAX - 10, NULL));
  for (long i = 1; i <= 2; i++) {
    count.fail_at = count.calls + i;
    CHECK(!weft__slab_take(&s, (size_t)5 << 20, NULL));
  }
  weft__slab_deinit(&s);
  CHECK_INT(count.live_blocks, 0);
}

TEST(what_a_large_slab_has_over_serves_small_requests) {
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft__slab s;
  struct weft__slab_block *large;
  struct weft__slab_block *small;
  weft__slab_init(&s, &a);
  weft__slab_expect(&s, (size_t)100 << 20);
  char *p = weft__slab_take(&s, (size_t)7 << 19, &large);  // 3.5 MiB, of two large pages
  char *q = weft__slab_take(&s, 1000, &small);
  CHECK(p && q && large == small && q >= p + ((size_t)7 << 19));
  CHECK(weft__slab_take(&s, (size_t)1 << 20, &small) && small != large);
  weft__slab_deinit(&s);
  CHECK_INT(count.live_blocks, 0);
}

TEST(what_is_known_to_come_has_one_block_of_its_size) {
  enum { N = 50, EACH = 100 << 10 };
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft__slab s;
  struct weft__slab_block *first;
  struct weft__slab_block *b;
  weft__slab_init(&s, &a);
  weft__slab_known(&s, (size_t)N * EACH);
  CHECK(weft__slab_take(&s, EACH, &first) != NULL);
  for (int i = 1; i < N; i++)
    CHECK(weft__slab_take(&s, EACH, &b) && b == first);
  CHECK(count.live_bytes < weft__large_bytes((size_t)N * EACH) + 1000);
  weft__slab_known(&s, EACH - 1);  // less than what is asked for: as if nothing were known
  CHECK(weft__slab_take(&s, 4 * EACH, &b) && b != first);
  weft__slab_known(&s, 0);
  CHECK(weft__slab_take(&s, EACH, NULL) != NULL);
  weft__slab_deinit(&s);
  CHECK_INT(count.live_blocks, 0);
}

TEST(large_pages_are_filled_up_only_by_half) {
  size_t page = (size_t)2 << 20;
  CHECK_INT(weft__large_bytes(page / 2 - 1), page / 2 - 1);
  CHECK_INT(weft__large_bytes(page / 2), page);
  CHECK_INT(weft__large_bytes(page), page);
  CHECK_INT(weft__large_bytes(page + 1), page + 1);
  CHECK_INT(weft__large_bytes(2 * page - 1), 2 * page);
  CHECK(weft__large_bytes(SIZE_MAX) == SIZE_MAX);
}

TEST(touched_pages_keep_what_is_in_them) {
  weft_allocator a = weft_allocator_default();
  char *p = weft__alloc(&a, 100000, 64);
  memset(p, 5, 100000);
  weft__pages_touch(p, 100000);
  weft__pages_touch(p + 7, 0);
  for (size_t i = 0; i < 100000; i += 999)
    CHECK_INT(p[i], 5);
  weft__free(&a, p, 100000, 64);
}

TEST(an_arena_uses_again_what_was_trimmed) {
  weft_arena a;
  weft__arena_init(&a, NULL);
  char *p = weft__arena_alloc(&a, 600, 64);
  weft__arena_trim(&a, p, 600, 100);
  char *q = weft__arena_alloc(&a, 8, 4);
  CHECK(q == p + 100);
  weft__arena_trim(&a, p, 600, 0);  // no longer the last
  CHECK((char *)weft__arena_alloc(&a, 8, 4) == q + 8);
  weft__arena_deinit(&a);
}

TEST(repeat_fills) {
  char to[40000];
  for (size_t n = 0; n < 13000; n += n < 20 ? 1 : 977) {
    memset(to, 9, sizeof to);
    weft__repeat(to, "abc", 3, n);
    bool good = true;
    for (size_t i = 0; i < 3 * n; i++)
      good &= to[i] == "abc"[i % 3];
    CHECK(good && to[3 * n] == 9);
  }
}

TEST(dropped_pages_are_still_memory) {
  weft_allocator a = weft_allocator_default();
  size_t bytes = (size_t)4 << 20;
  char *p = weft__alloc(&a, bytes, weft__large_align(bytes));
  CHECK(p && (uintptr_t)p % (2 << 20) == 0);
  if (!p)
    return;
  memset(p, 7, bytes);
  weft__pages_drop(&a, p + 100, bytes - 200);
  CHECK(p[0] == 7 && p[99] == 7 && p[bytes - 1] == 7);  // what was not named
  memset(p, 8, bytes);
  CHECK_INT(p[bytes / 2], 8);
  weft__free(&a, p, bytes, weft__large_align(bytes));
}
// SPDX-License-Identifier: Apache-2.0
