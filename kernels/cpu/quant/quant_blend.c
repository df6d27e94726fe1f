// quant_blend.c - see quant_blend.h.
#include "cpu/quant/quant_blend.h"

#include <math.h>

enum { TRIES = 27, BYTES = WEFT__BLEND_BYTES };

static bool quant_blend_is_same(const weft__quant_trial *t, const weft__quant_blend *m) {
  uint8_t a[BYTES];
  uint8_t b[BYTES];
  uint8_t want[BYTES];
  uint8_t got[BYTES];
  for (size_t i = 0; i < BYTES; i++)
    a[i] = b[i] = (uint8_t)i;
  for (size_t k = 0; k < (m->two ? BYTES : 1); k++) {
    if (m->two)
      memset(a, (int)k, sizeof a);
    t->want(t->region, a, b, BYTES, want);
    t->ops->blend(a, b, BYTES, m, got);
    if (memcmp(want, got, BYTES) != 0)
      return false;
  }
  return true;
}

// A neighbour of x: below, itself or above.
static float quant_blend_near(float x, size_t which) {
  return which == 0 ? x : nextafterf(x, which == 1 ? INFINITY : -INFINITY);
}

bool weft__quant_find_blend(const weft__quant_trial *t, weft__quant_blend *m) {
  if (!(fabs(t->by_a) < 1024 && fabs(t->by_b) < 1024))
    return false;
  for (size_t i = 0; i < TRIES; i++) {
    m->by_a = quant_blend_near((float)t->by_a, i % 3);
    m->by_b = quant_blend_near((float)t->by_b, i / 3 % 3);
    m->add = quant_blend_near((float)t->add, i / 9);
    if (quant_blend_is_same(t, m))
      return true;
  }
  return false;
}
// SPDX-License-Identifier: Apache-2.0
