// checked.c - maths that reports overflow, the hash, the checksum and the clock.
// Hash and checksum are the same on every platform, whatever its byte order: both go into files.
#include "base/base.h"

#include <time.h>

bool weft_mul_size(size_t a, size_t b, size_t *out) {
  size_t r;
  if (__builtin_mul_overflow(a, b, &r) || !out)
    return false;
  *out = r;
  return true;
}

bool weft_add_size(size_t a, size_t b, size_t *out) {
  size_t r;
  if (__builtin_add_overflow(a, b, &r) || !out)
    return false;
  *out = r;
  return true;
}

bool weft__mul_i64(int64_t a, int64_t b, int64_t *out) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r))
    return false;
  *out = r;
  return true;
}

bool weft__add_i64(int64_t a, int64_t b, int64_t *out) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r))
    return false;
  *out = r;
  return true;
}

// ---- hash ----
// Multiplies and rotates 64-bit words. Long data go through four lanes at once; the last 1 to 16 bytes are
// read as two words that may overlap, which the length, part of the start value, keeps apart.

static const uint64_t odd_1 = UINT64_C(0xD1B54A32D192ED03), odd_2 = UINT64_C(0x9E3779B97F4A7C15),
                      odd_3 = UINT64_C(0xAEF17502108EF2D9);

static inline uint64_t load_32(const uint8_t *p) {
  return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
}

static inline uint64_t load_64(const uint8_t *p) {
  return load_32(p) | load_32(p + 4) << 32;
}

static inline uint64_t mix(uint64_t h, uint64_t word) {
  word *= odd_1;
  word ^= word >> 29;
  h ^= word * odd_2;
  return (h << 27 | h >> 37) * odd_3;
}

static inline uint64_t checked_finish(uint64_t h) {
  h ^= h >> 32;
  h *= odd_1;
  h ^= h >> 29;
  h *= odd_2;
  return h ^ h >> 32;
}

static uint64_t hash_tail(uint64_t h, const uint8_t *p, size_t n) {  // n is 0 to 16
  if (n >= 8)
    return mix(mix(h, load_64(p)), load_64(p + n - 8));
  if (n >= 4)
    return mix(h, load_32(p) | load_32(p + n - 4) << 32);
  if (n)
    return mix(h, (uint64_t)p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16);
  return h;
}

uint64_t weft__hash(const void *data, size_t bytes) {
  const uint8_t *p = data;
  size_t left = bytes;
  uint64_t h = (uint64_t)bytes * odd_2 ^ odd_3;
  if (left >= 64) {
    uint64_t a = h;
    uint64_t b = h + odd_1;
    uint64_t c = h ^ odd_2;
    uint64_t d = h + odd_3;
    for (; left >= 32; left -= 32, p += 32) {
      a = mix(a, load_64(p));
      b = mix(b, load_64(p + 8));
      c = mix(c, load_64(p + 16));
      d = mix(d, load_64(p + 24));
    }
    h = mix(mix(mix(a, b), c), d);
  }
  for (; left > 16; left -= 16, p += 16)
    h = mix(mix(h, load_64(p)), load_64(p + 8));
  return checked_finish(hash_tail(h, p, left));
}

// ---- checksum ----
// Eight bytes a step. Row r of the table advances a byte over r more zero bytes; as the checksum is linear,
// an entry is the xor of the entries of its single bits, and these are all that is written down.

#define CRC_1(i, a, b, c, d, e, f, g, h)                                                           \
  (((i)&1 ? a : 0u) ^ ((i)&2 ? b : 0u) ^ ((i)&4 ? c : 0u) ^ ((i)&8 ? d : 0u) ^ ((i)&16 ? e : 0u) ^ \
   ((i)&32 ? f : 0u) ^ ((i)&64 ? g : 0u) ^ ((i)&128 ? h : 0u))
