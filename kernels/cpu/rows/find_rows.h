// find_rows.h - places of elements that are not zero, for the instruction set that this is compiled for.
// Elements are integers of 1 << width bytes; one is zero when none of `bits` is set in it.
#include "cpu/simd/vector_math.h"

enum { FIND_PIECE = WEFT__FIND_PIECE };

#ifdef __AVX512F__
#include <immintrin.h>
// Bit i: element i of n <= 64 is not zero.
WEFT_INLINE uint64_t found_bits(const void *x, size_t n, unsigned width, __m512i bits) {
  const uint64_t all = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
  const char *p = x;
  uint64_t out = 0;
  // What comes from memory is asked for here: loads under a mask, between stores, are not foreseen.
  for (unsigned i = 0; i < 64u << width; i += 64)
    __builtin_prefetch(p + 4096 + i, 0, 3);
  if (width == 0)
    return _mm512_test_epi8_mask(_mm512_maskz_loadu_epi8(all, p), bits);
  if (width == 1) {
    for (unsigned i = 0; i < 64 && i < n; i += 32) {
      out |=
          (uint64_t)_mm512_test_epi16_mask(_mm512_maskz_loadu_epi16((__mmask32)(all >> i), p + i * 2), bits)
          << i;
    }
  } else if (width == 2) {
    for (unsigned i = 0; i < 64 && i < n; i += 16) {
      out |=
          (uint64_t)_mm512_test_epi32_mask(_mm512_maskz_loadu_epi32((__mmask16)(all >> i), p + i * 4), bits)
          << i;
    }
  } else {
    for (unsigned i = 0; i < 64 && i < n; i += 8) {
      out |= (uint64_t)_mm512_test_epi64_mask(_mm512_maskz_loadu_epi64((__mmask8)(all >> i), p + i * 8), bits)
             << i;
    }
  }
  return out;
}
WEFT_INLINE __m512i spread_bits(unsigned width, uint64_t bits) {
  return width == 0   ? _mm512_set1_epi8((char)bits)
         : width == 1 ? _mm512_set1_epi16((short)bits)
         : width == 2 ? _mm512_set1_epi32((int)bits)
                      : _mm512_set1_epi64((long long)bits);
}

static size_t count_found(const void *x, size_t n, unsigned width, uint64_t bits) {
  const __m512i all = spread_bits(width, bits);
  size_t found = 0;
  for (size_t i = 0; i < n; i += 64) {
    found += (size_t)__builtin_popcountll(
        found_bits((const char *)x + (i << width), WEFT_MIN(n - i, 64), width, all));
  }
  return found;
}

static size_t find(const void *x, size_t n, unsigned width, uint64_t bits, uint32_t *out) {
  const __m512i all = spread_bits(width, bits);
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  size_t found = 0;
  for (size_t i = 0; i < n; i += 64) {
    uint64_t set = found_bits((const char *)x + (i << width), WEFT_MIN(n - i, 64), width, all);
    for (int at = (int)i; set; set >>= 16, at += 16) {
      __m512i v = _mm512_add_epi32(lanes, _mm512_set1_epi32(at));
      _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi32((__mmask16)set, v));
      found += (size_t)__builtin_popcount((unsigned)(set & 0xFFFF));
    }
  }
  return found;
}
#else
#define MARK(T)                                               \
  WEFT_LOOP(size_t i = 0; i < n; i++) {                       \
    marks[i] = (((const T *)x)[i] & (T)bits) != (T)0 ? 1 : 0; \
  }                                                           \
  break
// marks[i]: 1 where element i of n <= FIND_PIECE is not zero.
static void mark(const void *x, size_t n, unsigned width, uint64_t bits, uint8_t *marks) {
  switch (width) {
    case 0:
      MARK(uint8_t);
    case 1:
      MARK(uint16_t);
    case 2:
      MARK(uint32_t);
    default:
      MARK(uint64_t);
  }
}

static size_t count_found(const void *x, size_t n, unsigned width, uint64_t bits) {
  uint8_t marks[FIND_PIECE];
  size_t found = 0;
  for (size_t i = 0; i < n; i += FIND_PIECE) {
    const size_t some = WEFT_MIN(n - i, FIND_PIECE);
    uint32_t sum = 0;
    mark((const char *)x + (i << width), some, width, bits, marks);
    WEFT_LOOP(size_t k = 0; k < some; k++)
      sum += marks[k];
    found += sum;
  }
  return found;
}

static size_t find(const void *x, size_t n, unsigned width, uint64_t bits, uint32_t *out) {
  uint8_t marks[FIND_PIECE];
  size_t found = 0;
  mark(x, n, width, bits, marks);
  for (size_t i = 0; i < n; i++) {
    out[found] = (uint32_t)i;
    found += marks[i];
  }
  return found;
}
#endif

// y[i] = at + x[i]
static void put_wide(const uint32_t *x, int64_t at, int64_t *y, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    y[i] = at + (int64_t)x[i];
}
static void put_narrow(const uint32_t *x, int64_t at, int32_t *y, size_t n) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    y[i] = (int32_t)at + (int32_t)x[i];
}
// SPDX-License-Identifier: Apache-2.0
