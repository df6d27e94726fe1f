// random.c - see random.h. Philox is that of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
// (2011).
#include "random.h"

static uint64_t mixed(uint64_t x) {  // every bit of the seed changes every bit of the key
  x ^= x >> 30;
  x *= UINT64_C(0xbf58476d1ce4e5b9);
  x ^= x >> 27;
  x *= UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

void weft__random_init(weft_random *r, int64_t seed, int64_t seed2) {
  uint64_t a = (uint64_t)seed;
  uint64_t b = (uint64_t)seed2;
  if (!a && !b) {
    a = weft__now_ns();
    b = (uint64_t)(uintptr_t)r;
  }
  uint64_t key = mixed(a + UINT64_C(0x9e3779b97f4a7c15)) ^ mixed(b * 2 + 1);
  *r = (weft_random){.key = {(uint32_t)key, (uint32_t)(key >> 32)}, .used = 4};
}

static void round_of(uint32_t v[4], const uint32_t key[2]) {
  uint64_t a = UINT64_C(0xD2511F53) * v[0];
  uint64_t b = UINT64_C(0xCD9E8D57) * v[2];
  uint32_t next[4] = {(uint32_t)(b >> 32) ^ v[1] ^ key[0], (uint32_t)b, (uint32_t)(a >> 32) ^ v[3] ^ key[1],
                      (uint32_t)a};
  memcpy(v, next, sizeof next);
}

static uint32_t word(weft_random *r) {
  if (r->used == 4) {
    uint32_t key[2] = {r->key[0], r->key[1]};
    r->word[0] = (uint32_t)r->counter;
    r->word[1] = (uint32_t)(r->counter >> 32);
    r->word[2] = r->word[3] = 0;
    r->counter++;
    r->used = 0;
    for (int k = 0; k < 10; k++) {
      round_of(r->word, key);
      key[0] += UINT32_C(0x9E3779B9);
      key[1] += UINT32_C(0xBB67AE85);
    }
  }
  return r->word[r->used++];
}

uint64_t weft__random_bits(weft_random *r) {
  uint64_t low = word(r);
  return low | (uint64_t)word(r) << 32;
}

double weft__random_unit(weft_random *r, uint32_t bits) {
  return ldexp((double)(weft__random_bits(r) >> (64 - bits)), -(int)bits);
}

double weft__random_normal(weft_random *r) {  // Box and Muller's, one of the two
  double u = 1 - weft__random_unit(r, 53), v = weft__random_unit(r, 53);
  return sqrt(-2 * log(u)) * cos(6.283185307179586476925286766559 * v);
}

uint32_t weft__random_precision(weft_dtype t) {
  return t == WEFT_DOUBLE ? 53 : t == WEFT_FLOAT ? 24 : t == WEFT_FLOAT16 ? 11 : 8;
}

weft_status weft__random_infer(weft_infer *it) {
  return weft__in_target(it, 0, it->out[0]);
}
// SPDX-License-Identifier: Apache-2.0
