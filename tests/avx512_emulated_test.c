// avx512_emulated_test.c - avx512_emulated.h gives what the processor's instructions give, on a machine that
// has them: of random bits, small numbers and odd ones, the same bits.
#include "avx512_cases.h"
#include "base/base.h"
#include "check.h"

static uint64_t state;
static uint32_t pick(void) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(state >> 32);
}

static uint32_t number(unsigned round) {
  static const float odd[] = {0.0f,    -0.0f, 1.0f,   -1.0f,    0.5f, -2.5f,     1e-40f,
                              -1e-45f, 3e38f, 2e-38f, INFINITY, NAN,  -INFINITY, 3.0f};
  const float small = (float)(int32_t)pick() / (1 << 24);
  const float x = pick() % 4 ? small : odd[pick() % WEFT_COUNT(odd)];
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return round % 2 ? pick() : u;
}

static bool near(float x, float y, float of) {  // of: what is divided by
  return x == y || (fabs((double)x * of - 1) <= 0x1p-14 && fabs((double)y * of - 1) <= 0x1p-14);
}

static bool alike(avx512_kind kind, const uint32_t *x, const uint32_t *y, const uint32_t *in) {
  bool ok = true;
  for (size_t i = 0; i < 16; i++) {
    float a;
    float b;
    float of;
    double p, q;
    memcpy(&a, x + i, 4);
    memcpy(&b, y + i, 4);
    memcpy(&of, in + i, 4);
    memcpy(&p, x + i / 2 * 2, 8);
    memcpy(&q, y + i / 2 * 2, 8);
    const bool same = x[i] == y[i];
    if (kind == CASE_FLOATS)
      ok &= same || (isnan(a) && isnan(b));
    if (kind == CASE_DOUBLES)
      ok &= same || (isnan(p) && isnan(q));
    if (kind == CASE_RECIPROCALS)
      ok &= same || (isnan(a) && isnan(b)) || near(a, b, of);
    for (unsigned h = 0; h < 32 && kind == CASE_BF16S; h += 16) {
      ok &= (x[i] >> h & 0xFFFF) == (y[i] >> h & 0xFFFF) ||
            ((x[i] >> h & 0x7FFF) > 0x7F80 && (y[i] >> h & 0x7FFF) > 0x7F80);
    }
    if (kind == CASE_BITS)
      ok &= same;
  }
  return ok;
}

static bool machine_has(avx512_needs needs) {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
    return false;
  return needs == CASE_VNNI   ? __builtin_cpu_supports("avx512vnni")
         : needs == CASE_BF16 ? __builtin_cpu_supports("avx512bf16")
                              : true;
}

TEST(instructions_give_the_bits_of_their_emulation) {
  for (size_t i = 0; avx512_native[i].name; i++) {
    const avx512_case *c = &avx512_native[i];
    int bad = 0;
    if (!machine_has(c->needs))
      continue;
    state = 11;
    for (unsigned round = 0; round < 4000 && bad < 3; round++) {
      uint32_t in[48];
      uint32_t want[16] = {0};
      uint32_t got[16] = {0};
      for (size_t k = 0; k < 48; k++)
        in[k] = number(round);
      if (c->kind == CASE_RECIPROCALS)  // what is next to the largest or smallest floats may be cut off
        for (size_t k = 0; k < 16; k++) {
          if ((in[k] & 0x7F800000) < 0x02000000 || (in[k] & 0x7F800000) > 0x7D000000)
            in[k] = 0x3F812345;
        }
      c->run(in, want);
      avx512_emulated[i].run(in, got);
      if (alike(c->kind, want, got, in))
        continue;
      check_failed(__FILE__, __LINE__, "%s, round %u: %08X %08X, emulated %08X %08X", c->name, round,
                   (unsigned)want[0], (unsigned)want[1], (unsigned)got[0], (unsigned)got[1]);
      bad++;
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
