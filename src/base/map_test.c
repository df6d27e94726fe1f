// map_test.c - the map against a plain array, its order, and every allocation failed.
#include "base/base.h"
#include "check.h"

TEST(set_find_replace_remove) {
  weft_map m;
  int a;
  int b;
  weft__map_init(&m, NULL);
  CHECK(!weft__map_find(&m, "x", 1));
  weft__map_remove(&m, "x", 1);
  CHECK_INT(weft__map_set(&m, "x", 1, &a), WEFT_OK);
  CHECK_INT(weft__map_set(&m, "", 0, &b), WEFT_OK);
  CHECK_INT(weft__map_set(&m, "a\0b", 3, &b), WEFT_OK);
  CHECK(weft__map_find(&m, "x", 1) == &a);
  CHECK(weft__map_find(&m, NULL, 0) == &b);
  CHECK(weft__map_find(&m, "a\0b", 3) == &b);
  CHECK(!weft__map_find(&m, "a", 1) && !weft__map_find(&m, "a\0c", 3));
  CHECK_INT(weft__map_set(&m, "x", 1, &b), WEFT_OK);
  CHECK(weft__map_find(&m, "x", 1) == &b);
  CHECK_INT(m.n, 3);
  weft__map_remove(&m, "x", 1);
  CHECK(!weft__map_find(&m, "x", 1));
  CHECK_INT(weft__map_set(&m, "", 0, NULL), WEFT_OK);
  CHECK(!weft__map_find(&m, "", 0));
  CHECK_INT(m.n, 3);
  weft__map_deinit(&m);
  CHECK(!weft__map_find(&m, "x", 1));
  CHECK_INT(weft__map_set(&m, "x", 1, &a), WEFT_OK);
  weft__map_deinit(&m);
}

TEST(interning_finds_or_adds) {
  weft_map m;
  int a;
  int b;
  weft__map_init(&m, NULL);
  CHECK(weft__map_intern(&m, "x", 1, &a) == &a);
  CHECK(weft__map_intern(&m, "x", 1, &b) == &a);
  CHECK(weft__map_intern(&m, "", 0, &b) == &b);
  weft__map_remove(&m, "x", 1);
  CHECK(weft__map_intern(&m, "x", 1, &b) == &b);
  CHECK(weft__map_find(&m, "x", 1) == &b);
  weft__map_deinit(&m);
}

TEST(reserved_room_is_the_arenas_and_more_is_not) {
  enum { N = 100 };
  static char key[N][16];
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft_arena arena;
  weft_map m;
  weft__arena_init(&arena, NULL);
  weft__map_init(&m, &a);
  CHECK_INT(weft__map_reserve(&m, &arena, 20), WEFT_OK);
  for (int i = 0; i < N; i++) {
    snprintf(key[i], sizeof key[i], "node_%d", i);
    if (i == 32) {  // no room any more: both new arrays fail once
      for (size_t k = 1; k <= 2; k++) {
        count.fail_at = count.calls + k;
        CHECK_INT(weft__map_add(&m, key[i], strlen(key[i]), key[i]), WEFT_E_NOMEM);
        CHECK(weft__map_find(&m, key[31], strlen(key[31])) == key[31]);
      }
      count.fail_at = 0;
    }
    CHECK_INT(weft__map_set(&m, key[i], strlen(key[i]), key[i]), WEFT_OK);
    if (i < 32)
      CHECK_INT(count.calls, 0);
  }
  for (int i = 0; i < N; i++)
    CHECK(weft__map_find(&m, key[i], strlen(key[i])) == key[i]);
  CHECK_INT(m.n, N);
  weft__map_deinit(&m);
  CHECK_INT(count.live_blocks, 0);
  CHECK_INT(weft__map_reserve(&m, &arena, 0), WEFT_OK);  // never grown
  CHECK_INT(weft__map_set(&m, "x", 1, key), WEFT_OK);
  weft__map_deinit(&m);
  weft__arena_deinit(&arena);
}

TEST(order_is_that_of_insertion) {
  enum { N = 20000 };
  static char key[N][16];
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft_map m;
  weft__map_init(&m, &a);
  for (int i = 0; i < N; i++) {
    snprintf(key[i], sizeof key[i], "node_%d", i * 7);
    CHECK_INT(weft__map_set(&m, key[i], strlen(key[i]), key[i]), WEFT_OK);
  }
  CHECK_INT(m.n, N);
  for (int i = 0; i < N; i++) {
    CHECK(m.entries[i].value == key[i]);
    CHECK(weft__map_find(&m, key[i], strlen(key[i])) == key[i]);
  }
  CHECK(!weft__map_find(&m, "node_1", 6));
  CHECK_INT(m.n_slots & (m.n_slots - 1), 0);
  CHECK(count.live_bytes < N * 2 * (sizeof *m.entries + 2 * sizeof *m.slots));
  weft__map_deinit(&m);
  CHECK_INT(count.live_blocks, 0);
  CHECK_INT(count.live_bytes, 0);
}

