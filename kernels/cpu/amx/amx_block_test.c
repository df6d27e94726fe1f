// amx_block_test.c - amx_block.h: splitting, detection, and the table of the processor's instructions beside
// the emulated one, bit by bit. Where there is no AMX its instructions end in SIGILL, and a handler here does
// what the processor's manual says of them: so the machine code of amx_block_tiles_amx.c itself is run, with
// its encodings, operands and addresses, though not by a processor that has it.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // registers of a signal's context
#endif
#include "cpu/amx/amx_block.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>

#include "base/base.h"
#include "check.h"
#include "isa_util.h"
#include "device/device.h"

static uint64_t state;
static uint32_t pick(void) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(state >> 32);
}
static float bits(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}

// ---- splitting ----
static void split_one(float x, uint16_t *to, size_t parts) {
  const weft__amx_split s = {
      .from = &x, .step = 1, .n = 1, .rows = 1, .to = to, .to_step = 1, .part_step = 1};
  weft__amx_emulated.split(&s, parts);
}

TEST(three_parts_hold_a_float) {
  static const float odd[] = {0.0f,      -0.0f,     FLT_MAX,    -FLT_MAX,  3.3962e38f,  3.3952e38f,
                              INFINITY,  -INFINITY, 1.0f,       0x1p-110f, 1 + 0x1p-8f, 1 + 0x1p-23f,
                              0x1p-120f, 0x1p-149f, -0x1p-149f, 0x1p-134f, 0x1.8p-126f};
  uint16_t part[3];
  state = 1;
  for (size_t i = 0; i < 20000; i++) {
    float x = i < WEFT_COUNT(odd) ? odd[i] : bits(pick());
    split_one(x, part, 3);
    double sum = weft__amx_number(part, 1, 3);
    bool held = isnan(x) ? isnan(sum) : sum == (double)x;
    if (fabsf(x) < 0x1p-110f)
      held |= fabs(sum - (double)x) <= 0x1p-133 && (sum != 0 || x == 0);
    if (!held)
      check_failed(__FILE__, __LINE__, "%a in three parts is %a", (double)x, sum);
    split_one(x, part, 2);
    sum = weft__amx_number(part, 1, 2);
    held = isnan(x)   ? isnan(sum)
           : isinf(x) ? sum == (double)x
                      : fabs(sum - (double)x) <= 0x1p-15 * fabs((double)x) + 0x1p-133;
    if (!held)
      check_failed(__FILE__, __LINE__, "%a in two parts is %a", (double)x, sum);
    float want = weft__amx_number(part, 1, 1) == 0 ? 0 : x;
    split_one(x, part, 1);
    sum = weft__amx_number(part, 1, 1);
    if (fabsf(want) >= 3.3962e38f && !isnan(want))
      CHECK(isinf(sum));
  }
}

TEST(a_product_of_infinity_is_not_finite) {
  static uint16_t a[32][32];
  static uint16_t w[2][16][16][2];
  uint32_t at = 0;
  float tile[1024];
  weft__amx_sum s = {.n = 1,
                     .a = (const uint32_t *)(const void *)a,
                     .at = &at,
                     .w = (const uint32_t *)(const void *)w,
                     .a_row = 16,
                     .a_part = 512,
                     .tile = tile};
  memset(a, 0, sizeof a);
  memset(w, 0, sizeof w);
  a[3][5] = 0x7F80;  // infinite; of the second row nothing
  // 1; a denormal, which the tile takes as 0
  w[0][2][7][1] = 0x3F80;
  w[1][2][4][1] = 1;
  weft__amx_emulated.sum[1][1][1](&s);
  CHECK(tile[3 * 32 + 7] == INFINITY && isnan(tile[3 * 32 + 20]) && isnan(tile[3 * 32 + 1]));
  CHECK(tile[2 * 32 + 7] == 0 && weft__amx_finite(tile, 3, 32) && !weft__amx_finite(tile, 4, 32));
}

// ---- which runs ----
TEST(emulated_tiles_run_only_where_they_are_asked_for) {
  static const char *const sets[] = {"plain", "avx2", "avx512"};
  setenv("WEFT_ISA", "amx-emulated", 1);
  CHECK_INT(weft__cpu_amx(asked_host()), WEFT__AMX_EMULATED);
  CHECK_STR(weft__amx_find(asked_host())->name, "amx-emulated");
  CHECK(strstr(weft__cpu_layouts(asked_host()), "amx-emulated"));
  CHECK(!weft__amx_refuse(asked_host()));
  for (size_t i = 0; i < WEFT_COUNT(sets); i++) {
    setenv("WEFT_ISA", sets[i], 1);
    CHECK_INT(weft__cpu_amx(asked_host()), WEFT__AMX_NONE);
#if defined(__x86_64__)
    CHECK_STR(weft__amx_refuse(asked_host()), "the instruction set that was asked for leaves AMX out");
#endif
  }
  unsetenv("WEFT_ISA");
  CHECK(weft__cpu_amx(asked_host()) != WEFT__AMX_EMULATED);
  CHECK_INT(weft__cpu_amx(asked_host()) == WEFT__AMX_NONE, weft__cpu_amx_missing(asked_host()) != NULL);
}

