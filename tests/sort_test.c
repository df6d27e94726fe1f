// sort_test.c - sorting by keys is stable and in order, for few numbers and many; keys order as the doubles
// do.
#include "../ops/sort.h"
#include "check.h"

enum { MOST = 3000 };

TEST(numbers_sort_by_keys_and_equal_ones_stay) {
  static uint64_t key[MOST];
  static size_t order[MOST];
  static size_t spare[MOST];
  static const size_t many[] = {0, 1, 2, 31, 32, 33, 257, MOST};
  static const uint64_t masks[] = {0, 0x7, 0xff00, 0xf0000000000000f0, UINT64_MAX};
  uint64_t r = 88172645463325252u;
  for (size_t k = 0; k < WEFT_COUNT(many) * WEFT_COUNT(masks); k++) {
    size_t n = many[k % WEFT_COUNT(many)];
    size_t bad = 0;
    size_t seen = 0;
    for (size_t i = 0; i < n; i++) {
      r ^= r << 13;
      r ^= r >> 7;
      r ^= r << 17;
      key[i] = r & masks[k / WEFT_COUNT(many)];
      order[i] = n - 1 - i;
    }
    size_t *to = NULL;
    CHECK(weft__sort_by_key(NULL, key, order, spare, n, &to) == WEFT_OK);
    for (size_t i = 0; i < n; i++) {
      seen += to[i];
      if (i && (key[to[i - 1]] > key[to[i]] || (key[to[i - 1]] == key[to[i]] && to[i - 1] < to[i])))
        bad++;
    }
    CHECK_INT(bad, 0);
    CHECK_INT(seen, n ? n * (n - 1) / 2 : 0);
  }
}

TEST(keys_order_as_doubles_do) {
  static const double rising[] = {-INFINITY, -1e300, -2.5, -2,    -5e-324,  0,
                                  5e-324,    2,      2.5,  1e300, INFINITY, NAN};
  for (size_t i = 1; i < WEFT_COUNT(rising); i++)
    CHECK(weft__key_f64(rising[i - 1]) < weft__key_f64(rising[i]));
  CHECK(weft__key_f64(-0.0) == weft__key_f64(0.0));
  CHECK(weft__key_f64(-NAN) == weft__key_f64(NAN));
}
// SPDX-License-Identifier: Apache-2.0
