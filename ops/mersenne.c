// mersenne.c - see mersenne.h.
#include "mersenne.h"

enum { WORDS = 624, SHIFT = 397 };

void weft__mersenne_seed(weft_mersenne *m, uint32_t seed) {
  m->word[0] = seed;
  for (uint32_t i = 1; i < WORDS; i++)
    m->word[i] = UINT32_C(1812433253) * (m->word[i - 1] ^ (m->word[i - 1] >> 30)) + i;
  m->next = WORDS;
}

static void refill(weft_mersenne *m) {
  for (uint32_t i = 0; i < WORDS; i++) {
    uint32_t y = (m->word[i] & UINT32_C(0x80000000)) | (m->word[(i + 1) % WORDS] & UINT32_C(0x7fffffff));
    m->word[i] = m->word[(i + SHIFT) % WORDS] ^ (y >> 1) ^ (y & 1 ? UINT32_C(0x9908b0df) : 0);
  }
  m->next = 0;
}

uint32_t weft__mersenne_u32(weft_mersenne *m) {
  if (m->next >= WORDS)
    refill(m);
  uint32_t y = m->word[m->next++];
  y ^= y >> 11;
  y ^= (y << 7) & UINT32_C(0x9d2c5680);
  y ^= (y << 15) & UINT32_C(0xefc60000);
  return y ^ (y >> 18);
}

double weft__mersenne_f64(weft_mersenne *m) {
  uint32_t high = weft__mersenne_u32(m) >> 5;
  uint32_t low = weft__mersenne_u32(m) >> 6;
  return ((double)high * 67108864.0 + (double)low) / 9007199254740992.0;
}
// SPDX-License-Identifier: Apache-2.0