// The processor's flags as the system tells them.
TEST(what_is_missing_is_said) {
  static char line[8192];
  bool x86 = false;
  bool amx = false;
  FILE *f = fopen("/proc/cpuinfo", "r");
  while (f && !x86 && fgets(line, sizeof line, f)) {
    if (!strncmp(line, "flags", 5)) {
      x86 = true;
      amx = strstr(line, " amx_bf16") && strstr(line, " amx_int8");
    }
  }
  if (f)
    fclose(f);
  const char *why = weft__cpu_amx_missing(asked_host());
  if (!amx)
    CHECK(why != NULL);
  if (x86 && !amx && why)
    CHECK(strstr(why, "no AMX") || strstr(why, "without AMX") || strstr(why, "AVX512"));
}

#if defined(__x86_64__) && defined(__linux__)
#include <ucontext.h>

extern const weft__amx_ops weft__amx_tiles __attribute__((weak));  // not there where the compiler cannot

// ---- AMX's instructions, one at a time ----
typedef struct shape {
  uint8_t palette, start, reserved[14];
  uint16_t bytes[16];
  uint8_t rows[16];
} shape;
static struct {
  bool set;
  shape s;
  uint32_t row[8][16][16];
  unsigned dots;
  unsigned byte_dots;
  unsigned loads;
  unsigned stores;
  unsigned releases;
  const char *bad;
} amx;

typedef struct instruction {
  uint8_t map, prefix, vvvv, opcode, mod, reg, rm;
  size_t size;
  char *address;  // of memory without the index
  size_t index;   // the index register, times its scale
} instruction;

static size_t gpr(const ucontext_t *u, unsigned i) {
  static const int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return (size_t)u->uc_mcontext.gregs[order[i]];
}

static void memory(const ucontext_t *u, const uint8_t *p, instruction *i) {
  unsigned b = p[1] & 0x20 ? 0 : 8;
  unsigned x = p[1] & 0x40 ? 0 : 8;
  unsigned base = i->rm + b;
  bool none = i->mod == 0 && i->rm == 5;
  if (i->rm == 4) {
    uint8_t sib = p[i->size++];
    unsigned index = (sib >> 3 & 7) + x;
    base = (sib & 7) + b;
    none = i->mod == 0 && (sib & 7) == 5;
    if (index != 4)
      i->index = gpr(u, index) << (sib >> 6);
  }
  int32_t disp = 0;
  if (i->mod == 1)
    disp = (int8_t)p[i->size];
  if (i->mod == 2 || none)
    memcpy(&disp, p + i->size, 4);
  i->size += i->mod == 1 ? 1 : i->mod == 2 || none ? 4 : 0;
  size_t at = (size_t)(int64_t)disp;
  if (!none)
    at += gpr(u, base);
  if (none && i->rm == 5)
    at += (size_t)p + i->size;
  i->address = (char *)at;
}

static bool decode(const ucontext_t *u, instruction *i) {
  const uint8_t *p = (const uint8_t *)u->uc_mcontext.gregs[REG_RIP];
  memset(i, 0, sizeof *i);
  if (p[0] != 0xC4 || p[2] & 0x84)
    return false;  // VEX of three bytes, W 0, 128 bits
  i->map = p[1] & 31;
  i->vvvv = (uint8_t)(~p[2] >> 3 & 15);
  i->prefix = p[2] & 3;
  i->opcode = p[3];
  i->mod = p[4] >> 6;
  i->reg = p[4] >> 3 & 7;
  i->rm = p[4] & 7;
  i->size = 5;
  if (i->mod != 3)
    memory(u, p, i);
  return i->map == 2 && i->vvvv < 8;
}

static float flushed(float x) {
  return fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}
