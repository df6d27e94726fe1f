// checked_test.c - overflow, hash, checksum, clock.
#include "base/base.h"
#include "check.h"

TEST(r333_sizes_and_integers) {
  size_t s = 77;
  int64_t i = 77;
  CHECK(weft_mul_size(0, SIZE_MAX, &s) && s == 0);
  CHECK(weft_mul_size(SIZE_MAX, 1, &s) && s == SIZE_MAX);
  CHECK(!weft_mul_size(SIZE_MAX / 2 + 1, 2, &s) && s == SIZE_MAX);
  CHECK(weft_add_size(SIZE_MAX - 1, 1, &s) && s == SIZE_MAX);
  s = 5;
  CHECK(!weft_add_size(SIZE_MAX, 1, &s) && s == 5);
  CHECK(weft__mul_i64(INT64_MIN, 1, &i) && i == INT64_MIN);
  CHECK(!weft__mul_i64(INT64_MIN, -1, &i) && i == INT64_MIN);
  CHECK(!weft__mul_i64(INT64_MAX, 2, &i) && i == INT64_MIN);
  CHECK(weft__add_i64(INT64_MAX, INT64_MIN, &i) && i == -1);
  CHECK(!weft__add_i64(INT64_MAX, 1, &i) && i == -1);
  CHECK(!weft__add_i64(INT64_MIN, -1, &i) && i == -1);
  CHECK(weft__mul_i64(-3, 7, &i) && i == -21);
}

// The check value of the IEEE polynomial, and the same bit by bit.
TEST(checksum) {
  uint8_t data[300];
  CHECK_INT(weft__crc32("123456789", 9, 0), 0xCBF43926);
  CHECK_INT(weft__crc32(NULL, 0, 0), 0);
  CHECK_INT(weft__crc32("56789", 5, weft__crc32("1234", 4, 0)), 0xCBF43926);
  for (size_t i = 0; i < sizeof data; i++)
    data[i] = (uint8_t)(i * 37 + (i >> 3));
  for (size_t n = 0; n < sizeof data; n++) {
    uint32_t c = ~(uint32_t)0;
    for (size_t i = 0; i < n; i++) {
      c ^= data[i];
      for (int bit = 0; bit < 8; bit++)
        c = c >> 1 ^ (c & 1 ? 0xEDB88320u : 0);
    }
    CHECK_INT(weft__crc32(data, n, 0), ~c);
    CHECK_INT(weft__crc32(data + n / 3, n - n / 3, weft__crc32(data, n / 3, 0)), ~c);
  }
}

TEST(hash_is_fixed) {
  char data[200];
  for (size_t i = 0; i < sizeof data; i++)
    data[i] = (char)(i * 11);
  uint64_t all = 0;
  for (size_t n = 0; n <= sizeof data; n++)
    all = all * 31 + weft__hash(data, n);
  CHECK_INT(weft__hash(NULL, 0), (int64_t)UINT64_C(0x229a1404c1f20b75));
  CHECK_INT(weft__hash("conv1", 5), (int64_t)UINT64_C(0xd6c014e49faa20e5));
  CHECK_INT(all, (int64_t)UINT64_C(0x7b9e26284f729551));
}

TEST(hash_depends_on_every_bit_and_on_the_length) {
  uint8_t data[130];
  uint8_t zero[130] = {0};
  for (size_t i = 0; i < sizeof data; i++)
    data[i] = (uint8_t)(i * 11);
  for (size_t n = 1; n <= sizeof data; n++) {
    uint64_t h = weft__hash(data, n);
    for (size_t bit = 0; bit < n * 8; bit++) {
      data[bit / 8] ^= (uint8_t)(1 << bit % 8);
      uint64_t changed = h ^ weft__hash(data, n);
      int bits = 0;
      for (; changed; changed &= changed - 1)
        bits++;
      if (bits < 8)
        CHECK_INT(bits, 8);
      data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    CHECK(weft__hash(zero, n) != weft__hash(zero, n - 1));
  }
}

// Numbered names spread over slots like random numbers: 4096 keys in 8192 slots fill 3223 of them on average.
TEST(hash_spreads_names) {
  static const char *const forms[] = {"%d", "node_%d", "model/layers.%d/attention/MatMul_output_0",
                                      "%08d        "};
  for (size_t form = 0; form < WEFT_COUNT(forms); form++) {
    static bool used[8192];
    char key[64];
    int filled = 0;
    memset(used, 0, sizeof used);
    for (int i = 0; i < 4096; i++) {
      int n = form == 0   ? snprintf(key, sizeof key, "%d", i)
              : form == 1 ? snprintf(key, sizeof key, "node_%d", i)
              : form == 2 ? snprintf(key, sizeof key, "model/layers.%d/attention/MatMul_output_0", i)
                          : snprintf(key, sizeof key, "%08d        ", i);
      bool *slot = &used[weft__hash(key, (size_t)n) % 8192];
      filled += !*slot;
      *slot = true;
    }
    if (filled < 3100 || filled > 3350)
      CHECK_INT(filled, 3223);
  }
}

TEST(clock_goes_forward) {
  uint64_t a = weft__now_ns();
  uint64_t b = weft__now_ns();
  CHECK(a && b >= a);
}
// SPDX-License-Identifier: Apache-2.0
