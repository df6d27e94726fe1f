// mersenne.h - the Mersenne Twister MT19937 (Matsumoto and Nishimura 1998): the generator behind all random
// operators, so that a seed gives the same numbers everywhere (they are those of numpy's RandomState). 2.5
// KiB of state, no globals. Layer: ops.
#pragma once
#include <stdint.h>

typedef struct weft_mersenne {
  uint32_t word[624];
  uint32_t next;
} weft_mersenne;

void weft__mersenne_seed(weft_mersenne *m, uint32_t seed);
uint32_t weft__mersenne_u32(weft_mersenne *m);
double weft__mersenne_f64(weft_mersenne *m);  // in [0, 1), 53 random bits
// SPDX-License-Identifier: Apache-2.0