static void dot_bf16(unsigned d, unsigned a, unsigned b) {
  for (size_t m = 0; m < amx.s.rows[d]; m++) {
    for (size_t n = 0; n < amx.s.bytes[d] / 4u; n++) {
      float t[2] = {0};
      for (size_t k = 0; k < amx.s.bytes[a] / 4u; k++) {
        uint32_t x = amx.row[a][m][k];
        uint32_t y = amx.row[b][k][n];
        t[0] = flushed(fmaf(flushed(bits(x << 16)), flushed(bits(y << 16)), t[0]));
        t[1] = flushed(fmaf(flushed(bits(x & 0xFFFF0000)), flushed(bits(y & 0xFFFF0000)), t[1]));
      }
      float sum = flushed(flushed(bits(amx.row[d][m][n])) + flushed(t[0] + t[1]));
      memcpy(&amx.row[d][m][n], &sum, 4);
    }
  }
}
static void dot_signed_unsigned(unsigned d, unsigned a, unsigned b) {
  for (size_t m = 0; m < amx.s.rows[d]; m++) {
    for (size_t n = 0; n < amx.s.bytes[d] / 4u; n++) {
      for (size_t k = 0; k < amx.s.bytes[a] / 4u; k++) {
        int8_t x[4];
        uint8_t y[4];
        memcpy(x, &amx.row[a][m][k], 4);
        memcpy(y, &amx.row[b][k][n], 4);
        for (size_t i = 0; i < 4; i++)
          amx.row[d][m][n] += (uint32_t)(x[i] * y[i]);
      }
    }
  }
}

static const char *move(const instruction *i, bool store) {
  if (!amx.set)
    return "tiles before they have a shape";
  for (size_t r = 0; r < amx.s.rows[i->reg]; r++) {
    char *at = i->address + r * i->index;
    void *row = amx.row[i->reg][r];
    memcpy(store ? (void *)at : row, store ? row : (void *)at, amx.s.bytes[i->reg]);
  }
  *(store ? &amx.stores : &amx.loads) += 1;
  return NULL;
}

enum { NONE, P66, F3, F2 };
static const char *configure(const instruction *i) {
  if (i->mod == 3 && i->reg == 0 && i->rm == 0) {
    amx.set = false;
    amx.releases++;
    return NULL;
  }
  if (i->mod == 3 || i->reg)
    return "an unknown instruction";
  memcpy(&amx.s, i->address, sizeof amx.s);
  memset(amx.row, 0, sizeof amx.row);
  amx.set = true;
  for (size_t t = 0; t < 16; t++) {
    if (amx.s.palette != 1 || amx.s.start || amx.s.rows[t] != (t < 8 ? 16 : 0) ||
        amx.s.bytes[t] != (t < 8 ? 64 : 0))
      return "a shape that is not eight tiles of 16 x 64";
  }
  return NULL;
}

static const char *execute(const instruction *i) {
  if (i->opcode == 0x49 && i->prefix == NONE)
    return configure(i);
  if (i->opcode == 0x4B && i->mod != 3 && i->rm == 4 && i->prefix >= F3)
    return move(i, i->prefix == F3);
  if (i->mod != 3 || !amx.set)
    return "an unknown instruction, or before the shape";
  if (i->opcode == 0x49 && i->prefix == F2)
    memset(amx.row[i->reg], 0, sizeof amx.row[0]);
  else if (i->reg == i->rm || i->reg == i->vvvv || i->rm == i->vvvv)
    return "one tile twice";
  else if (i->opcode == 0x5C && i->prefix == F3)
    dot_bf16(i->reg, i->rm, i->vvvv), amx.dots++;
  else if (i->opcode == 0x5E && i->prefix == F3)
    dot_signed_unsigned(i->reg, i->rm, i->vvvv), amx.byte_dots++;
  else
    return "an unknown instruction";
  return NULL;
}

static void trap(int number, siginfo_t *info, void *context) {
  ucontext_t *u = context;
  instruction i;
  (void)info;
  const char *bad = decode(u, &i) ? execute(&i) : "an unknown instruction";
  if (bad && !amx.bad)
    amx.bad = bad;
  if (bad && !strncmp(bad, "an unknown", 10))
    signal(number, SIG_DFL);  // again, and then the process ends
  else
    u->uc_mcontext.gregs[REG_RIP] += (long long)i.size;
}

// ---- both tables ----
static bool traps(struct sigaction *old) {
  struct sigaction s;
  if (!&weft__amx_tiles || weft__cpu_isa(NULL) < WEFT__ISA_AVX512)
    return false;
  memset(&s, 0, sizeof s);
  memset(&amx, 0, sizeof amx);
  s.sa_sigaction = trap;
  s.sa_flags = SA_SIGINFO;
  return !sigaction(SIGILL, &s, old);
}

static void fill(uint32_t *to, size_t n, bool odd) {
  for (size_t i = 0; i < n; i++) {
    to[i] = pick() & (odd ? UINT32_MAX : 0x8FFF8FFF);
    if (!odd)
      to[i] |= 0x30003000;
  }
}

enum { STEPS = 3, ROOM = 8 * 512 * STEPS };
static uint32_t a[ROOM], w[ROOM];
static float got[1024], want[1024];

