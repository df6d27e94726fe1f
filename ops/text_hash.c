// text_hash.c - see text_hash.h. Words are read as little-endian, whatever the machine.
#include "text_hash.h"

static uint64_t hash_word(const uint8_t *p, size_t n) {
  uint64_t v = 0;
  for (size_t i = 0; i < n; i++)
    v |= (uint64_t)p[i] << 8 * i;
  return v;
}
static uint64_t hash_64(const uint8_t *p) {
  return hash_word(p, 8);
}
static uint64_t hash_32(const uint8_t *p) {
  return hash_word(p, 4);
}
static uint64_t hash_right(uint64_t v, unsigned by) {  // rotated
  return by ? v >> by | v << (64 - by) : v;
}
static uint64_t hash_left(uint64_t v, unsigned by) {
  return v << by | v >> (64 - by);
}

// ---- FarmHash ----
static const uint64_t FARM_0 = UINT64_C(0xc3a5c85c97cb3127);
static const uint64_t FARM_1 = UINT64_C(0xb492b66fbe98f273);
static const uint64_t FARM_2 = UINT64_C(0x9ae16a3b2f90404f);

typedef struct hash_pair {
  uint64_t a, b;
} hash_pair;

static uint64_t farm_shift(uint64_t v) {
  return v ^ v >> 47;
}

static uint64_t farm_mix(uint64_t u, uint64_t v, uint64_t times) {
  uint64_t a = (u ^ v) * times;
  a ^= a >> 47;
  uint64_t b = (v ^ a) * times;
  b ^= b >> 47;
  return b * times;
}

static uint64_t farm_to_16(const uint8_t *s, size_t n) {
  const uint64_t times = FARM_2 + n * 2;
  if (n >= 8) {
    const uint64_t a = hash_64(s) + FARM_2;
    const uint64_t b = hash_64(s + n - 8);
    const uint64_t c = hash_right(b, 37) * times + a;
    const uint64_t d = (hash_right(a, 25) + b) * times;
    return farm_mix(c, d, times);
  }
  if (n >= 4)
    return farm_mix(n + (hash_32(s) << 3), hash_32(s + n - 4), times);
  if (!n)
    return FARM_2;
  const uint32_t y = (uint32_t)s[0] + ((uint32_t)s[n >> 1] << 8);
  const uint32_t z = (uint32_t)n + ((uint32_t)s[n - 1] << 2);
  return farm_shift(y * FARM_2 ^ z * FARM_0) * FARM_2;
}

static uint64_t farm_to_32(const uint8_t *s, size_t n) {
  const uint64_t times = FARM_2 + n * 2;
  const uint64_t a = hash_64(s) * FARM_1;
  const uint64_t b = hash_64(s + 8);
  const uint64_t c = hash_64(s + n - 8) * times;
  const uint64_t d = hash_64(s + n - 16) * FARM_2;
  const uint64_t u = hash_right(a + b, 43) + hash_right(c, 30) + d;
  return farm_mix(u, a + hash_right(b + FARM_2, 18) + c, times);
}

static uint64_t farm_to_64(const uint8_t *s, size_t n) {
  const uint64_t times = FARM_2 + n * 2;
  const uint64_t a = hash_64(s) * FARM_2;
  const uint64_t b = hash_64(s + 8);
  const uint64_t c = hash_64(s + n - 8) * times;
  const uint64_t d = hash_64(s + n - 16) * FARM_2;
  const uint64_t y = hash_right(a + b, 43) + hash_right(c, 30) + d;
  const uint64_t z = farm_mix(y, a + hash_right(b + FARM_2, 18) + c, times);
  const uint64_t e = hash_64(s + 16) * times;
  const uint64_t f = hash_64(s + 24);
  const uint64_t g = (y + hash_64(s + n - 32)) * times;
  const uint64_t h = (z + hash_64(s + n - 24)) * times;
  const uint64_t u = hash_right(e + f, 43) + hash_right(g, 30) + h;
  return farm_mix(u, e + hash_right(f + a, 18) + g, times);
}