TEST(removing_keeps_order_and_memory_bounded) {
  enum { N = 100 };
  static char key[N][16];
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft_map m;
  weft__map_init(&m, &a);
  for (int i = 0; i < N; i++)
    snprintf(key[i], sizeof key[i], "k%d", i);
  for (int i = 0; i < 20000; i++) {  // at most 20 are in at a time
    CHECK_INT(weft__map_set(&m, key[i % N], strlen(key[i % N]), key[i % N]), WEFT_OK);
    if (i >= 20)
      weft__map_remove(&m, key[(i - 20) % N], strlen(key[(i - 20) % N]));
  }
  CHECK(m.cap <= 64);
  size_t live = 0;
  for (size_t i = 0; i < m.n; i++) {
    if (!m.entries[i].value)
      continue;
    CHECK(m.entries[i].value == key[(20000 - 20 + live) % N]);
    live++;
  }
  CHECK_INT(live, 20);
  weft__map_deinit(&m);
  CHECK_INT(count.live_blocks, 0);
}

TEST(r333_a_removed_key_is_not_read_again) {
  weft_map m;
  int value;
  weft__map_init(&m, NULL);
  for (int i = 0; i < 100; i++) {
    char *key = malloc(3);  // freed after removal: the sanitizer sees a read
    memcpy(key, "key", 3);
    CHECK_INT(weft__map_set(&m, key, 3, &value), WEFT_OK);
    CHECK(weft__map_find(&m, "key", 3) == &value);
    weft__map_remove(&m, "key", 3);
    CHECK(!weft__map_find(&m, "key", 3));
    free(key);
  }
  CHECK(m.cap <= 8);
  weft__map_deinit(&m);
}

TEST(random_operations_match_an_array) {
  enum { KEYS = 300 };
  static char key[KEYS][16];
  static char values[8];
  void *expected[KEYS] = {0};
  uint32_t random = 7;
  weft_map m;
  weft__map_init(&m, NULL);
  for (int i = 0; i < KEYS; i++)
    snprintf(key[i], sizeof key[i], "%d", i);
  for (int step = 0; step < 50000; step++) {
    random = random * 1664525u + 1013904223u;
    size_t k = (random >> 8) % KEYS;
    if (random >> 31) {
      weft__map_remove(&m, key[k], strlen(key[k]));
      expected[k] = NULL;
    } else {
      expected[k] = &values[random >> 28];
      CHECK_INT(weft__map_set(&m, key[k], strlen(key[k]), expected[k]), WEFT_OK);
    }
    size_t other = (random >> 4) % KEYS;
    CHECK(weft__map_find(&m, key[other], strlen(key[other])) == expected[other]);
  }
  weft__map_deinit(&m);
}

TEST(every_allocation_failed_once) {
  static char key[100][16];
  for (int i = 0; i < 100; i++)
    snprintf(key[i], sizeof key[i], "%d", i);
  for (long at = 1;; at++) {
    check_alloc count = {.fail_at = at};
    weft_allocator a = check_allocator(&count);
    weft_map m;
    int failures = 0;
    weft__map_init(&m, &a);
    for (int i = 0; i < 100; i++) {
      weft_status s = weft__map_set(&m, key[i], strlen(key[i]), key[i]);
      if (s) {
        CHECK_INT(s, WEFT_E_NOMEM);
        failures++;
        CHECK(!weft__map_find(&m, key[i], strlen(key[i])));
        CHECK_INT(m.n, i);
        s = weft__map_set(&m, key[i], strlen(key[i]), key[i]);  // the next try succeeds
        CHECK_INT(s, WEFT_OK);
      }
      for (int k = 0; k <= i; k++)
        CHECK(weft__map_find(&m, key[k], strlen(key[k])) == key[k]);
    }
    weft__map_deinit(&m);
    CHECK_INT(count.live_blocks, 0);
    CHECK_INT(failures, count.calls >= at);
    if (!failures)
      break;
  }
}

TEST(rekey_of_the_last_and_of_others) {
  static char key[200][16];
  static char other[200][16];
  weft_map m;
  weft__map_init(&m, NULL);
  for (int i = 0; i < 200; i++) {  // each is renamed while it is the last one
    snprintf(key[i], sizeof key[i], "%d", i);
    snprintf(other[i], sizeof other[i], "new %d", i);
    CHECK_INT(weft__map_set(&m, key[i], strlen(key[i]), key[i]), WEFT_OK);
    const weft_key to = weft__key(other[i]);
    CHECK_INT(weft__map_rekey_at(&m, weft__map_newest(&m), key[i], &to), WEFT_OK);
    CHECK_INT(m.n, i + 1);  // no gap stays
  }
  for (int i = 0; i < 200; i++) {
    CHECK(!weft__map_find(&m, key[i], strlen(key[i])));
    CHECK(weft__map_find(&m, other[i], strlen(other[i])) == key[i]);
    CHECK(m.entries[i].value == key[i]);
  }
  for (int i = 0; i < 200; i += 3) {  // and back, from the middle
    const weft_key to = weft__key(key[i]);
    const uint32_t entry = i % 2 ? (uint32_t)i : UINT32_MAX;  // one that is known, one that is looked up
    CHECK_INT(weft__map_rekey_at(&m, entry, other[i], &to), WEFT_OK);
    CHECK(!weft__map_find(&m, other[i], strlen(other[i])));
    CHECK(weft__map_find(&m, key[i], strlen(key[i])) == key[i]);
  }
  const weft_key none = weft__key("other");
  CHECK_INT(weft__map_rekey_at(&m, 0, "none", &none), WEFT_OK);
  CHECK(!weft__map_find(&m, "other", 5));
  weft__map_deinit(&m);
}
// SPDX-License-Identifier: Apache-2.0