static bool alike(const float *x, const float *y, size_t rows, size_t cols) {
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < cols; j++) {
      float p = x[i * 32 + j];
      float q = y[i * 32 + j];
      if (memcmp(&p, &q, sizeof p) && !(isnan(p) && isnan(q)))
        return false;
    }
  }
  return true;
}

static void both_sums(size_t parts, bool high, bool wide, size_t n, size_t a_row, bool odd) {
  uint32_t at[STEPS];
  fill(a, ROOM, odd);
  fill(w, ROOM, odd);
  for (size_t i = 0; i < STEPS; i++)
    at[i] = (uint32_t)(i * 40);
  weft__amx_sum s = {n, a, at, w, a_row, 32 * a_row + 7, (const char *)w, 1, want};
  weft__amx_emulated.sum[parts][high][wide](&s);
  s.tile = got;
  unsigned before = amx.dots;
  unsigned products = parts == 3 ? 6 : parts == 2 ? 3 : 1;
  weft__amx_tiles.begin();
  weft__amx_tiles.sum[parts][high][wide](&s);
  weft__amx_tiles.end();
  if (!alike(got, want, high ? 32 : 16, wide ? 32 : 16))
    check_failed(__FILE__, __LINE__, "%zu parts, %d, %d, %zu steps", parts, high, wide, n);
  if (weft__cpu_amx(asked_host()) == WEFT__AMX_NONE)
    CHECK_INT(amx.dots - before, products * n * (1u + high) * (1u + wide));
}

static void both_bytes(bool high, bool wide, size_t n, size_t b_row) {
  fill(a, ROOM, true);
  fill(w, ROOM, true);
  weft__amx_bytes s = {n, (const int32_t *)a, w, 16 * STEPS, b_row, (int32_t *)(void *)want};
  weft__amx_emulated.bytes[high][wide](&s);
  s.tile = (int32_t *)(void *)got;
  weft__amx_tiles.begin();
  weft__amx_tiles.bytes[high][wide](&s);
  weft__amx_tiles.end();
  for (size_t i = 0; i < (high ? 32u : 16u); i++) {
    if (memcmp(got + i * 32, want + i * 32, wide ? 128 : 64))
      check_failed(__FILE__, __LINE__, "bytes, %d, %d, %zu steps, row %zu", high, wide, n, i);
  }
}

TEST(the_instructions_give_the_bits_of_their_emulation) {
  struct sigaction old;
  if (!traps(&old))
    return;
  state = 7;
  for (size_t k = 0; k < 3 * 4 * 4 * 2; k++)
    both_sums(1 + k % 3, k / 3 & 1, k / 6 & 1, k / 12 % 4, k % 5 ? 16 : 48, k >= 48);
  for (size_t k = 0; k < 16; k++)
    both_bytes(k & 1, k >> 1 & 1, k >> 2, k % 3 ? 32 : 57);
  if (weft__cpu_amx(asked_host()) == WEFT__AMX_NONE) {
    CHECK_INT(amx.releases, 96 + 16);
    CHECK(amx.byte_dots && amx.loads && amx.stores && !amx.set);
  }
  if (amx.bad)
    check_failed(__FILE__, __LINE__, "%s", amx.bad);
  sigaction(SIGILL, &old, NULL);
}

TEST(both_split_alike) {
  if (!&weft__amx_tiles || weft__cpu_isa(NULL) < WEFT__ISA_AVX512)
    return;
  static uint32_t from[2][100];
  static uint32_t to[2][3 * 100];
  state = 3;
  for (size_t n = 0; n <= 100; n++) {
    for (size_t parts = 1; parts <= 3; parts++) {
      fill(from[0], 100, true);
      fill(from[1], 100, true);
      memset(to, 0, sizeof to);
      const float *low = (const float *)(const void *)from[0];
      const float *high = (const float *)(const void *)from[1];
      const weft__amx_ops *tables[] = {&weft__amx_emulated, &weft__amx_tiles};
      for (size_t t = 0; t < 2; t++)
        tables[t]->zip(to[t], 100, low, n % 2 ? high : NULL, n, parts);
      CHECK(!memcmp(to[0], to[1], sizeof to[0]));
      memset(to, 0, sizeof to);
      for (size_t t = 0; t < 2; t++) {
        const weft__amx_split s = {.from = low,
                                   .step = n / 3,
                                   .n = n / 2,
                                   .rows = 2,
                                   .to = (uint16_t *)to[t],
                                   .to_step = n / 2,
                                   .part_step = 200};
        tables[t]->split(&s, parts);
      }
      CHECK(!memcmp(to[0], to[1], sizeof to[0]));
    }
  }
}
#endif
// SPDX-License-Identifier: Apache-2.0
