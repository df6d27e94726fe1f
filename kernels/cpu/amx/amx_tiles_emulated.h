// amx_tiles_emulated.h - amx_tiles.h in plain C, as the processor's manual defines the instructions
// (TDPBF16PS, TDPBSUD, TILELOADD, TILESTORED), for tests: tiles are a function's local memory, always 16 rows
// of 64 bytes. Of bf16: the even and the odd numbers of a row make a chain of fused multiply-adds each, which
// begins with 0; the two are added, then that to the sum. Denormals count as zero, as operands and as
// results.
#pragma once
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "cpu/simd/vector_math.h"

// What works on tiles alone is not watched by AddressSanitizer: the processor's tiles are registers. Where
// tiles are read and written, it is.
#define TILES_ONLY __attribute__((no_sanitize_address))

typedef struct tile_register {
  uint32_t row[16][16];
} tile_register;
#define TILES tile_register tiles[8]

#define tile_fence()
static void tiles_begin(void) {}
static void tiles_end(void) {}

TILES_ONLY static inline float tile_flush(float x) {
  return fabsf(x) < FLT_MIN ? copysignf(0.0f, x) : x;
}
TILES_ONLY static inline float tile_low(uint32_t pair) {
  return tile_flush(weft__float(pair << 16));
}
TILES_ONLY static inline float tile_high(uint32_t pair) {
  return tile_flush(weft__float(pair & 0xFFFF0000u));
}

static void tile_read(tile_register *t, const void *p, size_t bytes) {
  for (size_t i = 0; i < 16; i++)
    memcpy(t->row[i], (const char *)p + i * bytes, 64);
}
static void tile_write(const tile_register *t, void *p, size_t bytes) {
  for (size_t i = 0; i < 16; i++)
    memcpy((char *)p + i * bytes, t->row[i], 64);
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
// tile_chain in vectors, where the processor fuses: of a test's minute with calls of fmaf, fifty seconds were
// theirs.
#define TILES_FUSED __attribute__((no_sanitize_address, target("avx2,fma")))
static inline bool tile_fuses(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
TILES_FUSED static void tile_chain_fused(float *s, float x, const float *y) {
  __m256 sign = _mm256_set1_ps(-0.0f);
  __m256 least = _mm256_set1_ps(FLT_MIN);
  for (size_t i = 0; i < 16; i += 8) {
    __m256 sum = _mm256_fmadd_ps(_mm256_set1_ps(x), _mm256_loadu_ps(y + i), _mm256_loadu_ps(s + i));
    __m256 small = _mm256_cmp_ps(_mm256_andnot_ps(sign, sum), least, _CMP_LT_OQ);
    _mm256_storeu_ps(s + i, _mm256_blendv_ps(sum, _mm256_and_ps(sign, sum), small));
  }
}
#else
static inline bool tile_fuses(void) {
  return false;
}
static void tile_chain_fused(float *s, float x, const float *y) {
  (void)s, (void)x, (void)y;
}
#endif

// s + x * y for 16 sums; a zero that meets finite numbers is passed over, which saves most of the time.
TILES_ONLY static void tile_chain(float *s, float x, const float *y, bool finite, bool fuses) {
  if (x == 0 && finite) {
    for (size_t i = 0; i < 16; i++)
      s[i] += x * y[i];
    return;
  }
  if (fuses) {
    tile_chain_fused(s, x, y);
    return;
  }
  for (size_t i = 0; i < 16; i++)
    s[i] = tile_flush(fmaf(x, y[i], s[i]));
}

TILES_ONLY static void tile_products(tile_register *sum, const tile_register *a, const tile_register *b) {
  float y[16][2][16];
  bool finite = true;
  bool fuses = tile_fuses();
  for (size_t k = 0; k < 16; k++) {
    for (size_t n = 0; n < 16; n++) {
      y[k][0][n] = tile_low(b->row[k][n]);
      y[k][1][n] = tile_high(b->row[k][n]);
      finite &= isfinite(y[k][0][n]) && isfinite(y[k][1][n]);
    }
  }
  for (size_t m = 0; m < 16; m++) {
    float s[2][16] = {{0}};
    for (size_t k = 0; k < 16; k++) {
      tile_chain(s[0], tile_low(a->row[m][k]), y[k][0], finite, fuses);
      tile_chain(s[1], tile_high(a->row[m][k]), y[k][1], finite, fuses);
    }
    for (size_t n = 0; n < 16; n++) {
      float before = tile_flush(weft__float(sum->row[m][n]));
      float x = tile_flush(s[0][n] + s[1][n]);
      sum->row[m][n] = weft__bits(tile_flush(before + x));
    }
  }
}

TILES_ONLY static void tile_byte_products(tile_register *sum, const tile_register *a,
                                          const tile_register *b) {
  for (size_t m = 0; m < 16; m++) {
    for (size_t k = 0; k < 16; k++) {
      for (size_t n = 0; n < 16; n++) {
        for (unsigned i = 0; i < 32; i += 8) {
          int32_t x = (int8_t)(uint8_t)(a->row[m][k] >> i);
          int32_t y = (uint8_t)(b->row[k][n] >> i);
          sum->row[m][n] += (uint32_t)(x * y);
        }
      }
    }
  }
}

#define tile_zero(t)              memset(&tiles[t], 0, sizeof tiles[t])
#define tile_load(t, p, bytes)    tile_read(&tiles[t], p, bytes)
#define tile_store(t, p, bytes)   tile_write(&tiles[t], p, bytes)
#define tile_dot_bf16(sum, a, b)  tile_products(&tiles[sum], &tiles[a], &tiles[b])
#define tile_dot_bytes(sum, a, b) tile_byte_products(&tiles[sum], &tiles[a], &tiles[b])
// SPDX-License-Identifier: Apache-2.0
