// alloc_test.c - default allocator, vectors and arenas.
#include "base/base.h"
#include "check.h"

TEST(default_allocator_respects_align_and_keeps_bytes) {
  weft_allocator a = weft_allocator_default();
  for (size_t align = 1; align <= 8192; align *= 2) {
    unsigned char *p = weft__alloc(&a, 100, align);
    CHECK(p && !((uintptr_t)p % align));
    if (!p)
      return;
    for (int i = 0; i < 100; i++)
      p[i] = (unsigned char)i;
    p = weft__realloc(&a, p, 100, 5000, align);
    CHECK(p && !((uintptr_t)p % align));
    if (!p)
      return;
    for (int i = 0; i < 100; i++)
      CHECK_INT(p[i], i);
    p = weft__realloc(&a, p, 5000, 10, align);
    CHECK(p && !((uintptr_t)p % align) && p[9] == 9);
    weft__free(&a, p, 10, align);
  }
}

TEST(zero_bytes_give_a_block) {
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  void *p = weft__alloc(&a, 0, 8);
  CHECK(p != NULL);
  p = weft__realloc(&a, p, 0, 0, 8);
  CHECK(p != NULL);
  weft__free(&a, p, 0, 8);
  weft__free(&a, NULL, 10, 8);
  CHECK_INT(count.live_blocks, 0);
  CHECK_INT(count.live_bytes, 0);
}

TEST(r333_sizes_that_overflow_are_refused) {
  weft_allocator a = weft_allocator_default();
  weft_arena arena;
  void *v = NULL;
  size_t cap = 0;
  volatile size_t huge = SIZE_MAX;  // volatile: compilers warn of sizes they see through
  CHECK(!weft__alloc(&a, huge - 4, 64));
  CHECK(!weft__alloc(&a, huge / 2 + 1, 16));
  CHECK(!weft__vec_grow(&a, &v, &cap, huge, 1));
  CHECK(!weft__vec_grow(&a, &v, &cap, 3, huge / 4));
  CHECK(!v && !cap);
  weft__arena_init(&arena, NULL);
  CHECK(!weft__arena_alloc(&arena, huge, 1));
  CHECK(!weft__arena_alloc(&arena, huge - 40, 16));
  CHECK(!weft__arena_alloc(&arena, huge - 40, 64));
  CHECK(!weft__arena_array(&arena, huge / 4, 8, 8));
  CHECK(!weft__arena_strdup(&arena, "x", huge));
  CHECK(weft__arena_alloc(&arena, 8, 8) != NULL);
  CHECK(!weft__arena_alloc(&arena, huge, 1));  // with a block to bump
  CHECK(!weft__arena_alloc(&arena, huge - 8, 4096));
  weft__arena_deinit(&arena);
}

TEST(an_allocator_without_function_is_the_default) {
  weft_allocator none = {NULL, NULL};
  void *p = weft__alloc(&none, 16, 16);
  void *q = weft__alloc(NULL, 16, 16);
  CHECK(p && q);
  weft__free(&none, p, 16, 16);
  weft__free(NULL, q, 16, 16);
}

TEST(vector_grows_and_survives_failure) {
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  WEFT_VEC(int) v = {0};
  for (int i = 0; i < 10000; i++) {
    CHECK(WEFT_VEC_ROOM(&a, v));
    v.v[v.n++] = i;
  }
  CHECK(count.calls < 20);
  while (v.n < v.cap)
    v.v[v.n++] = 0;
  count.fail_at = count.calls + 1;
  CHECK(!WEFT_VEC_ROOM(&a, v));
  for (int i = 0; i < 10000; i++)
    CHECK_INT(v.v[i], i);
  WEFT_VEC_FREE(&a, v);
  CHECK_INT(count.live_blocks, 0);
  CHECK_INT(count.live_bytes, 0);
}

TEST(arena_pointers_are_aligned_and_stay) {
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft_arena arena;
  enum { N = 3000 };
  static unsigned char *p[N];
  static size_t size[N];
  uint32_t random = 1;
  size_t total = 0;
  weft__arena_init(&arena, &a);
  for (int i = 0; i < N; i++) {
    random = random * 1664525u + 1013904223u;
    size_t align = (size_t)1 << (random >> 28) % 9;
    size[i] = i % 100 == 99 ? random >> 12 & 0xFFFF : random >> 20 & 127;
    p[i] = weft__arena_alloc(&arena, size[i], align);
    CHECK(p[i] && !((uintptr_t)p[i] % align));
    if (!p[i])
      return;
    memset(p[i], i & 255, size[i]);
    total += size[i];
  }
  for (int i = 0; i < N; i++) {
    for (size_t k = 0; k < size[i]; k++) {
      if (p[i][k] == (i & 255))
        continue;
      CHECK_INT(p[i][k], i & 255);
      break;
    }
  }
  CHECK(arena.used_bytes >= total);
  CHECK(count.live_bytes < 3 * arena.used_bytes);
  weft__arena_deinit(&arena);
  CHECK_INT(count.live_blocks, 0);
  CHECK_INT(count.live_bytes, 0);
  CHECK_STR(weft__arena_strdup(&arena, "again", 5), "again");
  weft__arena_deinit(&arena);
  CHECK_INT(count.live_blocks, 0);
}

