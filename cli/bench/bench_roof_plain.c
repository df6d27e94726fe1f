// bench_roof_plain.c - bench_roof.h for machines without loops of their own: C that the compiler makes
// vectors of (NEON on aarch64, with its fused multiply-add).
#if !(defined(__x86_64__) && defined(__GNUC__))
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "bench_roof.h"

enum { CHAINS = 64 };
static volatile float sink;

static const char *bench_roof_plain_nothing(void) {
  return NULL;
}

static double multiply_add(size_t rounds) {
  float s[CHAINS];
  for (int i = 0; i < CHAINS; i++)
    s[i] = (float)i;
  for (size_t r = 0; r < rounds; r++) {
    for (int i = 0; i < CHAINS; i++)
      s[i] = fmaf(s[i], 0.999f, 0.001f);
  }
  for (int i = 1; i < CHAINS; i++)
    s[0] += s[i];
  sink = s[0];
  return 2.0 * CHAINS * (double)rounds;
}

static double read_all(const float *v, size_t n) {
  uint32_t s[32] = {0};
  uint32_t x[32];
  for (size_t at = 0; at + 32 <= n; at += 32) {
    memcpy(x, v + at, sizeof x);
    for (int i = 0; i < 32; i++)
      s[i] |= x[i];
  }
  for (int i = 1; i < 32; i++)
    s[0] |= s[i];
  return s[0];
}

static void triad(float *restrict a, const float *restrict b, const float *restrict c, size_t n) {
  for (size_t i = 0; i < n; i++)
    a[i] = b[i] + 3 * c[i];
}

const bench_roof bench_roofs[] = {
    {"plain", "f32 multiply-add", bench_roof_plain_nothing, multiply_add, read_all, triad}};
const size_t bench_n_roofs = 1;
#else
typedef int bench_roof_elsewhere;
#endif
// SPDX-License-Identifier: Apache-2.0
