// bench_roof_x86.c - bench_roof.h with SSE2, AVX2, AVX-512 and AMX. Elsewhere bench_roof_plain.c takes its
// place.
#if defined(__x86_64__) && defined(__GNUC__)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // syscall
#endif
#include <cpuid.h>
#include <immintrin.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench_roof.h"

#define TARGET(x) __attribute__((target(x)))
enum { CHAINS = 12 };  // independent sums: more than latency times units of any machine so far
static volatile float sink;

static const char *bench_roof_x86_nothing(void) {
  return NULL;
}
static const char *no_avx2(void) {
  bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has ? NULL : "the processor has no AVX2 with FMA";
}
static const char *no_avx512(void) {
  bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
  return has ? NULL : "the processor has no AVX-512";
}
static const char *no_bf16(void) {
  bool has = !no_avx512() && __builtin_cpu_supports("avx512bf16");
  return has ? NULL : "the processor has no AVX512_BF16";
}
static const char *no_vnni(void) {
  bool has = !no_avx512() && __builtin_cpu_supports("avx512vnni");
  return has ? NULL : "the processor has no AVX512_VNNI";
}

// ---- sums of products ----
#define MULTIPLY_ADD(name, target, vector, width, set, step, total)          \
  TARGET(target) static double name(size_t rounds) {                         \
    vector s[CHAINS], a = set(0.999f), b = set(0.001f);                      \
    for (int i = 0; i < CHAINS; i++)                                         \
      s[i] = set((float)i);                                                  \
    for (size_t r = 0; r < rounds; r++) {                                    \
      _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) s[i] = step; \
      __asm__ volatile("" : "+x"(a), "+x"(b));                               \
    }                                                                        \
    for (int i = 1; i < CHAINS; i++)                                         \
      s[0] = total(s[0], s[i]);                                              \
    float out[width];                                                        \
    memcpy(out, s, sizeof out);                                              \
    sink = out[0];                                                           \
    return 2.0 * width * CHAINS * (double)rounds;                            \
  }
MULTIPLY_ADD(sse_multiply_add, "sse2", __m128, 4, _mm_set1_ps, _mm_add_ps(_mm_mul_ps(s[i], a), b), _mm_add_ps)
MULTIPLY_ADD(avx2_multiply_add, "avx2,fma", __m256, 8, _mm256_set1_ps, _mm256_fmadd_ps(s[i], a, b),
             _mm256_add_ps)
MULTIPLY_ADD(avx512_multiply_add, "avx512f", __m512, 16, _mm512_set1_ps, _mm512_fmadd_ps(s[i], a, b),
             _mm512_add_ps)

// Dot products of pairs of bf16 and of quads of bytes.
#define DOTS(name, target, vector, set, step, each)                          \
  TARGET(target) static double name(size_t rounds) {                         \
    vector s[CHAINS];                                                        \
    __m512i a = _mm512_set1_epi32(0x01010101), b = a;                        \
    for (int i = 0; i < CHAINS; i++)                                         \
      s[i] = set();                                                          \
    for (size_t r = 0; r < rounds; r++) {                                    \
      _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) s[i] = step; \
      __asm__ volatile("" : "+x"(a), "+x"(b));                               \
    }                                                                        \
    float out = 0;                                                           \
    for (int i = 0; i < CHAINS; i++) {                                       \
      float first;                                                           \
      memcpy(&first, &s[i], sizeof first);                                   \
      out += first;                                                          \
    }                                                                        \
    sink = out;                                                              \
    return 2.0 * 16 * (each)*CHAINS * (double)rounds;                        \
  }
DOTS(bf16_multiply_add, "avx512f,avx512bf16", __m512, _mm512_setzero_ps,
     _mm512_dpbf16_ps(s[i], (__m512bh)a, (__m512bh)b), 2)
DOTS(vnni_multiply_add, "avx512f,avx512vnni", __m512i, _mm512_setzero_si512, _mm512_dpbusd_epi32(s[i], a, b),
     4)

// Bytes without such an instruction: as pairs of 16 bits.
TARGET("avx2") static double pairs_multiply_add(size_t rounds) {
  __m256i s0 = _mm256_setzero_si256();
  __m256i s1 = s0;
  __m256i s2 = s0;
  __m256i s3 = s0;
  __m256i a = _mm256_set1_epi32(0x00010001);
  __m256i b = a;
  for (size_t r = 0; r < rounds; r++) {
#define STEP(s)                                     \
  s = _mm256_add_epi32(s, _mm256_madd_epi16(a, b)); \
  __asm__ volatile("" : "+x"(a), "+x"(b))  // each product is another
    STEP(s0);
    STEP(s1);
    STEP(s2);
    STEP(s3);
    STEP(s0);
    STEP(s1);
    STEP(s2);
    STEP(s3);
#undef STEP
  }
  s0 = _mm256_add_epi32(_mm256_add_epi32(s0, s1), _mm256_add_epi32(s2, s3));
  sink = (float)_mm256_extract_epi32(s0, 0);
  return 2.0 * 16 * 8 * (double)rounds;
}