#define CRC_4(i, ...)                                                                \
  CRC_1((i), __VA_ARGS__), CRC_1((i) + 1, __VA_ARGS__), CRC_1((i) + 2, __VA_ARGS__), \
      CRC_1((i) + 3, __VA_ARGS__)
#define CRC_16(i, ...)                                                               \
  CRC_4((i), __VA_ARGS__), CRC_4((i) + 4, __VA_ARGS__), CRC_4((i) + 8, __VA_ARGS__), \
      CRC_4((i) + 12, __VA_ARGS__)
#define CRC_64(i, ...)                                                                    \
  CRC_16((i), __VA_ARGS__), CRC_16((i) + 16, __VA_ARGS__), CRC_16((i) + 32, __VA_ARGS__), \
      CRC_16((i) + 48, __VA_ARGS__)
#define CRC_ROW(...) \
  { CRC_64(0, __VA_ARGS__), CRC_64(64, __VA_ARGS__), CRC_64(128, __VA_ARGS__), CRC_64(192, __VA_ARGS__) }

static const uint32_t crc_table[8][256] = {
    CRC_ROW(0x77073096, 0xEE0E612C, 0x076DC419, 0x0EDB8832, 0x1DB71064, 0x3B6E20C8, 0x76DC4190, 0xEDB88320),
    CRC_ROW(0x191B3141, 0x32366282, 0x646CC504, 0xC8D98A08, 0x4AC21251, 0x958424A2, 0xF0794F05, 0x3B83984B),
    CRC_ROW(0x01C26A37, 0x0384D46E, 0x0709A8DC, 0x0E1351B8, 0x1C26A370, 0x384D46E0, 0x709A8DC0, 0xE1351B80),
    CRC_ROW(0xB8BC6765, 0xAA09C88B, 0x8F629757, 0xC5B428EF, 0x5019579F, 0xA032AF3E, 0x9B14583D, 0xED59B63B),
    CRC_ROW(0x3D6029B0, 0x7AC05360, 0xF580A6C0, 0x30704BC1, 0x60E09782, 0xC1C12F04, 0x58F35849, 0xB1E6B092),
    CRC_ROW(0xCB5CD3A5, 0x4DC8A10B, 0x9B914216, 0xEC53826D, 0x03D6029B, 0x07AC0536, 0x0F580A6C, 0x1EB014D8),
    CRC_ROW(0xA6770BB4, 0x979F1129, 0xF44F2413, 0x33EF4E67, 0x67DE9CCE, 0xCFBD399C, 0x440B7579, 0x8816EAF2),
    CRC_ROW(0xCCAA009E, 0x4225077D, 0x844A0EFA, 0xD3E51BB5, 0x7CBB312B, 0xF9766256, 0x299DC2ED, 0x533B85DA),
};

// Going on with a checksum: crc32(b, nb, crc32(a, na, 0)) is that of a followed by b.
uint32_t weft__crc32(const void *data, size_t bytes, uint32_t seed) {
  const uint8_t *p = data;
  uint32_t c = ~seed;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    uint32_t low = (uint32_t)load_32(p) ^ c;
    uint32_t high = (uint32_t)load_32(p + 4);
    c = crc_table[7][low & 255] ^ crc_table[6][low >> 8 & 255] ^ crc_table[5][low >> 16 & 255] ^
        crc_table[4][low >> 24] ^ crc_table[3][high & 255] ^ crc_table[2][high >> 8 & 255] ^
        crc_table[1][high >> 16 & 255] ^ crc_table[0][high >> 24];
  }
  for (; bytes; bytes--, p++)
    c = c >> 8 ^ crc_table[0][(c ^ *p) & 255];
  return ~c;
}

// ---- clock ----
uint64_t weft__now_ns(void) {
  struct timespec t;
  if (clock_gettime(CLOCK_MONOTONIC, &t))
    return 0;
  return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}
// SPDX-License-Identifier: Apache-2.0
