// isa.c - asks the processor. Elsewhere than on x86 the plain files run, which the compiler vectorises for
// the machine's base instruction set.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // syscall
#endif
#include "cpu/simd/isa.h"
#include "device/device.h"
#include "op/machine.h"

#if defined(__aarch64__)
#define BASE "neon"  // the plain files, in its vectors
#else
#define BASE "plain"
#endif
static const char *const names[WEFT__ISA_COUNT] = {BASE, "avx2", "avx512"};

#if defined(WEFT_KERNELS_NEON_BYTES)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#if defined(WEFT_KERNELS_AMX)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#include <cpuid.h>
enum { ASKED = 1, F16C = 2, AVX_VNNI = 4, AVX512_BF16 = 8, AMX = 16 };

static unsigned isa_ask(void) {
  unsigned a;
  unsigned b;
  unsigned c;
  unsigned d;
  unsigned bits = ASKED;
  if (__get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1))
    bits |= F16C;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d))
    bits |= (a >> 4 & 1) * AVX_VNNI | (a >> 5 & 1) * AVX512_BF16;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 22 & 1) && (d >> 24 & 1) && (d >> 25 & 1))
    bits |= AMX;
  return bits;
}

// What not every compiler's __builtin_cpu_supports knows by name. Asked once, because the question takes tens
// of microseconds on virtual machines; threads that ask at the same time find the same.
static bool has(unsigned bit) {
  static unsigned known;
  unsigned bits = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!bits)
    __atomic_store_n(&known, bits = isa_ask(), __ATOMIC_RELAXED);
  return bits & bit;
}
#endif

#if defined(WEFT_AVX512_EMULATED)
enum { EMULATED = true };  // AVX-512, VNNI and BF16, by AVX2's instructions (avx512_emulated.h)
#else
enum { EMULATED = false };
#endif

static int found(void) {
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !has(F16C))
    return WEFT__ISA_PLAIN;
  if (EMULATED)
    return WEFT__ISA_AVX512;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
    return WEFT__ISA_AVX2;
  return WEFT__ISA_AVX512;
#else
  return WEFT__ISA_PLAIN;
#endif
}

// What the program allows. Without a host: all that there is.
static const struct weft_machine *allowed(const weft_host *host) {
  static const struct weft_machine all = {.most_bytes = WEFT__BYTES_COUNT};
  bool knows = host && host->size >= offsetof(weft_host, machine) + sizeof host->machine;
  return knows && host->machine ? host->machine : &all;
}

int weft__cpu_isa(const weft_host *host) {
  const char *most = allowed(host)->isa;
  int isa = found();
  for (int i = 0; most && i < isa; i++) {
    if (!strcmp(most, names[i]))
      isa = i;
  }
  return isa;
}

#if defined(WEFT_KERNELS_VNNI)
static int found_bytes(int isa) {
  if (EMULATED && isa >= WEFT__ISA_AVX2)
    return WEFT__BYTES_DOT;
  if (isa == WEFT__ISA_AVX512)
    return __builtin_cpu_supports("avx512vnni") ? WEFT__BYTES_DOT : WEFT__BYTES_NONE;
  return isa == WEFT__ISA_AVX2 && has(AVX_VNNI) ? WEFT__BYTES_DOT : WEFT__BYTES_NONE;
}
#elif defined(WEFT_KERNELS_NEON_BYTES)
static int found_bytes(int isa) {
  (void)isa;
  if (getauxval(AT_HWCAP2) & HWCAP2_I8MM)
    return WEFT__BYTES_I8MM;
  return getauxval(AT_HWCAP) & HWCAP_ASIMDDP ? WEFT__BYTES_DOT : WEFT__BYTES_NONE;
}
#else
static int found_bytes(int isa) {
  (void)isa;
  return WEFT__BYTES_NONE;
}
#endif

int weft__cpu_bytes(const weft_host *host) {
  return WEFT_MIN(found_bytes(weft__cpu_isa(host)), allowed(host)->most_bytes);
}

bool weft__cpu_bf16(const weft_host *host) {
  if (allowed(host)->no_bf16)
    return false;
#if defined(WEFT_KERNELS_BF16)
  if (weft__cpu_isa(host) == WEFT__ISA_AVX512)
    return EMULATED || has(AVX512_BF16);
#endif
  return false;
}

bool weft__cpu_bf16_always(const weft_host *host) {
  return allowed(host)->bf16_always;
}

#if defined(WEFT_KERNELS_AMX)
// The registers that the system saves: bits of XCR0. Where AVX512 is usable, the instruction is.
static uint64_t saved(void) {
  uint32_t low;
  uint32_t high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

// Tiles are part of a process only after it has asked for them: once is enough, and again does no harm.
static const char *tiles_missing(void) {
  enum {
    TILE_STATE = 3 << 17,
    REQUEST = 0x1023,
    TILE_DATA = 18
  };  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA
  if (found() != WEFT__ISA_AVX512)
    return "needs AVX512 beside AMX";
  if ((saved() & TILE_STATE) != TILE_STATE)
    return "the processor has no AMX, or the system does not save its tiles";
  if (!has(AMX))
    return "the processor has no AMX of both bf16 and int8";
  return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) ? "the system does not give this process AMX's tiles"
                                                     : NULL;
}
#else
static const char *tiles_missing(void) {
  return "this weft was built without AMX";
}
#endif

const char *weft__cpu_amx_missing(const weft_host *host) {
  return allowed(host)->isa ? "the instruction set that was asked for leaves AMX out" : tiles_missing();
}

int weft__cpu_amx(const weft_host *host) {
  const char *most = allowed(host)->isa;
  if (most && !strcmp(most, "amx-emulated"))
    return WEFT__AMX_EMULATED;
  return weft__cpu_amx_missing(host) ? WEFT__AMX_NONE : WEFT__AMX_TILES;
}

const char *weft__cpu_isa_name(int isa) {
  return isa >= 0 && isa < WEFT__ISA_COUNT ? names[isa] : "?";
}

const char *weft__cpu_layouts(const weft_host *host) {
  static const char *const texts[WEFT__ISA_COUNT][WEFT__BYTES_COUNT] = {
      [WEFT__ISA_PLAIN] = {BASE ", layouts 7", BASE " dot, layouts 7", BASE " i8mm, layouts 7"},
      [WEFT__ISA_AVX2] = {"avx2, layouts 7", "avx2 vnni, layouts 7"},
      [WEFT__ISA_AVX512] = {"avx512, layouts 7", "avx512 vnni, layouts 7"}};
  static const char *const tiles[] = {NULL, "amx, layouts 7", "amx-emulated, layouts 7"};
  if (weft__cpu_amx(host))
    return tiles[weft__cpu_amx(host)];
  int isa = weft__cpu_isa(host);
  const char *text = texts[isa][weft__cpu_bytes(host)];
  return text ? text : weft__cpu_isa_name(isa);
}
// SPDX-License-Identifier: Apache-2.0