static hash_pair farm_weak(const uint8_t *s, uint64_t a, uint64_t b) {
  const uint64_t w = hash_64(s);
  const uint64_t z = hash_64(s + 24);
  a += w;
  b = hash_right(b + a + z, 21);
  const uint64_t c = a;
  a += hash_64(s + 8) + hash_64(s + 16);
  b += hash_right(a, 44);
  return (hash_pair){a + z, b + c};
}

static uint64_t farm_end(uint64_t x, uint64_t y, uint64_t z, const hash_pair *v, const hash_pair *w,
                         uint64_t times) {
  const uint64_t a = farm_mix(v->a, w->a, times) + farm_shift(y) * FARM_0 + z;
  return farm_mix(a, farm_mix(v->b, w->b, times) + x, times);
}

static uint64_t farm_long(const uint8_t *s, size_t n) {
  const uint64_t seed = 81;
  const uint8_t *end = s + (n - 1) / 64 * 64;
  const uint8_t *last = end + ((n - 1) & 63) - 63;
  uint64_t x = seed * FARM_2 + hash_64(s);
  uint64_t y = seed * FARM_1 + 113;
  uint64_t z = farm_shift(y * FARM_2 + 113) * FARM_2;
  hash_pair v = {0, 0};
  hash_pair w = {0, 0};
  uint64_t times = FARM_1;
  for (bool ends = false;; s += 64) {
    ends = s == end;
    const uint64_t factor = ends ? 9 : 1;
    if (ends) {
      times = FARM_1 + ((z & 0xff) << 1);
      s = last;
      w.a += (n - 1) & 63;
      v.a += w.a;
      w.a += v.a;
    }
    x = hash_right(x + y + v.a + hash_64(s + 8), 37) * times;
    y = hash_right(y + v.b + hash_64(s + 48), 42) * times;
    x ^= w.b * factor;
    y += v.a * factor + hash_64(s + 40);
    z = hash_right(z + w.a, 33) * times;
    v = farm_weak(s, v.b * times, x + w.a);
    w = farm_weak(s + 32, z + w.b, y + hash_64(s + 16));
    const uint64_t kept = z;
    z = x;
    x = kept;
    if (ends)
      return farm_end(x, y, z, &v, &w, times);
  }
}

uint64_t weft__hash_farm(const void *bytes, size_t n) {
  const uint8_t *s = bytes;
  if (n <= 16)
    return farm_to_16(s, n);
  if (n <= 32)
    return farm_to_32(s, n);
  return n <= 64 ? farm_to_64(s, n) : farm_long(s, n);
}

// ---- MurmurHash64A ----
uint64_t weft__hash_murmur(const void *bytes, size_t n) {
  const uint64_t times = UINT64_C(0xc6a4a7935bd1e995);
  const uint64_t seed = UINT64_C(0xDECAFCAFFE);
  const uint8_t *s = bytes;
  uint64_t h = seed ^ n * times;
  for (; n >= 8; n -= 8, s += 8) {
    uint64_t k = hash_64(s) * times;
    k ^= k >> 47;
    h ^= k * times;
    h *= times;
  }
  if (n) {
    h ^= hash_word(s, n);
    h *= times;
  }
  h ^= h >> 47;
  h *= times;
  return h ^ h >> 47;
}

// ---- SipHash-2-4 ----
static void sip_rounds(uint64_t v[4], int rounds) {
  for (int i = 0; i < rounds; i++) {
    v[0] += v[1];
    v[1] = hash_left(v[1], 13) ^ v[0];
    v[0] = hash_left(v[0], 32);
    v[2] += v[3];
    v[3] = hash_left(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = hash_left(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = hash_left(v[1], 17) ^ v[2];
    v[2] = hash_left(v[2], 32);
  }
}

uint64_t weft__hash_sip(const uint64_t key[2], const void *bytes, size_t n) {
  const uint8_t *s = bytes;
  const size_t all = n;
  uint64_t v[4] = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                   key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
  for (;; n -= 8, s += 8) {
    const bool last = n < 8;
    const uint64_t m = last ? hash_word(s, n) | (uint64_t)all << 56 : hash_64(s);
    v[3] ^= m;
    sip_rounds(v, 2);
    v[0] ^= m;
    if (last)
      break;
  }
  v[2] ^= 0xff;
  sip_rounds(v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}
// SPDX-License-Identifier: Apache-2.0