// ---- memory: eight loads a step; bits are joined by OR, which costs nothing beside a load ----
#define READ(name, target, vector, load, join, zero, width)      \
  TARGET(target) static double name(const float *v, size_t n) {  \
    vector s[8];                                                 \
    float out[width];                                            \
    for (int i = 0; i < 8; i++)                                  \
      s[i] = zero();                                             \
    for (size_t at = 0; at + 8 * width <= n; at += 8 * width)    \
      _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) s[i] = \
          join(s[i], load(v + at + (size_t)i * width));          \
    for (int i = 1; i < 8; i++)                                  \
      s[0] = join(s[0], s[i]);                                   \
    memcpy(out, s, sizeof out);                                  \
    return out[0];                                               \
  }
READ(sse_read, "sse2", __m128, _mm_loadu_ps, _mm_or_ps, _mm_setzero_ps, 4)
READ(avx2_read, "avx2", __m256, _mm256_loadu_ps, _mm256_or_ps, _mm256_setzero_ps, 8)
READ(avx512_read, "avx512f", __m512, _mm512_loadu_ps, _mm512_max_ps, _mm512_setzero_ps, 16)

#define TRIAD(name, target, load, store, sum, width)                                                 \
  TARGET(target) static void name(float *a, const float *b, const float *c, size_t n) {              \
    for (size_t at = 0; at + 4 * width <= n; at += 4 * width)                                        \
      _Pragma("GCC unroll 4") for (size_t i = at; i < at + 4 * width; i += width) store(a + i, sum); \
  }
TRIAD(sse_triad, "sse2", _mm_loadu_ps, _mm_storeu_ps,
      _mm_add_ps(_mm_loadu_ps(b + i), _mm_mul_ps(_mm_loadu_ps(c + i), _mm_set1_ps(3))), 4)
TRIAD(avx2_triad, "avx2,fma", _mm256_loadu_ps, _mm256_storeu_ps,
      _mm256_fmadd_ps(_mm256_loadu_ps(c + i), _mm256_set1_ps(3), _mm256_loadu_ps(b + i)), 8)
TRIAD(avx512_triad, "avx512f", _mm512_loadu_ps, _mm512_storeu_ps,
      _mm512_fmadd_ps(_mm512_loadu_ps(c + i), _mm512_set1_ps(3), _mm512_loadu_ps(b + i)), 16)

// ---- AMX: tiles of 16 rows of 64 bytes; the system gives them to a process that asks ----
typedef struct tile_config {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_config;

static const char *no_amx(void) {
  unsigned a;
  unsigned b;
  unsigned c;
  unsigned d;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d >> 24 & 1) || !(d >> 22 & 1) || !(d >> 25 & 1))
    return "the processor has no AMX";
  return syscall(SYS_arch_prctl, 0x1023, 18) ? "the system does not give AMX's tiles"  // ARCH_REQ_XCOMP_PERM
                                             : NULL;
}

TARGET("amx-tile,amx-bf16") static double amx_multiply_add(size_t rounds) {
  tile_config config = {.palette = 1};
  static _Alignas(64) uint8_t zero[1024];
  for (int i = 0; i < 8; i++) {
    config.row_bytes[i] = 64;
    config.rows[i] = 16;
  }
  __asm__ volatile("" : : "r"(&config) : "memory");  // the configuration is in memory before it is loaded
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, zero, 64);
  _tile_loadd(5, zero, 64);
  _tile_loadd(6, zero, 64);
  _tile_loadd(7, zero, 64);
  for (size_t r = 0; r < rounds; r++) {  // four sums, each of a row tile and a column tile
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
  return 4.0 * 2 * 16 * 16 * 32 * (double)rounds;
}

const bench_roof bench_roofs[] = {
    {"plain", "f32 multiply, add (SSE2)", bench_roof_x86_nothing, sse_multiply_add, sse_read, sse_triad},
    {"avx2", "f32 multiply-add", no_avx2, avx2_multiply_add, avx2_read, avx2_triad},
    {"avx2", "int8 multiply-add, as 16 bits", no_avx2, pairs_multiply_add, NULL, NULL},
    {"avx512", "f32 multiply-add", no_avx512, avx512_multiply_add, avx512_read, avx512_triad},
    {"avx512", "bf16 multiply-add", no_bf16, bf16_multiply_add, NULL, NULL},
    {"avx512", "int8 multiply-add", no_vnni, vnni_multiply_add, NULL, NULL},
    {"amx", "bf16 multiply-add", no_amx, amx_multiply_add, NULL, NULL},
};
const size_t bench_n_roofs = sizeof bench_roofs / sizeof *bench_roofs;
#else
typedef int bench_roof_elsewhere;
#endif
// SPDX-License-Identifier: Apache-2.0