TEST(arena_takes_few_blocks) {
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft_arena arena;
  weft__arena_init(&arena, &a);
  CHECK_INT(count.calls, 0);
  for (int i = 0; i < 1 << 16; i++)
    CHECK(weft__arena_alloc(&arena, 64, 8) != NULL);
  CHECK_INT(arena.used_bytes, 64 << 16);
  CHECK(count.calls <= 14);  // 4 KiB to 1 MiB is 9 blocks, then one for each MiB
  weft__arena_deinit(&arena);
}

TEST(arena_large_request_keeps_the_bumped_block) {
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft_arena arena;
  weft__arena_init(&arena, &a);
  char *small = weft__arena_alloc(&arena, 16, 16);
  char *large = weft__arena_alloc(&arena, 1 << 22, 64);
  char *next = weft__arena_alloc(&arena, 16, 16);
  CHECK(small && large && next == small + 16);
  memset(large, 1, 1 << 22);
  weft__arena_deinit(&arena);
  large = weft__arena_zalloc(&arena, 100000, 4096);  // first of all
  CHECK(large && !large[0] && !large[99999] && !((uintptr_t)large % 4096));
  CHECK(weft__arena_alloc(&arena, 16, 16) != NULL);
  weft__arena_deinit(&arena);
}

TEST(arena_large_blocks_are_whole_pages_and_what_they_have_over_is_used) {
  enum { PAGE = 1 << 21 };
  weft_arena arena;
  weft__arena_init(&arena, NULL);
  char *small = weft__arena_alloc(&arena, 16, 16);
  char *large = weft__arena_alloc(&arena, PAGE + PAGE / 2, 16);
  CHECK(small && large && (uintptr_t)large % PAGE < 64);
  char *next = weft__arena_alloc(&arena, 16, 16);  // half a page is over, more than the first block has left
  CHECK(next == large + PAGE + PAGE / 2);
  char *full = weft__arena_alloc(&arena, PAGE - 4096, 16);  // has less over than there is left: kept
  CHECK(full && weft__arena_alloc(&arena, 16, 16) == next + 16);
  memset(large, 1, PAGE + PAGE / 2);
  memset(full, 1, PAGE - 4096);
  weft__arena_deinit(&arena);
  weft__arena_expect(&arena, 10 * PAGE);
  small = weft__arena_alloc(&arena, 16, 16);
  CHECK(small && (uintptr_t)small % PAGE < 64);
  for (int i = 0; i < 1 << 16; i++)
    CHECK(weft__arena_alloc(&arena, 64, 8) != NULL);
  CHECK_INT(arena.used_bytes, 16 + (64 << 16));
  weft__arena_deinit(&arena);
}

TEST(arena_arrays_are_zeroed_and_texts_terminated) {
  weft_arena arena;
  weft__arena_init(&arena, NULL);
  memset(weft__arena_alloc(&arena, 256, 8), 255, 256);
  int64_t *v = WEFT_NEW_N(&arena, int64_t, 50);
  for (int i = 0; i < 50; i++)
    CHECK_INT(v[i], 0);
  CHECK(WEFT_NEW(&arena, weft_diag) != NULL);
  CHECK(WEFT_NEW_N(&arena, int, 0) != NULL);
  CHECK_STR(weft__arena_strdup(&arena, "abcdef", 3), "abc");
  CHECK_STR(weft__arena_strdup(&arena, NULL, 0), "");
  weft__arena_deinit(&arena);
}

TEST(arena_survives_failure) {
  check_alloc count = {.fail_at = 2};
  weft_allocator a = check_allocator(&count);
  weft_arena arena;
  weft__arena_init(&arena, &a);
  CHECK_STR(weft__arena_strdup(&arena, "one", 3), "one");
  CHECK(!weft__arena_alloc(&arena, 1 << 20, 8));
  CHECK_STR(weft__arena_strdup(&arena, "two", 3), "two");
  CHECK(weft__arena_alloc(&arena, 1 << 20, 8) != NULL);
  weft__arena_deinit(&arena);
  CHECK_INT(count.live_blocks, 0);
}
// SPDX-License-Identifier: Apache-2.0
