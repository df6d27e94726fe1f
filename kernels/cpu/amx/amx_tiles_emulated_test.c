// amx_tiles_emulated_test.c - the chain of products in vectors gives the bits of fmaf's, of all kinds of
// numbers.
#pragma GCC diagnostic ignored "-Wunused-function"
#include "cpu/amx/amx_tiles_emulated.h"

#include "check.h"

static uint64_t state = 1;
static float number(void) {
  static const float kinds[] = {0,         -0.0f,   1,        -1,        FLT_MIN, -FLT_MIN,
                                0x1p-130f, FLT_MAX, INFINITY, -INFINITY, NAN};
  state = state * 6364136223846793005u + 1442695040888963407u;
  uint32_t r = (uint32_t)(state >> 32);
  return r % 4 ? weft__float(r & 0xFFFF0000u) : kinds[r / 4 % (sizeof kinds / sizeof *kinds)];
}

TEST(chains_in_vectors_have_the_bits_of_fmaf) {
  if (!tile_fuses()) {
    check_skip("this processor has no FMA, or this build no vectors");
    return;
  }
  for (int n = 0; n < 4000; n++) {
    float y[16];
    float s[2][16];
    float x = tile_flush(number());
    bool finite = true;
    for (size_t i = 0; i < 16; i++) {
      y[i] = tile_flush(number());
      s[0][i] = s[1][i] = tile_flush(number());
      finite &= isfinite(y[i]);
    }
    tile_chain(s[0], x, y, finite, false);
    tile_chain(s[1], x, y, finite, true);
    for (size_t i = 0; i < 16; i++)
      CHECK(isnan(s[0][i]) ? isnan(s[1][i]) : weft__bits(s[0][i]) == weft__bits(s[1][i]));
  }
}
// SPDX-License-Identifier: Apache-2.0
